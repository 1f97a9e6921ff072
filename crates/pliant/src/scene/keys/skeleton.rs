//! Keys of skeletons: the field curve and the twelve forms.

use crate::scene::choices::{FieldMethod, FormKey, KernelWord, Words};
use crate::scene::grammar::{KeyRule, NumberRange, TableRule, ValueKind};
use crate::scene::units::Quantity as Q;
use ValueKind::{Choice, Either, Flag, Grid, Number, Points, Rows, Vector};

pub(super) static SKELETON: TableRule = TableRule {
    name: "a skeleton",
    doc: "A geometric form in the body's frame and the field curve around it.",
    keys: &[
        KeyRule::required(
            "thickness",
            Number(Q::Length, NumberRange::POSITIVE),
            "t, m: distance from the form to the surface.",
        ),
        KeyRule::optional(
            "stiffness",
            Number(Q::PerLength, NumberRange::POSITIVE),
            "k, 1/m: slope of the field at the surface, at most 3c/(R - t). \
             Left out, c/t or the largest legal value if that is smaller.",
        ),
        KeyRule::optional(
            "radius",
            Number(Q::Length, NumberRange::POSITIVE),
            "R, m: the form's influence ends here; more than t. Left out, 2t or the largest legal value if that is smaller.",
        ),
        KeyRule::or(
            "kernel",
            Either(&[Choice(KernelWord::WORDS), ValueKind::Table(&KERNEL)]),
            "\"linear\"",
            "How pressure grows with depth. metaball and drawn have their own stiffness. Distance surfaces only.",
        ),
        KeyRule::or("strength", Number(Q::Ratio, NumberRange::new(1e-6, 1e6)), "1", "Multiplies the contribution."),
        KeyRule::or(
            "surface",
            Choice(FieldMethod::WORDS),
            "\"distance\"",
            "convolution: no bulge where pieces meet; for segment, polyline, triangle and mesh.",
        ),
        KeyRule::optional("point", ValueKind::Table(&POINT), "A point: a ball of radius t."),
        KeyRule::optional("segment", ValueKind::Table(&SEGMENT), "A straight line between two points: a capsule."),
        KeyRule::optional("polyline", ValueKind::Table(&POLYLINE), "Straight lines from point to point."),
        KeyRule::optional("curve", ValueKind::Table(&CURVE), "A smooth curve through points."),
        KeyRule::optional("triangle", ValueKind::Table(&TRIANGLE), "A flat triangle."),
        KeyRule::optional("mesh", ValueKind::Table(&MESH), "Triangles with shared vertices."),
        KeyRule::optional("patch", ValueKind::Table(&PATCH), "A bicubic Bézier patch."),
        KeyRule::optional("disc", ValueKind::Table(&ROUND), "A flat disc."),
        KeyRule::optional("circle", ValueKind::Table(&ROUND), "A circle: a torus around it."),
        KeyRule::optional("ball", ValueKind::Table(&BALL), "A solid ball; the surface lies t outside it."),
        KeyRule::optional(
            "box",
            ValueKind::Table(&BOX),
            "A solid box; the surface lies t outside it, its edges rounded by t.",
        ),
        KeyRule::optional(
            "half_space",
            ValueKind::Table(&HALF_SPACE),
            "Everything below a plane, which is the body's surface itself: the form lies t below it. \
             Fixed or keyed bodies only.",
        ),
    ],
    one_of: FormKey::WORDS,
};

static KERNEL: TableRule = TableRule {
    name: "a kernel",
    doc: "A field curve from a table.",
    keys: &[KeyRule::required(
        "drawn",
        Rows(Q::Length, Q::Pressure),
        "Rows of [depth, pressure] from [0, 0], both increasing; the pressures are divided by K, the material's or for a core 1e8 Pa.",
    )],
    one_of: &[],
};

const CENTER: KeyRule = KeyRule::or("center", Vector(Q::Length), "[0, 0, 0]", "m.");
const NORMAL: KeyRule = KeyRule::or("normal", Vector(Q::Plain), "[0, 0, 1]", "Any length but zero.");
const RADIUS: KeyRule = KeyRule::required("radius", Number(Q::Length, NumberRange::POSITIVE), "m.");

const fn form(name: &'static str, doc: &'static str, keys: &'static [KeyRule]) -> TableRule {
    TableRule { name, doc, keys, one_of: &[] }
}

static POINT: TableRule = form("a point", "A point.", &[KeyRule::or("at", Vector(Q::Length), "[0, 0, 0]", "m.")]);
static SEGMENT: TableRule = form(
    "a segment",
    "A straight line between two points.",
    &[KeyRule::required("from", Vector(Q::Length), "m."), KeyRule::required("to", Vector(Q::Length), "m.")],
);
static POLYLINE: TableRule = form(
    "a polyline",
    "Straight lines from point to point.",
    &[KeyRule::required("points", Points(2, 0), "m; two or more.")],
);
static CURVE: TableRule = form(
    "a curve",
    "A smooth curve through points.",
    &[
        KeyRule::required("points", Points(2, 0), "m; two or more."),
        KeyRule::or("closed", Flag, "false", "Whether the last point leads back to the first."),
    ],
);
static TRIANGLE: TableRule =
    form("a triangle", "A flat triangle.", &[KeyRule::required("corners", Points(3, 3), "m; three.")]);
static MESH: TableRule = form(
    "a mesh",
    "Triangles with shared vertices.",
    &[
        KeyRule::required("vertices", Points(3, 0), "m."),
        KeyRule::required("triangles", ValueKind::Triangles, "Three indices of vertices each, from 0."),
    ],
);
static PATCH: TableRule = form(
    "a patch",
    "A bicubic Bézier patch.",
    &[KeyRule::required("points", Grid, "Four rows of four control points, m.")],
);
static ROUND: TableRule = form("a disc or circle", "A centre, a normal and a radius.", &[CENTER, NORMAL, RADIUS]);
static BALL: TableRule = form("a ball", "A solid ball.", &[CENTER, RADIUS]);
static BOX: TableRule = form(
    "a box",
    "A solid box along the body's axes.",
    &[CENTER, KeyRule::required("half_size", Vector(Q::Length), "Half its edges along x, y and z, m; each positive.")],
);
static HALF_SPACE: TableRule = form(
    "a half-space",
    "Everything below a plane, which is the body's surface itself.",
    &[KeyRule::or("point", Vector(Q::Length), "[0, 0, 0]", "A point of the surface, m."), NORMAL],
);
