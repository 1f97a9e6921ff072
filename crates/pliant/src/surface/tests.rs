//! Meshes of fields: closed, on the surface, and the same where bodies touch.

use super::relax::relax;
use super::{MarchedMesh, Mesh, MeshError, Square, march, mesh_of, mesh_tracked, quads_of, track_quads, track_square};
use crate::fields::skeleton::{Point, Segment};
use crate::fields::{Element, Field, Kernel, Posed, Shape};
use crate::math::{DVec3, Frame, Random};
use crate::model::Scene;
use crate::world::World;
use std::f64::consts::PI;

fn kernel(t: f64) -> Kernel {
    Kernel::linear(1.0, t, 2.0 * t).unwrap()
}

fn mesh(marched: MarchedMesh) -> Mesh {
    let n = marched.positions.len();
    Mesh {
        normals: marched.gradients.iter().map(|g| -g.normalize()).collect(),
        positions: marched.positions,
        triangles: marched.triangles,
        pressure: vec![0.0; n],
        velocity: vec![DVec3::ZERO; n],
        element: vec![0; n],
        quads: Vec::new(),
    }
}

/// `4/3 π t³`, and a second-order surface: halving cells leaves a quarter of the error.
#[test]
fn a_ball_has_its_volume_and_errors_fall_with_the_square_of_the_cell() {
    let t = 0.1;
    let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(t))], 1.0);
    let at = Posed::rigid(&ball, Frame::at(DVec3::new(0.3, -0.2, 0.11)));
    let off = |cell: f64| mesh(march(&at, cell).unwrap()).volume() / (4.0 / 3.0 * PI * t.powi(3)) - 1.0;
    let (coarse, fine) = (off(0.01), off(0.005));
    assert!(coarse.abs() < 0.01 && fine.abs() < 0.3 * coarse.abs(), "{coarse} {fine}");
}

