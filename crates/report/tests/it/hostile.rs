//! Texts of strangers in every place that a stranger can write to, drawn in every format. What a format holds besides
//! the text itself must be what it holds with a harmless one: an escape that is missing changes the structure.

use crate::made::{CASE, Case, result, slice};
use crate::page::read_only;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use proofload_facts::{Finding, Limit, Reason};
use proofload_language::Language;
use proofload_measure::Outcome;
use proofload_report::{
    Undecided, csv, csv_series, escape, hlog, html, json, junit, markdown, markdown_within, text,
};
use proofload_store::bad_answer;
use proofload_store::schema::{
    AddressUse, CapacityResult, CapacityTrial, ConclusionResult, ConclusionTest, Estimate, ExpectationResult,
    Exploratory, FactorEffect, FactorTable, LevelChange, PublishedContradiction, PublishedFigure,
    RequestFigures, RunResult, Scalability, Slice, SliceLength, Slicing, SteadyStart, SteadyState, Telemetry,
    TrendResult,
};
use proofload_testkit::HOSTILE;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Replacement of a hostile text where a format's structure is counted.
const HARMLESS: &str = "word";

/// A result and slices with that text in every place that comes from a study, a server or a machine.
fn poisoned(text: &str) -> (RunResult, Vec<Slice>) {
    static CLEAN: OnceLock<(RunResult, Vec<Slice>)> = OnceLock::new();
    let clean = || (result(Case { blocks: 1, ..CASE }), vec![slice(CASE, 1, 1, 0), slice(CASE, 1, 1, 1)]);
    let (mut result, mut slices) = CLEAN.get_or_init(clean).clone();
    let text = text.to_string();
    result.study.clone_from(&text);
    result.question.clone_from(&text);
    result.status.why = Some(Finding::Legacy(text.clone()));
    result.limits = vec![Limit::Legacy(text.clone()), Limit::BaselineLacks { what: text.clone() }];
    for claim in &mut result.claims {
        claim.name.clone_from(&text);
        claim.text.clone_from(&text);
        claim.sentence.clone_from(&text);
        claim.reasons = vec![Reason::Legacy(text.clone()); 2];
    }
    for point in &mut result.points {
        point.variant.clone_from(&text);
        point.point.clone_from(&text);
        point.stream.clone_from(&text);
        point.generator.findings = vec![Finding::failed(&text)];
        point.addresses = vec![AddressUse { address: text.clone(), refused: 1, ..AddressUse::default() }];
        point.bad_answers = vec![bad_answer(Outcome::Rejected, &text, text.as_bytes(), &[])];
    }
    for figure in &mut result.figures {
        figure.variant.clone_from(&text);
        figure.point.clone_from(&text);
        figure.stream.clone_from(&text);
    }
    result.scalability = vec![Scalability {
        variant: text.clone(),
        most: Some(Estimate::default()),
        reasons: vec![Reason::Legacy(text.clone())],
        ..Scalability::default()
    }];
    let change = LevelChange { factor: text.clone(), from: text.clone(), to: text.clone() };
    result.factors = Some(FactorTable {
        effects: vec![FactorEffect {
            measure: text.clone(),
            point: text.clone(),
            changes: vec![change.clone(), change],
            finding: text.clone(),
            ..FactorEffect::default()
        }],
        reasons: vec![Reason::Legacy(text.clone())],
        ..FactorTable::default()
    });
    poison_published(&mut result, &text);
    poison_tables(&mut result, &text);
    let plan = result.plan.as_mut().expect("a plan");
    for variant in &mut plan.variants {
        variant.name.clone_from(&text);
        variant.description.clone_from(&text);
    }
    plan.workload = vec![text.clone()];
    result.environment.cpu_model.clone_from(&text);
    result.environment.facts = BTreeMap::from([(text.clone(), text.clone())]);
    for slice in &mut slices {
        slice.measured.variant.clone_from(&text);
        slice.measured.point.clone_from(&text);
        slice.measured.stream.clone_from(&text);
        slice.measured.per_second = vec![1];
        let series = BTreeMap::from([(text.clone(), vec![Some(1)])]);
        slice.telemetry = Some(Telemetry { at_ns: vec![0], series, ..Telemetry::default() });
    }
    (result, slices)
}

/// Texts in tables and cards of their own: published figures, and their outcomes.
fn poison_published(result: &mut RunResult, text: &str) {
    let text = text.to_string();
    result.conclusions = vec![ConclusionResult {
        says: text.clone(),
        outcome: text.as_str().into(),
        was: text.clone(),
        beware: text.clone(),
        tests: vec![ConclusionTest { text: text.clone(), ..ConclusionTest::default() }; 2],
        not_tested: vec![Finding::NotTestedByStudy { why: text.clone() }],
        contradictions: vec![Reason::Legacy(text.clone())],
        source: text.clone(),
        url: text.clone(),
    }];
    result.contradictions = vec![PublishedContradiction {
        source: text.clone(),
        variant: text.clone(),
        point: text.clone(),
        stream: text.clone(),
        measures: vec![text.clone()],
        what: Reason::AboveWhole { place: text.clone(), measure: text.clone() },
    }];
}

