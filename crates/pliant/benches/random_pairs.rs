//! Forces of random pairs against brute force: errors beyond those claimed, contacts missed, and time a query takes.
//!
//! `cargo bench -p pliant --bench random_pairs -- --count 10000`, then optionally `--from 0` (the first seed), `--limit 30` (CPU
//! seconds a pair may take, its brute force included), `--worst 10` (pairs listed). Each pair runs in a process of its own.

mod common;

use common::brute_force::{overlap, rough_depth};
use common::child::{End, run};
use common::random_form::form;
use common::{cpu_seconds, option, seeded};
use pliant::contact::{Pair, Patch, Quality, Side};
use pliant::fields::{Posed, Shape};
use pliant::math::{DVec3, Frame, Random};
use pliant::model::Scene;
use std::hint::black_box;

/// Size of the bodies, m.
const LENGTH: f64 = 0.1;
/// Bisections of the distance at which a pair is as deep as asked for.
const BISECTIONS: usize = 14;
/// An overlap deeper than this fraction of the thinner body's thickness must be found.
const DEEP: f64 = 1e-3;

fn number(name: &str, default: u64) -> u64 {
    option(name).and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// A body of one form, or of up to twenty parts; none where it is illegal.
fn body(random: &mut Random) -> Option<(Shape, String)> {
    let parts = match random.below(10) {
        0..=5 => 1,
        6..=7 => 2 + random.below(4),
        _ => 6 + random.below(15),
    };
    let size = if parts > 5 { 0.5 * LENGTH } else { LENGTH };
    let forms: Vec<_> = (0..parts).map(|_| form(random, size, false)).collect();
    let text: String = forms.iter().map(|f| format!("[[body.skeleton]]\n{}\n", f.text)).collect();
    let scene = Scene::parse(&format!("duration = 1\n[[body]]\nname = \"a\"\n{text}"), "pair").ok()?;
    let shape = Shape::new(scene.bodies[0].elements.clone(), scene.isovalue);
    let kind =
        if parts > 3 { format!("{parts} parts") } else { forms.iter().map(|f| f.name).collect::<Vec<_>>().join("+") };
    (!shape.solid_bounds().is_empty()).then_some((shape, kind))
}

/// One pair; a line of results.
fn one(seed: u64) {
    let mut random = seeded(seed);
    let (a, b) = loop {
        if let (Some(a), Some(b)) = (body(&mut random), body(&mut random)) {
            break (a, b);
        }
    };
    let rigid = random.unit() < 0.4;
    let ratio = 10f64.powf(2.0 * random.signed());
    let wanted = 1e-3 * 600f64.powf(random.unit());
    let turned = Frame { rotation: random.rotation(), translation: DVec3::ZERO };
    let direction = random.vector().normalize_or(DVec3::X);
    let aside = 0.3 * LENGTH * random.vector();
    let at = |distance: f64| Frame { translation: aside + distance * direction, ..turned };
    let pair = |distance: f64| Pair {
        a: Side { field: Posed::rigid(&a.0, Frame::IDENTITY), stiffness: 1e5, rigid: false },
        b: Side { field: Posed::rigid(&b.0, at(distance)), stiffness: 1e5 * ratio, rigid },
    };
    let thickness = pair(0.0).min_thickness();
    let (mut near, mut far) = (0.0, 4.0 * LENGTH);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (near + far);
        if rough_depth(&pair(middle)) > wanted * thickness { near = middle } else { far = middle }
    }
    let pair = pair(0.5 * (near + far));
    println!("kinds {} on {}{}", a.1, b.1, if rigid { " rigid" } else { "" });
    let truth = overlap(&pair);
    println!("truth {} {} {}", truth.force.length(), truth.error, truth.depth / thickness);
    for (name, quality) in [("default", Quality::default()), ("draft", Quality::draft())] {
        // The system counts CPU time in steps of milliseconds: quick queries are repeated.
        let start = cpu_seconds().unwrap_or(f64::NAN);
        let patches = Patch::find(&pair, &quality);
        let mut took = cpu_seconds().unwrap_or(f64::NAN) - start;
        if took < 0.04 {
            let (start, mut count) = (cpu_seconds().unwrap_or(f64::NAN), 0);
            while count < 1000 && cpu_seconds().unwrap_or(f64::NAN) - start < 0.04 {
                (0..4).for_each(|_| _ = black_box(Patch::find(black_box(&pair), &quality)));
                count += 4;
            }
            took = (cpu_seconds().unwrap_or(f64::NAN) - start) / f64::from(count);
        }
        let force: DVec3 = patches.iter().map(|p| p.on_a.force).sum();
        let claimed: f64 = patches.iter().map(|p| p.error * p.load).sum();
        let load: f64 = patches.iter().map(|p| p.load).sum();
        println!("{name} {took} {} {claimed} {load} {}", (force - truth.force).length(), patches.len());
    }
}

