//! Reading joints, springs and networks: names become bodies, copies become chains and nets.

use super::MOST_JOINTS;
use super::body::direction;
use super::error::{Problems, nearest};
use super::node::{Fields, Span};
use super::walk::short;
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{FrameJointSpec, Freedom, JointKind, JointSpec, Motor, SpringSpec, Travel};
use crate::model::{MotionSpec, Scene};
use std::collections::{HashMap, HashSet};

/// Where the copies of a repeated body begin among all bodies, and how many there are along each axis.
pub(super) type Copies = HashMap<String, (usize, [usize; 3])>;

/// Bodies by name, and what copies there are.
struct Names<'a> {
    bodies: HashMap<String, usize>,
    copies: &'a Copies,
}

/// Everything that joints the bodies of `scene`, which has been read so far.
pub(super) fn read(fields: &Fields, copies: &Copies, scene: &mut Scene, problems: &mut Problems) {
    let bodies = scene.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect();
    let names = Names { bodies, copies };
    // What is pinned cannot be joined to what is.
    for (_, table) in fields.tables("network").into_iter().flatten() {
        pin(table, copies, scene);
    }
    let mut used: HashSet<String> = HashSet::new();
    for key in ["joint", "spring", "network"] {
        for (span, table) in fields.tables(key).into_iter().flatten() {
            if let Some(name) = table.text("name")
                && !used.insert(name.clone())
            {
                let message = format!("two joints, springs or networks are named \"{}\"", short(name));
                problems.add(&table.span_of("name", span), message).help("give each a name of its own");
            }
            let made = match key {
                "joint" => joint(table, span, (&names, scene), problems),
                "spring" => spring(table, span, (&names, scene), problems),
                _ => network(table, span, (&names, scene), problems),
            };
            scene.joints.extend(made.unwrap_or_default());
            if scene.joints.len() > MOST_JOINTS {
                let message = format!("the scene has more than {MOST_JOINTS} joints and springs");
                problems.add(span, message).help("lower the reach of networks, or simulate in parts");
                return;
            }
        }
    }
}

impl Names<'_> {
    fn body(&self, fields: &Fields, key: &'static str, problems: &mut Problems) -> Option<usize> {
        let name = fields.text(key)?;
        if let Some(i) = self.bodies.get(name) {
            return Some(*i);
        }
        let remedy = problems.add(&fields.get(key)?.span, format!("there is no body \"{}\"", short(name)));
        match nearest(name, self.bodies.keys().map(String::as_str)) {
            _ if self.copies.contains_key(name) => {
                remedy.help(format!("it is repeated: name a copy, \"{}-0\", or write each", short(name)))
            }
            near => remedy.did_you_mean(near),
        };
        None
    }

    /// Bodies that are copies of one.
    fn all(&self, fields: &Fields, key: &'static str, problems: &mut Problems) -> Option<(usize, [usize; 3])> {
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

    /// Pairs that one table joints: a and b, or each copy and the next.
    fn pairs(
        &self,
        fields: &Fields,
        (span, scene): (&Span, &Scene),
        problems: &mut Problems,
    ) -> Option<Vec<(Option<usize>, usize)>> {
        if fields.get("each").is_some() {
            if let Some(node) = fields.get("a").or(fields.get("b")) {
                problems.add(&node.span, "each joints copies to one another").help("remove a and b, or each");
                return None;
            }
            let (first, counts) = self.all(fields, "each", problems)?;
            let count: usize = counts.iter().product();
            if counts.iter().filter(|n| **n > 1).count() > 1 {
                let message = "each joints the copies of a row, and these are a grid";
                problems.add(&fields.get("each")?.span, message).help("use a [[network]], or a row of copies");
                return None;
            }
            let pairs: Vec<_> = (first + 1..first + count).map(|i| (Some(i - 1), i)).collect();
            return pairs.iter().all(|p| can_be(*p, scene, span, problems)).then_some(pairs);
        }
        if fields.get("b").is_none() {
            if !fields.broken {
                problems.add(span, "it needs the key \"b\", or \"each\"").expected("the name of a body");
            }
            return None;
        }
        let b = self.body(fields, "b", problems);
        let a = match fields.get("a") {
            Some(_) => Some(self.body(fields, "a", problems)?),
            None => None,
        };
        let pair = (a, b?);
        can_be(pair, scene, span, problems).then(|| vec![pair])
    }
}

