//! Newton's system of an island: impulses and slopes constraint by constraint, then residual and Hessian body by body.
//!
//! Both parts are shared among threads where there is enough of them. Contributions to a body are summed by one task, in the
//! order of its constraints: the same bits for any number of threads.

use super::constraint::Constraint;
use super::impulse::Impulse;
use super::island::Island;
use super::mat6::{Mat6, Sym6, Vec6, dot};
use super::sparse::{BlockRows, Sparse};
use crate::math::lanes::{Pass, widest};
use crate::math::real::FourLanes;
use rayon::prelude::*;
use std::ops::Range;

/// Constraints, or bodies, that are worth a task of their own.
pub(super) const TASK_SIZE: usize = 64;

/// Evaluations of one line search at most; half of them halve the bracket.
const MAX_EVALUATIONS: usize = 20;

/// A step along Newton's direction is long enough when the directional derivative has fallen to this part. Smaller: more
/// evaluations. Larger: more of Newton's steps.
const LINE_SEARCH_TOLERANCE: f64 = 0.5;

/// Relative tolerances of the linear solver: while points begin and cease to slide, and after that. Smaller: more
/// conjugate gradients. Larger: more of Newton's steps.
const ROUGH_TOLERANCE: f64 = 0.1;
const FINE_TOLERANCE: f64 = 0.01;

/// A constraint at one of its bodies.
#[derive(Clone, Default)]
struct Incidence {
    constraint: usize,
    /// Index among the bodies of the constraint.
    end: usize,
    /// Ends of the constraint whose blocks lie in this one's row.
    couplings: Range<usize>,
}

/// Another body of a constraint, and the index of the block of both.
#[derive(Clone, Copy)]
struct Coupling {
    end: usize,
    block: usize,
}

/// Constraints at each body, by rows of the system.
struct Incidences {
    /// Entries of row `i` are `starts[i]..starts[i + 1]`, in the order of constraints.
    all: Vec<Incidence>,
    starts: Vec<usize>,
    couplings: Vec<Coupling>,
}

impl Incidences {
    fn new(island: &Island, sparse: &Sparse) -> Self {
        let count = island.bodies.len();
        let mut starts = vec![0; count + 1];
        for end in island.constraints.iter().flat_map(|c| c.bodies.as_slice()) {
            starts[sparse.row_of(end.body) + 1] += 1;
        }
        (0..count).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut all = vec![Incidence::default(); starts[count]];
        let mut couplings = Vec::with_capacity(island.constraints.len());
        for (constraint, c) in island.constraints.iter().enumerate() {
            let ends = c.bodies.as_slice();
            for (end, row) in ends.iter().map(|e| sparse.row_of(e.body)).enumerate() {
                let first = couplings.len();
                for (end, column) in ends.iter().map(|e| sparse.row_of(e.body)).enumerate() {
                    if column < row {
                        couplings.push(Coupling { end, block: sparse.find(row, column) });
                    }
                }
                all[next[row]] = Incidence { constraint, end, couplings: first..couplings.len() };
                next[row] += 1;
            }
        }
        Self { all, starts, couplings }
    }

    /// Constraints at the body of a row.
    #[inline(always)]
    fn of_row(&self, row: usize) -> &[Incidence] {
        &self.all[self.starts[row]..self.starts[row + 1]]
    }
}

/// Velocities of the bodies of an island, and the residual there.
pub(super) struct Iterate {
    pub v: Vec<Vec6>,
    pub residual: Vec<Vec6>,
}

pub(super) struct NewtonSystem<'a> {
    island: &'a Island<'a>,
    sparse: Sparse,
    /// Impulse of each constraint at the present motion of its bodies, and its slope.
    impulses: Vec<Impulse>,
    impulse_slopes: Vec<Sym6>,
    /// Regularisation the slopes were computed with.
    regularisation: f64,
    /// Bodies in the order of rows.
    order: Vec<usize>,
    incidences: Incidences,
}

