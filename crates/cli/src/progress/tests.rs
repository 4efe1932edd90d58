//! Content of the live view, on a screen of 80 columns and 24 lines and on one of 120 and 40.

use super::board::Board;
use super::canvas::Buffer;
use super::rows::Away;
use super::url::{Endpoint, Reading};
use super::{ansi, draw, frame};
use proofload_engine::Extent;
use proofload_lab::runner::Progress;
use proofload_language::Language;
use proofload_stats::{
    Claim, Estimate, Judged, Judgement, Names, Outlook, Scope, Selector, Verdict, parse_claim,
};
use proofload_store::schema::{
    Durations, LoadPoint, Phase, Plan, Point, Replication, Slice, SubjectUse, Timing, Variant,
};
use proofload_testkit::HOSTILE;
use std::collections::BTreeMap;

const SECOND_NS: u64 = 1_000_000_000;
const SCREENS: [(u16, u16); 2] = [(80, 24), (120, 40)];

fn plain(buffer: &Buffer) -> String {
    ansi::lines(buffer, false).into_iter().map(|line| line.text + "\n").collect()
}

fn of_board(board: &Board, (columns, lines): (u16, u16)) -> Buffer {
    frame(columns, lines, |lines| draw::height(board, lines), |area, buffer| draw::draw(board, area, buffer))
}

fn on_both(draw: impl Fn((u16, u16)) -> Buffer) -> String {
    SCREENS.map(|screen| format!("{} x {}\n{}", screen.0, screen.1, plain(&draw(screen)))).join("\n")
}

/// An endpoint that has been measured for `seconds` seconds of 30.
fn endpoint(title: &str, seconds: u64) -> Endpoint {
    let extent = Extent::DurationNs(30 * SECOND_NS);
    let mut endpoint = Endpoint::new(title, extent, SECOND_NS, 1, Reading::default());
    for tick in 1..=5 * seconds {
        let wave = (tick as f64 / 9.0).sin();
        endpoint.read(Reading {
            at_ns: tick * SECOND_NS / 5,
            answered: tick * 1_200 + (400.0 * wave) as u64,
            failed: if tick > 40 { (tick - 40) / 3 } else { 0 },
            p50_ns: if tick < 5 { 0 } else { 412_000 + (20_000.0 * wave) as u64 },
            p99_ns: if tick < 5 { 0 } else { 1_830_000 + (700_000.0 * wave) as u64 },
            cpu_ns: tick * 84_000_000,
        });
    }
    endpoint
}

fn of_endpoint(endpoint: &Endpoint, (columns, lines): (u16, u16)) -> Buffer {
    frame(columns, lines, |_| endpoint.height(), |area, buffer| endpoint.draw(area, buffer))
}

fn plan(variants: &[&str]) -> Plan {
    Plan {
        study: "quickstart".to_string(),
        question: "Does a server that works 40 µs on a request serve more than one that works 50 µs?"
            .to_string(),
        replication: Replication::Start,
        variants: variants
            .iter()
            .map(|name| Variant { name: name.to_string(), ..Variant::default() })
            .collect(),
        points: vec![LoadPoint { label: "16c".to_string(), ..LoadPoint::default() }],
        timing: Timing { looks: vec![4, 6, 12], budget_ns: 480 * SECOND_NS, ..Timing::default() },
        estimated_seconds: 360.0,
        ..Plan::default()
    }
}

fn claims(plan: &Plan, named: &[(&str, &str)]) -> Vec<Claim> {
    let selector = |variant: &Variant| Selector { name: variant.name.clone(), levels: Vec::new() };
    let names = Names {
        variants: plan.variants.iter().map(selector).collect(),
        points: vec!["16c".to_string()],
        ..Names::default()
    };
    named.iter().flat_map(|(name, text)| parse_claim(name, text, &names).expect("a claim")).collect()
}

