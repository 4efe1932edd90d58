//! The formats that programs read, read back by other people's readers.

use crate::facts::told;
use crate::made::{CASE, Case, SECOND, result, slice};
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use proofload_facts::{Finding, Limit};
use proofload_report::{Undecided, csv, csv_series, hlog, junit, markdown, markdown_within, of_run};
use proofload_store::schema::{Environment, ExpectationResult, Slice, Telemetry};
use proofload_store::{Run, RunWriter};
use std::collections::BTreeMap;

/// The measured slices of a block, with what a telemetry might have seen in the first.
fn slices() -> Vec<Slice> {
    let mut slices: Vec<Slice> = (0..4).map(|n| slice(CASE, 1, n / 2 + 1, n as usize % 2)).collect();
    for (n, slice) in slices.iter_mut().enumerate() {
        slice.started_unix_ns += n as u64 * 2 * SECOND;
        slice.measured.per_second = vec![9_000 + n as u64, 1_000];
    }
    slices[0].telemetry = Some(Telemetry {
        period_ns: SECOND / 2,
        at_ns: vec![0, SECOND / 2],
        series: BTreeMap::from([("rss_bytes".into(), vec![Some(1 << 20), None])]),
        ..Telemetry::default()
    });
    slices
}

fn elements(document: &roxmltree::Document<'_>, name: &str) -> usize {
    document.descendants().filter(|node| node.has_tag_name(name)).count()
}

#[test]
fn junit_has_a_case_for_each_claim_and_one_for_the_run() {
    let good = junit(&result(CASE), Undecided::Skip);
    insta::assert_snapshot!("supported.junit.xml", good);
    let document = roxmltree::Document::parse(&good).expect("XML");
    assert_eq!(elements(&document, "testcase"), 3);
    assert_eq!(
        elements(&document, "failure") + elements(&document, "skipped") + elements(&document, "error"),
        0
    );
    let refuted = junit(&result(Case { ratio: 0.9, ..CASE }), Undecided::Skip);
    insta::assert_snapshot!("refuted.junit.xml", refuted);
    let document = roxmltree::Document::parse(&refuted).expect("XML");
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
    assert_eq!((suite.attribute("tests"), suite.attribute("failures")), (Some("3"), Some("1")));
    assert_eq!(elements(&document, "failure"), 1);
}

#[test]
fn an_undecided_claim_is_skipped_or_fails_as_asked() {
    let undecided = result(Case { ratio: 1.01, wobble: 0.03, ..CASE });
    for (wish, skipped, failed) in [(Undecided::Skip, 1, 0), (Undecided::Fail, 0, 1)] {
        let text = junit(&undecided, wish);
        let document = roxmltree::Document::parse(&text).expect("XML");
        assert_eq!(
            (elements(&document, "skipped"), elements(&document, "failure")),
            (skipped, failed),
            "{text}"
        );
        assert!(text.contains("the interval allows both"), "{text}");
    }
}

#[test]
fn an_expectation_is_a_case_of_junit_too() {
    let mut result = result(CASE);
    for (outcome, failed) in [("met", 0), ("not met", 1)] {
        let row =
            ExpectationResult { quantity: "p99(nio)".into(), outcome: outcome.into(), ..Default::default() };
        result.expectations = vec![row];
        let text = junit(&result, Undecided::Skip);
        let document = roxmltree::Document::parse(&text).expect("XML");
        assert_eq!((elements(&document, "testcase"), elements(&document, "failure")), (4, failed), "{text}");
    }
}

#[test]
fn a_run_that_proves_nothing_is_an_error_in_junit() {
    let mut unfit = result(Case { fit: false, ..CASE });
    let mut interrupted = result(CASE);
    interrupted.status.state = "interrupted".into();
    interrupted.status.why = Some(Finding::StoppedBySignal);
    for result in [&unfit, &interrupted] {
        let text = junit(result, Undecided::Skip);
        let document = roxmltree::Document::parse(&text).expect("XML");
        assert_eq!(elements(&document, "error"), 1, "{text}");
    }
    unfit.claims.clear();
    unfit.points.clear();
    let text = junit(&unfit, Undecided::Skip);
    assert!(text.contains("nothing was answered"), "{text}");
}

