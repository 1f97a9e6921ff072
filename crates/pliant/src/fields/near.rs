//! A body near one place: the elements that reach a box, brought into the box's frame, in lanes.
//!
//! *The idea*: a contact is looked at from one small box, hundreds of times. Elements that do not reach it are left
//! out, the others are moved into its frame once, and point and segment skeletons sit side by side in lanes.
//! *Promised* only inside the box: beyond it, elements may be missing.

use super::element::Stem;
use super::kernel::LaneFormula;
use super::law::{Law, Linear, Metaball, NonLinear};
use super::pose::LinkFrame;
use super::{Cap, Element, Posed, Sample};
use crate::math::lanes::{Pass, widest};
use crate::math::{Aabb, Cell, DVec3, Frame};

/// Elements side by side: one AVX2 register of each number.
const LANES: usize = 4;

/// A placed shape as seen from a box.
#[derive(Clone, Debug)]
pub(crate) struct Near<'a> {
    /// Points and segments, by law.
    linear: Vec<Block>,
    non_linear: Vec<Block>,
    metaball: Vec<Block>,
    others: Vec<Other<'a>>,
    iso: f64,
}

/// What is known about a field over a box.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    /// No value in the box is greater.
    pub upper: f64,
    /// A plane above the field there.
    pub cap: Cap,
}

/// A link as seen from the box.
struct SeenLink {
    here_from_link: Frame,
    link_from_here: Frame,
    /// The box, in the link's frame.
    cell: Cell,
}

/// Any other element.
#[derive(Clone, Debug)]
enum Other<'a> {
    /// Moved into the frame.
    Here(Element),
    /// Too large to move: points go to it.
    There(&'a Element, Frame, Frame),
}

impl<'a> Near<'a> {
    /// What of `field` reaches the box `within` of a frame.
    pub fn new(field: &Posed<'a>, world_from_here: &Frame, within: &Aabb) -> Self {
        let here_from_world = world_from_here.inverse();
        let seen = |link: &LinkFrame| {
            let here_from_link = here_from_world * link.world_from_link;
            let link_from_here = here_from_link.inverse();
            SeenLink { here_from_link, link_from_here, cell: Cell::from(*within).moved(&link_from_here) }
        };
        let mut near = Self {
            linear: Vec::new(),
            non_linear: Vec::new(),
            metaball: Vec::new(),
            others: Vec::new(),
            iso: field.shape.iso(),
        };
        if field.is_rigid() {
            near.add_near(field, within, &[seen(&field.links()[0])], world_from_here);
        } else {
            let links: Vec<SeenLink> = field.links().iter().map(seen).collect();
            near.add_near(field, within, &links, world_from_here);
        }
        near
    }

    /// Adds what of `field` reaches the box `within`; `links` are its links.
    fn add_near(&mut self, field: &Posed<'a>, within: &Aabb, links: &[SeenLink], world_from_here: &Frame) {
        let all = field.shape.elements();
        let mut add = |i: usize| {
            let (element, link) = (&all[i], &links[field.link_index(i)]);
            if all.len() == 1 || element.reaches(&link.cell) {
                self.add_element(element, link);
            }
        };
        match field.elements_near(|| Cell::from(*within).moved(world_from_here).bounds()) {
            Some(near) => near.into_iter().for_each(|i| add(i as usize)),
            None => (0..all.len()).for_each(add),
        }
    }

    fn add_element(&mut self, element: &'a Element, link: &SeenLink) {
        let SeenLink { here_from_link, link_from_here, .. } = link;
        if let Some(stem) = element.stem() {
            self.add(&Stem { ends: stem.ends.map(|p| here_from_link.point(p)), ..stem });
        } else {
            self.others.push(match element.moved(here_from_link) {
                Some(moved) => Other::Here(moved),
                None => Other::There(element, *link_from_here, *here_from_link),
            });
        }
    }

    /// Adds a point or segment, in the frame of the box.
    fn add(&mut self, stem: &Stem) {
        let blocks = match stem.formula {
            LaneFormula::Linear => &mut self.linear,
            LaneFormula::NonLinear => &mut self.non_linear,
            LaneFormula::Metaball => &mut self.metaball,
        };
        if blocks.last().is_none_or(|b| b.used == LANES) {
            blocks.push(Block::EMPTY);
        }
        let last = blocks.len() - 1;
        blocks[last].push(stem);
    }

    /// Isovalue `c`.
    pub fn iso(&self) -> f64 {
        self.iso
    }

