//! `pliant verify`: the engine against closed forms and laws, on this machine.

use crate::args::Verify;
use crate::failure::Failure;
use crate::output::print;
use pliant::verify::{Check, Claim, GROUPS};
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
    if !args.json {
        let seconds = start.elapsed().as_secs_f64();
        print(&format!("\n{} of {count} laws hold ({seconds:.1} s)\n", count - broken))?;
    }
    if broken > 0 {
        return Err(Failure::Work(anyhow::anyhow!("{broken} of {count} laws do not hold on this machine")));
    }
    Ok(())
}

fn line(check: &Check) -> String {
    let Check { law, expected, got, error, bound } = check;
    let mark = if check.holds() { "ok    " } else { "BROKEN" };
    let numbers = match check.claim() {
        Claim::Equal => format!("expected {expected:.9}, got {got:.9}, error {error:.1e} (at most {bound:.0e})"),
        Claim::AtLeast => format!("got {}, at least {expected}", (1e3 * got).round() / 1e3),
        Claim::AtMost => format!("got {got:.1e}, at most {bound:.0e}"),
        Claim::Holds => if check.holds() { "yes" } else { "no" }.into(),
    };
    format!("  {mark} {law}\n         {numbers}\n")
}

fn json(group: &str, check: &Check) -> String {
    let Check { law, expected, got, error, bound } = check;
    let holds = check.holds();
    let claim = match check.claim() {
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
