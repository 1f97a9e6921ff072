//! Every key of the scene format: its kind, its default, its meaning.

mod skeleton;
mod joints;

use super::choices::{BulgeKey, BulgeWord, HeightWord, MotionKey, MotionWord, Words};
use super::grammar::{KeyRule, NumberRange, TableRule, ValueKind};
use super::limits::{MAX_BODIES, SLOWEST_FRAME_RATE};
use super::units::Quantity as Q;
use crate::model::{Interpolation, Response, Scheme};
use ValueKind::{Choice, Counts, Either, Flag, Named, Number, Quaternion, Tables, Text, Vector, Whole};
use skeleton::SKELETON;

const NUMBER_ZERO_UP: NumberRange = NumberRange::NOT_NEGATIVE;
const MASS: KeyRule = KeyRule::optional(
    "mass",
    Number(Q::Mass, NumberRange::POSITIVE),
    "Mass, kg. Left out, it is the material's density times the volume of the rest shape.",
);

pub(super) static SCENE: TableRule = TableRule {
    name: "the scene",
    doc: "A Pliant scene. SI units, right-handed, z up. Every physical number may be a string with a unit instead: \
          \"3 cm\", \"100 kPa\", \"2 g/cm^3\", \"90 deg\".",
    keys: &[
        KeyRule::or("title", Text, "\"Untitled\"", "A line for people."),
        KeyRule::required("duration", Number(Q::Time, NumberRange::new(1e-6, 1e6)), "Simulated time, s."),
        KeyRule::or(
            "frame_rate",
            Number(Q::Rate, NumberRange::new(SLOWEST_FRAME_RATE, 1e6)),
            "60",
            "Frames recorded a second. The motion itself takes smaller steps, see motion.",
        ),
        KeyRule::or("gravity", Vector(Q::Acceleration), "[0, 0, -9.81]", "Acceleration of free fall, m/s^2."),
        KeyRule::or(
            "isovalue",
            Number(Q::Plain, NumberRange::new(1e-6, 1e6)),
            "1",
            "Field value c of every surface. Scales all field values; shapes and forces follow.",
        ),
        KeyRule::optional("motion", ValueKind::Table(&STEPS), "How time is stepped."),
        KeyRule::optional("quality", ValueKind::Table(&QUALITY), "How finely shapes and contacts are resolved."),
        KeyRule::optional("materials", Named(&MATERIAL), "Materials by name."),
        KeyRule::required("body", Tables(&BODY), "The bodies, one [[body]] each."),
        KeyRule::optional("joint", Tables(&joints::JOINT), "Joints between bodies, one [[joint]] each."),
        KeyRule::optional("spring", Tables(&joints::SPRING), "Springs between bodies, one [[spring]] each."),
        KeyRule::optional("network", Tables(&joints::NETWORK), "Nets of springs, one [[network]] each."),
    ],
    one_of: &[],
};

static STEPS: TableRule = TableRule {
    name: "motion",
    doc: "How time is stepped.",
    keys: &[
        KeyRule::or(
            "scheme",
            Choice(Scheme::WORDS),
            "\"auto\"",
            "Explicit: short steps that keep energy. Implicit: steps as long as a frame, stable however stiff bodies are; \
             impacts lose energy. Auto: explicit where forces move at most eight balls and nothing else, and every \
             body is one convex skeleton; implicit otherwise. pliant check says which.",
        ),
        KeyRule::or(
            "sleep",
            Flag,
            "true",
            "Whether bodies that have come to rest sleep until something wakes them. Implicit steps only.",
        ),
        KeyRule::or(
            "implicit_step",
            Number(Q::Time, NumberRange::new(1e-9, 1.0)),
            "0.016666666666666666",
            "Longest implicit step, s. Too long: impacts are soft and lose height. Too short: slow.",
        ),
        KeyRule::or(
            "largest_step",
            Number(Q::Time, NumberRange::new(1e-9, 1.0)),
            "5e-4",
            "Longest time step, s. Too long: fast bodies pass through thin ones. Too short: slow.",
        ),
        KeyRule::or(
            "smallest_step",
            Number(Q::Time, NumberRange::new(1e-12, 1.0)),
            "1e-7",
            "Shortest time step, s. Too long: hard impacts fail. Too short: they take ages.",
        ),
        KeyRule::or(
            "step_safety",
            Number(Q::Ratio, NumberRange::new(1e-4, 1.0)),
            "0.02",
            "Step as a fraction of the fastest contact's period. Too large: contacts gain energy. Too small: slow.",
        ),
        KeyRule::or(
            "largest_overlap",
            Number(Q::Ratio, NumberRange::new(1e-3, 1.0)),
            "0.5",
            "Overlap, as a fraction of the smaller thickness, beyond which a step is taken back and halved. \
             Too large: bodies may pass through each other. Too small: soft bodies never get squeezed.",
        ),
    ],
    one_of: &[],
};

