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
            super::meeting::PROBES.set(0);
            let t0 = std::time::Instant::now();
            let (force, points) = tiled(&pair, &quality);
            let error = (force - exact).length() / exact.length();
            eprintln!("{name} {tolerance:e}: error {error:.1e} {points} points {:?}", t0.elapsed());
        }
    }
}

struct R(u64);
impl R {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }
    fn rotation(&mut self) -> DQuat {
        let mut q = || self.unit() * 2.0 - 1.0;
        DQuat::from_xyzw(q(), q(), q(), q() + 1e-3).normalize()
    }
}

#[test]
fn limbs_debug() {
    let mut random = R(0x2545_F491_4F6C_DD1D);
    let only: usize = std::env::var("POSE").map_or(99, |p| p.parse().unwrap());
    let mut number = 0;
    for _ in 0..4 {
        let mut make = || {
            let turn = std::f64::consts::TAU * random.unit();
            let along = |i: f64| {
                let angle = turn + 0.35 * i;
                DVec3::new(0.08 * angle.cos(), 0.08 * angle.sin(), 0.012 * i)
            };
            let ends: Vec<_> = (0..20).map(|i| (along(f64::from(i)), along(f64::from(i) + 0.8))).collect();
            let mut element = |(i, (p, q)): (usize, (DVec3, DVec3))| {
                let s = if i % 2 == 0 { Point { at: 0.5 * (p + q) }.into() } else { Segment::new(p, q).unwrap().into() };
                Element::new(s, kernel(Profile::Linear, 0.03 + 0.02 * random.unit()))
            };
            Shape::new(ends.into_iter().enumerate().map(&mut element).collect(), 1.0)
        };
        let (a, b) = (make(), make());
        for _ in 0..8 {
            let world = Frame { rotation: random.rotation(), translation: random.vector() };
            let (toward, turn) = (random.vector().normalize(), random.rotation());
            let now = |distance: f64| (world, world * Frame { rotation: turn, translation: distance * toward });
            let make = |d: f64| {
                let (x, y) = now(d);
                let mut p = pair((&a, x), (&b, y));
                p.b.stiffness = 1e5;
                p
            };
            let total = |d: f64| super::Patch::find(&make(d), &Quality::draft()).iter().map(|p| p.on_a.force).sum::<DVec3>().length();
            let (mut near, mut far): (f64, f64) = (0.0, 0.6);
            while far > 0.0 && total(far - 0.01) <= 5.0 {
                far -= 0.01;
            }
            near = f64::max(near, far - 0.01);
            for _ in 0..20 {
                let middle = 0.5 * (near + far);
                if total(middle) > 5.0 { near = middle } else { far = middle }
            }
            let pair = make(far);
            // remembered() of the bench draws two vectors.
            random.vector();
            random.vector();
            if number == only {
                let (place, across) = find::across(&pair, None).unwrap();
                let meeting = Meeting::new(&pair, place, across).unwrap();
                let size = meeting.shared.size();
                eprintln!("shared {:?}", size);
                for n in [200usize, 400] {
                    let levels = 200;
                    let mut force = DVec3::ZERO;
                    let mut sheets = [0; 4];
                    let mut down = 0.0;
                    let cell = size / DVec3::new(n as f64, n as f64, levels as f64);
                    for i in 0..n { for j in 0..n {
                        let mut before: Option<(f64, super::Probe)> = None;
                        let mut count = 0;
                        for k in 0..=levels {
                            let p = meeting.shared.min + cell * DVec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64);
                            let now = meeting.probe(p);
                            let u = now.surface(meeting.kind).0;
                            if let Some((u0, q)) = before && (u0 > 0.0) != (u > 0.0) {
                                let s = u0 / (u0 - u);
                                let pressure = q.pressure_a + s * (now.pressure_a - q.pressure_a);
                                if pressure > 0.0 {
                                    let g = q.surface(meeting.kind).1.lerp(now.surface(meeting.kind).1, s);
                                    force += pressure * cell.x * cell.y / g.z.abs() * g;
                                    if g.z < 0.0 { down += pressure * cell.x * cell.y; }
                                    count += 1;
                                }
                            }
                            before = Some((u, now));
                        }
                        sheets[count.min(3)] += 1;
                    } }
                    eprintln!("brute {n}: {force:?} {:.5} sheets {sheets:?} down {down:.4}", force.length());
                }
                let q = Quality { resolution: Resolution::Tolerance(1e-5), cells_across: 16, ..Quality::default() };
                let mut worst: Vec<(f64, String)> = Vec::new();
                let mut sums = (DVec3::ZERO, DVec3::ZERO);
                for region in find::regions(&meeting, &q) {
                    for cell in tiles::columns(&region) {
                        let mut force = DVec3::ZERO;
                        let n = 30;
                        let step = cell.size() / n as f64;
                        for i in 0..n { for j in 0..n {
                            let mut before: Option<(f64, super::Probe)> = None;
                            for k in 0..=n {
                                let p = cell.min + step * DVec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64);
                                let now = meeting.probe(p);
                                let u = now.surface(meeting.kind).0;
                                if let Some((u0, q)) = before && (u0 > 0.0) != (u > 0.0) {
                                    let s = u0 / (u0 - u);
                                    let pressure = q.pressure_a + s * (now.pressure_a - q.pressure_a);
                                    if pressure > 0.0 {
                                        let g = q.surface(meeting.kind).1.lerp(now.surface(meeting.kind).1, s);
                                        force += pressure * step.x * step.y / g.z.abs() * g;
                                    }
                                }
                                before = Some((u, now));
                            }
                        } }
                        let (got, text) = tiles::debug(&meeting, &region, &q, cell);
                        sums.0 += force; sums.1 += got;
                        worst.push(((got - force).length(), format!("cell {:?} size {:?} brute {force:.5} got {got:.5} {text}", cell.center(), cell.size())));
                    }
                }
                worst.sort_by(|p, q| q.0.total_cmp(&p.0));
                eprintln!("tiles sums {:?}", sums);
                for w in worst.iter().take(6) { eprintln!("tiles {:?}", w); }
                for (t, c) in [(1e-3, 4), (1e-5, 6), (1e-5, 16)] {
                    let q = Quality { resolution: Resolution::Tolerance(t), cells_across: c, ..Quality::default() };
                    let (f, n) = tiled(&pair, &q);
                    eprintln!("tiles {t:e} {c}: {:?} {:.5} {n}", meeting.world_from_here.inverse().vector(f), f.length());
                }
            }
            number += 1;
        }
    }
}

