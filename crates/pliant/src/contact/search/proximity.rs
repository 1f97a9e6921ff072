//! Whether two bodies overlap: a point of the overlap, or the gap that is proved between them.

use super::patch_set::PatchSet;
use super::uncovered::OverlapSearch;
use crate::contact::ascent::{onto_surface, seed};
use crate::contact::frame::{AllowedMotion, ContactFrame, Gap};
use crate::contact::gjk_distance::gjk_distance_bounds;
use crate::contact::pair::Pair;
use crate::contact::quality::Quality;
use crate::contact::separation::rounding;
use crate::math::DVec3;

/// Greatest gap between two bodies that is proved, as a fraction of the thickness. Smaller: bodies that pass each other are
/// searched again sooner. Larger: those proofs take more cells.
const MAX_GAP: f64 = 0.25;

/// Whether two bodies overlap.
pub(in crate::contact) enum Proximity<'a> {
    /// A frame around the overlap, and a point of the contact surface in it, where one was found.
    Overlap(Box<ContactFrame<'a>>, Option<DVec3>),
    Apart {
        gap: Gap,
        /// Size of the largest cell too small to decide, metres.
        undecided: f64,
    },
}

impl From<Gap> for Proximity<'_> {
    fn from(gap: Gap) -> Self {
        Self::Apart { gap, undecided: 0.0 }
    }
}

/// A search of the whole overlap box, which ends with the first point of overlap, or with a proof that there is none.
pub(in crate::contact) fn proximity<'a>(pair: &Pair<'a>, quality: &Quality) -> Proximity<'a> {
    match search(pair, quality) {
        Ok(proximity) => proximity,
        Err(gap) => gap.into(),
    }
}

fn search<'a>(pair: &Pair<'a>, quality: &Quality) -> Result<Proximity<'a>, Gap> {
    let shift = MAX_GAP * pair.min_thickness();
    if pair.a.field.shape.is_convex() && pair.b.field.shape.is_convex() {
        let (at_least, _) = gjk_distance_bounds(&pair.a.field, &pair.b.field, shift);
        let gap = at_least - rounding(&pair.a.field, &pair.b.field);
        if gap > 0.0 {
            return Err(Gap(gap));
        }
    }
    let is_rigid = pair.a.field.is_rigid() && pair.b.field.is_rigid();
    let room = if is_rigid { AllowedMotion { shift, ..AllowedMotion::NONE } } else { AllowedMotion::NONE };
    let mut frame = ContactFrame::near(pair, None, room)?;
    let mut point = seed(&frame);
    if point.is_none() && frame.convex {
        frame = frame.shrunk(pair)?;
        point = seed(&frame);
    }
    if point.is_none() {
        let none = PatchSet::default();
        let mut search = OverlapSearch::new(pair, &frame, quality, &none);
        let Some(p) = search.next_uncovered(&none) else {
            let gap = Gap(search.allowed_shift(&none));
            return Ok(Proximity::Apart { gap, undecided: search.undecided_size() });
        };
        point = onto_surface(&frame, p, frame.thickness);
    }
    Ok(Proximity::Overlap(Box::new(frame), point))
}
