//! Charts of a page. A chart is a table of numbers and a way of drawing it, so that picture, table and file cannot
//! differ.

mod beside;
mod claims;
mod course;
mod left_out;
mod load;
mod outcomes;
mod percentiles;
mod trials;

use crate::messages;
use proofload_language::{Columns, named, tr};
use proofload_store::schema::{RunDiff, RunResult, Slice};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The chart above the verdicts.
pub(crate) const CLAIMS: &str = "claims";

/// A table and how it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// Part of the name of its place in the page, and of its file.
    pub id: String,
    pub drawn: Drawn,
    pub title: String,
    /// Explanation of the chart, a sentence or two.
    pub says: String,
    pub x: Axis,
    pub y: Axis,
    /// Charts of one group share their x axis, and are zoomed together; empty without a group.
    pub group: &'static str,
    pub columns: Vec<String>,
    /// The unit of each column, empty for text.
    pub units: Vec<&'static str>,
    /// The numbers, in base units.
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Drawn {
    /// Rows of name, verdict, point, low, high, from where to where a claim holds, and the value of each block.
    Intervals,
    /// Rows of series, x, value, low, high. Over quantiles the fourth is the number of exchanges beyond.
    Lines,
    /// Rows of series, x, value, and why it does not count; empty where it does.
    Course,
    /// The same, without lines.
    Dots,
    /// Rows of name, part, how many, and their share: the parts of a name lie side by side.
    Parts,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Axis {
    /// Its name; empty where the heading has it.
    pub name: String,
    /// Unit of its values, as in the result; `s` for seconds since the beginning.
    pub unit: &'static str,
    pub scale: Scale,
}

/// Spacing of values on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    Linear,
    Log,
    Names,
    /// HdrHistogram's axis of percentiles: from 90 % to 99 % is as far as from 99 % to 99.9 %.
    Quantile,
}

/// A number, a text, or nothing measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    Text(String),
    Number(f64),
    /// Not measured.
    Nothing,
}

impl Chart {
    /// Values along `x`. Names and units of the columns are those of the axes.
    fn lines(id: String, title: String, says: &str, [x, y]: [Axis; 2], rows: Vec<Vec<Cell>>) -> Chart {
        let [low, high] = Columns::<2>("chart-ends").texts();
        let columns = [tr!("chart-series"), &x.name, &y.name, low, high];
        let units = ["", x.unit, y.unit, y.unit, y.unit];
        let width = rows.first().map_or(0, Vec::len);
        Chart {
            id,
            drawn: Drawn::Lines,
            title,
            says: says.to_string(),
            group: "",
            columns: columns.iter().take(width).map(ToString::to_string).collect(),
            units: units.into_iter().take(width).collect(),
            x,
            y,
            rows,
        }
    }

    /// Values along `x`, each with what it does not count for.
    fn course(id: String, title: String, says: &str, [x, y]: [Axis; 2], rows: Vec<Vec<Cell>>) -> Chart {
        let columns = [tr!("chart-series"), &x.name, &y.name, tr!("chart-left-out")].map(str::to_string);
        Chart {
            drawn: Drawn::Course,
            columns: columns.to_vec(),
            units: vec!["", x.unit, y.unit, ""],
            ..Chart::lines(id, title, says, [x, y], rows)
        }
    }

    fn intervals(id: &str, title: String, says: &str, x: Axis, rows: Vec<Vec<Cell>>) -> Chart {
        let unit = x.unit;
        let named = Columns::<7>("chart-intervals").map(str::to_string).to_vec();
        let blocks = rows.first().map_or(0, |row| row.len().saturating_sub(named.len()));
        let columns =
            named.into_iter().chain((1..=blocks).map(|block| tr!("chart-one-block", block))).collect();
        Chart {
            id: id.to_string(),
            drawn: Drawn::Intervals,
            title,
            says: says.to_string(),
            x,
            y: Axis { name: String::new(), unit: "", scale: Scale::Names },
            group: "",
            columns,
            units: [""; 2].into_iter().chain(std::iter::repeat_n(unit, 5 + blocks)).collect(),
            rows,
        }
    }

