//! Refusals of bodies and joints.

/// Why a body or joint cannot be in a world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// Nothing reaches the isovalue.
    #[error("body \"{0}\" has no volume: nowhere do its skeletons reach the isovalue; raise their strength")]
    Empty(String),
    /// A moving body without bounds.
    #[error("body \"{0}\" is unbounded and cannot move under forces; make it fixed or keyed")]
    Unbounded(String),
    /// Names tell bodies apart.
    #[error("two bodies are named \"{0}\"; give each a name of its own")]
    SameName(String),
    /// Every overlapping pair costs time and memory.
    #[error("over {0} pairs of bodies overlap at the start; spread them out, or take fewer copies")]
    Crowded(usize),
    /// A spring or joint that nothing can solve.
    #[error("\"{name}\": {what}")]
    Joint {
        /// Name of the joint.
        name: String,
        /// What must be, and is not.
        what: &'static str,
    },
    /// A number that is not finite, or out of range. Scene files are refused earlier, with the place.
    #[error("body \"{name}\": {what}")]
    OutOfRange {
        /// Name of the body.
        name: String,
        /// What must be, and is not.
        what: &'static str,
    },
}
