use super::*;
use crate::render::screen::screen;
use proofload_facts::Finding;
use proofload_store::durations_of;
use proofload_store::schema::{BadAnswer, FitnessCheck, Generator, Histograms, RunState};
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;

fn stalling() -> Slice {
    let mut times = LatencyHistogram::new();
    [(1_600_000, 61), (7 * MS, 31), (190 * MS, 8)].iter().for_each(|(ns, n)| times.record_many(*ns, n * 100));
    let check = FitnessCheck { check: CheckName::AtWork, found: Some(0.03), ..FitnessCheck::default() };
    let measured = Point {
        variant: "http://127.0.0.1:8184/".into(),
        point: "50c".into(),
        model: "closed".into(),
        connections: 50,
        seconds: 10.0,
        throughput_per_s: Some(1_000.0),
        outcomes: BTreeMap::from([("answered".into(), 10_000), ("rejected".into(), 100)]),
        response_time_ns: durations_of(&times),
        intended: 10_100,
        per_second: vec![1_100, 1_100, 400, 1_100, 1_100, 400, 1_100, 1_100, 400, 1_100],
        generator: Generator { fit: true, checks: vec![check], ..Generator::default() },
        bad_answers: vec![BadAnswer {
            outcome: "rejected".into(),
            what: "status 500\u{1b}[2J, expected 200 to 399".into(),
            ..BadAnswer::default()
        }],
        ..Point::default()
    };
    let histograms = Histograms { response_time: times.encode(), ..Histograms::default() };
    Slice { measured, histograms, ..Slice::default() }
}

fn drawn(change: impl Fn(&mut RunResult), columns: usize, colour: bool) -> String {
    let slice = stalling();
    let mut result = RunResult {
        points: vec![slice.measured.clone()],
        run: "runs/url/20260131T120000.123Z-00a1b2".into(),
        limits: vec![Limit::Silences {
            silences: 5,
            typical_ns: 200 * MS,
            longest_ns: 210 * MS,
            period_ns: Some(2_000 * MS),
            rate: "900/s".into(),
        }],
        ..RunResult::default()
    };
    result.status.state = RunState::Finished;
    change(&mut result);
    screen(&result, &[&slice], Terminal { colour, columns })
}

#[test]
fn one_screen_tells_what_came_how_long_it_took_and_what_to_beware_of() {
    insta::assert_snapshot!(drawn(|_| (), 80, false));
}

#[test]
fn answers_after_the_load_are_told_where_its_rate_leaves_many_out() {
    let told = |in_window| {
        let slice = Slice { answered_in_window: in_window, ..stalling() };
        after_the_load(&slice.measured, Some(&slice))
    };
    assert_eq!(told(7_600), "2,400 of them after the load");
    assert_eq!([told(9_900), told(10_000), told(10_050), told(0)], [""; 4]);
    assert_eq!(after_the_load(&stalling().measured, None), "");
}

#[test]
fn no_line_is_wider_than_the_terminal_and_the_last_is_the_headline() {
    for columns in [20, 40, 80, 200] {
        let text = drawn(|result| result.points[0].variant = "http://localhost/".repeat(9), columns, false);
        for line in text.lines() {
            assert!(line.width() <= columns, "{columns}: {line}");
        }
        assert!(text.lines().count() <= if columns < 80 { 60 } else { 20 }, "{text}");
    }
    let text = drawn(|_| (), 200, false);
    assert!(text.lines().last().is_some_and(|line| line.contains("answered per second")), "{text}");
}

#[test]
fn colours_are_beside_the_text_and_answers_cannot_bring_their_own() {
    let (plain, coloured) = (drawn(|_| (), 80, false), drawn(|_| (), 80, true));
    assert!(!plain.contains('\u{1b}') && plain.contains("\\u{1b}[2J"), "{plain}");
    assert!(coloured.contains("\u{1b}[31m") && coloured.contains("\u{1b}[33m⚠"), "{coloured}");
    let codes = ["\u{1b}[1m", "\u{1b}[31m", "\u{1b}[33m", "\u{1b}[36m", "\u{1b}[0m"];
    assert_eq!(codes.iter().fold(coloured, |text, code| text.replace(code, "")), plain);
}

