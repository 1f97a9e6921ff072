//! Minimisation of one island: Newton's method, on parts of it where only few bodies are left with a residual.

use super::constraint::Constraint;
use super::island::Island;
use super::mat6::{Vec6, parts, vec6};
use super::newton::{Iterate, NewtonSystem};
use crate::bodies::Twist;
#[cfg(test)]
use crate::math::lanes::{Pass, widest};
#[cfg(test)]
use crate::math::real::FourLanes;

/// Newton's steps at most; a few do unless friction begins and ends to slide all over.
const MAX_NEWTON_STEPS: usize = 60;

/// Velocities are right when the residual would change none by more than this fraction of the fastest.
const NEWTON_TOLERANCE: f64 = 1e-5;

/// Below this fraction of the fastest velocity Newton's own steps are taken.
const FULL_STEP_RESIDUAL: f64 = 0.1;

/// Above it, sliding friction is taken to grow with speed by this fraction of what holding friction does. Less: steps
/// too long, which the line search shortens. More: many short ones.
const REGULARISATION: f64 = 0.5;

/// If fewer than one body in `PARTIAL_RATIO` has a residual above `PARTIAL_RESIDUAL` times the greatest, only those are
/// iterated, until theirs are below it.
const PARTIAL_RATIO: usize = 4;
const PARTIAL_RESIDUAL: f64 = 0.3;

/// Partial solutions in a row at most. Residuals that spread to neighbours need a step of the whole island.
const MAX_PARTIAL_SOLVES: usize = 8;

/// Speeds that residuals are compared with, m/s.
#[derive(Clone, Copy)]
struct Bounds {
    /// Greatest relative speed of coupled bodies.
    fastest: f64,
    /// Residual allowed.
    tolerance: f64,
}

/// [`Island::residual_speeds`] in lanes.
#[cfg(test)]
struct Residuals<'a> {
    island: &'a Island<'a>,
    v: &'a [Twist],
}

#[cfg(test)]
impl Pass for Residuals<'_> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn run<V: FourLanes>(self) -> Vec<f64> {
        self.island.residual_speeds(self.v)
    }
}

impl<'a> Island<'a> {
    /// Velocities at which momentum is balanced, from the guess `start`, and the number of Newton iterations.
    pub fn solve(&self, start: &[Twist]) -> (Vec<Twist>, usize) {
        let v: Vec<Vec6> = start.iter().map(|t| vec6(t.linear, t.angular)).collect();
        let mut system = NewtonSystem::new(self);
        let residual = system.set(&v, REGULARISATION);
        let mut iterate = Iterate { v, residual };
        let fastest = self.fastest();
        let bounds = Bounds { fastest, tolerance: NEWTON_TOLERANCE * fastest };
        let count = self.minimise(&mut system, &mut iterate, bounds);
        (iterate.v.iter().map(parts).map(|[linear, angular]| Twist { linear, angular }).collect(), count)
    }

    /// Newton's method from `iterate`, at which `system` is evaluated, until no residual exceeds the bounds; the number of
    /// iterations.
    fn minimise(&self, system: &mut NewtonSystem, iterate: &mut Iterate, bounds: Bounds) -> usize {
        let Bounds { fastest, tolerance } = bounds;
        let mut local = 0;
        for iteration in 0..MAX_NEWTON_STEPS {
            let changes: Vec<f64> = self.bodies.iter().zip(&iterate.residual).map(|(m, s)| m.speed_change(s)).collect();
            let worst = changes.iter().copied().fold(0.0, f64::max);
            if worst.is_nan() || worst <= tolerance {
                return iteration;
            }
            let bound = tolerance.max(PARTIAL_RESIDUAL * worst);
            let wrong: Vec<bool> = changes.iter().map(|k| *k > bound).collect();
            let few = |some: &[bool]| PARTIAL_RATIO * count(some) <= self.bodies.len();
            let partial = local < MAX_PARTIAL_SOLVES && few(&wrong) && !self.has_joints();
            if let Some(some) = partial.then(|| system.with_neighbours(&wrong)).filter(|some| few(some)) {
                local += 1;
                self.minimise_part(&some, system, iterate, Bounds { fastest, tolerance: bound });
                continue;
            }
            // Newton's own steps are for where few points begin or cease to slide.
            let near = worst <= FULL_STEP_RESIDUAL * fastest;
            let direction = system.solve(&iterate.residual);
            local = 0;
            system.line_search(iterate, &direction, if near { 0.0 } else { REGULARISATION });
        }
        MAX_NEWTON_STEPS
    }

