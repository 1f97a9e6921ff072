//! Reads joints, springs and networks: names become bodies, copies become chains and nets.

use super::choices::PinnedNodes;
use super::error::{Problems, nearest};
use super::limits::MAX_JOINTS;
use super::node::{Fields, SceneValue, TextSpan};
use super::orientation::direction;
use super::validate::short;
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{AxisSettings, ConstraintJointSpec, JointKind, JointSpec, JointType, Motor, SpringSpec};
use crate::model::{MotionSpec, Scene};
use std::collections::{HashMap, HashSet};

/// Repeated bodies by name.
pub(super) type Copies = HashMap<String, CopyGrid>;

/// The copies of a repeated body.
#[derive(Clone, Copy)]
pub(super) struct CopyGrid {
    /// Index of the first copy among all bodies; the others follow.
    pub(super) first: usize,
    /// Copies along each axis; the first axis runs fastest.
    pub(super) counts: [usize; 3],
}

impl CopyGrid {
    fn indices(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.counts.iter().product::<usize>()
    }
}

/// Indices of two bodies; the first may be the world instead.
#[derive(Clone, Copy)]
struct BodyPair {
    a: Option<usize>,
    b: usize,
}

/// The bodies of a scene by name, and the copies of repeated ones.
struct Lookup<'a> {
    scene: &'a Scene,
    indices: HashMap<&'a str, usize>,
    copies: &'a Copies,
}

/// Adds all joints and springs to `scene`, whose bodies have been read.
pub(super) fn read(fields: &Fields, copies: &Copies, scene: &mut Scene, problems: &mut Problems) {
    // First of all: a joint between two bodies that cannot move is refused, and pinned nodes cannot.
    for (_, table) in fields.tables("network").into_iter().flatten() {
        pin(table, copies, scene);
    }
    let indices = scene.bodies.iter().enumerate().map(|(i, b)| (b.name.as_str(), i)).collect();
    let lookup = Lookup { scene, indices, copies };
    let joints = all(fields, &lookup, problems);
    scene.joints = joints;
}

fn all(fields: &Fields, lookup: &Lookup, problems: &mut Problems) -> Vec<JointSpec> {
    type Reader = fn(&Fields, &TextSpan, &Lookup, &mut Problems) -> Option<Vec<JointSpec>>;
    const READERS: [(&str, Reader); 3] = [("joint", joint), ("spring", spring), ("network", network)];
    let mut used: HashSet<&str> = HashSet::new();
    let mut joints = Vec::new();
    for (key, read) in READERS {
        for (span, table) in fields.tables(key).into_iter().flatten() {
            if let Some(name) = table.text("name")
                && !used.insert(name)
            {
                let message = format!("two joints, springs or networks are named \"{}\"", short(name));
                problems.add(&table.span_of("name", span), message).help("give each a name of its own");
            }
            match read(table, span, lookup, problems) {
                Some(made) => joints.extend(made),
                None => problems.add_if_none(span, "this joint, spring or network cannot be read"),
            }
            if joints.len() > MAX_JOINTS {
                let message = format!("the scene has more than {MAX_JOINTS} joints and springs");
                problems.add(span, message).help("lower the reach of networks, or simulate in parts");
                return joints;
            }
        }
    }
    joints
}

impl Lookup<'_> {
    /// The body named at `key`.
    fn body(&self, fields: &Fields, key: &'static str, problems: &mut Problems) -> Option<usize> {
        let name = fields.text(key)?;
        if let Some(i) = self.indices.get(name.as_str()) {
            return Some(*i);
        }
        let remedy = problems.add(&fields.get(key)?.span, format!("there is no body \"{}\"", short(name)));
        if self.copies.contains_key(name) {
            remedy.help(format!("it is repeated: name a copy, \"{}-0\", or write each", short(name)));
        } else {
            remedy.did_you_mean(nearest(name, self.indices.keys().copied()));
        }
        None
    }

    /// The copies of the repeated body named at `key`.
    fn copies(&self, fields: &Fields, key: &'static str, problems: &mut Problems) -> Option<CopyGrid> {
        let name = fields.text(key)?;
        let found = self.copies.get(name).copied();
        if found.is_none() {
            let message = format!("there is no repeated body \"{}\"", short(name));
            let remedy = problems.add(&fields.get(key)?.span, message);
            match nearest(name, self.copies.keys().map(String::as_str)) {
                None => remedy.help("give a body a repeat"),
                near => remedy.did_you_mean(near),
            };
        }
        found
    }

    /// Pairs of one table: a and b, or each copy and the next.
    fn pairs(&self, fields: &Fields, span: &TextSpan, problems: &mut Problems) -> Option<Vec<BodyPair>> {
        if let Some(each) = fields.get("each") {
            if let Some(node) = fields.get("a").or(fields.get("b")) {
                problems.add(&node.span, "each connects copies to one another").help("remove a and b, or each");
                return None;
            }
            let copies = self.copies(fields, "each", problems)?;
            if copies.counts.iter().filter(|n| **n > 1).count() > 1 {
                let message = "each connects the copies of a row, and these are a grid";
                problems.add(&each.span, message).help("use a [[network]], or a row of copies");
                return None;
            }
            let pairs: Vec<_> = copies.indices().skip(1).map(|i| BodyPair { a: Some(i - 1), b: i }).collect();
            return pairs.iter().all(|p| self.is_legal(p, span, problems)).then_some(pairs);
        }
        if fields.get("b").is_none() {
            if !fields.broken {
                problems.add(span, "a joint or spring needs the key \"b\", or \"each\"").expected("the name of a body");
            }
            return None;
        }
        let b = self.body(fields, "b", problems);
        let a = match fields.get("a") {
            Some(_) => Some(self.body(fields, "a", problems)?),
            None => None,
        };
        let pair = BodyPair { a, b: b? };
        self.is_legal(&pair, span, problems).then(|| vec![pair])
    }

    /// Whether forces move body `i`.
    fn moves(&self, i: usize) -> bool {
        matches!(self.scene.bodies[i].motion, MotionSpec::Point { .. } | MotionSpec::Rigid { .. })
    }

    /// Whether a pair may be connected; notes the reason if not.
    fn is_legal(&self, pair: &BodyPair, span: &TextSpan, problems: &mut Problems) -> bool {
        if pair.a == Some(pair.b) {
            let message = format!("it connects \"{}\" to itself", self.scene.bodies[pair.b].name);
            problems.add(span, message).help("name two bodies, or leave a out for the world");
            return false;
        }
        if !self.moves(pair.b) && !pair.a.is_some_and(|a| self.moves(a)) {
            let message = "neither of its bodies is moved by forces";
            problems.add(span, message).help("let one have motion = \"rigid\" or \"point\"");
            return false;
        }
        true
    }
}

