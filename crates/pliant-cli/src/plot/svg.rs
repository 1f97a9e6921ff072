//! Drawings as SVG 1.1: vectors, and searchable text in the reader's sans-serif font.

use super::drawing::{Anchor, Color, Drawing, Label, Mark, Stroke};

/// Fonts with the metrics of the one that the layout was computed with come first.
const FONTS: &str = "Arial, Helvetica, 'Liberation Sans', Arimo, sans-serif";

/// The SVG document.
pub fn text(drawing: &Drawing) -> String {
    let [width, height] = drawing.size.map(number);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
         <desc>{}</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        escaped(&drawing.description)
    );
    for mark in &drawing.marks {
        match mark {
            Mark::BeginGroup(name) => out += &format!("<g id=\"{}\">\n", escaped(name)),
            Mark::EndGroup => out += "</g>\n",
            Mark::Line(points, stroke) => out += &line(points, stroke),
            Mark::Dot { at: [x, y], radius, color } => {
                let [x, y, r] = [*x, *y, *radius].map(number);
                out += &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{}\"/>\n", hex(*color));
            }
            Mark::Text(label) => out += &text_element(label),
        }
    }
    out + "</svg>\n"
}

fn line(points: &[[f64; 2]], stroke: &Stroke) -> String {
    let points: Vec<_> = points.iter().map(|p| p.map(number).join(",")).collect();
    let dashes: Vec<_> = stroke.dashes.iter().map(|x| number(*x)).collect();
    let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", dashes.join(",")) };
    format!(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{dashes} points=\"{}\"/>\n",
        hex(stroke.color),
        number(stroke.width),
        points.join(" ")
    )
}

fn text_element(label: &Label) -> String {
    let [x, y] = label.at.map(number);
    let place = if label.vertical {
        format!("transform=\"translate({x} {y}) rotate(-90)\"")
    } else {
        format!("x=\"{x}\" y=\"{y}\"")
    };
    let anchor = match label.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (size, color, text) = (number(label.size), hex(label.color), escaped(&label.text));
    format!("<text {place} font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>\n")
}

/// A number to two decimals, finer than printers resolve, without trailing zeros.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

fn hex([r, g, b]: Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text escaped for XML; characters that XML forbids become U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_gives_well_formed_xml(text in prop::collection::vec(any::<char>(), 0..20)) {
            let description: String = text.into_iter().collect();
            let svg = super::text(&Drawing { size: [1.0, 1.0], description: description.clone(), marks: Vec::new() });
            prop_assert!(roxmltree::Document::parse(&svg).is_ok(), "{:?}", description);
        }
    }

    #[test]
    fn any_name_becomes_text_that_xml_allows() {
        assert_eq!(escaped("<a> & \"b\"\u{1}\n"), "&lt;a&gt; &amp; &quot;b&quot;\u{fffd} ");
        assert_eq!([number(1.0), number(0.255), number(-0.001), number(100.0)], ["1", "0.26", "0", "100"]);
    }
}
