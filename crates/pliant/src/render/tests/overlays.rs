//! Overlays: their geometry against closed forms, and their pixels.

use super::*;
use crate::math::Aabb;
use crate::model::Scene;
use crate::render::{
    Camera, ForceScale, Image, Light, Overlay, OverlayMark, OverlayScales, OverlayShape, RenderSettings, View,
    overlays, overlays_of, paint,
};
use crate::world::World;

const FLOOR: &str = "[[body]]\nname = \"floor\"\nresponse = \"rigid\"\nmotion = \"fixed\"\n\
                     skeleton = [{ thickness = 0.1, half_space = {} }]\n";

fn world(text: &str) -> World {
    World::new(&Scene::parse(&format!("duration = 1\n{text}"), "overlays").unwrap()).unwrap()
}

/// A ball of radius 0.1 pressed 2 cm into a rigid floor.
fn pressed_ball() -> World {
    let ball = "[[body]]\nname = \"ball\"\nposition = [0, 0, 0.08]\nskeleton = [{ thickness = 0.1, point = {} }]\n";
    world(&format!("{ball}{FLOOR}"))
}

/// Two balls 0.4 m apart on one spring of 100 N/m, 0.3 m long at rest, and on another that breaks at 1 N.
fn springs() -> World {
    let ball = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nposition = [{x}, 0, 0]\nmotion.rigid.mass = 1\n\
             skeleton = [{{ thickness = 0.05, point = {{}} }}]\n"
        )
    };
    let spring = |name: &str, more: &str| {
        format!("[[spring]]\nname = \"{name}\"\na = \"a\"\nb = \"b\"\nrest_length = 0.3\nstiffness = 100\n{more}\n")
    };
    let (a, b) = (ball("a", 0.0), ball("b", 0.4));
    world(&format!("gravity = [0, 0, 0]\n{a}{b}{}{}", spring("kept", ""), spring("weak", "break_force = 1")))
}

#[test]
fn an_arrow_is_as_long_as_its_force_and_pushes_what_can_be_moved() {
    let world = pressed_ball();
    let [contact] = world.contacts() else { panic!("one contact") };
    let force = contact.patch.on_a.force.length();
    let scales = OverlayScales::of(&world);
    let ForceScale { newtons, metres } = scales.force_scale().unwrap();
    assert!(
        newtons <= force && newtons > force / 2.6 && (scales.force / force - 1.0).abs() < 1e-9,
        "{newtons} {force}"
    );
    let marks = overlays(&world, &[Overlay::Forces]);
    let [OverlayMark { shapes, .. }] = marks.as_slice() else { panic!("{} marks", marks.len()) };
    // The floor is fixed: one arrow, upwards, out of the middle of the contact.
    let [OverlayShape::Arrow { from, to, .. }] = shapes.as_slice() else { panic!("{shapes:?}") };
    let expected = force * metres / newtons * DVec3::Z;
    assert!((*to - *from - expected).length() < 1e-6 * metres && from.length() < 1e-3, "{from} {to} for {expected}");
    assert!(overlays_of(&world, &[], &Overlay::ALL, &scales).is_empty(), "nothing of bodies that are not shown");
}

#[test]
fn a_broken_spring_is_not_drawn_and_tension_is_a_colour() {
    let mut world = springs();
    let coils = |world: &World| overlays(world, &[Overlay::Springs]);
    assert_eq!(coils(&world).len(), 2);
    // Stretched by 0.1 m: 10 N.
    assert!((OverlayScales::of(&world).tension - 10.0).abs() < 1e-9);
    let [r, _, b] = coils(&world)[0].color;
    assert!(r > 4.0 * b, "pulled: red");
    world.advance_to(0.02).unwrap();
    assert_eq!(coils(&world).len(), 1, "the weak one has broken");
    assert!(overlays(&world, &[Overlay::Joints]).is_empty(), "a spring is no joint");
}

