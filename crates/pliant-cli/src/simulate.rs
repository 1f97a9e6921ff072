//! A run with its progress, its end and its summary, for `run` and `demo`.

use crate::energy::Balance;
use crate::failure::Failure;
use crate::numbers::short;
use crate::output;
use crate::program::{self, quoted};
use crate::progress::Progress;
use crate::scheme;
use pliant::model::Scene;
use pliant::record::Recorder;
use pliant::{AdvanceError, Cancel, Energy, StepStats, Warning, WarningKind, World};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Warnings listed before the rest is only counted.
const MAX_WARNINGS: usize = 10;

/// Time that an interrupted step has to end by itself. Longer: a stop is felt as a hang. Shorter: more steps are thrown away
/// that would have ended.
const GRACE: Duration = Duration::from_millis(700);

/// Set by Ctrl-C and by a request to end.
static STOP: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// A finished run, for the summary.
pub struct Done {
    /// Frames that were there already.
    resumed_from: usize,
    /// Frames in the cache.
    frames: usize,
    /// Bytes of the cache.
    bytes: u64,
    /// Bytes of its frames alone.
    frame_bytes: u64,
    /// Wall time.
    took: Duration,
    /// Greatest number of contacts at once in this run.
    max_contacts: usize,
    /// Energy at the start.
    balance: Balance,
}

/// Makes Ctrl-C, or a request to end, stop the run within a second; `how_to_go_on` is then shown. A second one ends it at once.
pub fn stop_on_interrupt(how_to_go_on: &str) -> anyhow::Result<()> {
    let words = format!("stopped: finished frames are kept; {how_to_go_on}");
    ctrlc::set_handler(move || {
        if !STOP.is_cancelled() {
            STOP.cancel();
            // A step ends at its next search for contacts; a search that takes longer is given up with the program.
            // Finished frames are in the cache.
            std::thread::sleep(GRACE);
            let _ = writeln!(std::io::stderr(), "{words}");
        }
        std::process::exit(1);
    })?;
    Ok(())
}

/// The command that resumes a run.
pub fn how_to_go_on(scene: &Path, cache: &Path) -> String {
    format!("go on with: {} run {} -o {} --resume", program::name(), quoted(scene), quoted(cache))
}

/// The part of a scene's duration after its last frame, if any.
pub fn left_out(scene: &Scene) -> Option<String> {
    let (duration, last) = (scene.duration, scene.last_frame_time());
    let missing = duration - last;
    if missing <= 1e-9 * duration.max(1.0 / scene.frame_rate) {
        return None;
    }
    let (whole, rate) = (short(duration), short(scene.frame_rate));
    Some(if scene.frame_count() == 1 {
        format!(
            "duration {whole} s ends before the next frame at {} s: only the start is recorded and nothing moves; raise \
             duration, or frame_rate ({rate} a second)",
            short(1.0 / scene.frame_rate)
        )
    } else {
        format!(
            "duration {whole} s is no whole number of frames at {rate} a second: the last one is at {} s, and the {} s \
             after it are not simulated",
            short(last),
            short(missing)
        )
    })
}

/// Simulates and records to the end. `how_to_go_on` is shown when the user stops it.
pub fn record(
    recorder: &mut Recorder,
    world: &mut World,
    balance: Balance,
    how_to_go_on: &str,
) -> Result<Done, Failure> {
    let start = Instant::now();
    let (resumed_from, count) = (recorder.written(), recorder.frame_count());
    let mut progress = Progress::new(count, resumed_from, world, recorder.frame_rate());
    while let Some(time) = recorder.next_time() {
        progress.begin(recorder.written());
        match world.advance_to_or_cancel(time, &STOP) {
            Ok(()) => {}
            Err(AdvanceError::Cancelled) => {
                progress.clear();
                let kept = recorder.written();
                return Err(Failure::Interrupted(format!(
                    "stopped: {kept} of {count} frames are kept; {how_to_go_on}"
                )));
            }
            Err(error) => {
                progress.clear();
                return Err(anyhow::Error::from(error).into());
            }
        }
        recorder.write(world).inspect_err(|_| progress.clear())?;
        progress.show(recorder.written(), world);
    }
    progress.clear();
    let (bytes, frame_bytes, took) = (recorder.bytes(), recorder.frame_bytes(), start.elapsed());
    let max_contacts = world.stats().max_contacts.max(world.contacts().len());
    Ok(Done { resumed_from, frames: count, bytes, frame_bytes, took, max_contacts, balance })
}