/// A joint of each pair, of the kind `kind` makes; `collide` is the default of its key.
fn specs(fields: &Fields, pairs: &[BodyPair], collide: bool, kind: impl Fn(BodyPair) -> JointKind) -> Vec<JointSpec> {
    let name = fields.text("name").cloned().unwrap_or_default();
    let break_force = fields.number("break_force").copied();
    let collide = fields.flag("collide").copied().unwrap_or(collide);
    let named = |n: usize| if pairs.len() == 1 { name.clone() } else { format!("{name}-{n}") };
    let one = |(n, &pair): (usize, &BodyPair)| {
        let BodyPair { a, b } = pair;
        JointSpec { name: named(n), a, b, kind: kind(pair), break_force, collide }
    };
    pairs.iter().enumerate().map(one).collect()
}

fn joint(fields: &Fields, span: &TextSpan, lookup: &Lookup, problems: &mut Problems) -> Option<Vec<JointSpec>> {
    let pairs = lookup.pairs(fields, span, problems)?;
    let (joint_type, node) = fields.chosen::<JointType>()?;
    let SceneValue::Table(form) = &node.value else { return None };
    let axis = match joint_type {
        JointType::Fixed => DVec3::Z,
        JointType::Ball | JointType::Hinge | JointType::Slider => direction(form, "axis", DVec3::Z, problems)?,
    };
    let axis_settings = axis_settings(joint_type, form, &node.span, problems)?;
    let at = *fields.vector("at")?;
    let bodies = &lookup.scene.bodies;
    let is_point = |i: usize| matches!(bodies[i].motion, MotionSpec::Point { .. });
    if pairs.iter().any(|p| is_point(p.b) || p.a.is_some_and(is_point)) {
        let help = "let it have motion = \"rigid\", or use a spring";
        problems.add(span, "a point mass does not turn, and cannot have joints").help(help);
        return None;
    }
    let first = pairs.first().and_then(|p| p.a);
    let kind = |pair: BodyPair| {
        // Joints between copies are shifted with them.
        let position = |i: Option<usize>| i.map_or(DVec3::ZERO, |i| bodies[i].placement.translation);
        let translation = at + position(pair.a) - position(first);
        let rotation = DQuat::from_rotation_arc(DVec3::Z, axis);
        JointKind::Constraint(ConstraintJointSpec {
            joint_type,
            placement: Frame { rotation, translation },
            axis_settings,
        })
    };
    Some(specs(fields, &pairs, false, kind))
}

fn axis_settings(kind: JointType, fields: &Fields, span: &TextSpan, problems: &mut Problems) -> Option<AxisSettings> {
    if kind == JointType::Fixed {
        return Some(AxisSettings::default());
    }
    let mut axis_settings = AxisSettings {
        stiffness: fields.number_or("stiffness", 0.0),
        damping: fields.number_or("damping", 0.0),
        ..AxisSettings::default()
    };
    if kind == JointType::Ball {
        axis_settings.limits = fields.number("cone").map(|cone| [0.0, *cone]);
        return Some(axis_settings);
    }
    axis_settings.rest = fields.number_or("rest", 0.0);
    axis_settings.limits = match (fields.number("least"), fields.number("most")) {
        (Some(&least), Some(&most)) if least > most => {
            let message = format!("least {least} is more than most {most}");
            problems.add(&fields.span_of("least", span), message).help("exchange them");
            return None;
        }
        (Some(&least), Some(&most)) => Some([least, most]),
        (None, None) => None,
        _ => {
            if !fields.broken {
                problems.add(span, "least and most go together").help("give both, or neither");
            }
            return None;
        }
    };
    if let Some(motor) = fields.fields("motor") {
        let strength = if kind == JointType::Hinge { "torque" } else { "force" };
        axis_settings.motor = Some(Motor { speed: *motor.number("speed")?, max_force: *motor.number(strength)? });
    }
    Some(axis_settings)
}

