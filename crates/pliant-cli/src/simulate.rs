//! A run with its progress, its end and its summary: what `run` and `demo` share.

use crate::failure::Failure;
use crate::output;
use indicatif::{ProgressBar, ProgressStyle};
use pliant::record::Recorder;
use pliant::{Energy, Warning, WarningKind, World};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Warnings listed before the rest is only counted.
const MOST_WARNINGS: usize = 10;
/// Time between plain lines of progress, for logs.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// A finished run, for the summary.
pub struct Done {
    /// Frames that were there already.
    pub resumed_from: usize,
    /// Frames in the cache.
    pub frames: usize,
    /// Bytes of the cache.
    pub bytes: u64,
    /// Wall time.
    pub took: Duration,
    /// Greatest number of contacts at once in this run.
    pub most_contacts: usize,
}

/// Lets the first Ctrl-C end the run after the current frame, and a second one end it at once.
pub fn stop_on_interrupt() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })?;
    Ok(())
}

/// Simulates and records to the end. `how_to_go_on` is shown when the user stops it.
pub fn record(recorder: &mut Recorder, world: &mut World, how_to_go_on: &str) -> Result<Done, Failure> {
    let start = Instant::now();
    let (resumed_from, count) = (recorder.written(), recorder.frame_count());
    let mut progress = Progress::new(count, resumed_from);
    while let Some(time) = recorder.next_time() {
        if STOP.load(Ordering::SeqCst) {
            progress.clear();
            let kept = recorder.written();
            return Err(Failure::Interrupted(format!("stopped: {kept} of {count} frames are kept; {how_to_go_on}")));
        }
        world.advance_to(time).map_err(anyhow::Error::from).inspect_err(|_| progress.clear())?;
        recorder.write(world).inspect_err(|_| progress.clear())?;
        progress.show(recorder.written(), world);
    }
    progress.clear();
    Ok(Done {
        resumed_from,
        frames: count,
        bytes: recorder.bytes(),
        took: start.elapsed(),
        most_contacts: world.most_contacts(),
    })
}

/// A bar on a terminal, a line now and then elsewhere.
enum Progress {
    Bar(ProgressBar),
    Lines { count: usize, last: Instant },
}

