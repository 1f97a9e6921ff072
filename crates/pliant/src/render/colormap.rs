//! Colour maps, linear, and the default colours of bodies.

use crate::math::DVec3;

/// Colours of bounded bodies, by index, repeating.
const PALETTE: [[f64; 3]; 8] = [
    [0.78, 0.16, 0.11],
    [0.09, 0.33, 0.70],
    [0.90, 0.60, 0.08],
    [0.12, 0.50, 0.26],
    [0.50, 0.17, 0.56],
    [0.84, 0.40, 0.30],
    [0.14, 0.55, 0.60],
    [0.75, 0.72, 0.62],
];

/// Default colour of body number `i`: its own colour, repeating after eight bodies.
pub fn body_color(i: usize) -> [f64; 3] {
    PALETTE[i % PALETTE.len()]
}

/// Default colour of unbounded bodies: ground and walls.
pub const GROUND_COLOR: [f64; 3] = [0.50, 0.46, 0.41];

/// Grey for 0, then blue, green, yellow, red for 1.
pub fn heat(part: f64) -> [f64; 3] {
    const STOPS: [[f64; 3]; 5] =
        [[0.55, 0.56, 0.58], [0.10, 0.25, 0.75], [0.05, 0.60, 0.35], [0.95, 0.75, 0.10], [0.80, 0.08, 0.05]];
    between(&STOPS, part.clamp(0.0, 1.0))
}

/// Blue for −1, grey for 0, red for 1.
pub fn diverging(part: f64) -> [f64; 3] {
    const STOPS: [[f64; 3]; 5] =
        [[0.02, 0.06, 0.36], [0.10, 0.36, 0.80], [0.66, 0.66, 0.64], [0.92, 0.36, 0.08], [0.45, 0.02, 0.02]];
    between(&STOPS, 0.5 * part.clamp(-1.0, 1.0) + 0.5)
}

/// Linear interpolation between evenly spaced stops; `part` from 0 to 1.
fn between(stops: &[[f64; 3]; 5], part: f64) -> [f64; 3] {
    let at = part * (stops.len() - 1) as f64;
    let i = (at as usize).min(stops.len() - 2);
    DVec3::from_array(stops[i]).lerp(DVec3::from_array(stops[i + 1]), at - i as f64).to_array()
}
