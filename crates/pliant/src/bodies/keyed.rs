//! Keyframes: a link that follows them, whatever it meets.

use super::{AppliedWrench, LinkState, MotionLaw, Twist};
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{Interpolation, Keys};

/// A law that follows keys. It rests before the first and after the last, and turns the short way between them.
///
/// The velocity at a key is that of the span after it: a body that starts at once has its velocity at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyed {
    keys: Keys,
}

/// Path from one key to the next, by `u` from 0 to 1.
struct KeySpan {
    start: f64,
    length: f64,
    from: Frame,
    /// Rotation at the end, of the sign that makes the turn short.
    to: DQuat,
    /// Coefficients of the translation: of `u`, `u²`, `u³`.
    curve: [DVec3; 3],
    /// Whether the turn starts and ends slowly.
    eased: bool,
}

impl KeySpan {
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

    /// Derivative of [`KeySpan::frame`] by time.
    fn twist(&self, u: f64) -> Twist {
        let [c1, c2, c3] = self.curve;
        let linear = (c1 + u * (2.0 * c2 + 3.0 * u * c3)) / self.length;
        Twist { linear, angular: self.turn() * (self.turn_rate(u) / self.length) }
    }

    /// Greatest speed and spin between `u` and `v`.
    fn max_speeds(&self, u: f64, v: f64) -> (f64, f64) {
        let [_, c2, c3] = self.curve;
        let (first, last) = (self.twist(u).linear, self.twist(v).linear);
        // Velocity is a parabola, within the triangle of its ends and the intersection of their tangents.
        let between = first + (0.5 * (v - u) / self.length) * (2.0 * c2 + 6.0 * u * c3);
        let speed = first.length().max(last.length()).max(between.length());
        let steepest = 0.5f64.clamp(u, v);
        (speed, self.turn().length() * self.turn_rate(steepest) / self.length)
    }
}

/// Refusal of keys that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeysError(&'static str);

impl Keyed {
    /// A link that follows `keys`: at least one, at increasing finite times, each a finite place and a unit rotation.
    pub fn new(keys: Keys) -> Result<Self, KeysError> {
        let list = &keys.keys;
        let placed = |f: &Frame| f.translation.is_finite() && f.rotation.is_normalized();
        let checks = [
            (!list.is_empty(), "there must be at least one key"),
            (list.iter().all(|k| k.time.is_finite()), "the times of keys must be finite"),
            (list.windows(2).all(|k| k[0].time < k[1].time), "the times of keys must increase"),
            (
                list.iter().all(|k| placed(&k.placement)),
                "keys must be at finite places, their rotations unit quaternions",
            ),
        ];
        match checks.into_iter().find(|(holds, _)| !holds) {
            Some((_, what)) => Err(KeysError(what)),
            None => Ok(Self { keys }),
        }
    }

    /// State at `time`.
    pub fn state_at_time(&self, time: f64) -> LinkState {
        let keys = &self.keys.keys;
        let next = keys.partition_point(|k| k.time <= time);
        if next == 0 || next == keys.len() {
            return LinkState::at_rest(keys[next.saturating_sub(1)].placement);
        }
        let span = KeySpan::new(&self.keys, next - 1);
        let u = span.u(time);
        let (frame, twist) = (span.frame(u), span.twist(u));
        LinkState { velocity: twist.linear, angular: twist.angular, ..LinkState::at_rest(frame) }
    }
}

impl MotionLaw for Keyed {
    /// The state of the keys at time zero, whatever is asked for.
    fn state_at(&self, _: Frame, _: Twist) -> LinkState {
        self.state_at_time(0.0)
    }
    fn world_from_link(&self, state: &LinkState) -> Frame {
        state.frame()
    }
    fn twist(&self, state: &LinkState) -> Twist {
        Twist { linear: state.velocity, angular: state.angular }
    }
    fn max_speeds(&self, _: &LinkState, time: f64, ahead: f64) -> (f64, f64) {
        let keys = &self.keys.keys;
        let end = time + ahead;
        let first = keys.partition_point(|k| k.time <= time).saturating_sub(1);
        let spans = (first..keys.len().saturating_sub(1)).take_while(|i| keys[*i].time <= end);
        spans.map(|i| KeySpan::new(&self.keys, i)).fold((0.0, 0.0), |(speed, spin), span| {
            if span.start + span.length <= time {
                return (speed, spin);
            }
            let (linear, angular) = span.max_speeds(span.u(time), span.u(end));
            (linear.max(speed), angular.max(spin))
        })
    }
    fn mass(&self) -> Option<f64> {
        None
    }
    fn inverse_effective_mass(&self, _: &LinkState, _: DVec3, _: DVec3) -> f64 {
        0.0
    }
    fn apply(&self, _: &mut LinkState, _: &AppliedWrench, _: f64) {}
    fn advance(&self, state: &mut LinkState, _: f64, time: f64) {
        *state = self.state_at_time(time);
    }
    fn kinetic_energy(&self, _: &LinkState) -> f64 {
        0.0
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
        Keyed::new(Keys { keys, interpolation }).unwrap()
    }

    fn twist(keyed: &Keyed, time: f64) -> Twist {
        keyed.twist(&keyed.state_at_time(time))
    }

    fn max_speeds(keyed: &Keyed, time: f64, ahead: f64) -> (f64, f64) {
        keyed.max_speeds(&keyed.state_at_time(time), time, ahead)
    }

    #[test]
    fn keys_that_cannot_be_followed_are_refused() {
        let key = |time: f64| Key { time, placement: Frame::IDENTITY };
        let refused = |keys: Vec<Key>| Keyed::new(Keys { keys, interpolation: Interpolation::Linear }).is_err();
        assert!(refused(vec![]) && refused(vec![key(1.0), key(1.0)]) && refused(vec![key(f64::NAN)]));
        assert!(!refused(vec![key(0.0)]));
    }

    #[test]
    fn velocity_is_the_derivative_of_the_way_to_come() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let body = keyed(interpolation);
            for i in 0..=24 {
                // At keys as well: differences look forward only, and are off by their length times the bend.
                let (time, h) = (0.1 * f64::from(i) + 0.05 * f64::from(i % 2), 1e-7);
                let (now, next) = (body.state_at_time(time), body.state_at_time(time + h));
                let linear = (next.position - now.position) / h;
                let turn = next.rotation * now.rotation.conjugate();
                let turn = if turn.w < 0.0 { -turn } else { turn };
                let Twist { linear: v, angular } = body.twist(&now);
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
        assert_eq!(twist(&body, 0.4999999), Twist::default());
        let start = twist(&body, 0.5);
        assert!((start.linear - DVec3::new(2.0, 2.0, 0.0)).length() < 1e-12);
        assert!((start.angular - DVec3::X * 4.0).length() < 1e-12);
        assert_eq!(twist(&body, 2.0), Twist::default());
        let (speed, spin) = max_speeds(&body, 0.4999, 1e-3);
        assert!((speed - 8f64.sqrt()).abs() < 1e-12 && (spin - 4.0).abs() < 1e-12);
        assert_eq!(max_speeds(&body, 0.4, 0.05), (0.0, 0.0));
    }

    #[test]
    fn no_motion_is_faster_than_foreseen() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let body = keyed(interpolation);
            for (start, ahead) in [(0.0, 3.0), (0.45, 0.1), (0.6, 0.1), (0.9, 0.2), (1.1, 0.05), (1.2, 0.9)] {
                let (speed, spin) = max_speeds(&body, start, ahead);
                let seen = (0..=1000).map(|i| twist(&body, start + ahead * f64::from(i) / 1000.0));
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
