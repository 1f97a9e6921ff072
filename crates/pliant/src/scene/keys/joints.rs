//! Keys of joints, springs and networks.

use crate::model::JointType;
use crate::scene::choices::{PinnedNodes, Words};
use crate::scene::grammar::{KeyRule, NumberRange, TableRule, ValueKind};
use crate::scene::units::Quantity as Q;
use ValueKind::{Choice, Flag, Number, Text, Vector};

const ANY: NumberRange = NumberRange::ANY;
const POSITIVE: NumberRange = NumberRange::POSITIVE;
const ZERO_UP: NumberRange = NumberRange::NOT_NEGATIVE;
/// Hinges know their angle up to whole turns.
const HALF_TURN: NumberRange = NumberRange::new(-std::f64::consts::PI, std::f64::consts::PI);

const NAME: KeyRule = KeyRule::required("name", Text, "Names it in messages; no two are the same.");
const BREAKS: KeyRule = KeyRule::optional(
    "break_force",
    Number(Q::Force, POSITIVE),
    "Newtons of pull, or for joints of what holds them in place, beyond which it breaks for good. Left out, it never does.",
);
const A: KeyRule = KeyRule::optional(
    "a",
    Text,
    "The first body. Left out, the world. Of copies NAME-0, NAME-1, … any one can be named.",
);
const B: KeyRule = KeyRule::optional("b", Text, "The second body.");
const EACH: KeyRule = KeyRule::optional(
    "each",
    Text,
    "Instead of a and b: the name of a repeated body, of which each copy is joined to the next.",
);
const AXIS: KeyRule =
    KeyRule::or("axis", Vector(Q::Plain), "[0, 0, 1]", "In the world, at the start; any length but zero.");

pub(super) static JOINT: TableRule = TableRule {
    name: "a joint",
    doc: "Holds two bodies together, or one to the world, and leaves some motion free. Joints may form loops. Steps are \
          implicit wherever there are joints or springs.",
    keys: &[
        NAME,
        A,
        B,
        EACH,
        KeyRule::required(
            "at",
            Vector(Q::Length),
            "Where, in the world, at the start, m. With each: between the first two copies; it goes along with them.",
        ),
        KeyRule::optional("fixed", ValueKind::Table(&FIXED), "Leaves nothing free."),
        KeyRule::optional("ball", ValueKind::Table(&BALL), "Leaves all turning free."),
        KeyRule::optional("hinge", ValueKind::Table(&HINGE), "Leaves turning about an axis free."),
        KeyRule::optional("slider", ValueKind::Table(&SLIDER), "Leaves sliding along an axis free."),
        BREAKS,
        KeyRule::or(
            "collide",
            Flag,
            "false",
            "Whether the two bodies touch each other; if not, not when it is broken either.",
        ),
    ],
    one_of: JointType::WORDS,
};

static FIXED: TableRule = TableRule { name: "a fixed joint", doc: "Leaves nothing free.", keys: &[], one_of: &[] };

static BALL: TableRule = TableRule {
    name: "a ball joint",
    doc: "Leaves all turning free, as far as its cone.",
    keys: &[
        AXIS,
        KeyRule::optional(
            "cone",
            Number(Q::Angle, NumberRange::new(0.0, std::f64::consts::PI)),
            "How far the axis may turn away from that of the first body, rad. Left out, any way.",
        ),
        KeyRule::or("stiffness", Number(Q::Torsion, ZERO_UP), "0", "Turns the bodies back as they were, N m/rad."),
        KeyRule::or("damping", Number(Q::TurningDrag, ZERO_UP), "0", "Slows turning, N m s/rad."),
    ],
    one_of: &[],
};

static HINGE: TableRule = TableRule {
    name: "a hinge",
    doc: "Leaves turning about its axis free. Angles are those of b against a, counted from the start.",
    keys: &[
        AXIS,
        KeyRule::optional("least", Number(Q::Angle, HALF_TURN), "The least angle, rad. Together with most."),
        KeyRule::optional("most", Number(Q::Angle, HALF_TURN), "The greatest angle, rad. Together with least."),
        KeyRule::or("stiffness", Number(Q::Torsion, ZERO_UP), "0", "Pulls towards rest, N m/rad."),
        KeyRule::or("damping", Number(Q::TurningDrag, ZERO_UP), "0", "Slows turning, N m s/rad."),
        KeyRule::or("rest", Number(Q::Angle, HALF_TURN), "0", "Where stiffness pulls to, rad."),
        KeyRule::optional("motor", ValueKind::Table(&TURNING), "Turns it."),
    ],
    one_of: &[],
};

