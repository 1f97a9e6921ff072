//! Bodies that hang together, and the velocities at which all forces between them agree.

use super::block::{Block, Six, dot, parts, six};
use super::sparse::Sparse;
use super::spot::{Coupling, Impulse};
use crate::bodies::Twist;
use crate::math::lanes::{Pass, widest};
use crate::math::{DMat3, DVec3};

/// A body that forces move.
#[derive(Clone, Debug, PartialEq)]
pub struct Mover {
    /// Kilograms.
    pub mass: f64,
    /// About its centre, world axes; all zero for what does not turn.
    pub inertia: DMat3,
    /// Its velocity if nothing touched it.
    pub free: Twist,
}

/// Movers and what couples them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Island {
    /// In the order of names.
    pub movers: Vec<Mover>,
    /// In the order of contacts.
    pub couplings: Vec<Coupling>,
}

/// Newton's steps at most; a few do unless friction begins and ends to slide all over.
const MOST: usize = 60;

/// Velocities are right when what is left over would change none by more than this part of the fastest.
const ENOUGH: f64 = 1e-5;

/// Below this part of the fastest velocity Newton's own steps are taken.
const NEAR: f64 = 0.04;

/// Looks for the best length of a step at most; half of them halve what is left.
const MOST_PARTS: usize = 20;

/// A step along Newton's direction is long enough when the slope along it has fallen to this part.
const FLAT: f64 = 0.1;

impl Mover {
    #[inline(always)]
    fn turns(&self) -> bool {
        self.inertia != DMat3::ZERO
    }

    /// Takes an impulse and a torque's away from it.
    pub fn take(&mut self, impulse: DVec3, turn: DVec3) {
        self.free.linear -= impulse / self.mass;
        if self.turns() {
            self.free.angular -= self.inertia.inverse() * turn;
        }
    }

    /// Momentum of a change of velocity.
    #[inline(always)]
    fn momentum(&self, v: &Six) -> Six {
        let [linear, angular] = parts(v);
        let turn = if self.turns() { self.inertia * angular } else { angular };
        six(self.mass * linear, turn)
    }

    #[inline(always)]
    fn block(&self) -> Block {
        let mut m = Block::ZERO;
        let inertia = if self.turns() { self.inertia } else { DMat3::IDENTITY };
        for i in 0..3 {
            m.0[i][i] = self.mass;
            (0..3).for_each(|j| m.0[i + 3][j + 3] = inertia.col(j)[i]);
        }
        m
    }

    /// How much an impulse changes its velocity, m/s; turning is counted at the edge of a body with this inertia.
    #[inline(always)]
    fn kick(&self, impulse: &Six) -> f64 {
        let [linear, angular] = parts(impulse);
        let linear = linear.length() / self.mass;
        if !self.turns() {
            return linear;
        }
        let radius_sq = (self.inertia.col(0).x + self.inertia.col(1).y + self.inertia.col(2).z) / self.mass;
        linear.max(angular.length() / (self.mass * radius_sq.sqrt()))
    }
}

/// [`Island::minimum`] in lanes.
struct Newton<'a> {
    island: &'a Island,
    start: &'a [Twist],
}

impl Pass for Newton<'_> {
    type Output = Vec<Twist>;
    #[inline(always)]
    fn run(self) -> Vec<Twist> {
        self.island.minimum(self.start)
    }
}

/// [`Island::left_over`] in lanes.
struct Left<'a> {
    island: &'a Island,
    v: &'a [Twist],
}

impl Pass for Left<'_> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn run(self) -> Vec<f64> {
        self.island.left_over(self.v)
    }
}

impl Island {
    /// Velocities at which every impulse is what they make of it; `start` is a guess.
    pub fn solve(&self, start: &[Twist]) -> Vec<Twist> {
        widest(Newton { island: self, start })
    }

