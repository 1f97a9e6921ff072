//! Chords against finer rules, for shapes with creases, blends and rings; and charts reused against new ones.

use crate::contact::{Method, Pair, Patch, Quality, Side, WarmStart};
use crate::fields::skeleton::{Circle, Cuboid, HalfSpace, Point, Segment};
use crate::fields::{Element, Kernel, Posed, Shape, Skeleton};
use crate::math::{DQuat, DVec3, Frame, Random};

/// Of a step.
const TOLERANCE: f64 = 1e-3;

fn shape(skeletons: Vec<Skeleton>, t: f64, radius: f64) -> Shape {
    let kernel = Kernel::linear(1.0, t, radius).unwrap();
    Shape::new(skeletons.into_iter().map(|s| Element::new(s, kernel.clone())).collect(), 1.0)
}

fn point(x: f64, y: f64) -> Skeleton {
    Point { at: DVec3::new(x, y, 0.0) }.into()
}

/// A capsule, a box, two and three blended points, a ring.
fn shapes() -> Vec<(&'static str, Shape, f64)> {
    let capsule: Skeleton = Segment::new(-0.04 * DVec3::X, 0.04 * DVec3::X).unwrap().into();
    let cuboid: Skeleton = Cuboid::new(DVec3::ZERO, DVec3::splat(0.05)).unwrap().into();
    let ring: Skeleton = Circle::new(DVec3::ZERO, DVec3::Z, 0.06).unwrap().into();
    vec![
        ("capsule", shape(vec![capsule], 0.06, 0.12), 0.06),
        ("box", shape(vec![cuboid], 0.03, 0.06), 0.08),
        ("pair", shape(vec![point(-0.04, 0.0), point(0.04, 0.0)], 0.06, 0.1), 0.06),
        ("three", shape(vec![point(-0.04, 0.0), point(0.04, 0.0), point(0.0, 0.05)], 0.05, 0.08), 0.05),
        ("ring", shape(vec![ring], 0.03, 0.06), 0.03),
    ]
}

fn ground() -> Shape {
    shape(vec![HalfSpace::new(-0.1 * DVec3::Z, DVec3::Z).unwrap().into()], 0.1, 0.2)
}

fn pair<'a>(a: &'a Shape, at: Frame, b: &'a Shape) -> Pair<'a> {
    let side = |shape, at, rigid| Side { field: Posed::rigid(shape, at), stiffness: 1e5, rigid };
    Pair { a: side(a, at, false), b: side(b, Frame::IDENTITY, true) }
}

fn force(patches: &[Patch]) -> DVec3 {
    patches.iter().map(|p| p.on_a.force).sum()
}

fn load(patches: &[Patch]) -> f64 {
    patches.iter().map(|p| p.load).sum()
}

/// The path of a body that rocks, turns and is pressed on the ground, at `u` of it; `rest` is its height just touching.
fn path(u: f64, rest: f64) -> Frame {
    let rotation = DQuat::from_rotation_z(0.4 * u) * DQuat::from_rotation_x(0.02 + 0.03 * u);
    Frame { rotation, translation: DVec3::new(0.02 * u, 0.0, rest * (0.9 - 0.05 * u)) }
}

