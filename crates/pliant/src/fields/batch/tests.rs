use super::*;
use crate::fields::{
    Convolution, Curve, Field, Kernel, Profile, Sample, Skeleton, Source,
    skeleton::{Ball, HalfSpace, Point, Segment},
};
use crate::math::{Aabb, DQuat, Frame, Random};
use std::sync::Arc;

/// Every kernel there is, with and without lanes, in random order, size and strength.
fn mixed(n: usize) -> Shape {
    let mut random = Random(7);
    let drawn = Arc::new(Curve::new(&[(0.0, 0.0), (0.02, 0.1), (0.05, 0.4)]).unwrap());
    let mut elements = Vec::new();
    for i in 0..n {
        let at = random.vector();
        let profile = match (random.unit() * 5.0) as usize {
            0 => Profile::Linear,
            1 => Profile::NonLinear,
            2 => Profile::Metaball,
            3 => Profile::Hardening,
            _ => Profile::Measured(drawn.clone()),
        };
        let t = 0.05 + 0.1 * random.unit();
        let kernel = Kernel::new(profile, 1.0, (t, 1.0 / t, t * (1.5 + random.unit()))).unwrap();
        let mut element = Element::new(Skeleton::Point(Point { at }), kernel);
        element.strength = if i % 7 == 0 { -0.5 } else { 0.5 + random.unit() };
        elements.push(element);
        if i % 16 == 0 {
            let line = Convolution::segments(&[(at, at + DVec3::new(0.2, 0.1, 0.0))], 1.0, (0.05, None, 0.12)).unwrap();
            elements.push(Element { source: Source::Convolution(line), strength: 1.0 });
            let kernel = Kernel::linear(1.0, 0.05, 0.1).unwrap();
            let line = Segment::new(at, at + DVec3::new(0.0, 0.1, 0.2)).unwrap();
            elements.push(Element::new(Skeleton::Segment(line), kernel.clone()));
            elements.push(Element::new(Skeleton::Ball(Ball::new(-at, 0.05).unwrap()), kernel));
        }
        if i == 200 {
            // Reaches beyond every grid.
            let ground = HalfSpace::new(DVec3::new(0.0, 0.0, -1.0), DVec3::new(0.1, 0.0, 1.0)).unwrap();
            elements.push(Element::new(Skeleton::HalfSpace(ground), Kernel::linear(1.0, 0.05, 0.1).unwrap()));
        }
    }
    Shape::new(elements, 1.0)
}

/// Random points, points on skeletons and cell borders, and points nobody should ask for.
fn points(shape: &Shape, n: usize) -> Points {
    let mut random = Random(11);
    let mut all: Points = (0..n).map(|_| 1.6 * random.vector()).collect();
    for (i, element) in shape.elements().iter().enumerate().take(n / 4) {
        if let Source::Distance(Skeleton::Point(point), kernel) = &element.source {
            let p = point.at + if i % 2 == 0 { DVec3::ZERO } else { kernel.radius() * DVec3::Y };
            (all.x[2 * i], all.y[2 * i], all.z[2 * i]) = p.into();
        }
    }
    let odd = [DVec3::NAN, DVec3::INFINITY, DVec3::new(0.1, f64::NAN, 0.2), DVec3::splat(-1e300), DVec3::ZERO];
    for (i, p) in odd.into_iter().enumerate().take(n / 2) {
        (all.x[2 * i + 1], all.y[2 * i + 1], all.z[2 * i + 1]) = p.into();
    }
    all
}

/// Bits, with one for all that are not numbers: their payload is the compiler's choice.
fn bits(s: Sample) -> [u64; 4] {
    [s.value, s.gradient.x, s.gradient.y, s.gradient.z].map(bits_of)
}
fn bits_of(x: f64) -> u64 {
    if x.is_nan() { u64::MAX } else { x.to_bits() }
}

