//! Islands: links connected by contacts and joints.

use super::connectivity::groups;
use super::joint_rows::JointStep;
use super::linearized_contacts::LinearizedContacts;
use super::solution::Solution;
use super::solver::{Island, SolverBody};
use super::step_data::{Step, StepContext};
use crate::bodies::{LinkId, PerLink, Twist};
use crate::state::{Contact, MIN_PARALLEL, Sim};
use rayon::prelude::*;

/// An island, and the links and joints in it.
pub(super) struct IslandLinks<'a> {
    pub island: Island<'a>,
    pub links: Vec<LinkId>,
    pub joints: Vec<IslandJoint>,
}

/// A joint in an island.
pub(super) struct IslandJoint {
    /// Index of its constraint in the island.
    pub constraint: usize,
    /// Index among the joints of the step.
    pub joint: usize,
    /// Bodies of the island at its two sides.
    pub bodies: [Option<usize>; 2],
}

impl IslandLinks<'_> {
    /// Entries of `all` that are its links'.
    pub fn select(&self, all: &PerLink<Twist>) -> Vec<Twist> {
        self.links.iter().map(|i| all[*i]).collect()
    }
}

/// Link `i` as the solver has it.
pub(super) fn solver_body(sim: Sim, step: &Step, i: LinkId) -> SolverBody {
    let mass = sim.link(i).mass().unwrap_or(f64::INFINITY);
    SolverBody { mass, inertia: step.inertia[i], free: step.free[i] }
}

/// Islands of `active` links with the constraints of their contacts and joints.
pub(super) fn build<'a>(
    context: StepContext,
    linearized: &'a LinearizedContacts,
    solution: &Solution,
    active: &PerLink<bool>,
) -> Vec<IslandLinks<'a>> {
    let StepContext { sim, step } = context;
    let (mut islands, index) = gather(sim, &groups(sim, active), |i| solver_body(sim, step, i));
    let known = || sim.contacts().iter().zip(&linearized.each).filter_map(|(c, r)| Some((c, r.known()?)));
    let island_of = |c: &Contact| sim.links_of(&c.pair).iter().find_map(|i| index[*i]).map(|p| p.0);
    let mut counts = vec![0; islands.len()];
    known().filter_map(|(c, _)| island_of(c)).for_each(|island| counts[island] += 1);
    let island_of_joint =
        |joint: &JointStep| sim.model.joints()[joint.joint].links.iter().flatten().find_map(|i| index[*i]).map(|p| p.0);
    solution.joints.iter().filter_map(island_of_joint).for_each(|island| counts[island] += 1);
    islands.iter_mut().zip(counts).for_each(|(members, count)| members.island.constraints.reserve_exact(count));
    for (c, linear) in known() {
        let Some(island) = island_of(c) else { continue };
        let bodies = sim.links_of(&c.pair).map(|i| index[i].map(|p| p.1));
        islands[island].island.constraints.push(linearized.constraint(linear, bodies));
    }
    for (at, joint) in solution.joints.iter().enumerate() {
        let sides = sim.model.joints()[joint.joint].links;
        let Some(island) = island_of_joint(joint) else { continue };
        let bodies = sides.map(|i| i.and_then(|i| index[i]).map(|p| p.1));
        let members = &mut islands[island];
        members.joints.push(IslandJoint { constraint: members.island.constraints.len(), joint: at, bodies });
        members.island.constraints.push(joint.constraint(context, &solution.velocities, bodies));
    }
    islands
}

/// Index of its island, and index in the island, of each link that is in one.
type IslandIndex = PerLink<Option<(usize, usize)>>;

/// Groups links into islands, without constraints yet. `groups[i]` is the representative link of i's island, or none.
pub(super) fn gather<'a>(
    sim: Sim,
    groups: &PerLink<Option<LinkId>>,
    body: impl Fn(LinkId) -> SolverBody,
) -> (Vec<IslandLinks<'a>>, IslandIndex) {
    let mut islands: Vec<IslandLinks> = Vec::new();
    let mut index = sim.model.per_link(None);
    let mut islands_of_groups = sim.model.per_link(None);
    for (i, group) in groups.iter_enumerated() {
        let Some(group) = *group else { continue };
        let island = *islands_of_groups[group].get_or_insert_with(|| {
            islands.push(IslandLinks { island: Island::default(), links: Vec::new(), joints: Vec::new() });
            islands.len() - 1
        });
        let members = &mut islands[island];
        index[i] = Some((island, members.links.len()));
        members.links.push(i);
        members.island.bodies.push(body(i));
    }
    (islands, index)
}

/// Velocities that balance each island; those of `active` links in none of them are free. Returns the Newton iterations.
pub(super) fn solve(
    islands: &[IslandLinks],
    free: &PerLink<Twist>,
    active: &PerLink<bool>,
    velocities: &mut PerLink<Twist>,
) -> u64 {
    let one = |m: &IslandLinks| m.island.solve(&m.select(velocities));
    let many = islands.len() > 1 && islands.iter().map(|m| m.island.constraints.len()).sum::<usize>() > MIN_PARALLEL;
    let found: Vec<(Vec<Twist>, usize)> =
        if many { islands.par_iter().map(one).collect() } else { islands.iter().map(one).collect() };
    free.iter_enumerated().filter(|(i, _)| active[*i]).for_each(|(i, v)| velocities[i] = *v);
    let mut iterations = 0;
    for (members, (found, count)) in islands.iter().zip(found) {
        members.links.iter().zip(found).for_each(|(i, v)| velocities[*i] = v);
        iterations += count as u64;
    }
    iterations
}