/// Prints the summary, as a table or as one JSON object.
pub fn summarise(cache: &Path, world: &World, done: &Done, as_json: bool) -> Result<(), Failure> {
    let energy = world.energy();
    if as_json {
        output::print(&format!("{}\n", summary_json(cache, world, done, &energy)))?;
        return Ok(());
    }
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    row("recorded", format!("{}, {} s", counted(done.frames, "frame"), short(world.time())));
    if done.resumed_from > 0 {
        row("of these new", (done.frames - done.resumed_from).to_string());
    }
    let per_frame = done.frame_bytes / done.frames.max(1) as u64;
    let (now, most) = (world.contacts().len(), done.max_contacts);
    row("bodies", world.bodies().len().to_string());
    row("contacts", format!("{now} in the last frame, at most {most} at once"));
    row("energy", Balance::kinds(&energy));
    row("dissipated", Balance::dissipated(&energy));
    if let Some(words) = Balance::external(&energy) {
        row("put in", words);
    }
    row("integrator", Balance::integrator(&energy));
    row("in total", done.balance.words(&energy));
    row("scheme", scheme::words(world.scheme_choice()));
    row("steps", steps_words(world.stats()));
    row("time taken", time_words(done.took, world.stats()));
    row("cache", format!("{}, {:.1} kB, {per_frame} bytes a frame", cache.display(), done.bytes as f64 / 1e3));
    row("warnings", world.warnings().len().to_string());
    let mut text = output::table(&rows);
    for warning in world.warnings().iter().take(MAX_WARNINGS) {
        text += &format!("  warning: {}\n", warning_line(world, warning));
    }
    if let more @ 1.. = world.warnings().len().saturating_sub(MAX_WARNINGS) {
        text += &format!("  … and {more} more: {} inspect {}\n", program::name(), quoted(cache));
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
        "most_contacts": done.max_contacts,
        "energy": done.balance.json(energy),
        "warnings": world.warnings().iter().map(|w| warning_json(world, w)).collect::<Vec<_>>(),
        "bytes": done.bytes,
        "frame_bytes": done.frame_bytes,
        "seconds": done.took.as_secs_f64(),
        "scheme": scheme::object(world.scheme_choice()),
        "steps": steps_json(world.stats()),
    })
}

/// Counts of steps and iterations.
fn steps_words(stats: &StepStats) -> String {
    let mut words = format!("{}, {} taken back", counted(stats.steps as usize, "step"), stats.rejected);
    if stats.iterations > 0 {
        words += &format!(", {} iterations, {} of Newton's method", stats.iterations, stats.newton_iterations);
    }
    words
}

/// Wall time, and its parts.
fn time_words(took: Duration, stats: &StepStats) -> String {
    let seconds = |d: Duration| format!("{:.2} s", d.as_secs_f64());
    let rest = took.saturating_sub(stats.contact_time + stats.solve_time);
    let (contact, solve) = (seconds(stats.contact_time), seconds(stats.solve_time));
    format!("{}: contact search {contact}, solve {solve}, rest {}", seconds(took), seconds(rest))
}

fn steps_json(stats: &StepStats) -> Value {
    json!({
        "steps": stats.steps,
        "taken_back": stats.rejected,
        "iterations": stats.iterations,
        "newton_iterations": stats.newton_iterations,
        "contact_seconds": stats.contact_time.as_secs_f64(),
        "solve_seconds": stats.solve_time.as_secs_f64(),
        "other_seconds": stats.other_time().as_secs_f64(),
    })
}

/// "1 contact", "2 contacts".
pub fn counted(n: usize, noun: &str) -> String {
    match (n, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "body") => format!("{n} bodies"),
        _ => format!("{n} {noun}s"),
    }
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
        WarningKind::JointBroke if a == b => format!("at {time:.4} s the spring or joint of {a} to the world broke"),
        WarningKind::JointBroke => format!("at {time:.4} s the spring or joint of {a} and {b} broke"),
        WarningKind::PassedThrough => format!(
            "at {time:.4} s {a} and {b} passed through each other: faster than motion.smallest_step can follow, or harder \
             than their layers can carry; make them slower, stiffer or thicker, or give them a rigid core"
        ),
        WarningKind::NotConverged => format!(
            "at {time:.4} s a step was kept before the forces on {a} and its velocity agreed; lower motion.implicit_step, or \
             move keyed bodies more slowly"
        ),
        WarningKind::CoarseContact => format!(
            "at {time:.4} s {a} and {b} are so far in each other that their contact force is known to some hundredths only; \
             make them stiffer or slower, or start them farther apart"
        ),
        WarningKind::JointGaveWay => format!(
            "at {time:.4} s a joint of {a} and {} is pulled apart: other joints, keys or motors contradict it; remove one \
             of them, or give it a break_force",
            if a == b { "the world" } else { &b }
        ),
        WarningKind::BulgeCutOff => format!(
            "at {time:.4} s the bulge of {a} around {b} is cut off midway between them; lower the height in the bulge of its material"
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
        WarningKind::JointBroke => "joint_broke",
        WarningKind::PassedThrough => "passed_through",
        WarningKind::NotConverged => "not_converged",
        WarningKind::CoarseContact => "coarse_contact",
        WarningKind::JointGaveWay => "joint_gave_way",
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
