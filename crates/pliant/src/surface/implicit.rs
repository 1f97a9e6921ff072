//! The interface between fields and marching cubes.

use crate::fields::{CORNERS, CornerValues, Points, Samples};
use crate::math::{Aabb, DVec3, Interval};

/// An isosurface of a field. The field is a function of the point alone.
pub trait ImplicitSurface: Sync {
    /// Isovalue.
    fn iso(&self) -> f64;
    /// A box around the surface.
    fn bounds_of_surface(&self) -> Aabb;
    /// An interval that contains every value in `cell`.
    fn range(&self, cell: &Aabb) -> Interval;
    /// Values and gradients at many points.
    fn samples(&self, points: &Points, out: &mut Samples);
    /// Values at the corners of a block of the grid with these coordinates along each axis.
    fn corners(&self, at: &[[f64; CORNERS]; 3], out: &mut CornerValues) {
        let [x, y, z] = at;
        let all = (0..CORNERS.pow(3)).map(|n| [n % CORNERS, n / CORNERS % CORNERS, n / CORNERS.pow(2)]);
        let mut samples = Samples::default();
        self.samples(&all.map(|[i, j, k]| DVec3::new(x[i], y[j], z[k])).collect(), &mut samples);
        out.as_flattened_mut().copy_from_slice(&samples.value);
    }
    /// The same surface, valid only within `cell`; none unless that is cheaper.
    fn within(&self, cell: &Aabb) -> Option<Box<dyn ImplicitSurface + '_>>;
}
