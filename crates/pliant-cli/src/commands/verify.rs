//! `pliant verify`: the engine against closed forms and laws, on this machine.

use crate::args::Verify;
use crate::failure::Failure;
use crate::output::print;
use pliant::verify::{Check, GROUPS};
use std::time::Instant;

/// Measures every law; fails when one does not hold.
pub fn run(args: &Verify) -> Result<(), Failure> {
    let start = Instant::now();
    let (mut count, mut broken) = (0, 0);
    for (name, group) in GROUPS {
        if !args.json {
            print(&format!("\n{name}\n"))?;
        }
        for check in group() {
            count += 1;
            broken += usize::from(!check.holds());
            print(&if args.json { json(name, &check) } else { line(&check) })?;
        }
    }
    let (holding, seconds) = (count - broken, start.elapsed().as_secs_f64());
    if args.json {
        let summary = serde_json::json!({ "kind": "summary", "laws": count, "holding": holding, "seconds": seconds });
        print(&format!("{summary}\n"))?;
    } else {
        print(&format!("\n{holding} of {count} laws hold ({seconds:.1} s)\n"))?;
    }
    if broken > 0 {
        return Err(Failure::Work(anyhow::anyhow!("{broken} of {count} laws do not hold on this machine")));
    }
    Ok(())
}

fn line(check: &Check) -> String {
    let Check { law, expected, got, error, bound } = check;
    let mark = if check.holds() { "ok    " } else { "BROKEN" };
    format!("  {mark} {law}\n         expected {expected:.9}, got {got:.9}, error {error:.1e} (at most {bound:.0e})\n")
}

fn json(group: &str, check: &Check) -> String {
    let Check { law, expected, got, error, bound } = check;
    let holds = check.holds();
    let object = serde_json::json!({
        "group": group, "law": law, "expected": expected, "got": got, "error": error, "bound": bound, "holds": holds
    });
    format!("{object}\n")
}
