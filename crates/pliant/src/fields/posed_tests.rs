//! Every query of a shape with several links, against the sum of its elements placed one by one.

use super::shape::Restricted;
use super::skeleton::{Ball, Circle, Cuboid, HalfSpace, Point, Segment, Triangle};
use super::*;
use crate::math::{Aabb, DQuat, Frame, Random};

const CELL: f64 = 0.05;

/// All kinds of elements, some taken away, on links taken in turn.
fn parts(count: usize, links: usize) -> Vec<Part> {
    let mut random = Random(21);
    let kernel = |p: Profile, t: f64| Kernel::new(p, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap();
    let drawn = Curve::new(&[(0.0, 0.0), (0.02, 0.3), (0.1, 2.0)]).unwrap();
    let profiles =
        [Profile::Linear, Profile::Metaball, Profile::NonLinear, Profile::Hardening, Profile::Measured(drawn.into())];
    let part = |i: usize| {
        let (a, b, t) = (0.6 * random.vector(), 0.6 * random.vector(), 0.08 + 0.06 * random.unit());
        let skeleton: Skeleton = match i % 6 {
            0 | 1 => Point { at: a }.into(),
            2 => Segment::new(a, a + 0.3 * b).unwrap().into(),
            3 => Ball::new(a, 0.1).unwrap().into(),
            4 => Circle::new(a, b, 0.2).unwrap().into(),
            _ => Cuboid::new(a, DVec3::new(0.1, 0.05, 0.15)).unwrap().into(),
        };
        let mut element = Element::new(skeleton, kernel(profiles[i % 5].clone(), t));
        if i % 11 == 7 {
            let size = KernelParameters { thickness: t, slope: None, radius: 2.0 * t };
            element.source = Source::Convolution(Convolution::segments(&[(a, a + 0.3 * b)], 1.0, size).unwrap());
        }
        element.strength = if i % 7 == 6 { -0.4 } else { 1.0 };
        Part { element, link: LinkNumber((i % links) as u32) }
    };
    (0..count).map(part).collect()
}

fn frames(links: usize, random: &mut Random) -> Vec<Frame> {
    (0..links).map(|_| Frame { rotation: random.rotation(), translation: 0.5 * random.vector() }).collect()
}

/// Shapes with and without a tree, of two and five links, in random poses: the shape, its pose, and each part as a body of
/// its own.
fn cases(mut check: impl FnMut(&Posed, &[Posed], &mut Random)) {
    for (count, links) in [(2, 2), (9, 2), (12, 5), (60, 2), (90, 5)] {
        let parts = parts(count, links);
        let shape = Shape::of_parts(parts.clone(), 1.0);
        assert_eq!(shape.link_count(), links);
        let alone: Vec<Shape> = parts.iter().map(|p| Shape::new(vec![p.element.clone()], 1.0)).collect();
        let mut random = Random(count as u64);
        let mut pose = Pose::new(&shape, &frames(links, &mut random));
        for turn in 0..6 {
            let frames = frames(links, &mut random);
            if turn > 0 {
                pose.refit(&shape, &frames);
            } else {
                pose = Pose::new(&shape, &frames);
            }
            let placed: Vec<Posed> =
                alone.iter().zip(&parts).map(|(s, p)| Posed::rigid(s, frames[p.link.index()])).collect();
            check(&Posed::new(&shape, &pose), &placed, &mut random);
        }
    }
}

fn sum(placed: &[Posed], p: DVec3) -> Sample {
    let all = placed.iter().map(|f| f.sample(p));
    all.fold(Sample::ZERO, |a, b| Sample { value: a.value + b.value, gradient: a.gradient + b.gradient })
}

/// Within rounding of terms as large as hardening kernels are inside volumes.
fn same(a: &Sample, b: &Sample) -> bool {
    let scale = 1.0 + b.value.abs() + b.gradient.length();
    (a.value - b.value).abs() <= 1e-11 * scale && (a.gradient - b.gradient).length() <= 1e-9 * scale
}

fn point(random: &mut Random) -> DVec3 {
    1.2 * random.vector()
}

/// A turned box, and points in it.
fn cell(random: &mut Random) -> (Frame, Aabb, Vec<DVec3>) {
    let frame = Frame { rotation: random.rotation(), translation: 0.8 * random.vector() };
    let half = CELL * (DVec3::splat(1.2) + random.vector());
    let points = (0..20).map(|_| half * random.vector()).collect();
    (frame, Aabb { min: -half, max: half }, points)
}

#[test]
fn a_posed_shape_is_the_sum_of_its_parts() {
    let mut inside = 0;
    cases(|posed, placed, random| {
        for _ in 0..900 {
            let p = point(random);
            let (here, truth) = (posed.sample(p), sum(placed, p));
            assert!(same(&here, &truth), "{here:?} at {p}, not {truth:?}");
            assert_eq!(posed.value(p).to_bits(), here.value.to_bits());
            if truth.value >= 1.0 {
                inside += 1;
                assert!(posed.solid_bounds().contains(p), "{p} is outside {:?}", posed.solid_bounds());
            }
            assert!(truth.value == 0.0 || posed.influence_bounds().contains(p));
        }
    });
    assert!(inside > 1000, "{inside}");
}

#[test]
fn bounds_of_a_posed_shape_hold_in_turned_cells() {
    cases(|posed, _, random| {
        for _ in 0..30 {
            let (frame, within, points) = cell(random);
            let turned = Cell::from(within).moved(&frame);
            let (bounds, upper) = (posed.bounds(&turned), posed.upper_bound(&turned));
            for p in points {
                let value = posed.value(frame.point(p));
                let slack = 1e-12 * (1.0 + value.abs());
                assert!(bounds.lo <= value + slack && value <= bounds.hi + slack && value <= upper + slack);
            }
        }
    });
}

#[test]
fn bounds_of_a_posed_shape_are_no_wider_than_those_of_its_parts_together() {
    cases(|posed, placed, random| {
        for _ in 0..30 {
            let (frame, within, _) = cell(random);
            let turned = Cell::from(within).moved(&frame);
            let bounds = posed.bounds(&turned);
            let (lo, hi) = placed.iter().map(|f| f.bounds(&turned)).fold((0.0, 0.0), |s, b| (s.0 + b.lo, s.1 + b.hi));
            let slack = 1e-9 * (1.0 + lo.abs() + hi.abs());
            assert!(bounds.lo >= lo - slack && bounds.hi <= hi + slack, "{bounds:?}, not {lo} to {hi}");
        }
    });
}

#[test]
fn many_points_of_a_posed_shape_are_answered_as_one_is() {
    cases(|posed, _, random| {
        let points: Points = (0..100).map(|_| point(random)).collect();
        let (mut samples, mut values) = (Samples::default(), Vec::new());
        let batch = posed.shape.evaluator();
        posed.samples_many(&points, &mut samples);
        posed.values_many(&points, &mut values);
        assert_eq!(values.len(), points.len());
        for (i, value) in values.iter().enumerate() {
            let truth = posed.sample(points.get(i));
            assert_eq!(samples.get(i), truth);
            assert_eq!(*value, truth.value);
        }
        let (first, values_first) = (samples.clone(), values.clone());
        posed.samples_with(&batch, &points, &mut samples);
        posed.values_with(&batch, &points, &mut values);
        assert_eq!((samples, values), (first, values_first));
    });
}

#[test]
fn a_culled_field_of_a_posed_shape_has_its_values_and_bounds() {
    cases(|posed, placed, random| {
        for _ in 0..20 {
            let (frame, within, points) = cell(random);
            let near = CulledField::new(posed, &frame, &within);
            let upper = near.upper_bounds(&within);
            for p in points {
                let world = frame.point(p);
                let (here, truth) = (near.sample(p), sum(placed, world));
                let turned = Sample { gradient: frame.vector(here.gradient), ..here };
                assert!(same(&turned, &truth), "{turned:?} at {world}, not {truth:?}");
                let slack = 1e-11 * (1.0 + truth.value.abs());
                assert!(truth.value <= upper.value + slack);
                let AffineBound { value, gradient, rise } = upper.affine;
                let plane = value + gradient.dot(p - within.center()) + rise;
                assert!(truth.value <= plane + slack, "{} over {plane}", truth.value);
            }
        }
    });
}

#[test]
fn blocks_of_a_posed_shape_have_its_values_and_ranges() {
    cases(|posed, placed, random| {
        let local = GridField::new(*posed);
        for _ in 0..10 {
            let low = 0.8 * random.vector();
            let at = low.to_array().map(|l| std::array::from_fn(|i| l + i as f64 * CELL));
            let around = Aabb { min: low, max: low + DVec3::splat((CORNERS - 1) as f64 * CELL) };
            let list = local.restricted_to(&local.all(), &around);
            let range = local.range(&list, &around);
            let mut rows: CornerValues = [[0.0; CORNERS]; CORNERS * CORNERS];
            local.corners(&list, &at, &mut rows);
            let corner = |n: usize| DVec3::new(at[0][n % 8], at[1][n / 8 % 8], at[2][n / 64]);
            let points: Points = (0..29).map(|n| corner(n * 18)).collect();
            let mut samples = Samples::default();
            local.samples(&list, &points, &mut samples);
            for i in 0..points.len() {
                let truth = sum(placed, points.get(i));
                assert!(same(&samples.get(i), &truth), "{:?}, not {truth:?}", samples.get(i));
                let slack = 1e-11 * (1.0 + truth.value.abs());
                assert!((rows.as_flattened()[i * 18] - truth.value).abs() <= slack);
                assert!(range.lo - slack <= truth.value && truth.value <= range.hi + slack);
            }
        }
    });
}

#[test]
fn a_posed_shape_along_a_ray_stays_within_its_tangent_and_second_derivatives() {
    cases(|posed, placed, random| {
        for _ in 0..40 {
            let (p, along, length) = (point(random), random.vector().normalize(), 0.3 * random.unit());
            let jet = posed.taylor_bound(p, along, length);
            let here = sum(placed, p);
            let slack = 1e-10 * (1.0 + here.value.abs() + here.gradient.length());
            assert!((jet.value - here.value).abs() <= slack && (jet.slope - here.gradient.dot(along)).abs() <= slack);
            let (low, high) = jet.range(length);
            for i in 0..=10 {
                let value = sum(placed, p + length * f64::from(i) / 10.0 * along).value;
                let slack = slack + 1e-10 * value.abs();
                assert!(low - slack <= value && value <= high + slack, "{value} not in {low} to {high}");
            }
        }
    });
}

#[test]
fn medial_points_and_dominant_elements_of_a_posed_shape_are_its_parts() {
    cases(|posed, placed, random| {
        for _ in 0..20 {
            let (from, around) = (point(random), Aabb::around(point(random), 0.4));
            let found: Vec<DVec3> = posed.medial_points(from, &around).collect();
            let truth: Vec<DVec3> = placed
                .iter()
                .filter_map(|f| Some(f.world_from_body.point(f.shape.single_element()?.medial_point(f.to_body(from))?)))
                .filter(|p| around.contains(*p))
                .collect();
            assert!(found.len() == truth.len() && found.iter().zip(&truth).all(|(a, b)| a.distance(*b) < 1e-12));
            let values: Vec<f64> = placed.iter().map(|f| f.value(from)).collect();
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!(values[posed.dominant_element(from)] >= most - 1e-11 * (1.0 + most.abs()));
        }
    });
}

#[test]
fn a_refitted_pose_is_the_pose_made_anew() {
    let shape = Shape::of_parts(parts(90, 5), 1.0);
    let mut random = Random(8);
    let mut pose = Pose::new(&shape, &frames(5, &mut random));
    for _ in 0..5 {
        let frames = frames(5, &mut random);
        pose.refit(&shape, &frames);
        let anew = Pose::new(&shape, &frames);
        assert_eq!((pose.solid_bounds(), pose.influence_bounds()), (anew.solid_bounds(), anew.influence_bounds()));
        for _ in 0..200 {
            let p = point(&mut random);
            assert_eq!(Posed::new(&shape, &pose).sample(p), Posed::new(&shape, &anew).sample(p));
        }
    }
}

#[test]
fn one_link_in_a_pose_is_a_rigid_body_bit_for_bit() {
    let shape = Shape::of_parts(parts(40, 1), 1.0);
    let mut random = Random(9);
    let frames = frames(1, &mut random);
    let pose = Pose::new(&shape, &frames);
    let (posed, rigid) = (Posed::new(&shape, &pose), Posed::rigid(&shape, frames[0]));
    assert!(posed.is_rigid());
    assert_eq!(posed.solid_bounds(), rigid.solid_bounds());
    for _ in 0..500 {
        let p = point(&mut random);
        assert_eq!(posed.sample(p), rigid.sample(p));
    }
}

#[test]
fn a_large_shape_is_the_sum_of_all_its_elements_bit_for_bit() {
    let mut elements: Vec<Element> = parts(300, 1).into_iter().map(|p| p.element).collect();
    let ground = HalfSpace::new(DVec3::new(0.0, 0.0, -0.5), DVec3::Z).unwrap();
    let sheet = Triangle::new(DVec3::X, DVec3::Y, DVec3::Z).unwrap();
    let kernel = || Kernel::linear(1.0, 0.1, 0.2).unwrap();
    elements.insert(70, Element::new(ground.into(), kernel()));
    elements.push(Element::new(sheet.into(), kernel()));
    let shape = Shape::new(elements, 1.0);
    assert!(shape.tree().is_some());
    let mut random = Random(10);
    let far = [DVec3::INFINITY, DVec3::splat(f64::NAN), DVec3::splat(1e300), DVec3::new(0.1, f64::NAN, 0.0)];
    let somewhere: Vec<DVec3> = (0..2000).map(|_| point(&mut random)).collect();
    for p in somewhere.into_iter().chain(far) {
        let truth = shape.elements().iter().fold(Sample::ZERO, |sum, e| {
            let s = e.sample(p);
            Sample { value: sum.value + s.value, gradient: sum.gradient + s.gradient }
        });
        let bits = |s: &Sample| [s.value, s.gradient.x, s.gradient.y, s.gradient.z].map(f64::to_bits);
        // Not a number is not a number, whichever.
        let here = shape.sample(p);
        assert!(bits(&here) == bits(&truth) || truth.value.is_nan() && here.value.is_nan(), "{here:?}, {truth:?}");
        let values: Vec<f64> = shape.elements().iter().map(|e| e.sample(p).value).collect();
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(most.is_nan() || values[shape.dominant_element(p)] == most || !p.is_finite());
    }
}

#[test]
fn a_point_of_a_large_shape_asks_few_of_its_parts() {
    // A block of 10³ points one thickness and a half apart, which reach two: at most (2·2/1.5 + 1)³ < 50 cover a point.
    let kernel = Kernel::linear(1.0, 0.02, 0.04).unwrap();
    let at = |i: usize| 0.03 * DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64);
    let elements = (0..1000).map(|i| Element::new(Point { at: at(i) }.into(), kernel.clone())).collect();
    let shape = Shape::new(elements, 1.0);
    let mut random = Random(12);
    let asked = (0..1000).map(|_| {
        let p = DVec3::splat(0.135) + 0.2 * random.vector();
        let near = shape.tree().unwrap().parts_at(p).unwrap();
        assert!(near.numbers().is_sorted());
        near.numbers().len()
    });
    let (most, total) = asked.fold((0, 0), |(most, total), n| (most.max(n), total + n));
    assert!(most < 50 && total < 20_000, "{most} at most, {total} in all");
    let turn = Frame { rotation: DQuat::from_rotation_z(0.3), translation: DVec3::splat(0.1) };
    let cell = Cell::from(Aabb::around(DVec3::ZERO, 0.005)).moved(&turn);
    let Restricted::Some(near) = shape.restricted(&cell) else { panic!("a large shape is restricted") };
    assert!(near.len() < 64, "{}", near.len());
}

