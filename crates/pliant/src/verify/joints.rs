//! Springs and joints, at the step of a frame.

use super::setup::{self, link_at};
use super::{Check, excess, greatest, worse};
use crate::WarningKind;
use crate::World;
use crate::math::{DQuat, DVec3, Frame};
use crate::model::{
    AxisSettings, BodySpec, ConstraintJointSpec, Interpolation, JointKind, JointSpec, JointType, Key, Keys, Material,
    MotionSpec, Motor, Scene, SpringSpec,
};

const G: f64 = 9.81;
const FRAME: f64 = 1.0 / 60.0;

fn ball(name: &str, at: DVec3) -> BodySpec {
    BodySpec { motion: MotionSpec::Rigid { mass: Some(1.0) }, ..super::motion::ball(name, at) }
}

fn mass(name: &str, at: DVec3, mass: f64) -> BodySpec {
    BodySpec { motion: MotionSpec::Point { mass: Some(mass) }, ..ball(name, at) }
}

/// A joint at `at`, its axis along y.
fn joint(kind: JointType, a: Option<usize>, b: usize, at: DVec3) -> JointSpec {
    let rotation = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    let placement = Frame { rotation, translation: at };
    let kind = JointKind::Constraint(ConstraintJointSpec {
        joint_type: kind,
        placement,
        axis_settings: AxisSettings::default(),
    });
    JointSpec { name: format!("joint of {b}"), a, b, kind, break_force: None, collide: false }
}

fn with(mut joint: JointSpec, axis_settings: AxisSettings) -> JointSpec {
    if let JointKind::Constraint(joint) = &mut joint.kind {
        joint.axis_settings = axis_settings;
    }
    joint
}

fn spring(a: Option<usize>, b: usize, ends: [DVec3; 2], stiffness: f64) -> JointSpec {
    let kind = JointKind::Spring(SpringSpec { ends, rest_length: None, stiffness, damping: 0.0, rope: false });
    JointSpec { name: format!("spring of {b}"), a, b, kind, break_force: None, collide: false }
}

fn world(bodies: Vec<BodySpec>, joints: Vec<JointSpec>, step: f64) -> Option<World> {
    let mut scene = Scene { joints, ..setup::scene(bodies) };
    (scene.motion.implicit_step, scene.motion.sleep) = (step, false);
    World::new(&scene).ok()
}

/// Largest violation of the joints: the greatest gap, m.
fn gap(world: &World) -> f64 {
    let one = |n: usize| {
        let held = world.joint_coordinates(n).constrained;
        held.iter().filter(|(l, _)| l.linear != DVec3::ZERO).map(|r| r.1).fold(0.0, worse)
    };
    (0..world.joints().len()).map(one).fold(0.0, worse)
}

fn total(world: &World) -> f64 {
    let e = world.energy();
    e.kinetic + e.potential + e.elastic
}

/// Greatest gap over a run, and the energies, measured every frame.
fn watch(world: &mut World, seconds: f64) -> Option<(f64, Vec<f64>)> {
    let (start, mut most, mut energies) = (world.time(), 0.0f64, Vec::new());
    for i in 1..=(seconds / FRAME).round() as usize {
        world.advance_to(start + i as f64 * FRAME).ok()?;
        most = worse(most, gap(world));
        energies.push(total(world));
    }
    Some((most, energies))
}

