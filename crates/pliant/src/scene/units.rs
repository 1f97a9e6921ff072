//! Numbers with units: `"3 cm"`, `"100 kPa"`, `"2 g/cm^3"`.
//!
//! A dimension is four exponents (mass, length, time, angle) counted in halves, because damping is a square root.

use std::f64::consts::PI;

/// Physical quantity of a number, which decides its units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// No unit at all, not even `%`.
    Plain,
    Ratio,
    Length,
    Time,
    Rate,
    Mass,
    Density,
    Pressure,
    Velocity,
    Acceleration,
    Angle,
    AngularVelocity,
    PerLength,
    Damping,
    Force,
    Torque,
    SpringRate,
    Drag,
    Torsion,
    TurningDrag,
}

/// Exponents of mass, length, time and angle, in halves.
type Dimension = [i32; 4];

impl Quantity {
    const ALL: [Self; 19] = [
        Self::Ratio,
        Self::Length,
        Self::Time,
        Self::Rate,
        Self::Mass,
        Self::Density,
        Self::Pressure,
        Self::Velocity,
        Self::Acceleration,
        Self::Angle,
        Self::AngularVelocity,
        Self::PerLength,
        Self::Damping,
        Self::Force,
        Self::Torque,
        Self::SpringRate,
        Self::Drag,
        Self::Torsion,
        Self::TurningDrag,
    ];

    /// Its name with an article, an example a user can copy, and the unit of a bare number.
    pub(super) fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Plain => ("a plain number", "0.5", ""),
            Self::Ratio => ("a plain number or a percentage", "0.5 or \"50 %\"", ""),
            Self::Length => ("a length", "\"3 cm\"", "m"),
            Self::Time => ("a time", "\"1.5 ms\"", "s"),
            Self::Rate => ("a rate", "60 or \"60 Hz\"", "1/s"),
            Self::Mass => ("a mass", "\"250 g\"", "kg"),
            Self::Density => ("a density", "\"1 g/cm^3\"", "kg/m^3"),
            Self::Pressure => ("a pressure", "\"100 kPa\"", "Pa"),
            Self::Velocity => ("a velocity", "\"2 m/s\"", "m/s"),
            Self::Acceleration => ("an acceleration", "\"9.81 m/s^2\"", "m/s^2"),
            Self::Angle => ("an angle", "\"90 deg\"", "rad"),
            Self::AngularVelocity => ("an angular velocity", "\"90 deg/s\"", "rad/s"),
            Self::PerLength => ("a field slope", "10 or \"10 /m\"", "1/m"),
            Self::Damping => ("a damping factor", "10 or \"10 sqrt(Pa s/m)\"", "sqrt(Pa s/m)"),
            Self::Force => ("a force", "\"10 N\"", "N"),
            Self::Torque => ("a torque", "\"2 N m\"", "N m"),
            Self::SpringRate => ("a spring rate", "\"1 kN/m\"", "N/m"),
            Self::Drag => ("a drag", "\"5 N s/m\"", "N s/m"),
            Self::Torsion => ("a torsional stiffness", "\"3 N m/rad\"", "N m/rad"),
            Self::TurningDrag => ("a drag of turning", "\"0.1 N m s/rad\"", "N m s/rad"),
        }
    }

    /// "a length, e.g. "3 cm"".
    pub(super) fn expected(self) -> String {
        let (name, example, _) = self.words();
        format!("{name}, e.g. {example}")
    }

    fn dimension(self) -> Dimension {
        match self {
            Self::Plain | Self::Ratio => [0, 0, 0, 0],
            Self::Length => [0, 2, 0, 0],
            Self::Time => [0, 0, 2, 0],
            Self::Rate => [0, 0, -2, 0],
            Self::Mass => [2, 0, 0, 0],
            Self::Density => [2, -6, 0, 0],
            Self::Pressure => [2, -2, -4, 0],
            Self::Velocity => [0, 2, -2, 0],
            Self::Acceleration => [0, 2, -4, 0],
            Self::Angle => [0, 0, 0, 2],
            Self::AngularVelocity => [0, 0, -2, 2],
            Self::PerLength => [0, -2, 0, 0],
            // sqrt(Pa s/m) = sqrt(kg m⁻² s⁻¹)
            Self::Damping => [1, -2, -1, 0],
            Self::Force => [2, 2, -4, 0],
            Self::Torque => [2, 4, -4, 0],
            Self::SpringRate => [2, 0, -4, 0],
            Self::Drag => [2, 0, -2, 0],
            Self::Torsion => [2, 4, -4, -2],
            Self::TurningDrag => [2, 4, -2, -2],
        }
    }
}