#[test]
fn each_kind_of_joint_has_a_symbol_of_its_own() {
    let kinds = ["ball = {}", "hinge = { axis = [0, 1, 0] }", "slider = { axis = [1, 0, 0] }", "fixed = {}"];
    let mut seen: Vec<Vec<OverlayShape>> = Vec::new();
    for kind in kinds {
        let world = world(&format!(
            "[[body]]\nname = \"a\"\nmotion.rigid.mass = 1\nskeleton = [{{ thickness = 0.1, point = {{}} }}]\n\
             [[joint]]\nname = \"j\"\nb = \"a\"\nat = [0, 0, 0.1]\n{kind}\n"
        ));
        let mut marks = overlays(&world, &[Overlay::Joints]);
        assert_eq!(marks.len(), 1, "{kind}");
        seen.push(marks.remove(0).shapes);
    }
    // Axes of hinge and slider are those of the scene.
    for (shapes, axis) in [(&seen[1], DVec3::Y), (&seen[2], DVec3::X)] {
        let OverlayShape::Symbol { at, lines, .. } = &shapes[0] else { panic!("{shapes:?}") };
        let along = (lines[0][1] - lines[0][0]).normalize();
        assert!((*at - v(0.0, 0.0, 0.1)).length() < 1e-12 && along.dot(axis).abs() > 1.0 - 1e-12, "{along} for {axis}");
    }
    assert!((0..4).all(|i| (0..i).all(|j| seen[i] != seen[j])));
}

fn line(points: Vec<DVec3>) -> OverlayMark {
    OverlayMark { color: [0.0; 3], hidden: 1.0, shapes: vec![OverlayShape::Line { points, width: 6.0 }] }
}

/// From 2 m in front of the origin, one metre is 90 of 180 pixels.
fn front(scene: &RenderScene) -> Image {
    let camera =
        Camera { from: v(0.0, -2.0, 0.0), at: DVec3::ZERO, up: DVec3::Z, angle: 2.0 * 0.5f64.atan(), lens: 0.0 };
    let settings = RenderSettings { size: (180, 180), samples: 1, view: View::Beauty, shutter: 0.0 };
    paint(scene, &camera, &Light::default(), &settings)
}

#[test]
fn a_line_covers_its_pixels_and_shines_through_what_is_before_it() {
    let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(Profile::Linear, 0.3))], 1.0);
    let placed = Posed::rigid(&ball, Frame::IDENTITY);
    let body = Deformed { field: placed, bulge: Bulge::None, colliders: Vec::new() };
    let mut scene = scene_of(vec![Instance::new(body, [0.5; 3], 0.5)]);
    let plain = front(&scene);
    let at = |image: &Image, x: usize, y: usize| image.pixels[y * 180 + x];
    let change = |image: &Image, x: usize, y: usize| {
        (0..3).map(|c| (at(image, x, y)[c] - at(&plain, x, y)[c]).abs()).fold(0.0, f32::max)
    };
    // Through the middle of the ball, from left to right: row 90, hidden from 90 − 27 to 90 + 27.
    scene.overlays = vec![line(vec![v(-0.8, 0.0, 0.0), v(0.8, 0.0, 0.0)])];
    let drawn = front(&scene);
    assert!(at(&drawn, 30, 90).iter().all(|c| *c < 0.01), "{:?}", at(&drawn, 30, 90));
    // 0.3 m behind the ball's surface, of a scene 0.6 m wide: 1/(1 + (0.3/0.12)²) = 0.138 of black, mixed in square roots:
    // (1 − 0.138)² = 0.743 of what was there.
    let through = at(&drawn, 90, 90)[0] / at(&plain, 90, 90)[0];
    assert!((through - 0.743).abs() < 0.01, "faint, yet there: {through}");
    // 6 pixels of a picture twice as high are 3, and an outline around them; farther off nothing changes.
    assert!((0..180).all(|x| change(&drawn, x, 84) == 0.0 && change(&drawn, x, 96) == 0.0));
    // In front of the ball nothing is faint.
    scene.overlays = vec![line(vec![v(-0.4, -0.8, 0.0), v(0.4, -0.8, 0.0)])];
    assert!(at(&front(&scene), 90, 90).iter().all(|c| *c < 0.01));
}

