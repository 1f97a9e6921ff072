//! `pliant verify`: the engine against closed forms and laws, on this machine.

use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::output::print;
use pliant::verify::{Check, Claim, GROUPS};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// Measures every law; fails when one does not hold.
pub fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let start = Instant::now();
    let (mut count, mut broken) = (0, 0);
    measure(|name, checks| {
        if !args.json {
            print(&format!("\n{name}\n"))?;
        }
        for check in checks {
            count += 1;
            broken += usize::from(!check.holds());
            print(&if args.json { json(name, &check) } else { line(&check) })?;
        }
        Ok(())
    })
    // A reader who stops early has not seen every law hold: unlike for commands that only print, this is a failure.
    .map_err(|error| anyhow::anyhow!("the laws could not be shown to the end: {error}"))?;
    let (holding, seconds) = (count - broken, start.elapsed().as_secs_f64());
    print(&summary(args.json, holding, count, seconds))?;
    if broken > 0 {
        return Err(Failure::Work(anyhow::anyhow!("{broken} of {count} laws do not hold on this machine")));
    }
    Ok(())
}

/// Number of laws that hold, and wall time.
fn summary(as_json: bool, holding: usize, count: usize, seconds: f64) -> String {
    if as_json {
        let object = serde_json::json!({ "kind": "summary", "laws": count, "holding": holding, "seconds": seconds });
        return format!("{object}\n");
    }
    format!("\n{holding} of {count} laws hold ({seconds:.1} s)\n")
}

/// Measures groups side by side, one on each core, and shows each in its turn.
fn measure(mut show: impl FnMut(&str, Vec<Check>) -> std::io::Result<()>) -> std::io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (measured, arriving) = mpsc::channel();
        for _ in 0..threads.min(GROUPS.len()) {
            let (next, measured) = (&next, measured.clone());
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some((_, group)) = GROUPS.get(i) else { return };
                    if measured.send((i, group())).is_err() {
                        // The receiver has stopped.
                        return;
                    }
                }
            });
        }
        drop(measured);
        let (mut early, mut shown) = (BTreeMap::new(), 0);
        for (i, checks) in arriving {
            early.insert(i, checks);
            while let Some(checks) = early.remove(&shown) {
                show(GROUPS[shown].0, checks)?;
                shown += 1;
            }
        }
        Ok(())
    })
}

fn line(check: &Check) -> String {
    let Check { law, expected, got, error, bound, claim } = check;
    let mark = if check.holds() { "ok    " } else { "BROKEN" };
    let numbers = match claim {
        Claim::Equal => format!("expected {expected:.9}, got {got:.9}, error {error:.1e} (at most {bound:.0e})"),
        Claim::AtLeast => format!("got {}, at least {expected}", (1e3 * got).round() / 1e3),
        Claim::AtMost => format!("got {got:.1e}, at most {bound:.0e}"),
        Claim::Holds => if check.holds() { "yes" } else { "no" }.into(),
    };
    format!("  {mark} {law}\n         {numbers}\n")
}

fn json(group: &str, check: &Check) -> String {
    let Check { law, expected, got, error, bound, claim } = check;
    let holds = check.holds();
    let claim = match claim {
        Claim::Equal => "equal",
        Claim::AtLeast => "at-least",
        Claim::AtMost => "at-most",
        Claim::Holds => "holds",
    };
    let object = serde_json::json!({
        "group": group, "law": law, "claim": claim, "expected": expected, "got": got, "error": error, "bound": bound,
        "holds": holds
    });
    format!("{object}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_sums_up_in_either_form() {
        assert_eq!(summary(false, 95, 96, 41.26), "\n95 of 96 laws hold (41.3 s)\n");
        let object: serde_json::Value = serde_json::from_str(&summary(true, 95, 96, 41.5)).unwrap();
        assert_eq!(object, serde_json::json!({ "kind": "summary", "laws": 96, "holding": 95, "seconds": 41.5 }));
    }
}
