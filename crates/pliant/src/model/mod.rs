//! Plain description of a simulation: what a scene file, Python or Rust code asks for.
//!
//! *The idea*: these types hold numbers and names, no behaviour and no parser. `scene` reads them from TOML, `bodies` builds
//! moving bodies from them. All values are in SI units and resolved: no reference to a name is left open.
//! *Not promised*: that a description is legal. [`World::new`](crate::World::new) checks it.

mod body;
mod joint;
mod keyframes;
mod material;
mod scene;
mod settings;

pub use body::{BodySpec, MotionSpec, Response};
pub use joint::{FrameJointSpec, Freedom, JointKind, JointSpec, Motor, SpringSpec, Travel};
pub use keyframes::{Interpolation, Key, Keys};
pub use material::{Bulge, Height, Material};
pub use scene::{CONTACT_TOLERANCE, Scene};
pub use settings::{MANY_BODIES, MotionSettings, Scheme};