/// Whether forces move body `i`.
fn moves(scene: &Scene, i: usize) -> bool {
    matches!(scene.bodies[i].motion, MotionSpec::Point { .. } | MotionSpec::Rigid { .. })
}

/// Whether a pair can be joined; tells if not.
fn can_be(pair: (Option<usize>, usize), scene: &Scene, span: &Span, problems: &mut Problems) -> bool {
    let moves = |i: usize| moves(scene, i);
    if pair.0 == Some(pair.1) {
        let message = format!("it joints \"{}\" to itself", scene.bodies[pair.1].name);
        problems.add(span, message).help("name two bodies, or leave a out for the world");
        return false;
    }
    if !moves(pair.1) && !pair.0.is_some_and(moves) {
        let message = "neither of its bodies is moved by forces";
        problems.add(span, message).help("let one have motion = \"rigid\" or \"point\"");
        return false;
    }
    true
}

fn joints(
    fields: &Fields,
    pairs: impl Iterator<Item = (Option<usize>, usize)>,
    collide: bool,
    kind: impl Fn((Option<usize>, usize)) -> JointKind,
) -> Vec<JointSpec> {
    let name = fields.text("name").cloned().unwrap_or_default();
    let break_force = fields.number("break_force").copied();
    let collide = fields.flag("collide").copied().unwrap_or(collide);
    let pairs: Vec<_> = pairs.collect();
    let named = |n: usize| if pairs.len() == 1 { name.clone() } else { format!("{name}-{n}") };
    let one = |(n, &(a, b))| JointSpec { name: named(n), a, b, kind: kind((a, b)), break_force, collide };
    pairs.iter().enumerate().map(one).collect()
}

fn joint(
    fields: &Fields,
    span: &Span,
    (names, scene): (&Names, &Scene),
    problems: &mut Problems,
) -> Option<Vec<JointSpec>> {
    let pairs = names.pairs(fields, (span, scene), problems)?;
    let (kind, node) = fields.chosen()?;
    let form = fields.fields(kind)?;
    let (kind, axis) = match kind {
        "fixed" => (Freedom::Fixed, DVec3::Z),
        "ball" => (Freedom::Ball, direction(form, "axis", DVec3::Z, problems)?),
        "hinge" => (Freedom::Hinge, direction(form, "axis", DVec3::Z, problems)?),
        _ => (Freedom::Slider, direction(form, "axis", DVec3::Z, problems)?),
    };
    let travel = travel(kind, form, &node.span, problems)?;
    let at = *fields.vector("at")?;
    let point = |i: usize| matches!(scene.bodies[i].motion, MotionSpec::Point { .. });
    if pairs.iter().any(|(a, b)| point(*b) || a.is_some_and(point)) {
        let help = "let it have motion = \"rigid\", or use a spring";
        problems.add(span, "a point mass does not turn, and cannot have joints").help(help);
        return None;
    }
    let first = pairs.first().and_then(|p| p.0);
    let joint = |(a, _): (Option<usize>, usize)| {
        // Copies take their joints along.
        let place = |i: Option<usize>| i.map_or(DVec3::ZERO, |i| scene.bodies[i].placement.translation);
        let translation = at + place(a) - place(first);
        let rotation = DQuat::from_rotation_arc(DVec3::Z, axis);
        JointKind::Frame(FrameJointSpec { freedom: kind, placement: Frame { rotation, translation }, travel })
    };
    Some(joints(fields, pairs.into_iter(), false, joint))
}

fn travel(kind: Freedom, fields: &Fields, span: &Span, problems: &mut Problems) -> Option<Travel> {
    if kind == Freedom::Fixed {
        return Some(Travel::default());
    }
    let mut travel = Travel {
        stiffness: fields.number_or("stiffness", 0.0),
        damping: fields.number_or("damping", 0.0),
        ..Travel::default()
    };
    if kind == Freedom::Ball {
        travel.limits = fields.number("cone").map(|cone| [0.0, *cone]);
        return Some(travel);
    }
    travel.rest = fields.number_or("rest", 0.0);
    travel.limits = match (fields.number("least"), fields.number("most")) {
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
        let strength = if kind == Freedom::Hinge { "torque" } else { "force" };
        travel.motor = Some(Motor { speed: *motor.number("speed")?, strength: *motor.number(strength)? });
    }
    Some(travel)
}

