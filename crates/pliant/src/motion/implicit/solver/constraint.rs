//! Impulse of a contact or joint over a step as a function of relative velocity, with its derivative.

use super::constraint_body::{ConstraintBodies, ConstraintBody};
use super::contact_points::{ContactPoints, PatchStep};
use super::impulse::Impulse;
use super::mat6::{Sym6, Vec6, parts, vec6};
use super::row::Row;
use crate::math::DVec3;
use crate::math::lanes::{Pass, widest};
use crate::math::real::{FourLanes, Lanes, Real};

/// The points of one patch, or the rows of one joint, as they act on any number of bodies of an island.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint<'a> {
    pub bodies: ConstraintBodies,
    /// Motion if none of its bodies moved, by links outside the island: velocity of b against a at the reference point,
    /// and spin.
    pub prescribed: [DVec3; 2],
    points: ContactPoints<'a>,
    /// Of a joint.
    pub rows: Vec<Row>,
}

/// [`Constraint::impulse`] in lanes.
struct ImpulsePass<'a> {
    constraint: &'a Constraint<'a>,
    motion: [DVec3; 2],
}

impl Pass for ImpulsePass<'_> {
    type Output = Impulse;
    #[inline(always)]
    fn run<V: FourLanes>(self) -> Impulse {
        self.constraint.impulse(self.motion)
    }
}

/// [`Constraint::split_at`] in lanes.
struct SplitPass<'a> {
    constraint: &'a Constraint<'a>,
    motion: [DVec3; 2],
}

impl Pass for SplitPass<'_> {
    type Output = [Impulse; 3];
    #[inline(always)]
    fn run<V: FourLanes>(self) -> [Impulse; 3] {
        let points = &self.constraint.points;
        let moving = points.step.motion_at(self.motion);
        let mut sums = [[Lanes::ZERO; 6]; 3];
        for pack in points.packs {
            let parts = pack.split(&moving);
            for i in 0..3 {
                pack.add(parts[i], &mut sums[i]);
            }
        }
        sums.map(Impulse::of)
    }
}

#[inline(always)]
fn add(sum: &mut [DVec3; 2], [velocity, spin]: [DVec3; 2]) {
    sum[0] += velocity;
    sum[1] += spin;
}

impl<'a> Constraint<'a> {
    /// Constraint of the points of a patch; see the fields.
    pub fn of_points(bodies: ConstraintBodies, prescribed: [DVec3; 2], points: ContactPoints<'a>) -> Self {
        Self { bodies, prescribed, points, rows: Vec::new() }
    }

    /// Constraint of the rows of a joint.
    pub fn of_rows(bodies: ConstraintBodies, prescribed: [DVec3; 2], rows: Vec<Row>) -> Self {
        Self { bodies, prescribed, points: ContactPoints { step: PatchStep::default(), packs: &[] }, rows }
    }

