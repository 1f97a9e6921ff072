//! A field culled to one box: the elements that reach it, brought into the box's frame, in lanes.
//!
//! *The idea*: a contact query samples one small box hundreds of times. Elements that do not reach it are left
//! out, the others are moved into its frame once, and point and segment skeletons sit side by side in lanes; where many are
//! left, a tree tells which of them a question concerns.
//! *Promised* only inside the box: beyond it, elements may be missing.

mod blocks;
mod cell_lanes;
mod four;
mod passes;

use super::element::SimdElement;
use super::kernel::LaneFormula;
use super::kernel_formulas::{KernelFormula, Linear, Metaball, NonLinear};
use super::pose::LinkFrame;
use super::skeleton::{Distance, Plane};
use super::{AffineBound, Element, Posed, Sample};
use crate::math::lanes::widest;
use crate::math::real::FourLanes;
use crate::math::{Aabb, Cell, DVec3, Frame};
use blocks::Blocks;
pub(crate) use cell_lanes::{BoundLanes, CellLanes};
pub(crate) use four::FourPoints;
use passes::{BoundsOver, SampleAt, SimdElements, UpperBounds};

/// Most elements of a field whose creases are listed. More: chords are cut into too many pieces; blended fields have weak
/// creases.
const MAX_ELEMENTS_FOR_CREASES: usize = 2;

/// A posed shape in the frame of a box.
#[derive(Clone, Debug)]
pub(crate) struct CulledField<'a> {
    lanes: SimdElements,
    /// Everything that has no lanes.
    others: Vec<Other<'a>>,
    /// Whether some lanes have trees.
    sorted: bool,
    iso: f64,
}

/// A link in the frame of the box.
struct LinkInBox {
    here_from_link: Frame,
    link_from_here: Frame,
    /// The box, in the link's frame.
    cell: Cell,
}

/// An element that has no lanes.
#[derive(Clone, Debug)]
enum Other<'a> {
    /// Transformed into the frame of the box.
    Here(Element),
    /// Too large to transform: each point is transformed into its frame instead, and the result back.
    There(&'a Element, Frame, Frame),
}

impl<'a> CulledField<'a> {
    /// Elements of `field` that reach the box `within` of a frame.
    pub fn new(field: &Posed<'a>, world_from_here: &Frame, within: &Aabb) -> Self {
        let here_from_world = world_from_here.inverse();
        let seen = |link: &LinkFrame| {
            let here_from_link = here_from_world * link.world_from_link;
            let link_from_here = here_from_link.inverse();
            LinkInBox { here_from_link, link_from_here, cell: Cell::from(*within).moved(&link_from_here) }
        };
        let mut near =
            Self { lanes: SimdElements::default(), others: Vec::new(), sorted: false, iso: field.shape.iso() };
        if field.is_rigid() {
            near.add_near(field, within, &[seen(&field.links()[0])], world_from_here);
        } else {
            let links: Vec<LinkInBox> = field.links().iter().map(seen).collect();
            near.add_near(field, within, &links, world_from_here);
        }
        for blocks in [&mut near.lanes.linear, &mut near.lanes.non_linear, &mut near.lanes.metaball] {
            blocks.sort();
            near.sorted |= blocks.are_sorted();
        }
        near
    }

    /// Adds what of `field` reaches the box `within`; `links` are its links.
    fn add_near(&mut self, field: &Posed<'a>, within: &Aabb, links: &[LinkInBox], world_from_here: &Frame) {
        let all = field.shape.elements();
        let mut add = |i: usize| {
            let (element, link) = (&all[i], &links[field.link_index(i)]);
            if all.len() == 1 || element.touches(&link.cell) {
                self.add_element(element, link);
            }
        };
        match field.elements_near(|| Cell::from(*within).moved(world_from_here).bounds()) {
            Some(near) => near.into_iter().for_each(|i| add(i as usize)),
            None => (0..all.len()).for_each(add),
        }
    }

