//! A jerk at a chain: the work of its steps is bounded, and compromises are reported.

use pliant::model::Scene;
use pliant::{WarningKind, World};

/// Points of one contact at most. The samples of a search are bounded, and a point takes several.
const MAX_POINTS: usize = 10_000;

/// Steps and their iterations for the tenth of a second after the jerk, at most. Links turn at hundreds of radians a second
/// then, so that steps are short.
const MAX_STEPS: u64 = 1500;
const MAX_ITERATIONS: u64 = 6000;

/// The shipped chain with another number of links, its end held by a hand that goes 10 cm aside within a millisecond.
fn jerked_chain(links: usize) -> World {
    let path = format!("{}/../../scenes/chain.toml", env!("CARGO_MANIFEST_DIR"));
    let length = 0.1 * links as f64;
    let text = std::fs::read_to_string(path)
        .unwrap()
        .replace("count = 30", &format!("count = {links}"))
        .replace("link-29", &format!("link-{}", links - 1))
        .replace("[\"3.08 m\"", &format!("[{}", length + 0.08))
        .replace("[\"3 m\"", &format!("[{length}"))
        .replace("name = \"hook\"", "name = \"hook\"\na = \"hand\"");
    let hand = r#"
        [[body]]
        name = "hand"
        material = "rubber"
        skeleton = [{ thickness = "2 cm", point = {} }]
        [body.motion.keyed]
        keys = [{ time = 0, position = [0, 0, 4] }, { time = 0.001, position = [0, 0.1, 4] }]"#;
    World::new(&Scene::parse(&(text + hand), "jerk").unwrap_or_else(|e| panic!("{e}"))).unwrap()
}

#[test]
fn a_jerked_chain_takes_bounded_work_and_tells_of_compromises() {
    for links in [4, 8] {
        let mut world = jerked_chain(links);
        let mut most = 0;
        for i in 1..=100 {
            world.advance_to(1e-3 * f64::from(i)).unwrap();
            most = world.contacts().iter().map(|c| c.patch.points.len()).fold(most, usize::max);
        }
        let stats = world.stats();
        assert!(most <= MAX_POINTS, "{links} links: {most} points");
        assert!(stats.steps <= MAX_STEPS, "{links} links: {} steps", stats.steps);
        assert!(stats.iterations <= MAX_ITERATIONS, "{links} links: {} iterations", stats.iterations);
        let kinds: Vec<WarningKind> = world.warnings().iter().map(|w| w.kind).collect();
        let reported = [WarningKind::CoarseContact, WarningKind::NotConverged].iter().any(|k| kinds.contains(k));
        assert!(reported, "{links} links: {kinds:?}");
    }
}
