//! Metrics in the documents and in the dashboard. `UPDATE=1` writes the table of docs/monitoring.md.

use proofload_serve::metrics::{ALL, About, Kind};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn document(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (path, text)
}

/// A metric as the table has it.
fn row(about: &About) -> String {
    let kind = match about.kind {
        Kind::Histogram => " (histogram)",
        _ => "",
    };
    format!("| `{}`{kind} | {} | {} |\n", about.in_prometheus(), about.labels.join(", "), about.help)
}

#[test]
fn the_table_of_metrics_is_the_catalogue() {
    const HEAD: &str = "| metric | labels | |\n| --- | --- | --- |\n";
    let (path, text) = document("monitoring.md");
    let (before, rest) = text.split_once(HEAD).expect("the head of the table");
    let (_, after) = rest.split_once("\n\n").expect("an end of the table");
    let rows: String = ALL.iter().map(|about| row(about)).collect();
    let right = format!("{before}{HEAD}{rows}\n{after}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &right).expect("writable");
    }
    assert!(text == right || std::env::var_os("UPDATE").is_some(), "UPDATE=1 writes the table");
}

/// Names of metrics in a query, each with the labels that it is asked by.
fn asked(query: &str) -> Vec<(String, Vec<String>)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = query;
    while let Some(at) = rest.find("proofload_") {
        let name: String = rest[at..].chars().take_while(|c| is_name(*c)).collect();
        rest = &rest[at + name.len()..];
        let within =
            rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map_or("", |(within, _)| within);
        let labels = within.split(", ").filter(|part| !part.is_empty());
        let label = |part: &str| part.chars().take_while(|c| is_name(*c)).collect();
        found.push((name, labels.map(label).collect()));
    }
    found
}

fn known(name: &str) -> Option<&'static About> {
    let is_it = |about: &&&About| {
        let own = about.in_prometheus();
        let endings = ["_bucket", "_sum", "_count"].map(|ending| format!("{own}{ending}"));
        if about.kind == Kind::Histogram { endings.contains(&name.to_string()) } else { own == name }
    };
    ALL.iter().find(is_it).copied()
}

#[test]
fn the_dashboard_asks_for_what_there_is_and_each_panel_says_what_it_shows() {
    let (_, text) = document("grafana/proofload.json");
    let board: Value = serde_json::from_str(&text).expect("JSON");
    let panels = board["panels"].as_array().expect("panels");
    let mut shown = BTreeSet::new();
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        let title = panel["title"].as_str().expect("a title");
        assert!(!title.is_empty() && panel["fieldConfig"]["defaults"]["unit"].is_string(), "{panel}");
        let targets = panel["targets"].as_array().expect("targets");
        assert!(!targets.is_empty(), "{title}");
        for target in targets {
            let query = target["expr"].as_str().expect("a query");
            let metrics = asked(query);
            assert!(!metrics.is_empty(), "{title}: {query}");
            for (name, labels) in metrics {
                let about = known(&name).unwrap_or_else(|| panic!("{title}: no metric {name}"));
                let of = |label: &String| label == "study" || about.labels.contains(&label.as_str());
                assert!(labels.iter().all(of), "{title}: {name} has not all of {labels:?}");
                shown.insert(about.name);
            }
        }
    }
    let variables = board["templating"]["list"].as_array().expect("variables").iter();
    for query in variables.filter_map(|variable| variable["definition"].as_str()) {
        assert!(asked(query).iter().all(|(name, _)| known(name).is_some()), "{query}");
    }
    assert!(shown.len() > 35, "most of them: {}", shown.len());
}

#[test]
fn a_metric_that_is_not_there_is_noticed() {
    assert!(known("proofload_exchanges").is_none() && known("proofload_response_time_seconds").is_none());
    let found = asked("rate(proofload_a_total{study=~\"$study\", phase=\"measure\"}[1m]) / proofload_b");
    let label = |name: &str| name.to_string();
    assert_eq!(
        found,
        [(label("proofload_a_total"), vec![label("study"), label("phase")]), (label("proofload_b"), vec![])]
    );
}