    #[inline(always)]
    fn minimum(&self, start: &[Twist]) -> Vec<Twist> {
        let mut v: Vec<Six> = start.iter().map(|t| six(t.linear, t.angular)).collect();
        let mut sparse = Sparse::new(self.movers.len(), self.pairs(), self.couplings.iter().any(|c| !c.rows.is_empty()));
        let fastest = self.fastest();
        // Newton's own steps are for where few spots begin or cease to slide.
        let mut surer = 1.0;
        let mut slack = self.newton(&v, &mut sparse, surer);
        for _ in 0..MOST {
            let worst = self.worst(&slack);
            if worst.is_nan() || worst <= ENOUGH * fastest {
                break;
            }
            let direction = sparse.solve(&slack);
            let first = along(&direction, &slack);
            step(&mut v, 1.0, &direction);
            surer = if worst <= NEAR * fastest { 0.0 } else { 1.0 };
            slack = self.newton(&v, &mut sparse, surer);
            let last = along(&direction, &slack);
            if last < -FLAT * first {
                let length = self.length(&v, &direction, (first, last));
                step(&mut v, length - 1.0, &direction);
                slack = self.newton(&v, &mut sparse, surer);
            }
        }
        v.iter().map(parts).map(|[linear, angular]| Twist { linear, angular }).collect()
    }

    /// Of each mover: how much the momentum left over at `v` would change its velocity, against the fastest there is.
    pub fn residuals(&self, v: &[Twist]) -> Vec<f64> {
        widest(Left { island: self, v })
    }

    #[inline(always)]
    fn left_over(&self, v: &[Twist]) -> Vec<f64> {
        let v: Vec<Six> = v.iter().map(|t| six(t.linear, t.angular)).collect();
        let mut slack = self.lacking(&v);
        for c in &self.couplings {
            self.give(c, &c.impulse(self.motion(c, &v)), &mut slack);
        }
        let fastest = self.fastest();
        self.movers.iter().zip(&slack).map(|(m, s)| m.kick(s) / fastest).collect()
    }

    #[inline(always)]
    fn fastest(&self) -> f64 {
        self.movers.iter().map(|m| m.free.linear.length()).fold(1e-9, f64::max)
    }

    #[inline(always)]
    fn worst(&self, slack: &[Six]) -> f64 {
        self.movers.iter().zip(slack).map(|(m, s)| m.kick(s)).fold(0.0, f64::max)
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.couplings.iter().filter_map(|c| Some((c.movers[0]?, c.movers[1]?)))
    }

    /// `M (v̂ − v)`.
    #[inline(always)]
    fn lacking(&self, v: &[Six]) -> Vec<Six> {
        let one = |(m, v): (&Mover, &Six)| {
            let free = six(m.free.linear, m.free.angular);
            m.momentum(&std::array::from_fn(|i| free[i] - v[i]))
        };
        self.movers.iter().zip(v).map(one).collect()
    }

    /// Velocity of b against a at a coupling's reference point, and spin.
    #[inline(always)]
    fn motion(&self, c: &Coupling, v: &[Six]) -> [DVec3; 2] {
        let [mut velocity, mut spin] = c.given;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(i) = c.movers[side] {
                let [linear, angular] = parts(&v[i]);
                velocity += sign * (linear + angular.cross(c.arms[side]));
                spin += sign * angular;
            }
        }
        [velocity, spin]
    }

    /// Adds an impulse on b, and its opposite on a.
    #[inline(always)]
    fn give(&self, c: &Coupling, impulse: &Impulse, to: &mut [Six]) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(i) = c.movers[side] {
                let moment = c.arms[side].cross(impulse.linear) + impulse.angular;
                let turn = if self.movers[i].turns() { sign * moment } else { DVec3::ZERO };
                let felt = six(sign * impulse.linear, turn);
                (0..6).for_each(|k| to[i][k] += felt[k]);
            }
        }
    }

    /// Newton's equations at `v`: their matrix, and what is left over.
    #[inline(always)]
    fn newton(&self, v: &[Six], sparse: &mut Sparse, surer: f64) -> Vec<Six> {
        let mut slack = self.lacking(v);
        sparse.clear();
        self.movers.iter().enumerate().for_each(|(i, m)| sparse.add_diagonal(i, &m.block()));
        for c in &self.couplings {
            let (impulse, slope) = c.impulse_and_slope(self.motion(c, v), surer);
            self.give(c, &impulse, &mut slack);
            for side in 0..2 {
                if let Some(i) = c.movers[side] {
                    sparse.add_diagonal(i, &self.seen(c, &slope, (side, side)));
                }
            }
            if let [Some(a), Some(b)] = c.movers {
                sparse.subtract(a, b, &self.seen(c, &slope, (0, 1)));
            }
        }
        slack
    }

    /// A coupling's slope as two of its sides feel it; of what does not turn only the motion.
    #[inline(always)]
    fn seen(&self, c: &Coupling, slope: &Block, (i, j): (usize, usize)) -> Block {
        let mut block = slope.seen_from(c.arms[i], c.arms[j]);
        for (side, columns) in [(i, false), (j, true)] {
            if c.movers[side].is_some_and(|m| !self.movers[m].turns()) {
                block.without_turning(columns);
            }
        }
        block
    }

    /// How far to go along `direction`, to whose end `v` is: where nothing is left over along it. That is `first` at its
    /// start and `last` at its end, and falls all the way.
    #[inline(always)]
    fn length(&self, v: &[Six], direction: &[Six], (first, last): (f64, f64)) -> f64 {
        let inertia: f64 = self.movers.iter().zip(direction).map(|(m, d)| dot(d, &m.momentum(d))).sum();
        let lacking = along(direction, &self.lacking(v));
        let motions: Vec<[[DVec3; 2]; 2]> = self
            .couplings
            .iter()
            .map(|c| {
                let (at, end) = (self.motion(c, v), self.motion(c, direction));
                [at, [end[0] - c.given[0], end[1] - c.given[1]]]
            })
            .collect();
        let (mut low, mut high) = ((0.0, first), (1.0, last));
        let mut middle = 0.0;
        for halving in 0..MOST_PARTS {
            // False position, and every other time the middle.
            middle = match halving % 2 {
                0 => (low.1 * high.0 - high.1 * low.0) / (low.1 - high.1),
                _ => 0.5 * (low.0 + high.0),
            };
            let t = middle - 1.0;
            let mut left = lacking - t * inertia;
            for (c, [at, by]) in self.couplings.iter().zip(&motions) {
                let impulse = c.impulse([at[0] + t * by[0], at[1] + t * by[1]]);
                left += impulse.linear.dot(by[0]) + impulse.angular.dot(by[1]);
            }
            if left.abs() <= FLAT * first {
                break;
            }
            if left > 0.0 {
                low = (middle, left);
            } else {
                high = (middle, left);
            }
        }
        middle
    }
}