fn spring(fields: &Fields, span: &TextSpan, lookup: &Lookup, problems: &mut Problems) -> Option<Vec<JointSpec>> {
    let pairs = lookup.pairs(fields, span, problems)?;
    let ends = [fields.vector_or("from", DVec3::ZERO), fields.vector_or("to", DVec3::ZERO)];
    let spec = spring_spec(fields, ends, fields.number("rest_length").copied())?;
    Some(specs(fields, &pairs, true, |_| JointKind::Spring(spec)))
}

fn spring_spec(fields: &Fields, ends: [DVec3; 2], rest_length: Option<f64>) -> Option<SpringSpec> {
    Some(SpringSpec {
        ends,
        rest_length,
        stiffness: *fields.number("stiffness")?,
        damping: fields.number_or("damping", 0.0),
        rope: fields.flag("rope").copied().unwrap_or(false),
    })
}

fn network(fields: &Fields, span: &TextSpan, lookup: &Lookup, problems: &mut Problems) -> Option<Vec<JointSpec>> {
    let nodes = lookup.copies(fields, "nodes", problems)?;
    let spec = spring_spec(fields, [DVec3::ZERO; 2], None)?;
    let reach = *fields.number("reach")?;
    let first = nodes.first;
    let positions: Vec<DVec3> = lookup.scene.bodies[nodes.indices()].iter().map(|b| b.placement.translation).collect();
    let Some(near) = near(&positions, reach, |i, j| lookup.moves(first + i) || lookup.moves(first + j)) else {
        let message = format!("too many nodes are within {reach} m of each other");
        problems.add(&fields.span_of("reach", span), message).help("lower reach, or take fewer nodes");
        return None;
    };
    let pairs: Vec<_> = near.into_iter().map(|(i, j)| BodyPair { a: Some(first + i), b: first + j }).collect();
    if pairs.is_empty() {
        let message = format!("no two nodes are within {reach} m of each other, or none of them can move");
        problems.add(&fields.span_of("reach", span), message).help("raise reach, or pin fewer nodes");
        return None;
    }
    Some(specs(fields, &pairs, false, |_| JointKind::Spring(spec)))
}

/// Fixes the nodes of a network that are pinned.
fn pin(fields: &Fields, copies: &Copies, scene: &mut Scene) {
    let Some(nodes) = fields.text("nodes").and_then(|name| copies.get(name)) else { return };
    let pinned = fields.choice("pinned").unwrap_or(PinnedNodes::None);
    for (n, i) in nodes.indices().enumerate() {
        if is_pinned(n, nodes.counts, pinned) {
            scene.bodies[i].motion = MotionSpec::Fixed;
        }
    }
}

/// Whether node `n` of a grid is pinned. Axes with one node only do not count.
fn is_pinned(n: usize, counts: [usize; 3], pinned: PinnedNodes) -> bool {
    let index = [n % counts[0], n / counts[0] % counts[1], n / (counts[0] * counts[1])];
    let mut axes = (0..3).filter(|axis| counts[*axis] > 1);
    let at_end = |axis: usize| index[axis] == 0 || index[axis] + 1 == counts[axis];
    match pinned {
        PinnedNodes::None => false,
        PinnedNodes::Corners => axes.all(at_end),
        PinnedNodes::Border => axes.any(at_end),
    }
}

/// Pairs of positions within `reach` for which `keep` holds, sorted; none if they, or the candidates, are too many.
fn near(positions: &[DVec3], reach: f64, keep: impl Fn(usize, usize) -> bool) -> Option<Vec<(usize, usize)>> {
    let reach = reach * (1.0 + 1e-9);
    let cell = |p: DVec3| (p / reach).floor().to_array().map(|x| x as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let (mut pairs, mut candidates) = (Vec::new(), 0);
    for (j, &p) in positions.iter().enumerate() {
        let [x, y, z] = cell(p);
        for n in 0..27 {
            let by = |k: i64| n / k % 3 - 1;
            let neighbour = [x.saturating_add(by(1)), y.saturating_add(by(3)), z.saturating_add(by(9))];
            let close = cells.get(&neighbour).map_or(&[][..], Vec::as_slice);
            candidates += close.len();
            let close = close.iter();
            pairs.extend(close.filter(|i| positions[**i].distance(p) <= reach && keep(**i, j)).map(|i| (*i, j)));
        }
        if pairs.len() > MAX_JOINTS || candidates > 100 * MAX_JOINTS {
            return None;
        }
        cells.entry([x, y, z]).or_default().push(j);
    }
    pairs.sort_unstable();
    pairs.dedup();
    Some(pairs)
}
