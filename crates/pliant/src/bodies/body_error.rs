//! Refusals of bodies and joints.

/// Refusal of a body or joint.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// The field reaches the isovalue nowhere.
    #[error("body \"{0}\" has no volume: nowhere do its skeletons reach the isovalue; raise their strength")]
    Empty(String),
    /// An unbounded dynamic body.
    #[error("body \"{0}\" is unbounded and cannot move under forces; make it fixed or keyed")]
    Unbounded(String),
    /// Two bodies or two joints of one name.
    #[error("two bodies or two joints are named \"{0}\"; give each a name of its own")]
    SameName(String),
    /// More overlapping pairs at the start than fit into memory.
    #[error("over {0} pairs of bodies overlap at the start; spread them out, or take fewer copies")]
    Crowded(usize),
    /// A spring or joint that cannot be solved.
    #[error("\"{name}\": {what}")]
    Joint {
        /// Name of the joint.
        name: String,
        /// The requirement that is broken.
        what: &'static str,
    },
    /// A number that is not finite, or out of range. Scene files are refused earlier, with the place.
    #[error("body \"{name}\": {what}")]
    OutOfRange {
        /// Name of the body.
        name: String,
        /// The requirement that is broken.
        what: &'static str,
    },
}
