//! Skeletons: the sets that fields measure distances to. One kind a file; all pass the shared suite in `suite.rs`.
//!
//! *The idea*: the capabilities of a kind are the methods of [`Distance`]; [`Skeleton`] is any kind by value. A new kind is
//! one file and one line in `any.rs`.
//! *What we changed*: volumes (ball, box, half-space) answer with their **signed** distance, negative inside,
//! because two saturated fields would be equal on a whole volume instead of a surface.

mod any;
mod ball;
mod nearest_so_far;
mod bezier;
mod circle;
mod cuboid;
mod curve;
mod disc;
mod distance;
mod error;
mod half_space;
mod mesh;
mod normal_lines;
mod patch;
mod patch_search;
mod point;
mod polyline;
mod range;
mod segment;
#[cfg(test)]
mod suite;
mod triangle;

pub use any::Skeleton;
pub use ball::Ball;
pub use circle::Circle;
pub use cuboid::Cuboid;
pub use curve::SmoothCurve;
pub use disc::Disc;
pub use distance::{CellAround, Distance, FourNearest, FourRanges, Nearest, Neighbourhood, Plane, Sphere};
pub use error::SkeletonError;
pub use half_space::HalfSpace;
pub use mesh::TriangleMesh;
pub use normal_lines::{NormalLine, NormalLines};
pub use patch::BezierPatch;
pub use point::Point;
pub use polyline::Polyline;
pub use segment::Segment;
pub use triangle::Triangle;