    fn value(&self) -> Value {
        let mut value = json!(self);
        let cells = self.cells_in_words();
        if !cells.is_empty() {
            value["cells"] = Value::Object(cells);
        }
        value
    }

    /// Translations of the verdicts and findings by which the script colours; empty in English.
    fn cells_in_words(&self) -> Map<String, Value> {
        let words = self.rows.iter().filter_map(|row| match (&self.drawn, row.get(1)) {
            (Drawn::Intervals, Some(Cell::Text(word))) => Some(word),
            _ => None,
        });
        let told = words.map(|word| (word, in_words(word))).filter(|(word, told)| told != word);
        told.map(|(word, told)| (word.clone(), Value::from(told))).collect()
    }
}

impl Cell {
    fn text(text: &str) -> Cell {
        Cell::Text(crate::escape::line(text))
    }

    fn of(value: Option<f64>) -> Cell {
        value.filter(|value| value.is_finite()).map_or(Cell::Nothing, Cell::Number)
    }
}

/// The charts of a result, in the order of the page; those without data are left out.
pub(crate) fn charts(result: &RunResult, slices: &[&Slice]) -> Vec<Chart> {
    let left_out = left_out::LeftOut::of(result, slices);
    let mut charts = Vec::new();
    charts.extend(claims::forest(result));
    charts.extend(trials::charts(result));
    charts.extend(load::charts(result));
    charts.push(outcomes::chart(result));
    charts.push(percentiles::chart(slices, &left_out, result));
    charts.extend(claims::effects(result));
    charts.extend(beside::conditions(result));
    charts.extend(beside::published(result));
    charts.extend(course::charts(slices, &left_out, result));
    charts.extend(load::block_by_block(result));
    charts.retain(|chart| !chart.rows.is_empty());
    charts
}

/// The charts for programs: what the page draws, number by number.
pub(crate) fn listed(charts: &[Chart]) -> Value {
    charts.iter().map(Chart::value).collect()
}

/// The chart of two runs; none where they have no figure in common.
pub(crate) fn of_two_runs(diff: &RunDiff) -> Option<Chart> {
    claims::of_two_runs(diff)
}

/// The charts and the words of the script, safe within an element of a page; `web/src/data.ts` has the shape.
pub(crate) fn document(charts: &[Chart]) -> String {
    let words = json!({
        "table": tr!("chart-table"),
        "csv": tr!("chart-csv"),
        "keys": tr!("chart-keys"),
        "more_rows": tr!("chart-more-rows"),
        "turned_off": tr!("chart-turned-off"),
    });
    crate::escape::json_in_html(&json!({ "charts": listed(charts), "words": words }).to_string())
}

/// A verdict, or the finding of an interval about a setting, in the current language.
fn in_words(word: &str) -> &str {
    match word {
        "matters" => tr!("chart-matters"),
        "practically equal" => tr!("chart-practically-equal"),
        "not told apart" => tr!("chart-not-told-apart"),
        word => named(word),
    }
}

/// A name as part of that of a place in the page.
fn of_name(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// Index of a variant in the plan: in that order its series have the same colour in each chart.
fn rank(result: &RunResult, variant: &str) -> usize {
    let variants = result.plan.iter().flat_map(|plan| &plan.variants);
    variants.enumerate().find(|(_, planned)| planned.name == variant).map_or(usize::MAX, |(at, _)| at)
}

/// The place of a figure: its variant, with the load point where there are several.
fn series(variant: &str, point: &str, points: usize) -> Cell {
    match points {
        0 | 1 => Cell::text(variant),
        _ => Cell::text(&messages::place_of(variant, "", point)),
    }
}
