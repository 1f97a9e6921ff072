//! `--frames A..B`.

use crate::failure::Failure;
use std::ops::Range;
use std::str::FromStr;

/// Which frames a user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frames {
    from: usize,
    /// One past the last; none means to the end.
    to: Option<usize>,
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |s: &str| {
            s.parse::<usize>()
                .map_err(|_| format!("\"{s}\" is no frame number; write 12, 10..20, 10..=20, 10.. or ..20"))
        };
        let after = |n: usize| n.checked_add(1).ok_or_else(|| format!("there is no frame {n}"));
        let frames = match text.split_once("..") {
            None => Self { from: number(text)?, to: Some(after(number(text)?)?) },
            Some((from, to)) => Self {
                from: if from.is_empty() { 0 } else { number(from)? },
                to: match to.strip_prefix('=') {
                    Some(last) => Some(after(number(last)?)?),
                    None if to.is_empty() => None,
                    None => Some(number(to)?),
                },
            },
        };
        if frames.to.is_some_and(|to| to <= frames.from) {
            return Err(format!("{text} holds no frame; a..b runs from a up to b, without b"));
        }
        Ok(frames)
    }
}

impl Frames {
    /// Those frames of a cache that has `count`; all of them when nothing was asked for.
    pub fn of(asked: Option<&Self>, count: usize) -> Result<Range<usize>, Failure> {
        let Some(frames) = asked else { return Ok(0..count) };
        let range = frames.from..frames.to.unwrap_or(count);
        if range.end > count || range.start >= count {
            let missing = if range.start >= count { range.start } else { count };
            return Err(Failure::Request(format!(
                "the cache has {count} whole frames; there is no frame {missing} (the first is 0)"
            )));
        }
        Ok(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_in_rust() {
        let of = |text: &str| Frames::of(Some(&text.parse().unwrap()), 30).unwrap();
        assert_eq!(
            [of("12"), of("10..20"), of("10..=20"), of("10.."), of("..20")],
            [12..13, 10..20, 10..21, 10..30, 0..20]
        );
        for wrong in ["", "x", "3..2", "3..3", "1...4", "-1", "1..99999999999999999999", "18446744073709551615"] {
            assert!(wrong.parse::<Frames>().is_err(), "{wrong}");
        }
        assert!(Frames::of(Some(&"20..31".parse().unwrap()), 30).is_err());
        assert!(Frames::of(Some(&"30..".parse().unwrap()), 30).is_err());
    }
}