static TURNING: TableRule = TableRule {
    name: "a motor",
    doc: "Turns b against a at a speed, as far as its torque goes.",
    keys: &[
        KeyRule::required("speed", Number(Q::AngularVelocity, ANY), "rad/s."),
        KeyRule::required("torque", Number(Q::Torque, ZERO_UP), "The most it can do, N m."),
    ],
    one_of: &[],
};

static SLIDER: TableRule = TableRule {
    name: "a slider",
    doc: "Leaves sliding along its axis free. Ways are those of b against a, counted from the start.",
    keys: &[
        AXIS,
        KeyRule::optional("least", Number(Q::Length, ANY), "The least way, m. Together with most."),
        KeyRule::optional("most", Number(Q::Length, ANY), "The greatest way, m. Together with least."),
        KeyRule::or("stiffness", Number(Q::SpringRate, ZERO_UP), "0", "Pulls towards rest, N/m."),
        KeyRule::or("damping", Number(Q::Drag, ZERO_UP), "0", "Slows sliding, N s/m."),
        KeyRule::or("rest", Number(Q::Length, ANY), "0", "Where stiffness pulls to, m."),
        KeyRule::optional("motor", ValueKind::Table(&SLIDING), "Moves it."),
    ],
    one_of: &[],
};

static SLIDING: TableRule = TableRule {
    name: "a linear motor",
    doc: "Moves b against a at a speed, as far as its force goes.",
    keys: &[
        KeyRule::required("speed", Number(Q::Velocity, ANY), "m/s."),
        KeyRule::required("force", Number(Q::Force, ZERO_UP), "The most it can do, N."),
    ],
    one_of: &[],
};

const STIFFNESS: KeyRule = KeyRule::required("stiffness", Number(Q::SpringRate, POSITIVE), "N/m.");
const DAMPING: KeyRule = KeyRule::or("damping", Number(Q::Drag, ZERO_UP), "0", "Slows stretching, N s/m.");
const ROPE: KeyRule = KeyRule::or("rope", Flag, "false", "Whether it is slack when shorter than its rest length.");

pub(super) static SPRING: TableRule = TableRule {
    name: "a spring",
    doc: "Pulls and pushes along the line between a point of each body.",
    keys: &[
        NAME,
        A,
        B,
        EACH,
        KeyRule::or("from", Vector(Q::Length), "[0, 0, 0]", "Its end on a, in a's own frame, or in the world, m."),
        KeyRule::or("to", Vector(Q::Length), "[0, 0, 0]", "Its end on b, in b's own frame, m."),
        KeyRule::optional(
            "rest_length",
            Number(Q::Length, ZERO_UP),
            "Where it neither pulls nor pushes, m. Left out, its length at the start.",
        ),
        STIFFNESS,
        DAMPING,
        ROPE,
        BREAKS,
        KeyRule::or("collide", Flag, "true", "Whether the two bodies touch each other."),
    ],
    one_of: &[],
};

pub(super) static NETWORK: TableRule = TableRule {
    name: "a network",
    doc: "Springs between the copies of a repeated body, which are its nodes.",
    keys: &[
        NAME,
        KeyRule::required("nodes", Text, "The name of the repeated body."),
        KeyRule::required(
            "reach",
            Number(Q::Length, POSITIVE),
            "Nodes no farther apart than this at the start are joined by a spring, m.",
        ),
        KeyRule::or(
            "pinned",
            Choice(PinnedNodes::WORDS),
            "\"none\"",
            "Which nodes of the grid never move. A row has its ends for corners and border.",
        ),
        STIFFNESS,
        DAMPING,
        ROPE,
        BREAKS,
        KeyRule::or("collide", Flag, "false", "Whether nodes joined by a spring touch each other."),
    ],
    one_of: &[],
};