/// Units that take no prefix (or already have one): name, value in SI, dimension.
const PLAIN_UNITS: &[(&str, f64, Dimension)] = &[
    ("%", 0.01, [0, 0, 0, 0]),
    ("min", 60.0, [0, 0, 2, 0]),
    ("h", 3600.0, [0, 0, 2, 0]),
    ("fps", 1.0, [0, 0, -2, 0]),
    ("t", 1000.0, [2, 0, 0, 0]),
    ("lb", 0.45359237, [2, 0, 0, 0]),
    ("in", 0.0254, [0, 2, 0, 0]),
    ("ft", 0.3048, [0, 2, 0, 0]),
    ("psi", 6894.757293168361, [2, -2, -4, 0]),
    ("atm", 101325.0, [2, -2, -4, 0]),
    ("deg", PI / 180.0, [0, 0, 0, 2]),
    ("°", PI / 180.0, [0, 0, 0, 2]),
    ("turn", 2.0 * PI, [0, 0, 0, 2]),
    ("rpm", 2.0 * PI / 60.0, [0, 0, -2, 2]),
];

/// Units that take a prefix.
const PREFIXED_UNITS: &[(&str, f64, Dimension)] = &[
    ("m", 1.0, [0, 2, 0, 0]),
    ("g", 1e-3, [2, 0, 0, 0]),
    ("s", 1.0, [0, 0, 2, 0]),
    ("Hz", 1.0, [0, 0, -2, 0]),
    ("N", 1.0, [2, 2, -4, 0]),
    ("J", 1.0, [2, 4, -4, 0]),
    ("Pa", 1.0, [2, -2, -4, 0]),
    ("bar", 1e5, [2, -2, -4, 0]),
    ("l", 1e-3, [0, 6, 0, 0]),
    ("L", 1e-3, [0, 6, 0, 0]),
    ("rad", 1.0, [0, 0, 0, 2]),
];

const PREFIXES: &[(&str, f64)] = &[
    ("n", 1e-9),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
];

/// Refusal of a string that is not the wanted quantity.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum UnitError {
    /// Does not begin with a number.
    NoNumber,
    /// A number in quotes, where a unit was to be expected.
    NoUnit,
    /// A word that is no unit; with the nearest one that the quantity may have.
    UnknownUnit(String, Option<&'static str>),
    /// The expression after the number cannot be read.
    Malformed,
    /// Another quantity, named if it has a name.
    OtherQuantity(Option<&'static str>),
}

/// Longest string read as a number with a unit. Longer ones are no typing errors.
const LONGEST: usize = 64;

/// The value of `text` in SI units, if it measures `quantity`.
pub(super) fn parse(text: &str, quantity: Quantity) -> Result<f64, UnitError> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(UnitError::Malformed);
    }
    let (number, rest) = split_number(text).ok_or(UnitError::NoNumber)?;
    let rest = rest.trim();
    if rest.is_empty() {
        return if quantity.dimension() == [0; 4] { Ok(number) } else { Err(UnitError::NoUnit) };
    }
    let mut parser = Parser { rest };
    let (scale, dimension) = parser.product().map_err(|error| match error {
        UnitError::UnknownUnit(name, _) => {
            let near = nearest(&name, quantity);
            UnitError::UnknownUnit(name, near)
        }
        other => other,
    })?;
    if !parser.rest.is_empty() {
        return Err(UnitError::Malformed);
    }
    if quantity == Quantity::Plain || dimension != quantity.dimension() {
        let other = Quantity::ALL.into_iter().find(|q| q.dimension() == dimension);
        return Err(UnitError::OtherQuantity(other.map(|q| q.words().0)));
    }
    Ok(number * scale)
}

