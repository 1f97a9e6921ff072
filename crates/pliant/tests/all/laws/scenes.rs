//! Results that each shipped scene must show.

use pliant::math::DVec3;
use pliant::model::Scene;
use pliant::{Energy, WarningKind, World};
use std::collections::BTreeSet;

/// A shipped scene, running.
struct Run {
    world: World,
    /// Every pair of bodies seen in contact, names in order.
    touched: BTreeSet<(String, String)>,
}

impl Run {
    fn of(name: &str) -> Self {
        let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        let world = World::new(&scene).unwrap();
        Self { world, touched: BTreeSet::new() }
    }

    /// Advances to `time` in slices, looking at the contacts after each; `look` sees the world too.
    fn watch(&mut self, time: f64, slice: f64, mut look: impl FnMut(&World)) {
        let start = self.world.time();
        let count = ((time - start) / slice).round() as usize;
        for i in 1..=count {
            self.world.advance_to(start + (time - start) * i as f64 / count as f64).unwrap();
            for c in self.world.contacts() {
                let name = |body: usize| self.world.bodies()[body].name.clone();
                self.touched.insert((name(c.pair.a.body), name(c.pair.b.body)));
            }
            look(&self.world);
        }
    }

    fn index(&self, name: &str) -> usize {
        self.world.bodies().iter().position(|b| b.name == name).unwrap()
    }
    fn center(&self, name: &str) -> DVec3 {
        self.world.link(self.index(name)).center()
    }
    fn velocity(&self, name: &str) -> DVec3 {
        self.world.link(self.index(name)).twist().linear
    }
    fn touch(&self, a: &str, b: &str) -> bool {
        self.touched.contains(&(a.to_owned(), b.to_owned())) || self.touched.contains(&(b.to_owned(), a.to_owned()))
    }

    /// Total contact force on a body now.
    fn contact_force(&self, name: &str) -> DVec3 {
        let i = self.index(name);
        let on = |c: &pliant::Contact| match (c.pair.a.body == i, c.pair.b.body == i) {
            (true, _) => c.forces.on_a.force,
            (_, true) => -c.forces.on_a.force,
            _ => DVec3::ZERO,
        };
        self.world.contacts().iter().map(on).sum()
    }

    /// No energy is unaccounted for, and steps as long as a frame have lost no more than a part `most` and made none.
    fn books_balance(&self, start: &Energy, most: f64) {
        let now = self.world.energy();
        let (before, after) = (start.total(), now.total());
        assert!((after / before - 1.0).abs() < 1e-3, "energy {before} J became {after} J");
        let lost = -now.integrator.total() / before;
        assert!((0.0..most).contains(&lost), "{lost} of the energy was lost by the time stepping");
    }

    fn nothing_bottomed_out(&self) {
        let worst = self.world.warnings().iter().find(|w| w.kind == WarningKind::BottomedOut);
        if let Some(w) = worst {
            let name = |i: usize| &self.world.bodies()[i].name;
            panic!("{} bottomed out on {} at {} s", name(w.bodies.0), name(w.bodies.1), w.time);
        }
    }
}

/// What is pressed together at the start is pressed as by its weight, the balls on the horse by a quarter: nothing is inside
/// anything.
#[test]
fn nothing_starts_inside_anything() {
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes")).unwrap() {
        let path = file.unwrap().path();
        let world = World::new(&Scene::load(&path).unwrap_or_else(|e| panic!("{e}"))).unwrap();
        assert_eq!(world.warnings(), [], "{}", path.display());
        // Fixed bodies may overlap as their author likes.
        let moves = |i: usize| world.link(i).mass().is_some();
        for c in world.contacts().iter().filter(|c| moves(c.pair.a.body) || moves(c.pair.b.body)) {
            let (a, b) = (&world.bodies()[c.pair.a.body], &world.bodies()[c.pair.b.body]);
            let thickness = a.coat[0].shape.min_thickness().min(b.coat[0].shape.min_thickness());
            let depth = c.patch.overlap / thickness;
            assert!(depth < 0.3, "{}: {} in {} by {depth}", path.display(), a.name, b.name);
        }
    }
}

/// The scene says so: of frames two milliseconds apart, two see the first touch.
#[test]
fn frames_of_the_two_balls_show_their_touch() {
    let mut run = Run::of("two-balls");
    let mut seen = 0;
    run.watch(0.46, 1.0 / 500.0, |w| seen += w.contacts().len());
    assert!(seen >= 2, "{seen} frames show a contact");
    assert_eq!(run.world.stats().max_contacts, 1);
}