/// Pendulums and chains: periods, energy and drift.
pub fn joints() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    // Of a ball of inertia 2/5 m r² on a rod: let go horizontally, a quarter swing takes √(I/mgL) K(sin 45°).
    let (length, quarter) = (1.0, 1.854_074_677_301_371_9);
    let inertia = |w: &World| link_at(w, 0).inertia().map(|i| i.col(1).y);
    let fall = |step: f64| {
        let mut w =
            world(vec![ball("bob", DVec3::X * length)], vec![joint(JointType::Hinge, None, 0, DVec3::ZERO)], step)?;
        let time = ((length * length + inertia(&w)?) / (G * length)).sqrt() * quarter;
        w.advance_to(time).ok()?;
        Some(link_at(&w, 0).center().x)
    };
    let [coarse, fine] = [fall(1.0 / 60.0)?, fall(1.0 / 240.0)?];
    checks.push(Check::small("pendulum at 1/60 s: off the middle after a quarter swing [m]", coarse, 5e-3));
    checks.push(Check::at_least("order in the step", (coarse / fine).abs().log2() / 2.0, 1.8));
    let mut swing =
        world(vec![ball("bob", DVec3::X * length)], vec![joint(JointType::Hinge, None, 0, DVec3::ZERO)], FRAME)?;
    let start = total(&swing);
    let (drift, energies) = watch(&mut swing, 20.0)?;
    let errors: Vec<f64> = energies.iter().map(|e| (e - start).abs() / (G * length)).collect();
    checks.push(Check::small("pendulum, 20 s: energy against m g L", greatest(&errors), 5e-3));
    checks.push(Check::small("its joint's gap against its length", drift / length, 1e-6));
    let link = 0.3;
    let links: Vec<BodySpec> =
        (0..30).map(|i| ball(&format!("link{i:02}"), DVec3::X * link * (i as f64 + 0.5))).collect();
    let at = |i: usize| DVec3::X * link * i as f64;
    let joints = (0..30usize).map(|i| joint(JointType::Ball, i.checked_sub(1), i, at(i))).collect();
    let mut chain = world(links, joints, FRAME)?;
    let start = total(&chain);
    let (drift, energies) = watch(&mut chain, 5.0)?;
    checks.push(Check::small("chain of thirty, falling, 5 s: gaps against a link", drift / link, 1e-4));
    let gains: Vec<f64> = energies.iter().map(|e| (e - start) / (30.0 * G * 15.0 * link)).collect();
    checks.push(Check::small("its energy gained, over what it can fall by", excess(greatest(&gains)), 1e-3));
    checks.extend(travels()?);
    Some(checks)
}

/// Limits, motors, sliders and loops.
fn travels() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    let limits = AxisSettings { limits: Some([-0.1, 0.5]), damping: 0.5, ..AxisSettings::default() };
    let hinge = with(joint(JointType::Hinge, None, 0, DVec3::ZERO), limits);
    let mut door = world(vec![ball("door", DVec3::X)], vec![hinge], FRAME)?;
    door.advance_to(8.0).ok()?;
    let angle = (-link_at(&door, 0).center().z).asin();
    checks.push(Check::relative("hinge with a limit of 0.5 rad, let fall: at rest at [rad]", 0.5, angle, 1e-4));
    let motor = AxisSettings { motor: Some(Motor { speed: 3.0, max_force: 100.0 }), ..AxisSettings::default() };
    let hinge = with(joint(JointType::Hinge, None, 0, DVec3::ZERO), motor);
    let mut wheel = world(vec![ball("wheel", DVec3::X)], vec![hinge], FRAME)?;
    wheel.advance_to(2.0).ok()?;
    checks.push(Check::relative(
        "motor of 3 rad/s against gravity [rad/s]",
        3.0,
        link_at(&wheel, 0).twist().angular.y,
        5e-3,
    ));
    // A sprung slider along z: m g/k below.
    let placement = Frame { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };
    let axis_settings = AxisSettings { stiffness: 200.0, damping: 20.0, ..AxisSettings::default() };
    let kind = JointKind::Constraint(ConstraintJointSpec { joint_type: JointType::Slider, placement, axis_settings });
    let slider = JointSpec { kind, ..joint(JointType::Slider, None, 0, DVec3::ZERO) };
    let mut lift = world(vec![ball("lift", DVec3::X)], vec![slider], FRAME)?;
    lift.advance_to(8.0).ok()?;
    checks.push(Check::relative("sprung slider: hangs by m g/k [m]", -G / 200.0, link_at(&lift, 0).center().z, 1e-5));
    // Four bars, hinged at all corners, of which the shortest turns by a motor: 0.5, 1.7, 1.3 and 1.5 m.
    let corners = [DVec3::ZERO, DVec3::new(0.0, 0.0, 0.5), DVec3::new(1.5, 0.0, 1.3), DVec3::new(1.5, 0.0, 0.0)];
    let bars = (0..3).map(|i| ball(&format!("bar{i}"), 0.5 * (corners[i] + corners[i + 1]))).collect();
    let mut joints: Vec<JointSpec> = (0..4)
        .map(|i| {
            let name = format!("corner {i}");
            let sides = match i {
                0 => (None, 0),
                3 => (None, 2),
                i => (Some(i - 1), i),
            };
            JointSpec { name, ..joint(JointType::Hinge, sides.0, sides.1, corners[i]) }
        })
        .collect();
    joints[0] = with(
        joints[0].clone(),
        AxisSettings { motor: Some(Motor { speed: 2.0, max_force: 200.0 }), ..AxisSettings::default() },
    );
    let mut loop_of_bars = world(bars, joints, FRAME)?;
    let (drift, _) = watch(&mut loop_of_bars, 6.0)?;
    checks.push(Check::small("four bars in a loop, driven for two turns: gaps against a bar", drift, 1e-4));
    checks.push(Check::yes("it has turned, and no joint gave way", loop_of_bars.warnings().is_empty()));
    Some(checks)
}

