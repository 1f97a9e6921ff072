//! Random legal scenes: TOML text of one to eight bodies of every form, kernel, response, bulge, joint and key kind.

use super::random_form::{FormText, form, number, vector};
use super::seeded;
use pliant::math::{DVec3, Random};
use std::fmt::Write;

/// Simulated time of every scene, s.
pub const DURATION: f64 = 0.2;

/// A generated scene.
pub struct RandomScene {
    /// Its TOML text.
    pub text: String,
    /// Its bodies and joints in a few words.
    pub kinds: String,
}

/// The scene of a number; `attempt` counts versions that turned out illegal.
pub fn random_scene(seed: u64, attempt: u64) -> RandomScene {
    let mut random = seeded(seed.wrapping_add(attempt << 40));
    let mut scene =
        Builder { length: 10f64.powf(-3.0 + 4.0 * random.unit()), random, text: String::new(), bodies: Vec::new() };
    let gravity = if scene.chance(0.2) { "gravity = [0, 0, 0]\n" } else { "" };
    let isovalue = if scene.chance(0.1) { "isovalue = 0.5\n" } else { "" };
    scene.text = format!("title = \"seed {seed}\"\nduration = {DURATION}\n{gravity}{isovalue}");
    let count = 1 + scene.random.below(8);
    for i in 0..count {
        scene.body(i, count);
    }
    let kinds = scene.bodies.iter().map(|b| b.kind.clone()).collect::<Vec<_>>().join(", ");
    let joints = scene.joints();
    RandomScene { text: scene.text, kinds: kinds + &joints }
}

/// A body that was written.
struct Written {
    kind: String,
    motion: Motion,
    at: DVec3,
    /// Radius of a ball around it, m.
    reach: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Motion {
    Rigid,
    Point,
    Fixed,
    Keyed,
}

struct Builder {
    random: Random,
    /// Size of the scene's bodies, m.
    length: f64,
    text: String,
    bodies: Vec<Written>,
}

impl Builder {
    fn chance(&mut self, part: f64) -> bool {
        self.random.unit() < part
    }

    /// Between `low` and `high`, evenly in its logarithm.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.random.unit())
    }

    /// One body.
    fn body(&mut self, index: usize, count: usize) {
        let ground = index == 0 && count > 1 && self.chance(0.4);
        let spread = if self.chance(0.2) { 10.0 } else { 2.0 };
        let length = (self.length * self.between(1.0 / spread, spread)).clamp(1e-3, 10.0);
        let motion = match self.random.below(20) {
            _ if ground => {
                if self.chance(0.8) {
                    Motion::Fixed
                } else {
                    Motion::Keyed
                }
            }
            0..=12 => Motion::Rigid,
            13..=14 => Motion::Point,
            15..=17 => Motion::Fixed,
            _ => Motion::Keyed,
        };
        let parts = if ground || self.chance(0.7) { 1 } else { 2 + self.random.below(4) };
        let skin: Vec<FormText> = (0..parts).map(|_| form(&mut self.random, length, ground)).collect();
        let names: Vec<&str> = skin.iter().map(|f| f.name).collect();
        let reach = skin.iter().map(|f| f.reach).fold(0.0, f64::max);
        let at = if ground { DVec3::new(0.0, 0.0, -1.5 * self.length) } else { self.place(reach, count) };
        let rigid = self.chance(0.25);
        let response = if rigid { "response = \"rigid\"\n" } else { "" };
        let material = self.material(length);
        let orientation = match self.random.below(3) {
            _ if ground => String::new(),
            0 => String::new(),
            1 => format!(
                "orientation = {{ axis = {}, angle = {} }}",
                vector(self.random.vector()),
                number(3.0 * self.random.signed())
            ),
            _ => format!("orientation = {{ quaternion = {:?} }}", self.random.rotation().to_array()),
        };
        let _ = write!(self.text, "\n[[body]]\nname = \"b{index}\"\n{response}material = {{ {material} }}\n");
        let speed = self.between(1e-2, 50.0);
        let aim = if at.length() > 0.0 { -at.normalize() } else { DVec3::X };
        let velocity = speed * (aim + 0.3 * self.random.vector()).normalize_or(DVec3::X);
        self.motion(motion, (at, &orientation), velocity);
        if motion == Motion::Rigid && self.chance(0.5) {
            let spin = self.between(0.1, 1.0) * speed / length;
            let spin = spin * self.random.vector();
            let _ = writeln!(self.text, "angular_velocity = {}", vector(spin));
        }
        skin.iter().for_each(|f| self.text += &format!("[[body.skeleton]]\n{}\n", f.text));
        if !ground && parts == 1 && self.chance(0.1) {
            skin.iter().filter_map(|f| f.core.as_ref()).for_each(|c| self.text += &format!("[[body.core]]\n{c}\n"));
        }
        let tag = match motion {
            Motion::Rigid => "",
            Motion::Point => " point mass",
            Motion::Fixed => " fixed",
            Motion::Keyed => " keyed",
        };
        let hard = if rigid { "rigid " } else { "" };
        self.bodies.push(Written { kind: format!("{hard}{}{tag}", names.join("+")), motion, at, reach });
    }

