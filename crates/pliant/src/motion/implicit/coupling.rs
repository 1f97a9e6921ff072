//! What a contact or a tie does over a step, as a function of how its bodies move against each other.

use super::block::{Block, Six, six};
use super::row::Row;
use super::spot::{Four, Spots, every};
use crate::math::DVec3;
use crate::math::lanes::{Lanes, Pass, widest};

/// The spots of one patch, or the rows of one tie, between two bodies of which one at least is a mover of the island.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling<'a> {
    /// Which movers; none for what no force moves.
    pub movers: [Option<usize>; 2],
    /// From each one's centre to the reference point.
    pub arms: [DVec3; 2],
    /// What sides that no force moves add to the velocity of b against a at the reference point, and to its spin.
    pub given: [DVec3; 2],
    spots: &'a [Four],
    /// Of a tie.
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
    pub fn new(movers: [Option<usize>; 2], arms: [DVec3; 2], given: [DVec3; 2], spots: &'a Spots) -> Self {
        Self { movers, arms, given, spots: spots.fours(), rows: Vec::new() }
    }

    /// Of these rows.
    pub fn of_rows(movers: [Option<usize>; 2], arms: [DVec3; 2], given: [DVec3; 2], rows: Vec<Row>) -> Self {
        Self { movers, arms, given, spots: &[], rows }
    }

    /// Adds what its rows do to an impulse, and to the slope if there is one.
    #[inline(always)]
    fn add_rows(&self, motion: [DVec3; 2], impulse: &mut Impulse, mut slope: Option<&mut Block>) {
        let motion: Six = six(motion[0], motion[1]);
        for row in self.rows.iter() {
            let (push, hardness) = row.reply(&motion);
            impulse.linear += push * DVec3::from_slice(&row.along[..3]);
            impulse.angular += push * DVec3::from_slice(&row.along[3..]);
            if let Some(slope) = &mut slope {
                for i in 0..6 {
                    (0..6).for_each(|j| slope.0[i][j] += hardness * row.along[i] * row.along[j]);
                }
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
        let (velocity, spin) = (every(motion[0]), every(motion[1]));
        let mut sum = [Lanes::ZERO; 6];
        for four in self.spots.iter() {
            four.add(four.reply(velocity, spin).impulse, &mut sum);
        }
        let mut impulse = Impulse::of(sum);
        self.add_rows(motion, &mut impulse, None);
        impulse
    }

    /// [`Coupling::impulse`], and by how much it falls with velocity and spin. Where a spot slides, friction does not grow with
    /// speed; taken as if it did, by this part, steps are shorter and surer.
    #[inline(always)]
    pub(super) fn impulse_and_slope(&self, motion: [DVec3; 2], surer: f64) -> (Impulse, Block) {
        let slipping = Lanes::all(1.0 - surer);
        let (velocity, spin) = (every(motion[0]), every(motion[1]));
        let (mut sum, mut slope) = ([Lanes::ZERO; 6], [Lanes::ZERO; 21]);
        for four in self.spots.iter() {
            let mut reply = four.reply(velocity, spin);
            reply.slip = reply.slip * slipping;
            four.add(reply.impulse, &mut sum);
            four.add_slope(&reply, &mut slope);
        }
        let mut half = [0.0; 21];
        for i in 0..21 {
            half[i] = slope[i].sum();
        }
        let (mut impulse, mut slope) = (Impulse::of(sum), Block::from_half(&half));
        self.add_rows(motion, &mut impulse, Some(&mut slope));
        (impulse, slope)
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
    use super::super::Spot;
    use super::*;
    use crate::math::Random;

    /// Five spots, so that a lane is left over, of all kinds: pressed and parted, stuck and sliding.
    fn spots(random: &mut Random) -> Spots {
        (0..5)
            .map(|_| {
                let normal = random.vector().normalize();
                Spot {
                    arm: random.vector(),
                    normal,
                    push: 2.0 * random.unit() - 0.5,
                    hardness: random.unit(),
                    found_at: random.unit() - 0.5,
                    growth: random.unit(),
                    drag: 0.3 * random.unit(),
                    grip: random.unit(),
                    sheared: random.vector().reject_from_normalized(normal),
                    shearing: random.unit(),
                }
            })
            .collect()
    }

    /// By central differences; kinks are where the random motions are not.
    #[test]
    fn slopes_are_the_derivatives_of_impulses() {
        let mut random = Random(8);
        for _ in 0..50 {
            let spots = spots(&mut random);
            let arms = [random.vector(), random.vector()];
            let c = Coupling::new([Some(0), Some(1)], arms, [DVec3::ZERO; 2], &spots);
            let motion = [random.vector(), random.vector()];
            let (_, slope) = c.impulse_and_slope(motion, 0.0);
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
