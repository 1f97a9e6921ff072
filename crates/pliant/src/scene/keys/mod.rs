//! Every key of the scene format: its kind, its default, and what it means.

mod skeleton;
mod joints;

use super::grammar::{Key, Kind, Range, Table};
use super::units::Quantity as Q;
use super::{MOST_BODIES, SLOWEST_FRAME_RATE};
use Kind::{Choice, Counts, Either, Flag, Named, Number, Quaternion, Tables, Text, Vector, Whole};
use skeleton::SKELETON;

const NUMBER_ZERO_UP: Range = Range::NOT_NEGATIVE;
const MASS: Key = Key::optional(
    "mass",
    Number(Q::Mass, Range::POSITIVE),
    "Mass, kg. Left out, it is the material's density times the volume of the rest shape.",
);

pub(super) static SCENE: Table = Table {
    name: "the scene",
    doc: "A Pliant scene. SI units, right-handed, z up. Every physical number may be a string with a unit instead: \
          \"3 cm\", \"100 kPa\", \"2 g/cm^3\", \"90 deg\".",
    keys: &[
        Key::or("title", Text, "\"Untitled\"", "A line for people."),
        Key::required("duration", Number(Q::Time, Range::new(1e-6, 1e6)), "Simulated time, s."),
        Key::or(
            "frame_rate",
            Number(Q::Rate, Range::new(SLOWEST_FRAME_RATE, 1e6)),
            "60",
            "Frames recorded a second. The motion itself takes smaller steps, see motion.",
        ),
        Key::or("gravity", Vector(Q::Acceleration), "[0, 0, -9.81]", "Acceleration of free fall, m/s^2."),
        Key::or(
            "isovalue",
            Number(Q::Plain, Range::new(1e-6, 1e6)),
            "1",
            "Field value c of every surface. Scales all field values; shapes and forces follow.",
        ),
        Key::optional("motion", Kind::Table(&STEPS), "How time is stepped."),
        Key::optional("quality", Kind::Table(&QUALITY), "How finely shapes and contacts are resolved."),
        Key::optional("materials", Named(&MATERIAL), "Materials by name."),
        Key::required("body", Tables(&BODY), "The bodies, one [[body]] each."),
        Key::optional("joint", Tables(&joints::JOINT), "Joints between bodies, one [[joint]] each."),
        Key::optional("spring", Tables(&joints::SPRING), "Springs between bodies, one [[spring]] each."),
        Key::optional("network", Tables(&joints::NETWORK), "Nets of springs, one [[network]] each."),
    ],
    one_of: &[],
};

static STEPS: Table = Table {
    name: "motion",
    doc: "How time is stepped.",
    keys: &[
        Key::or(
            "scheme",
            Choice(&["auto", "explicit", "implicit"]),
            "\"auto\"",
            "Explicit: short steps that keep energy. Implicit: steps as long as a frame, stable however stiff bodies are; \
             impacts lose energy. Auto: implicit where there are joints or springs, or more than fifty bodies that \
             forces move; explicit otherwise.",
        ),
        Key::or(
            "sleep",
            Flag,
            "true",
            "Whether bodies that have come to rest sleep until something wakes them. Implicit steps only.",
        ),
        Key::or(
            "implicit_step",
            Number(Q::Time, Range::new(1e-9, 1.0)),
            "0.016666666666666666",
            "Longest implicit step, s. Too long: impacts are soft and lose height. Too short: slow.",
        ),
        Key::or(
            "largest_step",
            Number(Q::Time, Range::new(1e-9, 1.0)),
            "5e-4",
            "Longest time step, s. Too long: fast bodies pass through thin ones. Too short: slow.",
        ),
        Key::or(
            "smallest_step",
            Number(Q::Time, Range::new(1e-12, 1.0)),
            "1e-7",
            "Shortest time step, s. Too long: hard impacts fail. Too short: they take ages.",
        ),
        Key::or(
            "step_safety",
            Number(Q::Ratio, Range::new(1e-4, 1.0)),
            "0.02",
            "Step as a fraction of the fastest contact's period. Too large: contacts gain energy. Too small: slow.",
        ),
        Key::or(
            "largest_overlap",
            Number(Q::Ratio, Range::new(1e-3, 1.0)),
            "0.5",
            "Overlap, as a fraction of the smaller thickness, beyond which a step is taken back and halved. \
             Too large: bodies may pass through each other. Too small: soft bodies never get squeezed.",
        ),
    ],
    one_of: &[],
};