fn spring(
    fields: &Fields,
    span: &Span,
    (names, scene): (&Names, &Scene),
    problems: &mut Problems,
) -> Option<Vec<JointSpec>> {
    let pairs = names.pairs(fields, (span, scene), problems)?;
    let ends = [fields.vector_or("from", DVec3::ZERO), fields.vector_or("to", DVec3::ZERO)];
    let spec = sprung(fields, ends, fields.number("rest_length").copied())?;
    Some(joints(fields, pairs.into_iter(), true, |_| JointKind::Spring(spec)))
}

fn sprung(fields: &Fields, ends: [DVec3; 2], rest_length: Option<f64>) -> Option<SpringSpec> {
    Some(SpringSpec {
        ends,
        rest_length,
        stiffness: *fields.number("stiffness")?,
        damping: fields.number_or("damping", 0.0),
        rope: fields.flag("rope").copied().unwrap_or(false),
    })
}

fn network(
    fields: &Fields,
    span: &Span,
    (names, scene): (&Names, &Scene),
    problems: &mut Problems,
) -> Option<Vec<JointSpec>> {
    let (first, counts) = names.all(fields, "nodes", problems)?;
    let count: usize = counts.iter().product();
    let spec = sprung(fields, [DVec3::ZERO; 2], None)?;
    let reach = *fields.number("reach")?;
    let moves = |i: usize| moves(scene, i);
    let places: Vec<DVec3> = scene.bodies[first..first + count].iter().map(|b| b.placement.translation).collect();
    let Some(near) = near(&places, reach, |i, j| moves(first + i) || moves(first + j)) else {
        let message = format!("too many nodes are within {reach} m of each other");
        problems.add(&fields.span_of("reach", span), message).help("lower reach, or take fewer nodes");
        return None;
    };
    let pairs: Vec<_> = near.into_iter().map(|(i, j)| (Some(first + i), first + j)).collect();
    if pairs.is_empty() {
        let message = format!("no two nodes are within {reach} m of each other, or none of them can move");
        problems.add(&fields.span_of("reach", span), message).help("raise reach, or pin fewer nodes");
        return None;
    }
    Some(joints(fields, pairs.into_iter(), false, |_| JointKind::Spring(spec)))
}

/// Holds the nodes of a network that are to be.
fn pin(fields: &Fields, copies: &Copies, scene: &mut Scene) {
    let Some(&(first, counts)) = fields.text("nodes").and_then(|name| copies.get(name)) else { return };
    let pinned = fields.choice("pinned").copied().unwrap_or("none");
    for n in (0..counts.iter().product()).filter(|n| is_pinned(*n, counts, pinned)) {
        scene.bodies[first + n].motion = MotionSpec::Fixed;
    }
}

/// Whether a node of a grid is to be held. Axes with one node only do not count.
fn is_pinned(n: usize, counts: [usize; 3], pinned: &str) -> bool {
    let index = [n % counts[0], n / counts[0] % counts[1], n / (counts[0] * counts[1])];
    let mut axes = (0..3).filter(|axis| counts[*axis] > 1);
    let at_end = |axis: usize| index[axis] == 0 || index[axis] + 1 == counts[axis];
    match pinned {
        "corners" => axes.all(at_end),
        "border" => axes.any(at_end),
        _ => false,
    }
}

/// Pairs of places within `reach` that are to be kept, in order; none if they, or those to be looked at, are too many.
fn near(places: &[DVec3], reach: f64, keep: impl Fn(usize, usize) -> bool) -> Option<Vec<(usize, usize)>> {
    let reach = reach * (1.0 + 1e-9);
    let cell = |p: DVec3| (p / reach).floor().to_array().map(|x| x as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let (mut pairs, mut looks) = (Vec::new(), 0);
    for (j, &p) in places.iter().enumerate() {
        let [x, y, z] = cell(p);
        for n in 0..27 {
            let by = |k: i64| n / k % 3 - 1;
            let there = [x.saturating_add(by(1)), y.saturating_add(by(3)), z.saturating_add(by(9))];
            let close = cells.get(&there).map_or(&[][..], Vec::as_slice);
            looks += close.len();
            let close = close.iter();
            pairs.extend(close.filter(|i| places[**i].distance(p) <= reach && keep(**i, j)).map(|i| (*i, j)));
        }
        if pairs.len() > MOST_JOINTS || looks > 100 * MOST_JOINTS {
            return None;
        }
        cells.entry([x, y, z]).or_default().push(j);
    }
    pairs.sort_unstable();
    pairs.dedup();
    Some(pairs)
}