    /// Lines of the placement and motion of a body.
    fn motion(&mut self, motion: Motion, (at, orientation): (DVec3, &str), velocity: DVec3) {
        let mass = match self.random.below(3) {
            0 => format!("mass = {}", number(1e3 * self.length.powi(3) * 10f64.powf(2.0 * self.random.signed()))),
            _ => String::new(),
        };
        let line = match motion {
            Motion::Rigid => format!("motion = {{ rigid = {{ {mass} }} }}\nvelocity = {}", vector(velocity)),
            Motion::Point => format!("motion = {{ point = {{ {mass} }} }}\nvelocity = {}", vector(velocity)),
            Motion::Fixed => "motion = \"fixed\"".to_owned(),
            Motion::Keyed => {
                let count = 2 + self.random.below(3);
                let way = 0.3 * (velocity * DURATION).clamp_length_max(3.0 * self.length);
                let mut keys = Vec::new();
                for i in 0..count {
                    let part = i as f64 / (count - 1) as f64;
                    let turned = if i == 0 { orientation.to_owned() } else { String::new() };
                    let comma = if turned.is_empty() { "" } else { ", " };
                    let (time, at) = (number(DURATION * part), vector(at + part * way));
                    keys.push(format!("{{ time = {time}, position = {at}{comma}{turned} }}"));
                }
                let word = if self.chance(0.5) { "smooth" } else { "linear" };
                format!("motion = {{ keyed = {{ keys = [{}], interpolation = \"{word}\" }} }}", keys.join(", "))
            }
        };
        let placed =
            if motion == Motion::Keyed { String::new() } else { format!("position = {}\n{orientation}\n", vector(at)) };
        self.text += &format!("{placed}{line}\n");
    }

    /// A free place for a ball of radius `reach`; in every fifth body any place, so that bodies start inside each other.
    fn place(&mut self, reach: f64, count: usize) -> DVec3 {
        let mut room = 1.5 * self.length * (count as f64).cbrt();
        let anywhere = self.chance(0.2);
        for attempt in 0.. {
            let at = room * self.random.vector();
            let free = |b: &Written| b.at.distance(at) > b.reach + reach;
            if anywhere || attempt > 40 || self.bodies.iter().all(free) {
                return at;
            }
            room *= 1.05;
        }
        DVec3::ZERO
    }

