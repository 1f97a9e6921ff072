use super::piece::ROUNDING;
use super::*;
use crate::fields::{Element, Source};
use crate::math::Frame;

impl Convolution {
    fn each<'a>(&'a self, mut visit: impl FnMut(&'a dyn Piece)) {
        match &*self.skeleton {
            Skeleton::Segments(pieces) => pieces.all().iter().for_each(|piece| visit(piece)),
            Skeleton::Triangles(pieces) => pieces.all().iter().for_each(|piece| visit(piece)),
        }
    }
}

/// A small repeatable generator (splitmix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    fn within(&mut self, reach: f64) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * (2.0 * reach) - DVec3::splat(reach)
    }
}

/// t = 0.2, R = 0.5, c = 1; k in the middle of the legal range, so that both parts of h take part.
const SIZE: (f64, f64) = (0.2, 0.5);
const UNIT: f64 = 0.2 / (0.25 - 0.04);

fn segments(pieces: &[(DVec3, DVec3)]) -> Convolution {
    Convolution::segments(pieces, 1.0, (SIZE.0, Some(7.0 * UNIT), SIZE.1)).unwrap()
}
fn triangles(pieces: &[[DVec3; 3]]) -> Convolution {
    Convolution::triangles(pieces, 1.0, (SIZE.0, Some(8.0 * UNIT), SIZE.1)).unwrap()
}

const BENT: [(DVec3, DVec3); 2] =
    [(DVec3::new(-0.6, 0.1, 0.0), DVec3::new(0.1, 0.0, 0.2)), (DVec3::new(0.1, 0.0, 0.2), DVec3::new(0.4, 0.5, -0.1))];
const FOLDED: [[DVec3; 3]; 2] = [
    [DVec3::new(-0.5, -0.4, 0.0), DVec3::new(0.6, -0.2, 0.1), DVec3::new(0.0, 0.5, 0.05)],
    [DVec3::new(0.6, -0.2, 0.1), DVec3::new(0.0, 0.5, 0.05), DVec3::new(0.7, 0.6, 0.6)],
];

fn both() -> [(&'static str, Convolution); 2] {
    [("segments", segments(&BENT)), ("triangles", triangles(&FOLDED))]
}

#[test]
fn cutting_a_segment_anywhere_changes_neither_field_nor_slope() {
    let mut random = Random(1);
    for _ in 0..2000 {
        let (a, b) = (random.within(0.6), random.within(0.6));
        let cut = a.lerp(b, random.unit());
        let (whole, halves) = (segments(&[(a, b)]), segments(&[(a, cut), (cut, b)]));
        let p = random.within(0.8);
        let (s, t) = (whole.sample(p), halves.sample(p));
        assert!((s.value - t.value).abs() < 1e-12, "{a} {cut} {b} at {p}: {} {}", s.value, t.value);
        assert!((s.gradient - t.gradient).length() < 1e-11, "{a} {cut} {b} at {p}");
    }
}

#[test]
fn cutting_a_triangle_in_four_changes_neither_field_nor_slope() {
    let mut random = Random(2);
    for _ in 0..2000 {
        let [a, b, c] = [(); 3].map(|()| random.within(0.6));
        let (ab, bc, ca) = (a.lerp(b, random.unit()), b.lerp(c, random.unit()), c.lerp(a, random.unit()));
        let cut = [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]];
        let ok = |t: &[DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).length() > 1e-4;
        if !cut.iter().all(ok) {
            continue; // corners rounded off the plane of a sliver turn it: that is no longer the same skeleton
        }
        let (whole, parts) = (triangles(&[[a, b, c]]), triangles(&cut));
        let p = if random.unit() < 0.2 { a.lerp(bc, random.unit()) } else { random.within(0.8) };
        let (s, t) = (whole.sample(p), parts.sample(p));
        assert!((s.value - t.value).abs() < 1e-12, "at {p}: {} {}", s.value, t.value);
        assert!((s.gradient - t.gradient).length() < 1e-11, "at {p}: {} {}", s.gradient, t.gradient);
    }
}

