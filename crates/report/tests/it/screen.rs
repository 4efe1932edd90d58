//! The one screen of a study: its content, and that nothing is wider or higher than a terminal.

use crate::made::{CASE, Case, plan, result, result_of};
use proofload_analysis::{Overall, overall};
use proofload_facts::{Finding, Limit, Reason};
use proofload_report::{Terminal, brief, junit, of_run, screen};
use proofload_store::Run;
use proofload_store::schema::{ClaimResult, Plan, PlannedClaim, Replication, RunResult, Verdict};
use std::path::Path;
use unicode_width::UnicodeWidthStr;

fn on(columns: usize, result: &RunResult) -> String {
    screen(result, &[], Terminal { colour: false, columns })
}

/// Two variants and four claims: one of each kind.
fn four_claims() -> Plan {
    let claim = |name: &str, text: &str| PlannedClaim { name: name.into(), text: text.into() };
    let mut plan = plan(CASE);
    plan.claims.truncate(1);
    plan.claims.push(claim("alike within 5 %", "throughput(nio2) ~ throughput(nio) within 5%"));
    plan.claims.push(claim("answers in time", "p99(nio2) < 1s"));
    plan.claims.push(claim("no errors", "errors(nio2) == 0"));
    plan
}

/// Both ways, as `compare` asks.
fn both_ways(replication: Replication) -> Plan {
    let claim = |name: &str, text: &str| PlannedClaim { name: name.into(), text: text.into() };
    let mut plan = plan(CASE);
    plan.claims = vec![
        claim("nio serves more than nio2", "throughput(nio) > throughput(nio2)"),
        claim("nio and nio2 serve alike", "throughput(nio) ~ throughput(nio2) within 5%"),
    ];
    (plan.two_sided, plan.replication) = (true, replication);
    plan
}

#[test]
fn two_variants_and_four_claims_fit_a_terminal_of_80_columns_and_24_rows() {
    let result = result_of(CASE, &four_claims());
    let drawn = on(80, &result);
    insta::assert_snapshot!("screen.80.txt", drawn);
    assert!(drawn.lines().count() <= 24, "{drawn}");
    insta::assert_snapshot!("screen.120.txt", on(120, &result));
}

#[test]
fn a_claim_that_is_not_decided_says_why_on_its_own_line() {
    let unfit = on(80, &result(Case { fit: false, ..CASE }));
    insta::assert_snapshot!("screen.unfit.txt", unfit);
    let compared = on(80, &result_of(Case { fit: false, ..CASE }, &both_ways(Replication::Start)));
    insta::assert_snapshot!("screen.unfit.compared.txt", compared);
    let open = on(80, &result(Case { ratio: 1.01, wobble: 0.03, ..CASE }));
    assert!(open.contains("the interval allows both"), "{open}");
}

#[test]
fn a_claim_asked_of_the_finished_run_is_shown_and_counts() {
    for (plan, verdict, expected) in [
        (four_claims(), Verdict::Refuted, Overall::Refuted),
        (both_ways(Replication::Start), Verdict::Supported, Overall::AllSupported),
        (both_ways(Replication::Start), Verdict::Undecided, Overall::Undecided),
        (both_ways(Replication::Start), Verdict::Refuted, Overall::Refuted),
    ] {
        let mut result = result_of(Case { ratio: 1.2, ..CASE }, &plan);
        let asked = ClaimResult { name: "asked afterwards".into(), verdict, ..result.claims[0].clone() };
        result.claims.push(asked);
        assert_eq!(overall(&result), expected, "{:?}", result.claims.last());
        let drawn = on(80, &result);
        assert!(drawn.contains("asked afterwards"), "{drawn}");
    }
}