#[test]
fn patches_carried_along_chords_have_the_force_of_fine_ones() {
    let (ground, quality) = (ground(), Quality::within(TOLERANCE));
    for (name, shape, rest) in shapes() {
        let mut warm: Vec<WarmStart> = Vec::new();
        let (mut reused, mut most, mut errors) = (0, 0, Vec::new());
        for i in 0..=40 {
            let pair = pair(&shape, path(f64::from(i) / 40.0, rest), &ground);
            let found = Patch::find_warm(&pair, &quality, &warm);
            let fine = Patch::find(&pair, &Quality::default());
            let off = force(&found.patches).distance(force(&fine)) / load(&fine);
            // A rule is measured anew when the patch has changed by a fifth; until then it errs by more than when it was
            // chosen.
            assert!(off < 5.0 * TOLERANCE, "{name}, step {i}: off by {off}");
            errors.push(off);
            reused += usize::from(found.reused_charts);
            most = most.max(found.evaluations / found.patches.len().max(1) as u32);
            warm = found.patches.iter().map(Patch::warm_start).collect();
        }
        assert!(reused >= 36, "{name}: reused in {reused} of 40 steps");
        errors.sort_by(f64::total_cmp);
        assert!(errors[20] < TOLERANCE, "{name}: off by {} in the median", errors[20]);
        assert!(most > 0, "{name}: evaluations are counted");
    }
}

/// A query from a chart that was rounded and moved gives what one from nothing gives, to the tolerance.
#[test]
fn a_carried_query_and_a_cold_one_agree() {
    let (ground, quality) = (ground(), Quality::within(TOLERANCE));
    let mut random = Random(3);
    for (name, shape, rest) in shapes() {
        for _ in 0..10 {
            let u = random.unit();
            let before = Patch::find(&pair(&shape, path(u, rest), &ground), &quality);
            let warm: Vec<WarmStart> = before.iter().map(Patch::warm_start).collect();
            let moved = path(u + 0.02, rest);
            let now = pair(&shape, moved, &ground);
            let (cold, hot) = (Patch::find(&now, &quality), Patch::find_warm(&now, &quality, &warm).patches);
            let off = force(&cold).distance(force(&hot)) / load(&cold);
            assert!(off < 2.0 * TOLERANCE, "{name} at {u}: off by {off}");
            assert!(
                hot.iter().any(|p| p.method == Method::Chords),
                "{name} at {u}: no patch is integrated along chords"
            );
        }
    }
}

/// Hard boxes that lie flat on each other: the border is a thousandth of a face wide.
#[test]
fn light_touches_of_wide_faces_are_carried_along_chords() {
    let cuboid = |half: DVec3, t: f64| shape(vec![Cuboid::new(DVec3::ZERO, half).unwrap().into()], t, 2.0 * t);
    let (wood, steel) = (cuboid(DVec3::new(0.1, 0.1, 0.05), 0.03), cuboid(DVec3::new(0.08, 0.08, 0.06), 0.02));
    let side = |shape, at, stiffness| Side { field: Posed::rigid(shape, at), stiffness, rigid: false };
    let quality = Quality::within(TOLERANCE);
    for overlap in [1e-6, 1.3e-5, 1e-4, 1e-3] {
        for tilt in [0.0, 1e-7, 1e-6] {
            let rotation = DQuat::from_rotation_y(tilt);
            let at = |x: f64| Frame { rotation, translation: DVec3::new(x, 0.0, 0.16 - overlap) };
            let pair = |x: f64| Pair { a: side(&wood, Frame::IDENTITY, 5e7), b: side(&steel, at(x), 1e9) };
            // Layers in series; a parabola over the rounded edges and corners of the smaller face.
            let (pressure, rim) = (overlap / (0.03 / 5e7 + 0.02 / 1e9), (2.0 * 0.02 * overlap).sqrt());
            let area = 0.16 * 0.16 + 4.0 * 0.16 * rim * 2.0 / 3.0 + 0.5 * std::f64::consts::PI * rim * rim;
            let cold = Patch::find(&pair(0.0), &quality);
            let warm: Vec<WarmStart> = cold.iter().map(Patch::warm_start).collect();
            let found = Patch::find_warm(&pair(1e-7), &quality, &warm);
            let off = load(&found.patches) / (pressure * area) - 1.0;
            assert!(off.abs() < 0.5 * TOLERANCE, "{overlap} m deep, tilted by {tilt}: off by {off}");
            assert!(found.reused_charts && found.evaluations < 500, "{} evaluations", found.evaluations);
        }
    }
}