    fn add_element(&mut self, element: &'a Element, link: &LinkInBox) {
        let LinkInBox { here_from_link, link_from_here, .. } = link;
        if let Some(simd) = element.simd_element() {
            self.add(&SimdElement { ends: simd.ends.map(|p| here_from_link.point(p)), ..simd });
        } else {
            self.others.push(match element.moved(here_from_link) {
                Some(moved) => Other::Here(moved),
                None => Other::There(element, *link_from_here, *here_from_link),
            });
        }
    }

    /// Adds a point or segment, in the frame of the box.
    fn add(&mut self, simd: &SimdElement) {
        match simd.formula {
            LaneFormula::Linear => self.lanes.linear.push(simd),
            LaneFormula::NonLinear => self.lanes.non_linear.push(simd),
            LaneFormula::Metaball => self.lanes.metaball.push(simd),
        }
    }

    /// Planes at which distances to the skeletons have creases, where elements are few.
    pub fn creases(&self) -> Vec<Plane> {
        let mut found = Vec::new();
        let blocks = [&self.lanes.linear, &self.lanes.non_linear, &self.lanes.metaball];
        let in_lanes: usize = blocks.iter().flat_map(|b| &b.all).map(|b| b.used).sum();
        if self.others.len() + in_lanes > MAX_ELEMENTS_FOR_CREASES {
            return found;
        }
        blocks.iter().flat_map(|b| &b.all).for_each(|b| b.creases(&mut found));
        for other in &self.others {
            let element = match other {
                Other::Here(element) => element,
                Other::There(element, ..) => element,
            };
            let first = found.len();
            element.skeleton().into_iter().for_each(|s| s.creases(&mut found));
            if let Other::There(_, _, here_from_there) = other {
                for plane in &mut found[first..] {
                    *plane = Plane {
                        point: here_from_there.point(plane.point),
                        normal: here_from_there.vector(plane.normal),
                    };
                }
            }
        }
        found
    }

    /// Middles and axes of rings.
    pub fn rings(&self) -> Vec<Plane> {
        let ring = |other: &Other| match other {
            Other::Here(element) => element.skeleton()?.as_ring(),
            Other::There(element, _, here_from_there) => element.skeleton()?.as_ring().map(|plane| Plane {
                point: here_from_there.point(plane.point),
                normal: here_from_there.vector(plane.normal),
            }),
        };
        self.others.iter().filter_map(ring).collect()
    }

    /// Whether all elements are points and segments.
    pub fn is_simple(&self) -> bool {
        self.others.is_empty()
    }

    /// Number of elements that reach the box.
    pub fn element_count(&self) -> usize {
        let blocks = [&self.lanes.linear, &self.lanes.non_linear, &self.lanes.metaball];
        self.others.len() + blocks.iter().flat_map(|b| &b.all).map(|b| b.used).sum::<usize>()
    }

    /// Isovalue `c`.
    pub fn iso(&self) -> f64 {
        self.iso
    }

    #[cfg(test)]
    pub fn has_trees(&self) -> bool {
        [&self.lanes.linear, &self.lanes.non_linear, &self.lanes.metaball].iter().all(|blocks| blocks.are_sorted())
    }

    /// Blocks of each formula that reach a box, if some of them have trees.
    #[inline]
    fn blocks_near(&self, around: impl FnOnce() -> Aabb) -> Option<[Vec<u32>; 3]> {
        if !self.sorted {
            return None;
        }
        let all = [&self.lanes.linear, &self.lanes.non_linear, &self.lanes.metaball];
        let around = around();
        Some(all.map(|blocks| blocks.blocks_near(&around)))
    }

