//! Plain description of a simulation, as a scene file or Rust code gives it.
//!
//! *The idea*: these types hold numbers and names, no behaviour and no parser. `scene` reads them from TOML, `bodies` builds
//! moving bodies from them. All values are in SI units and resolved: no reference to a name is left open.
//! *Not promised*: that a description is legal. [`World::new`](crate::World::new) checks it.

mod body;
mod joint;
mod keyframes;
mod material;
mod scene;
mod scheme_choice;
mod settings;

pub use body::{BodySpec, MotionSpec};
pub use joint::{AxisSettings, ConstraintJointSpec, JointKind, JointSpec, JointType, Motor, SpringSpec};
pub use keyframes::{Interpolation, Key, Keys};
pub use material::{Bulge, Height, Material, Response};
pub use scene::{CONTACT_TOLERANCE, MAX_FRAMES, Scene};
pub use scheme_choice::{FEW_BALLS, SchemeChoice, SchemeReason};
pub(crate) use scheme_choice::{SchemeFacts, is_simple_layer};
pub use settings::{MotionSettings, Scheme};
