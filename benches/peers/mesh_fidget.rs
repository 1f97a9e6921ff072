// The mesh of 0.5 - sum max(0, (1 - r^2/R^2)^3) by fidget, one thread: mesh_fidget FOLDER NAMES CUBES ...
// Reads points_N.txt from FOLDER, prints a JSON object a line, and writes vertices as raw f64 to FOLDER/fidget_N_CUBES.f64.
// Its fastest form of the formula: the cube before the maximum, sums as a balanced tree.
use fidget::{context::Tree, jit::JitShape};
use std::time::Instant;

fn cpu() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

fn sum(terms: &[Tree]) -> Tree {
    match terms.len() {
        1 => terms[0].clone(),
        n => sum(&terms[..n / 2]) + sum(&terms[n / 2..]),
    }
}

fn tree(centers: &[[f32; 3]], radius: f32) -> Tree {
    let by_radius_sq = (1.0 / (radius as f64 * radius as f64)) as f32;
    let (x, y, z) = Tree::axes();
    let ball = |c: &[f32; 3]| {
        let r_sq = (x.clone() - c[0]).square() + (y.clone() - c[1]).square() + (z.clone() - c[2]).square();
        let w: Tree = 1.0 - r_sq * by_radius_sq;
        (w.square() * w).max(0.0)
    };
    0.5 - sum(&centers.iter().map(ball).collect::<Vec<_>>())
}

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    for n in [10, 100, 1000] {
        let text = std::fs::read_to_string(format!("{folder}/points_{n}.txt")).expect("points");
        let mut lines = text.lines();
        let radius: f32 = lines.next().unwrap().parse().unwrap();
        let point = |l: &str| {
            let mut c = l.split_whitespace().map(|v| v.parse::<f32>().unwrap());
            [c.next().unwrap(), c.next().unwrap(), c.next().unwrap()]
        };
        let shape = JitShape::from(tree(&lines.map(point).collect::<Vec<_>>(), radius));
        for (depth, cubes) in [(7u8, 128), (8, 256)] {
            let bound: fidget::shape::BoundShape<_, f32> = shape.clone().try_into().unwrap();
            let settings = fidget::mesh::Settings { depth, threads: None, ..Default::default() };
            let (mut wall_ms, mut cpu_ms) = (f64::MAX, f64::MAX);
            let mut mesh = None;
            let start = Instant::now();
            while mesh.is_none() || start.elapsed().as_secs_f64() < 3.0 {
                let (w, c) = (Instant::now(), cpu());
                mesh = Some(fidget::mesh::Octree::build(&bound, &settings).unwrap().walk_dual());
                cpu_ms = cpu_ms.min(1e3 * (cpu() - c));
                wall_ms = wall_ms.min(1e3 * w.elapsed().as_secs_f64());
            }
            let mesh = mesh.unwrap();
            let bytes: Vec<u8> =
                mesh.vertices.iter().flat_map(|v| [v.x, v.y, v.z]).flat_map(|c| (c as f64).to_le_bytes()).collect();
            std::fs::write(format!("{folder}/fidget_{n}_{cubes}.f64"), bytes).unwrap();
            println!(
                "{{\"peer\": \"fidget\", \"n\": {n}, \"cubes\": {cubes}, \"wall_ms\": {wall_ms}, \"cpu_ms\": {cpu_ms}, \
                 \"vertices\": {}, \"triangles\": {}}}",
                mesh.vertices.len(),
                mesh.triangles.len()
            );
        }
    }
}
