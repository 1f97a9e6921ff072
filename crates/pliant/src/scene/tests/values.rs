//! Meaning of legal scenes.

use super::{EVERYTHING, problems, scene};
use crate::fields::{Kernel, Profile, Skeleton, Source};
use crate::math::{DQuat, DVec3, Frame};
use crate::model::*;
use crate::scene::choices::{BulgeKey, FieldMethod, KernelWord, MotionWord, PinnedNodes, Words};
use std::f64::consts::{FRAC_PI_2, PI};

fn parse(text: &str) -> Scene {
    Scene::parse(text, "test.toml").unwrap_or_else(|e| panic!("{e}"))
}

fn kernel(spec: &crate::fields::Element) -> &Kernel {
    match &spec.source {
        Source::Distance(_, kernel) => kernel,
        other => panic!("{other:?}"),
    }
}

#[test]
fn left_out_keys_have_the_documented_defaults() {
    let s = parse(&scene("", "", ""));
    assert_eq!((s.frame_rate, s.isovalue, s.gravity), (60.0, 1.0, DVec3::new(0.0, 0.0, -9.81)));
    assert_eq!((s.motion, s.contact_tolerance), (MotionSettings::default(), 1e-3));
    let ball = &s.bodies[0];
    assert_eq!((ball.material, ball.response), (Material::SOFT, Response::Soft));
    assert_eq!(ball.motion, MotionSpec::Rigid { mass: None });
    assert_eq!(ball.placement, Frame::IDENTITY);
    // k = c/t = 10 and R = 2t.
    assert_eq!(kernel(&ball.elements[0]), &Kernel::new(Profile::Linear, 1.0, (0.1, 10.0, 0.2)).unwrap());
    let rigid = parse(&scene("", "response = \"rigid\"\nmaterial = \"jelly\"", ""));
    assert_eq!(rigid.bodies[0].material, Material::RIGID);
}

#[test]
fn units_materials_and_turns_reach_the_model() {
    let text: String = EVERYTHING.split("[[body]]\nname = \"keyed\"").next().unwrap().to_owned();
    let s = parse(&text);
    assert_eq!(s.bodies.len(), 7);
    let ball = &s.bodies[0];
    let bulge = Bulge::Dilation { height: Height::KeepVolume, falloff: 0.4, middle: Some(0.8), follows_motion: true };
    let jelly = Material { stiffness: 1e5, density: 1000.0, damping: 10.0, friction: 0.4, compressibility: 0.1, bulge };
    assert!((ball.material.density - 1000.0).abs() < 1e-9);
    assert_eq!(Material { density: 1000.0, ..ball.material }, jelly);
    assert_eq!(ball.motion, MotionSpec::Rigid { mass: Some(0.25) });
    assert!(ball.placement.rotation.abs_diff_eq(DQuat::from_rotation_z(FRAC_PI_2), 1e-15));
    assert!((ball.angular_velocity.z - PI).abs() < 1e-15);
    let Source::Distance(Skeleton::Point(point), _) = &ball.elements[0].source else { panic!() };
    assert_eq!(point.at, DVec3::new(0.0, 0.0, 0.1));
    assert_eq!(kernel(&ball.elements[0]).profile(), &Profile::NonLinear);
    // Drawn pressures are divided by K, 1e8 Pa for a core: 2 kPa at 1 cm, half its thickness, is 2e-5 above 1.
    assert!((kernel(&ball.core[0]).value(0.01) - 1.00002).abs() < 1e-12);
    assert_eq!(s.bodies[6].material.bulge, Bulge::None);
}

#[test]
fn copies_fill_a_grid_and_their_jitter_is_bounded_and_repeatable() {
    let text =
        scene("", "position = [1, 0, 0]\nrepeat = { count = [5, 5, 4], spacing = 0.3, jitter = 0.005, seed = 3 }", "");
    let (a, b) = (parse(&text), parse(&text));
    assert_eq!(a, b);
    assert_eq!(a.bodies.len(), 100);
    assert_eq!((a.bodies[0].name.as_str(), a.bodies[99].name.as_str()), ("ball-0", "ball-99"));
    // Copy 37 = 2 + 5·2 + 25·1 lies 2, 2 and 1 spacings from the first.
    let want = DVec3::new(1.0, 0.0, 0.0) + 0.3 * DVec3::new(2.0, 2.0, 1.0);
    let moved = a.bodies[37].placement.translation - want;
    assert!(moved.abs().max_element() <= 0.005 && moved != DVec3::ZERO, "{moved}");
    let other = parse(&text.replace("seed = 3", "seed = 4"));
    assert_ne!(other.bodies[37].placement, a.bodies[37].placement);
    let row = parse(&scene("", "repeat = { count = 3, spacing = [0, 1, 1] }", ""));
    assert_eq!(row.bodies[2].placement.translation, DVec3::new(0.0, 2.0, 2.0));
}

#[test]
fn a_radius_left_out_is_as_large_as_the_stiffness_allows() {
    // k = 60, t = 0.1, c = 1: R = 2t would give k (R − t) = 6 > 3; the largest is t + 3/60 = 0.15.
    let s = parse(&scene("", "", "stiffness = 60"));
    assert!((kernel(&s.bodies[0].elements[0]).radius() - 0.15).abs() < 1e-15);
    // A stiffness left out gives way to the radius: 3c/(R − t) = 3/0.9 < c/t = 10.
    let s = parse(&scene("", "", "radius = 1"));
    assert!((kernel(&s.bodies[0].elements[0]).slope() - 3.0 / 0.9).abs() < 1e-12);
}