/// Springs and networks of masses.
pub fn springs() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    let k = 400.0;
    let hung = |step: f64, damping: f64| {
        let mut joint = spring(None, 0, [DVec3::Z, DVec3::ZERO], k);
        if let JointKind::Spring(s) = &mut joint.kind {
            s.damping = damping;
        }
        world(vec![mass("weight", DVec3::ZERO, 1.0)], vec![joint], step)
    };
    let mut still = hung(FRAME, 20.0)?;
    still.advance_to(8.0).ok()?;
    checks.push(Check::relative("weight on a spring: hangs by m g/k [m]", -G / k, link_at(&still, 0).center().z, 1e-5));
    let after = |step: f64| {
        let mut w = hung(step, 0.0)?;
        w.advance_to(0.5).ok()?;
        Some(link_at(&w, 0).center().z - G / k * ((k.sqrt() * 0.5).cos() - 1.0))
    };
    let [coarse, fine] = [after(1.0 / 480.0)?, after(1.0 / 1920.0)?];
    checks.push(Check::small("it swings as its formula says, at 1/1920 s [m]", fine, 1e-5));
    checks.push(Check::at_least("order in the step", (coarse / fine).abs().log2() / 2.0, 1.8));
    // Far too stiff, and far too damped, for the step: both come to rest.
    let rod = spring(None, 0, [DVec3::Z, DVec3::ZERO], 1e8);
    let mut stiff = world(vec![mass("weight", DVec3::ZERO, 1.0)], vec![rod], FRAME)?;
    stiff.advance_to(2.0).ok()?;
    let speed = link_at(&stiff, 0).twist().linear.length();
    checks.push(Check::small("weight on a spring of 1e8 N/m, at 1/60 s: speed after 2 s [m/s]", speed, 1e-4));
    let mut stuck = hung(FRAME, 1e4)?;
    stuck.advance_to(0.5).ok()?;
    let speed = link_at(&stuck, 0).twist().linear.length();
    // Its pull grows as it sinks: exp(−k t/c).
    let expected = G / 1e4 * (-k * 0.5 / 1e4).exp();
    checks.push(Check::relative("damped by 1e4 N s/m: sinks at m g/c [m/s]", expected, speed, 1e-3));
    let mut swinging = hung(FRAME, 0.0)?;
    let start = total(&swinging);
    let (_, energies) = watch(&mut swinging, 10.0)?;
    let gains: Vec<f64> = energies.iter().map(|e| (e - start) / (G * G / k)).collect();
    checks.push(Check::small("energy gained at 1/60 s, over all that swings", excess(greatest(&gains)), 1e-3));
    checks.extend(flight()?);
    checks.extend(failures()?);
    Some(checks)
}

