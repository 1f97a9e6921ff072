//! The font figures are measured and painted with: a part of Arimo, see `font/OFL.txt`.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId};

static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(include_bytes!("font/figures.ttf"), 0).expect("a font that tests have read"));

/// The font itself.
pub fn face() -> &'static Face<'static> {
    &FACE
}

/// Its units to the size of the font.
pub fn units() -> f64 {
    f64::from(FACE.units_per_em())
}

/// How a character looks and how far it takes the next, in the font's units. Unknown ones are a box.
pub fn glyph(c: char) -> (GlyphId, f64) {
    let id = FACE.glyph_index(c).unwrap_or(GlyphId(0));
    (id, f64::from(FACE.glyph_hor_advance(id).unwrap_or(0)))
}

/// How long a text is.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| glyph(c).1).sum::<f64>() * size / units()
}

/// As much of a text as is no longer than `most`, with an ellipsis if that is not all.
pub fn fitted(text: &str, size: f64, most: f64) -> String {
    // Rooms are worked out from widths: rounding must not cut what just fits.
    if width(text, size) <= most * (1.0 + 1e-9) {
        return text.to_owned();
    }
    let mut left = most - width("…", size);
    let room = |c: &char| {
        left -= glyph(*c).1 * size / units();
        left >= 0.0
    };
    let start: String = text.chars().take_while(room).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_long_as_in_arial_and_cut_where_there_is_no_room() {
        // Arial's digits are 1139 of 2048 units wide, whatever their size.
        assert!((width("00", 10.0) - 20.0 * 1139.0 / 2048.0).abs() < 1e-12);
        assert_eq!(fitted("ball", 10.0, 100.0), "ball");
        let cut = fitted("a very long name of a body", 10.0, 60.0);
        assert!(cut.starts_with("a very") && cut.ends_with('…') && width(&cut, 10.0) <= 60.0, "{cut}");
        assert_eq!(fitted("ball", 10.0, 0.0), "…");
    }

    #[test]
    fn the_font_has_what_figures_say() {
        let all = "–…−²³·×µ%⁰¹²³⁴⁵⁶⁷⁸⁹⁻ÅßčΩЖ";
        assert!(all.chars().all(|c| glyph(c).0 != GlyphId(0)));
    }
}