    /// Value and gradient at `p`.
    pub fn sample(&self, p: DVec3) -> Sample {
        let mut sum = widest(At { near: self, p: p.to_array() });
        for other in &self.others {
            let s = match other {
                Other::Here(element) => element.sample(p),
                Other::There(element, there, here) => {
                    let s = element.sample(there.point(p));
                    Sample { value: s.value, gradient: here.vector(s.gradient) }
                }
            };
            sum.value += s.value;
            sum.gradient += s.gradient;
        }
        sum
    }

    /// Bounds over `cell`.
    pub fn look(&self, cell: &Aabb) -> Look {
        let mut look = widest(Over { near: self, cell: *cell });
        for other in &self.others {
            let here = Cell::from(*cell);
            let (upper, cap) = match other {
                Other::Here(element) => (element.upper_bound(&here), element.cap(&here)),
                Other::There(element, there, back) => {
                    let there = here.moved(there);
                    let cap = element.cap(&there);
                    (element.upper_bound(&there), Cap { gradient: back.vector(cap.gradient), ..cap })
                }
            };
            look.upper += upper;
            look.cap = look.cap.plus(1.0, &cap);
        }
        look
    }
}

/// Point and segment elements of one law, structure of arrays. Unused lanes contribute nothing.
#[derive(Clone, Copy, Debug)]
struct Block {
    used: usize,
    /// One end, and from there to the other (zero for points).
    from: [[f64; LANES]; 3],
    along: [[f64; LANES]; 3],
    by_length_sq: [f64; LANES],
    strength: [f64; LANES],
    law: [[f64; LANES]; 8],
    thickness: [f64; LANES],
    radius: [f64; LANES],
    /// Greatest second derivative of the curve anywhere, and beyond its thickness.
    bend: [[f64; LANES]; 2],
}

impl Block {
    const EMPTY: Self = Self {
        used: 0,
        from: [[0.0; LANES]; 3],
        along: [[0.0; LANES]; 3],
        by_length_sq: [0.0; LANES],
        strength: [0.0; LANES],
        law: [[0.0; LANES]; 8],
        thickness: [0.0; LANES],
        radius: [0.0; LANES],
        bend: [[0.0; LANES]; 2],
    };

    fn push(&mut self, stem: &Stem) {
        let &Stem { ends: [a, b], kernel, strength, .. } = stem;
        let i = self.used;
        self.used += 1;
        let along = b - a;
        for axis in 0..3 {
            self.from[axis][i] = a[axis];
            self.along[axis][i] = along[axis];
        }
        self.by_length_sq[i] = if along == DVec3::ZERO { 0.0 } else { 1.0 / along.length_squared() };
        self.strength[i] = strength;
        for (law, c) in self.law.iter_mut().zip(kernel.coefficients()) {
            law[i] = *c;
        }
        self.thickness[i] = kernel.thickness();
        self.radius[i] = kernel.radius();
        self.bend[0][i] = kernel.most_bend(0.0);
        self.bend[1][i] = kernel.most_bend(kernel.thickness());
    }

    /// From the nearest point of lane `i` to `p`.
    #[inline(always)]
    fn offset(&self, i: usize, p: &[f64; 3]) -> [f64; 3] {
        let (x, y, z) = (p[0] - self.from[0][i], p[1] - self.from[1][i], p[2] - self.from[2][i]);
        let [ax, ay, az] = [self.along[0][i], self.along[1][i], self.along[2][i]];
        let t = (x * ax + y * ay + z * az) * self.by_length_sq[i];
        let t = if t > 0.0 { t } else { 0.0 };
        let t = if t < 1.0 { t } else { 1.0 };
        [x - t * ax, y - t * ay, z - t * az]
    }

    /// `F` and `F'/r` of lane `i`.
    #[inline(always)]
    fn curve<L: Law>(&self, i: usize, r_sq: f64) -> (f64, f64) {
        let k = &self.law;
        L::at_sq(&[k[0][i], k[1][i], k[2][i], k[3][i], k[4][i], k[5][i], k[6][i], k[7][i]], r_sq)
    }
}

/// Value and gradient of all lanes at a point.
struct At<'a> {
    near: &'a Near<'a>,
    p: [f64; 3],
}

impl Pass for At<'_> {
    type Output = Sample;

    #[inline(always)]
    fn run(self) -> Sample {
        let mut sum = [[0.0; LANES]; 4];
        self.add::<Linear>(&self.near.linear, &mut sum);
        self.add::<NonLinear>(&self.near.non_linear, &mut sum);
        self.add::<Metaball>(&self.near.metaball, &mut sum);
        let [value, x, y, z] = sum.map(total);
        Sample { value, gradient: DVec3::new(x, y, z) }
    }
}