#[test]
fn the_gradient_is_the_derivative_of_the_value() {
    let mut random = Random(3);
    for (name, field) in both() {
        for _ in 0..3000 {
            let (p, h) = (random.within(1.0), 1e-5);
            let s = field.sample(p);
            for (axis, got) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip(s.gradient.to_array()) {
                let difference = (field.sample(p + h * axis).value - field.sample(p - h * axis).value) / (2.0 * h);
                // Central differences err by h²/6 f''' (third derivatives are some 1e3 here) and 1e-16/h.
                assert!((difference - got).abs() < 1e-6, "{name} at {p}: {got}, difference {difference}");
            }
        }
    }
}

#[test]
fn the_closed_forms_agree_with_brute_force() {
    let mut random = Random(4);
    let (line, sheet) = (segments(&BENT), triangles(&FOLDED));
    let n = 400;
    for _ in 0..60 {
        let p = random.within(0.7);
        let h = |w: &Weights, q: DVec3| w.value(w.at((p - q).length()));
        // Midpoint rule; h is C¹ with bounded second derivative, so the error is about 1/n² of the value.
        let mut sum = 0.0;
        for (a, b) in BENT {
            let step = (b - a).length() / (10 * n) as f64;
            let at = |i: usize| a.lerp(b, (i as f64 + 0.5) / (10 * n) as f64);
            sum += (0..10 * n).map(|i| step * h(&line.weights, at(i))).sum::<f64>();
        }
        let got = line.sample(p).value;
        assert!((sum - got).abs() < 1e-5, "segments at {p}: {got}, brute {sum}");
        let mut sum = 0.0;
        for [a, b, c] in FOLDED {
            // n² equal triangles, each by its centroid.
            let area = 0.5 * (b - a).cross(c - a).length() / (n * n) as f64;
            let (u, v) = ((b - a) / n as f64, (c - a) / n as f64);
            for i in 0..n {
                for j in 0..n - i {
                    let corner = a + i as f64 * u + j as f64 * v;
                    sum += area * h(&sheet.weights, corner + (u + v) / 3.0);
                    if i + j + 1 < n {
                        sum += area * h(&sheet.weights, corner + (u + v) * (2.0 / 3.0));
                    }
                }
            }
        }
        let got = sheet.sample(p).value;
        assert!((sum - got).abs() < 1e-4, "triangles at {p}: {got}, brute {sum}");
    }
}

#[test]
fn a_long_segment_and_a_wide_triangle_have_their_surface_at_t_with_slope_k() {
    let (t, r) = SIZE;
    for part in [0.0, 0.3, 1.0] {
        for c in [1.0, 2.5] {
            let size = |least: f64| (t, Some((least + 4.0 * part) * UNIT * c), r);
            let long = Convolution::segments(&[(DVec3::NEG_X, DVec3::X)], c, size(5.0)).unwrap();
            let corners = [DVec3::new(-4.0, -2.0, 0.0), DVec3::new(4.0, -2.0, 0.0), DVec3::new(0.0, 5.0, 0.0)];
            let wide = Convolution::triangles(&[corners], c, size(6.0)).unwrap();
            for field in [long, wide] {
                let s = field.sample(DVec3::new(0.1, 0.0, t));
                assert!((s.value - c).abs() < 1e-13 * c, "{}", s.value);
                assert!((s.gradient + field.slope() * DVec3::Z).length() < 1e-12 * field.slope());
                assert_eq!((field.thickness(), field.radius(), field.iso()), (t, r, c));
            }
        }
    }
}