#[test]
fn meshes_of_random_bodies_are_closed_oriented_and_on_the_surface() {
    let mut random = Random(11);
    for _ in 0..200 {
        let shape = random_body(&mut random);
        let placed = Posed::rigid(&shape, Frame { rotation: random.rotation(), translation: random.vector() });
        let mesh = mesh(march(&placed, 0.004 + 0.012 * random.unit()).unwrap());
        assert!(mesh.check().is_sound(), "{:?}", mesh.check());
        assert!(mesh.volume() > 0.0);
        let worst = mesh.positions.iter().map(|p| (placed.value(*p) - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{worst}");
    }
}

/// Points and segments, blended.
fn random_body(random: &mut Random) -> Shape {
    let mut elements = Vec::new();
    for _ in 0..1 + (5.0 * random.unit()) as usize {
        let (at, t) = (0.1 * random.vector(), 0.02 + 0.05 * random.unit());
        let skeleton = match random.unit() < 0.5 {
            true => Point { at }.into(),
            false => Segment::new(at, at + 0.1 * random.vector()).unwrap().into(),
        };
        elements.push(Element::new(skeleton, kernel(t)));
    }
    Shape::new(elements, 1.0)
}

/// Whether every corner turns the same way, seen along the quad's own normal.
fn is_convex(mesh: &Mesh, quad: [u32; 4]) -> bool {
    let [a, b, c, d] = quad.map(|i| mesh.positions[i as usize]);
    let normal = (c - a).cross(d - b);
    [(a, b, c), (b, c, d), (c, d, a), (d, a, b)].iter().all(|(a, b, c)| (*b - *a).cross(*c - *b).dot(normal) > 0.0)
}

/// The surface is that of the triangles: the same vertices, and each quad cut along one of its diagonals, which differ by
/// the bend between two neighbours. Cells are up to half as large as bodies are thick: most of them are coarse.
#[test]
fn quads_of_random_bodies_are_convex_and_leave_the_surface_as_it_was() {
    let mut random = Random(23);
    let (mut quads, mut faces) = (0, 0);
    for _ in 0..100 {
        let shape = random_body(&mut random);
        let placed = Posed::rigid(&shape, Frame { rotation: random.rotation(), translation: random.vector() });
        let mut marched = march(&placed, 0.002 + 0.006 * random.unit()).unwrap();
        relax(&mut marched, &placed, &[]);
        let before = mesh(marched);
        let after = before.clone().quad_dominant();
        assert!(before.check().is_sound() && after.check().is_sound(), "{:?}", after.check());
        assert!(after == before.clone().quad_dominant(), "the same every time");
        let off = |f: fn(&Mesh) -> f64| (f(&after) / f(&before) - 1.0).abs();
        assert!(off(Mesh::area) < 1e-3 && off(Mesh::volume) < 1e-3, "{} {}", off(Mesh::area), off(Mesh::volume));
        assert!(after.quads.iter().all(|q| is_convex(&after, *q)));
        let worst = after.positions.iter().map(|p| (placed.value(*p) - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{worst}");
        quads += after.quads.len();
        faces += after.quads.len() + after.triangles.len();
    }
    assert!(quads as f64 > 0.9 * faces as f64, "{quads} of {faces}");
}

/// Blocks are found in the same order and joined by the same rule, whoever marches them.
#[test]
fn a_mesh_is_the_same_for_any_number_of_threads() {
    let mut random = Random(5);
    let ball = |at: DVec3, t: f64| Element::new(Point { at }.into(), kernel(t));
    let shape = Shape::new((0..60).map(|_| ball(random.vector(), 0.1 + 0.1 * random.unit())).collect(), 1.0);
    let placed = Posed::rigid(&shape, Frame { rotation: random.rotation(), translation: random.vector() });
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| march(&placed, 0.02).unwrap())
    };
    let one = with(1);
    assert!(one.positions.len() > 10_000 && mesh(one.clone()).check().is_sound());
    for threads in [2, 5] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

/// A corner that lies on the surface is outside, and the vertices around it stay apart: here hundreds do, as the radius
/// is a whole number of cubes.
#[test]
fn corners_on_the_surface_leave_no_flat_faces() {
    for center in [DVec3::ZERO, DVec3::new(0.25, -0.5, 0.125)] {
        let ball = Shape::new(vec![Element::new(Point { at: center }.into(), kernel(0.25))], 1.0);
        let placed = Posed::rigid(&ball, Frame::IDENTITY);
        let mesh = mesh(march(&placed, 1.0 / 64.0).unwrap());
        assert!(mesh.check().is_sound(), "{:?}", mesh.check());
    }
}

/// The number of an edge names its place modulo 2²⁰: the vertex lies on that edge, and no two share one, also where a body reaches
/// from one side of 2¹⁹ cubes to the other, and far beyond.
#[test]
fn vertices_lie_on_the_edges_they_name() {
    let cell = 0.013;
    let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(0.1))], 1.0);
    for cubes in [0i64, -(1 << 19), 1 << 19, 5 << 19] {
        let middle = DVec3::new(-0.3 + cubes as f64 * cell, 0.2, 0.05);
        let marched = march(&Posed::rigid(&ball, Frame::at(middle)), cell).unwrap();
        assert!(marched.positions.len() > 500);
        for (p, edge) in marched.positions.iter().zip(&marched.edges) {
            for axis in 0..3 {
                let runs = (edge >> 60) as usize == axis;
                let from = if runs { (p[axis] / cell).floor() } else { (p[axis] / cell).round() };
                let named = (edge >> (20 * axis) & 0xF_FFFF) as i64 - (1 << 19);
                assert_eq!((from as i64 - named).rem_euclid(1 << 20), 0, "{p} on {edge:x}");
                let along = p[axis] / cell - from;
                assert!(if runs { along > 0.0 && along < 1.0 } else { along.abs() < 1e-9 }, "{p} on {edge:x}");
            }
        }
        let mut edges = marched.edges.clone();
        edges.sort_unstable();
        edges.dedup();
        assert_eq!(edges.len(), marched.positions.len());
    }
}

/// Two small balls 2²⁰ cubes apart would have the same edge numbers: refused, with cells that will do.
#[test]
fn a_mesh_wider_than_edge_numbers_is_refused() {
    let cell = 1e-3;
    let ball = |x: f64| Element::new(Point { at: DVec3::new(x, 0.0, 0.0) }.into(), kernel(0.0035));
    let shape = Shape::new(vec![ball(0.0), ball(cell * (1 << 20) as f64)], 1.0);
    let placed = Posed::rigid(&shape, Frame::IDENTITY);
    let Err(MeshError::TooFine { least, .. }) = march(&placed, cell) else { panic!("meshed") };
    assert!(least > cell && least < 1.01 * cell, "{least}");
    let mut edges = march(&placed, least).unwrap().edges;
    let count = edges.len();
    edges.sort_unstable();
    edges.dedup();
    assert!(count > 100 && edges.len() == count, "{count}");
}

