//! docs/places-tested.md: what was tested with which engine, and what came of it.

use crate::tools::cpu_model;
use crate::truth::today;
use anyhow::Context;
use std::fs;
use std::path::Path;

const PAGE: &str = "docs/places-tested.md";

const HEAD: &str = "\
# Places that were tested

Written by `cargo xtask lab` with `ssh`, `slurm`, `kubernetes` or `link`. Machines are network namespaces of one machine: `a` has servers
and coordinator, `b` and `c` have agents unless said otherwise, and the command runs outside of all three; in Kubernetes they are the
nodes, and its scheduler chooses among them. *Seconds* is the time from the start of a study, or from the fault, until the command had
ended and no process of Proofload was left in any namespace or outside, and no pod that runs; after a fault ten are allowed. Where
something cannot start it is the time until that is said. *Record* is where `proofload report` read what was measured, and the state
that it has there. Verdicts show that it works; servers and generator have the same CPUs here, so figures say nothing.
";

/// One line of a table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub what: String,
    pub exit: String,
    pub seconds: Option<f64>,
    pub record: String,
    pub failed: Option<String>,
}

impl Row {
    pub fn line(&self) -> String {
        let seconds = self.seconds.map_or("–".to_owned(), |seconds| format!("{seconds:.1}"));
        let or_none = |text: &str| if text.is_empty() { "–".to_owned() } else { text.replace('|', "\\|") };
        let result = match &self.failed {
            None => "as it should".to_owned(),
            Some(why) => {
                let first: Vec<&str> = why.lines().take(2).collect();
                format!("**failed**: {}", first.join(" / ").replace('|', "\\|"))
            }
        };
        let Row { what, exit, record, .. } = self;
        format!("| {what} | {} | {seconds} | {} | {result} |", or_none(exit), or_none(record))
    }
}

/// Writes a part, what it is of and when; other parts stay.
pub fn write(root: &Path, title: &str, version: &str, text: &str) -> anyhow::Result<()> {
    let path = root.join(PAGE);
    let before = fs::read_to_string(&path).unwrap_or_default();
    let when = format!("{}, {version}; {}.", today()?, cpu_model()?);
    fs::write(&path, page(&before, title, &when, text)).context(PAGE)
}

/// The table of an engine.
pub fn table(rows: &[Row]) -> String {
    let head =
        "| study or fault | exit code | seconds | record | result |\n| --- | --- | --- | --- | --- |\n";
    rows.iter().fold(head.to_owned(), |text, row| text + &row.line() + "\n")
}

fn page(before: &str, title: &str, when: &str, text: &str) -> String {
    let own = format!("{title}\n\n{when}\n\n{text}");
    let mut parts: Vec<String> =
        before.split("\n## ").skip(1).map(|part| format!("{}\n", part.trim_end())).collect();
    parts.retain(|part| part.lines().next() != Some(title));
    parts.push(own);
    // In the order of their names, not of their runs.
    parts.sort();
    parts.iter().fold(HEAD.to_owned(), |text, part| format!("{text}\n## {part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_another_engine_stays() {
        let row = |what: &str, failed: Option<&str>| Row {
            what: what.to_owned(),
            exit: "12".to_owned(),
            seconds: Some(5.04),
            failed: failed.map(str::to_owned),
            ..Row::default()
        };
        let first = page("", "ssh", "D1", &table(&[row("cut", None)]));
        let second = page(&first, "Slurm", "D2", &table(&[row("killed", Some("a|b"))]));
        let third = page(&second, "ssh", "D3", &table(&[row("cut again", None)]));
        assert!(third.contains("| cut again | 12 | 5.0 | – | as it should |"), "{third}");
        assert!(third.contains("| killed | 12 | 5.0 | – | **failed**: a\\|b |"), "{third}");
        assert!(!third.contains("D1") && third.contains("D2") && third.contains("D3"), "{third}");
        assert_eq!(third.matches("\n## ").count(), 2, "{third}");
    }
}
