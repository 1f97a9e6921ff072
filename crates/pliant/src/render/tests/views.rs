//! Cuts, deformation against rest, samples: against closed forms.

use super::*;
use crate::math::Aabb;
use crate::render::sample_discs::{SampleDisc, sample_discs};
use crate::render::{Camera, CutPlane, Light, RenderSettings, View, displacement, diverging, paint, paint_cut};
use crate::surface::Sampling;

const T: f64 = 0.2;

fn ball(profile: Profile) -> Shape {
    Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(profile, T))], 1.0)
}

fn floor() -> Shape {
    let floor = HalfSpace::new(DVec3::ZERO, DVec3::Z).unwrap().into();
    Shape::new(vec![Element::new(floor, kernel(Profile::Linear, 0.1))], 1.0)
}

/// `shape` at a place, pressed by `other` at another.
fn pressed<'a>(shape: &'a Shape, at: DVec3, (other, there, rigid): (&'a Shape, DVec3, bool)) -> Deformed<'a> {
    let sources = vec![BulgeSource { center: 0.5 * (at + there), compression: 0.1, height: 0.0 }];
    let field = Posed::rigid(other, Frame::at(there));
    let collider = Collider { body: 1, field, ratio: 1.0, rigid, velocity: DVec3::ZERO, sources };
    Deformed { field: Posed::rigid(shape, Frame::at(at)), bulge: Bulge::None, colliders: vec![collider] }
}

fn alone(shape: &Shape, at: DVec3) -> Instance<'_> {
    let field = Posed::rigid(shape, Frame::at(at));
    Instance::new(Deformed { field, bulge: Bulge::None, colliders: Vec::new() }, [0.1, 0.3, 0.7], 0.4)
}

/// A metre of the plane y = 0 on 200 × 200 pixels of 5 mm.
const PLANE: CutPlane =
    CutPlane { at: DVec3::ZERO, axes: [DVec3::X, DVec3::Z], height: 1.0, steps: [0.5, 0.5], most: 1.0 };

fn shade(image: &crate::render::Image, x: usize, y: usize) -> f32 {
    image.pixels[y * 200 + x].iter().sum()
}

/// The field of a linear ball is 1 + (t − r)/t inside: the isovalue is at t, 40 pixels from the middle, and 1.5 at half of it.
#[test]
fn lines_of_a_cut_are_where_the_field_has_their_value() {
    let shape = ball(Profile::Linear);
    let image = paint_cut(&scene_of(vec![alone(&shape, DVec3::ZERO)]), &PLANE, (200, 200));
    let darkest = |from: usize, to: usize, along: fn(usize) -> (usize, usize)| {
        (from..to)
            .min_by(|a, b| {
                let at = |i: usize| shade(&image, along(i).0, along(i).1);
                at(*a).total_cmp(&at(*b))
            })
            .unwrap()
    };
    // Pixel i is from i to i + 1, its middle at i + 1/2.
    for along in [|i| (100 + i, 100), |i| (99 - i, 99), |i| (100, 99 - i)] as [fn(usize) -> (usize, usize); 3] {
        assert!((darkest(30, 50, along) as f64 + 0.5 - 40.0).abs() <= 1.0, "surface");
        assert!((darkest(10, 30, along) as f64 + 0.5 - 20.0).abs() <= 1.0, "half of it");
    }
    // Cut 0.12 off its middle it is a disc of radius 0.16, 32 pixels; cut beside it, there is nothing.
    let aside = |y: f64| paint_cut(&scene_of(vec![alone(&shape, v(0.0, y, 0.0))]), &PLANE, (200, 200));
    let off = aside(0.12);
    let least = (20..60).min_by(|a, b| shade(&off, 100 + a, 100).total_cmp(&shade(&off, 100 + b, 100))).unwrap();
    assert!((least as f64 + 0.5 - 32.0).abs() <= 1.0, "{least}");
    let empty = aside(0.5);
    assert!(empty.pixels.iter().all(|p| *p == empty.pixels[0]));
}

