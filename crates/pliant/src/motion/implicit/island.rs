//! Bodies that hang together, and the velocities at which all forces between them agree.

use super::block::{Block, Six, parts, six};
use super::coupling::{Coupling, Impulse};
use super::equations::Equations;
use crate::bodies::Twist;
#[cfg(test)]
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
pub struct Island<'a> {
    /// In the order of names.
    pub movers: Vec<Mover>,
    /// In the order of contacts.
    pub couplings: Vec<Coupling<'a>>,
}

/// Speeds are measured against no less than this, m/s.
pub const LEAST_SPEED: f64 = 1e-9;

/// And against no less than this part of how fast bodies go together: rounding goes with that.
pub const LEAST_PART: f64 = 0.01;

/// Newton's steps at most; a few do unless friction begins and ends to slide all over.
const MOST: usize = 60;

/// Velocities are right when what is left over would change none by more than this part of the fastest.
const ENOUGH: f64 = 1e-5;

/// Below this part of the fastest velocity Newton's own steps are taken.
const NEAR: f64 = 0.1;

/// Above it, sliding friction is taken to grow with speed by this part of what holding friction does. Less: steps too long,
/// that have to be cut. More: many short ones.
const SURER: f64 = 0.5;

/// Where less than one in so many is left with more than this part of the worst, only those are moved, to where they are no more.
const FEW: usize = 4;
const WORST: f64 = 0.3;

/// And so many times in a row: what is handed on from neighbour to neighbour only whole steps catch up with.
const MOST_LOCAL: usize = 8;

/// What movers are measured by, m/s.
#[derive(Clone, Copy)]
struct Bounds {
    /// How fast coupled bodies go against each other.
    fastest: f64,
    /// By how much velocities may be wrong.
    enough: f64,
}

impl Mover {
    #[inline(always)]
    pub(super) fn turns(&self) -> bool {
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

    /// How much what is left over at `v`, where it feels this impulse about its centre, would change its velocity, m/s.
    pub fn left(&self, v: &Twist, felt: &Impulse) -> f64 {
        let missing = self.missing(v, felt);
        self.kick(&six(missing.linear, missing.angular))
    }

    /// What is left over at `v`, where it feels this impulse about its centre.
    pub fn missing(&self, v: &Twist, felt: &Impulse) -> Impulse {
        let [linear, angular] = parts(&self.momentum(&six(self.free.linear - v.linear, self.free.angular - v.angular)));
        let turn = if self.turns() { felt.angular } else { DVec3::ZERO };
        Impulse { linear: linear + felt.linear, angular: angular + turn }
    }

    #[inline(always)]
    pub(super) fn block(&self) -> Block {
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

/// [`Island::left_over`] in lanes.
#[cfg(test)]
struct Left<'a> {
    island: &'a Island<'a>,
    v: &'a [Twist],
}

#[cfg(test)]
impl Pass for Left<'_> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn run(self) -> Vec<f64> {
        self.island.left_over(self.v)
    }
}

impl<'a> Island<'a> {
    /// Velocities at which every impulse is what they make of it; `start` is a guess.
    pub fn solve(&self, start: &[Twist]) -> Vec<Twist> {
        let mut v: Vec<Six> = start.iter().map(|t| six(t.linear, t.angular)).collect();
        let mut equations = Equations::new(self);
        let mut slack = equations.set(&v, SURER);
        let fastest = self.fastest();
        self.minimise(&mut equations, (&mut v, &mut slack), Bounds { fastest, enough: ENOUGH * fastest });
        v.iter().map(parts).map(|[linear, angular]| Twist { linear, angular }).collect()
    }

    /// Whether there are joints in it, whose stiffness only whole solutions can follow.
    pub(super) fn is_tied(&self) -> bool {
        self.couplings.iter().any(|c| !c.rows.is_empty())
    }

    /// Goes on from `v`, at which `equations` are set and `slack` is left over, to where no mover is left with more than `enough`.
    fn minimise(&self, equations: &mut Equations, (v, slack): (&mut [Six], &mut Vec<Six>), bounds: Bounds) {
        let Bounds { fastest, enough } = bounds;
        let mut local = 0;
        for _ in 0..MOST {
            let kicks: Vec<f64> = self.movers.iter().zip(&*slack).map(|(m, s)| m.kick(s)).collect();
            let worst = kicks.iter().copied().fold(0.0, f64::max);
            if worst.is_nan() || worst <= enough {
                break;
            }
            let bound = enough.max(WORST * worst);
            let wrong: Vec<bool> = kicks.iter().map(|k| *k > bound).collect();
            let some = equations.with_neighbours(&wrong);
            if local < MOST_LOCAL && FEW * count(&some) <= v.len() && !self.is_tied() {
                local += 1;
                self.minimise_for(&some, equations, (v, slack), Bounds { fastest, enough: bound });
                continue;
            }
            // Newton's own steps are for where few spots begin or cease to slide.
            let near = worst <= NEAR * fastest;
            let direction = equations.solve(slack);
            local = 0;
            equations.go((v, slack), &direction, if near { 0.0 } else { SURER });
        }
    }