/// Momenta of two masses on a spring in flight.
fn flight() -> Option<Vec<Check>> {
    // Two masses and a spring in flight: momentum, and angular momentum about the origin.
    let bodies = || {
        vec![
            BodySpec { velocity: DVec3::new(1.0, 2.0, 0.5), ..mass("one", DVec3::X * -0.5, 1.0) },
            BodySpec { velocity: DVec3::new(-0.5, -1.0, 1.0), ..mass("two", DVec3::X * 0.5, 3.0) },
        ]
    };
    let joints = vec![spring(Some(0), 1, [DVec3::ZERO; 2], 1e4)];
    let flight = |step: f64| {
        let mut scene = Scene { gravity: DVec3::ZERO, joints: joints.clone(), ..setup::scene(bodies()) };
        scene.motion.implicit_step = step;
        World::new(&scene).ok()
    };
    let momenta = |w: &World| {
        let of = |i: usize, m: f64| {
            let (p, v) = (link_at(w, i).center(), link_at(w, i).twist().linear);
            (m * v, m * p.cross(v))
        };
        let (a, b) = (of(0, 1.0), of(1, 3.0));
        (a.0 + b.0, a.1 + b.1)
    };
    let gained = |step: f64| {
        let mut w = flight(step)?;
        let start = momenta(&w);
        w.advance_to(3.0).ok()?;
        let end = momenta(&w);
        Some(((end.0 - start.0).length(), (end.1 - start.1).length() / start.1.length()))
    };
    let [coarse, fine] = [gained(FRAME)?, gained(0.25 * FRAME)?];
    Some(vec![
        Check::small("two masses on a spring in flight, at 1/60 s: momentum gained", coarse.0, 1e-9),
        Check::small("angular momentum gained at 1/240 s", fine.1, 1e-2),
        Check::at_least("order in the step", (coarse.1 / fine.1).log2() / 2.0, 1.0),
    ])
}