    /// The same for `some` bodies; the others go on as they do.
    fn minimise_part(&self, some: &[bool], system: &mut NewtonSystem, iterate: &mut Iterate, bounds: Bounds) {
        let v = &mut iterate.v;
        let chosen: Vec<usize> = (0..v.len()).filter(|i| some[*i]).collect();
        let mut indices = vec![None; v.len()];
        chosen.iter().enumerate().for_each(|(n, i)| indices[*i] = Some(n));
        let concerned = |c: &Constraint| c.bodies.iter().any(|e| some[e.body]);
        let concerned: Vec<usize> = (0..self.constraints.len()).filter(|n| concerned(&self.constraints[*n])).collect();
        let part = Self {
            bodies: chosen.iter().map(|i| self.bodies[*i].clone()).collect(),
            constraints: concerned.iter().map(|n| self.constraints[*n].for_part(&indices, v)).collect(),
        };
        let of_part = |all: &[Vec6]| chosen.iter().map(|i| all[*i]).collect();
        let mut own = Iterate { v: of_part(v), residual: of_part(&iterate.residual) };
        let mut inner = NewtonSystem::new(&part);
        system.gather_from(&mut inner, &concerned);
        part.minimise(&mut inner, &mut own, bounds);
        chosen.iter().zip(own.v).for_each(|(i, o)| v[*i] = o);
        let changed = system.with_neighbours(some);
        system.scatter_to(&inner, &concerned, &changed, iterate);
    }

    /// Change of velocity that the residual of each body at `v` amounts to, against the fastest.
    #[cfg(test)]
    fn residuals(&self, v: &[Twist]) -> Vec<f64> {
        widest(Residuals { island: self, v })
    }

    #[cfg(test)]
    #[inline(always)]
    fn residual_speeds(&self, v: &[Twist]) -> Vec<f64> {
        let v: Vec<Vec6> = v.iter().map(|t| vec6(t.linear, t.angular)).collect();
        let mut residual: Vec<Vec6> = (0..v.len()).map(|i| self.momentum_gap(i, &v)).collect();
        for c in &self.constraints {
            let impulse = c.impulse(self.motion(c, &v));
            c.bodies.iter().for_each(|e| self.add_impulse(e, &impulse, &mut residual[e.body]));
        }
        let fastest = self.fastest();
        self.bodies.iter().zip(&residual).map(|(m, s)| m.speed_change(s) / fastest).collect()
    }
}

fn count(some: &[bool]) -> usize {
    some.iter().filter(|s| **s).count()
}

#[cfg(test)]
mod tests {
    use super::super::constraint_body::{ConstraintBodies, ConstraintBody};
    use super::super::contact_points::{ContactPoints, PatchStep, PointPack, random_packs};
    use super::super::island::SolverBody;
    use super::*;
    use crate::math::Random;
    use crate::math::{DMat3, DVec3};

    /// Ends of a constraint, and its points.
    struct Patch {
        bodies: ConstraintBodies,
        step: PatchStep,
        packs: Vec<PointPack>,
    }