    /// Keys of a material.
    fn material(&mut self, length: f64) -> String {
        let stiffness = self.between(1e2, 1e9);
        let damping = if self.chance(0.3) { 0.0 } else { self.between(1.0, 1e3) };
        let friction = if self.chance(0.3) { 0.0 } else { self.random.unit() };
        let height = if self.chance(0.3) { "\"keep-volume\"".to_owned() } else { number(self.random.unit()) };
        let bulge = match self.random.below(5) {
            0 => "bulge = \"none\"".to_owned(),
            1 => format!(
                "bulge = {{ dilation = {{ height = {height}, reach = {} }} }}",
                number(0.2 + 0.6 * self.random.unit())
            ),
            2 => format!("bulge = {{ attenuated = {{ height = {height} }} }}"),
            3 => format!("bulge = {{ attenuated = {{ height = {height}, width = {} }} }}", number(0.2 * length)),
            _ => format!("compressibility = {}", number(self.random.unit())),
        };
        let (stiffness, density) = (number(stiffness), number(self.between(1e2, 1e4)));
        format!(
            "stiffness = {stiffness}, density = {density}, damping = {}, friction = {}, {bulge}",
            number(damping),
            number(friction)
        )
    }

    /// Joints and springs in every third scene; their kinds in words.
    fn joints(&mut self) -> String {
        if !self.chance(0.33) {
            return String::new();
        }
        let mut kinds = String::new();
        for n in 0..1 + self.random.below(3) {
            let (a, b) = (self.random.below(self.bodies.len()), self.random.below(self.bodies.len()));
            let can_turn = |m: Motion| m != Motion::Point;
            let forced = |m: Motion| m == Motion::Rigid || m == Motion::Point;
            let (first, second) = (&self.bodies[a], &self.bodies[b]);
            let (motions, at) = ((first.motion, second.motion), 0.5 * (first.at + second.at));
            let to_world = a == b;
            if !forced(motions.1) && (to_world || !forced(motions.0)) {
                continue;
            }
            let other = if to_world { String::new() } else { format!("a = \"b{a}\"\n") };
            let joint = can_turn(motions.0) && can_turn(motions.1) && self.chance(0.7);
            let name = if joint { self.joint_form() } else { self.spring_form() };
            let (table, words) =
                if joint { ("joint", format!("at = {}\n{}", vector(at), name.1)) } else { ("spring", name.1) };
            self.text += &format!("\n[[{table}]]\nname = \"j{n}\"\n{other}b = \"b{b}\"\n{words}\n");
            kinds += &format!(", {}", name.0);
        }
        kinds
    }

    /// Kind of a joint, and its line.
    fn joint_form(&mut self) -> (&'static str, String) {
        let axis = vector(self.random.vector());
        let limited = self.chance(0.4);
        let (least, most) = (-self.random.unit(), self.random.unit());
        let limits = |scale: f64| {
            if limited {
                format!(", least = {}, most = {}", number(scale * least), number(scale * most))
            } else {
                String::new()
            }
        };
        match self.random.below(4) {
            0 => ("fixed joint", "fixed = {}".to_owned()),
            1 if limited => ("ball joint", format!("ball = {{ axis = {axis}, cone = {} }}", number(most))),
            1 => ("ball joint", "ball = {}".to_owned()),
            2 if self.chance(0.3) => {
                ("hinge", format!("hinge = {{ axis = {axis}, motor = {{ speed = 10, torque = 1 }} }}"))
            }
            2 => ("hinge", format!("hinge = {{ axis = {axis}{} }}", limits(1.0))),
            _ if self.chance(0.3) => {
                ("slider", format!("slider = {{ axis = {axis}, motor = {{ speed = 1, force = 10 }} }}"))
            }
            _ => ("slider", format!("slider = {{ axis = {axis}{} }}", limits(self.length))),
        }
    }

    /// The word for a spring, and its lines.
    fn spring_form(&mut self) -> (&'static str, String) {
        let (stiffness, damping) = (self.between(1.0, 1e5), self.between(1e-3, 10.0));
        let rope = if self.chance(0.3) { "rope = true\n" } else { "" };
        let breaks = if self.chance(0.2) { "break_force = 100\n" } else { "" };
        ("spring", format!("stiffness = {}\ndamping = {}\n{rope}{breaks}", number(stiffness), number(damping)))
    }
}