#[test]
fn lanes_equal_scalar_bit_for_bit() {
    for elements in [0, 1, 10, 400] {
        let shape = mixed(elements);
        let batch = shape.evaluator();
        assert_eq!(batch.prepared.grid.cells() > 1, elements == 400);
        for n in [0, 1, 3, 7, 8, 9, 40, 200, 5000] {
            let points = points(&shape, n);
            let (mut samples, mut baseline, mut once) = (Samples::default(), Samples::default(), Samples::default());
            let (mut values, mut once_values) = (vec![7.0; 3], Vec::new());
            batch.samples(&points, &mut samples);
            batch.samples_on_the_baseline(&points, &mut baseline);
            batch.values(&points, &mut values);
            shape.samples_many(&points, &mut once);
            shape.values_many(&points, &mut once_values);
            assert_eq!((values.len(), samples.value.len()), (n, n));
            for i in 0..n {
                let expected = bits(shape.sample(points.get(i)));
                let which = format!("{elements} elements, point {i} of {n}: {}", points.get(i));
                assert_eq!(bits(samples.get(i)), expected, "lanes, {which}");
                assert_eq!(bits(baseline.get(i)), expected, "baseline, {which}");
                assert_eq!(bits(once.get(i)), expected, "prepared for one call, {which}");
                assert_eq!(bits_of(values[i]), expected[0], "values, {which}");
                assert_eq!(bits_of(once_values[i]), expected[0], "values for one call, {which}");
            }
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let shape = mixed(300);
    let (batch, points) = (shape.evaluator(), points(&shape, 40_000));
    let (mut one, mut many) = (Samples::default(), Samples::default());
    let mut values = Vec::new();
    batch.samples(&points, &mut one);
    batch.samples_in_parallel(&points, &mut many);
    batch.values_in_parallel(&points, &mut values);
    assert_eq!(one, many);
    assert_eq!(one.value, values);
}

#[test]
fn a_placed_shape_answers_many_points_as_it_answers_one() {
    let shape = mixed(120);
    let rotation = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
    let placed = Posed::rigid(&shape, Frame { rotation, translation: DVec3::new(0.4, -0.2, 0.1) });
    let mut random = Random(5);
    let points: Points = (0..3000).map(|_| 1.5 * random.vector()).collect();
    let (mut samples, mut values) = (Samples::default(), Vec::new());
    placed.samples_many(&points, &mut samples);
    placed.values_with(&shape.evaluator(), &points, &mut values);
    for (i, value) in values.iter().enumerate() {
        let expected = placed.sample(points.get(i));
        assert_eq!(bits(samples.get(i)), bits(expected), "point {i}");
        assert_eq!(value.to_bits(), expected.value.to_bits(), "point {i}");
    }
}

#[test]
fn a_grid_leaves_most_elements_out_of_most_cells() {
    // 400 elements of reach at most 0.375 in a cube of edge 2: a cell sees far fewer than all.
    let batch = mixed(400).evaluator();
    let listed: usize = (0..batch.prepared.grid.cells())
        .flat_map(|c| batch.prepared.grid.runs(c))
        .map(|run| batch.prepared.grid.elements(run).len())
        .sum();
    let mean = listed as f64 / batch.prepared.grid.cells() as f64;
    assert!(mean < 0.1 * batch.elements.len() as f64, "{mean} elements a cell");
}

#[test]
fn hostile_shapes_are_prepared_without_hanging_or_eating_memory() {
    let point = |at, radius: f64| {
        let kernel = Kernel::linear(1.0, 0.5 * radius, radius).unwrap();
        Element::new(Skeleton::Point(Point { at }), kernel)
    };
    let mut random = Random(3);
    // So far apart that their boxes have no size in floating point; a few huge among many tiny; many without end.
    let far: Vec<_> = (0..60).map(|i| point(DVec3::splat(if i % 2 == 0 { 1e20 } else { -1e20 }), 0.1)).collect();
    let uneven: Vec<_> = (0..4000).map(|i| point(random.vector(), if i % 4 == 0 { 3.0 } else { 1e-4 })).collect();
    let ground = HalfSpace::new(DVec3::ZERO, DVec3::Z).unwrap();
    let ground = Element::new(Skeleton::HalfSpace(ground), Kernel::linear(1.0, 0.1, 0.2).unwrap());
    let endless: Vec<_> =
        (0..4000).map(|i| if i % 2 == 0 { ground.clone() } else { point(random.vector(), 0.01) }).collect();
    for (name, elements) in [("far", far), ("uneven", uneven), ("endless", endless)] {
        let prepared = Prepared::new(&elements, true);
        let grid = &prepared.grid;
        let listed: usize = (0..=grid.cells()).flat_map(|c| grid.runs(c)).map(|run| grid.elements(run).len()).sum();
        assert!(listed <= 512 * elements.len(), "{name}: {listed} entries");
        let points: Points = elements.iter().step_by(7).filter_map(|e| e.medial_point(DVec3::ZERO)).take(100).collect();
        let (mut out, n) = (Samples::default(), points.len());
        widest(BatchEvaluation::<true> {
            elements: &elements,
            prepared: &prepared,
            at: points.axes(),
            out: out.zeroed(n),
        });
        for i in 0..n {
            let value = elements.iter().fold(0.0, |sum, e| sum + e.sample(points.get(i)).value);
            assert_eq!(bits_of(out.value[i]), bits_of(value), "{name}, point {i}");
        }
    }
}

#[test]
#[should_panic(expected = "points have 1 x, 0 y and 0 z coordinates")]
fn points_of_unequal_lengths_are_refused() {
    let points = Points { x: vec![1.0], ..Points::default() };
    mixed(1).values_many(&points, &mut Vec::new());
}

/// Moved into the world, summed by kind and only where they reach, elements make the same field, to rounding; and a
/// range over a box holds what is in it.
#[test]
fn a_box_of_a_placed_shape_has_the_field_of_the_whole() {
    let shape = mixed(300);
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.7);
    let placed = Posed::rigid(&shape, Frame { rotation: turn, translation: DVec3::new(0.4, -0.2, 0.3) });
    let local = GridField::new(placed);
    let mut random = Random(3);
    let mut fewest = usize::MAX;
    for _ in 0..60 {
        let (low, cell) = ((1.2 * random.vector()), 0.01 + 0.03 * random.unit());
        let at = low.to_array().map(|l| std::array::from_fn(|i| l + i as f64 * cell));
        let around = Aabb { min: low, max: DVec3::from_array(at.map(|axis: [f64; CORNERS]| axis[CORNERS - 1])) };
        let outer = local.restricted_to(&local.all(), &around.grown(0.1));
        let list = local.restricted_to(&outer, &around);
        fewest = fewest.min(list.len());
        let range = local.range(&list, &around);
        let mut rows = [[0.0; CORNERS]; CORNERS * CORNERS];
        local.corners(&list, &at, &mut rows);
        let corner = |n: usize| DVec3::new(at[0][n % 8], at[1][n / 8 % 8], at[2][n / 64]);
        // One more than is a whole number of lanes.
        let points: Points = (0..257).map(|n| corner(n * 511 / 256)).collect();
        let mut samples = Samples::default();
        local.samples(&list, &points, &mut samples);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + a.abs());
        for (n, value) in rows.as_flattened().iter().enumerate() {
            let whole = placed.value(corner(n));
            assert!(near(*value, whole), "{value} is not {whole}");
            assert!(range.lo - 1e-12 <= whole && whole <= range.hi + 1e-12, "{whole} is not in {range:?}");
        }
        for i in 0..points.len() {
            let (here, whole) = (samples.get(i), placed.sample(points.get(i)));
            assert!(near(here.value, whole.value), "{here:?} is not {whole:?}");
            let scale = 1.0 + whole.gradient.length();
            assert!((here.gradient - whole.gradient).length() < 1e-9 * scale, "{here:?} is not {whole:?}");
        }
    }
    assert!(fewest < 20, "boxes leave out what does not reach them: {fewest}");
}
