//! Words of the page: its charts, and how to run it again.

use proofload_language::{Columns, Phrase, named, say, word};

/// Heading of the commands that measure it again.
pub const RUN_AGAIN: Phrase = Phrase("run-again");

pub const CHART_TABLE: Phrase = Phrase("chart-table");
pub const CHART_CSV: Phrase = Phrase("chart-csv");
pub const CHART_KEYS: Phrase = Phrase("chart-keys");
pub const CHART_MORE_ROWS: Phrase = Phrase("chart-more-rows");
pub const CHART_TURNED_OFF: Phrase = Phrase("chart-turned-off");

pub const CHART_RATIO: Phrase = Phrase("chart-ratio");
pub const CHART_INTERVALS: Columns<7> = Columns("chart-intervals");
pub const CHART_SERIES: Phrase = Phrase("chart-series");
pub const CHART_ENDS: Columns<2> = Columns("chart-ends");
pub const CHART_CLAIMS: Phrase = Phrase("chart-claims");
pub const CHART_CLAIMS_SAYS: Phrase = Phrase("chart-claims-says");
pub const CHART_FACTORS: Phrase = Phrase("chart-factors");
pub const CHART_FACTORS_SAYS: Phrase = Phrase("chart-factors-says");
pub const CHART_RUNS: Phrase = Phrase("chart-runs");
pub const CHART_RUNS_SAYS: Phrase = Phrase("chart-runs-says");

pub const CHART_BENEATH_SAYS: Phrase = Phrase("chart-beneath-says");
pub const CHART_BENEATH_WITH_DOTS_SAYS: Phrase = Phrase("chart-beneath-with-dots-says");
pub const CHART_LOAD_SAYS: Phrase = Phrase("chart-load-says");
pub const CHART_CONNECTIONS: Phrase = Phrase("chart-connections");
pub const CHART_RATE: Phrase = Phrase("chart-rate");
pub const CHART_LOAD: Phrase = Phrase("chart-load");
pub const CHART_BLOCK: Phrase = Phrase("chart-block");
pub const CHART_BLOCKS_SAYS: Phrase = Phrase("chart-blocks-says");

pub const CHART_PERCENTILES: Phrase = Phrase("chart-percentiles");
pub const CHART_PERCENTILES_SAYS: Phrase = Phrase("chart-percentiles-says");
pub const CHART_PERCENTILE: Phrase = Phrase("chart-percentile");
pub const CHART_PERCENTILE_COLUMNS: Columns<4> = Columns("chart-percentile-columns");

pub const CHART_CPUS: Phrase = Phrase("chart-cpus");
pub const CHART_PAUSES: Phrase = Phrase("chart-pauses");
pub const CHART_TIME: Phrase = Phrase("chart-time");
pub const CHART_COURSE_SAYS: Phrase = Phrase("chart-course-says");
pub const CHART_COURSE_WITH_PALE_SAYS: Phrase = Phrase("chart-course-with-pale-says");
pub const CHART_LEFT_OUT: Phrase = Phrase("chart-left-out");
pub const CHART_WARM_UP: Phrase = Phrase("chart-warm-up");
pub const CHART_DISTURBED: Phrase = Phrase("chart-disturbed");
pub const CHART_LOST: Phrase = Phrase("chart-lost");
pub const CHART_MARKED: Phrase = Phrase("chart-marked");

pub const CHART_OUTCOMES: Phrase = Phrase("chart-outcomes");
pub const CHART_OUTCOMES_SAYS: Phrase = Phrase("chart-outcomes-says");
pub const CHART_SHARE: Phrase = Phrase("chart-share");
pub const CHART_OUTCOME_COLUMNS: Columns<4> = Columns("chart-outcome-columns");

pub const CHART_CONDITIONS: Phrase = Phrase("chart-conditions");
pub const CHART_CONDITIONS_SAYS: Phrase = Phrase("chart-conditions-says");
pub const CHART_PUBLISHED: Phrase = Phrase("chart-published");
pub const CHART_PUBLISHED_SAYS: Phrase = Phrase("chart-published-says");
pub const CHART_TRIALS_SAYS: Phrase = Phrase("chart-trials-says");

/// Heading of a measure, variant beneath variant.
pub fn chart_of(measure: &str) -> String {
    say!("chart-of", measure)
}

/// Heading of a measure over the load.
pub fn chart_over_load(measure: &str) -> String {
    say!("chart-over-load", measure)
}

/// Heading of a measure block by block.
pub fn chart_by_block(measure: &str) -> String {
    say!("chart-by-block", measure)
}

/// Heading of a series over time.
pub fn chart_over_time(series: &str) -> String {
    say!("chart-over-time", series)
}

/// Column of a block.
pub fn chart_block(block: usize) -> String {
    say!("chart-one-block", block)
}

/// Heading of the trials of a search.
pub fn chart_of_trials(measure: &str) -> String {
    say!("chart-of-trials", measure)
}

/// A verdict, or what an interval says of a setting, as a reader sees it in a table of the page.
pub fn cell_in_words(word: &str) -> &str {
    match word {
        "matters" => word!("chart-matters"),
        "practically equal" => word!("chart-practically-equal"),
        "not told apart" => word!("chart-not-told-apart"),
        word => named(word),
    }
}
