//! Whole pictures.

use super::*;
use crate::render::{Camera, CutPlane, DepthMap, Light, RenderSettings, ShutterMotion, View, depth, paint, paint_cut};

/// Blends at rest in every curve, some in lanes and some not, one pressed, one that moves.
fn many<'a>(shapes: &'a [Shape], pressers: &'a [Shape; 2]) -> RenderScene<'a> {
    let at = |i: usize| v((i % 4) as f64 - 1.5, (i / 4) as f64 - 1.5, 0.1 * (i % 3) as f64);
    let rest = |(i, shape): (usize, &'a Shape)| {
        let placed = Posed::rigid(shape, Frame { rotation: DQuat::from_rotation_z(i as f64), translation: at(i) });
        Instance::new(Deformed { field: placed, bulge: Bulge::None, colliders: Vec::new() }, [0.7, 0.4, 0.2], 0.4)
    };
    let mut instances: Vec<Instance> =
        shapes.iter().enumerate().filter(|(i, _)| ![6, 11].contains(i)).map(rest).collect();
    instances.push(Instance::new(deformed(&shapes[0], pressers, (dilation(false), 1)), [0.2, 0.4, 0.7], 0.4));
    instances[0].motion = ShutterMotion { center: at(0), velocity: v(1.0, 2.0, 0.0), spin: v(0.0, 0.0, 9.0) };
    scene_of(instances)
}

