//! What a contact or a joint does over a step, as a function of how its bodies move against each other.

use super::block::{Half, Six, six};
use super::row::Row;
use super::spot::{Law, Spots};
use crate::math::DVec3;
use crate::math::lanes::{Lanes, Pass, widest};

/// The spots of one patch, or the rows of one joint, between two bodies of which one at least is a mover of the island.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling<'a> {
    /// Which movers; none for what no force moves.
    pub movers: [Option<usize>; 2],
    /// From each one's centre to the reference point.
    pub arms: [DVec3; 2],
    /// What sides that no force moves add to the velocity of b against a at the reference point, and to its spin.
    pub given: [DVec3; 2],
    spots: Spots<'a>,
    /// Of a joint.
    pub rows: Vec<Row>,
}

/// [`Coupling::impulse`] in lanes.
struct One<'a> {
    coupling: &'a Coupling<'a>,
    motion: [DVec3; 2],
}

impl Pass for One<'_> {
    type Output = Impulse;
    #[inline(always)]
    fn run(self) -> Impulse {
        self.coupling.impulse(self.motion)
    }
}

/// An impulse and its moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// N s.
    pub linear: DVec3,
    /// N m s.
    pub angular: DVec3,
}

impl std::ops::AddAssign for Impulse {
    fn add_assign(&mut self, other: Self) {
        self.linear += other.linear;
        self.angular += other.angular;
    }
}

impl<'a> Coupling<'a> {
    /// Of these spots, between these `movers`, at `arms` from them; see the fields.
    pub fn new(movers: [Option<usize>; 2], arms: [DVec3; 2], given: [DVec3; 2], spots: Spots<'a>) -> Self {
        Self { movers, arms, given, spots, rows: Vec::new() }
    }

    /// Of these rows.
    pub fn of_rows(movers: [Option<usize>; 2], arms: [DVec3; 2], given: [DVec3; 2], rows: Vec<Row>) -> Self {
        Self { movers, arms, given, spots: Spots { law: Law::default(), fours: &[] }, rows }
    }

    /// Adds what its rows do to an impulse, and to the slope if there is one.
    #[inline(always)]
    fn add_rows(&self, motion: [DVec3; 2], impulse: &mut Impulse, mut slope: Option<&mut Half>) {
        let motion: Six = six(motion[0], motion[1]);
        for row in self.rows.iter() {
            let (push, hardness) = row.reply(&motion);
            impulse.linear += push * DVec3::from_slice(&row.along[..3]);
            impulse.angular += push * DVec3::from_slice(&row.along[3..]);
            if let Some(slope) = &mut slope {
                let upper = (0..6).flat_map(|i| (i..6).map(move |j| (i, j)));
                slope.iter_mut().zip(upper).for_each(|(s, (i, j))| *s += hardness * row.along[i] * row.along[j]);
            }
        }
    }

    /// The same between other `movers`; the spots are shared.
    pub fn between(&self, movers: [Option<usize>; 2], given: [DVec3; 2]) -> Self {
        Self { movers, given, arms: self.arms, spots: self.spots, rows: self.rows.clone() }
    }

    /// The impulse on b at a motion of b against a, for whoever has only one to ask.
    pub fn impulse_at(&self, motion: [DVec3; 2]) -> Impulse {
        widest(One { coupling: self, motion })
    }

    /// The impulse on b where b moves against a with this velocity at the reference point and this spin.
    #[inline(always)]
    pub(super) fn impulse(&self, motion: [DVec3; 2]) -> Impulse {
        let moving = self.spots.law.at(motion);
        let mut sum = [Lanes::ZERO; 6];
        for four in self.spots.fours {
            four.add(four.reply(&moving).impulse, &mut sum);
        }
        let mut impulse = Impulse::of(sum);
        self.add_rows(motion, &mut impulse, None);
        impulse
    }

    /// [`Coupling::impulse`], and by how much it falls with velocity and spin. Where a spot slides, friction does not grow with
    /// speed; taken as if it did, by this part, steps are shorter and surer.
    #[inline(always)]
    pub(super) fn impulse_and_slope(&self, motion: [DVec3; 2], surer: f64) -> (Impulse, Half) {
        let slipping = Lanes::all(1.0 - surer);
        let moving = self.spots.law.at(motion);
        let (mut sum, mut slope) = ([Lanes::ZERO; 6], [Lanes::ZERO; 21]);
        for four in self.spots.fours {
            let mut reply = four.reply(&moving);
            reply.slip = reply.slip * slipping;
            four.add(reply.impulse, &mut sum);
            four.add_slope(&reply, &mut slope);
        }
        let (mut impulse, mut half) = (Impulse::of(sum), [0.0; 21]);
        for i in 0..21 {
            half[i] = slope[i].sum();
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
    use super::super::block::Block;
    use super::super::spot::random_fours;
    use super::*;
    use crate::math::Random;

    /// By central differences; kinks are where the random motions are not.
    #[test]
    fn slopes_are_the_derivatives_of_impulses() {
        let mut random = Random(8);
        for _ in 0..50 {
            // Five spots, so that a lane is left over.
            let fours = random_fours(&mut random, 5, [1.0, 1.0]);
            let law = Law {
                felt: 0.1 + random.unit(),
                damping: 0.3 * random.unit(),
                growth: random.unit(),
                sheared: [random.vector(), random.vector()],
                shearing: random.unit(),
            };
            let arms = [random.vector(), random.vector()];
            let c = Coupling::new([Some(0), Some(1)], arms, [DVec3::ZERO; 2], Spots { law, fours: &fours });
            let motion = [random.vector(), random.vector()];
            let slope = Block::from_half(&c.impulse_and_slope(motion, 0.0).1);
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
                    assert!((rate - slope.0[row][column]).abs() < 1e-6, "{rate} {}", slope.0[row][column]);
                }
            }
        }
    }
}