#[test]
fn a_stiffness_out_of_reach_is_refused_with_the_legal_range() {
    // c t/(R² − t²) = 0.2/0.21: lines 5 to 9 times that, planes 6 to 10.
    let line = |k| Convolution::segments(&BENT, 1.0, (0.2, k, 0.5));
    let plane = |k| Convolution::triangles(&FOLDED, 1.0, (0.2, k, 0.5));
    assert!((line(None).unwrap().slope() - 5.0 * UNIT).abs() < 1e-12);
    assert!((plane(None).unwrap().slope() - 6.0 * UNIT).abs() < 1e-12);
    for (result, low, high) in [(line(Some(4.9 * UNIT)), 5.0, 9.0), (plane(Some(10.1 * UNIT)), 6.0, 10.0)] {
        match result {
            Err(ConvolutionError::Stiffness { least, largest, .. }) => {
                assert!((least - low * UNIT).abs() < 1e-12 && (largest - high * UNIT).abs() < 1e-12);
            }
            other => panic!("expected a refusal, got {other:?}"),
        }
    }
    assert!(Convolution::segments(&[], 1.0, (0.2, None, 0.5)).is_err());
    assert!(Convolution::segments(&[(DVec3::X, DVec3::X)], 1.0, (0.2, None, 0.5)).is_err());
    assert!(
        Convolution::triangles(&[[DVec3::X, DVec3::Y, DVec3::X.lerp(DVec3::Y, 0.3)]], 1.0, (0.2, None, 0.5)).is_err()
    );
    assert!(Convolution::segments(&BENT, 1.0, (0.5, None, 0.5)).is_err());
    assert!(Convolution::segments(&BENT, 1.0, (0.2, Some(f64::NAN), 0.5)).is_err());
    assert!(Convolution::segments(&[(DVec3::X, DVec3::NAN)], 1.0, (0.2, None, 0.5)).is_err());
}

#[test]
fn bounds_contain_every_sample_of_turned_cells() {
    let mut random = Random(5);
    for (name, field) in both() {
        for _ in 0..800 {
            let turn =
                crate::math::DQuat::from_euler(glam::EulerRot::XYZ, random.unit() * 6.0, random.unit() * 6.0, 0.3);
            let frame = Frame { rotation: turn, translation: random.within(1.0) };
            let half = 10f64.powf(-2.5 * random.unit());
            let half = half * DVec3::new(random.unit(), random.unit(), random.unit());
            let cell = Cell::from(Aabb { min: -half, max: half }).moved(&frame);
            let bounds = field.bounds(&cell);
            for i in 0..60 {
                let mut q = random.within(1.0);
                if i < 8 {
                    q = DVec3::from_array([0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -1.0 } else { 1.0 }));
                }
                let value = field.sample(frame.point(q * half)).value;
                assert!(bounds.contains(value), "{name}: {value} not in {bounds:?}");
            }
        }
    }
}

#[test]
fn the_field_ends_smoothly_at_its_border_and_is_zero_beyond() {
    let mut random = Random(6);
    for (name, field) in both() {
        let Weights { a, b, radius } = field.weights;
        let mut measure = 0.0;
        field.each(|piece| measure += piece.measure(radius));
        for _ in 0..4000 {
            // A point just inside or outside the border of support, in a random direction.
            let far = 3.0 * random.within(1.0).normalize();
            let core = field.medial_point(far).unwrap();
            let out = (far - core).normalize();
            let gap = 10f64.powf(-1.0 - 10.0 * random.unit());
            let inside = field.sample(core + (field.radius() - gap) * out);
            // No point of the skeleton is nearer than R − gap, so y ≤ 2 gap/R, h ≤ (a + b) y² and
            // |h'(r)| ≤ (4a + 8b) y/R, each over at most the whole measure.
            let y = 2.0 * gap / radius;
            let most = measure * (a + b) * y * y;
            assert!(inside.value >= 0.0 && inside.value <= most + 1e-15, "{name} {gap}: {}", inside.value);
            let steepest = measure * (4.0 * a + 8.0 * b) * y / radius;
            assert!(inside.gradient.length() <= steepest + 1e-14, "{name} {gap}: {}", inside.gradient);
            let outside = field.sample(core + (field.radius() + gap) * out);
            assert_eq!(outside.value, 0.0, "{name} {gap} outside");
            assert!(!field.influence_bounds().contains(far));
        }
    }
}

#[test]
fn small_values_near_the_border_of_a_segment_keep_their_digits() {
    // Beside a long segment at distance R − g: f = Σ Bₙ L²ⁿ⁺¹/R²ⁿ with L² = g (2R − g); no digits lost at any g.
    let field = segments(&[(DVec3::NEG_X, DVec3::X)]);
    let (w, r) = (field.weights, SIZE.1);
    for power in 1..40 {
        let gap = r * 0.5f64.powi(power);
        let l = (gap * (2.0 * r - gap)).sqrt();
        let expected = w.a * 16.0 / 15.0 * l.powi(5) / r.powi(4) + w.b * 256.0 / 315.0 * l.powi(9) / r.powi(8);
        let got = field.sample(DVec3::new(0.0, 0.0, r - gap)).value;
        assert!((got / expected - 1.0).abs() < 1e-13, "gap {gap}: {got} for {expected}");
    }
}

