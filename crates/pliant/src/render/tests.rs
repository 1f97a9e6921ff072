//! First hits against a brute-force search.

mod overlays;
mod pictures;
mod views;

use super::{Instance, Ray, RenderScene};
use crate::fields::skeleton::*;
use crate::fields::{Convolution, Element, Field, Kernel, Posed, Profile, Shape, Skeleton, Source};
use crate::math::{DQuat, DVec3, Frame, Random};
use crate::model::{Bulge, Height};
use crate::visible::{BulgeSource, Collider, Deformed};
use rayon::prelude::*;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn kernel(profile: Profile, t: f64) -> Kernel {
    Kernel::new(profile, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap()
}

fn scene_of(instances: Vec<Instance<'_>>) -> RenderScene<'_> {
    RenderScene { instances, overlays: Vec::new() }
}

/// Every kind of skeleton, and every curve, about a metre large.
fn shapes() -> Vec<Shape> {
    let linear = |s: Skeleton| Shape::new(vec![Element::new(s, kernel(Profile::Linear, 0.2))], 1.0);
    let zigzag = [v(-0.6, 0.0, 0.1), v(0.0, 0.5, -0.2), v(0.1, -0.4, 0.2), v(0.7, 0.2, 0.0)];
    let drawn = crate::fields::Curve::new(&[(0.0, 0.0), (0.05, 0.1), (0.1, 0.6), (0.15, 2.0)]).unwrap();
    let net = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let (i, j) = (i as f64, j as f64);
            v(0.5 * i - 0.75, 0.5 * j - 0.75, 0.3 * (i * 1.7).sin() + 0.3 * (j * 2.3 + i).cos())
        })
    });
    let mut all = vec![
        linear(Point { at: v(0.1, -0.2, 0.1) }.into()),
        linear(Segment::new(v(-0.6, 0.0, 0.1), v(0.5, 0.4, -0.2)).unwrap().into()),
        linear(Polyline::new(zigzag).unwrap().into()),
        linear(SmoothCurve::new(zigzag, false).unwrap().into()),
        linear(Triangle::new(v(-0.6, 0.0, 0.2), v(0.6, 0.1, 0.0), v(0.1, 0.7, 0.3)).unwrap().into()),
        linear(
            TriangleMesh::new(
                [v(0.5, 0.5, 0.5), v(0.5, -0.5, -0.5), v(-0.5, 0.5, -0.5), v(-0.5, -0.5, 0.5)],
                [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
            )
            .unwrap()
            .into(),
        ),
        linear(BezierPatch::new(net).unwrap().into()),
        linear(Disc::new(v(0.0, 0.1, 0.0), v(1.0, -2.0, 0.5), 0.6).unwrap().into()),
        linear(Circle::new(v(0.0, 0.1, 0.0), v(1.0, -2.0, 0.5), 0.6).unwrap().into()),
        linear(Ball::new(v(0.1, 0.2, -0.1), 0.3).unwrap().into()),
        linear(Cuboid::new(v(0.1, 0.2, -0.1), v(0.3, 0.2, 0.5)).unwrap().into()),
        linear(HalfSpace::new(v(0.0, 0.0, -0.2), v(0.3, -0.4, 1.0)).unwrap().into()),
    ];
    let profiles =
        [Profile::Linear, Profile::NonLinear, Profile::Hardening, Profile::Measured(drawn.into()), Profile::Metaball];
    for profile in profiles {
        let mut random = Random(0x5EED);
        // More than a few are found by a tree.
        let count = if profile == Profile::Metaball { 14 } else { 6 };
        let points = (0..count).map(|_| Point { at: 0.5 * random.vector() }.into());
        all.push(Shape::new(points.map(|p: Skeleton| Element::new(p, kernel(profile.clone(), 0.17))).collect(), 1.0));
    }
    // A ball with a bite taken out of it, blended with a ring.
    let mut bitten = vec![
        Element::new(Point { at: DVec3::ZERO }.into(), kernel(Profile::Linear, 0.4)),
        Element::new(Point { at: v(0.3, -0.2, 0.1) }.into(), kernel(Profile::Metaball, 0.15)),
        Element::new(Circle::new(DVec3::ZERO, DVec3::Z, 0.6).unwrap().into(), kernel(Profile::NonLinear, 0.1)),
    ];
    bitten[1].strength = -0.7;
    all.push(Shape::new(bitten, 1.0));
    let pairs: Vec<_> = zigzag.windows(2).map(|w| (w[0], w[1])).collect();
    let corners = [zigzag[0], zigzag[1], zigzag[3]];
    for convolution in [
        Convolution::segments(&pairs, 1.0, (0.15, None, 0.4)).unwrap(),
        Convolution::triangles(&[corners], 1.0, (0.15, None, 0.4)).unwrap(),
    ] {
        all.push(Shape::new(vec![Element { source: Source::Convolution(convolution), strength: 1.0 }], 1.0));
    }
    all
}

