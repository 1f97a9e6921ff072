//! Keys of skeletons: the field curve and the twelve forms.

use crate::scene::grammar::{Key, Kind, Range, Table};
use crate::scene::skeleton::FORMS;
use crate::scene::units::Quantity as Q;
use Kind::{Choice, Either, Flag, Grid, Number, Points, Rows, Vector};

pub(super) static SKELETON: Table = Table {
    name: "a skeleton",
    doc: "A geometric form in the body's frame and the field curve around it.",
    keys: &[
        Key::required("thickness", Number(Q::Length, Range::POSITIVE), "t, m: distance from the form to the surface."),
        Key::optional(
            "stiffness",
            Number(Q::PerLength, Range::POSITIVE),
            "k, 1/m: slope of the field at the surface, at most 3c/(R - t). \
             Left out, c/t or the largest legal value if that is smaller.",
        ),
        Key::optional(
            "radius",
            Number(Q::Length, Range::POSITIVE),
            "R, m: the form's influence ends here; more than t. Left out, 2t or the largest legal value if that is smaller.",
        ),
        Key::or(
            "kernel",
            Either(&[Choice(&["linear", "non-linear", "hardening", "metaball"]), Kind::Table(&KERNEL)]),
            "\"linear\"",
            "How pressure grows with depth. metaball and drawn have their own stiffness. Distance surfaces only.",
        ),
        Key::or("strength", Number(Q::Ratio, Range::new(1e-6, 1e6)), "1", "Multiplies the contribution."),
        Key::or(
            "surface",
            Choice(&["distance", "convolution"]),
            "\"distance\"",
            "convolution: no bulge where pieces meet; for segment, polyline, triangle and mesh.",
        ),
        Key::optional("point", Kind::Table(&POINT), "A point: a ball of radius t."),
        Key::optional("segment", Kind::Table(&SEGMENT), "A straight line between two points: a capsule."),
        Key::optional("polyline", Kind::Table(&POLYLINE), "Straight lines from point to point."),
        Key::optional("curve", Kind::Table(&CURVE), "A smooth curve through points."),
        Key::optional("triangle", Kind::Table(&TRIANGLE), "A flat triangle."),
        Key::optional("mesh", Kind::Table(&MESH), "Triangles with shared vertices."),
        Key::optional("patch", Kind::Table(&PATCH), "A bicubic Bézier patch."),
        Key::optional("disc", Kind::Table(&ROUND), "A flat disc."),
        Key::optional("circle", Kind::Table(&ROUND), "A circle: a torus around it."),
        Key::optional("ball", Kind::Table(&BALL), "A solid ball; the surface lies t outside it."),
        Key::optional("box", Kind::Table(&BOX), "A solid box; the surface lies t outside it, its edges rounded by t."),
        Key::optional(
            "half_space",
            Kind::Table(&HALF_SPACE),
            "Everything below a plane, which is the body's surface itself: the form lies t below it. \
             Fixed or keyed bodies only.",
        ),
    ],
    one_of: FORMS,
};

static KERNEL: Table = Table {
    name: "a kernel",
    doc: "A field curve from a table.",
    keys: &[Key::required(
        "drawn",
        Rows(Q::Length, Q::Pressure),
        "Rows of [depth, pressure] from [0, 0], both increasing; the pressures are divided by K, the material's or for a core 1e8 Pa.",
    )],
    one_of: &[],
};

const CENTER: Key = Key::or("center", Vector(Q::Length), "[0, 0, 0]", "m.");
const NORMAL: Key = Key::or("normal", Vector(Q::Plain), "[0, 0, 1]", "Any length but zero.");
const RADIUS: Key = Key::required("radius", Number(Q::Length, Range::POSITIVE), "m.");

const fn form(name: &'static str, doc: &'static str, keys: &'static [Key]) -> Table {
    Table { name, doc, keys, one_of: &[] }
}

static POINT: Table = form("a point", "A point.", &[Key::or("at", Vector(Q::Length), "[0, 0, 0]", "m.")]);
static SEGMENT: Table = form(
    "a segment",
    "A straight line between two points.",
    &[Key::required("from", Vector(Q::Length), "m."), Key::required("to", Vector(Q::Length), "m.")],
);
static POLYLINE: Table = form(
    "a polyline",
    "Straight lines from point to point.",
    &[Key::required("points", Points(2, 0), "m; two or more.")],
);
static CURVE: Table = form(
    "a curve",
    "A smooth curve through points.",
    &[
        Key::required("points", Points(2, 0), "m; two or more."),
        Key::or("closed", Flag, "false", "Whether the last point leads back to the first."),
    ],
);
static TRIANGLE: Table = form("a triangle", "A flat triangle.", &[Key::required("corners", Points(3, 3), "m; three.")]);
static MESH: Table = form(
    "a mesh",
    "Triangles with shared vertices.",
    &[
        Key::required("vertices", Points(3, 0), "m."),
        Key::required("triangles", Kind::Triangles, "Three indices of vertices each, from 0."),
    ],
);
static PATCH: Table = form(
    "a patch",
    "A bicubic Bézier patch.",
    &[Key::required("points", Grid, "Four rows of four control points, m.")],
);
static ROUND: Table = form("a disc or circle", "A centre, a normal and a radius.", &[CENTER, NORMAL, RADIUS]);
static BALL: Table = form("a ball", "A solid ball.", &[CENTER, RADIUS]);
static BOX: Table = form(
    "a box",
    "A solid box along the body's axes.",
    &[CENTER, Key::required("half_size", Vector(Q::Length), "Half its edges along x, y and z, m; each positive.")],
);
static HALF_SPACE: Table = form(
    "a half-space",
    "Everything below a plane, which is the body's surface itself.",
    &[Key::or("point", Vector(Q::Length), "[0, 0, 0]", "A point of the surface, m."), NORMAL],
);
