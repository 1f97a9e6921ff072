//! Tiles against stars: two ways to one number.

use super::meeting::Meeting;
use super::star::Star;
use super::{Pair, Quality, Resolution, Side, find, tiles};
use crate::fields::skeleton::{Point, Segment};
use crate::fields::{Element, Kernel, Placed, Profile, Shape};
use crate::math::{DQuat, DVec3, Frame};

fn kernel(profile: Profile, t: f64) -> Kernel {
    Kernel::new(profile, 1.0, (t, 1.0 / t, 2.0 * t)).unwrap()
}

fn ball(t: f64) -> Shape {
    Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(Profile::Linear, t))], 1.0)
}

/// Three points and a segment.
fn lumpy() -> Shape {
    let bar = Segment::new(DVec3::new(-0.05, 0.02, 0.0), DVec3::new(0.04, -0.03, 0.03)).unwrap();
    let mut elements = vec![Element::new(bar.into(), kernel(Profile::Linear, 0.06))];
    for (x, y, z, t) in [(0.05, 0.05, 0.01, 0.05), (-0.06, -0.04, -0.02, 0.055), (0.0, 0.0, -0.06, 0.05)] {
        elements.push(Element::new(Point { at: DVec3::new(x, y, z) }.into(), kernel(Profile::NonLinear, t)));
    }
    Shape::new(elements, 1.0)
}

fn pair<'a>((a, at_a): (&'a Shape, Frame), (b, at_b): (&'a Shape, Frame)) -> Pair<'a> {
    let side = |shape, at, stiffness| Side { field: Placed::new(shape, at), stiffness, rigid: false };
    Pair { a: side(a, at_a, 1e5), b: side(b, at_b, 2.5e5) }
}

/// Force by tiles of the only region, and how many points it took.
fn tiled(pair: &Pair, quality: &Quality) -> (DVec3, usize) {
    let (place, across) = find::across(pair, None).unwrap();
    let meeting = Meeting::new(pair, place, across).unwrap();
    let mut sum = (DVec3::ZERO, 0);
    for region in find::regions(&meeting, quality) {
        let Ok(patch) = tiles::integrate(&meeting, &region, quality) else { continue };
        sum.0 += meeting.world_from_here.vector(patch.on_a.force);
        sum.1 += patch.points.len();
        eprintln!("   region of {} cells of {:.4}: {:?} error {:.1e} points {}", region.cells.len(), region.cell_size, patch.on_a.force, patch.error, patch.points.len());
    }
    sum
}

fn starred(pair: &Pair) -> DVec3 {
    let quality = Quality { resolution: Resolution::Fixed { radial: 32, angular: 512 }, ..Quality::default() };
    let (place, across) = find::across(pair, None).unwrap();
    let meeting = Meeting::new(pair, place, across).unwrap();
    let seed = find::seed(&meeting).unwrap();
    meeting.world_from_here.vector(Star::from_seed(&meeting, seed, &quality, None).unwrap().patch.on_a.force)
}

#[test]
fn tiles_and_stars_agree() {
    let (big, small, lumps) = (ball(0.1), ball(0.05), lumpy());
    let turned = Frame { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.02, 0.01, 0.17) };
    for (name, pair) in [
        ("balls", pair((&big, Frame::IDENTITY), (&small, Frame::at(DVec3::new(0.06, 0.07, 0.1))))),
        ("lumps", pair((&lumps, Frame::IDENTITY), (&lumps, turned))),
    ] {
        let exact = starred(&pair);
        for (tolerance, cells_across) in [(1e-3, 4), (1e-4, 4), (1e-5, 6), (1e-6, 6), (1e-7, 6)] {
            let quality = Quality { resolution: Resolution::Tolerance(tolerance), cells_across, ..Quality::default() };
            let t0 = std::time::Instant::now();
            let (force, points) = tiled(&pair, &quality);
            let error = (force - exact).length() / exact.length();
            eprintln!("{name} {tolerance:e}: error {error:.1e} {points} points {:?}", t0.elapsed());
        }
    }
}