#[test]
fn csv_has_every_figure_with_its_interval_and_every_count() {
    let result = result(CASE);
    let text = csv(&result);
    // The last digits of the figures are the C library's business.
    let counted: Vec<&str> =
        text.lines().filter(|line| line.starts_with("variant,") || line.contains(",total.")).collect();
    insta::assert_snapshot!("supported.csv", counted.join("\n"));
    assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains('\n'));
    let rows: Vec<csv::StringRecord> = records(&text);
    let throughput =
        rows.iter().find(|row| &row[0] == "nio2" && &row[3] == "throughput").expect("a throughput");
    let figure =
        result.figures.iter().find(|figure| figure.variant == "nio2" && figure.measure == "throughput");
    let estimate = figure.and_then(|figure| figure.estimate.as_ref()).expect("an estimate");
    assert_eq!(throughput[5].parse::<f64>().expect("a number"), estimate.point);
    assert_eq!(throughput[6].parse::<f64>().ok(), estimate.low);
    assert_eq!(&throughput[9], "4");
    let answered: Vec<&str> =
        rows.iter().filter(|row| &row[3] == "outcome.answered").map(|row| &row[5]).collect();
    let outcomes: Vec<String> =
        result.points.iter().map(|point| point.outcomes["answered"].to_string()).collect();
    assert_eq!(answered, outcomes);
}

fn records(text: &str) -> Vec<csv::StringRecord> {
    csv::Reader::from_reader(text.as_bytes()).records().collect::<Result<_, _>>().expect("CSV")
}

/// The limits of a run of one block, each slice of which was changed.
fn limits_with(change: &dyn Fn(&mut Slice)) -> Vec<Limit> {
    let root = tempfile::tempdir().expect("a directory");
    let plan = crate::made::plan(Case { blocks: 1, ..CASE });
    let mut record =
        RunWriter::create(root.path(), &plan, &Environment::default(), SECOND).expect("a record");
    let mut block = record.begin_block(1).expect("a block");
    for (cycle, variant) in [(1, 0), (1, 1), (2, 1), (2, 0)] {
        let mut slice = slice(CASE, 1, cycle, variant);
        change(&mut slice);
        block.append(&slice).expect("written");
    }
    block.finish().expect("whole");
    of_run(&Run::open(record.path()).expect("readable")).expect("a result").limits
}

#[test]
fn a_jvm_is_spoken_of_where_there_is_one() {
    for jvm in [false, true] {
        let limits = limits_with(&|slice| {
            slice.measured.subject.as_mut().expect("a subject").gc_ns = jvm.then_some(5);
        });
        assert!(told(&limits).iter().any(|limit| limit.starts_with("young servers, 14 s to ")));
        assert_eq!(told(&limits).iter().any(|limit| limit.contains("JVM")), jvm, "{limits:?}");
    }
}

#[test]
fn a_server_of_which_more_was_asked_than_it_serves_is_named() {
    let said = |change: &dyn Fn(&mut Slice)| {
        let mut limits = limits_with(&|slice| {
            slice.measured.model = "open".into();
            slice.measured.intended = slice.answered_in_window;
            if slice.measured.variant == "nio2" {
                change(slice);
            }
        });
        limits.retain(|limit| matches!(limit, Limit::Overloaded { .. }));
        told(&limits)
    };
    let half = |slice: &mut Slice| slice.measured.intended *= 2;
    let found = said(&half);
    assert!(found.len() == 1 && found[0].contains("nio2 @ 64c completed only 50 %"), "{found:?}");
    assert!(said(&|slice| slice.measured.intended += slice.measured.intended / 25).is_empty(), "4 % more");
    let closed = |slice: &mut Slice| {
        half(slice);
        slice.measured.model = "closed".into();
    };
    assert!(said(&closed).is_empty(), "a closed loop waits for its server");
    let unfit = |slice: &mut Slice| {
        half(slice);
        slice.measured.generator.fit = false;
    };
    assert!(said(&unfit).is_empty(), "it may be the generator that fell behind");
    let failed = |slice: &mut Slice| {
        half(slice);
        let errors = slice.answered_in_window;
        slice.measured.outcomes.insert("timeout".into(), errors);
    };
    assert!(said(&failed).is_empty(), "an error is an end");
    let unended = |slice: &mut Slice| {
        half(slice);
        let each = slice.answered_in_window;
        slice.measured.outcomes.extend([("unsent".into(), each), ("unanswered".into(), each)]);
    };
    assert_eq!(said(&unended).len(), 1, "what was never sent, or given up, did not end");
}