#[test]
fn marks_behind_the_camera_and_marks_that_are_no_numbers_do_no_harm() {
    let mut scene = scene_of(Vec::new());
    let plain = front(&scene);
    scene.overlays = vec![line(vec![v(0.0, -5.0, 0.0), v(1.0, -2.5, 0.0)])];
    assert_eq!(front(&scene), plain, "all of it behind");
    // From behind the camera past it to the middle of the picture.
    scene.overlays = vec![line(vec![v(0.3, -4.0, 0.1), DVec3::ZERO])];
    assert!(front(&scene).pixels[90 * 180 + 90].iter().all(|c| *c < 0.01));
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let p = v(bad, 0.0, 0.0);
        let shapes = vec![
            OverlayShape::Line { points: vec![p, DVec3::ZERO], width: 1.0 },
            OverlayShape::Arrow { from: DVec3::ZERO, to: p, width: 1.0 },
            OverlayShape::Coil { ends: [p, DVec3::ZERO], turns: 8, width: 1.0 },
            OverlayShape::Symbol { at: p, radius: 0.1, lines: vec![vec![DVec3::ZERO, DVec3::X]], width: 1.0 },
        ];
        for shape in shapes {
            scene.overlays = vec![OverlayMark { color: [0.5; 3], hidden: 0.5, shapes: vec![shape] }];
            assert!(front(&scene).pixels.iter().flatten().all(|c| c.is_finite()), "{bad}");
        }
    }
}

#[test]
fn overlays_are_the_same_for_any_number_of_threads() {
    let world = pressed_ball();
    let mut scene = RenderScene::of(&world);
    scene.overlays = overlays(&world, &Overlay::ALL);
    assert_eq!(scene.overlays.len(), 2, "an arrow and a border");
    let draw = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| front(&scene))
    };
    let one = draw(1);
    assert!(one == draw(2) && one == draw(7));
}

#[test]
fn unknown_overlays_are_refused_with_the_list() {
    assert_eq!("forces".parse(), Ok(Overlay::Forces));
    assert!(Overlay::ALL.iter().all(|o| o.name().parse() == Ok(*o)));
    let said = "arrows".parse::<Overlay>().unwrap_err().to_string();
    assert_eq!(said, "\"arrows\" is no overlay; there are forces, borders, joints and springs");
}

/// A wall without end on the side of the sun holds the sun itself: it would put all in shadow, and casts none.
#[test]
fn a_wall_around_the_sun_leaves_light_on_a_ball() {
    let ball = "[[body]]\nname = \"ball\"\nskeleton = [{ thickness = 0.3, point = {} }]\n";
    let wall = "[[body]]\nname = \"wall\"\nresponse = \"rigid\"\nmotion = \"fixed\"\n\
                skeleton = [{ thickness = 0.1, half_space = { point = [-1.5, 0, 0], normal = [1, 0, 0] } }]\n";
    let (alone, beside) = (world(ball), world(&format!("{ball}{wall}")));
    let light = |world: &World| {
        let image = front(&RenderScene::of(world));
        // Up and to the left of the ball's middle, where the sun stands: two thirds of the light there are the sun's.
        let block = (0..100).map(|i| image.pixels[(73 + i / 10) * 180 + 73 + i % 10]);
        f64::from(block.flatten().sum::<f32>())
    };
    let (alone, beside) = (light(&alone), light(&beside));
    assert!(beside > 0.6 * alone, "{beside} for {alone}");
}

#[test]
fn a_scene_of_a_world_frames_its_bounded_bodies_and_removes_walls_around_the_eye() {
    let world = pressed_ball();
    let mut scene = RenderScene::of(&world);
    let bounds = scene.bounds();
    let around = Aabb { min: v(-0.15, -0.15, -0.1), max: v(0.15, 0.15, 0.2) };
    assert!(around.contains(bounds.min) && around.contains(bounds.max) && bounds.size().z > 0.1, "{bounds:?}");
    assert!(scene.remove_enclosing(v(0.0, 0.0, 1.0)).is_empty() && scene.instances.len() == 2);
    // The ball is small and stays; the floor holds the eye.
    assert_eq!(scene.remove_enclosing(v(0.0, 0.0, -0.05)), [1]);
    assert_eq!(scene.instances.len(), 1);
    assert_eq!(RenderScene::default().bounds(), Aabb::around(DVec3::ZERO, 1.0));
}