#[inline(always)]
fn along(direction: &[Six], momentum: &[Six]) -> f64 {
    direction.iter().zip(momentum).map(|(d, m)| dot(d, m)).sum()
}

#[inline(always)]
fn step(v: &mut [Six], length: f64, direction: &[Six]) {
    v.iter_mut().zip(direction).for_each(|(v, d)| (0..6).for_each(|i| v[i] += length * d[i]));
}

#[cfg(test)]
mod tests {
    use super::super::Spot;
    use super::*;
    use crate::math::Random;

    /// Bodies in a ring, pressed against their neighbours and some against the ground, one of which does not turn: at the
    /// velocities found, momentum is balanced for each.
    #[test]
    fn momentum_is_balanced_where_a_ring_of_bodies_comes_to() {
        let mut random = Random(21);
        for _ in 0..20 {
            let count = 7;
            let movers = (0..count).map(|i| Mover {
                mass: 10f64.powf(4.0 * random.unit() - 2.0),
                inertia: if i == 3 { DMat3::ZERO } else { DMat3::from_diagonal(DVec3::splat(0.1 + random.unit())) },
                free: Twist { linear: random.vector(), angular: random.vector() },
            });
            let movers: Vec<Mover> = movers.collect();
            let mut couplings = Vec::new();
            for i in 0..2 * count {
                let other = (i < count).then_some((i + 1) % count);
                let spot = |random: &mut Random| {
                    let normal = random.vector().normalize();
                    Spot {
                        arm: 0.1 * random.vector(),
                        normal,
                        push: random.unit(),
                        hardness: 10f64.powf(6.0 * random.unit() - 3.0),
                        found_at: 0.0,
                        growth: random.unit(),
                        drag: 0.1 * random.unit(),
                        grip: random.unit(),
                        sheared: random.vector().reject_from_normalized(normal),
                        shearing: 10.0 * random.unit(),
                    }
                };
                let spots: Vec<Spot> = (0..9).map(|_| spot(&mut random)).collect();
                let arms = [random.vector(), random.vector()];
                couplings.push(Coupling::new([Some(i % count), other], arms, [DVec3::ZERO; 2], &spots));
            }
            let island = Island { movers, couplings };
            let start: Vec<Twist> = island.movers.iter().map(|m| m.free).collect();
            let found = island.solve(&start);
            let worst = island.residuals(&found).into_iter().fold(0.0, f64::max);
            assert!(worst <= ENOUGH, "{worst}");
            assert_eq!(found[3].angular, start[3].angular, "does not turn");
        }
    }
}