/// Colliders of the shapes: a soft blob of two balls, and a rigid floor.
fn pressers() -> [Shape; 2] {
    let ball = |at: DVec3| Element::new(Point { at }.into(), kernel(Profile::Linear, 0.35));
    let floor = HalfSpace::new(v(0.0, 0.0, -0.3), DVec3::Z).unwrap().into();
    [
        Shape::new(vec![ball(v(0.5, 0.1, 0.5)), ball(v(0.1, 0.5, 0.6))], 1.0),
        Shape::new(vec![Element::new(floor, kernel(Profile::Linear, 0.1))], 1.0),
    ]
}

fn dilation(follows_motion: bool) -> Bulge {
    Bulge::Dilation { height: Height::DEFAULT, falloff: 0.5, middle: None, follows_motion }
}

/// `shape` among the pressers, which need not touch it where they say they do.
fn deformed<'a>(shape: &'a Shape, [soft, floor]: &'a [Shape; 2], (bulge, sources): (Bulge, usize)) -> Deformed<'a> {
    let placed = |shape: &'a Shape| {
        Posed::rigid(shape, Frame { rotation: DQuat::from_rotation_y(0.2), ..Frame::at(DVec3::ZERO) })
    };
    let source =
        |i: usize| BulgeSource { center: v(0.2 * i as f64, 0.2, 0.3), compression: 0.3, height: 0.1 + 0.05 * i as f64 };
    let sources: Vec<BulgeSource> = (0..sources).map(source).collect();
    let soft = Collider {
        body: 1,
        field: placed(soft),
        ratio: 1.7,
        rigid: false,
        velocity: v(0.1, 0.2, 0.0),
        sources: sources.clone(),
    };
    let floor = Collider {
        body: 2,
        field: placed(floor),
        ratio: 1.0,
        rigid: true,
        velocity: DVec3::ZERO,
        sources: sources.clone(),
    };
    Deformed { field: placed(shape), bulge, colliders: vec![soft, floor] }
}