/// Every line of the grid that meets a ball crosses its surface twice: 6πr²/c² vertices.
#[test]
fn cells_too_small_for_memory_are_refused_at_once_with_a_size_that_will_do() {
    let ball = Shape::new(vec![Element::new(Point { at: DVec3::ZERO }.into(), kernel(0.1))], 1.0);
    let placed = Posed::rigid(&ball, Frame::IDENTITY);
    let Err(error @ MeshError::TooFine { vertices, least, .. }) = march(&placed, 1e-7) else { panic!("meshed") };
    let expected = 6.0 * PI * 1e12;
    assert!((vertices / expected - 1.0).abs() < 0.05, "{vertices} for {expected}");
    // With cells of that size a mesh has 2²⁷ vertices, or a few per cent fewer.
    let would_be = 6.0 * PI * (0.1 / least) * (0.1 / least) / f64::from(1 << 27);
    assert!((0.9..1.0).contains(&would_be), "{would_be}");
    assert!(error.to_string().contains("e-5 m or more will do"), "{error}");
    for cell in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        assert!(matches!(march(&placed, cell), Err(MeshError::NoCell(_))), "{cell}");
    }
    let far = Posed::rigid(&ball, Frame::at(DVec3::new(0.0, 1e9, 0.0)));
    let Err(MeshError::TooFar { least, .. }) = march(&far, 1e-6) else { panic!("meshed") };
    assert!((3e-6..4e-6).contains(&least), "{least}");
}

/// Two balls, one of which may be rigid, pressed together at an angle to the grid, with a bulge around that or a crease.
fn pressed_pair((rigid, bulge): (bool, &str)) -> World {
    let response = if rigid { "rigid" } else { "soft" };
    let text = format!(
        "duration = 1\ngravity = [0, 0, 0]\n[materials.m]\nstiffness = \"50 kPa\"\n{bulge}\n\
         [materials.soft]\nstiffness = \"20 kPa\"\n{bulge}\n\
         [[body]]\nname = \"a\"\nmaterial = \"m\"\n[[body.skeleton]]\nthickness = 0.1\npoint = {{}}\n\
         [[body]]\nname = \"b\"\nmaterial = \"soft\"\nresponse = \"{response}\"\nposition = [0.13, 0.02, 0.05]\n\
         [[body.skeleton]]\nthickness = 0.08\npoint = {{}}\n"
    );
    World::new(&Scene::parse(&text, "pair").unwrap()).unwrap()
}

const KINDS: [(bool, &str); 4] = [(false, ""), (true, ""), (false, "bulge = \"none\""), (true, "bulge = \"none\"")];

/// Two bodies pressed together: both meshes are sound, have the same vertices and faces on the surface they share, bit for
/// bit, and neither has a vertex inside the other.
#[test]
fn bodies_that_touch_share_their_faces() {
    for kind in KINDS {
        let world = pressed_pair(kind);
        let meshes = [mesh_of(&world, 0, 0.008).unwrap(), mesh_of(&world, 1, 0.008).unwrap()];
        // On the shared surface, its border included, neither rest field is below the isovalue.
        let rest = |i: usize, p: DVec3| world.rest_field(i, 0).value(p) - 1.0;
        let on = |p: DVec3| rest(0, p).min(rest(1, p)) > -1e-8;
        let faces = meshes.each_ref().map(|m| {
            let inside =
                m.triangles.iter().map(|t| t.map(|v| m.positions[v as usize])).filter(|t| t.iter().all(|p| on(*p)));
            let mut all: Vec<_> = inside.map(|t| t.map(|p| p.to_array().map(f64::to_bits))).collect();
            all.iter_mut().for_each(|t| t.sort_unstable());
            all.sort_unstable();
            all
        });
        // The edge of a crease may stick out of the grid's faces: there they differ.
        let same = faces[0].iter().filter(|f| faces[1].binary_search(f).is_ok()).count();
        let most = faces[0].len().max(faces[1].len());
        let smooth = kind.1.is_empty();
        assert!(most > 100 && (same == most || !smooth), "{kind:?}: {same} of {most} faces are the same");
        for (i, m) in meshes.iter().enumerate() {
            assert!(m.check().is_sound(), "{:?}", m.check());
            let other = world.deformed(1 - i);
            for p in &m.positions {
                let s = other.sample(*p);
                assert!((s.value - 1.0) / s.gradient.length().max(1.0) < 1e-6, "{p} is inside by {}", s.value - 1.0);
            }
        }
    }
}