#[test]
fn a_key_without_orientation_keeps_that_of_the_key_before() {
    let keys = "motion.keyed.keys = [{ time = 0, position = [0,0,1], orientation = { axis = [1,0,0], angle = 1 } }, \
                { time = 1, position = [0,0,2] }]";
    let s = parse(&scene("", keys, ""));
    let MotionSpec::Keyed(keys) = &s.bodies[0].motion else { panic!() };
    assert_eq!(keys.keys[1].placement.rotation, DQuat::from_rotation_x(1.0));
    assert_eq!(s.bodies[0].placement, keys.keys[0].placement);
    assert_eq!(keys.interpolation, Interpolation::Smooth);
}

#[test]
fn drawn_pressures_are_divided_by_the_stiffness() {
    // K is 100 kPa by default: 2 kPa at a depth of 1 cm, 9 cm from the point, is 0.02 above the isovalue.
    let s = parse(&scene("", "", "kernel.drawn = [[0, 0], [\"1 cm\", \"2 kPa\"], [\"5 cm\", \"20 kPa\"]]"));
    assert!((kernel(&s.bodies[0].elements[0]).value(0.09) - 1.02).abs() < 1e-12);
}

#[test]
fn the_plane_of_a_half_space_is_its_surface() {
    let floor = "half_space = { point = [0, 0, 2], normal = [0, 3, 4] }";
    let s = parse(&scene("", "motion = \"fixed\"", "").replace("point = {}", floor));
    // A tangent of the plane is (0, 4, −3)/5: its points have the isovalue, points outside less.
    for (p, value) in [(DVec3::new(5.0, 4.0, -1.0), 1.0), (DVec3::new(0.0, 0.6, 2.8), 0.0)] {
        assert!((s.bodies[0].elements[0].sample(p).value - value).abs() < 1e-12);
    }
}

#[test]
fn the_scene_with_every_key_has_no_problem() {
    assert_eq!(problems(EVERYTHING), []);
}

#[test]
fn frames_are_counted_with_the_first_and_without_rounding_surprises() {
    let count = |duration, frame_rate| Scene { duration, frame_rate, ..Scene::default() }.frame_count();
    assert_eq!((count(2.0, 60.0), count(0.1, 30.0), count(0.3, 10.0)), (121, 4, 4));
}

#[test]
fn no_duration_or_frame_rate_overflows_the_number_of_frames() {
    let values = [0.0, -1.0, 1e-300, 1.0, 1e6, 1e19, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for (duration, frame_rate) in values.iter().flat_map(|d| values.iter().map(move |r| (*d, *r))) {
        let s = Scene { duration, frame_rate, ..Scene::default() };
        assert!((1..=MAX_FRAMES + 1).contains(&s.frame_count()), "{duration} s at {frame_rate}");
        assert!(s.last_frame_time() >= 0.0, "{duration} s at {frame_rate}: {}", s.last_frame_time());
    }
    let endless = Scene { duration: f64::INFINITY, ..Scene::default() };
    assert_eq!((endless.frame_count(), endless.last_frame_time()), (MAX_FRAMES + 1, MAX_FRAMES as f64 / 60.0));
}

/// A forgotten word would have the meaning of another.
#[test]
fn no_two_words_of_a_choice_mean_the_same() {
    fn differ<T: Words>(text: impl Fn(&str) -> String) {
        let scenes: Vec<Scene> = T::WORDS.iter().map(|word| parse(&text(word))).collect();
        for (i, one) in scenes.iter().enumerate() {
            assert!(scenes[..i].iter().all(|other| one != other), "{} of {:?}", T::WORDS[i], T::WORDS);
        }
    }
    differ::<Scheme>(|word| scene(&format!("[motion]\nscheme = \"{word}\""), "", ""));
    differ::<Response>(|word| scene("", &format!("response = \"{word}\""), ""));
    differ::<MotionWord>(|word| scene("", &format!("motion = \"{word}\""), ""));
    differ::<KernelWord>(|word| scene("", "", &format!("kernel = \"{word}\"")));
    differ::<FieldMethod>(|word| {
        let segment = "segment = { from = [0, 0, 0], to = [1, 0, 0] }";
        scene("", "", &format!("surface = \"{word}\"")).replace("point = {}", segment)
    });
    differ::<BulgeKey>(|word| scene("", &format!("material = {{ bulge.{word} = {{ height = 0.5 }} }}"), ""));
    differ::<Interpolation>(|word| {
        let keys = "{ time = 0, position = [0, 0, 0] }, { time = 1, position = [1, 0, 0] }";
        scene("", &format!("motion.keyed = {{ keys = [{keys}], interpolation = \"{word}\" }}"), "")
    });
    differ::<PinnedNodes>(|word| {
        let grid = "motion = \"point\"\nrepeat = { count = [3, 3, 1], spacing = 1 }";
        let net =
            format!("[[network]]\nname = \"n\"\nnodes = \"ball\"\nreach = 1.1\nstiffness = 1\npinned = \"{word}\"\n");
        scene("", grid, "") + &net
    });
    differ::<JointType>(|word| {
        scene("", "", "") + &format!("[[joint]]\nname = \"j\"\nb = \"ball\"\nat = [0, 0, 0]\n{word} = {{}}\n")
    });
    // A bulge, a height and their words: each differs from the default.
    let plain = parse(&scene("", "", ""));
    for material in ["bulge = \"none\"", "bulge.dilation = { height = \"keep-volume\" }"] {
        assert_ne!(parse(&scene("", &format!("material = {{ {material} }}"), "")), plain, "{material}");
    }
}