    /// The same for `some` movers; the others go on as they do.
    fn minimise_for(
        &self,
        some: &[bool],
        equations: &mut Equations,
        (v, slack): (&mut [Six], &mut Vec<Six>),
        bounds: Bounds,
    ) {
        let chosen: Vec<usize> = (0..v.len()).filter(|i| some[*i]).collect();
        let mut numbers = vec![None; v.len()];
        chosen.iter().enumerate().for_each(|(n, i)| numbers[*i] = Some(n));
        let concerned = |c: &Coupling| c.movers.iter().flatten().any(|i| some[*i]);
        let concerned: Vec<usize> = (0..self.couplings.len()).filter(|n| concerned(&self.couplings[*n])).collect();
        let coupling = |c: &Coupling<'a>| {
            let movers = c.movers.map(|m| m.and_then(|i| numbers[i]));
            // Only what stays outside counts as given.
            let outside = [0, 1].map(|side| c.movers[side].filter(|_| movers[side].is_none()));
            c.between(movers, self.motion(&c.between(outside, c.given), v))
        };
        let part = Self {
            movers: chosen.iter().map(|i| self.movers[*i].clone()).collect(),
            couplings: concerned.iter().map(|n| coupling(&self.couplings[*n])).collect(),
        };
        let [mut own, mut left] = [&*v, &*slack].map(|all| chosen.iter().map(|i| all[*i]).collect::<Vec<Six>>());
        let mut inner = Equations::new(&part);
        equations.tell(&mut inner, &concerned);
        part.minimise(&mut inner, (&mut own, &mut left), bounds);
        chosen.iter().zip(own).for_each(|(i, o)| v[*i] = o);
        equations.hear(&inner, &concerned, (&equations.with_neighbours(some), v, slack));
    }

    /// Of each mover: how much the momentum left over at `v` would change its velocity, against the fastest there is.
    #[cfg(test)]
    fn residuals(&self, v: &[Twist]) -> Vec<f64> {
        widest(Left { island: self, v })
    }

    #[cfg(test)]
    #[inline(always)]
    fn left_over(&self, v: &[Twist]) -> Vec<f64> {
        let v: Vec<Six> = v.iter().map(|t| six(t.linear, t.angular)).collect();
        let mut slack: Vec<Six> = (0..v.len()).map(|i| self.lacking(i, &v)).collect();
        for c in &self.couplings {
            let impulse = c.impulse(self.motion(c, &v));
            (0..2).for_each(|side| c.movers[side].iter().for_each(|i| self.give(&mut slack[*i], c, (&impulse, side))));
        }
        let fastest = self.fastest();
        self.movers.iter().zip(&slack).map(|(m, s)| m.kick(s) / fastest).collect()
    }

    /// How fast coupled bodies would go against each other, m/s: how fast all go together is nobody's concern.
    #[inline(always)]
    fn fastest(&self) -> f64 {
        let free: Vec<Six> = self.movers.iter().map(|m| six(m.free.linear, m.free.angular)).collect();
        let together = self.movers.iter().map(|m| m.free.linear.length()).fold(0.0, f64::max);
        // Ties may hold to what is no mover.
        let least = LEAST_SPEED.max(if self.is_tied() { together } else { LEAST_PART * together });
        self.couplings.iter().map(|c| self.motion(c, &free)[0].length()).fold(least, f64::max)
    }

    /// `M (v̂ − v)` of mover `i`.
    #[inline(always)]
    pub(super) fn lacking(&self, i: usize, v: &[Six]) -> Six {
        let (m, v) = (&self.movers[i], &v[i]);
        let free = six(m.free.linear, m.free.angular);
        m.momentum(&std::array::from_fn(|k| free[k] - v[k]))
    }

    /// Velocity of b against a at a coupling's reference point, and spin.
    #[inline(always)]
    pub(super) fn motion(&self, c: &Coupling, v: &[Six]) -> [DVec3; 2] {
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

    /// Adds what one side of a coupling feels of an impulse.
    #[inline(always)]
    pub(super) fn give(&self, to: &mut Six, c: &Coupling, (impulse, side): (&Impulse, usize)) {
        let sign = [-1.0, 1.0][side];
        let turns = c.movers[side].is_some_and(|i| self.movers[i].turns());
        let moment = c.arms[side].cross(impulse.linear) + impulse.angular;
        let felt = six(sign * impulse.linear, if turns { sign * moment } else { DVec3::ZERO });
        (0..6).for_each(|k| to[k] += felt[k]);
    }

    /// A coupling's slope as two of its sides feel it; of what does not turn only the motion.
    #[inline(always)]
    pub(super) fn seen(&self, c: &Coupling, slope: &Block, (i, j): (usize, usize)) -> Block {
        let mut block = slope.seen_from(c.arms[i], c.arms[j]);
        for (side, columns) in [(i, false), (j, true)] {
            if c.movers[side].is_some_and(|m| !self.movers[m].turns()) {
                block.without_turning(columns);
            }
        }
        block
    }
}