/// Two equal balls, centres 2h apart, share the disc of radius √(t² − h²) between them: 32 of 40 pixels for h = 0.12.
#[test]
fn the_contact_of_a_cut_is_the_disc_that_two_balls_share() {
    let shape = ball(Profile::Linear);
    let (a, b) = (v(-0.12, 0.0, 0.0), v(0.12, 0.0, 0.0));
    let bodies = [(a, b), (b, a)]
        .map(|(at, there)| Instance::new(pressed(&shape, at, (&shape, there, false)), [0.1, 0.3, 0.7], 0.4));
    let image = paint_cut(&scene_of(bodies.to_vec()), &PLANE, (200, 200));
    let is_ink = |y: usize| (98..102).all(|x| shade(&image, x, y) < 0.12);
    for y in 0..200 {
        let off = (y as f64 + 0.5 - 100.0).abs();
        assert!(is_ink(y) == (off < 32.0) || (off - 32.0).abs() < 2.5, "row {y}");
    }
}

#[test]
fn a_cut_frames_what_it_cuts_and_nothing_that_it_misses() {
    let boxes = [Aabb::around(DVec3::ZERO, 0.1), Aabb::around(v(0.0, 3.0, 0.5), 0.1)];
    let through = |y: f64| CutPlane::framing(&boxes, v(0.0, y, 0.0), [DVec3::X, DVec3::Z], 2.0);
    let cut = through(0.05).unwrap();
    assert!(cut.at == v(0.0, 0.05, 0.0) && cut.height > 0.2 && cut.height < 0.4, "{cut:?}");
    assert!((through(3.0).unwrap().at - v(0.0, 3.0, 0.5)).length() < 1e-12);
    assert_eq!(through(1.0), None);
}

/// A ball pressed to the height h over a rigid plane is pressed in by t − h in the middle, whatever its curve.
#[test]
fn a_ball_on_a_plane_has_moved_by_its_depth_in_the_middle() {
    let floor = floor();
    let h = 0.15;
    for profile in [Profile::Linear, Profile::NonLinear, Profile::Hardening, Profile::Metaball] {
        let shape = ball(profile.clone());
        // The floor's own surface is 0.1 above its plane.
        let body = pressed(&shape, v(0.0, 0.0, h), (&floor, v(0.0, 0.0, -0.1), true));
        let way = displacement(&body, DVec3::ZERO);
        assert!((way + (T - h)).abs() < 1e-9, "{profile:?}: {way}");
        // And where the ball is free, not at all.
        assert!(displacement(&body, v(0.0, 0.0, h + T)).abs() < 1e-9, "{profile:?}");
        // Instance from below: the colour of that depth in the middle, from the side: a ghost below the plane.
        let scene = scene_of(vec![Instance::new(body, [0.5; 3], 0.4)]);
        let view = View::Deformation { pressed: 0.1, swollen: 0.1 };
        let settings = RenderSettings { size: (201, 201), samples: 1, view, shutter: 0.0 };
        let from = |from: DVec3, up: DVec3| {
            let camera = Camera { from, at: v(0.0, 0.0, 0.0), up, angle: 0.5, lens: 0.0 };
            paint(&scene, &camera, &Light::default(), &settings)
        };
        let instance = from(v(0.0, 0.0, -2.0), DVec3::Y).pixels[100 * 201 + 100];
        // The veil of the rest shape before it, seen square on, takes a tenth; a pixel of 5 mm changes nothing.
        let expected = DVec3::from_array(diverging(-(T - h) / 0.1)).lerp(v(0.05, 0.06, 0.09), 0.1);
        let off = (DVec3::from_array(instance.map(f64::from)) - expected).abs().max_element();
        assert!(off < 0.01, "{profile:?}: {instance:?} for {expected:?}");
        // The rest shape stands 50 mm below the plane, ten pixels: five below the middle it is seen, 20 below it is not.
        let side = from(v(0.0, -2.0, 0.0), DVec3::Z);
        let (ghost, sky) = (side.pixels[105 * 201 + 100], side.pixels[120 * 201 + 100]);
        assert!(ghost[2] < 0.97 * sky[2], "{ghost:?} before {sky:?}");
    }
}

