//! Polygons of N metaballs on a grid of 128³ and 256³ cubes: ms on one thread, and how far vertices are from the surface.
//!
//! The same skeletons, kernel and grid as the peers (`benches/peers/mesh.sh`), so the figures can be compared. The error
//! is the distance of the farthest vertex, `|f − c|/|∇f|`, over the edge of a cube; normals are part of the work.
//!
//! `cargo bench -p pliant --bench mesh`, then optionally `--` and
//! `--json` (one object a line), `--only 1000` (one N), `--cubes 128` (one grid),
//! `--out FOLDER` (writes the skeletons there, as `points_N.txt`, for the peers),
//! `--measure FOLDER` (only the errors of the peers' vertices there, raw f64 in `PEER_N_CUBES.f64`),
//! `--only 10 --cubes 128 --times 20` (so many meshes and no clock, for counting instructions).

mod common;

use common::cpu_seconds;
use common::metaballs::{shape, skeletons};
use pliant::fields::{Points, Posed, Profile, Samples, Shape};
use pliant::math::{DVec3, Frame};
use pliant::surface::{MarchedMesh, Mesh, march};
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

/// Seconds a figure is measured for. Shorter: figures jump on a busy machine.
const SECONDS: f64 = 2.0;
/// The grid covers the cube from −1 to 1.
const WIDTH: f64 = 2.0;
/// Metaballs, and cubes along each side.
const SIZES: [usize; 3] = [10, 100, 1000];
const GRIDS: [usize; 2] = [128, 256];

fn as_text((centers, radius): &(Vec<[f32; 3]>, f32)) -> String {
    let mut text = format!("{radius}\n");
    centers.iter().for_each(|[x, y, z]| _ = writeln!(text, "{x} {y} {z}"));
    text
}

/// Best wall and CPU seconds of one call.
fn time(mut work: impl FnMut()) -> (f64, f64) {
    work();
    let (start, mut best) = (Instant::now(), (f64::INFINITY, f64::INFINITY));
    while start.elapsed().as_secs_f64() < SECONDS {
        let (one, cpu) = (Instant::now(), cpu_seconds());
        work();
        best.0 = best.0.min(one.elapsed().as_secs_f64());
        best.1 = best.1.min(cpu_seconds().zip(cpu).map_or(f64::INFINITY, |(now, then)| now - then));
    }
    best
}

/// The farthest of `points` from the surface, in cubes, and the greatest `|f − c|`.
fn errors(shape: &Shape, points: &Points, cell: f64) -> (f64, f64) {
    let mut samples = Samples::default();
    shape.samples_many(points, &mut samples);
    (0..points.len()).map(|i| samples.get(i)).fold((0.0, 0.0), |worst: (f64, f64), s| {
        let off = (s.value - shape.iso()).abs();
        (worst.0.max(off / s.gradient.length() / cell), worst.1.max(off))
    })
}

/// Prints the errors of what the peers left in `folder`.
fn measure(folder: &str) {
    for n in SIZES {
        let shape = shape(Profile::Metaball, &skeletons(n));
        for (cubes, peer) in GRIDS.into_iter().flat_map(|c| ["fidget", "blender", "numpy"].map(|p| (c, p))) {
            let Ok(bytes) = std::fs::read(format!("{folder}/{peer}_{n}_{cubes}.f64")) else { continue };
            let numbers = bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes")));
            let numbers: Vec<f64> = numbers.collect();
            let points: Points = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
            let (error, off) = errors(&shape, &points, WIDTH / cubes as f64);
            println!("{{\"peer\": \"{peer}\", \"n\": {n}, \"cubes\": {cubes}, \"error\": {error}, \"off\": {off}}}");
        }
    }
}

/// Edges that do not have two faces, one on either side.
fn bad_edges(marched: &MarchedMesh) -> usize {
    let mesh = Mesh { positions: marched.positions.clone(), triangles: marched.triangles.clone(), ..Mesh::default() };
    let faults = mesh.check();
    faults.open_edges + faults.nonmanifold_edges + faults.misoriented_edges
}

fn main() {
    let chosen = |name: &str| common::option(name).and_then(|o| o.parse::<usize>().ok());
    let times = chosen("--times");
    if let Some(folder) = common::option("--measure") {
        return measure(&folder);
    }
    if !common::json() && times.is_none() {
        println!("polygons of N metaballs, one thread: ms; error of vertices in cubes");
        println!(
            "{:>6} {:>5} | {:>8} {:>8} {:>8} | {:>9} {:>9} | {:>8} {:>8} {:>5}",
            "cubes", "N", "wall", "CPU", "shape", "vertices", "triangles", "error", "|f - c|", "bad"
        );
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    pool.install(|| {
        for cubes in GRIDS.into_iter().filter(|c| chosen("--cubes").is_none_or(|o| o == *c)) {
            for n in SIZES.into_iter().filter(|n| chosen("--only").is_none_or(|o| o == *n)) {
                run(n, cubes, times);
            }
        }
    });
}

fn run(n: usize, cubes: usize, times: Option<usize>) {
    let balls = skeletons(n);
    if let Some(folder) = common::option("--out") {
        std::fs::write(format!("{folder}/points_{n}.txt"), as_text(&balls)).expect("a folder to write to");
    }
    let cell = WIDTH / cubes as f64;
    let made = Instant::now();
    let shape = shape(Profile::Metaball, &balls);
    let made = made.elapsed().as_secs_f64();
    let placed = Posed::rigid(&shape, Frame::IDENTITY);
    let work = || _ = black_box(march(black_box(&placed), cell));
    if let Some(times) = times {
        return (0..times).for_each(|_| work());
    }
    let (wall, cpu) = time(work);
    let marched = march(&placed, cell).expect("cells that can be meshed");
    let (error, off) = errors(&shape, &marched.positions.iter().copied().collect(), cell);
    let (vertices, triangles, bad) = (marched.positions.len(), marched.triangles.len(), bad_edges(&marched));
    let [wall, cpu, made] = [wall, cpu, made].map(|t| 1e3 * t);
    if common::json() {
        println!(
            "{{\"n\": {n}, \"cubes\": {cubes}, \"wall_ms\": {wall}, \"cpu_ms\": {cpu}, \"shape_ms\": {made}, \
             \"vertices\": {vertices}, \"triangles\": {triangles}, \"error\": {error}, \"off\": {off}, \
             \"bad_edges\": {bad}}}"
        );
    } else {
        println!(
            "{cubes:>6} {n:>5} | {wall:>8.2} {cpu:>8.2} {made:>8.2} | {vertices:>9} {triangles:>9} | {error:>8.1e} \
             {off:>8.1e} {bad:>5}"
        );
    }
}