#[test]
fn a_culled_field_of_hundreds_of_elements_has_the_values_and_bounds_of_the_whole() {
    // Points and segments of three kernels, some taken away: each has blocks enough for a tree.
    let mut random = Random(31);
    let profiles = [Profile::Linear, Profile::Metaball, Profile::NonLinear];
    let element = |i: usize| {
        let at = 0.4 * random.vector();
        let skeleton: Skeleton = match i % 2 {
            0 => Point { at }.into(),
            _ => Segment::new(at, at + 0.05 * random.vector()).unwrap().into(),
        };
        let kernel = Kernel::new(profiles[i % 3].clone(), 1.0, (0.03, 30.0, 0.06)).unwrap();
        Element { strength: if i % 10 == 9 { -0.3 } else { 1.0 }, ..Element::new(skeleton, kernel) }
    };
    let shape = Shape::new((0..600).map(element).collect(), 1.0);
    let mut random = Random(32);
    let field = Posed::rigid(&shape, Frame { rotation: random.rotation(), translation: random.vector() });
    let frame = Frame { rotation: random.rotation(), translation: field.world_from_body.translation };
    let within = Aabb::around(DVec3::ZERO, 0.35);
    let near = CulledField::new(&field, &frame, &within);
    assert!(near.has_trees());
    for _ in 0..300 {
        let cell = Aabb::around(0.3 * random.vector(), 0.05 * random.unit());
        let upper = near.upper_bounds(&cell);
        for _ in 0..20 {
            let p = cell.center() + 0.5 * cell.size() * random.vector();
            let (here, truth) = (near.sample(p), field.sample(frame.point(p)));
            assert!(same(&Sample { gradient: frame.vector(here.gradient), ..here }, &truth), "{here:?}, not {truth:?}");
            let AffineBound { value, gradient, rise } = upper.affine;
            let plane = value + gradient.dot(p - cell.center()) + rise;
            assert!(truth.value <= upper.value + 1e-11 && truth.value <= plane + 1e-11);
        }
    }
}
