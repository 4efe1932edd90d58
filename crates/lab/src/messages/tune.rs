//! Sentences of the search for the best variant.

/// The claim of a confirmation.
pub const BETTER_THAN_THE_DEFAULT: &str = "better than the default";
/// A goal that no search can compare.
pub const ERRORS_ARE_ZERO: &str = "errors are 0 where all is well, and a search compares ratios";

/// A goal without a load point, in a study of several.
pub fn no_load_point(goal: &str, points: &[String]) -> String {
    let known = points.join(", ");
    format!("write the load point too, as '{goal} @ {}'; there are {known}", points[0])
}

/// A goal of no known measure.
pub fn no_measure(name: &str) -> String {
    format!("{name} is no measure; write one such as throughput or p99")
}

/// The question of a heat's study.
pub fn heat_question(heat: u32) -> String {
    format!("Heat {heat} of a search: who stays?")
}

/// The question of a confirmation.
pub fn confirmation_question(winner: &str, default: &str) -> String {
    format!("Is {winner} better than the default, {default}?")
}