const NAMED: [(&str, &str); 2] = [
    ("less work, more served", "throughput(fast) > throughput(slow)"),
    ("half as long at the tail", "p99(fast) < 0.5 * p99(slow)"),
];

/// A study of two servers with two claims, before its first step.
fn two() -> Board {
    let plan = plan(&["fast", "slow"]);
    Board::new(&plan, &claims(&plan, &NAMED), 0, 0)
}

fn slice(variant: &str, number: u32) -> Slice {
    let wave = (f64::from(number) / 3.0).sin();
    let slow = if variant == "slow" { 0.83 } else { 1.0 };
    let durations = Durations {
        p50: Some((640_000.0 / slow) as u64),
        p99: Some((1_100_000.0 / slow - 90_000.0 * wave) as u64),
        ..Durations::default()
    };
    let rate = 21_000.0 * slow + 700.0 * wave;
    Slice {
        block: 1 + number / 8,
        cycle: number % 8 + 1,
        position: 1,
        phase: Phase::Measure,
        measured: Point {
            variant: variant.to_string(),
            point: "16c".to_string(),
            seconds: 1.0,
            throughput_per_s: Some(rate),
            outcomes: BTreeMap::from([
                ("answered".to_string(), rate as u64),
                ("rejected".to_string(), u64::from(variant == "slow" && number == 3)),
            ]),
            response_time_ns: durations,
            subject: Some(SubjectUse {
                cpu_ns: Some((920_000_000.0 * slow) as u64),
                rss_bytes: Some(24 << 20),
                ..SubjectUse::default()
            }),
            ..Point::default()
        },
        ..Slice::default()
    }
}

fn measured(board: &mut Board, slices: u32, now_ns: u64) {
    for number in 0..slices {
        for variant in ["fast", "slow"] {
            board.step(&Progress::Measured { slice: &slice(variant, number) }, now_ns);
        }
    }
}

fn judged(verdict: Verdict, settled: bool, [point, low, high]: [f64; 3]) -> Judged {
    Judged {
        verdict,
        estimate: Some(Estimate { point, low, high, unit: "ratio", hodges_lehmann: point }),
        confidence: 0.95,
        blocks: 4,
        reasons: Vec::new(),
        settled,
        projection: None,
        scope: Scope::default(),
        borrowed: None,
    }
}

fn looked(board: &mut Board, blocks: u32, claims: Vec<Judged>, now_ns: u64) {
    let left = Some(Outlook { low: 2, median: 4, high: 8, last: 8 });
    board.step(
        &Progress::Look { blocks, judgement: &Judgement { claims, left, ..Judgement::default() } },
        now_ns,
    );
}

/// Two claims after four restarts, in the fifth.
fn after_a_look() -> Board {
    let mut board = two();
    for block in 1..=4_u32 {
        let begun_ns = u64::from(block - 1) * 40 * SECOND_NS;
        board.step(&Progress::Block { block, place: 1, of: 12 }, begun_ns);
        measured(&mut board, 8, begun_ns + 30 * SECOND_NS);
        let wide = 0.4 / f64::from(block);
        let claims = vec![
            judged(Verdict::Supported, block == 4, [1.22, 1.22 - wide, 1.22 + wide]),
            judged(Verdict::Undecided, false, [0.52, 0.52 - wide / 2.0, 0.52 + wide]),
        ];
        looked(&mut board, block, claims, begun_ns + 40 * SECOND_NS);
    }
    board.step(&Progress::Block { block: 5, place: 1, of: 12 }, 160 * SECOND_NS);
    board.step(&Progress::Slice { cycle: 3, of: 8, variant: "slow", point: "16c" }, 172 * SECOND_NS);
    board
}

#[test]
fn an_endpoint_in_the_middle_of_its_load() {
    let endpoint = endpoint("http://127.0.0.1:8080/ @ 64c", 12);
    insta::assert_snapshot!(on_both(|screen| of_endpoint(&endpoint, screen)));
}