#[test]
fn where_nothing_answered_that_is_the_first_thing_said_and_nothing_is_said_of_the_generator() {
    let text = drawn(
        |result| {
            let point = &mut result.points[0];
            point.outcomes = BTreeMap::from([("answered".into(), 0), ("connect_refused".into(), 15)]);
            point.generator.fit = false;
            point.generator.findings =
                vec![Finding::WorkerHeldUp { worker: 0, away_share: 0.3, allowed_share: 0.02 }];
            result.limits.clear();
        },
        80,
        false,
    );
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("✘ nothing answered: connection refused (15 times); start"), "{text}");
    assert!(!text.contains("generator") && !text.contains("client-limited"), "{text}");
    assert!(!text.contains("latency"), "{text}");
}

#[test]
fn the_reason_why_nothing_answered_is_the_first_thing_said() {
    let with = |kind: &'static str, what: &'static str, cause: Option<Finding>| {
        let text = drawn(
            |result| {
                let point = &mut result.points[0];
                point.outcomes = BTreeMap::from([("answered".into(), 0), (kind.into(), 8)]);
                point.bad_answers =
                    vec![BadAnswer { outcome: kind.into(), what: what.into(), ..BadAnswer::default() }];
                point.cause = cause.clone();
            },
            120,
            false,
        );
        text.lines().next().unwrap_or_default().to_owned()
    };
    let cause = Finding::SpeaksTls { authority: "shop.test:8443".into() };
    assert_eq!(
        with("closed_early", "the connection was closed; if it speaks TLS, write https://", Some(cause)),
        "✘ the port speaks TLS: write https://shop.test:8443; 8 of 8 failed: the connection was closed within an answer"
    );
    let refusal = "the proxy 192.0.2.1:3128 answered 403 to CONNECT shop.test:80";
    assert_eq!(with("connect_failed", refusal, None), format!("✘ 8 of 8 failed: {refusal}"));
}

#[test]
fn a_limit_of_the_generator_comes_first_and_three_warnings_are_enough() {
    let text = drawn(
        |result| {
            let point = &mut result.points[0];
            point.generator.fit = false;
            point.generator.findings = vec![Finding::SendsLate { p90_ns: 3 * MS, allowed_ns: MS }];
            (point.dropped, point.unsent) = (200, 300);
        },
        80,
        false,
    );
    let warnings: Vec<&str> = text.lines().filter(|line| line.starts_with("⚠")).collect();
    let [limited, dropped, unsent] = warnings[..] else { panic!("{text}") };
    assert!(
        limited.contains("client-limited, not the server's figures: sends left late")
            && dropped.contains("only a part of the planned load was offered: 200 of 10,100"),
        "{text}"
    );
    assert!(unsent.contains("overloaded"), "{text}");
    assert!(text.contains("and 1 more: -v") && !text.contains("generator fit"), "{text}");
}

#[test]
fn the_first_byte_has_a_line_where_the_rest_takes_markedly_longer() {
    let times = |ns: u64| {
        let mut times = LatencyHistogram::new();
        times.record_many(ns, 100);
        durations_of(&times)
    };
    let screen = |first_ns, whole_ns| {
        let change = |result: &mut RunResult| {
            let point = &mut result.points[0];
            (point.response_time_ns, point.first_byte_ns) = (times(whole_ns), times(first_ns));
            point.service_time_ns = times(whole_ns);
        };
        drawn(change, 80, false)
    };
    let shown = screen(120 * MS, 1_280 * MS);
    for line in [
        "  latency     p50 1.28   p90 1.28   p99 1.28   p99.9 1.28   max 1.28 s",
        "  first byte  p50 0.120   p90 0.120   p99 0.120   p99.9 0.120   max 0.120 s",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{shown}");
    }
    // By half, and by 1 ms.
    for (first_ns, whole_ns, is_shown) in [
        (20 * MS, 30 * MS, true),
        (20 * MS, 29 * MS, false),
        (40_000, 100_000, false),
        (40_000, 1_100_000, true),
    ] {
        assert_eq!(screen(first_ns, whole_ns).contains("first byte"), is_shown, "{first_ns} {whole_ns}");
    }
}
