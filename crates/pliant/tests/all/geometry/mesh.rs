//! Cubes and rings, whole and broken.

use crate::shapes::{Torus, cube};
use pliant::math::DVec3;
use pliant::surface::{Mesh, MeshFaults};
use std::f64::consts::PI;

const RING: Torus = Torus { ring: 0.3, tube: 0.1, around: 24, across: 9 };

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-13 * b.abs()
}

#[test]
fn a_cube_has_the_area_volume_and_box_of_a_cube() {
    for center in [DVec3::ZERO, DVec3::new(3.0, -2.0, 5.0)] {
        let mut cube = cube(center, 2.0);
        assert!(near(cube.area(), 24.0) && near(cube.volume(), 8.0), "{} {}", cube.area(), cube.volume());
        assert_eq!((cube.bounds().min, cube.bounds().max), (center - DVec3::ONE, center + DVec3::ONE));
        cube.quads.iter_mut().for_each(|q| q.reverse());
        assert!(near(cube.volume(), -8.0), "inside out: {}", cube.volume());
    }
    let nothing = Mesh::default();
    assert_eq!((nothing.area(), nothing.volume(), nothing.bounds().is_empty()), (0.0, 0.0, true));
    assert!(nothing.check().is_sound());
}

/// At height z a ring of m steps is bounded by regular m-gons of the radii that a smooth ring has there, whose area is
/// m sin(2π/m)/2π of the circles'. So is the volume; and by Pappus the smooth ring around an n-gon of area
/// A = n r² sin(2π/n)/2 has 2πR A. The faces are plane: each is a trapezoid between chords 2 ρ sin(π/m) at two radii, as
/// high as their difference seen along the apothem, cos(π/m) Δρ, and the difference of heights make it.
#[test]
fn a_ring_has_the_volume_of_pappus_and_the_area_of_its_trapezoids() {
    let Torus { ring, tube, around, across } = RING;
    let (m, n) = (around as f64, across as f64);
    let volume = m * (2.0 * PI / m).sin() * ring * (0.5 * n * tube * tube * (2.0 * PI / n).sin());
    let rim = |j: usize| {
        let v = 2.0 * PI * j as f64 / n;
        (ring + tube * v.cos(), tube * v.sin())
    };
    let trapezoid = |j: usize| {
        let ((r, z), (s, y)) = (rim(j), rim(j + 1));
        (PI / m).sin() * (r + s) * ((PI / m).cos() * (s - r)).hypot(y - z)
    };
    let area = m * (0..across).map(trapezoid).sum::<f64>();
    let mesh = RING.mesh(DVec3::new(0.1, 0.2, 0.3));
    assert!(near(mesh.volume(), volume), "{} against {volume}", mesh.volume());
    assert!(near(mesh.area(), area), "{} against {area}", mesh.area());
}

#[test]
fn whole_surfaces_have_no_faults_with_quads_or_without() {
    let mut both = cube(DVec3::splat(2.0), 1.0);
    both.append(&RING.mesh(DVec3::ZERO));
    for mesh in [cube(DVec3::ZERO, 1.0), RING.mesh(DVec3::ZERO), both] {
        assert_eq!(mesh.check(), MeshFaults::default());
        let cut = mesh.triangulated();
        assert_eq!((cut.quads.len(), cut.triangles.len()), (0, 2 * mesh.quads.len()));
        assert!(cut.check().is_sound());
        assert!(near(cut.area(), mesh.area()) && near(cut.volume(), mesh.volume()));
        assert_eq!((cut.positions, cut.element), (mesh.positions, mesh.element));
    }
}

#[test]
fn appended_surfaces_keep_all_they_carry() {
    let (cube, ring) = (cube(DVec3::splat(2.0), 1.0), RING.mesh(DVec3::ZERO).triangulated());
    let mut both = cube.clone();
    both.append(&ring);
    assert!(near(both.volume(), cube.volume() + ring.volume()) && near(both.area(), cube.area() + ring.area()));
    assert_eq!(both.triangles[0], ring.triangles[0].map(|i| i + 8));
    for lengths in [both.normals.len(), both.pressure.len(), both.velocity.len(), both.element.len()] {
        assert_eq!(lengths, both.positions.len());
    }
    assert_eq!(
        (both.pressure[8], both.velocity[9], both.element[7]),
        (ring.pressure[0], ring.velocity[1], cube.element[7])
    );
}