/// Brute force: the greatest value and the first root, from `n` samples of the ray.
fn brute(field: &Deformed, ray: &Ray, (near, far): (f64, f64), n: usize) -> (f64, Option<f64>) {
    let iso = field.field.shape.iso();
    let above = |t: f64| field.value(ray.at(t)) - iso;
    let at = |i: usize| near + (far - near) * i as f64 / n as f64;
    let mut most = f64::NEG_INFINITY;
    let (mut two, mut one) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for i in 0..=n + 1 {
        let now = if i <= n { above(at(i)) } else { f64::NEG_INFINITY };
        // A peak between samples: golden section.
        let mut inside = (now > 0.0).then(|| at(i));
        if i > 1 && one >= two && one >= now && one < 1e-9 && one > -0.02 {
            let (mut a, mut b) = (at(i - 2), at(i.min(n)));
            for _ in 0..60 {
                let (c, d) = (b - 0.618 * (b - a), a + 0.618 * (b - a));
                if above(c) > above(d) { b = d } else { a = c }
            }
            let peak = 0.5 * (a + b);
            most = most.max(above(peak));
            if above(peak) > 1e-9 {
                inside = Some(peak);
            }
        }
        most = most.max(now);
        if let Some(high) = inside {
            let (mut low, mut high) = (at(i.saturating_sub(2)).max(near), high);
            if i > 0 && one <= 0.0 && now > 0.0 && above(high) == now {
                low = at(i - 1);
            }
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if above(middle) > 0.0 { high = middle } else { low = middle }
            }
            return (most.max(1.0), Some(high));
        }
        (two, one) = (one, now);
    }
    (most, None)
}

/// A ray from all around at what is near the origin, against the search: whether it hit, or what was wrong.
fn checked(instance: &Instance, number: u64, samples: usize) -> Result<bool, String> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (number + 1).wrapping_mul(0xD1B5_4A32_D192_ED03));
    (0..8).for_each(|_| _ = random.unit());
    let from = 3.0 * random.vector().normalize();
    let ray = Ray { from, along: (0.8 * random.vector() - from).normalize(), time: 0.0 };
    let hit = instance.first(&ray, (1.0, 5.0), 1e-10);
    if instance.field.value(ray.at(1.0)) >= 1.0 {
        return if hit == Some(1.0) { Ok(true) } else { Err(format!("begins inside, yet {hit:?}")) };
    }
    let (most, root) = brute(&instance.field, &ray, (1.0, 5.0), samples);
    let value = |t: f64| instance.field.value(ray.at(t));
    match (hit, root) {
        (Some(t), Some(root)) => {
            // Where the field crosses its isovalue flatly, rounding moves the root.
            let slope = instance.field.sample(ray.at(root)).gradient.dot(ray.along).abs();
            // The search may miss an earlier peak, but what is found there must be one.
            let earlier = t < root && value(t + 1e-9) >= 1.0 - 1e-13;
            if (t - root).abs() < 1e-9 + 4e-15 / slope || earlier {
                return Ok(true);
            }
            Err(format!("{t} for {root}, value {} slope {slope}", value(t)))
        }
        (None, Some(root)) => Err(format!("missed {root}")),
        (Some(t), None) if (value(t) - 1.0).abs() > 1e-9 => {
            Err(format!("{t}, where the field is {}; it is nowhere more than {most}", value(t)))
        }
        _ => Ok(hit.is_some()),
    }
}

/// So many rays; how many hit.
fn check(instance: &Instance, name: &str, rays: u64, samples: usize) -> usize {
    let all: Vec<_> = (0..rays).into_par_iter().map(|n| checked(instance, n, samples)).collect();
    let wrong: Vec<_> = all.iter().enumerate().filter_map(|(n, r)| r.as_ref().err().map(|e| (n, e))).collect();
    assert!(wrong.is_empty(), "{name}: {} of {rays} rays are wrong: {:?}", wrong.len(), &wrong[..wrong.len().min(3)]);
    all.into_iter().filter(|r| *r == Ok(true)).count()
}

