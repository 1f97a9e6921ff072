//! Errors of a skeleton's geometry.

use crate::math::DVec3;

/// Greatest number of points, or triangles, of one skeleton. More: would not fit the memory of most machines.
pub const MAX_PIECES: usize = 10_000_000;

/// Coordinates beyond this, metres, are refused: their fourth powers would overflow.
pub const LARGEST_COORDINATE: f64 = 1e50;

/// Lengths below this, metres, count as none: their fourth powers would vanish.
pub const SMALLEST_LENGTH: f64 = 1e-60;

/// An invalid skeleton, with the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// A coordinate is infinite, not a number, or absurdly large.
    #[error("{what} must have finite coordinates below 1e50 m, got {got}")]
    NotFinite {
        /// Name of the vector.
        what: String,
        /// The vector given.
        got: DVec3,
    },
    /// A length that must be positive is not.
    #[error("{what} must lie between 1e-60 m and 1e50 m, got {got}")]
    NotPositive {
        /// Name of the length.
        what: &'static str,
        /// The length given.
        got: f64,
    },
    /// A normal of no length.
    #[error("normal must point somewhere, got {got}; give any vector longer than 1e-60, it need not be a unit one")]
    NoNormal {
        /// The vector given.
        got: DVec3,
    },
    /// Too few points or triangles.
    #[error("{what} needs at least {least} {of}, got {got}; {remedy}")]
    TooFew {
        /// The skeleton.
        what: &'static str,
        /// "points" or "triangles".
        of: &'static str,
        /// The least number.
        least: usize,
        /// The number given.
        got: usize,
        /// The remedy.
        remedy: &'static str,
    },
    /// Too many points or triangles.
    #[error("{got} {of} are too many; simplify to at most {MAX_PIECES}, or use several skeletons")]
    TooMany {
        /// "points" or "triangles".
        of: &'static str,
        /// The number given.
        got: usize,
    },
    /// Two neighbouring points coincide.
    #[error("points {first} and {second} (from 0) are in the same place; remove one, or use a point skeleton")]
    SamePlace {
        /// Index of the first.
        first: usize,
        /// Index of the second.
        second: usize,
    },
    /// A triangle without area.
    #[error("the corners of the triangle lie on one line; move one off it, or use a segment")]
    NoArea,
    /// A patch without extent.
    #[error("all control points of the patch are in the same place; spread them, or use a point")]
    NoExtent,
    /// An index of a mesh is out of range.
    #[error("triangle {triangle} (from 0) names vertex {index}, but there are only {vertices}, counted from 0")]
    NoSuchVertex {
        /// Index of the triangle.
        triangle: usize,
        /// Index of the vertex.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
}

/// `v`, if its coordinates are finite and not too large.
pub(super) fn finite(what: impl FnOnce() -> String, v: DVec3) -> Result<DVec3, SkeletonError> {
    if v.abs().cmple(DVec3::splat(LARGEST_COORDINATE)).all() {
        Ok(v)
    } else {
        Err(SkeletonError::NotFinite { what: what(), got: v })
    }
}

/// `v`, if positive.
pub(super) fn positive(what: &'static str, v: f64) -> Result<f64, SkeletonError> {
    if (SMALLEST_LENGTH..=LARGEST_COORDINATE).contains(&v) {
        Ok(v)
    } else {
        Err(SkeletonError::NotPositive { what, got: v })
    }
}

/// `n` made a unit vector.
pub(super) fn unit_normal(n: DVec3) -> Result<DVec3, SkeletonError> {
    let n = finite(|| "normal".into(), n)?;
    let largest = n.abs().max_element();
    if largest < SMALLEST_LENGTH {
        return Err(SkeletonError::NoNormal { got: n });
    }
    // Scaled first, so that the squares of tiny and huge vectors keep their digits.
    Ok((n / largest).normalize())
}

/// `points`, if there are enough, all finite, and no two neighbours in the same place.
pub(super) fn distinct(what: &'static str, least: usize, points: &[DVec3]) -> Result<(), SkeletonError> {
    let got = points.len();
    if got < least {
        return Err(SkeletonError::TooFew { what, of: "points", least, got, remedy: "add points" });
    }
    if got > MAX_PIECES {
        return Err(SkeletonError::TooMany { of: "points", got });
    }
    for (i, &p) in points.iter().enumerate() {
        finite(|| format!("point {i} (from 0)"), p)?;
        if i > 0 {
            apart(points, i - 1, i)?;
        }
    }
    Ok(())
}

/// Whether two of `points` are in different places.
pub(super) fn apart(points: &[DVec3], first: usize, second: usize) -> Result<(), SkeletonError> {
    if (points[second] - points[first]).abs().max_element() > SMALLEST_LENGTH {
        Ok(())
    } else {
        Err(SkeletonError::SamePlace { first, second })
    }
}