/// Results of a query of one pair.
#[derive(Clone, Copy, Default)]
struct Query {
    seconds: f64,
    /// Distance from brute force, claimed error and load, newtons.
    off: f64,
    claimed: f64,
    load: f64,
    patches: usize,
}

struct Outcome {
    seed: u64,
    kinds: String,
    force: f64,
    error: f64,
    depth: f64,
    queries: [Query; 2],
    end: End,
}

impl Outcome {
    /// Whether a query is further from brute force than twice its claim and three times the error of brute force.
    fn is_beyond(&self, i: usize) -> bool {
        let q = &self.queries[i];
        q.off.is_nan() || q.off > 2.0 * q.claimed + 3.0 * self.error
    }

    fn is_missed(&self, i: usize) -> bool {
        self.depth > DEEP && self.queries[i].patches == 0 && self.force > 3.0 * self.error
    }
}

fn outcome(seed: u64, limit: f64) -> Outcome {
    let child = run(&["--one".to_owned(), seed.to_string()], limit).expect("a process can be started");
    let mut out = Outcome {
        seed,
        kinds: String::new(),
        force: 0.0,
        error: 0.0,
        depth: 0.0,
        queries: Default::default(),
        end: child.end,
    };
    for line in child.output.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let n: Vec<f64> = rest.split(' ').filter_map(|n| n.parse().ok()).collect();
        match (word, n.as_slice()) {
            ("kinds", _) => out.kinds = rest.to_owned(),
            ("truth", &[force, error, depth]) => (out.force, out.error, out.depth) = (force, error, depth),
            ("default" | "draft", &[seconds, off, claimed, load, patches]) => {
                out.queries[usize::from(word == "draft")] =
                    Query { seconds, off, claimed, load, patches: patches as usize };
            }
            _ => {}
        }
    }
    out
}

fn main() {
    if let Some(seed) = option("--one").and_then(|s| s.parse().ok()) {
        return one(seed);
    }
    let (from, count, limit) = (number("--from", 0), number("--count", 200), number("--limit", 30) as f64);
    let mut all = Vec::new();
    for seed in from..from + count {
        all.push(outcome(seed, limit));
        if all.len() % 100 == 0 {
            println!("  {} of {count}", all.len());
        }
    }
    let (done, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|o| o.end == End::Finished);
    for o in &rest {
        println!("seed {} ({}): {:?}", o.seed, o.kinds, o.end);
    }
    for (i, name) in ["default", "draft"].into_iter().enumerate() {
        report(name, i, &done);
    }
}

fn report(name: &str, i: usize, done: &[Outcome]) {
    let total = done.len().max(1) as f64;
    let beyond: Vec<&Outcome> = done.iter().filter(|o| o.is_beyond(i)).collect();
    let missed: Vec<&Outcome> = done.iter().filter(|o| o.is_missed(i)).collect();
    let mut times: Vec<f64> = done.iter().map(|o| 1e3 * o.queries[i].seconds).collect();
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times.get(((times.len().max(1) - 1) as f64 * part) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "{name}: {} pairs, {} beyond twice the claimed error ({:.1} %), {} missed; ms a query: median {:.2}, p90 {:.2}, p99 {:.2}, most {:.2}",
        done.len(),
        beyond.len(),
        100.0 * beyond.len() as f64 / total,
        missed.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
    let mut errors: Vec<f64> = done.iter().map(|o| o.error / o.force.max(f64::MIN_POSITIVE)).collect();
    errors.sort_by(f64::total_cmp);
    println!(
        "  error of brute force, part of the force: median {:.1e}",
        errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN)
    );
    let most = number("--worst", 10) as usize;
    let list = |title: &str, some: &[&Outcome]| {
        for o in some.iter().take(most) {
            let q = &o.queries[i];
            println!(
                "  {title} seed {}: {} {:.1} % deep, force {:.3e} ± {:.1e} N, off by {:.2e}, claimed {:.1e} of {:.3e}, {} patches, {:.1} ms",
                o.seed,
                o.kinds,
                100.0 * o.depth,
                o.force,
                o.error,
                q.off,
                q.claimed,
                q.load,
                q.patches,
                1e3 * q.seconds
            );
        }
    };
    list("missed", &missed);
    let mut sorted = beyond;
    sorted.sort_by(|a, b| (b.queries[i].off / b.force).total_cmp(&(a.queries[i].off / a.force)));
    list("beyond", &sorted);
    let mut slow: Vec<&Outcome> = done.iter().collect();
    slow.sort_by(|a, b| b.queries[i].seconds.total_cmp(&a.queries[i].seconds));
    list("slow", &slow);
}
