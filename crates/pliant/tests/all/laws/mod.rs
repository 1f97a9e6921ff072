//! Laws of physics and what the shipped scenes must show.

mod bases;
mod scenes;

use pliant::verify::GROUPS;

/// `pliant verify` runs the same groups; here every law that does not hold is named at once.
#[test]
fn every_law_holds() {
    let broken: Vec<String> = GROUPS
        .iter()
        .flat_map(|(_, group)| group())
        .filter(|check| !check.holds())
        .map(|c| format!("{}: expected {}, got {}, error {:e} > {:e}", c.law, c.expected, c.got, c.error, c.bound))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
