//! What no force can move: bodies that stand, and bodies that follow keyframes.

use super::{Base, Load, Twist};
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{Interpolation, Keys};

/// Never moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed(pub Frame);

impl Base for Fixed {
    fn is_fixed(&self) -> bool {
        true
    }
    fn world_from_body(&self) -> Frame {
        self.0
    }
    fn center(&self) -> DVec3 {
        self.0.translation
    }
    fn twist(&self) -> Twist {
        Twist::default()
    }
    fn mass(&self) -> Option<f64> {
        None
    }
    fn mobility(&self, _: DVec3, _: DVec3) -> f64 {
        0.0
    }
    fn push(&mut self, _: &Load, _: f64) {}
    fn advance(&mut self, _: f64, _: f64) {}
    fn kinetic_energy(&self) -> f64 {
        0.0
    }
    fn save(&self, _: &mut Vec<f64>) {}
    fn restore(&mut self, _: &[f64]) -> usize {
        0
    }
}

/// Follows keys: held before the first and after the last, turning the short way between them.
///
/// At a key, velocity is that of the motion to come: what starts at once is seen moving when it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyed {
    keys: Keys,
    time: f64,
    frame: Frame,
    twist: Twist,
}

/// The way from one key to the next, by `u` from 0 to 1.
struct Span {
    start: f64,
    length: f64,
    from: Frame,
    /// `from.rotation` or its negative is a short way from here.
    to: DQuat,
    /// Coefficients of the translation: of `u`, `u²`, `u³`.
    curve: [DVec3; 3],
    /// Whether the turn starts and ends slowly.
    eased: bool,
}

impl Span {
    /// From key `i` to key `i + 1`.
    fn new(keys: &Keys, i: usize) -> Self {
        let (a, b) = (&keys.keys[i], &keys.keys[i + 1]);
        let length = b.time - a.time;
        let (p0, p1) = (a.placement.translation, b.placement.translation);
        let eased = keys.interpolation == Interpolation::Smooth;
        let curve = if eased {
            // Hermite with differences of the neighbours for slopes; ends at rest.
            let slope = |j: usize| {
                if j == 0 || j + 1 == keys.keys.len() {
                    return DVec3::ZERO;
                }
                let (p, q) = (&keys.keys[j - 1], &keys.keys[j + 1]);
                (q.placement.translation - p.placement.translation) / (q.time - p.time)
            };
            let (m0, m1) = (length * slope(i), length * slope(i + 1));
            [m0, 3.0 * (p1 - p0) - 2.0 * m0 - m1, 2.0 * (p0 - p1) + m0 + m1]
        } else {
            [p1 - p0, DVec3::ZERO, DVec3::ZERO]
        };
        let (start, end) = (a.placement.rotation, b.placement.rotation);
        let to = if start.dot(end) < 0.0 { -end } else { end };
        Self { start: a.time, length, from: a.placement, to, curve, eased }
    }

    fn u(&self, time: f64) -> f64 {
        ((time - self.start) / self.length).clamp(0.0, 1.0)
    }

    fn frame(&self, u: f64) -> Frame {
        let [c1, c2, c3] = self.curve;
        let eased = if self.eased { u * u * (3.0 - 2.0 * u) } else { u };
        let rotation = self.from.rotation.slerp(self.to, eased);
        Frame { rotation, translation: self.from.translation + u * (c1 + u * (c2 + u * c3)) }
    }

    /// The turn from end to end, as an axis times an angle.
    fn turn(&self) -> DVec3 {
        (self.to * self.from.rotation.conjugate()).to_scaled_axis()
    }

    fn turn_rate(&self, u: f64) -> f64 {
        if self.eased { 6.0 * u * (1.0 - u) } else { 1.0 }
    }

    /// Derivative of [`Span::frame`] by time.
    fn twist(&self, u: f64) -> Twist {
        let [c1, c2, c3] = self.curve;
        let linear = (c1 + u * (2.0 * c2 + 3.0 * u * c3)) / self.length;
        Twist { linear, angular: self.turn() * (self.turn_rate(u) / self.length) }
    }

    /// The greatest speed and spin between `u` and `v`.
    fn max_speeds(&self, u: f64, v: f64) -> (f64, f64) {
        let [_, c2, c3] = self.curve;
        let (first, last) = (self.twist(u).linear, self.twist(v).linear);
        // Velocity is a parabola: it stays within the triangle of its ends and where their tangents meet.
        let between = first + (0.5 * (v - u) / self.length) * (2.0 * c2 + 6.0 * u * c3);
        let speed = first.length().max(last.length()).max(between.length());
        let fastest = 0.5f64.clamp(u, v);
        (speed, self.turn().length() * self.turn_rate(fastest) / self.length)
    }
}

impl Keyed {
    /// A body that is where `keys` say.
    pub fn new(keys: Keys) -> Self {
        let mut keyed = Self { keys, time: 0.0, frame: Frame::IDENTITY, twist: Twist::default() };
        keyed.go_to(0.0);
        keyed
    }

    fn go_to(&mut self, time: f64) {
        let keys = &self.keys.keys;
        let next = keys.partition_point(|k| k.time <= time);
        self.time = time;
        (self.frame, self.twist) = if next == 0 || next == keys.len() {
            (keys[next.saturating_sub(1)].placement, Twist::default())
        } else {
            let span = Span::new(&self.keys, next - 1);
            let u = span.u(time);
            (span.frame(u), span.twist(u))
        };
    }
}