/// The pictures of the documents are made of these texts by `cargo xtask picture`.
#[test]
fn the_texts_of_the_pictures_are_of_today() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    let pictures = [
        ("live-study.ansi", of_board(&after_a_look(), SCREENS[0])),
        ("live-url.ansi", of_endpoint(&endpoint("http://127.0.0.1:8080/ @ 64c", 12), SCREENS[0])),
    ];
    for (name, buffer) in pictures {
        let drawn: String = ansi::lines(&buffer, true).into_iter().map(|line| line.text + "\n").collect();
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(root.join(name), &drawn).expect("the folder of the pictures");
        }
        let found = std::fs::read_to_string(root.join(name)).unwrap_or_default();
        assert!(found == drawn, "{name}: run this test with INSTA_UPDATE=always, then cargo xtask picture");
    }
}

#[test]
fn a_number_of_requests_has_an_end_too() {
    let extent = Extent::Requests { count: 100_000, cap_ns: u64::MAX };
    let mut endpoint = Endpoint::new("http://127.0.0.1:8080/ @ 64c", extent, 0, 1, Reading::default());
    endpoint.read(Reading { at_ns: 5 * SECOND_NS, answered: 25_000, ..Reading::default() });
    let shown = plain(&of_endpoint(&endpoint, SCREENS[0]));
    assert!(shown.contains("25,000 of 100,000 requests, about 0:15 left"), "{shown}");
    assert!(shown.contains("5,000/s"), "{shown}");
}

#[test]
fn a_study_before_its_first_look() {
    let mut board = two();
    board.step(&Progress::Block { block: 1, place: 1, of: 12 }, 0);
    measured(&mut board, 3, 15 * SECOND_NS);
    board.step(&Progress::WarmUp { done: 0.4 }, 20 * SECOND_NS);
    insta::assert_snapshot!(on_both(|screen| of_board(&board, screen)));
}

#[test]
fn a_study_after_a_look_with_a_claim_that_is_nearly_settled() {
    let board = after_a_look();
    insta::assert_snapshot!(on_both(|screen| of_board(&board, screen)));
}

