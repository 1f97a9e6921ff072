//! Keys of what joints bodies together: joints, springs and networks of them.

use crate::scene::grammar::{Key, Kind, Range, Table};
use crate::scene::units::Quantity as Q;
use Kind::{Choice, Flag, Number, Text, Vector};

const ANY: Range = Range::ANY;
const POSITIVE: Range = Range::POSITIVE;
const ZERO_UP: Range = Range::NOT_NEGATIVE;
/// Hinges know their angle up to whole turns.
const HALF_TURN: Range = Range::new(-std::f64::consts::PI, std::f64::consts::PI);

const NAME: Key = Key::required("name", Text, "Names it in messages; no two are the same.");
const BREAKS: Key = Key::optional(
    "break_force",
    Number(Q::Force, POSITIVE),
    "Newtons of pull, or for joints of what holds them in place, beyond which it breaks for good. Left out, it never does.",
);
const A: Key =
    Key::optional("a", Text, "The first body. Left out, the world. Of copies NAME-0, NAME-1, … any one can be named.");
const B: Key = Key::optional("b", Text, "The second body.");
const EACH: Key = Key::optional(
    "each",
    Text,
    "Instead of a and b: the name of a repeated body, of which each copy is joined to the next.",
);
const AXIS: Key = Key::or("axis", Vector(Q::Plain), "[0, 0, 1]", "In the world, at the start; any length but zero.");

pub(super) static JOINT: Table = Table {
    name: "a joint",
    doc: "Holds two bodies together, or one to the world, and leaves some motion free. Joints may form loops. Steps are \
          implicit wherever there are joints or springs.",
    keys: &[
        NAME,
        A,
        B,
        EACH,
        Key::required(
            "at",
            Vector(Q::Length),
            "Where, in the world, at the start, m. With each: between the first two copies; it goes along with them.",
        ),
        Key::optional("fixed", Kind::Table(&FIXED), "Leaves nothing free."),
        Key::optional("ball", Kind::Table(&BALL), "Leaves all turning free."),
        Key::optional("hinge", Kind::Table(&HINGE), "Leaves turning about an axis free."),
        Key::optional("slider", Kind::Table(&SLIDER), "Leaves sliding along an axis free."),
        BREAKS,
        Key::or(
            "collide",
            Flag,
            "false",
            "Whether the two bodies touch each other; if not, not when it is broken either.",
        ),
    ],
    one_of: &["fixed", "ball", "hinge", "slider"],
};

static FIXED: Table = Table { name: "a fixed joint", doc: "Leaves nothing free.", keys: &[], one_of: &[] };

static BALL: Table = Table {
    name: "a ball joint",
    doc: "Leaves all turning free, as far as its cone.",
    keys: &[
        AXIS,
        Key::optional(
            "cone",
            Number(Q::Angle, Range::new(0.0, std::f64::consts::PI)),
            "How far the axis may turn away from that of the first body, rad. Left out, any way.",
        ),
        Key::or("stiffness", Number(Q::Torsion, ZERO_UP), "0", "Turns the bodies back as they were, N m/rad."),
        Key::or("damping", Number(Q::TurningDrag, ZERO_UP), "0", "Slows turning, N m s/rad."),
    ],
    one_of: &[],
};

static HINGE: Table = Table {
    name: "a hinge",
    doc: "Leaves turning about its axis free. Angles are those of b against a, counted from the start.",
    keys: &[
        AXIS,
        Key::optional("least", Number(Q::Angle, HALF_TURN), "The least angle, rad. Together with most."),
        Key::optional("most", Number(Q::Angle, HALF_TURN), "The greatest angle, rad. Together with least."),
        Key::or("stiffness", Number(Q::Torsion, ZERO_UP), "0", "Pulls towards rest, N m/rad."),
        Key::or("damping", Number(Q::TurningDrag, ZERO_UP), "0", "Slows turning, N m s/rad."),
        Key::or("rest", Number(Q::Angle, HALF_TURN), "0", "Where stiffness pulls to, rad."),
        Key::optional("motor", Kind::Table(&TURNING), "Turns it."),
    ],
    one_of: &[],
};

static TURNING: Table = Table {
    name: "a motor",
    doc: "Turns b against a at a speed, as far as its torque goes.",
    keys: &[
        Key::required("speed", Number(Q::AngularVelocity, ANY), "rad/s."),
        Key::required("torque", Number(Q::Torque, ZERO_UP), "The most it can do, N m."),
    ],
    one_of: &[],
};

static SLIDER: Table = Table {
    name: "a slider",
    doc: "Leaves sliding along its axis free. Ways are those of b against a, counted from the start.",
    keys: &[
        AXIS,
        Key::optional("least", Number(Q::Length, ANY), "The least way, m. Together with most."),
        Key::optional("most", Number(Q::Length, ANY), "The greatest way, m. Together with least."),
        Key::or("stiffness", Number(Q::SpringRate, ZERO_UP), "0", "Pulls towards rest, N/m."),
        Key::or("damping", Number(Q::Drag, ZERO_UP), "0", "Slows sliding, N s/m."),
        Key::or("rest", Number(Q::Length, ANY), "0", "Where stiffness pulls to, m."),
        Key::optional("motor", Kind::Table(&SLIDING), "Moves it."),
    ],
    one_of: &[],
};

static SLIDING: Table = Table {
    name: "a linear motor",
    doc: "Moves b against a at a speed, as far as its force goes.",
    keys: &[
        Key::required("speed", Number(Q::Velocity, ANY), "m/s."),
        Key::required("force", Number(Q::Force, ZERO_UP), "The most it can do, N."),
    ],
    one_of: &[],
};

const STIFFNESS: Key = Key::required("stiffness", Number(Q::SpringRate, POSITIVE), "N/m.");
const DAMPING: Key = Key::or("damping", Number(Q::Drag, ZERO_UP), "0", "Slows stretching, N s/m.");
const ROPE: Key = Key::or("rope", Flag, "false", "Whether it is slack when shorter than its rest length.");

pub(super) static SPRING: Table = Table {
    name: "a spring",
    doc: "Pulls and pushes along the line between a point of each body.",
    keys: &[
        NAME,
        A,
        B,
        EACH,
        Key::or("from", Vector(Q::Length), "[0, 0, 0]", "Its end on a, in a's own frame, or in the world, m."),
        Key::or("to", Vector(Q::Length), "[0, 0, 0]", "Its end on b, in b's own frame, m."),
        Key::optional(
            "rest_length",
            Number(Q::Length, ZERO_UP),
            "Where it neither pulls nor pushes, m. Left out, its length at the start.",
        ),
        STIFFNESS,
        DAMPING,
        ROPE,
        BREAKS,
        Key::or("collide", Flag, "true", "Whether the two bodies touch each other."),
    ],
    one_of: &[],
};

pub(super) static NETWORK: Table = Table {
    name: "a network",
    doc: "Springs between the copies of a repeated body, which are its nodes.",
    keys: &[
        NAME,
        Key::required("nodes", Text, "The name of the repeated body."),
        Key::required(
            "reach",
            Number(Q::Length, POSITIVE),
            "Nodes no farther apart than this at the start are joined by a spring, m.",
        ),
        Key::or(
            "pinned",
            Choice(&["none", "corners", "border"]),
            "\"none\"",
            "Which nodes of the grid never move. A row has its ends for corners and border.",
        ),
        STIFFNESS,
        DAMPING,
        ROPE,
        BREAKS,
        Key::or("collide", Flag, "false", "Whether nodes joined by a spring touch each other."),
    ],
    one_of: &[],
};
