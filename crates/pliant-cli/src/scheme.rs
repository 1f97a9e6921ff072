//! The integration scheme of a scene in words, for `check` and `run`.

use pliant::model::{FEW_BALLS, SchemeChoice, SchemeReason};
use serde_json::{Value, json};

fn name(choice: SchemeChoice) -> &'static str {
    if choice.implicit { "implicit" } else { "explicit" }
}

/// The scheme and its reason, on one line.
pub fn words(choice: SchemeChoice) -> String {
    let why = match choice.reason {
        SchemeReason::Asked => "as motion.scheme asks".to_owned(),
        SchemeReason::Joints => "there are joints or springs".to_owned(),
        SchemeReason::InertiaUnknown => "the inertia of a body is unknown".to_owned(),
        SchemeReason::FewBalls => format!(
            "forces move at most {FEW_BALLS} balls and nothing else, so that short steps are cheap and keep the energy of impacts"
        ),
        SchemeReason::NothingMoves => "forces move no body".to_owned(),
        SchemeReason::General => "fewer, longer steps finish sooner here; impacts lose some energy".to_owned(),
    };
    format!("{}: {why}", name(choice))
}

/// The scheme and its reason, for `--json`.
pub fn object(choice: SchemeChoice) -> Value {
    let reason = match choice.reason {
        SchemeReason::Asked => "asked",
        SchemeReason::Joints => "joints",
        SchemeReason::InertiaUnknown => "inertia_unknown",
        SchemeReason::FewBalls => "few_balls",
        SchemeReason::NothingMoves => "nothing_moves",
        SchemeReason::General => "general",
    };
    json!({ "name": name(choice), "reason": reason })
}