impl<'a> NewtonSystem<'a> {
    pub(super) fn new(island: &'a Island<'a>) -> Self {
        let count = island.bodies.len();
        let pairs = island.constraints.iter().flat_map(Constraint::body_pairs);
        let sparse = Sparse::new(count, pairs, island.has_joints());
        let mut order = vec![0; count];
        (0..count).for_each(|i| order[sparse.row_of(i)] = i);
        let incidences = Incidences::new(island, &sparse);
        let constraints = island.constraints.len();
        Self {
            island,
            sparse,
            impulses: vec![Impulse::default(); constraints],
            impulse_slopes: vec![[0.0; 21]; constraints],
            regularisation: 0.0,
            order,
            incidences,
        }
    }

    /// Evaluates impulses and slopes at `v`. Returns the residual there.
    pub(super) fn set(&mut self, v: &[Vec6], regularisation: f64) -> Vec<Vec6> {
        self.regularisation = regularisation;
        let island = self.island;
        let pass = |((constraints, impulses), impulse_slopes): ((&[Constraint], &mut [Impulse]), &mut [Sym6])| {
            widest(Evaluate { island, constraints, impulses, impulse_slopes, v, regularisation });
        };
        if island.constraints.len() < 2 * TASK_SIZE {
            pass(((&island.constraints, &mut self.impulses), &mut self.impulse_slopes));
        } else {
            let responses = self.impulses.par_chunks_mut(TASK_SIZE);
            island
                .constraints
                .par_chunks(TASK_SIZE)
                .zip(responses)
                .zip(self.impulse_slopes.par_chunks_mut(TASK_SIZE))
                .for_each(pass);
        }
        let mut residual = vec![[0.0; 6]; v.len()];
        residual.par_iter_mut().with_min_len(TASK_SIZE).enumerate().for_each(|(i, own)| *own = self.residual(i, v));
        residual
    }

    /// Residual of body `i` at `v`, with the latest impulses of its constraints.
    fn residual(&self, i: usize, v: &[Vec6]) -> Vec6 {
        let (island, row) = (self.island, self.sparse.row_of(i));
        let mut residual = island.momentum_gap(i, v);
        for &Incidence { constraint, end, .. } in self.incidences.of_row(row) {
            island.add_impulse(&island.constraints[constraint].bodies[end], &self.impulses[constraint], &mut residual);
        }
        residual
    }

    /// Copies the latest impulses and slopes to the system of a `part`, whose constraints are these of the whole.
    pub(super) fn gather_from(&self, part: &mut NewtonSystem, constraints: &[usize]) {
        part.regularisation = self.regularisation;
        for (n, &whole) in constraints.iter().enumerate() {
            (part.impulses[n], part.impulse_slopes[n]) = (self.impulses[whole], self.impulse_slopes[whole]);
        }
    }

    /// Copies the latest impulses and slopes of a `part` back, and updates `residual` of these bodies.
    pub(super) fn scatter_to(
        &mut self,
        part: &NewtonSystem,
        constraints: &[usize],
        some: &[bool],
        iterate: &mut Iterate,
    ) {
        for (n, &whole) in constraints.iter().enumerate() {
            (self.impulses[whole], self.impulse_slopes[whole]) = (part.impulses[n], part.impulse_slopes[n]);
        }
        let Iterate { v, residual } = iterate;
        (0..v.len()).filter(|i| some[*i]).for_each(|i| residual[i] = self.residual(i, v));
    }

    /// Newton's direction where the system was set and has this `residual`, to a tolerance.
    pub(super) fn solve(&mut self, residual: &[Vec6]) -> Vec<Vec6> {
        let Self { island, sparse, impulse_slopes, order, incidences, .. } = self;
        Assembly { island, impulse_slopes, order, incidences }.fill(sparse.rows());
        self.sparse.solve(residual, if self.regularisation > 0.0 { ROUGH_TOLERANCE } else { FINE_TOLERANCE })
    }

