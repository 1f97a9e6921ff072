//! Numbers for people: significant digits only, for any magnitude.

/// Engineering prefixes, the largest first.
pub const PREFIXES: [(f64, &str); 9] =
    [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")];
/// Magnitude from which numbers are printed as powers of ten.
const LARGE: f64 = 1e7;

/// A number with fixed decimals, for columns; a power of ten if it is too large. Never "-0.000".
pub fn fixed(x: f64, decimals: usize) -> String {
    if x.abs() >= LARGE || !x.is_finite() {
        return format!("{x:.4e}");
    }
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(positive) if positive.bytes().all(|b| matches!(b, b'0' | b'.')) => positive.to_owned(),
        _ => text,
    }
}

/// A number with at most six digits, without trailing zeros: 2, 0.333333, 1.5e-7.
pub fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.abs().to_string();
    }
    if !(1e-4..LARGE).contains(&x.abs()) {
        let text = format!("{x:.5e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trimmed(digits));
    }
    let whole = x.abs().log10().floor() as i32;
    trimmed(&format!("{x:.*}", (5 - whole).max(0) as usize)).to_owned()
}

/// A number with a unit and its prefix: 20 GPa, 806.757 J, 1.2 mJ.
pub fn with_unit(x: f64, unit: &str) -> String {
    let prefix = PREFIXES.iter().find(|(size, _)| x.abs() >= *size);
    match prefix {
        Some((size, prefix)) if x.abs() < 1e15 => format!("{} {prefix}{unit}", short(x / size)),
        _ => format!("{} {unit}", short(x)),
    }
}

/// A vector, for columns.
pub fn vector(v: impl Into<[f64; 3]>, decimals: usize) -> String {
    v.into().map(|x| fixed(x, decimals)).join(" ")
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_stay_short() {
        assert_eq!([fixed(-1e-9, 5), fixed(-0.5, 2), fixed(1e200, 6)], ["0.00000", "-0.50", "1.0000e200"]);
        assert_eq!([short(1.0 / 3.0), short(2.0), short(-1e-7), short(0.0)], ["0.333333", "2", "-1e-7", "0"]);
        assert_eq!([short(123456.7), short(1e6), short(8.06756796e32)], ["123457", "1000000", "8.06757e32"]);
        assert_eq!([with_unit(2e10, "Pa"), with_unit(30e3, "Pa"), with_unit(0.0, "J")], ["20 GPa", "30 kPa", "0 J"]);
        assert_eq!(
            [with_unit(-1.2e-3, "J"), with_unit(8e32, "J"), with_unit(1e-20, "J")],
            ["-1.2 mJ", "8e32 J", "1e-20 J"]
        );
    }
}
