//! Random skeletons as TOML.

use pliant::math::{DVec3, Random};

/// A skeleton's lines.
pub struct FormText {
    /// The word for its form.
    pub name: &'static str,
    /// The lines of its table.
    pub text: String,
    /// The same form half as thick, where it makes a core.
    pub core: Option<String>,
    /// Radius of a ball around the origin that holds its solid, m.
    pub reach: f64,
}

/// A number as TOML reads it.
pub fn number(x: f64) -> String {
    format!("{x:.5e}")
}

/// A vector as TOML reads it.
pub fn vector(v: DVec3) -> String {
    format!("[{}, {}, {}]", number(v.x), number(v.y), number(v.z))
}

fn list(points: &[DVec3]) -> String {
    format!("[{}]", points.iter().map(|p| vector(*p)).collect::<Vec<_>>().join(", "))
}

/// A random form about `length` long; a half-space where it is to be the ground.
pub fn form(random: &mut Random, length: f64, ground: bool) -> FormText {
    let mut half = 0.5 * length;
    let somewhere = |r: &mut Random| half * r.vector();
    let thin = 0.02 * 20f64.powf(random.unit());
    let mut t = length * thin;
    let mut convolution = random.unit() < 0.25;
    let (name, shape) = match random.below(13) {
        _ if ground => {
            ("half_space", format!("half_space = {{ normal = {} }}", vector(DVec3::Z + 0.2 * random.vector())))
        }
        0 => {
            t = half;
            ("point", "point = {}".to_owned())
        }
        1 => (
            "segment",
            format!("segment = {{ from = {}, to = {} }}", vector(somewhere(random)), vector(somewhere(random))),
        ),
        2 => {
            let points: Vec<DVec3> = (0..2 + random.below(6)).map(|_| somewhere(random)).collect();
            ("polyline", format!("polyline = {{ points = {} }}", list(&points)))
        }
        3 | 4 => {
            let closed = random.unit() < 0.5;
            let points: Vec<DVec3> = (0..3 + random.below(5)).map(|_| somewhere(random)).collect();
            let name = if closed { "closed curve" } else { "curve" };
            (name, format!("curve = {{ points = {}, closed = {closed} }}", list(&points)))
        }
        5 => ("triangle", format!("triangle = {{ corners = {} }}", list(&[(); 3].map(|()| somewhere(random))))),
        6 => mesh(random, half),
        7 => {
            let bent = 0.5 * random.unit();
            let at = |i: usize, j: usize, r: &mut Random| {
                half * (DVec3::new(i as f64 / 1.5 - 1.0, j as f64 / 1.5 - 1.0, 0.0) + bent * r.vector())
            };
            let row = |i: usize, r: &mut Random| list(&[0, 1, 2, 3].map(|j| at(i, j, r)));
            let rows = [0, 1, 2, 3].map(|i| row(i, random));
            ("patch", format!("patch = {{ points = [{}] }}", rows.join(", ")))
        }
        8 => ("disc", format!("disc = {{ radius = {}, normal = {} }}", number(half), vector(random.vector()))),
        9 => ("circle", format!("circle = {{ radius = {}, normal = {} }}", number(half), vector(random.vector()))),
        10 => {
            half *= 0.7;
            (
                "ball",
                format!("ball = {{ radius = {}, center = {} }}", number(half), vector(0.1 * half * random.vector())),
            )
        }
        _ => {
            let size = half * DVec3::new(1.0, 0.1 + random.unit(), 0.1 + random.unit());
            ("box", format!("box = {{ half_size = {} }}", vector(size)))
        }
    };
    convolution &= matches!(name, "segment" | "polyline" | "triangle" | "mesh");
    let solid = matches!(name, "ball" | "box" | "half_space");
    let kernel = match random.below(8) {
        _ if convolution => "surface = \"convolution\"".to_owned(),
        0 => "kernel = \"non-linear\"".to_owned(),
        1 => "kernel = \"hardening\"".to_owned(),
        2 if !solid => "kernel = \"metaball\"".to_owned(),
        3 => {
            let rows = [0.0, 0.2, 0.5, 1.0].map(|d: f64| format!("[{}, {}]", number(d * t), number(1e5 * (d + d * d))));
            format!("kernel = {{ drawn = [{}] }}", rows.join(", "))
        }
        _ => "kernel = \"linear\"".to_owned(),
    };
    // A convolution surface is thinner than its thickness where its pieces are short.
    if convolution {
        t = t.min(0.1 * length);
    }
    let wide = if !kernel.contains("drawn") && random.unit() < 0.3 { 1.3 + 1.5 * random.unit() } else { 0.0 };
    let radius = if wide > 0.0 { format!("radius = {}\n", number(wide * t)) } else { String::new() };
    let text = format!("thickness = {}\n{radius}{kernel}\n{shape}", number(t));
    let core = matches!(name, "point" | "segment" | "ball" | "box")
        .then(|| format!("thickness = {}\n{shape}", number(0.4 * t)));
    FormText { name, text, core, reach: 1.8 * half + t }
}

/// A tetrahedron, an open fan or a strip.
fn mesh(random: &mut Random, half: f64) -> (&'static str, String) {
    let (vertices, triangles) = match random.below(3) {
        0 => {
            let corners = [(); 4].map(|()| half * random.vector()).to_vec();
            (corners, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
        }
        1 => {
            let n = 4 + random.below(8);
            let rim = |i: usize, r: &mut Random| {
                let (sin, cos) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
                half * DVec3::new(cos, sin, 0.3 * r.signed())
            };
            let mut corners = vec![0.2 * half * DVec3::Z];
            corners.extend((0..n).map(|i| rim(i, random)));
            (corners, (0..n).map(|i| [0, 1 + i, 1 + (i + 1) % n]).collect())
        }
        _ => {
            let n = 3 + random.below(6);
            let at = |i: usize, r: &mut Random| {
                let x = 2.0 * (i / 2) as f64 / n as f64 - 1.0;
                half * DVec3::new(x, (i % 2) as f64 - 0.5, 0.3 * r.signed())
            };
            let corners: Vec<DVec3> = (0..2 * n).map(|i| at(i, random)).collect();
            let quads = (0..n - 1).flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 1, 2 * i + 3, 2 * i + 2]]);
            (corners, quads.collect())
        }
    };
    ("mesh", format!("mesh = {{ vertices = {}, triangles = {triangles:?} }}", list(&vertices)))
}