/// The longest number at the front of `text`, and the rest.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let numeric = text.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(text.len());
    (1..=numeric).rev().find_map(|end| Some((text[..end].parse().ok()?, &text[end..])))
}

/// Reads `product := factor { [*·/] factor }`, `factor := unit [^n] | 1 | sqrt(product)`.
struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn product(&mut self) -> Result<(f64, Dimension), UnitError> {
        let (mut scale, mut dimension) = (1.0, [0; 4]);
        loop {
            self.rest = self.rest.trim_start();
            let divide = self.eat('/');
            if !divide {
                let _ = self.eat('*') || self.eat('·');
            }
            self.rest = self.rest.trim_start();
            let (s, d) = self.factor()?;
            scale *= if divide { s.recip() } else { s };
            for i in 0..4 {
                dimension[i] += if divide { -d[i] } else { d[i] };
            }
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with(')') {
                return Ok((scale, dimension));
            }
        }
    }

    fn factor(&mut self) -> Result<(f64, Dimension), UnitError> {
        if let Some(inner) = self.rest.strip_prefix("sqrt(") {
            self.rest = inner;
            let (scale, dimension) = self.product()?;
            // Halves are as fine as exponents go.
            if !self.eat(')') || dimension.iter().any(|d| d % 2 != 0) {
                return Err(UnitError::Malformed);
            }
            return Ok((scale.sqrt(), dimension.map(|d| d / 2)));
        }
        if self.eat('1') {
            return Ok((1.0, [0; 4]));
        }
        let end = self.rest.find(|c: char| !(c.is_alphabetic() || c == '%' || c == '°')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(UnitError::Malformed);
        }
        let (scale, dimension) = unit(name).ok_or_else(|| UnitError::UnknownUnit(name.to_owned(), None))?;
        self.rest = rest;
        let power = self.power()?;
        Ok((scale.powi(power), dimension.map(|d| d * power)))
    }

    fn power(&mut self) -> Result<i32, UnitError> {
        for (sign, power) in [('²', 2), ('³', 3)] {
            if self.eat(sign) {
                return Ok(power);
            }
        }
        if !self.eat('^') {
            return Ok(1);
        }
        let negative = self.eat('-');
        let digit = self.rest.chars().next().and_then(|c| c.to_digit(10)).ok_or(UnitError::Malformed)?;
        self.rest = &self.rest[1..];
        Ok(if negative { -(digit as i32) } else { digit as i32 })
    }

    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// Exact names first, so that "min" is a minute and not a milli-inch.
fn unit(name: &str) -> Option<(f64, Dimension)> {
    let find = |list: &[(&str, f64, Dimension)], name: &str| {
        list.iter().find(|(n, ..)| *n == name).map(|&(_, scale, dimension)| (scale, dimension))
    };
    find(PLAIN_UNITS, name).or_else(|| find(PREFIXED_UNITS, name)).or_else(|| {
        PREFIXES.iter().find_map(|(prefix, factor)| {
            let (scale, dimension) = find(PREFIXED_UNITS, name.strip_prefix(prefix)?)?;
            Some((factor * scale, dimension))
        })
    })
}

