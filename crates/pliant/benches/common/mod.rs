//! What the benches share: a few shapes, and clocks.
#![allow(dead_code)]

pub mod brute_force;
pub mod child;
pub mod metaballs;
pub mod random_form;
pub mod random_scene;

use pliant::fields::skeleton::Point;
use pliant::fields::{Kernel, KernelParameters, Profile, Skeleton};
use pliant::math::{DVec3, Random};

/// The kernel of hydroelastic contact: pressure `K (1 − r/t)`, for the isovalue 1.
pub fn linear(t: f64) -> Kernel {
    Kernel::new(Profile::Linear, 1.0, KernelParameters { thickness: t, slope: None, radius: 2.0 * t })
        .expect("k (R − t) = 1 is legal")
}

/// Random numbers of a seed; those of neighbouring seeds do not look alike (splitmix64).
pub fn seeded(seed: u64) -> Random {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mut random = Random((z ^ (z >> 31)) | 1);
    (0..4).for_each(|_| _ = random.unit());
    random
}

pub fn point(at: DVec3) -> Skeleton {
    Skeleton::Point(Point { at })
}

/// CPU seconds of this process, all its living threads; none where the system does not say.
pub fn cpu_seconds() -> Option<f64> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let of_task = |task: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
    };
    tasks.map(|task| task.ok().and_then(of_task)).sum()
}

/// The most memory this process ever held, MB; none where the system does not say.
pub fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024e-6)
}

/// Whether `--json` was asked for.
pub fn json() -> bool {
    std::env::args().any(|a| a == "--json")
}

/// The word after `name` on the command line.
pub fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|a| a != name).nth(1)
}
