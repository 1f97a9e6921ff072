//! `--frames A..B`.

use crate::failure::Failure;
use std::ops::Range;
use std::str::FromStr;

/// A range of frames given by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frames {
    from: usize,
    /// One past the last frame; none for the end of the cache.
    to: Option<usize>,
    /// The text given.
    text: String,
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |s: &str| {
            s.parse::<usize>().map_err(|_| {
                format!("\"{s}\" is no frame number (the first is 0); write 12, 10..20, 10..=20, 10.. or ..20")
            })
        };
        let after = |n: usize| n.checked_add(1).ok_or_else(|| format!("there is no frame {n}"));
        let (from, to) = match text.split_once("..") {
            None => (number(text)?, Some(after(number(text)?)?)),
            Some((from, to)) => {
                let to = match to.strip_prefix('=') {
                    Some(last) => Some(after(number(last)?)?),
                    None if to.is_empty() => None,
                    None => Some(number(to)?),
                };
                (if from.is_empty() { 0 } else { number(from)? }, to)
            }
        };
        if to.is_some_and(|to| to <= from) {
            return Err(format!("{text} holds no frame; a..b runs from a up to b, without b"));
        }
        Ok(Self { from, to, text: text.to_owned() })
    }
}

impl Frames {
    /// The range within a cache of `count` frames; all of them if none was given.
    pub fn of(asked: Option<&Self>, count: usize) -> Result<Range<usize>, Failure> {
        let Some(frames) = asked else { return Ok(0..count) };
        let range = frames.from..frames.to.unwrap_or(count);
        if range.end > count || range.start >= count {
            let there = match count {
                0 => "no whole frame".to_owned(),
                1 => "only frame 0".to_owned(),
                _ => format!("frames 0 to {}", count - 1),
            };
            return Err(Failure::Request(format!("the cache has {there}; {} asks for others", frames.text)));
        }
        Ok(range)
    }

    /// Whether the range reaches beyond `count` frames.
    pub fn reach_past(asked: Option<&Self>, count: usize) -> bool {
        asked.is_none_or(|frames| frames.to.is_none_or(|to| to > count))
    }
}

/// Reads the number of one frame, for `--frame N`.
pub fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("\"{text}\" is no frame number; the first is 0"))
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