fn first_hits(rays: u64, samples: usize) {
    let (shapes, pressers) = (shapes(), pressers());
    let cases = [
        (Bulge::None, 1),
        (dilation(false), 1),
        (dilation(false), 3),
        (dilation(true), 1),
        (Bulge::Attenuated { height: Height::DEFAULT, width: None }, 1),
    ];
    let share = rays / (shapes.len() * (1 + cases.len())) as u64;
    for (i, shape) in shapes.iter().enumerate() {
        // The search, not the hit, takes long on a bicubic patch.
        let patch = matches!(shape.elements()[0].source, Source::Distance(Skeleton::Patch(_), _));
        let share = if patch { share / 10 } else { share };
        let placed =
            Posed::rigid(shape, Frame { rotation: DQuat::from_rotation_z(0.7), translation: v(0.05, 0.0, 0.1) });
        let rest = Deformed { field: placed, bulge: Bulge::None, colliders: Vec::new() };
        let mut hits = check(&Instance::new(rest, [0.0; 3], 0.0), &format!("shape {i} at rest"), share, samples);
        for (k, case) in cases.iter().enumerate() {
            let instance = Instance::new(deformed(shape, &pressers, *case), [0.0; 3], 0.0);
            hits += check(&instance, &format!("shape {i} deformed {k}"), share, samples);
        }
        assert!(hits > 0, "shape {i} is never hit: nothing was tested");
    }
}

#[test]
fn every_ray_hits_what_rises_above_the_isovalue_and_at_its_first_root() {
    first_hits(24_000, 400);
}

/// The same with a million rays and a finer search: minutes.
#[test]
#[ignore = "minutes; cargo test --release -p pliant --lib -- --ignored a_million_rays"]
fn a_million_rays_hit_at_the_first_root() {
    first_hits(1_000_000, 1000);
}

#[test]
fn a_slab_of_a_ten_thousandth_of_a_pixel_is_hit() {
    // A pixel of a picture 500 high of what is 2 m high at 5 m: 4 mm. The ray through a pixel's centre meets the slab
    // square on, aslant, and almost along it, where it is crossed within 100 times its thickness.
    let t = 0.5e-4 * 4e-3;
    for (turn, profile) in [(0.0, Profile::Linear), (0.7, Profile::NonLinear), (1.55, Profile::Metaball)] {
        let face = Triangle::new(v(-0.5, -0.4, 0.0), v(0.6, -0.4, 0.0), v(0.0, 0.7, 0.0)).unwrap().into();
        let shape = Shape::new(vec![Element::new(face, kernel(profile, t))], 1.0);
        let placed = Posed::rigid(&shape, Frame { rotation: DQuat::from_rotation_x(turn), ..Frame::at(DVec3::ZERO) });
        let instance =
            Instance::new(Deformed { field: placed, bulge: Bulge::None, colliders: Vec::new() }, [0.0; 3], 0.0);
        for pixel in 0..100 {
            let (x, y) = (4e-3 * (pixel % 10) as f64, 4e-4 * (pixel / 10) as f64);
            let from = v(0.0, 0.0, 5.0);
            let ray = Ray { from, along: (v(x, y, 0.0) - from).normalize(), time: 0.0 };
            let hit = instance.first(&ray, (0.0, Ray::FAR), 1e-2 * 4e-3);
            let normal = placed.world_from_body.vector(DVec3::Z);
            // The plane's upper face is at t along its normal.
            let expected = (t - normal.dot(from)) / normal.dot(ray.along);
            assert!(hit.is_some_and(|h| (h - expected).abs() < 1e-4 * 4e-3), "{turn} {pixel}: {hit:?} for {expected}");
        }
    }
}

#[test]
fn rays_that_are_no_rays_hit_nothing() {
    let shapes = shapes();
    for shape in &shapes {
        let placed = Posed::rigid(shape, Frame::at(DVec3::ZERO));
        let instance =
            Instance::new(Deformed { field: placed, bulge: Bulge::None, colliders: Vec::new() }, [0.0; 3], 0.0);
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            let rays = [
                Ray { from: v(bad, 0.0, 3.0), along: -DVec3::Z, time: 0.0 },
                Ray { from: v(0.0, 0.0, 3.0), along: v(0.0, bad, 0.0), time: 0.0 },
                Ray { from: v(0.0, 0.0, 3.0), along: DVec3::ZERO, time: 0.0 },
            ];
            for ray in rays {
                _ = instance.first(&ray, (0.0, Ray::FAR), 1e-9);
            }
        }
    }
}
