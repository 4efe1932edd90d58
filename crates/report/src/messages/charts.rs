//! Words of the page: its charts, and how to run it again.

/// Heading of the commands that measure it again.
pub const RUN_AGAIN: &str = "Run it again";

pub const CHART_TABLE: &str = "Table";
pub const CHART_CSV: &str = "Save as CSV";
pub const CHART_KEYS: &str = "Keys: arrows move, + and - zoom, 0 shows all.";
pub const CHART_MORE_ROWS: &str = "{n} more rows are in the CSV file.";
pub const CHART_TURNED_OFF: &str =
    "{n} further series are turned off: the legend turns them on, the table has all.";

pub const CHART_RATIO: &str = "ratio";
pub const CHART_INTERVALS: [&str; 7] =
    ["name", "verdict", "value", "low", "high", "claim holds from", "claim holds to"];
pub const CHART_SERIES: &str = "series";
pub const CHART_ENDS: [&str; 2] = ["low", "high"];
pub const CHART_CLAIMS: &str = "The claims on one scale";
pub const CHART_CLAIMS_SAYS: &str =
    "Each interval beside its own threshold or band: shaded is where the claim holds. The thin line is ×1.";
pub const CHART_FACTORS: &str = "What each setting does";
pub const CHART_FACTORS_SAYS: &str = "How many times as much with the change as without. An interval that contains ×1 does not tell the two apart.";

pub const CHART_BENEATH_SAYS: &str = "The mean over restarts with its 95 % interval.";
pub const CHART_LOAD_SAYS: &str = "The mean over restarts with its 95 % interval, at each load.";
pub const CHART_CONNECTIONS: &str = "connections";
pub const CHART_RATE: &str = "intended requests per second";
pub const CHART_LOAD: &str = "load";
pub const CHART_BLOCK: &str = "restart";
pub const CHART_BLOCKS_SAYS: &str =
    "One value for each restart, in order: a slope is drift of the machine, a step something that changed.";

pub const CHART_PERCENTILES: &str = "Response time by percentile";
pub const CHART_PERCENTILES_SAYS: &str = "All restarts together; what never ended ranks last, by how long was waited. Dashed where fewer than 100 exchanges lie beyond: too few to rely on.";
pub const CHART_PERCENTILE: &str = "percentile";
pub const CHART_PERCENTILE_COLUMNS: [&str; 4] = ["series", "quantile", "response time", "exchanges beyond"];

pub const CHART_CPUS: &str = "CPUs in use";
pub const CHART_PAUSES: &str = "pauses of collections";
pub const CHART_TIME: &str = "time since the first measured window";
pub const CHART_COURSE_SAYS: &str =
    "Measured windows only. Drag or turn the wheel to zoom; all charts over time move together.";

/// Heading of a measure, variant beneath variant.
pub fn chart_of(measure: &str) -> String {
    format!("{measure} of each variant")
}

/// Heading of a measure over the load.
pub fn chart_over_load(measure: &str) -> String {
    format!("{measure} against load")
}

/// Heading of a measure block by block.
pub fn chart_by_block(measure: &str) -> String {
    format!("{measure} from restart to restart")
}

/// Heading of a series over time.
pub fn chart_over_time(series: &str) -> String {
    format!("{series} over time")
}
