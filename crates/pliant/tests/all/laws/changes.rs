//! Worlds that are cloned, changed between steps, and stopped within one.

use pliant::bodies::NewBody;
use pliant::model::{Scene, Scheme};
use pliant::{AdvanceError, Cancel, WarningKind, World};

fn ball(name: &str, x: f64, z: f64) -> String {
    format!("[[body]]\nname = \"{name}\"\nposition = [{x}, 0, {z}]\nskeleton = [{{ thickness = 0.1, point = {{}} }}]\n")
}

const FLOOR: &str = "[[body]]\nname = \"floor\"\nresponse = \"rigid\"\nmotion = \"fixed\"\n\
                     skeleton = [{ thickness = 0.1, half_space = {} }]\n";

fn scene(bodies: &str) -> Scene {
    Scene::parse(&format!("duration = 1\n{bodies}"), "scene.toml").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_clone_goes_on_with_the_same_bits_and_leaves_the_other_alone() {
    for scheme in [Scheme::Explicit, Scheme::Implicit] {
        let mut scene = scene(&(ball("a", 0.0, 0.12) + &ball("b", 0.1, 0.29) + FLOOR));
        scene.motion.scheme = scheme;
        let mut world = World::new(&scene).unwrap();
        world.advance_to(0.1).unwrap();
        let (before, mut other) = (world.snapshot(), world.clone());
        other.advance_to(0.2).unwrap();
        assert_eq!(world.snapshot(), before);
        world.advance_to(0.2).unwrap();
        assert_eq!(world.snapshot(), other.snapshot());
        assert!(world.snapshot() != before);
    }
}

/// A world to which a body is added before anything has happened is the world of all bodies, bit for bit.
#[test]
fn bodies_are_added_and_removed_between_steps() {
    let all = scene(&(ball("a", 0.0, 0.12) + &ball("b", 0.1, 0.29) + FLOOR));
    let few = scene(&(ball("a", 0.0, 0.12) + FLOOR));
    let new = || NewBody::new(&all.bodies[1]).unwrap();
    let (mut whole, mut grown) = (World::new(&all).unwrap(), World::new(&few).unwrap());
    grown.add_body(new()).unwrap();
    assert!(grown.add_body(new()).is_err(), "a second body of one name");
    for world in [&mut whole, &mut grown] {
        world.advance_to(0.1).unwrap();
    }
    assert_eq!(whole.snapshot(), grown.snapshot());
    // Without it the other goes on from where it is.
    let a = grown.link(grown.body_index("a").unwrap()).center();
    assert!(grown.remove_body("b") && !grown.remove_body("b"));
    assert_eq!(grown.bodies().len(), 2);
    assert_eq!(grown.link(grown.body_index("a").unwrap()).center(), a);
    grown.advance_to(0.2).unwrap();
    assert_eq!(grown.time(), 0.2);
}

/// Indices are in the order of names; a handle stays with its body and is never given to another, of the same name either.
#[test]
fn a_handle_of_a_body_survives_changes_of_its_index() {
    let all = scene(&(ball("a", 0.0, 0.5) + &ball("b", 0.5, 0.5) + FLOOR));
    let mut world = World::new(&scene(&(ball("b", 0.5, 0.5) + FLOOR))).unwrap();
    let [b, floor] = [0, 1].map(|i| world.bodies()[i].id);
    let new = || NewBody::new(&all.bodies[0]).unwrap();
    let a = world.add_body(new()).unwrap();
    assert_eq!([a, b, floor].map(|id| world.index_of(id)), [Some(0), Some(1), Some(2)]);
    assert_eq!(world.clone().index_of(b), Some(1));
    assert!(world.remove_body("a"));
    assert_eq!([a, b, floor].map(|id| world.index_of(id)), [None, Some(0), Some(1)]);
    let again = world.add_body(new()).unwrap();
    assert!(again != a && again != b && again != floor);
    assert_eq!([a, again, b].map(|id| world.index_of(id)), [None, Some(0), Some(1)]);
}

/// Cancelled before it begins, an advance leaves all as it is; cancelled from another thread, it leaves a whole step, from which
/// the world goes on.
#[test]
fn an_advance_is_cancelled_and_goes_on() {
    for scheme in [Scheme::Explicit, Scheme::Implicit] {
        let mut scene = scene(&(ball("a", 0.0, 0.12) + &ball("b", 0.1, 0.29) + FLOOR));
        scene.motion.scheme = scheme;
        let mut world = World::new(&scene).unwrap();
        let cancel = Cancel::default();
        cancel.cancel();
        let before = world.snapshot();
        assert_eq!(world.advance_to_or_cancel(0.1, &cancel), Err(AdvanceError::Cancelled));
        assert_eq!(world.snapshot(), before);
        let cancel = Cancel::default();
        let stopped = std::thread::scope(|scope| {
            scope.spawn(|| {
                // As soon as it can: somewhere in the hours of motion asked for.
                std::thread::yield_now();
                cancel.cancel();
            });
            world.advance_to_or_cancel(1e4, &cancel)
        });
        assert_eq!(stopped, Err(AdvanceError::Cancelled));
        let (time, mut again) = (world.time(), World::new(&scene).unwrap());
        again.restore(&world.snapshot()).unwrap();
        assert_eq!(again.snapshot(), world.snapshot());
        world.advance_to(time + 0.01).unwrap();
    }
}

/// No force moves either of the two: nothing exchanges energy, and nothing is reported.
#[test]
fn a_keyed_body_that_presses_a_fixed_one_raises_no_warning_about_energy() {
    let keyed = "[[body]]\nname = \"hand\"\nskeleton = [{ thickness = 0.1, point = {} }]\n\
                 [body.motion.keyed]\nkeys = [{ time = 0, position = [0, 0, 0.3] }, { time = 0.2, position = [0, 0, 0.15] }, \
                 { time = 0.4, position = [0, 0, 0.3] }]\n";
    let fixed = "[[body]]\nname = \"block\"\nmotion = \"fixed\"\nskeleton = [{ thickness = 0.1, point = {} }]\n";
    for scheme in [Scheme::Explicit, Scheme::Implicit] {
        let mut scene = scene(&(keyed.to_owned() + fixed));
        scene.motion.scheme = scheme;
        let mut world = World::new(&scene).unwrap();
        let mut touched = false;
        for frame in 1..=24 {
            world.advance_to(f64::from(frame) / 60.0).unwrap();
            touched |= !world.contacts().is_empty();
        }
        let reported: Vec<_> = world.warnings().iter().filter(|w| w.kind == WarningKind::EnergyNotKept).collect();
        assert!(touched && reported.is_empty(), "{scheme:?}: {reported:?}");
    }
}

/// Two balls of 10 cm, 15 cm apart: the surface between them is flat and lies in the middle.
#[test]
fn two_fixed_soft_bodies_deform_each_other() {
    let fixed = |name: &str, x: f64| ball(name, x, 0.0).replace("skeleton", "motion = \"fixed\"\nskeleton");
    let world = World::new(&scene(&(fixed("a", 0.0) + &fixed("b", 0.15)))).unwrap();
    let [contact] = world.contacts() else { panic!("{} contacts", world.contacts().len()) };
    assert!((contact.patch.deepest.x - 0.075).abs() < 1e-9);
    use pliant::fields::Field;
    let excess = |i: usize, x: f64| world.deformed(i).value(pliant::math::DVec3::X * x) - 1.0;
    assert!(excess(0, 0.074) > 0.0 && excess(0, 0.076) < 0.0 && excess(1, 0.076) > 0.0 && excess(1, 0.074) < 0.0);
}

/// A step takes the scheme of its settings: one ball is stepped explicitly unless the settings say otherwise.
#[test]
fn a_single_step_takes_the_scheme_of_the_settings() {
    let iterations = |scheme: Scheme| {
        let mut scene = scene(&(ball("a", 0.0, 0.0999) + FLOOR));
        scene.motion.scheme = scheme;
        let mut world = World::new(&scene).unwrap();
        world.step(1e-3).unwrap();
        world.stats().iterations
    };
    assert_eq!(iterations(Scheme::Explicit), 0);
    assert!(iterations(Scheme::Implicit) > 0);
}

/// Half a metre under the floor there is no surface to miss: free fall takes the longest steps, 0.1 s in 200 of them.
#[test]
fn a_body_inside_another_does_not_shorten_the_steps() {
    let mut world = World::new(&scene(&(ball("a", 0.0, -0.5) + FLOOR))).unwrap();
    assert!(world.warnings().iter().any(|w| w.kind == WarningKind::StartsInside));
    world.advance_to(0.1).unwrap();
    assert!(world.stats().steps <= 220, "{} steps", world.stats().steps);
}

/// The visible shapes share the contact surface: what is left of an overlap between them is far less than the overlap, whether
/// bodies are small, press lightly, or reach each other's skeletons, where fields are flat.
#[test]
fn visible_shapes_penetrate_each_other_by_no_more_than_their_rest_shapes_overlap() {
    let skeletons = [
        "{ thickness = T, point = {} }",
        "{ thickness = T, segment = { from = [-L, 0, 0], to = [L, 0, 0] } }",
        "{ thickness = T, box = { half_size = [T, T, T] } }",
        "{ thickness = T, radius = L, point = { at = [-T, 0, 0] } }, { thickness = T, radius = L, point = { at = [T, 0, 0] } }",
    ];
    for (t, depth) in [(1e-3, 0.02), (1e-3, 0.9), (0.05, 0.2), (0.05, 1.2), (0.05, 1.9)] {
        for skeleton in skeletons {
            let numbers = |s: &str| s.replace('T', &t.to_string()).replace('L', &(2.0 * t).to_string());
            let height = if skeleton.contains("box") { 4.0 * t } else { 2.0 * t } - depth * t;
            let body = |name: &str, z: f64| {
                format!(
                    "[[body]]\nname = '{name}'\nmotion.rigid.mass = 1\nposition = [0, 0, {z}]\nskeleton = [{}]\n",
                    numbers(skeleton)
                )
            };
            let world = World::new(&scene(&(body("lower", 0.0) + &body("upper", height)))).unwrap();
            assert!(!world.contacts().is_empty(), "{skeleton}, {t} thick, {depth} of it deep");
            for contact in world.contacts() {
                let (left, overlap) = (world.penetration(contact), contact.patch.overlap);
                let bound = if depth < 1.0 { 1e-6 } else { 1.0 };
                assert!(
                    (0.0..=bound * overlap).contains(&left),
                    "{skeleton}, {t} thick, {depth} of it deep: {left} m left of {overlap}"
                );
            }
        }
    }
}