static QUALITY: Table = Table {
    name: "quality",
    doc: "How finely shapes and contacts are resolved.",
    keys: &[Key::or(
        "contact_tolerance",
        Number(Q::Ratio, Range::new(1e-8, 0.1)),
        "1e-3",
        "Relative error allowed in a contact's force. Too large: forces flicker. Too small: slow.",
    )],
    one_of: &[],
};

pub(super) static MATERIAL: Table = Table {
    name: "a material",
    doc: "What a body is made of. Defaults marked rigid are for bodies with response = \"rigid\".",
    keys: &[
        Key::optional(
            "stiffness",
            Number(Q::Pressure, Range::POSITIVE),
            "K, Pa: the pressure where the field is f is K (f - c). Default 1e5, rigid 1e8.",
        ),
        Key::or("density", Number(Q::Density, Range::POSITIVE), "1000", "kg/m^3, where a body gives no mass."),
        Key::or(
            "damping",
            Number(Q::Damping, NUMBER_ZERO_UP),
            "70",
            "λ, sqrt(Pa s/m): λ_a λ_b times the relative velocity is a traction on the contact; it slows sliding, too. 0 for \
             either body: none.",
        ),
        Key::or("friction", Number(Q::Ratio, Range::new(0.0, 100.0)), "0.5", "Coulomb's μ."),
        Key::or(
            "compressibility",
            Number(Q::Ratio, Range::FRACTION),
            "0",
            "0 keeps all volume where bulge.height is \"keep-volume\"; 1 lets it go.",
        ),
        Key::optional(
            "bulge",
            Either(&[Choice(&["none"]), Kind::Table(&BULGE)]),
            "How the surface swells around a contact. Default dilation, rigid \"none\".",
        ),
    ],
    one_of: &[],
};

static BULGE: Table = Table {
    name: "a bulge",
    doc: "How the surface swells around a contact; or the word \"none\".",
    keys: &[
        Key::optional("dilation", Kind::Table(&DILATION), "A bulge shaped by the other body's field."),
        Key::optional("attenuated", Kind::Table(&ATTENUATED), "A bulge of a given width that dies out with distance."),
    ],
    one_of: &["dilation", "attenuated"],
};

const HEIGHT: Key = Key::or(
    "height",
    Either(&[Number(Q::Ratio, Range::new(0.0, 100.0)), Choice(&["keep-volume"])]),
    "0.3",
    "As a fraction of the largest compression in the contact, or \"keep-volume\" to solve for it.",
);

static DILATION: Table = Table {
    name: "a dilation",
    doc: "A bulge where the other body's field lies between half of reach and 1, in isovalues.",
    keys: &[
        HEIGHT,
        Key::or(
            "reach",
            Number(Q::Ratio, Range::new(0.01, 0.99)),
            "0.5",
            "c0 as a fraction of the isovalue; the bulge ends at half of it. Nearer 0 it is wider.",
        ),
        Key::optional(
            "middle",
            Number(Q::Ratio, Range::new(0.01, 0.999)),
            "Where the bulge is highest, as a fraction of the isovalue, above reach/2. Left out, half-way.",
        ),
        Key::or("follows_motion", Flag, "false", "Higher and shorter in front of a moving body, longer behind it."),
    ],
    one_of: &[],
};

static ATTENUATED: Table = Table {
    name: "an attenuated bulge",
    doc: "A bulge of a given width that dies out with distance from the contact.",
    keys: &[
        HEIGHT,
        Key::optional("width", Number(Q::Length, Range::POSITIVE), "w, m. Left out, it follows from the kernels."),
    ],
    one_of: &[],
};