#[test]
fn a_comparison_both_ways_says_who_is_faster_and_either_is_an_answer() {
    for (ratio, told) in [(1.2, "nio2 serves 1.2"), (0.8, "nio serves 1.2")] {
        let result = result_of(Case { ratio, ..CASE }, &both_ways(Replication::Start));
        assert_eq!(overall(&result), Overall::AllSupported, "{:?}", result.claims);
        let drawn = on(80, &result);
        assert!(drawn.lines().last().expect("a last line").starts_with(told), "{drawn}");
    }
    let alike =
        result_of(Case { ratio: 1.0, wobble: 0.001, blocks: 12, ..CASE }, &both_ways(Replication::Start));
    assert_eq!(overall(&alike), Overall::AllSupported, "{:?}", alike.claims);
    let drawn = on(80, &alike);
    assert!(drawn.contains("nio and nio2 serve alike within 5 % [0.98, 1.02], 4 restarts"), "{drawn}");
    assert_eq!(brief(&alike).line(), "✔ nio and nio2 alike, ×1.00 [0.98, 1.02]");
    let open = result_of(Case { ratio: 1.01, wobble: 0.3, ..CASE }, &both_ways(Replication::Start));
    assert_eq!(overall(&open), Overall::Undecided, "{:?}", open.claims);
    let last = on(200, &open).lines().last().expect("a last line").to_string();
    assert!(last.starts_with("nio or nio2: undecided, ×"), "nobody is called faster: {last}");
}

#[test]
fn nothing_is_called_a_restart_where_nothing_was_started() {
    let drawn = on(80, &result_of(CASE, &both_ways(Replication::Process)));
    insta::assert_snapshot!("screen.running.txt", drawn);
    assert!(!drawn.contains("restart") || drawn.contains("not restarted"), "{drawn}");
    assert!(drawn.contains("4 rounds"), "{drawn}");
}

#[test]
fn one_restart_checks_and_a_wrong_answer_is_no_pass() {
    let mut smoke = plan(Case { blocks: 1, ..CASE });
    smoke.timing.looks = vec![1];
    let checked = result_of(Case { blocks: 1, ..CASE }, &smoke);
    assert_eq!(overall(&checked), Overall::Checked);
    assert!(on(80, &checked).contains("· checked"), "{}", on(80, &checked));
    let wrong = result_of(Case { blocks: 1, rejected: 5, ..CASE }, &smoke);
    assert_ne!(overall(&wrong), Overall::Checked);
}

/// Every record that comes with Proofload, at four widths.
#[test]
fn no_line_is_wider_than_the_terminal() {
    // Few and many claims, quantiles, and a soak.
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for record in ["java-servers", "platform-or-virtual-threads", "rpc-stability"] {
        no_line_of_it_is_wider(&docs.join("reproductions").join(record));
    }
}

#[test]
#[ignore = "full: every record of the documents"]
fn no_line_of_any_record_is_wider_than_the_terminal() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut seen = 0;
    for folder in ["reproductions", "truth/tomcat-connectors"] {
        for entry in std::fs::read_dir(docs.join(folder)).expect("records").flatten() {
            if entry.path().join("plan.json").exists() {
                seen += 1;
                no_line_of_it_is_wider(&entry.path());
            }
        }
    }
    assert!(seen >= 10, "{seen} records");
}

fn no_line_of_it_is_wider(record: &Path) {
    let result = of_run(&Run::open(record).expect("a record")).expect("a result");
    for columns in [40, 60, 80, 120] {
        let drawn = on(columns, &result);
        let wide: Vec<&str> = drawn.lines().filter(|line| line.width() > columns).collect();
        assert!(wide.is_empty(), "{columns} columns, {}: {wide:#?}", record.display());
    }
}