#[test]
fn claims_and_servers_that_do_not_fit_are_counted() {
    let names: Vec<String> = (1..=12).map(|n| format!("server-{n}")).collect();
    let plan = Plan {
        replication: Replication::Process,
        ..plan(&names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let named: Vec<(String, String)> = (2..=12)
        .map(|n| {
            (
                format!("server-1 serves more than {n}"),
                format!("throughput(server-1) > throughput(server-{n})"),
            )
        })
        .collect();
    let named: Vec<(&str, &str)> = named.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut board = Board::new(&plan, &claims(&plan, &named), 0, 0);
    let all =
        (1..=11).map(|n| judged(Verdict::Refuted, n > 9, [0.9, 0.9 - 0.01 * f64::from(n), 0.95])).collect();
    looked(&mut board, 4, all, 100 * SECOND_NS);
    insta::assert_snapshot!(on_both(|screen| of_board(&board, screen)));
}

#[test]
fn a_server_that_is_lost_and_one_that_is_settled() {
    let mut board = after_a_look();
    board.step(
        &Progress::Lost { block: 5, variant: "slow", why: &proofload_facts::Finding::failed("it died") },
        175 * SECOND_NS,
    );
    board.step(&Progress::Skipped { skipped: &["fast @ 16c".to_string()] }, 175 * SECOND_NS);
    insta::assert_snapshot!(plain(&of_board(&board, SCREENS[0])));
    board.step(&Progress::Block { block: 6, place: 1, of: 13 }, 200 * SECOND_NS);
    let away: Vec<Option<Away>> = board.servers.iter().map(|server| server.away).collect();
    assert_eq!(away, [Some(Away::Settled), None], "who was lost is started again");
}

#[test]
fn the_ends_of_an_interval_that_says_nothing_yet_are_left_out() {
    let mut board = two();
    let open = |ends| judged(Verdict::Undecided, false, ends);
    looked(&mut board, 2, vec![open([1.1, 0.01, 91.86]), open([150.0, 120.0, 180.0])], 0);
    let numbers: Vec<String> = board.claims.iter().map(|claim| claim.numbers()).collect();
    assert_eq!(numbers, ["1.10, still wide", "150 [120, 180]"]);
}

#[test]
fn streams_of_one_slice_are_one_turn() {
    let mut board = two();
    let stream = |name: &str| {
        let mut slice = slice("fast", 1);
        slice.measured.stream = name.to_string();
        slice
    };
    for name in ["reads", "writes"] {
        board.step(&Progress::Measured { slice: &stream(name) }, 0);
    }
    let server = &board.servers[0];
    let one = stream("reads").measured.throughput_per_s.unwrap();
    assert_eq!((server.rates.as_slice(), server.rate_per_s), ([2.0 * one].as_slice(), Some(2.0 * one)));
    assert!(server.memory_bytes.is_some(), "what the server used stands in the first stream");
}

#[test]
fn no_control_character_of_a_stranger_reaches_the_terminal() {
    for hostile in HOSTILE {
        let mut plan = plan(&[hostile, "slow"]);
        (plan.study, plan.question) = (hostile.to_string(), hostile.to_string());
        plan.points[0].label = hostile.to_string();
        let mut claims = claims(&super::tests::plan(&["fast", "slow"]), &NAMED);
        claims.iter_mut().for_each(|claim| claim.name = hostile.to_string());
        let mut board = Board::new(&plan, &claims, 0, 0);
        board.step(&Progress::Slice { cycle: 1, of: 2, variant: hostile, point: hostile }, 0);
        let endpoint = endpoint(hostile, 2);
        for screen in [SCREENS[0], SCREENS[1], (30, 12)] {
            for buffer in [of_board(&board, screen), of_endpoint(&endpoint, screen)] {
                let sent: String = ansi::lines(&buffer, false).into_iter().map(|line| line.text).collect();
                let invisible =
                    |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{feff}');
                assert!(!sent.chars().any(|c| c.is_control() || invisible(c)), "{hostile:?} gives {sent:?}");
            }
        }
    }
}

#[test]
fn every_size_of_a_terminal_is_drawn_on() {
    let (board, endpoint) = (after_a_look(), endpoint("http://127.0.0.1/", 3));
    for columns in 0..130 {
        for lines in 0..26 {
            for buffer in [of_board(&board, (columns, lines)), of_endpoint(&endpoint, (columns, lines))] {
                assert!(buffer.area.height <= 20 && buffer.area.height < lines.max(1));
                let widest =
                    ansi::lines(&buffer, true).into_iter().map(|line| line.columns).max().unwrap_or(0);
                assert!(widest < usize::from(columns.max(1)) || widest == 0);
            }
        }
    }
}

#[test]
fn in_chinese_no_line_is_wider_and_no_english_word_is_left() {
    let drawn = Language::Chinese.within(|| {
        let mut board = two();
        board.step(&Progress::Block { block: 1, place: 1, of: 12 }, 0);
        board.step(&Progress::Slice { cycle: 2, of: 8, variant: "fast", point: "16c" }, SECOND_NS);
        measured(&mut board, 9, 2 * SECOND_NS);
        on_both(|screen| of_board(&board, screen))
            + &on_both(|screen| of_endpoint(&endpoint("h @ 64c", 20), screen))
    });
    insta::assert_snapshot!(drawn);
    let widest = drawn.lines().map(unicode_width::UnicodeWidthStr::width).max();
    assert!(widest.is_some_and(|widest| widest < 120), "{drawn}");
    for word in ["restart", "claims", "errors", "left", "answered", "busy", "verdict"] {
        assert!(!drawn.contains(&format!("{word} ")), "{word}:\n{drawn}");
    }
}
