//! Elastic energy of contacts: one potential, `U = ∫ min(p_a, p_b) dV` over the overlap.
//!
//! | file | holds | by |
//! |---|---|---|
//! | `patch` | energy of one patch | lines through its points; or columns of linear pressure, as an estimate |
//! | `pair` | energy of a pair | work of separating the two |
//!
//! Both agree with the forces by test. *Not promised*: see each file.

mod pair;
mod patch;

pub use pair::elastic_energy;