#[test]
fn points_of_the_skeleton_and_points_that_are_no_numbers_are_answered() {
    for (name, field) in both() {
        let piece = field.medial_point(DVec3::ZERO).unwrap();
        assert!(field.sample(piece).gradient.is_finite(), "{name}");
        field.each(|piece| {
            for &corner in piece.corners() {
                assert!(field.sample(corner).gradient.is_finite() && field.sample(corner).value > 0.0, "{name}");
            }
        });
        for p in [DVec3::NAN, DVec3::INFINITY, DVec3::splat(1e300)] {
            assert_eq!(field.sample(p).value, 0.0, "{name} at {p}");
        }
    }
}

/// A rolled-up sheet of many small triangles, some times R long, in no order.
fn scroll(random: &mut Random, count: usize) -> Vec<[DVec3; 3]> {
    let place = |u: f64, v: f64| DVec3::new((0.4 + 0.1 * u) * u.cos(), (0.4 + 0.1 * u) * u.sin(), v);
    (0..count)
        .map(|_| {
            let (u, v) = (9.0 * random.unit(), 2.0 * random.unit());
            [place(u, v), place(u + 0.06, v), place(u, v + 0.05)]
        })
        .collect()
}

#[test]
fn pieces_left_out_of_a_sum_or_bounded_together_would_have_made_no_difference() {
    let mut random = Random(7);
    let field = triangles(&scroll(&mut random, 600));
    let weights = field.weights;
    for _ in 0..400 {
        let p = random.within(2.0);
        let (mut value, mut gradient) = (0.0, DVec3::ZERO);
        field.each(|piece| {
            let s = piece.sample(&weights, p);
            (value, gradient) = (value + s.value, gradient + s.gradient);
        });
        assert_eq!((field.sample(p).value, field.sample(p).gradient), (value, gradient), "at {p}");
        let nearest = field.medial_point(p).unwrap().distance(p);
        field.each(|piece| assert!(piece.nearest(p).distance(p) >= nearest * (1.0 - 1e-12)));
        // Cells up to many times R: every sample inside the bounds, and as tight as piece by piece.
        let half = DVec3::splat(10f64.powf(0.5 - 2.0 * random.unit()));
        let cell = Cell::from(Aabb { min: p - half, max: p + half });
        let bounds = field.bounds(&cell);
        assert!(bounds.contains(value));
        let mut most = 0.0;
        field.each(|piece| {
            let distance = (piece.nearest(p).distance(p) - cell.radius()).max(0.0);
            most += piece.range(&weights, Interval::new(distance, distance)).hi
                + 2.0 * ROUNDING * piece.max_value(&weights);
        });
        assert!(bounds.hi <= most * (1.0 + 1e-12), "{} above {most}", bounds.hi);
    }
}

#[test]
fn a_convolution_stays_below_its_caps() {
    let mut random = Random(8);
    let mut sloped = 0;
    for (name, convolution) in both() {
        let element = Element { source: Source::Convolution(convolution), strength: 1.3 };
        for _ in 0..3000 {
            let half = DVec3::new(random.unit(), random.unit(), random.unit()) * 0.02 * random.unit();
            let cell = Cell { center: random.within(0.6), axes: [DVec3::X, DVec3::Y, DVec3::Z], half };
            let cap = element.affine_bound(&cell);
            sloped += usize::from(cap.gradient != DVec3::ZERO);
            for _ in 0..20 {
                let offset = half * random.within(1.0);
                let value = element.sample(cell.center + offset).value;
                let most = cap.value + cap.gradient.dot(offset) + cap.rise;
                assert!(value <= most, "{name} at {}: {value} above {most}", cell.center);
            }
        }
    }
    assert!(sloped > 1000, "{sloped} of 6000 caps are more than flat");
}
