//! Depth and normals of 512 × 512 pixels on one thread, for N point skeletons: ms a picture.
//!
//! The same skeletons, curve and view as the fidget peer (`benches/peers/picture.sh`): metaballs `(1 − r²/R²)³` with their
//! surface at 0.5, seen along z, from so far that rays are parallel to a thousandth.
//! `cargo bench -p pliant --bench picture`; `-- --only 1000` runs one N, `-- --picture DIR` writes what is seen there.

mod common;

use common::metaballs;
use pliant::fields::{Field, Posed, Profile};
use pliant::math::{DVec3, Frame};
use pliant::model::Bulge;
use pliant::render::{Camera, DepthMap, Instance, Ray, RenderScene, depth};
use pliant::visible::Deformed;
use std::hint::black_box;
use std::time::Instant;

/// Pixels a side.
const SIDE: u32 = 512;
/// Seconds a figure is measured for. Shorter: figures jump on a busy machine.
const SECONDS: f64 = 1.5;
/// Every so many pixels are compared with a search of a single ray.
const CHECKED: usize = 61;

/// The ray through the middle of pixel number `i`.
fn ray(camera: &Camera, i: usize) -> Ray {
    let (x, y) = ((i as u32 % SIDE) as f64 + 0.5, (i as u32 / SIDE) as f64 + 0.5);
    let (side, half) = (f64::from(SIDE), (camera.at - camera.from).length() * (0.5 * camera.angle).tan());
    let place = camera.at + half * DVec3::new(2.0 * x / side - 1.0, 1.0 - 2.0 * y / side, 0.0);
    Ray { from: camera.from, along: (place - camera.from).normalize(), time: 0.0 }
}

/// Largest error of a distance, and of a direction, against the search of a single ray and differences of the field; and
/// how many of the pixels looked at are filled and should not be, or the other way round.
fn errors(scene: &RenderScene, camera: &Camera, picture: &DepthMap) -> (f64, f64, usize) {
    let (mut off, mut turned, mut wrong) = (0.0f64, 0.0f64, 0);
    let body = &scene.instances[0];
    for i in (0..picture.pixels.len()).step_by(CHECKED) {
        let ray = ray(camera, i);
        match (picture.pixels[i], body.first(&ray, (0.0, Ray::FAR), 1e-12)) {
            (Some(seen), Some(t)) => {
                off = off.max((seen.distance - t).abs());
                let (p, h) = (ray.at(t), 1e-6);
                let slope = |e: DVec3| (body.field.value(p + h * e) - body.field.value(p - h * e)) / (2.0 * h);
                let normal = -DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or_zero();
                turned = turned.max((normal - DVec3::from_array(seen.normal.map(f64::from))).length());
            }
            (None, None) => {}
            _ => wrong += 1,
        }
    }
    (off, turned, wrong)
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let only: Option<usize> = common::option("--only").and_then(|n| n.parse().ok());
    println!("depth and normals, {SIDE} x {SIDE}, one thread, f64");
    println!(
        "{:>5} {:>9} {:>9} {:>8} {:>12} {:>12} {:>6}",
        "N", "ms best", "ms cpu", "filled", "worst m", "worst normal", "wrong"
    );
    for n in [10, 100, 1000].into_iter().filter(|&n| only.is_none_or(|o| o == n)) {
        let shape = metaballs::shape(Profile::Metaball, &metaballs::skeletons(n));
        let placed = Posed::rigid(&shape, Frame::at(DVec3::ZERO));
        let rest = Deformed { field: placed, bulge: Bulge::None, colliders: Vec::new() };
        let scene = RenderScene { instances: vec![Instance::new(rest, [0.5; 3], 0.5)], ..RenderScene::default() };
        let far = 1000.0;
        let angle = 2.0 * (1.0f64 / far).atan();
        let camera = Camera { from: far * DVec3::Z, at: DVec3::ZERO, up: DVec3::Y, angle, lens: 0.0 };
        let draw = || pool.install(|| depth(black_box(&scene), &camera, (SIDE, SIDE)));
        let picture = draw();
        let (start, mut best, mut turns) = (Instant::now(), f64::INFINITY, 0);
        let cpu = common::cpu_seconds();
        while turns < 3 || start.elapsed().as_secs_f64() < SECONDS {
            let one = Instant::now();
            black_box(draw());
            best = best.min(one.elapsed().as_secs_f64());
            turns += 1;
        }
        let cpu = common::cpu_seconds().zip(cpu).map_or(f64::NAN, |(b, a)| (b - a) / f64::from(turns));
        let filled = picture.pixels.iter().flatten().count();
        let (far_off, turned, wrong) = errors(&scene, &camera, &picture);
        println!(
            "{n:>5} {:>9.2} {:>9.2} {filled:>8} {far_off:>12.1e} {turned:>12.1e} {wrong:>6}",
            1e3 * best,
            1e3 * cpu
        );
        if let Some(folder) = common::option("--picture") {
            write(&picture, &format!("{folder}/normals-{n}.ppm"));
        }
    }
}

/// Normals as colours.
fn write(picture: &DepthMap, path: &str) {
    let mut bytes = format!("P6 {} {} 255\n", picture.width, picture.height).into_bytes();
    for pixel in &picture.pixels {
        let color = pixel.map_or([0; 3], |s| s.normal.map(|v| (127.5 * (v + 1.0)) as u8));
        bytes.extend(color);
    }
    std::fs::write(path, bytes).expect("a folder that can be written to");
}