    /// Value and gradient at `p`.
    pub fn sample(&self, p: DVec3) -> Sample {
        let (lanes, at) = (&self.lanes, p.to_array());
        let mut sum = match self.blocks_near(|| Aabb { min: p, max: p }) {
            None => widest(SampleAt::<false> { lanes, near: [&[]; 3], p: at }),
            Some([a, b, c]) => widest(SampleAt::<true> { lanes, near: [&a, &b, &c], p: at }),
        };
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

    /// Bounds over `boxes`, which are also given in lanes.
    #[inline(always)]
    pub fn upper_bounds_of_four<V: FourLanes>(&self, boxes: &[Aabb; 4], cells: &CellLanes<V>) -> BoundLanes<V> {
        let (mut sum, lanes) = (BoundLanes::zero(), &self.lanes);
        if self.sorted {
            // Boxes far apart have few elements in common.
            return in_lanes(&boxes.map(|b| self.upper_bounds(&b)));
        }
        add_blocks::<Linear, V>(&lanes.linear, cells, &mut sum);
        add_blocks::<NonLinear, V>(&lanes.non_linear, cells, &mut sum);
        add_blocks::<Metaball, V>(&lanes.metaball, cells, &mut sum);
        for other in &self.others {
            let bounds = match other {
                Other::Here(element) => cells.bounds_of(element, None),
                Other::There(element, there_from_here, _) => cells.bounds_of(element, Some(there_from_here)),
            };
            match bounds {
                Some(bounds) => sum.add(&bounds),
                None => sum.add(&in_lanes(&boxes.map(|b| other.upper_bounds(&b)))),
            }
        }
        sum
    }

    /// Bounds over `cell`.
    pub fn upper_bounds(&self, cell: &Aabb) -> UpperBounds {
        let lanes = &self.lanes;
        let mut bounds = match self.blocks_near(|| *cell) {
            None => widest(BoundsOver::<false> { lanes, near: [&[]; 3], cell: *cell }),
            Some([a, b, c]) => widest(BoundsOver::<true> { lanes, near: [&a, &b, &c], cell: *cell }),
        };
        for other in &self.others {
            let own = other.upper_bounds(cell);
            bounds.value += own.value;
            bounds.affine = bounds.affine.plus(1.0, &own.affine);
        }
        bounds
    }
}

impl Other<'_> {
    fn upper_bounds(&self, cell: &Aabb) -> UpperBounds {
        let here = Cell::from(*cell);
        match self {
            Other::Here(element) => {
                UpperBounds { value: element.upper_bound(&here), affine: element.affine_bound(&here) }
            }
            Other::There(element, there, back) => {
                let there = here.moved(there);
                let affine = element.affine_bound(&there);
                let affine = AffineBound { gradient: back.vector(affine.gradient), ..affine };
                UpperBounds { value: element.upper_bound(&there), affine }
            }
        }
    }
}

/// Adds the bounds of points and segments of one kernel formula over a box in each lane.
#[inline(always)]
fn add_blocks<K: KernelFormula, V: FourLanes>(blocks: &Blocks, cells: &CellLanes<V>, sum: &mut BoundLanes<V>) {
    for block in &blocks.all {
        for i in 0..block.used {
            cells.add_bounds::<K>(&block.element::<V>(i), sum);
        }
    }
}

/// Bounds of four boxes, one a lane.
#[inline(always)]
fn in_lanes<V: FourLanes>(of: &[UpperBounds; 4]) -> BoundLanes<V> {
    let mut lanes = [[0.0; 4]; 6];
    for (i, UpperBounds { value, affine: AffineBound { value: middle, gradient, rise } }) in of.iter().enumerate() {
        let numbers = [*value, *middle, gradient.x, gradient.y, gradient.z, *rise];
        lanes.iter_mut().zip(numbers).for_each(|(to, x)| to[i] = x);
    }
    let [greatest, value, x, y, z, rise] = &lanes;
    let gradient = [V::of(x), V::of(y), V::of(z)];
    BoundLanes { greatest: V::of(greatest), value: V::of(value), gradient, rise: V::of(rise) }
}