    impl Patch {
        fn constraint(&self) -> Constraint<'_> {
            let points = ContactPoints { step: self.step, packs: &self.packs };
            Constraint::of_points(self.bodies.clone(), [DVec3::ZERO; 2], points)
        }
    }

    /// Bodies in a ring, pressed against their neighbours and some against the ground, one of which does not turn: at the
    /// velocities found, momentum is balanced for each.
    #[test]
    fn momentum_is_balanced_where_a_ring_of_bodies_comes_to() {
        let mut random = Random(21);
        for _ in 0..20 {
            let count = 7;
            let bodies = (0..count).map(|i| SolverBody {
                mass: 10f64.powf(4.0 * random.unit() - 2.0),
                inertia: if i == 3 { DMat3::ZERO } else { DMat3::from_diagonal(DVec3::splat(0.1 + random.unit())) },
                free: Twist { linear: random.vector(), angular: random.vector() },
            });
            let bodies: Vec<SolverBody> = bodies.collect();
            let mut patches = Vec::new();
            for i in 0..2 * count {
                let other = (i < count).then_some((i + 1) % count);
                let step = PatchStep {
                    implicit_dt: 1.0,
                    damping: 0.1 * random.unit(),
                    slope_growth: random.unit(),
                    explicit_shear: [random.vector(), random.vector()],
                    shear_per_speed: 10.0 * random.unit(),
                };
                let impulse_slope = 10f64.powf(6.0 * random.unit() - 3.0);
                let packs = random_packs(&mut random, 9, [1.0, impulse_slope]);
                let ends = ConstraintBody::of_sides([Some(i % count), other], [random.vector(), random.vector()]);
                patches.push(Patch { bodies: ends, step, packs });
            }
            let island = Island { bodies, constraints: patches.iter().map(Patch::constraint).collect() };
            let start: Vec<Twist> = island.bodies.iter().map(|m| m.free).collect();
            let (found, _) = island.solve(&start);
            let worst = island.residuals(&found).into_iter().fold(0.0, f64::max);
            assert!(worst <= NEWTON_TOLERANCE, "{worst}");
            assert_eq!(found[3].angular, start[3].angular, "does not turn");
        }
    }

    /// A long row of bodies at rest but for a blow at one end, soft, then so stiff that it is handed on to the other; each
    /// patch between two bodies, or between the mean of two and a third. Parts are solved, and the whole; on one thread or
    /// two, to the same bits.
    #[test]
    fn a_large_island_comes_to_balance_in_parts_and_on_any_number_of_threads() {
        for (impulse_slope, several) in [(5.0, false), (1e5, false), (5.0, true), (1e5, true)] {
            let mut random = Random(5);
            let count = 300;
            let body = |i: usize, random: &mut Random| SolverBody {
                mass: 1.0,
                inertia: DMat3::from_diagonal(DVec3::splat(0.01)),
                free: Twist {
                    linear: if i < 3 { random.vector() } else { 1e-3 * random.vector() },
                    angular: DVec3::ZERO,
                },
            };
            let bodies: Vec<SolverBody> = (0..count).map(|i| body(i, &mut random)).collect();
            let mut patches = Vec::new();
            for i in 0..count - 1 {
                let normal = random.vector().normalize();
                let arms = [0.1 * normal, -0.1 * normal];
                let step = PatchStep {
                    implicit_dt: 1.0,
                    damping: 0.01,
                    slope_growth: 0.2,
                    explicit_shear: [DVec3::ZERO; 2],
                    shear_per_speed: 30.0,
                };
                let packs = random_packs(&mut random, 3, [0.01, impulse_slope]);
                let mut ends = ConstraintBody::of_sides([Some(i), Some(i + 1)], arms);
                if several && i + 2 < count {
                    ends[0].weight = -0.5;
                    ends.push(ConstraintBody { body: i + 2, weight: -0.5, ..ends[0] });
                }
                patches.push(Patch { bodies: ends, step, packs });
            }
            let island = Island { bodies, constraints: patches.iter().map(Patch::constraint).collect() };
            let start: Vec<Twist> = island.bodies.iter().map(|m| m.free).collect();
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| island.solve(&start).0)
            };
            let found = on(1);
            let worst = island.residuals(&found).into_iter().fold(0.0, f64::max);
            assert!(worst <= NEWTON_TOLERANCE, "{impulse_slope}, {several}: {worst}");
            assert_eq!(found, on(2));
        }
    }
}