fn poison_tables(result: &mut RunResult, text: &str) {
    let text = text.to_string();
    for point in &mut result.points {
        let outcomes = BTreeMap::from([("rejected".into(), 3), ("answered".into(), 2)]);
        let of = |name: &str| RequestFigures {
            name: name.into(),
            outcomes: outcomes.clone(),
            ..Default::default()
        };
        // What all have is told of none.
        let good = RequestFigures { outcomes: BTreeMap::from([("answered".into(), 9)]), ..of("/good") };
        point.requests = vec![of(&text), good];
        point.bad_answers.iter_mut().for_each(|bad| bad.request.clone_from(&text));
    }
    let estimate = || Some(Estimate { low: Some(0.5), high: Some(1.5), point: 1.0, unit: "ratio".into() });
    result.exploratory = vec![Exploratory {
        measure: text.clone(),
        over: text.clone(),
        under: text.clone(),
        point: text.clone(),
        ratio: estimate(),
        reasons: vec![Reason::Legacy(text.clone())],
        ..Exploratory::default()
    }];
    result.trends = vec![TrendResult {
        variant: text.clone(),
        point: text.clone(),
        stream: text.clone(),
        measure: text.clone(),
        verdict: text.as_str().into(),
        per_hour: estimate(),
        level: Some(1.0),
        reasons: vec![Reason::Legacy(text.clone()); 2],
        ..TrendResult::default()
    }];
    result.expectations = vec![ExpectationResult {
        quantity: text.clone(),
        range: text.clone(),
        source: text.clone(),
        outcome: "undecided".into(),
        reasons: vec![Reason::Legacy(text.clone())],
        ..ExpectationResult::default()
    }];
    result.published = vec![PublishedFigure {
        quantity: text.clone(),
        source: text.clone(),
        url: text.clone(),
        ..PublishedFigure::default()
    }];
    let unsteady = SteadyStart { found: "no_steady_state".into(), ..SteadyStart::default() };
    result.steady_states = vec![SteadyState { variant: text.clone(), starts: vec![unsteady] }];
    result.slicing = Some(Slicing { claim: text.clone(), ..Slicing::default() });
    result.slice_length = Some(SliceLength { claim: text.clone(), ..SliceLength::default() });
}

/// The same as the result of a search.
fn poisoned_search(text: &str) -> RunResult {
    let (mut result, _) = poisoned(text);
    let trial = CapacityTrial {
        stage: text.into(),
        outcome: text.into(),
        values: BTreeMap::from([(text.to_string(), Some(1.0))]),
        why: vec![Finding::failed(text); 2],
        ..CapacityTrial::default()
    };
    result.capacities = vec![CapacityResult {
        variant: text.to_string(),
        slo: vec![text.to_string()],
        answer: text.into(),
        sentence: text.to_string(),
        reasons: vec![Reason::Legacy(text.to_string())],
        trials: vec![trial],
        ..CapacityResult::default()
    }];
    result
}

/// In each language, the same with a harmless text of as many lines, for a text that may keep its line breaks.
fn for_each(check: impl Fn(&str, &RunResult, &[&Slice], &RunResult, &[&Slice])) {
    let (calm, calm_slices) = poisoned(HARMLESS);
    let calm_search = poisoned_search(HARMLESS);
    for hostile in HOSTILE {
        let (result, slices) = poisoned(hostile);
        for language in Language::ALL {
            language.within(|| {
                check(hostile, &result, &refs(&slices), &calm, &refs(&calm_slices));
                check(hostile, &poisoned_search(hostile), &refs(&slices), &calm_search, &refs(&calm_slices));
            });
        }
    }
}

fn refs(slices: &[Slice]) -> Vec<&Slice> {
    slices.iter().collect()
}

/// Occurrences of each of these characters in a text.
fn census(text: &str, of: &str) -> BTreeMap<char, usize> {
    of.chars().map(|c| (c, text.matches(c).count())).collect()
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[test]
fn no_control_character_reaches_a_terminal() {
    for_each(|hostile, result, _, _, _| {
        let shown = text(result, false);
        let odd = shown.chars().find(|c| (c.is_control() && *c != '\n' && *c != '\t') || invisible(*c));
        assert_eq!(odd, None, "{hostile:?}");
    });
}

#[test]
fn a_page_has_the_tags_that_it_has_anyway() {
    for_each(|hostile, result, _, calm, _| {
        let (page, calm) = (read_only(&html(result, &[])), read_only(&html(calm, &[])));
        assert_eq!(census(&page, "<>\"'"), census(&calm, "<>\"'"), "{hostile:?}");
        // Every ampersand begins one of our entities.
        let ours = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
        let entities: usize = ours.iter().map(|entity| page.matches(entity).count()).sum();
        assert_eq!(page.matches('&').count(), entities, "{hostile:?}");
        assert!(
            !page.chars().any(|c| (c.is_control() && !"\n\t".contains(c)) || invisible(c)),
            "{hostile:?}"
        );
    });
}

/// Markdown without what was escaped in it: entities and backslashed characters.
fn bare(marked: &str) -> String {
    let mut out = String::new();
    let mut chars = marked.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let next = chars.next();
                assert!(next.is_some_and(|c| c.is_ascii_punctuation()), "a backslash before {next:?}");
            }
            c => out.push(c),
        }
    }
    for entity in ["&lt;", "&gt;", "&amp;", "&#64;", "&#35;"] {
        out = out.replace(entity, "");
    }
    out
}