    /// Pairs of bodies it couples.
    pub(super) fn body_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let first = self.bodies.iter().enumerate();
        first.flat_map(|(k, e)| self.bodies[k + 1..].iter().map(move |other| (e.body, other.body)))
    }

    /// Velocity of b against a at the reference point, and spin, for bodies with these velocities and spins.
    #[inline(always)]
    pub fn motion(&self, twist: impl Fn(usize) -> [DVec3; 2]) -> [DVec3; 2] {
        let mut motion = self.prescribed;
        for end in &self.bodies {
            add(&mut motion, end.motion(twist(end.body)));
        }
        motion
    }

    /// Adds the impulse and the slope of its rows.
    #[inline(always)]
    fn add_rows(&self, motion: [DVec3; 2], impulse: &mut Impulse, mut impulse_slope: Option<&mut Sym6>) {
        let motion: Vec6 = vec6(motion[0], motion[1]);
        for row in self.rows.iter() {
            let (along, own_slope) = row.response(&motion);
            impulse.linear += along * DVec3::from_slice(&row.jacobian[..3]);
            impulse.angular += along * DVec3::from_slice(&row.jacobian[3..]);
            if let Some(impulse_slope) = &mut impulse_slope {
                let upper = (0..6).flat_map(|i| (i..6).map(move |j| (i, j)));
                impulse_slope
                    .iter_mut()
                    .zip(upper)
                    .for_each(|(s, (i, j))| *s += own_slope * row.jacobian[i] * row.jacobian[j]);
            }
        }
    }

    /// The same for a part of the island, in which bodies have these `indices`; those without one move as they do in `v`.
    pub(super) fn for_part(&self, indices: &[Option<usize>], v: &[Vec6]) -> Self {
        let (mut ends, mut prescribed) = (ConstraintBodies::new(), self.prescribed);
        for end in &self.bodies {
            match indices[end.body] {
                Some(body) => ends.push(ConstraintBody { body, ..*end }),
                None => add(&mut prescribed, end.motion(parts(&v[end.body]))),
            }
        }
        Self { bodies: ends, prescribed, points: self.points, rows: self.rows.clone() }
    }

    /// Impulses on b of elastic pressure, of damping and of friction of its points, at a motion of b against a.
    pub fn split_at(&self, motion: [DVec3; 2]) -> [Impulse; 3] {
        widest(SplitPass { constraint: self, motion })
    }

    /// [`Constraint::impulse`] of a single constraint, compiled for lanes.
    pub fn impulse_at(&self, motion: [DVec3; 2]) -> Impulse {
        widest(ImpulsePass { constraint: self, motion })
    }

    /// The impulse on b where b moves against a with this velocity at the reference point and this spin.
    #[inline(always)]
    pub(super) fn impulse(&self, motion: [DVec3; 2]) -> Impulse {
        let moving = self.points.step.motion_at(motion);
        let mut sum = [Lanes::ZERO; 6];
        for pack in self.points.packs {
            pack.add(pack.response(&moving).impulse, &mut sum);
        }
        let mut impulse = Impulse::of(sum);
        self.add_rows(motion, &mut impulse, None);
        impulse
    }

    /// [`Constraint::impulse`] and its slope. Where a point slides, friction does not grow with
    /// speed; `regularisation` is the part by which it is taken to grow all the same: steps are shorter and safer.
    #[inline(always)]
    pub(super) fn impulse_and_slope(&self, motion: [DVec3; 2], regularisation: f64) -> (Impulse, Sym6) {
        let slipping = Lanes::all(1.0 - regularisation);
        let moving = self.points.step.motion_at(motion);
        let (mut sum, mut impulse_slope) = ([Lanes::ZERO; 6], [Lanes::ZERO; 21]);
        for pack in self.points.packs {
            let mut response = pack.response(&moving);
            response.sliding_loss = response.sliding_loss * slipping;
            pack.add(response.impulse, &mut sum);
            pack.add_slope(&response, &mut impulse_slope);
        }
        let (mut impulse, mut half) = (Impulse::of(sum), [0.0; 21]);
        for i in 0..21 {
            half[i] = impulse_slope[i].sum();
        }
        self.add_rows(motion, &mut impulse, Some(&mut half));
        (impulse, half)
    }
}

impl Impulse {
    #[inline(always)]
    fn of(sum: [Lanes; 6]) -> Self {
        let at = |i: usize| sum[i].sum();
        Self { linear: DVec3::new(at(0), at(1), at(2)), angular: DVec3::new(at(3), at(4), at(5)) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::contact_points::random_packs;
    use super::super::mat6::Mat6;
    use super::*;
    use crate::math::Random;

    /// By central differences; kinks are where the random motions are not.
    #[test]
    fn slopes_are_the_negative_derivatives_of_impulses() {
        let mut random = Random(8);
        for _ in 0..50 {
            // Five points, so that a lane is left over.
            let packs = random_packs(&mut random, 5, [1.0, 1.0]);
            let step = PatchStep {
                implicit_dt: 0.1 + random.unit(),
                damping: 0.3 * random.unit(),
                slope_growth: random.unit(),
                explicit_shear: [random.vector(), random.vector()],
                shear_per_speed: random.unit(),
            };
            let points = ContactPoints { step, packs: &packs };
            let c = Constraint::of_points(ConstraintBodies::new(), [DVec3::ZERO; 2], points);
            let motion = [random.vector(), random.vector()];
            let impulse_slope = Mat6::from_upper(&c.impulse_and_slope(motion, 0.0).1);
            for column in 0..6 {
                let at = |by: f64| {
                    let mut m = motion;
                    m[column / 3][column % 3] += by;
                    let Impulse { linear, angular } = c.impulse(m);
                    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
                };
                let (low, high) = (at(-1e-6), at(1e-6));
                for row in 0..6 {
                    let rate = -(high[row] - low[row]) / 2e-6;
                    assert!(
                        (rate - impulse_slope.0[row][column]).abs() < 1e-6,
                        "{rate} {}",
                        impulse_slope.0[row][column]
                    );
                }
            }
        }
    }
}