fn camera() -> Camera {
    Camera { from: v(2.0, -5.0, 6.0), at: v(0.0, 0.2, 0.0), up: DVec3::Z, angle: 0.7, lens: 0.05 }
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn pixels_are_the_same_for_any_number_of_threads() {
    let (shapes, pressers) = (shapes(), pressers());
    let scene = many(&shapes, &pressers);
    let against_rest = View::Deformation { pressed: 0.1, swollen: 0.1 };
    let views = [View::Beauty, View::Pressure { most: 0.5 }, View::Depth, View::Normals];
    for view in views.into_iter().chain([against_rest, View::Samples { fineness: 8 }]) {
        let settings = RenderSettings { size: (83, 41), samples: 2, view, shutter: 0.1 };
        let draw = |threads| on_threads(threads, || paint(&scene, &camera(), &Light::default(), &settings));
        let one = draw(1);
        assert!(one.pixels.iter().any(|p| *p != one.pixels[0]), "{view:?} shows nothing");
        for threads in [2, 7] {
            assert_eq!(draw(threads), one, "{view:?} on {threads} threads");
        }
    }
    let plane = CutPlane { at: DVec3::ZERO, axes: [DVec3::X, DVec3::Z], height: 3.0, steps: [0.2; 2], most: 1.0 };
    let draw = |threads| on_threads(threads, || paint_cut(&scene, &plane, (83, 41)));
    assert!(draw(1) == draw(2) && draw(1) == draw(7), "a cut");
}

#[test]
fn tiles_see_what_single_rays_see() {
    let (shapes, pressers) = (shapes(), pressers());
    let scene = many(&shapes, &pressers);
    let (camera, size) = (camera(), (131, 97));
    let picture = depth(&scene, &camera, size);
    let forward = camera.at - camera.from;
    let right = forward.cross(camera.up).normalize();
    let above = right.cross(forward.normalize());
    let half = forward.length() * (0.5 * camera.angle).tan();
    let mut hits = 0;
    for (i, pixel) in picture.pixels.iter().enumerate() {
        let (x, y) = ((i % 131) as f64 + 0.5, (i / 131) as f64 + 0.5);
        let place = forward + half * ((2.0 * x - 131.0) / 97.0 * right + (1.0 - 2.0 * y / 97.0) * above);
        let ray = Ray { from: camera.from, along: place.normalize(), time: 0.0 };
        match (pixel, scene.first(&ray, (0.0, Ray::FAR), 1e-12)) {
            (Some(instance), Some(hit)) => {
                hits += 1;
                // Where a ray grazes, the last digits of the field move the root.
                let slope = scene.instances[hit.instance].field.sample(hit.position).gradient.dot(ray.along).abs();
                let off = (instance.distance - hit.distance).abs();
                assert!(off < 1e-6 + 1e-9 / slope, "pixel {i}: {instance:?} for {hit:?}");
                let turned = (DVec3::from_array(instance.normal.map(f64::from)) - hit.normal).length();
                assert!(turned < 1e-3 || slope < 1e-2, "pixel {i}: {instance:?} for {hit:?}");
            }
            (None, None) => {}
            (instance, hit) => panic!("pixel {i}: {instance:?} for {hit:?}"),
        }
    }
    assert!(hits > 2000, "{hits}");
}

#[test]
fn a_moving_ball_is_seen_where_it_is_at_that_time() {
    // A ball of radius 0.2 that goes along x at 2 m/s, on an arm of 0.5 m that has turned by a quarter after 0.1 s.
    let shape =
        Shape::new(vec![Element::new(Point { at: v(0.5, 0.0, 0.0) }.into(), kernel(Profile::Linear, 0.2))], 1.0);
    let placed = Posed::rigid(&shape, Frame::at(DVec3::ZERO));
    let mut instance =
        Instance::new(Deformed { field: placed, bulge: Bulge::None, colliders: Vec::new() }, [0.5; 3], 0.5);
    let spin = v(0.0, 0.0, 0.5 * std::f64::consts::PI / 0.1);
    instance.motion = ShutterMotion { center: DVec3::ZERO, velocity: v(2.0, 0.0, 0.0), spin };
    let scene = scene_of(vec![instance]);
    let ray = |time: f64| Ray { from: v(0.2, 0.5, 3.0), along: -DVec3::Z, time };
    assert_eq!(scene.first(&ray(0.0), (0.0, Ray::FAR), 1e-12), None);
    let hit = scene.first(&ray(0.1), (0.0, Ray::FAR), 1e-12).unwrap();
    assert!((hit.distance - 2.8).abs() < 1e-12 && (hit.normal - DVec3::Z).length() < 1e-12, "{hit:?}");
    assert!((hit.place - v(0.5, 0.0, 0.2)).length() < 1e-12, "{hit:?}");
    assert!(scene.is_blocked(&ray(0.1), (0.0, Ray::FAR)) && !scene.is_blocked(&ray(0.0), (0.0, Ray::FAR)));
}

#[test]
fn pictures_of_no_size_and_cameras_that_are_nowhere_do_no_harm() {
    let (shapes, pressers) = (shapes(), pressers());
    let scene = many(&shapes, &pressers);
    for size in [(0, 0), (0, 5), (5, 0)] {
        assert_eq!(depth(&scene, &camera(), size), DepthMap { width: size.0, height: size.1, pixels: Vec::new() });
        let settings = RenderSettings { size, ..RenderSettings::default() };
        assert!(paint(&scene, &camera(), &Light::default(), &settings).pixels.is_empty());
    }
    let nowhere = |change: fn(&mut Camera)| {
        let mut camera = camera();
        change(&mut camera);
        camera
    };
    let cameras = [
        nowhere(|c| c.from.x = f64::NAN),
        nowhere(|c| c.at = c.from),
        nowhere(|c| c.up = DVec3::ZERO),
        nowhere(|c| c.angle = f64::NAN),
        nowhere(|c| c.angle = 0.0),
        nowhere(|c| c.lens = f64::INFINITY),
        nowhere(|c| c.from = DVec3::splat(1e300)),
    ];
    for camera in cameras {
        assert_eq!(depth(&scene, &camera, (9, 7)).pixels.len(), 63);
        for shutter in [0.0, f64::NAN, 1e300] {
            let settings = RenderSettings { size: (5, 4), samples: 1, view: View::Beauty, shutter };
            let image = paint(&scene, &camera, &Light::default(), &settings);
            assert!(image.pixels.iter().flatten().all(|v| v.is_finite()), "{camera:?}");
        }
    }
}
