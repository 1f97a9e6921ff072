//! Principal axes of a symmetric matrix.

use super::{DMat3, DQuat, DVec3};

/// Jacobi rotations: eigenvalues of a symmetric matrix and the rotation whose columns are its eigenvectors.
pub(crate) fn diagonalise(mut m: DMat3) -> (DVec3, DQuat) {
    let mut axes = DMat3::IDENTITY;
    let scale = m.x_axis.x + m.y_axis.y + m.z_axis.z;
    for _ in 0..50 {
        let off = [(0, 1), (0, 2), (1, 2)];
        let Some((i, j)) = off.into_iter().max_by(|p, q| m.col(p.0)[p.1].abs().total_cmp(&m.col(q.0)[q.1].abs()))
        else {
            break;
        };
        // Products of inertia at rounding level are symmetry, not shape: turning by them would only add noise.
        if m.col(i)[j].abs() <= 1e-12 * scale {
            break;
        }
        let angle = 0.5 * (2.0 * m.col(i)[j]).atan2(m.col(i)[i] - m.col(j)[j]);
        let (sin, cos) = angle.sin_cos();
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(i)[i] = cos;
        turn.col_mut(j)[j] = cos;
        turn.col_mut(i)[j] = sin;
        turn.col_mut(j)[i] = -sin;
        m = turn.transpose() * m * turn;
        axes *= turn;
    }
    (DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z), DQuat::from_mat3(&axes).normalize())
}