/// A chain, a net, a spring that breaks and a ball that falls asleep: the same bits for any number of threads, and after
/// snapshots taken on the way.
pub fn bits() -> Option<Vec<Check>> {
    let links = (0..5).map(|i| ball(&format!("link{i}"), DVec3::new(0.3 * i as f64, 0.0, 3.0)));
    let nodes = (0..9)
        .map(|i| mass(&format!("node{i}"), DVec3::new(0.3 * (i % 3) as f64, 2.0 + 0.3 * (i / 3) as f64, 1.0), 0.1));
    let mut bodies: Vec<BodySpec> = links.chain(nodes).collect();
    for corner in [5, 7, 11, 13] {
        bodies[corner].motion = MotionSpec::Fixed;
    }
    bodies.push(ball("caught", DVec3::new(0.3, 2.3, 1.4)));
    bodies.push(BodySpec { material: Material::SOFT, ..ball("sleeper", DVec3::new(5.0, 5.0, 0.1)) });
    bodies.push(mass("weight", DVec3::new(-3.0, 0.0, 2.0), 1.0));
    bodies.push(BodySpec { material: Material::RIGID, ..setup::floor(DVec3::Z) });
    let at = |i: usize| DVec3::new(0.3 * i as f64 - 0.15, 0.0, 3.0);
    let mut joints: Vec<JointSpec> = (0..5usize).map(|i| joint(JointType::Ball, i.checked_sub(1), i, at(i))).collect();
    for a in 0..9 {
        for b in a + 1..9 {
            let apart = bodies[5 + a].placement.translation.distance(bodies[5 + b].placement.translation);
            let fixed = [5 + a, 5 + b].iter().all(|i| bodies[*i].motion == MotionSpec::Fixed);
            if apart < 0.5 && !fixed {
                let name = format!("cord {a} {b}");
                joints.push(JointSpec { name, ..spring(Some(5 + a), 5 + b, [DVec3::ZERO; 2], 300.0) });
            }
        }
    }
    let cord = spring(None, 16, [DVec3::new(-3.0, 0.0, 2.5), DVec3::ZERO], 400.0);
    joints.push(JointSpec { break_force: Some(1.5 * G), ..cord });
    let scene = Scene { joints, ..setup::scene(bodies) };
    let until = 1.5;
    let run = |threads: usize, stops: &[f64]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
        pool.install(|| {
            let mut w = World::new(&scene).ok()?;
            for time in stops.iter().chain([&until]) {
                let snapshot = w.snapshot();
                w = World::new(&scene).ok()?;
                w.restore(&snapshot).ok()?;
                w.advance_to(*time).ok()?;
            }
            Some((
                w.snapshot(),
                w.is_asleep(w.body_index("sleeper")?),
                (0..w.joints().len()).filter(|i| w.is_broken(*i)).count(),
            ))
        })
    };
    let stops = [0.25, 0.5, 0.75, 1.0];
    // Steps end where frames do, so that stops are the same for all.
    let first = run(1, &stops)?;
    let on = |threads: usize| Some(run(threads, &stops)? == first);
    let straight = || {
        let mut w = World::new(&scene).ok()?;
        for time in stops.iter().chain([&until]) {
            w.advance_to(*time).ok()?;
        }
        Some(w.snapshot() == first.0)
    };
    Some(vec![
        Check::yes("chain, net and sleeper: one sleeps, one spring broke", first.1 && first.2 == 1),
        Check::yes("2 and 7 threads give the bits of 1", on(2)? && on(7)?),
        Check::yes("going on from four snapshots gives the same bits", straight()?),
    ])
}

/// Springs that break, and joints that contradict each other.
fn failures() -> Option<Vec<Check>> {
    let mut checks = Vec::new();
    let kept = |most: f64| {
        let mut joint = spring(None, 0, [DVec3::Z, DVec3::ZERO], 400.0);
        joint.break_force = Some(most);
        let mut w = world(vec![mass("weight", DVec3::ZERO, 1.0)], vec![joint], 1.0 / 480.0)?;
        w.advance_to(1.0).ok()?;
        Some(!w.is_broken(0))
    };
    // Let go, it pulls with twice its weight at most.
    checks.push(Check::yes("a spring that may pull 2.02 weights keeps one let go", kept(2.02 * G)?));
    checks.push(Check::yes("one that may pull 1.98 weights breaks", !kept(1.98 * G)?));
    // One ball, hinged to two walls of which one moves away.
    let joints = vec![
        joint(JointType::Ball, None, 0, DVec3::ZERO),
        JointSpec { name: "other".to_owned(), ..joint(JointType::Ball, Some(1), 0, DVec3::ZERO) },
    ];
    let key = |time: f64, y: f64| Key { time, placement: Frame::at(DVec3::Y * y) };
    let keys = Keys { keys: vec![key(0.0, 0.0), key(0.5, 0.5)], interpolation: Interpolation::Linear };
    let wall = BodySpec { motion: MotionSpec::Keyed(keys), ..ball("wall", DVec3::ZERO) };
    let mut torn = world(vec![ball("ball", DVec3::X), wall], joints, FRAME)?;
    torn.advance_to(1.0).ok()?;
    let finite = link_at(&torn, 0).center().is_finite();
    let reported = torn.warnings().iter().any(|w| w.kind == WarningKind::JointGaveWay);
    checks.push(Check::yes("joints that contradict each other: finite, and reported", finite && reported));
    Some(checks)
}