#[test]
fn csv_series_has_each_second_and_each_sample() {
    let slices = slices();
    let text = csv_series(&slices.iter().collect::<Vec<_>>());
    insta::assert_snapshot!("series.csv", text);
    let rows = records(&text);
    assert_eq!(rows.len(), 4 * 2 + 2);
    let unknown = rows.iter().find(|row| &row[9] == "rss_bytes" && &row[8] == "500000000").expect("a sample");
    assert_eq!(&unknown[10], "", "what was not measured is not zero");
}

#[test]
fn the_histogram_log_is_read_back_by_hdrhistogram() {
    let slices = slices();
    let mut backwards: Vec<&Slice> = slices.iter().rev().collect();
    let silent = Slice { histograms: Default::default(), ..slices[3].clone() };
    backwards[0] = &silent;
    let warm_up = Slice { phase: "warm-up".into(), ..slices[0].clone() };
    backwards.push(&warm_up);
    let text = hlog(&backwards);
    assert!(text.starts_with("#[Histogram log format version 1.3]\n"), "{text}");
    let (mut starts, mut read) = (0, Vec::new());
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        match entry.expect("a line") {
            LogEntry::StartTime(time) | LogEntry::BaseTime(time) => {
                assert_eq!(time.as_secs(), 1_790_000_000);
                starts += 1;
            }
            LogEntry::Interval(interval) => read.push(interval),
        }
    }
    assert_eq!((starts, read.len()), (2, 8));
    for (n, slice) in slices.iter().enumerate() {
        let interval = &read[2 * n];
        let tag = interval.tag().expect("a tag");
        assert_eq!(tag.as_str(), format!("{}@64c", slice.measured.variant));
        assert_eq!(interval.start_timestamp().as_secs(), 2 * n as u64);
        assert_eq!(interval.duration().as_secs_f64(), slice.measured.seconds);
        let bytes = data_encoding::BASE64.decode(interval.encoded_histogram().as_bytes());
        let histogram: hdrhistogram::Histogram<u64> =
            Deserializer::new().deserialize(&mut bytes.expect("base64").as_slice()).expect("a histogram");
        let durations = &slice.measured.response_time_ns;
        let count = if n == 3 { 0 } else { durations.count };
        assert_eq!(histogram.len(), count);
        if n < 3 {
            assert_eq!(Some(histogram.value_at_quantile(0.99)), durations.p99);
            assert!((interval.max() - durations.max.expect("one") as f64 / 1e6).abs() < 0.001);
        }
        assert!(read[2 * n + 1].tag().expect("a tag").as_str().ends_with("@64c/service_time"));
    }
}

#[test]
fn markdown_is_short_enough_for_a_comment_whatever_a_study_holds() {
    let mut result = result(CASE);
    result.claims[0].sentence = format!("{}and the end of it.", "a long sentence ".repeat(60));
    let whole = markdown(&result);
    assert!(whole.contains("<details>") && !whole.contains("Left out"), "{whole}");
    assert!(whole.contains("and the end of it."), "the verdict stands at its end: {whole}");
    for n in 0..300 {
        let mut claim = result.claims[0].clone();
        claim.name = format!("claim {n} {}", "long ".repeat(200));
        result.claims.push(claim);
        result.limits.push(Limit::Legacy("a limit that goes on and on ".repeat(20)));
    }
    let text = markdown(&result);
    assert!(text.chars().count() < 65_536, "{}", text.len());
    assert!(
        text.starts_with("# ✔ connectors\n\n**✔ nio2 serves") && text.contains("**✔ 302 supported**"),
        "{}",
        &text[..200]
    );
    assert!(text.contains("more\n") && text.contains("Left out for length"), "{}", &text[text.len() - 400..]);
    let left_out = text.lines().find(|line| line.starts_with("Left out")).expect("what is left out");
    for title in ["What was found of each claim", "Exploratory: no claim", "Limits of this test"] {
        assert!(left_out.contains(title), "{title} is not in {left_out}");
    }
    assert!(left_out.matches("Figures").count() <= 1, "{left_out}");
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    for room in [0, 50, 500, 5_000, 50_000, 1 << 20] {
        assert!(markdown_within(&result, room).len() <= room);
    }
    assert_eq!(markdown_within(&result, 50), "", "what does not fit at all is left to the caller");
}
