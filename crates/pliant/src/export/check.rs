//! Checks of a frame before a byte of it is written.

use super::error::{ExportError, ModelFault};
use super::frame::{MeshFrame, MeshModel};
use crate::math::DVec3;
use std::collections::BTreeSet;
use std::path::Path;

/// Smaller: refuses worlds that still make sense. Larger: differences of `f32` numbers overflow.
const LARGEST: f64 = 1e30;

/// Refuses a frame that does not come after the one before it, given by its number and time.
pub fn order(path: &Path, before: Option<(usize, f64)>, mesh_frame: &MeshFrame) -> Result<(), ExportError> {
    let MeshFrame { frame, time, .. } = *mesh_frame;
    let grows = before.is_none_or(|(f, t)| f < frame && t < time);
    if grows && time.is_finite() {
        return Ok(());
    }
    Err(ExportError::OutOfOrder { path: path.to_owned(), frame, time })
}

/// Refuses a frame with a body that cannot be written.
pub fn contents(path: &Path, mesh_frame: &MeshFrame) -> Result<(), ExportError> {
    let (path, frame) = (path.to_owned(), mesh_frame.frame);
    if mesh_frame.models.is_empty() {
        return Err(ExportError::NoModels { path, frame });
    }
    let vertices = mesh_frame.models.iter().map(|m| m.mesh.positions.len() as u64).sum();
    let triangles =
        mesh_frame.models.iter().map(|m| m.mesh.triangles.len() as u64 + 2 * m.mesh.quads.len() as u64).sum();
    for (what, count) in [("vertices", vertices), ("triangles", triangles)] {
        if !is_countable(count) {
            return Err(ExportError::TooMany { path, frame, what, count });
        }
    }
    let mut names = BTreeSet::new();
    for model in &mesh_frame.models {
        if !names.insert(&model.name) {
            return Err(ExportError::SameName { path, frame, name: model.name.clone() });
        }
        if let Err(fault) = check_model(model) {
            return Err(ExportError::MeshModel { path, frame, body: model.name.clone(), fault });
        }
    }
    Ok(())
}

/// OBJ counts from 1, and glTF reserves the greatest index: the last vertex must have an index below it.
fn is_countable(count: u64) -> bool {
    count < u64::from(u32::MAX)
}

fn check_model(model: &MeshModel) -> Result<(), ModelFault> {
    let mesh = &model.mesh;
    let positions = mesh.positions.len();
    if mesh.triangles.is_empty() && mesh.quads.is_empty() {
        return Err(ModelFault::NoFaces);
    }
    let lengths = [
        ("normals", mesh.normals.len()),
        ("pressure", mesh.pressure.len()),
        ("velocity", mesh.velocity.len()),
        ("element", mesh.element.len()),
    ];
    if let Some((what, count)) = lengths.into_iter().find(|(_, n)| *n != positions) {
        return Err(ModelFault::Uneven { what, count, positions });
    }
    for (face, corners) in mesh.faces().enumerate() {
        if let Some(&index) = corners.iter().find(|i| **i as usize >= positions) {
            return Err(ModelFault::NoSuchVertex { face, index, positions });
        }
    }
    finite("position", mesh.positions.iter().map(DVec3::as_ref))?;
    finite("normal", mesh.normals.iter().map(DVec3::as_ref))?;
    finite("pressure", mesh.pressure.iter().map(std::array::from_ref))?;
    finite("velocity", mesh.velocity.iter().map(DVec3::as_ref))?;
    if !model.color.iter().all(|c| (0.0..=1.0).contains(c)) {
        return Err(ModelFault::Color(model.color));
    }
    Ok(())
}

fn finite<'a, const N: usize>(
    what: &'static str,
    values: impl Iterator<Item = &'a [f64; N]>,
) -> Result<(), ModelFault> {
    for (vertex, value) in values.enumerate() {
        if let Some(&value) = value.iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
            return Err(ModelFault::NotFinite { what, vertex, value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mesh of four thousand million vertices does not fit into a test.
    #[test]
    fn vertices_beyond_what_indices_can_count_are_told() {
        let most = u64::from(u32::MAX) - 1;
        assert!(is_countable(most) && !is_countable(most + 1) && !is_countable(u64::MAX));
        let error =
            ExportError::TooMany { path: "a.ply".into(), frame: 3, what: "vertices", count: u64::from(u32::MAX) };
        assert_eq!(
            error.to_string(),
            "a.ply: frame 3 has 4294967295 vertices, more than the 4294967294 a file can count; mesh it coarser, or \
             fewer bodies at a time"
        );
    }
}
