//! Comparisons that no claim declares.

/// Heading of the comparisons that no claim declares.
pub const EXPLORATORY: &str =
    "Exploratory: no claim asked for these ratios; they may suggest what to claim next, and are no verdicts";

/// Columns of the comparisons that no claim declares.
pub const EXPLORATORY_COLUMNS: [&str; 7] =
    ["comparison", "ratio", "confidence", "blocks", LOOP, "responses", ""];

/// Column of the arrival model.
pub const LOOP: &str = "loop";

/// The interval excludes 1 although all comparisons share an error rate.
pub const STANDS_OUT: &str = "stands out";

/// `p99(nio2) / p99(nio) @ 64c`.
pub fn compared(measure: &str, over: &str, under: &str, point: &str) -> String {
    format!("{measure}({over}) / {measure}({under}) @ {point}")
}

/// Not all pairs are compared.
pub fn not_explored(n: usize, of: usize) -> String {
    format!(
        "exploratory: {n} of {of} comparisons that no claim declares are shown; declare a claim for any other"
    )
}
