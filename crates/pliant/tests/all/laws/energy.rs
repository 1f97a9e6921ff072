//! The energy ledger: work recorded where it is done against the change of energy.

use pliant::bodies::AppliedWrench;
use pliant::math::DVec3;
use pliant::model::{Scene, Scheme};
use pliant::{Energy, World};

fn shipped(name: &str) -> Scene {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
    scene.motion.scheme = Scheme::Implicit;
    scene
}

/// Energy that changed hands: the greatest change of any kind, and all that was lost or put in.
fn exchanged(start: &Energy, now: &Energy) -> f64 {
    let moved = (now.kinetic - start.kinetic).abs().max((now.potential - start.potential).abs());
    moved + now.dissipated.total() + now.external.total().abs()
}

/// Impulses work at the mean of the velocities before and after them; all together are the change of energy.
#[test]
fn work_and_change_of_energy_agree_in_implicit_steps() {
    for (name, seconds) in [("hundred-balls", 1.0), ("chain", 2.0), ("wrecking-ball", 1.6), ("spring-net", 0.6)] {
        let scene = shipped(name);
        let mut world = World::new(&scene).unwrap();
        let start = world.energy();
        for frame in 1..=(seconds * scene.frame_rate) as usize {
            world.advance_to(frame as f64 / scene.frame_rate).unwrap();
        }
        let now = world.energy();
        let off = (now.total() - start.total()).abs() / exchanged(&start, &now);
        assert!(off < 1e-6, "{name}: off by {off:e} of the energy exchanged: {now:?}");
        assert!(now.dissipated.total() >= 0.0 && exchanged(&start, &now) > 0.1, "{name}");
    }
}

/// A double pendulum with a spring, nothing rubbed or damped: what the stepping loses is an entry, and the total stays.
#[test]
fn the_total_of_a_scene_with_joints_is_kept_for_five_seconds() {
    let text = r#"
        duration = 5
        [materials.steel]
        damping = 0
        friction = 0
        [[body]]
        name = "upper"
        material = "steel"
        position = [0.5, 0, 0]
        skeleton = [{ thickness = 0.1, segment = { from = [-0.3, 0, 0], to = [0.3, 0, 0] } }]
        [[body]]
        name = "lower"
        material = "steel"
        position = [1.5, 0, 0]
        skeleton = [{ thickness = 0.1, segment = { from = [-0.3, 0, 0], to = [0.3, 0, 0] } }]
        [[joint]]
        name = "shoulder"
        b = "upper"
        at = [0, 0, 0]
        hinge = { axis = [0, 1, 0] }
        [[joint]]
        name = "elbow"
        a = "upper"
        b = "lower"
        at = [1, 0, 0]
        hinge = { axis = [0, 1, 0] }
        [[spring]]
        name = "spring"
        b = "lower"
        stiffness = 200
        from = [2, 0, 1]
        "#;
    let scene = Scene::parse(text, "pendulum.toml").unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::new(&scene).unwrap();
    let start = world.energy();
    let mut fastest = 0.0f64;
    for frame in 1..=300 {
        world.advance_to(f64::from(frame) / 60.0).unwrap();
        let now = world.energy();
        fastest = fastest.max(now.kinetic);
        let off = (now.total() - start.total()).abs() / fastest.max(1.0);
        assert!(off < 5e-3, "frame {frame}: {off}, {now:?}");
        assert_eq!(now.dissipated.total(), 0.0);
    }
    assert!(fastest > 10.0, "it swings: {fastest} J");
}

/// A ball of 1 kg in empty space under 2 N for a second, then an impulse: v = 2 m/s, ½ m v² = 2 J, and the impulse of
/// 1 N s brings it to 3 m/s.
#[test]
fn loads_and_impulses_from_code_do_work_that_is_booked() {
    for scheme in [Scheme::Explicit, Scheme::Implicit] {
        let text = "duration = 1\ngravity = [0, 0, 0]\n[[body]]\nname = \"ball\"\nmotion = { rigid = { mass = 1 } }\n\
                    skeleton = [{ thickness = 0.1, point = {} }]\n";
        let mut scene = Scene::parse(text, "ball.toml").unwrap();
        scene.motion.scheme = scheme;
        let mut world = World::new(&scene).unwrap();
        world.set_applied_wrench(0, AppliedWrench { force: DVec3::X * 2.0, torque: DVec3::ZERO });
        world.advance_to(1.0).unwrap();
        let e = world.energy();
        assert!((e.kinetic - 2.0).abs() < 1e-9 && (e.external.applied - 2.0).abs() < 1e-9, "{scheme:?}: {e:?}");
        world.set_applied_wrench(0, AppliedWrench::default());
        world.apply_impulse(0, DVec3::X, world.link(0).center());
        let e = world.energy();
        assert!((e.kinetic - 4.5).abs() < 1e-9 && (e.external.applied - 4.5).abs() < 1e-9, "{scheme:?}: {e:?}");
        assert!((e.total()).abs() < 1e-9);
    }
}