impl Progress {
    fn new(count: usize, done: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::Lines { count, last: Instant::now() };
        }
        let bar = ProgressBar::new(count as u64).with_position(done as u64);
        let template = "{wide_bar} frame {pos}/{len}  {msg}  {eta} left";
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self::Bar(bar)
    }

    fn show(&mut self, done: usize, world: &World) {
        let now = format!("{:.3} s, {}", world.time(), counted(world.contacts().len(), "contact"));
        match self {
            Self::Bar(bar) => {
                bar.set_message(now);
                bar.set_position(done as u64);
            }
            Self::Lines { count, last } if last.elapsed() >= BETWEEN_LINES => {
                *last = Instant::now();
                // Nobody may be listening; the run is what was asked for.
                let _ = writeln!(std::io::stderr(), "frame {done} of {count}: {now}");
            }
            Self::Lines { .. } => {}
        }
    }

    fn clear(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Prints what came out, as a table or as one JSON object.
pub fn summarise(cache: &Path, world: &World, done: &Done, as_json: bool) -> Result<(), Failure> {
    let energy = world.energy();
    if as_json {
        output::print(&format!("{}\n", summary_json(cache, world, done, &energy)))?;
        return Ok(());
    }
    let mut rows = vec![vec!["recorded".to_owned(), counted(done.frames, "frame") + &format!(", {} s", world.time())]];
    if done.resumed_from > 0 {
        rows.push(vec!["of these new".to_owned(), (done.frames - done.resumed_from).to_string()]);
    }
    let per_frame = done.bytes / done.frames.max(1) as u64;
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    row("bodies", world.bodies().len().to_string());
    row("contacts", format!("{} at the end, at most {}", world.contacts().len(), done.most_contacts));
    row("energy", energy_line(&energy));
    row("time taken", format!("{:.2} s", done.took.as_secs_f64()));
    row("cache", format!("{}, {:.1} kB, {per_frame} bytes a frame", cache.display(), done.bytes as f64 / 1e3));
    row("warnings", world.warnings().len().to_string());
    let mut text = output::table(&rows);
    for warning in world.warnings().iter().take(MOST_WARNINGS) {
        text += &format!("  warning: {}\n", warning_line(world, warning));
    }
    if world.warnings().len() > MOST_WARNINGS {
        text +=
            &format!("  … and {} more: pliant inspect {}\n", world.warnings().len() - MOST_WARNINGS, cache.display());
    }
    output::print(&text)?;
    Ok(())
}

fn summary_json(cache: &Path, world: &World, done: &Done, energy: &Energy) -> Value {
    json!({
        "kind": "summary",
        "cache": cache.to_string_lossy(),
        "frames": done.frames,
        "resumed_from": done.resumed_from,
        "duration": world.time(),
        "bodies": world.bodies().len(),
        "contacts": world.contacts().len(),
        "most_contacts": done.most_contacts,
        "energy": energy_json(energy),
        "warnings": world.warnings().iter().map(|w| warning_json(world, w)).collect::<Vec<_>>(),
        "bytes": done.bytes,
        "seconds": done.took.as_secs_f64(),
    })
}

/// "1 contact", "2 contacts".
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn energy_line(e: &Energy) -> String {
    format!(
        "kinetic {:.4} J, potential {:.4} J, elastic {:.4} J, dissipated {:.4} J",
        e.kinetic, e.potential, e.elastic, e.dissipated
    )
}

/// The four kinds of energy, joules.
pub fn energy_json(e: &Energy) -> Value {
    json!({ "kinetic": e.kinetic, "potential": e.potential, "elastic": e.elastic, "dissipated": e.dissipated })
}

/// A warning in words.
pub fn warning_line(world: &World, warning: &Warning) -> String {
    let (a, b) = names(world, warning);
    let time = warning.time;
    match warning.kind {
        WarningKind::BottomedOut => format!(
            "at {time:.4} s the surface between {a} and {b} reached the skeleton of {a}; make {a} stiffer or thicker"
        ),
        WarningKind::OverlapTooDeep => format!(
            "at {time:.4} s {a} and {b} overlap deeper than motion.largest_overlap allows; make them stiffer or slower"
        ),
        WarningKind::EnergyNotKept => format!(
            "at {time:.4} s the contact of {a} and {b} had made or lost over 1 % of the energy it passed on; lower \
             motion.step_safety or motion.smallest_step, or make them stiffer if they overlap deeply"
        ),
        WarningKind::StartsInside => format!(
            "at {time:.4} s {a} is inside {b}: they share no surface, and nothing pushes them apart; move {a} out of {b}"
        ),
        WarningKind::BothUnbounded => format!(
            "{a} and {b} are both unbounded: no contact between them is found; make one of them a box instead of a half_space"
        ),
        WarningKind::BulgeCutOff => format!(
            "at {time:.4} s the bulge of {a} around {b} is cut off midway between them; lower bulge.height of {a}"
        ),
        WarningKind::VolumeNotKept => format!(
            "at {time:.4} s no bulge of {a} around {b} holds the volume pressed away; widen its skeletons' radius or \
             raise its compressibility"
        ),
        WarningKind::Undecided => format!(
            "at {time:.4} s {a} and {b} run along each other so closely that the search for contacts was given up in a \
             place {:.3} mm wide; leave more room between them or press them together",
            1e3 * warning.size.unwrap_or(0.0)
        ),
    }
}

/// A warning as an object.
pub fn warning_json(world: &World, warning: &Warning) -> Value {
    let (a, b) = names(world, warning);
    let kind = match warning.kind {
        WarningKind::BottomedOut => "bottomed_out",
        WarningKind::OverlapTooDeep => "overlap_too_deep",
        WarningKind::EnergyNotKept => "energy_not_kept",
        WarningKind::StartsInside => "starts_inside",
        WarningKind::BothUnbounded => "both_unbounded",
        WarningKind::BulgeCutOff => "bulge_cut_off",
        WarningKind::VolumeNotKept => "volume_not_kept",
        WarningKind::Undecided => "undecided",
    };
    let mut object =
        json!({ "kind": kind, "time": warning.time, "a": a, "b": b, "message": warning_line(world, warning) });
    if let Some(size) = warning.size {
        object["size"] = size.into();
    }
    object
}

fn names<'w>(world: &'w World, warning: &Warning) -> (&'w str, &'w str) {
    (&world.bodies()[warning.bodies.0].name, &world.bodies()[warning.bodies.1].name)
}