    /// Line search from `iterate` along Newton's `direction`: the full step, or a shorter one where the directional
    /// derivative, which is monotone, is small. Updates the system and the residual.
    pub(super) fn line_search(&mut self, iterate: &mut Iterate, direction: &[Vec6], regularisation: f64) {
        let Iterate { v, residual } = iterate;
        let along = |residual: &[Vec6]| direction.iter().zip(residual).map(|(d, s)| dot(d, s)).sum::<f64>();
        let first = along(residual);
        let (mut low, mut high, mut at) = ((0.0, first), None, 0.0);
        for part in 0..MAX_EVALUATIONS {
            let to = match high {
                None => 1.0,
                // False position, and every other time the middle.
                Some((end, last)) if part % 2 == 1 => (low.1 * end - last * low.0) / (low.1 - last),
                Some((end, _)) => 0.5 * (low.0 + end),
            };
            v.iter_mut().zip(direction).for_each(|(v, d)| (0..6).for_each(|i| v[i] += (to - at) * d[i]));
            at = to;
            *residual = self.set(v, regularisation);
            let left = along(residual);
            if left.is_nan() || left.abs() <= LINE_SEARCH_TOLERANCE * first || high.is_none() && left > 0.0 {
                break;
            }
            if left > 0.0 {
                low = (to, left);
            } else {
                high = Some((to, left));
            }
        }
    }

    /// `some` bodies, and all that constraints couple them with.
    pub(super) fn with_neighbours(&self, some: &[bool]) -> Vec<bool> {
        let mut all = some.to_vec();
        for c in &self.island.constraints {
            let ends = c.bodies.as_slice();
            if ends.iter().any(|e| some[e.body]) {
                ends.iter().for_each(|e| all[e.body] = true);
            }
        }
        all
    }
}

/// Impulses and slopes of some constraints, in lanes.
struct Evaluate<'a> {
    island: &'a Island<'a>,
    constraints: &'a [Constraint<'a>],
    impulses: &'a mut [Impulse],
    impulse_slopes: &'a mut [Sym6],
    v: &'a [Vec6],
    regularisation: f64,
}

impl Pass for Evaluate<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: FourLanes>(self) {
        let Self { island, constraints, impulses, impulse_slopes, v, regularisation } = self;
        for ((c, impulse), impulse_slope) in constraints.iter().zip(impulses).zip(impulse_slopes) {
            (*impulse, *impulse_slope) = c.impulse_and_slope(island.motion(c, v), regularisation);
        }
    }
}

/// Data the rows are filled from.
#[derive(Clone, Copy)]
struct Assembly<'a> {
    island: &'a Island<'a>,
    impulse_slopes: &'a [Sym6],
    order: &'a [usize],
    incidences: &'a Incidences,
}

impl Assembly<'_> {
    /// Halves until a half is no more worth a task.
    fn fill(self, rows: BlockRows) {
        let count = rows.diagonal.len();
        if count < 2 * TASK_SIZE {
            return widest(Fill { assembly: self, rows });
        }
        let (first, last) = rows.split(count / 2);
        rayon::join(|| self.fill(first), || self.fill(last));
    }
}

/// Some rows, in lanes.
struct Fill<'a> {
    assembly: Assembly<'a>,
    rows: BlockRows<'a>,
}

impl Pass for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: FourLanes>(self) {
        let Self { assembly, rows } = self;
        let island = assembly.island;
        rows.blocks.fill(Mat6::ZERO);
        for (k, own) in rows.diagonal.iter_mut().enumerate() {
            let row = rows.first + k;
            let body = &island.bodies[assembly.order[row]];
            let (mut diagonal, turns) = (body.block(), body.turns());
            for Incidence { constraint, end, couplings } in assembly.incidences.of_row(row) {
                let ends = island.constraints[*constraint].bodies.as_slice();
                let (own, impulse_slope) = (&ends[*end], &Mat6::from_upper(&assembly.impulse_slopes[*constraint]));
                own.add_block(own, impulse_slope, [turns; 2], &mut diagonal);
                for &Coupling { end, block } in &assembly.incidences.couplings[couplings.clone()] {
                    let (other, block) = (&ends[end], &mut rows.blocks[block - rows.first_block]);
                    own.add_block(other, impulse_slope, [turns, island.bodies[other.body].turns()], block);
                }
            }
            *own = diagonal;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::constraint_body::{ConstraintBodies, ConstraintBody};
    use super::super::contact_points::{ContactPoints, PatchStep, PointPack, random_packs};
    use super::super::island::SolverBody;
    use super::super::mat6::{parts, vec6};
    use super::super::row::Row;
    use super::*;
    use crate::bodies::{JointAxis, Twist};
    use crate::math::{DMat3, DVec3, Random};

    impl NewtonSystem<'_> {
        /// The Hessian at the velocities it was set at, times `v`.
        fn hessian_times(&mut self, v: &[Vec6]) -> Vec<Vec6> {
            let Self { island, sparse, impulse_slopes, order, incidences, .. } = self;
            Assembly { island, impulse_slopes, order, incidences }.fill(sparse.rows());
            self.sparse.product(v)
        }
    }