/// From 1 m down to where the surfaces meet, 0.03 + 0.01 above the lower centre: t = √(2 · 0.96/9.8) = 0.44263 s.
/// The rebound must stay below the drop, since damping takes energy, and above the surface, since it is elastic. Up
/// and down again at the rebound's own speed v: the second touch comes 2v/g after the first parting.
#[test]
fn two_balls_bounce_in_order_of_falling_time() {
    let mut run = Run::of("two-balls");
    let fall = (2.0 * 0.96 / 9.8f64).sqrt();
    run.watch(fall - 2e-4, 1e-2, |_| ());
    assert!(run.touched.is_empty(), "touched before {fall} s");
    run.watch(fall + 2e-4, 4e-4, |_| ());
    assert!(run.touch("upper", "lower"), "did not touch at {fall} s");

    // Through the impact, until they part: a slice after the last contact.
    let mut parted = f64::INFINITY;
    run.watch(fall + 0.02, 2e-4, |w| {
        if w.contacts().is_empty() && parted == f64::INFINITY {
            parted = w.time();
        }
    });
    let time = run.world.time();
    let (z, v) = (run.center("upper").z, run.velocity("upper").z);
    let apex = z + v * v / (2.0 * 9.8);
    assert!(parted < time && v > 0.0);
    assert!(apex < 0.95 && apex > 0.2, "rebounds to {apex} m");

    // z falls back to 0.04 after (v + √(v² + 2g(z − 0.04)))/g.
    let second = time + (v + (v * v + 2.0 * 9.8 * (z - 0.04)).sqrt()) / 9.8;
    run.touched.clear();
    run.watch(second - 5e-4, 1e-2, |_| ());
    assert!(run.touched.is_empty(), "touched before {second} s");
    run.watch(second + 5e-4, 1e-3, |_| ());
    assert!(run.touch("upper", "lower"), "did not touch again at {second} s");
    run.nothing_bottomed_out();
}

/// Centres 0.25 m from the middle come in at 1.2 m/s; the triangle's sides are √3 times that far: all three pairs
/// touch at once when 0.25 − 1.2 t = 0.2/√3, t = 0.11211 s.
/// Action equals reaction whatever the stiffness, so the total momentum stays at zero, up to rounding.
#[test]
fn three_solids_meet_all_at_once_and_share_one_place() {
    let mut run = Run::of("three-solids");
    let meet = (0.25 - 0.2 / 3f64.sqrt()) / 1.2;
    run.watch(meet - 1e-3, 1e-2, |_| ());
    assert!(run.touched.is_empty());
    let mut shared = 0;
    run.watch(0.3, 2e-3, |w| {
        // A point all three rest shapes contain: on a triangle of balls of radius t that is the circumcentre, if any.
        let [a, b, c] = [0, 1, 2].map(|i| w.link(i).center());
        shared += usize::from(circumradius(a, b, c) < 0.1);
    });
    for (a, b) in [("soft", "medium"), ("medium", "firm"), ("firm", "soft")] {
        assert!(run.touch(a, b), "{a} and {b} never touched");
    }
    assert!(shared >= 3, "no place belonged to all three");
    assert!(run.world.contacts().is_empty(), "they have not parted");
    let momentum: DVec3 = ["soft", "medium", "firm"].iter().map(|n| run.velocity(n)).sum();
    assert!(momentum.length() < 1e-10, "momentum {momentum}");
    run.nothing_bottomed_out();
}

fn circumradius(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (u, v, w) = ((b - a).length(), (c - b).length(), (a - c).length());
    u * v * w / (2.0 * (b - a).cross(c - a).length())
}

/// Coulomb: a = g (sin θ − μ cos θ) with μ = √(0.08 · 0.5) = 0.2, over the last 0.4 s; and what sticks must not creep.
#[test]
fn on_a_slope_the_rough_puck_stays_and_the_smooth_one_slides() {
    let mut run = Run::of("slope");
    let (sin, cos) = (20f64.to_radians().sin(), 20f64.to_radians().cos());
    let down = DVec3::new(cos, 0.0, -sin);
    // Put down pressed in about right, the puck first settles.
    run.watch(0.9, 0.1, |_| ());
    let (rubber, wax) = (run.center("rubber"), run.velocity("wax").dot(down));
    run.watch(1.3, 0.1, |_| ());
    let creep = (run.center("rubber") - rubber).dot(down) / 0.4;
    assert!(creep.abs() < 1e-6, "creeps at {creep} m/s");
    let expected = 9.81 * (sin - 0.2 * cos);
    let got = (run.velocity("wax").dot(down) - wax) / 0.4;
    assert!((got / expected - 1.0).abs() < 0.01, "acceleration {got}, expected {expected}");
}

