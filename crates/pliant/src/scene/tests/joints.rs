//! Joints, springs and networks: their meaning, and refusals.

use super::{EVERYTHING, problems};
use crate::math::DVec3;
use crate::model::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

/// Three balls in a row and a floor, then `joints`.
fn row(joints: &str) -> String {
    format!(
        "duration = 1\n[[body]]\nname = \"ball\"\nposition = [1, 2, 3]\nrepeat = {{ count = 3, spacing = 0.5 }}\n\
         skeleton = [{{ thickness = 0.1, point = {{}} }}]\n\
         [[body]]\nname = \"floor\"\nmotion = \"fixed\"\nskeleton = [{{ thickness = 0.1, half_space = {{}} }}]\n{joints}"
    )
}

fn parse(text: &str) -> Scene {
    Scene::parse(text, "test.toml").unwrap_or_else(|e| panic!("{e}"))
}

fn refused(joints: &str, fragments: &[&str]) {
    let found = problems(&row(joints));
    assert_eq!(found.len(), 1, "expected one problem about {fragments:?}, found {found:#?} in\n{joints}");
    let message = found[0].to_string();
    fragments.iter().for_each(|f| assert!(message.contains(f), "\"{message}\" does not say \"{f}\""));
}

fn joint(joint: &JointSpec) -> &ConstraintJointSpec {
    match &joint.kind {
        JointKind::Constraint(joint) => joint,
        JointKind::Spring(_) => panic!("{joint:?}"),
    }
}

#[test]
fn joints_and_springs_reach_the_model() {
    let scene = parse(EVERYTHING);
    let named = |name: &str| scene.joints.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name}"));
    let hook = named("hook");
    assert_eq!((hook.a, hook.break_force, hook.collide), (None, Some(1e3), true));
    assert_eq!(scene.bodies[hook.b].name, "link-1");
    assert_eq!(joint(hook).axis_settings.stiffness, 1.0);
    assert!((joint(hook).axis_settings.damping - 0.1).abs() < 1e-15);
    assert!(joint(hook).placement.rotation.mul_vec3(DVec3::Z).distance(DVec3::X) < 1e-12);
    // Three joints of four links, each ten centimetres on.
    let hinge = joint(named("chain-2"));
    assert!(hinge.placement.translation.distance(DVec3::new(0.25, 0.0, 5.0)) < 1e-12);
    let [least, most] = hinge.axis_settings.limits.unwrap();
    assert!((least + FRAC_PI_2).abs() < 1e-12 && (most - FRAC_PI_4).abs() < 1e-12);
    let motor = hinge.axis_settings.motor.unwrap();
    assert!((motor.speed - TAU).abs() < 1e-12 && motor.max_force == 5.0);
    assert_eq!(joint(named("rail")).joint_type, JointType::Slider);
    assert_eq!(joint(named("weld")).joint_type, JointType::Fixed);
    let JointKind::Spring(spring) = &named("spring").kind else { panic!() };
    assert_eq!((spring.rest_length, spring.stiffness, spring.rope), (Some(4.0), 100.0, true));
    // Ends of the row are pinned: of five pairs within 25 cm one is of two that cannot move, none of which is near.
    let net: Vec<_> = scene.joints.iter().filter(|t| t.name.starts_with("net-")).collect();
    assert_eq!(net.len(), 5);
    let fixed = |name: &str| scene.bodies.iter().any(|b| b.name == name && b.motion == MotionSpec::Fixed);
    assert!(fixed("link-0") && fixed("link-3") && !fixed("link-1"));
}

#[test]
fn mistakes_in_joints_are_reported_with_their_places() {
    let hinge = |keys: &str| format!("[[joint]]\nname = \"j\"\nat = [0, 0, 0]\n{keys}");
    refused(&hinge("b = \"bal-0\"\nball = {}"), &["there is no body \"bal-0\"", "did you mean \"ball-0\"?"]);
    refused(&hinge("b = \"ball\"\nball = {}"), &["no body \"ball\"", "\"ball-0\", or write each"]);
    refused(&hinge("each = \"bal\"\nball = {}"), &["no repeated body \"bal\"", "did you mean \"ball\"?"]);
    refused(&hinge("each = \"ball\"\nb = \"ball-1\"\nball = {}"), &["each connects copies", "remove a and b"]);
    refused(&hinge("ball = {}"), &["needs the key \"b\""]);
    refused(&hinge("a = \"ball-0\"\nb = \"ball-0\"\nball = {}"), &["connects \"ball-0\" to itself"]);
    refused(&hinge("b = \"floor\"\nball = {}"), &["neither of its bodies is moved"]);
    refused(&hinge("b = \"ball-0\""), &["needs one of the keys fixed, ball, hinge, slider"]);
    refused(&hinge("b = \"ball-0\"\nhinge = { least = 1, most = 0 }"), &["least 1 is more than most 0"]);
    refused(&hinge("b = \"ball-0\"\nhinge = { least = 1 }"), &["least and most go together"]);
    refused(&hinge("b = \"ball-0\"\nhinge = { axis = [0, 0, 0] }"), &["axis is zero"]);
    refused(&hinge("b = \"ball-0\"\nhinge = { most = \"400 deg\", least = 0 }"), &["most must be from"]);
    let point = row(&hinge("b = \"ball-0\"\nball = {}")).replace("position", "motion = \"point\"\nposition");
    assert!(problems(&point)[0].to_string().contains("a point mass does not turn"));
    let grid = row(&hinge("each = \"ball\"\nball = {}")).replace("count = 3", "count = [2, 2, 1]");
    assert!(problems(&grid)[0].to_string().contains("these are a grid"));
    refused("[[spring]]\nname = \"s\"\nb = \"ball-0\"\nstiffness = \"3 N\"", &["a force", "a spring rate"]);
    refused("[[spring]]\nname = \"s\"\nb = \"ball-0\"\nstiffness = 0", &["stiffness must be greater than zero"]);
    let net = "[[network]]\nname = \"n\"\nnodes = \"ball\"\nstiffness = 1\nreach = ";
    refused(&format!("{net}0.1"), &["no two nodes are within 0.1 m", "raise reach"]);
    refused(&format!("{net}1\npinned = \"all\""), &["pinned cannot be \"all\""]);
    refused(
        "[[spring]]\nname = \"s\"\nb = \"ball-0\"\nstiffness = 1\n[[spring]]\nname = \"s\"\nb = \"ball-1\"\nstiffness = 1",
        &["are named \"s\""],
    );
}

#[test]
fn explicit_steps_are_refused_where_there_are_joints() {
    let joint = "[[spring]]\nname = \"s\"\nb = \"ball-0\"\nstiffness = 1\n[motion]\nscheme = ";
    refused(&format!("{joint}\"explicit\""), &["explicit steps cannot follow", "\"auto\""]);
    assert_eq!(parse(&row(&format!("{joint}\"implicit\""))).joints.len(), 1);
    assert_eq!(parse(&row(&format!("{joint}\"auto\""))).joints.len(), 1);
}