/// The unit most like `name` among those a `quantity` is measured or put together in.
fn nearest(name: &str, quantity: Quantity) -> Option<&'static str> {
    let common: &[&str] = match quantity {
        Quantity::Plain => &[],
        Quantity::Ratio => &["%"],
        Quantity::Length | Quantity::PerLength => &["mm", "cm", "m", "km", "in", "ft"],
        Quantity::Time => &["ms", "s", "min", "h"],
        Quantity::Rate => &["Hz", "kHz", "fps", "s", "min"],
        Quantity::Mass => &["g", "kg", "t", "lb"],
        Quantity::Density => &["g", "kg", "t", "lb", "cm", "m", "l", "ft", "in"],
        Quantity::Pressure => &["Pa", "kPa", "MPa", "GPa", "bar", "psi", "atm", "N", "mm", "cm", "m"],
        Quantity::Velocity | Quantity::Acceleration => &["mm", "cm", "m", "km", "in", "ft", "ms", "s", "min", "h"],
        Quantity::Angle => &["deg", "rad", "turn", "°"],
        Quantity::AngularVelocity => &["deg", "rad", "turn", "rpm", "ms", "s", "min"],
        Quantity::Damping => &["sqrt", "Pa", "kPa", "s", "ms", "m", "mm", "cm"],
        Quantity::Force => &["N", "kN", "MN", "mN"],
        Quantity::Torque | Quantity::SpringRate | Quantity::Drag => &["N", "kN", "mm", "cm", "m", "s", "ms"],
        Quantity::Torsion | Quantity::TurningDrag => &["N", "kN", "cm", "m", "s", "rad", "deg"],
    };
    let same_but_case = common.iter().find(|c| c.eq_ignore_ascii_case(name));
    same_but_case.copied().or_else(|| super::error::nearest(name, common.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_converted_to_si() {
        for (text, quantity, want) in [
            ("3 cm", Quantity::Length, 0.03),
            ("3cm", Quantity::Length, 0.03),
            ("-2.5e-1 m", Quantity::Length, -0.25),
            ("100 kPa", Quantity::Pressure, 1e5),
            ("0.1 N/mm^2", Quantity::Pressure, 1e5),
            ("2 g/cm^3", Quantity::Density, 2000.0),
            ("2 kg/l", Quantity::Density, 2000.0),
            ("90 deg", Quantity::Angle, PI / 2.0),
            ("1.5 ms", Quantity::Time, 1.5e-3),
            ("2 min", Quantity::Time, 120.0),
            ("36 km/h", Quantity::Velocity, 10.0),
            ("9.81 m/s²", Quantity::Acceleration, 9.81),
            ("9.81 m s^-2", Quantity::Acceleration, 9.81),
            ("30 rpm", Quantity::AngularVelocity, PI),
            ("10 /m", Quantity::PerLength, 10.0),
            ("10 1/cm", Quantity::PerLength, 1000.0),
            ("50 %", Quantity::Ratio, 0.5),
            ("0.5", Quantity::Ratio, 0.5),
            ("4 sqrt(Pa s/m)", Quantity::Damping, 4.0),
            ("4 sqrt(kPa s/m)", Quantity::Damping, 4.0 * 1e3f64.sqrt()),
            ("24 fps", Quantity::Rate, 24.0),
        ] {
            let got = parse(text, quantity).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert!((got - want).abs() <= 1e-14 * want.abs(), "{text}: {got}, expected {want}");
        }
    }

    #[test]
    fn what_is_not_the_quantity_is_named() {
        assert_eq!(parse("3 kg", Quantity::Length), Err(UnitError::OtherQuantity(Some("a mass"))));
        assert_eq!(parse("3 N", Quantity::Length), Err(UnitError::OtherQuantity(Some("a force"))));
        assert_eq!(parse("3 N s", Quantity::Length), Err(UnitError::OtherQuantity(None)));
        assert_eq!(parse("3", Quantity::Length), Err(UnitError::NoUnit));
        assert_eq!(parse("wide", Quantity::Length), Err(UnitError::NoNumber));
        let unknown = |name: &str, near| Err(UnitError::UnknownUnit(name.into(), near));
        assert_eq!(parse("3 kpa", Quantity::Pressure), unknown("kpa", Some("kPa")));
        // Suggested units are of the expected quantity: not newtons for a length.
        assert_eq!(parse("2 inch", Quantity::Length), unknown("inch", Some("in")));
        assert_eq!(parse("2 sec", Quantity::Time), unknown("sec", Some("s")));
        assert_eq!(parse("2 newton", Quantity::Length), unknown("newton", None));
        for text in ["3 m/", "3 m^", "3 m^x", "3 sqrt(m", "3 sqrt(m)", "3 )", "3 m)", "3 (", "3 m^2^2", "3 ^"] {
            assert!(parse(text, Quantity::Length).is_err(), "{text}");
        }
        assert_eq!(parse(&"1 m ".repeat(1000), Quantity::Length), Err(UnitError::Malformed));
    }
}