/// The texts of strangers: no control character reaches the terminal, and nothing becomes wider than it.
#[test]
fn hostile_names_neither_move_the_cursor_nor_widen_a_line() {
    let clean = result_of(CASE, &both_ways(Replication::Process));
    for hostile in proofload_testkit::HOSTILE {
        let mut result = clean.clone();
        let text = || hostile.to_string();
        (result.study, result.question, result.run) = (text(), text(), text());
        result.status.why = Some(Finding::Legacy(text()));
        result.limits = vec![
            Limit::Legacy(text()),
            Limit::VariantLost { variant: text(), blocks: 1, given_up: true, first: Finding::Legacy(text()) },
        ];
        for claim in &mut result.claims {
            (claim.name, claim.sentence) = (text(), text());
            claim.reasons = vec![Reason::Legacy(text()), Reason::Legacy(text())];
        }
        result.points.iter_mut().for_each(|point| point.variant = text());
        for figure in &mut result.figures {
            figure.variant = text();
        }
        for found in &mut result.exploratory {
            (found.measure, found.over, found.under) = (text(), text(), text());
        }
        if let Some(plan) = &mut result.plan {
            plan.variants.iter_mut().for_each(|variant| variant.name = text());
        }
        for two_sided in [true, false] {
            result.plan.iter_mut().for_each(|plan| plan.two_sided = two_sided);
            let drawn = on(80, &result);
            let bad = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{200b}\u{feff}".contains(c));
            assert!(!drawn.chars().any(bad), "{hostile:?}: {drawn:?}");
            let wide: Vec<&str> = drawn.lines().filter(|line| line.width() > 80).collect();
            assert!(wide.is_empty(), "{hostile:?}: {wide:#?}");
        }
    }
}

#[test]
fn colours_only_paint_what_reads_without_them() {
    let result = result_of(CASE, &four_claims());
    let painted = screen(&result, &[], Terminal { colour: true, columns: 80 });
    assert!(painted.contains("\u{1b}[32m"), "{painted}");
    let mut plain = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').expect("the end of a colour").1;
    }
    assert_eq!(plain + rest, on(80, &result));
}

/// Servers by their addresses, which share a host.
fn addresses(result: &mut RunResult) {
    let plan = result.plan.as_mut().expect("a plan");
    for (variant, port) in plan.variants.iter_mut().zip(["8181", "8182"]) {
        variant.name = format!("localhost:{port}");
        variant.levels[0].level.clone_from(&variant.name);
    }
    for claim in &mut plan.claims {
        claim.text = claim.text.replace("nio2", "localhost:8182").replace("(nio)", "(localhost:8181)");
    }
    for (claim, planned) in result.claims.iter_mut().zip(&plan.claims) {
        claim.text.clone_from(&planned.text);
    }
}

#[test]
fn servers_are_named_by_what_tells_them_apart_and_lists_say_which_is_faster() {
    let mut result = result_of(Case { ratio: 1.2, ..CASE }, &both_ways(Replication::Process));
    addresses(&mut result);
    let drawn = on(80, &result);
    assert!(drawn.contains("✔ faster     8182 serves more than 8181  ×1.20"), "{drawn}");
    assert!(drawn.starts_with("connectors  localhost:8181, localhost:8182"), "{drawn}");
    let told = brief(&result).line();
    assert!(told.starts_with("✔ 8182 faster than localhost:8181, ×1.20 ["), "{told}");
    let xml = junit(&result, Default::default());
    assert!(xml.contains("failures=\"0\"") && xml.contains("8182 serves more than 8181"), "{xml}");
}

#[test]
fn a_command_is_told_beside_its_letter() {
    let mut result = result_of(Case { ratio: 1.2, ..CASE }, &both_ways(Replication::Start));
    let plan = result.plan.as_mut().expect("a plan");
    for (variant, (name, work)) in plan.variants.iter_mut().zip([("a", "spin:200us"), ("b", "spin:240us")]) {
        (variant.name, variant.kind) = (name.into(), "command".into());
        variant.levels[0].level = name.into();
        variant.command = ["./server", "{port}", work].map(str::to_string).to_vec();
    }
    let lettered = |text: &str| text.replace("nio2", "b").replace("(nio)", "(a)");
    plan.claims.iter_mut().for_each(|claim| claim.text = lettered(&claim.text));
    result.claims.iter_mut().for_each(|claim| claim.text = lettered(&claim.text));
    let drawn = on(80, &result);
    assert!(
        drawn.contains("\n  a = ./server {port} spin:200us\n  b = ./server {port} spin:240us\n"),
        "{drawn}"
    );
    assert!(
        brief(&result).text.starts_with("spin:240us faster than spin:200us, ×1.20"),
        "{:?}",
        brief(&result)
    );
}