    /// Ends at `reference` of bodies with these centres and shares.
    fn ends(reference: DVec3, centers: &[DVec3], weights: &[(usize, f64)]) -> ConstraintBodies {
        weights.iter().map(|&(body, weight)| ConstraintBody { body, arm: reference - centers[body], weight }).collect()
    }

    /// Four bodies, one of which does not turn, and two constraints: a patch of which two bodies make up one side, and a
    /// spring between the mean of two bodies and that of two others.
    struct Scene {
        centers: Vec<DVec3>,
        bodies: Vec<SolverBody>,
        packs: Vec<PointPack>,
        patch_ends: ConstraintBodies,
        spring_ends: ConstraintBodies,
    }

    impl Scene {
        fn random(random: &mut Random) -> Self {
            let centers: Vec<DVec3> = (0..4).map(|_| random.vector()).collect();
            let body = |i: usize, random: &mut Random| SolverBody {
                mass: 0.5 + random.unit(),
                inertia: if i == 3 { DMat3::ZERO } else { DMat3::from_diagonal(DVec3::splat(0.1 + random.unit())) },
                free: Twist { linear: random.vector(), angular: random.vector() },
            };
            let bodies = (0..4).map(|i| body(i, random)).collect();
            let packs = random_packs(random, 5, [1.0, 1.0]);
            let patch_ends = ends(random.vector(), &centers, &[(0, -0.3), (1, -0.7), (2, 1.0)]);
            let spring_ends = ends(random.vector(), &centers, &[(2, 0.5), (3, 0.5), (0, -0.5), (1, -0.5)]);
            Self { centers, bodies, packs, patch_ends, spring_ends }
        }