#[test]
fn quads_are_cut_along_the_shorter_diagonal() {
    let flat = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let kite = |points: [DVec3; 4]| Mesh { positions: points.into(), quads: vec![[0, 1, 2, 3]], ..Mesh::default() };
    let wide = kite([flat(-2.0, 0.0), flat(0.0, -1.0), flat(2.0, 0.0), flat(0.0, 1.0)]);
    assert_eq!(wide.triangulated().triangles, [[1, 2, 3], [1, 3, 0]]);
    let tall = kite([flat(-1.0, 0.0), flat(0.0, -2.0), flat(1.0, 0.0), flat(0.0, 2.0)]);
    assert_eq!(tall.triangulated().triangles, [[0, 1, 2], [0, 2, 3]]);
    // Each kite is half its diagonals' product.
    assert_eq!((wide.area(), tall.area()), (4.0, 4.0));
}

/// A broken surface and what should be found.
fn found(mut mesh: Mesh, harm: impl FnOnce(&mut Mesh)) -> MeshFaults {
    harm(&mut mesh);
    mesh.check()
}

#[test]
fn holes_folds_and_turned_faces_are_counted() {
    let cubes = || cube(DVec3::ZERO, 1.0);
    let ring = || RING.mesh(DVec3::ZERO).triangulated();
    let none = MeshFaults::default();
    // A missing face leaves its sides open.
    assert_eq!(found(cubes(), |m| m.quads.truncate(5)), MeshFaults { open_edges: 4, ..none });
    assert_eq!(found(ring(), |m| m.triangles.truncate(m.triangles.len() - 1)), MeshFaults { open_edges: 3, ..none });
    // A turned one disagrees with all its neighbours.
    assert_eq!(found(cubes(), |m| m.quads[2].reverse()), MeshFaults { misoriented_edges: 4, ..none });
    assert_eq!(found(ring(), |m| m.triangles[9].reverse()), MeshFaults { misoriented_edges: 3, ..none });
    // A second one in the same place makes three faces along each side.
    assert_eq!(found(ring(), |m| m.triangles.push(m.triangles[5])), MeshFaults { nonmanifold_edges: 3, ..none });
    // A surface that is inside out as a whole agrees with itself.
    assert!(found(cubes(), |m| m.quads.iter_mut().for_each(|q| q.reverse())).is_sound());
}

#[test]
fn faces_without_area_and_vertices_without_faces_are_counted() {
    let none = MeshFaults::default();
    let cubes = || cube(DVec3::ZERO, 1.0);
    let beyond = |m: &mut Mesh| m.triangles.extend([[0, 1, 8], [u32::MAX, 3, 4], [5, 5, 6]]);
    assert_eq!(found(cubes(), beyond), MeshFaults { degenerate: 3, ..none });
    // Corners 0, 1 and 3 in one place: of the quads only the bottom has three of them.
    let squashed = |m: &mut Mesh| (m.positions[1], m.positions[3]) = (m.positions[0], m.positions[0]);
    assert_eq!(found(cubes(), squashed), MeshFaults { degenerate: 1, ..none });
    let no_number = |m: &mut Mesh| m.positions[7].x = f64::NAN;
    assert_eq!(found(cubes(), no_number), MeshFaults { degenerate: 3, ..none });
    assert_eq!(found(cubes(), |m| m.positions.push(DVec3::ONE)), MeshFaults { isolated_vertices: 1, ..none });
    let only_points = found(cubes(), |m| m.quads.clear());
    assert_eq!(only_points, MeshFaults { isolated_vertices: 8, ..none });
}

#[test]
fn surfaces_that_touch_in_a_point_or_along_a_line_are_counted() {
    let none = MeshFaults::default();
    // Two cubes side by side; what the second calls `from` is made `to` of the first.
    let glued = |pairs: &[(u32, u32)]| {
        let mut mesh = cube(DVec3::ZERO, 1.0);
        mesh.append(&cube(DVec3::ONE, 1.0));
        for q in &mut mesh.quads {
            *q = q.map(|i| pairs.iter().find(|(from, _)| *from == i).map_or(i, |(_, to)| *to));
        }
        mesh.check()
    };
    let unused = |n| MeshFaults { isolated_vertices: n, ..none };
    assert_eq!(glued(&[(8, 7)]), MeshFaults { nonmanifold_vertices: 1, ..unused(1) });
    // Along a shared edge the faces of both hang together: it is the edge that is wrong.
    assert_eq!(glued(&[(8, 6), (9, 7)]), MeshFaults { nonmanifold_edges: 1, ..unused(2) });
    // An open fan is one fan; two open fans that share their tip are two.
    let point = |i: u32| DVec3::new(f64::from(i), f64::from(i * i), 0.0);
    let mut fans =
        Mesh { positions: (0..5).map(point).collect(), triangles: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() };
    assert_eq!(fans.check(), MeshFaults { open_edges: 4, isolated_vertices: 1, ..none });
    fans.triangles[1] = [0, 3, 4];
    assert_eq!(fans.check(), MeshFaults { open_edges: 6, nonmanifold_vertices: 1, ..none });
}