impl At<'_> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn add<L: Law>(&self, blocks: &[Block], sum: &mut [[f64; LANES]; 4]) {
        for block in blocks {
            for i in 0..LANES {
                let [x, y, z] = block.offset(i, &self.p);
                let (value, slope_by_r) = block.curve::<L>(i, x * x + y * y + z * z);
                let by_r = block.strength[i] * slope_by_r;
                sum[0][i] += block.strength[i] * value;
                sum[1][i] += by_r * x;
                sum[2][i] += by_r * y;
                sum[3][i] += by_r * z;
            }
        }
    }
}

/// Bounds of all lanes over a box: see [`Element::upper_bound`] and [`Element::cap`], whose proofs these are.
struct Over<'a> {
    near: &'a Near<'a>,
    cell: Aabb,
}

impl Pass for Over<'_> {
    type Output = Look;

    #[inline(always)]
    fn run(self) -> Look {
        let mut sum = [[0.0; LANES]; 6];
        self.add::<Linear>(&self.near.linear, &mut sum);
        self.add::<NonLinear>(&self.near.non_linear, &mut sum);
        self.add::<Metaball>(&self.near.metaball, &mut sum);
        let [upper, value, x, y, z, rise] = sum.map(total);
        Look { upper, cap: Cap { value, gradient: DVec3::new(x, y, z), rise } }
    }
}

impl Over<'_> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes
    fn add<L: Law>(&self, blocks: &[Block], sum: &mut [[f64; LANES]; 6]) {
        let (center, half) = (self.cell.center().to_array(), (0.5 * self.cell.size()).to_array());
        let reach = (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]).sqrt();
        for block in blocks {
            for i in 0..LANES {
                let [x, y, z] = block.offset(i, &center);
                let r_sq = x * x + y * y + z * z;
                let r = r_sq.sqrt();
                let (value, slope_by_r) = block.curve::<L>(i, r_sq);
                // How far the cell reaches along the distance; all the way where that has no direction.
                let straight = (x.abs() * half[0] + y.abs() * half[1] + z.abs() * half[2]) / r;
                let straight = if straight < reach { straight } else { reach };
                // A convex distance lies above its tangent; and the boxes around both are apart by so much.
                let mut gap_sq = 0.0;
                let mut size = 0.0;
                for axis in 0..3 {
                    let (a, d) = (block.from[axis][i], block.along[axis][i]);
                    let (low, high) = (if d < 0.0 { a + d } else { a }, if d < 0.0 { a } else { a + d });
                    let over = low - (center[axis] + half[axis]);
                    let under = (center[axis] - half[axis]) - high;
                    let gap = if over > under { over } else { under };
                    let gap = if gap > 0.0 { gap } else { 0.0 };
                    gap_sq += gap * gap;
                    size += a.abs() + d.abs() + center[axis].abs() + half[axis];
                }
                let gap = gap_sq.sqrt();
                let slack = 16.0 * f64::EPSILON * size;
                // Close to the skeleton the direction is made of rounding errors.
                let doubt = slack * (1.0 + reach / r);
                let tangent = r - straight - doubt;
                let nearest = (if tangent > gap { tangent } else { gap }) - slack;
                let nearest = if nearest > 0.0 { nearest } else { 0.0 };
                let strength = block.strength[i];
                let adds = strength >= 0.0;
                let bound_at = if adds { nearest } else { r + reach + slack };
                let upper = strength * block.curve::<L>(i, bound_at * bound_at).0;
                let slope = slope_by_r.abs() * r;
                let turned = straight + reach * reach / nearest;
                let along = if turned < reach { turned } else { reach };
                let bend = if nearest >= block.thickness[i] { block.bend[1][i] } else { block.bend[0][i] };
                let within = nearest < block.radius[i];
                let capped = adds && within;
                let by_r = if capped { strength * slope_by_r } else { 0.0 };
                let top = strength * (value + 1e-14 * (value.abs() + slope * reach));
                sum[0][i] += upper;
                sum[1][i] += if capped {
                    top
                } else if adds {
                    0.0
                } else {
                    upper
                };
                sum[2][i] += by_r * x;
                sum[3][i] += by_r * y;
                sum[4][i] += by_r * z;
                sum[5][i] += if capped { 0.5 * strength * bend * along * along } else { 0.0 };
            }
        }
    }
}

#[inline(always)]
fn total(lanes: [f64; LANES]) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