static QUALITY: TableRule = TableRule {
    name: "quality",
    doc: "How finely shapes and contacts are resolved.",
    keys: &[KeyRule::or(
        "contact_tolerance",
        Number(Q::Ratio, NumberRange::new(1e-8, 0.1)),
        "1e-3",
        "Relative error allowed in a contact's force. Too large: forces flicker. Too small: slow.",
    )],
    one_of: &[],
};

pub(super) static MATERIAL: TableRule = TableRule {
    name: "a material",
    doc: "What a body is made of. Defaults marked rigid are for bodies with response = \"rigid\".",
    keys: &[
        KeyRule::optional(
            "stiffness",
            Number(Q::Pressure, NumberRange::POSITIVE),
            "K, Pa: the pressure where the field is f is K (f - c). Default 1e5, rigid 1e8.",
        ),
        KeyRule::or(
            "density",
            Number(Q::Density, NumberRange::POSITIVE),
            "1000",
            "kg/m^3, where a body gives no mass.",
        ),
        KeyRule::or(
            "damping",
            Number(Q::Damping, NUMBER_ZERO_UP),
            "70",
            "λ, sqrt(Pa s/m): λ_a λ_b times the relative velocity is a traction on the contact; it slows sliding, too. 0 for \
             either body: none.",
        ),
        KeyRule::or("friction", Number(Q::Ratio, NumberRange::new(0.0, 100.0)), "0.5", "Coulomb's μ."),
        KeyRule::or(
            "compressibility",
            Number(Q::Ratio, NumberRange::FRACTION),
            "0",
            "0 keeps all volume where bulge.height is \"keep-volume\"; 1 lets it go.",
        ),
        KeyRule::optional(
            "bulge",
            Either(&[Choice(BulgeWord::WORDS), ValueKind::Table(&BULGE)]),
            "How the surface swells around a contact. Default dilation, rigid \"none\".",
        ),
    ],
    one_of: &[],
};

static BULGE: TableRule = TableRule {
    name: "a bulge",
    doc: "How the surface swells around a contact; or the word \"none\".",
    keys: &[
        KeyRule::optional("dilation", ValueKind::Table(&DILATION), "A bulge shaped by the other body's field."),
        KeyRule::optional(
            "attenuated",
            ValueKind::Table(&ATTENUATED),
            "A bulge of a given width that dies out with distance.",
        ),
    ],
    one_of: BulgeKey::WORDS,
};

const HEIGHT: KeyRule = KeyRule::or(
    "height",
    Either(&[Number(Q::Ratio, NumberRange::new(0.0, 100.0)), Choice(HeightWord::WORDS)]),
    "0.3",
    "As a fraction of the largest compression in the contact, or \"keep-volume\" to solve for it.",
);

static DILATION: TableRule = TableRule {
    name: "a dilation",
    doc: "A bulge where the other body's field lies between half of reach and 1, in isovalues.",
    keys: &[
        HEIGHT,
        KeyRule::or(
            "reach",
            Number(Q::Ratio, NumberRange::new(0.01, 0.99)),
            "0.5",
            "c0 as a fraction of the isovalue; the bulge ends at half of it. Nearer 0 it is wider.",
        ),
        KeyRule::optional(
            "middle",
            Number(Q::Ratio, NumberRange::new(0.01, 0.999)),
            "Where the bulge is highest, as a fraction of the isovalue, above reach/2. Left out, half-way.",
        ),
        KeyRule::or("follows_motion", Flag, "false", "Higher and shorter in front of a moving body, longer behind it."),
    ],
    one_of: &[],
};

static ATTENUATED: TableRule = TableRule {
    name: "an attenuated bulge",
    doc: "A bulge of a given width that dies out with distance from the contact.",
    keys: &[
        HEIGHT,
        KeyRule::optional(
            "width",
            Number(Q::Length, NumberRange::POSITIVE),
            "w, m. Left out, it follows from the kernels.",
        ),
    ],
    one_of: &[],
};

