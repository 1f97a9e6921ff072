//! The error of a sum over cells, from the errors of the cells.

use super::cell::IntegratedCell;
use crate::math::DVec3;

/// Standard deviations of independent errors that are taken for their sum. Larger: more cells. Smaller: errors are
/// underestimated.
const DEVIATIONS: f64 = 2.0;

/// Sums over the cells of a region as they are added and taken away.
#[derive(Clone, Copy, Default)]
pub(super) struct ErrorSum {
    /// `∫ p dA`, newtons.
    pub load: f64,
    /// Of all cells, as if no two cancelled, newtons.
    all: f64,
    /// Of cells in which nothing was found, newtons.
    unseen: f64,
    /// Of the others: squares, and the vector sum of the parts whose directions are known.
    squares: f64,
    bias: DVec3,
}

impl ErrorSum {
    pub fn of<'c>(cells: impl IntoIterator<Item = &'c IntegratedCell>) -> Self {
        let mut sum = Self::default();
        cells.into_iter().for_each(|c| sum.add(c));
        sum
    }

    pub fn add(&mut self, cell: &IntegratedCell) {
        self.change(cell, 1.0);
    }

    pub fn remove(&mut self, cell: &IntegratedCell) {
        self.change(cell, -1.0);
    }

    fn change(&mut self, cell: &IntegratedCell, sign: f64) {
        self.load += sign * cell.load;
        self.all += sign * cell.error;
        if cell.load == 0.0 {
            self.unseen += sign * cell.error;
        } else {
            self.squares += sign * cell.error * cell.error;
            self.bias += sign * cell.bias;
        }
    }

    /// Bound of the error: no two cells cancel, newtons.
    pub fn bound(&self) -> f64 {
        self.all
    }

    /// Likely error: biases add up as vectors, the rest as independent errors do, newtons.
    pub fn likely(&self) -> f64 {
        let likely = self.bias.length() + DEVIATIONS * self.squares.max(0.0).sqrt() + self.unseen;
        likely.min(self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Aabb;

    fn cell(load: f64, error: f64, bias: DVec3) -> IntegratedCell {
        let mut cell = IntegratedCell::empty(Aabb::EMPTY);
        (cell.load, cell.error, cell.bias) = (load, error, bias);
        cell
    }

    #[test]
    fn errors_of_one_direction_add_up_and_opposite_ones_cancel() {
        // A hundred errors of 1 N: all one way 100 N and two deviations of 10 N each, no more than 100 N in all; half of
        // them the other way, the deviations alone.
        let one_way: Vec<_> = (0..100).map(|_| cell(1.0, 1.0, DVec3::X)).collect();
        assert_eq!(ErrorSum::of(&one_way).likely(), 100.0);
        let both: Vec<_> = (0..100).map(|i| cell(1.0, 1.0, if i % 2 == 0 { DVec3::X } else { -DVec3::X })).collect();
        assert_eq!((ErrorSum::of(&both).likely(), ErrorSum::of(&both).bound()), (20.0, 100.0));
    }

    #[test]
    fn what_may_hide_where_nothing_was_found_never_cancels() {
        let unseen: Vec<_> = (0..100).map(|_| cell(0.0, 1.0, DVec3::ZERO)).collect();
        assert_eq!(ErrorSum::of(&unseen).likely(), 100.0);
    }
}
