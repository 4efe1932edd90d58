//! Sentences of the search for the best variant.

/// The claim of a confirmation.
pub const BETTER_THAN_THE_DEFAULT: &str = "better than the default";
/// The question of a heat's study.
pub fn heat_question(heat: u32) -> String {
    format!("Heat {heat} of a search: who stays?")
}

/// The question of a confirmation.
pub fn confirmation_question(winner: &str, default: &str) -> String {
    format!("Is {winner} better than the default, {default}?")
}
