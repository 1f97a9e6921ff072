//! The embedded font for layout and pixels: a subset of Arimo, see `font/OFL.txt`.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId};

static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(include_bytes!("font/figures.ttf"), 0).expect("a font that tests have read"));

/// The parsed font.
pub fn face() -> &'static Face<'static> {
    &FACE
}

/// Font units per em.
pub fn units() -> f64 {
    f64::from(FACE.units_per_em())
}

/// Glyph and advance, in font units, of a character; a box for unknown ones.
pub fn glyph(c: char) -> (GlyphId, f64) {
    let id = FACE.glyph_index(c).unwrap_or(GlyphId(0));
    (id, f64::from(FACE.glyph_hor_advance(id).unwrap_or(0)))
}

/// Length of a text.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| glyph(c).1).sum::<f64>() * size / units()
}

/// The longest start of a text that fits into `room`, with an ellipsis if it is cut.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    // Rooms are computed from widths: rounding must not cut a text that just fits.
    if width(text, size) <= room * (1.0 + 1e-9) {
        return text.to_owned();
    }
    let mut left = room - width("…", size);
    let fits = |c: &char| {
        left -= glyph(*c).1 * size / units();
        left >= 0.0
    };
    let start: String = text.chars().take_while(fits).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_the_length_of_arial_and_is_cut_to_fit() {
        // Arial's digits are 1139 of 2048 units wide, whatever their size.
        assert!((width("00", 10.0) - 20.0 * 1139.0 / 2048.0).abs() < 1e-12);
        assert_eq!(fitted("ball", 10.0, 100.0), "ball");
        let cut = fitted("a very long name of a body", 10.0, 60.0);
        assert!(cut.starts_with("a very") && cut.ends_with('…') && width(&cut, 10.0) <= 60.0, "{cut}");
        assert_eq!(fitted("ball", 10.0, 0.0), "…");
    }

    #[test]
    fn the_font_has_all_characters_of_figures() {
        let all = "–…−²³·×µ%⁰¹²³⁴⁵⁶⁷⁸⁹⁻ÅßčΩЖ";
        assert!(all.chars().all(|c| glyph(c).0 != GlyphId(0)));
    }
}