static BODY: TableRule = TableRule {
    name: "a body",
    doc: "A base structure that moves and an implicit layer that is seen, touched and deformed.",
    keys: &[
        KeyRule::required("name", Text, "Names the body in results; no two are the same."),
        KeyRule::optional(
            "material",
            Either(&[Text, ValueKind::Table(&MATERIAL)]),
            "A name from materials, or a material as an inline table. Left out, all its defaults.",
        ),
        KeyRule::or(
            "response",
            Choice(Response::WORDS),
            "\"soft\"",
            "Whether the body deforms; a rigid one only deforms others.",
        ),
        KeyRule::or(
            "motion",
            Either(&[Choice(MotionWord::WORDS), ValueKind::Table(&MOTION)]),
            "\"rigid\"",
            "What moves the body.",
        ),
        KeyRule::or(
            "position",
            Vector(Q::Length),
            "[0, 0, 0]",
            "Where the body's origin starts, m. Not with keyed motion.",
        ),
        KeyRule::optional("orientation", ValueKind::Table(&ORIENTATION), "How the body is turned at the start."),
        KeyRule::or("velocity", Vector(Q::Velocity), "[0, 0, 0]", "Of the centre of mass at the start, m/s."),
        KeyRule::or(
            "angular_velocity",
            Vector(Q::AngularVelocity),
            "[0, 0, 0]",
            "At the start, rad/s, in world axes. Rigid motion only.",
        ),
        KeyRule::required("skeleton", Tables(&SKELETON), "What the shape is built around; contributions add up."),
        KeyRule::optional(
            "core",
            Tables(&SKELETON),
            "A rigid core inside the soft shape, in the same form as skeleton.",
        ),
        KeyRule::optional("repeat", ValueKind::Table(&REPEAT), "Makes many bodies of this one."),
    ],
    one_of: &[],
};

static REPEAT: TableRule = TableRule {
    name: "repeat",
    doc: "Makes copies NAME-0, NAME-1, … in a row or a grid that starts at the body's position; x runs fastest.",
    keys: &[
        KeyRule::required(
            "count",
            Either(&[Whole(1, MAX_BODIES as i64), Counts(1, MAX_BODIES as i64)]),
            "A row of so many, or how many along x, y and z.",
        ),
        KeyRule::required(
            "spacing",
            Either(&[Number(Q::Length, NumberRange::POSITIVE), Vector(Q::Length)]),
            "m. With one count: the step from a copy to the next (a single number goes along x). \
             With three: the distances along x, y and z.",
        ),
        KeyRule::or(
            "jitter",
            Number(Q::Length, NUMBER_ZERO_UP),
            "0",
            "Each coordinate of each copy is moved by up to this much either way, m.",
        ),
        KeyRule::or(
            "seed",
            Whole(0, i64::MAX),
            "0",
            "Chooses the jitter; the same seed gives the same scene anywhere.",
        ),
    ],
    one_of: &[],
};

static ORIENTATION: TableRule = TableRule {
    name: "an orientation",
    doc: "An axis with an angle, or a quaternion.",
    keys: &[
        KeyRule::optional("axis", Vector(Q::Plain), "Axis of the turn; any length but zero. Together with angle."),
        KeyRule::optional("angle", Number(Q::Angle, NumberRange::ANY), "Angle of the turn, rad; counter-clockwise."),
        KeyRule::optional("quaternion", Quaternion, "[x, y, z, w]; scaled to length 1."),
    ],
    one_of: &[],
};

static MOTION: TableRule = TableRule {
    name: "the motion of a body",
    doc: "What moves a body. The words \"rigid\", \"point\" and \"fixed\" mean the same with all defaults.",
    keys: &[
        KeyRule::optional("rigid", ValueKind::Table(&RIGID), "Moves and turns under forces."),
        KeyRule::optional("point", ValueKind::Table(&POINT_MASS), "Moves under forces, never turns."),
        KeyRule::optional("fixed", ValueKind::Table(&FIXED), "Never moves."),
        KeyRule::optional("keyed", ValueKind::Table(&KEYED), "Follows keys whatever it meets."),
    ],
    one_of: MotionKey::WORDS,
};

static RIGID: TableRule =
    TableRule { name: "rigid motion", doc: "Moves and turns under forces.", keys: &[MASS], one_of: &[] };
static POINT_MASS: TableRule =
    TableRule { name: "point motion", doc: "Moves under forces, never turns.", keys: &[MASS], one_of: &[] };
static FIXED: TableRule = TableRule { name: "fixed", doc: "Never moves.", keys: &[], one_of: &[] };

static KEYED: TableRule = TableRule {
    name: "keyed motion",
    doc: "Positions and orientations at given times; before the first and after the last the body rests.",
    keys: &[
        KeyRule::required("keys", Tables(&KEY), "The keys, times increasing."),
        KeyRule::or(
            "interpolation",
            Choice(Interpolation::WORDS),
            "\"smooth\"",
            "smooth: no jumps in velocity. linear: constant velocity between keys.",
        ),
    ],
    one_of: &[],
};

static KEY: TableRule = TableRule {
    name: "a key",
    doc: "Where a body is at one time.",
    keys: &[
        KeyRule::required("time", Number(Q::Time, NumberRange::ANY), "s from the start."),
        KeyRule::required("position", Vector(Q::Length), "m, in the world."),
        KeyRule::optional(
            "orientation",
            ValueKind::Table(&ORIENTATION),
            "Left out, that of the key before; at first, not turned.",
        ),
    ],
    one_of: &[],
};