/// No face lies on both sides of the line where a contact ends, and there are vertices on it: both rest fields are at
/// their isovalue.
#[test]
fn edges_follow_the_border_of_a_contact() {
    for kind in [KINDS[0], KINDS[1]] {
        let world = pressed_pair(kind);
        let fields = [world.rest_field(0, 0), world.rest_field(1, 0)];
        for i in 0..2 {
            let m = mesh_of(&world, i, 0.008).unwrap();
            let border = |p: DVec3| fields.iter().all(|f| (f.value(p) - 1.0).abs() < 1e-8);
            let pressed = |p: DVec3| fields.iter().all(|f| f.value(p) - 1.0 > -1e-8);
            let places: Vec<(bool, bool)> = m.positions.iter().map(|p| (border(*p), pressed(*p))).collect();
            let on_border = places.iter().filter(|p| p.0).count();
            let crossed = m.triangles.iter().filter(|t| {
                let some =
                    |is: bool| t.iter().map(|v| places[*v as usize]).any(|(border, pressed)| !border && pressed == is);
                some(true) && some(false)
            });
            let (crossed, most) = (crossed.count(), if kind.1.is_empty() { 0 } else { on_border / 10 });
            assert!(
                on_border > 40 && crossed <= most,
                "{kind:?}: {crossed} crossed, {on_border} vertices on the border"
            );
        }
    }
}

/// Where surfaces pass through corners of the grid, far from the origin, and where three bodies press into each other: meshes
/// are sound, and their vertices on the visible surface.
#[test]
fn meshes_of_aligned_distant_and_crowded_bodies_are_sound() {
    let body = |name: &str, at: [f64; 3], skeleton: &str| {
        let [x, y, z] = at;
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"m\"\nposition = [{x}, {y}, {z}]\n\
             skeleton = [{{ thickness = 0.05, {skeleton} }}]\n"
        )
    };
    let (point, segment) = ("point = {}", "segment = { from = [0, 0, 0], to = [0.05, 0, 0] }");
    let scenes = [
        vec![body("a", [0.0, 0.0, 0.0], segment), body("b", [0.06, 0.0, -0.04], point)],
        vec![body("a", [5242.88, 0.0, 0.0], point), body("b", [5242.9, 0.01, 0.06], point)],
        vec![
            body("a", [0.0, 0.0, 0.0], point),
            body("b", [0.07, 0.01, 0.0], point),
            body("c", [0.04, 0.06, 0.01], point),
        ],
    ];
    for bodies in scenes {
        let head = "duration = 1\ngravity = [0, 0, 0]\n[materials.m]\nstiffness = \"50 kPa\"\n";
        let world = World::new(&Scene::parse(&(head.to_owned() + &bodies.concat()), "some").unwrap()).unwrap();
        for i in 0..bodies.len() {
            let own = world.deformed(i);
            for mesh in [mesh_of(&world, i, 0.01).unwrap(), quads_of(&world, i, 0.01).unwrap()] {
                assert!(mesh.check().is_sound(), "{:?}", mesh.check());
                let off = mesh.positions.iter().map(|p| (own.value(*p) - 1.0).abs()).fold(0.0, f64::max);
                assert!(off < 1e-6, "{off}");
            }
        }
    }
}

