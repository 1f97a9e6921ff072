//! Laws of a contact, each written once.
//!
//! | file | law |
//! |---|---|
//! | `material` | constants of a pair of surfaces |
//! | `pressure` | `p = K (f − c)` |
//! | `surface` | `p_a = p_b` on the contact surface; its normal, and how fast pressure grows as bodies approach |
//! | `damping` | traction `λ_a λ_b (V_b − V_a)`, never tensile in all |
//! | `friction` | traction `μ p S((ξ + τ v)/ξ₀)`, and the energy of the shear ξ |
//!
//! Elastic energy, `U = ∫ min(p_a, p_b) dV`, follows from the pressures and is in `contact/energy`.

mod damping;
mod friction;
mod material;
mod pressure;
mod surface;

pub(crate) use damping::{PointVelocity, normal_damping};
pub(crate) use friction::{PointShear, friction_limit, saturation_divisor};
pub use friction::{ShearState, ShearStep};
pub use material::ContactLaw;
pub(crate) use pressure::{pressure, pressure_sample};
pub(crate) use surface::Gradient;
pub use surface::{Probe, SurfaceKind};