impl Base for Keyed {
    fn world_from_body(&self) -> Frame {
        self.frame
    }
    fn center(&self) -> DVec3 {
        self.frame.translation
    }
    fn twist(&self) -> Twist {
        self.twist
    }
    fn max_speeds(&self, ahead: f64) -> (f64, f64) {
        let keys = &self.keys.keys;
        let end = self.time + ahead;
        let first = keys.partition_point(|k| k.time <= self.time).saturating_sub(1);
        let spans = (first..keys.len().saturating_sub(1)).take_while(|i| keys[*i].time <= end);
        spans.map(|i| Span::new(&self.keys, i)).fold((0.0, 0.0), |(speed, spin), span| {
            if span.start + span.length <= self.time {
                return (speed, spin);
            }
            let (linear, angular) = span.max_speeds(span.u(self.time), span.u(end));
            (linear.max(speed), angular.max(spin))
        })
    }
    fn mass(&self) -> Option<f64> {
        None
    }
    fn mobility(&self, _: DVec3, _: DVec3) -> f64 {
        0.0
    }
    fn push(&mut self, _: &Load, _: f64) {}
    fn advance(&mut self, _: f64, time: f64) {
        self.go_to(time);
    }
    fn after(&self, _: f64, time: f64) -> (Frame, Twist) {
        let mut there = self.clone();
        there.go_to(time);
        (there.frame, there.twist)
    }
    fn kinetic_energy(&self) -> f64 {
        0.0
    }
    fn save(&self, state: &mut Vec<f64>) {
        state.push(self.time);
    }
    fn restore(&mut self, state: &[f64]) -> usize {
        self.go_to(state[0]);
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Key;

    fn keyed(interpolation: Interpolation) -> Keyed {
        let key = |time: f64, x: f64, turn: DVec3| Key {
            time,
            placement: Frame { rotation: DQuat::from_scaled_axis(turn), translation: DVec3::new(x, x * x, 0.0) },
        };
        let keys = vec![
            key(0.5, 0.0, DVec3::ZERO),
            key(1.0, 1.0, DVec3::X * 2.0),
            key(1.25, 0.5, DVec3::new(-1.0, 1.0, 0.5)),
            key(2.0, 2.0, DVec3::Z * 3.0),
        ];
        Keyed::new(Keys { keys, interpolation })
    }

    fn at(keyed: &Keyed, time: f64) -> Keyed {
        let mut there = keyed.clone();
        there.advance(0.0, time);
        there
    }

    #[test]
    fn velocity_is_the_derivative_of_the_way_to_come() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let body = keyed(interpolation);
            for i in 0..=24 {
                // At keys as well: differences look forward only, and are off by their length times the bend.
                let (time, h) = (0.1 * f64::from(i) + 0.05 * f64::from(i % 2), 1e-7);
                let (now, next) = (at(&body, time), at(&body, time + h));
                let linear = (next.center() - now.center()) / h;
                let turn = next.frame.rotation * now.frame.rotation.conjugate();
                let turn = if turn.w < 0.0 { -turn } else { turn };
                let Twist { linear: v, angular } = now.twist();
                assert!((v - linear).length() < 1e-4, "{interpolation:?} at {time}: {v} {linear}");
                let spin = turn.to_scaled_axis() / h;
                assert!((angular - spin).length() < 1e-4, "{interpolation:?} at {time}: {angular} {spin}");
            }
        }
    }

    /// 1 m in x and 1 m in y in half a second, 2 rad in the same; none of it before or after.
    #[test]
    fn a_body_that_starts_at_once_is_seen_moving_when_it_starts() {
        let body = keyed(Interpolation::Linear);
        assert_eq!(at(&body, 0.4999999).twist(), Twist::default());
        let start = at(&body, 0.5).twist();
        assert!((start.linear - DVec3::new(2.0, 2.0, 0.0)).length() < 1e-12);
        assert!((start.angular - DVec3::X * 4.0).length() < 1e-12);
        assert_eq!(at(&body, 2.0).twist(), Twist::default());
        let (speed, spin) = at(&body, 0.4999).max_speeds(1e-3);
        assert!((speed - 8f64.sqrt()).abs() < 1e-12 && (spin - 4.0).abs() < 1e-12);
        assert_eq!(at(&body, 0.4).max_speeds(0.05), (0.0, 0.0));
    }

    #[test]
    fn no_motion_is_faster_than_foreseen() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let body = keyed(interpolation);
            for (start, ahead) in [(0.0, 3.0), (0.45, 0.1), (0.6, 0.1), (0.9, 0.2), (1.1, 0.05), (1.2, 0.9)] {
                let (speed, spin) = at(&body, start).max_speeds(ahead);
                let seen = (0..=1000).map(|i| at(&body, start + ahead * f64::from(i) / 1000.0).twist());
                let seen: Vec<Twist> = seen.collect();
                let most = |f: &dyn Fn(&Twist) -> f64| seen.iter().map(f).fold(0.0, f64::max);
                let (linear, angular) = (most(&|t| t.linear.length()), most(&|t| t.angular.length()));
                // Where the tangents of a parabola meet is at most twice as far out as the parabola; on short ways, not farther.
                let loose = if ahead < 0.2 { 1.1 } else { 2.0 };
                assert!(linear <= speed * (1.0 + 1e-12) && speed <= loose * linear, "{linear} {speed} from {start}");
                assert!(angular <= spin * (1.0 + 1e-12) && spin <= 1.001 * angular, "{angular} {spin} from {start}");
            }
        }
    }
}