/// Rigid bodies have no pressure of their own to tell by; their quads end at the border all the same.
#[test]
fn quads_of_a_rigid_body_end_at_the_border_of_a_contact() {
    let world = pressed_pair((true, ""));
    let soft = world.rest_field(0, 0);
    let mesh = quads_of(&world, 1, 0.004).unwrap();
    let above = |v: &u32| soft.value(mesh.positions[*v as usize]) - 1.0;
    let across = mesh.quads.iter().filter(|q| q.iter().any(|v| above(v) > 1e-6) && q.iter().any(|v| above(v) < -1e-6));
    assert_eq!(across.count(), 0);
}

const PAIR: &str = "duration = 1\ngravity = [0, 0, 0]\n[materials.m]\nstiffness = \"50 kPa\"\n\
                    [[body]]\nname = \"a\"\nmaterial = \"m\"\n[[body.skeleton]]\nthickness = 0.1\npoint = {}\n\
                    [[body]]\nname = \"b\"\nmaterial = \"m\"\nposition = [0.13, 0.02, 0.05]\n\
                    [[body.skeleton]]\nthickness = 0.08\npoint = {}\n";

/// The border of the contact stays a line of edges: no quad has a face in it and one outside.
#[test]
fn quads_end_at_the_border_of_a_contact() {
    let world = World::new(&Scene::parse(PAIR, "pair").unwrap()).unwrap();
    for i in 0..2 {
        let (triangles, mesh) = (mesh_of(&world, i, 0.004).unwrap(), quads_of(&world, i, 0.004).unwrap());
        assert!(mesh.check().is_sound(), "{:?}", mesh.check());
        let free = |m: &Mesh| m.pressure.iter().filter(|p| **p == 0.0).count();
        assert!(free(&mesh) > 1000 && free(&mesh) == free(&triangles), "{} {}", free(&mesh), free(&triangles));
        let is_pressed = |face: &[u32]| face.iter().any(|v| mesh.pressure[*v as usize] > 0.0);
        let halves = |q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]], [q[1], q[2], q[3]], [q[1], q[3], q[0]]];
        let pressed = |q: &[u32; 4]| halves(q).map(|half| is_pressed(&half));
        // Cut along one of its diagonals, it falls into two halves of one kind.
        let is_one = |q: &[u32; 4]| pressed(q)[0] == pressed(q)[1] || pressed(q)[2] == pressed(q)[3];
        assert!(mesh.quads.iter().all(is_one));
        let share = mesh.quads.len() as f64 / (mesh.quads.len() + mesh.triangles.len()) as f64;
        assert!(share > 0.85, "{share}");
        let (tracked, lost) = mesh_tracked(&world, i, &mut track_quads(&world, i, 0.004).unwrap());
        assert!(lost == 0 && tracked.quads.len() > tracked.triangles.len() && tracked.check().is_sound());
    }
}

/// Ground without end, 3 cm above the world's origin and soft, with a ball 2 cm in it.
#[test]
fn a_piece_of_the_ground_is_as_large_as_asked_and_dented() {
    let text = "duration = 1\n[materials.m]\nstiffness = \"50 kPa\"\n[[body]]\nname = \"ball\"\nmaterial = \"m\"\n\
                position = [0, 0, 0.11]\n[[body.skeleton]]\nthickness = 0.1\npoint = {}\n\
                [[body]]\nname = \"ground\"\nmaterial = \"m\"\nmotion = \"fixed\"\n[[body.skeleton]]\n\
                thickness = 0.1\nhalf_space = { point = [0, 0, 0.03], normal = [0, 0, 1] }\n";
    let world = World::new(&Scene::parse(text, "ground").unwrap()).unwrap();
    let square = Square { middle: DVec3::new(0.2, 0.1, 5.0), width: 2.0, cells: 50 };
    assert!(track_square(&world, 0, square).is_none(), "a ball is no plane");
    let (mesh, lost) = mesh_tracked(&world, 1, &mut track_square(&world, 1, square).unwrap());
    let size = mesh.bounds();
    assert_eq!((lost, mesh.quads.len()), (0, 2500));
    assert!((size.min.truncate() - DVec3::new(-0.8, -0.9, 0.0).truncate()).length() < 1e-9, "{size:?}");
    let depth = world.deformed(1);
    assert!(mesh.positions.iter().all(|p| (depth.value(*p) - 1.0).abs() < 1e-9));
    assert!(size.max.z - size.min.z > 0.005, "{size:?}");
    assert!(mesh.normals.iter().all(|n| n.z > 0.5));
}
