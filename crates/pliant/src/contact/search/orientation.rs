//! The frame in which several reused patches are integrated together.

use crate::contact::pair::Pair;
use crate::contact::persistent_chart::PersistentChart;
use crate::math::{DMat3, DQuat, DVec3, Frame, diagonalise};

/// Ratios of the eigenvalues of the covariance of the patches' positions (PCA): smallest to middle, and middle to
/// largest. The patches lie in a plane if the first ratio is at most `FLAT` and the second at least `WIDE`; the frame
/// is then across that plane, else across their mean normal.
const FLAT: f64 = 0.05;
const WIDE: f64 = 0.01;

/// A frame at the first of `charts`: its own if it is the only one, else across all of them, so that the box around them is
/// thin, and along an axis of the body of more elements, which often are in rows.
pub(super) fn frame_across(pair: &Pair, charts: &[(&PersistentChart, Frame)]) -> Frame {
    let first = charts[0].1;
    if charts.len() == 1 {
        return first;
    }
    let Some(across) = normal(charts) else { return first };
    let sides = [&pair.a.field, &pair.b.field];
    let body = sides[usize::from(sides[1].shape.elements().len() > sides[0].shape.elements().len())];
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|e| body.world_from_body.vector(e));
    let steepness = |e: &DVec3| e.dot(across).abs();
    let along = axes.into_iter().min_by(|d, e| steepness(d).total_cmp(&steepness(e))).unwrap_or(DVec3::X);
    let along = along.reject_from_normalized(across).try_normalize().unwrap_or(across.any_orthonormal_vector());
    let rotation = DQuat::from_mat3(&DMat3::from_cols(along, across.cross(along), across));
    Frame { rotation, ..first }
}

/// The common normal of some charts: across the plane in which they lie, if they do, else the mean of their own.
fn normal(charts: &[(&PersistentChart, Frame)]) -> Option<DVec3> {
    // About the force of each patch.
    let load = |c: &PersistentChart| c.sizes.extent * c.sizes.chord * c.sizes.max_pressure;
    let mean = charts.iter().map(|(c, frame)| load(c) * frame.vector(DVec3::Z)).sum::<DVec3>().try_normalize()?;
    let center = charts.iter().map(|(_, frame)| frame.translation).sum::<DVec3>() / charts.len() as f64;
    let mut spread = DMat3::ZERO;
    for (_, frame) in charts {
        let d = frame.translation - center;
        spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let (sizes, axes) = diagonalise(spread);
    let mut order = [0, 1, 2];
    order.sort_by(|i, j| sizes[*i].total_cmp(&sizes[*j]));
    let [least, middle, most] = order.map(|i| sizes[i]);
    let across = DMat3::from_quat(axes).col(order[0]);
    let is_plane = least <= FLAT * middle && middle >= WIDE * most;
    Some(if is_plane { across * across.dot(mean).signum() } else { mean })
}