        fn island(&self) -> Island<'_> {
            let step = PatchStep {
                implicit_dt: 1.0,
                damping: 0.1,
                slope_growth: 0.5,
                explicit_shear: [DVec3::ZERO; 2],
                shear_per_speed: 2.0,
            };
            let points = ContactPoints { step, packs: &self.packs };
            let axis = JointAxis { linear: DVec3::new(0.6, 0.0, 0.8), angular: DVec3::new(0.1, 0.2, 0.0) };
            let row = Row { bias: 0.3, ..Row::along_axis(&axis, 3.0) };
            let constraints = vec![
                Constraint::of_points(self.patch_ends.clone(), [DVec3::ZERO; 2], points),
                Constraint::of_rows(self.spring_ends.clone(), [DVec3::ZERO; 2], vec![row]),
            ];
            Island { bodies: self.bodies.clone(), constraints }
        }
    }

    /// By central differences; kinks are where the random motions are not.
    #[test]
    fn the_hessian_of_constraints_with_three_and_four_ends_is_the_negative_derivative_of_the_residual() {
        let mut random = Random(17);
        for _ in 0..20 {
            let scene = Scene::random(&mut random);
            let island = scene.island();
            let mut system = NewtonSystem::new(&island);
            let v: Vec<Vec6> = island.bodies.iter().map(|b| vec6(b.free.linear, b.free.angular)).collect();
            for column in 0..24 {
                // A body that does not turn has no degrees of freedom there.
                if column >= 21 {
                    continue;
                }
                let mut at = |by: f64| {
                    let mut moved = v.clone();
                    moved[column / 6][column % 6] += by;
                    system.set(&moved, 0.0)
                };
                let (low, high) = (at(-1e-6), at(1e-6));
                system.set(&v, 0.0);
                let mut unit = vec![[0.0; 6]; 4];
                unit[column / 6][column % 6] = 1.0;
                let product = system.hessian_times(&unit);
                for (i, k) in (0..4).flat_map(|i| (0..6).map(move |k| (i, k))) {
                    let rate = -(high[i][k] - low[i][k]) / 2e-6;
                    assert!((rate - product[i][k]).abs() < 1e-6, "{column}: {rate} {}", product[i][k]);
                }
            }
        }
    }

    /// Shares of a constraint add up to nothing, so that it gives no momentum, linear or angular; but for the body that does
    /// not turn, whose spin is not moved.
    #[test]
    fn constraints_with_three_and_four_ends_conserve_momentum() {
        let mut random = Random(18);
        for _ in 0..20 {
            let mut scene = Scene::random(&mut random);
            scene.bodies[3].inertia = DMat3::IDENTITY;
            let island = scene.island();
            let momentum = |twists: &[Twist]| {
                let mut sum = [DVec3::ZERO; 2];
                for ((body, v), center) in scene.bodies.iter().zip(twists).zip(&scene.centers) {
                    sum[0] += body.mass * v.linear;
                    sum[1] += body.inertia * v.angular + center.cross(body.mass * v.linear);
                }
                sum
            };
            let free: Vec<Twist> = island.bodies.iter().map(|b| b.free).collect();
            let mut residual = vec![DVec3::ZERO; 2];
            let mut system = NewtonSystem::new(&island);
            let v: Vec<Vec6> = free.iter().map(|t| vec6(t.linear, t.angular)).collect();
            for (impulse, center) in system.set(&v, 0.0).iter().zip(&scene.centers) {
                let [linear, angular] = parts(impulse);
                residual[0] += linear;
                residual[1] += angular + center.cross(linear);
            }
            assert!(residual.iter().all(|r| r.length() < 1e-12), "{residual:?}");
            let (found, _) = island.solve(&free);
            assert_ne!(found, free);
            let change = [0, 1].map(|k| (momentum(&found)[k] - momentum(&free)[k]).length());
            assert!(change[0] < 1e-4 && change[1] < 1e-4, "{change:?}");
        }
    }

    /// A damper of slope k between the mean of two bodies and a third, of mass m each: its speed w falls to `w / (1 +
    /// k/μ)` with the effective mass `1/μ = (¼ + ¼ + 1)/m`.
    #[test]
    fn a_row_between_the_mean_of_two_bodies_and_a_third_has_their_effective_mass() {
        let (mass, impulse_slope) = (2.0, 5.0);
        let body = |speed: f64| SolverBody {
            mass,
            inertia: DMat3::ZERO,
            free: Twist { linear: speed * DVec3::X, angular: DVec3::ZERO },
        };
        let axis = JointAxis { linear: DVec3::X, angular: DVec3::ZERO };
        let weights = [(0, -0.5), (1, -0.5), (2, 1.0)];
        let ends = ends(DVec3::ZERO, &[DVec3::ZERO; 3], &weights);
        let damper = Constraint::of_rows(ends, [DVec3::ZERO; 2], vec![Row::along_axis(&axis, impulse_slope)]);
        let island = Island { bodies: vec![body(0.4), body(-0.2), body(1.0)], constraints: vec![damper] };
        let free: Vec<Twist> = island.bodies.iter().map(|b| b.free).collect();
        let (found, _) = island.solve(&free);
        let x: Vec<f64> = found.iter().map(|t| t.linear.x).collect();
        let wanted = 0.9 / (1.0 + impulse_slope * 1.5 / mass);
        assert!((x[2] - 0.5 * (x[0] + x[1]) - wanted).abs() < 1e-4, "{x:?}, not {wanted}");
        // Each of the two takes half the impulse.
        assert!((x[0] - 0.4 - (x[1] + 0.2)).abs() < 1e-12 && (x[0] - 0.4 + 0.5 * (x[2] - 1.0)).abs() < 1e-4, "{x:?}");
    }
}