#[test]
fn markdown_and_the_github_summary_have_the_markup_that_they_have_anyway() {
    for_each(|hostile, result, _, calm, _| {
        for (marked, calm) in [
            (markdown(result), markdown(calm)),
            (markdown_within(result, 1 << 20), markdown_within(calm, 1 << 20)),
        ] {
            let (marked, calm) = (bare(&marked), bare(&calm));
            let markup = "<>|`*_[]!~$@#&\\\n\r\t";
            assert_eq!(census(&marked, markup), census(&calm, markup), "{hostile:?}\n{marked}");
            assert!(!marked.chars().any(|c| (c.is_control() && c != '\n') || invisible(c)), "{hostile:?}");
            let begins = |text: &str| text.lines().filter(|line| line.starts_with(['-', '+', '='])).count();
            assert_eq!(begins(&marked), begins(&calm), "{hostile:?}");
        }
    });
}

#[test]
fn a_spreadsheet_finds_no_formula_and_no_further_cell() {
    for_each(|hostile, result, slices, calm, calm_slices| {
        let pairs = [(csv(result), csv(calm), 10), (csv_series(slices), csv_series(calm_slices), 11)];
        for (table, calm, columns) in pairs {
            let read = |text: &str| -> Vec<csv::StringRecord> {
                csv::Reader::from_reader(text.as_bytes()).records().collect::<Result<_, _>>().expect("CSV")
            };
            let rows = read(&table);
            assert_eq!(rows.len(), read(&calm).len(), "{hostile:?}");
            for cell in rows.iter().inspect(|row| assert_eq!(row.len(), columns)).flatten() {
                let is_number = cell.parse::<f64>().is_ok();
                let first = cell.trim_start_matches([' ', '\t', '\n', '\r']).chars().next();
                let begins = first.is_some_and(|c| "=+-@＝＋－＠".contains(c));
                assert!(is_number || !begins, "{hostile:?} gives {cell:?}");
                assert!(!cell.contains(['\r', '\0', '\u{1b}']) && !cell.starts_with('\t'), "{hostile:?}");
            }
        }
    });
}

#[test]
fn junit_is_well_formed_and_has_the_elements_that_it_has_anyway() {
    let names = |text: &str| -> Vec<String> {
        let document = roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        document
            .descendants()
            .filter(|node| node.is_element())
            .map(|node| node.tag_name().name().into())
            .collect()
    };
    for_each(|hostile, result, _, calm, _| {
        let (shown, calm) = (junit(result, Undecided::Fail), junit(calm, Undecided::Fail));
        assert_eq!(names(&shown), names(&calm), "{hostile:?}");
        let forbidden = |c: char| {
            (c.is_control() && !"\n\t".contains(c)) || matches!(c, '\u{fffe}' | '\u{ffff}') || invisible(c)
        };
        assert!(!shown.chars().any(forbidden), "{hostile:?}");
        let document = roxmltree::Document::parse(&shown).expect("XML");
        let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
        let kept: String = hostile.chars().filter(|c| c.is_alphanumeric()).collect();
        let name = suite.attribute("name").expect("a name");
        assert!(name.chars().filter(|c| kept.contains(*c)).count() >= kept.chars().count(), "{name}");
    });
}

#[test]
fn json_gives_the_text_back_as_it_was() {
    for_each(|hostile, result, _, _, _| {
        let shown = json(result);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{hostile:?}");
        let value: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(value["study"], hostile);
        assert_eq!(value["claims"][0]["reasons"][0], hostile);
    });
}

#[test]
fn a_histogram_log_has_no_further_line_and_no_broken_tag() {
    for_each(|hostile, _, slices, _, calm| {
        let log = hlog(slices);
        assert_eq!(log.lines().count(), hlog(calm).lines().count(), "{hostile:?}");
        let entries: Vec<_> =
            IntervalLogIterator::new(log.as_bytes()).collect::<Result<_, _>>().expect("a log");
        let tags = entries.iter().filter_map(|entry| match entry {
            LogEntry::Interval(interval) => interval.tag(),
            _ => None,
        });
        let expected = escape::tag(&format!("{hostile}/{hostile}@{hostile}"));
        let tags: Vec<String> = tags.map(|tag| tag.as_str().to_string()).collect();
        assert_eq!(tags.len(), 2 * slices.len(), "{hostile:?}");
        assert!(tags.iter().all(|tag| tag.starts_with(&expected) && tag.is_ascii()), "{hostile:?}: {tags:?}");
    });
}