static BODY: Table = Table {
    name: "a body",
    doc: "A base structure that moves and an implicit layer that is seen, touched and deformed.",
    keys: &[
        Key::required("name", Text, "Names the body in results; no two are the same."),
        Key::optional(
            "material",
            Either(&[Text, Kind::Table(&MATERIAL)]),
            "A name from materials, or a material as an inline table. Left out, all its defaults.",
        ),
        Key::or(
            "response",
            Choice(&["soft", "rigid"]),
            "\"soft\"",
            "Whether the body deforms; a rigid one only deforms others.",
        ),
        Key::or(
            "motion",
            Either(&[Choice(&["rigid", "point", "fixed"]), Kind::Table(&MOTION)]),
            "\"rigid\"",
            "What moves the body.",
        ),
        Key::or(
            "position",
            Vector(Q::Length),
            "[0, 0, 0]",
            "Where the body's origin starts, m. Not with keyed motion.",
        ),
        Key::optional("orientation", Kind::Table(&ORIENTATION), "How the body is turned at the start."),
        Key::or("velocity", Vector(Q::Velocity), "[0, 0, 0]", "Of the centre of mass at the start, m/s."),
        Key::or(
            "angular_velocity",
            Vector(Q::AngularVelocity),
            "[0, 0, 0]",
            "At the start, rad/s, in world axes. Rigid motion only.",
        ),
        Key::required("skeleton", Tables(&SKELETON), "What the shape is built around; contributions add up."),
        Key::optional("core", Tables(&SKELETON), "A rigid core inside the soft shape, in the same form as skeleton."),
        Key::optional("repeat", Kind::Table(&REPEAT), "Makes many bodies of this one."),
    ],
    one_of: &[],
};

static REPEAT: Table = Table {
    name: "repeat",
    doc: "Makes copies NAME-0, NAME-1, … in a row or a grid that starts at the body's position; x runs fastest.",
    keys: &[
        Key::required(
            "count",
            Either(&[Whole(1, MOST_BODIES as i64), Counts(1, MOST_BODIES as i64)]),
            "A row of so many, or how many along x, y and z.",
        ),
        Key::required(
            "spacing",
            Either(&[Number(Q::Length, Range::POSITIVE), Vector(Q::Length)]),
            "m. With one count: the step from a copy to the next (a single number goes along x). \
             With three: the distances along x, y and z.",
        ),
        Key::or(
            "jitter",
            Number(Q::Length, NUMBER_ZERO_UP),
            "0",
            "Each coordinate of each copy is moved by up to this much either way, m.",
        ),
        Key::or("seed", Whole(0, i64::MAX), "0", "Chooses the jitter; the same seed gives the same scene anywhere."),
    ],
    one_of: &[],
};

static ORIENTATION: Table = Table {
    name: "an orientation",
    doc: "An axis with an angle, or a quaternion.",
    keys: &[
        Key::optional("axis", Vector(Q::Plain), "Axis of the turn; any length but zero. Together with angle."),
        Key::optional("angle", Number(Q::Angle, Range::ANY), "Angle of the turn, rad; counter-clockwise."),
        Key::optional("quaternion", Quaternion, "[x, y, z, w]; scaled to length 1."),
    ],
    one_of: &[],
};

static MOTION: Table = Table {
    name: "the motion of a body",
    doc: "What moves a body. The words \"rigid\", \"point\" and \"fixed\" mean the same with all defaults.",
    keys: &[
        Key::optional("rigid", Kind::Table(&RIGID), "Moves and turns under forces."),
        Key::optional("point", Kind::Table(&POINT_MASS), "Moves under forces, never turns."),
        Key::optional("fixed", Kind::Table(&FIXED), "Never moves."),
        Key::optional("keyed", Kind::Table(&KEYED), "Follows keys whatever it meets."),
    ],
    one_of: &["rigid", "point", "fixed", "keyed"],
};

static RIGID: Table = Table { name: "rigid motion", doc: "Moves and turns under forces.", keys: &[MASS], one_of: &[] };
static POINT_MASS: Table =
    Table { name: "point motion", doc: "Moves under forces, never turns.", keys: &[MASS], one_of: &[] };
static FIXED: Table = Table { name: "fixed", doc: "Never moves.", keys: &[], one_of: &[] };

static KEYED: Table = Table {
    name: "keyed motion",
    doc: "Positions and orientations at given times; before the first and after the last the body rests.",
    keys: &[
        Key::required("keys", Tables(&KEY), "The keys, times increasing."),
        Key::or(
            "interpolation",
            Choice(&["smooth", "linear"]),
            "\"smooth\"",
            "smooth: no jumps in velocity. linear: constant velocity between keys.",
        ),
    ],
    one_of: &[],
};

static KEY: Table = Table {
    name: "a key",
    doc: "Where a body is at one time.",
    keys: &[
        Key::required("time", Number(Q::Time, Range::ANY), "s from the start."),
        Key::required("position", Vector(Q::Length), "m, in the world."),
        Key::optional(
            "orientation",
            Kind::Table(&ORIENTATION),
            "Left out, that of the key before; at first, not turned.",
        ),
    ],
    one_of: &[],
};