/// Every kind of pair happens, in the order of the stroke: the cue's tip meets the ball at x = −0.2406 after 0.13 s.
#[test]
fn in_pool_every_kind_of_pair_touches() {
    let mut run = Run::of("pool");
    run.watch(0.12, 0.01, |_| ());
    assert!(!run.touch("cue", "cue-ball") && run.touch("cue-ball", "table"));
    run.watch(0.5, 1e-3, |_| ());
    run.watch(1.5, 0.01, |_| ());
    let kinds = [
        ("cue", "cue-ball", "keyed on rigid"),
        ("cue-ball", "ivory", "rigid on rigid"),
        ("ivory", "jelly-front", "rigid on soft"),
        ("jelly-front", "jelly-back", "soft on soft"),
        ("jelly-back", "cushion-far", "soft on a fixed soft body"),
        ("jelly-front", "table", "soft on a fixed rigid body"),
    ];
    for (a, b, kind) in kinds {
        assert!(run.touch(a, b), "{kind}: {a} and {b} never touched");
    }
    // Nothing jumps off the table or through it.
    for ball in ["cue-ball", "ivory", "jelly-front", "jelly-back"] {
        let p = run.center(ball);
        assert!(p.x.abs() < 0.5 && p.y.abs() < 0.36 && p.z > 0.01 && p.z < 0.06, "{ball} is at {p}");
    }
    run.nothing_bottomed_out();
}

/// It starts above the first stair and comes down the flight.
#[test]
fn a_clover_comes_down_the_stairs() {
    let mut run = Run::of("clover-on-stairs");
    let start = run.world.energy();
    run.watch(1.0, 1.0 / 60.0, |_| ());
    let stairs = run.touched.iter().filter(|(a, b)| a.starts_with("stair") || b.starts_with("stair")).count();
    assert!(stairs >= 2, "touched {:?}", run.touched);
    // The first stair's tread ends at x = 0.18; the tread below lies 0.14 m lower.
    let p = run.center("clover");
    assert!(p.x > 0.18 && p.z < 0.56 + 0.13, "ended at {p}");
    run.books_balance(&start, 0.03);
    run.nothing_bottomed_out();
}

/// At rest the contacts of each body carry its weight. The horse carries the balls as well: m g of all on the floor.
#[test]
fn horse_and_balls_come_to_an_equilibrium() {
    let mut run = Run::of("equilibrium");
    run.watch(1.1, 0.1, |_| ());
    for name in ["horse", "left", "right"] {
        let weight = run.world.link(run.index(name)).mass().unwrap() * 9.81;
        let carried = run.contact_force(name).z;
        assert!((carried / weight - 1.0).abs() < 1e-3, "{name} weighs {weight} N and is carried by {carried} N");
    }
    for (a, b) in [("horse", "floor"), ("horse", "left"), ("horse", "right"), ("left", "right")] {
        assert!(run.touch(a, b), "{a} and {b} never touched");
    }
    let kinetic = run.world.energy().kinetic;
    assert!(kinetic < 1e-4, "{kinetic} J are left");
    run.nothing_bottomed_out();
}

/// Everyone lands (a fall of 0.8 m takes 0.4 s), nobody falls through, and the books balance.
#[test]
fn toys_land_and_keep_the_books() {
    let mut run = Run::of("simply-implicit");
    let start = run.world.energy();
    run.watch(0.5, 1.0 / 60.0, |_| ());
    for (i, body) in run.world.bodies().iter().enumerate().filter(|(i, _)| run.world.link(*i).mass().is_some()) {
        let landed = run.touched.iter().any(|(a, b)| *a == body.name || *b == body.name);
        let center = run.world.link(i).center();
        assert!(landed && center.z > 0.02, "{} is at {center}", body.name);
    }
    run.books_balance(&start, 0.15);
    run.nothing_bottomed_out();
}

/// The start of the hundred balls' fall: the lowest layer lands after √(2 · 0.01/9.81) = 0.045 s and the second meets
/// it; all stay in the box (centres at least half a radius inside its walls) and none is pressed flat.
#[test]
fn a_hundred_balls_stay_in_their_box() {
    let mut run = Run::of("hundred-balls");
    run.watch(0.12, 0.02, |_| ());
    let landed = run.touched.iter().filter(|(a, b)| a == "floor" || b == "floor").count();
    assert_eq!(landed, 25, "balls on the floor");
    for (i, body) in run.world.bodies().iter().enumerate().filter(|(i, _)| run.world.link(*i).mass().is_some()) {
        let p = run.world.link(i).center();
        assert!(p.x.abs() < 0.5 && p.y.abs() < 0.5 && p.z > 0.05 && p.z < 0.8, "{} is at {p}", body.name);
    }
    run.nothing_bottomed_out();
}