/// Of a ball of radius t whose middle is D away, all samples are seen whose normal is within acos(t/D) of the way to the
/// eye, and no other.
#[test]
fn as_many_discs_are_drawn_as_samples_are_seen() {
    let shape = ball(Profile::Linear);
    let scene = scene_of(vec![alone(&shape, DVec3::ZERO)]);
    let camera = Camera { from: v(0.3, -2.0, 0.7), at: DVec3::ZERO, up: DVec3::Z, angle: 0.24, lens: 0.0 };
    let fineness = 8;
    let sampled = Sampling::new(&shape, fineness).sample(&scene.instances[0].field);
    let eye = camera.from.normalize();
    let facing = |s: &&crate::surface::SurfaceSample| s.normal.dot(eye) > T / camera.from.length() && s.area > 0.0;
    let expected = sampled.samples.iter().filter(facing).count();
    let found = sample_discs(&scene, &camera, fineness);
    assert!(found.len() == expected && expected > 20, "{} for {expected}", found.len());
    // In the picture, as islands of full colour on the pale body.
    let view =
        |fineness| RenderSettings { size: (400, 400), samples: 1, view: View::Samples { fineness }, shutter: 0.0 };
    let drawn = paint(&scene, &camera, &Light::default(), &view(fineness));
    let strong: Vec<bool> = drawn.pixels.iter().map(|p| p[0] < 0.16 && p[2] > 0.5).collect();
    let islands = islands(&strong, 400);
    // Where they are seen very much aslant they may be too thin, or run into each other.
    let wide = found.iter().filter(|s| s.normal.dot(eye) > 0.4).count();
    assert!((wide..=expected).contains(&islands), "{islands} islands for {wide} to {expected}");
}

/// Groups of at least twelve neighbouring pixels that are set.
fn islands(set: &[bool], width: usize) -> usize {
    let mut left = set.to_vec();
    let mut count = 0;
    while let Some(start) = left.iter().position(|set| *set) {
        let mut waiting = vec![start];
        let mut size = 0;
        left[start] = false;
        while let Some(at) = waiting.pop() {
            size += 1;
            for next in [at.wrapping_sub(1), at + 1, at.wrapping_sub(width), at + width] {
                if left.get(next) == Some(&true) {
                    left[next] = false;
                    waiting.push(next);
                }
            }
        }
        count += usize::from(size >= 12);
    }
    count
}

/// Two blended balls: lines that end between them are inside the body, and seen through it.
#[test]
fn samples_between_two_territories_are_seen_through_the_body() {
    let at = |x: f64| Element::new(Point { at: v(x, 0.0, 0.0) }.into(), kernel(Profile::Linear, T));
    let shape = Shape::new(vec![at(-0.12), at(0.12)], 1.0);
    let scene = scene_of(vec![alone(&shape, DVec3::ZERO)]);
    let camera = Camera { from: v(0.0, -2.0, 0.0), at: DVec3::ZERO, up: DVec3::Z, angle: 0.4, lens: 0.0 };
    let found = sample_discs(&scene, &camera, 16);
    let (valid, not): (Vec<SampleDisc>, Vec<SampleDisc>) = found.iter().partition(|s| s.valid);
    assert!(not.len() > 10 && not.iter().all(|s| s.position.x.abs() < 1e-6), "{} between them", not.len());
    assert!(valid.iter().all(|s| (s.position.x < 0.0) == (s.element == 0)), "each on its own side");
    // Behind another body neither is seen.
    let wall = Shape::new(
        vec![Element::new(
            Cuboid::new(v(0.0, -0.8, 0.0), v(1.0, 0.1, 1.0)).unwrap().into(),
            kernel(Profile::Linear, 0.05),
        )],
        1.0,
    );
    let hidden = scene_of(vec![scene.instances[0].clone(), alone(&wall, DVec3::ZERO)]);
    assert!(sample_discs(&hidden, &camera, 16).iter().all(|s| s.instance == 1));
}