#[test]
fn shrink_debug() {
    use crate::fields::skeleton::HalfSpace;
    let big = ball(0.1);
    let small = ball(0.05);
    let below = HalfSpace::new(DVec3::Z * -0.1, DVec3::Z).unwrap();
    let plane = Shape::new(vec![Element::new(below.into(), kernel(Profile::Linear, 0.1))], 1.0);
    let turn = Frame { rotation: DQuat::from_xyzw(0.3, 0.5, 0.1, 0.7).normalize(), translation: DVec3::new(0.3, 0.1, 0.2) };
    let mut p = pair((&big, turn), (&plane, turn * Frame::at(DVec3::Z * -0.09)));
    (p.b.rigid, p.b.stiffness) = (true, 1e8);
    for (name, p) in [("plane", p), ("equal", pair((&big, turn), (&big, turn * Frame::at(DVec3::Z * 0.19)))), ("unequal", pair((&big, turn), (&small, turn * Frame::at(DVec3::Z * 0.14))))] {
        let (place, across) = find::across(&p, None).unwrap();
        super::meeting::LOOKS.set(0);
        let m = Meeting::new(&p, place, across).unwrap();
        eprintln!("{name}: box {:?} to {:?} looks {} place {place:?}", m.shared.min, m.shared.max, super::meeting::LOOKS.get());
        super::meeting::LOOKS.set(0);
        let seed = find::seed(&m).unwrap();
        let n = super::meeting::PROBES.get();
        let star = Star::from_seed(&m, seed, &Quality::draft(), None);
        eprintln!("   star probes {} error {:?} seed {seed} askew {:?}", super::meeting::PROBES.get() - n, star.map(|s| (s.patch.error, s.patch.points.len(), s.patch.reference)), find::askew(&m, seed));
        super::meeting::PROBES.set(0);
        super::Patch::find(&p, &Quality::draft());
        eprintln!("   all: looks {} probes {}", super::meeting::LOOKS.get(), super::meeting::PROBES.get());
    }
}