fn count(some: &[bool]) -> usize {
    some.iter().filter(|s| **s).count()
}

#[cfg(test)]
mod tests {
    use super::super::spot::{Four, Law, Spots, random_fours};
    use super::*;
    use crate::math::Random;

    /// Which movers, at which arms, by which spots.
    type End = ([Option<usize>; 2], [DVec3; 2], (Law, Vec<Four>));

    fn coupled((movers, arms, (law, fours)): &End) -> Coupling<'_> {
        Coupling::new(*movers, *arms, [DVec3::ZERO; 2], Spots { law: *law, fours })
    }

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
            let mut ends = Vec::new();
            for i in 0..2 * count {
                let other = (i < count).then_some((i + 1) % count);
                let law = Law {
                    felt: 1.0,
                    damping: 0.1 * random.unit(),
                    growth: random.unit(),
                    sheared: [random.vector(), random.vector()],
                    shearing: 10.0 * random.unit(),
                };
                let hardness = 10f64.powf(6.0 * random.unit() - 3.0);
                let spots = (law, random_fours(&mut random, 9, [1.0, hardness]));
                ends.push(([Some(i % count), other], [random.vector(), random.vector()], spots));
            }
            let island = Island { movers, couplings: ends.iter().map(coupled).collect() };
            let start: Vec<Twist> = island.movers.iter().map(|m| m.free).collect();
            let found = island.solve(&start);
            let worst = island.residuals(&found).into_iter().fold(0.0, f64::max);
            assert!(worst <= ENOUGH, "{worst}");
            assert_eq!(found[3].angular, start[3].angular, "does not turn");
        }
    }

    /// A long row of bodies at rest but for a blow at one end, soft, then so stiff that it is handed on to the other: parts are solved,
    /// and the whole; on one thread or two, to the same bits.
    #[test]
    fn a_large_island_comes_to_balance_in_parts_and_on_any_number_of_threads() {
        for hardness in [5.0, 1e5] {
            let mut random = Random(5);
            let count = 300;
            let mover = |i: usize, random: &mut Random| Mover {
                mass: 1.0,
                inertia: DMat3::from_diagonal(DVec3::splat(0.01)),
                free: Twist {
                    linear: if i < 3 { random.vector() } else { 1e-3 * random.vector() },
                    angular: DVec3::ZERO,
                },
            };
            let movers: Vec<Mover> = (0..count).map(|i| mover(i, &mut random)).collect();
            let mut ends = Vec::new();
            for i in 0..count - 1 {
                let normal = random.vector().normalize();
                let arms = [0.1 * normal, -0.1 * normal];
                let law = Law { felt: 1.0, damping: 0.01, growth: 0.2, sheared: [DVec3::ZERO; 2], shearing: 30.0 };
                let spots = (law, random_fours(&mut random, 3, [0.01, hardness]));
                ends.push(([Some(i), Some(i + 1)], arms, spots));
            }
            let island = Island { movers, couplings: ends.iter().map(coupled).collect() };
            let start: Vec<Twist> = island.movers.iter().map(|m| m.free).collect();
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| island.solve(&start))
            };
            let found = on(1);
            let worst = island.residuals(&found).into_iter().fold(0.0, f64::max);
            assert!(worst <= ENOUGH, "{hardness}: {worst}");
            assert_eq!(found, on(2));
        }
    }
}
