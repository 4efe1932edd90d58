//! Planted runs: what they leave in a cache, and what of it later plans get.

use super::*;
use crate::tests::TestCatalogue;
use proofload_facts::Finding;
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_stats::common_spread;
use proofload_store::schema::{
    EarlierSittings, EarlierSpread, Environment, Generator, LentSpread, PlannedClaim, Point, RunState, Slice,
    Timing, Variant,
};
use proofload_store::{RunWriter, histograms_of, point_of};
use proofload_study::Options;

const S: u64 = 1_000_000_000;
const HOUR: u64 = 3_600 * S;
const NOW: u64 = 1_790_000_000 * S;
const FASTER: &str = "throughput(a) > throughput(b) @ 4c";

/// Servers of commands, by their first words.
fn study(commands: [&str; 2]) -> Study {
    let [a, b] = commands.map(|command| format!("{{ command: [{command}, '{{port}}'] }}"));
    let text = format!(
        "study: shop\nquestion: Is it?\nsubjects:\n  a: {a}\n  b: {b}\nworkload: {{ page: {{ get: / }} }}\nload: {{ \
         closed: {{ connections: [4] }} }}\nclaims: {{ c: throughput(a) > throughput(b) }}\n"
    );
    proofload_study::parse(&text, "s.yaml", Path::new("."), &Options::default(), &TestCatalogue)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn native() -> Study {
    study(["one", "other"])
}

fn plan(claim: &str) -> Plan {
    let variant = |name: &str| Variant { name: name.into(), ..Variant::default() };
    Plan {
        format: FORMAT_VERSION,
        study: "shop".into(),
        preset: "quick".into(),
        replication: "start".into(),
        method: proofload_store::schema::METHOD,
        alpha: 0.05,
        variants: vec![variant("a"), variant("b")],
        points: vec![LoadPoint { label: "4c".into(), model: "closed".into(), ..LoadPoint::default() }],
        claims: vec![PlannedClaim { name: "c".into(), text: claim.into() }],
        timing: Timing { cycles: 1, slice_ns: S, looks: vec![3, 5], ..Timing::default() },
        order: vec![vec![vec![0, 1]]],
        ..Plan::default()
    }
}

fn environment(machine: &str) -> Environment {
    Environment { machine: machine.into(), cpus: vec![0, 1], ..Environment::default() }
}

fn slice(block: u32, variant: &str, answers: u64, fit: bool) -> Slice {
    let mut recorder = Recorder::new(Window { start_ns: S, end_ns: 2 * S });
    for at in 0..answers {
        let at_ns = S + at * 100_000;
        let end_ns = at_ns + 100_000;
        let (sent_ns, first_byte_ns) = (Some(at_ns), Some(end_ns));
        recorder
            .record(&ExchangeTimes { intended_ns: at_ns, sent_ns, first_byte_ns, end_ns }, Outcome::Answered);
    }
    let snapshot = recorder.finish();
    let checks = if fit { Vec::new() } else { vec![unfit_check()] };
    Slice {
        format: FORMAT_VERSION,
        block,
        phase: "measure".into(),
        cycle: 1,
        started_unix_ns: NOW,
        measured: Point {
            variant: variant.into(),
            point: "4c".into(),
            model: "closed".into(),
            generator: Generator { threads: 1, fit, checks, ..Generator::default() },
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: snapshot.answered_in_window,
        ..Slice::default()
    }
}

fn unfit_check() -> proofload_store::schema::FitnessCheck {
    proofload_store::schema::FitnessCheck {
        check: "littles_law".into(),
        outcome: "failed".into(),
        found: Some(0.5),
        limit: Some(0.05),
        unit: "share".into(),
        note: None,
    }
}

/// A run with blocks of that many answers of a, and a hundred of b; negative where the generator was unfit.
fn run(root: &Path, plan: &Plan, began_unix_ns: u64, answers: &[i64]) -> Run {
    let mut record = RunWriter::create(root, plan, &environment("here"), began_unix_ns).expect("a record");
    for (number, answers) in (1..).zip(answers) {
        let mut block = record.begin_block(number).expect("a block");
        block.append(&slice(number, "a", answers.unsigned_abs(), *answers > 0)).expect("written");
        block.append(&slice(number, "b", 100, true)).expect("written");
        block.finish().expect("whole");
    }
    record.set_status(RunState::Interrupted, Some(&Finding::OutOfBudget), NOW).expect("written");
    Run::open(record.path()).expect("a record")
}

fn of_first(kept: &KeptSpreads) -> &KeptSpread {
    let is_it = |it: &&KeptSpread| (it.measure.as_str(), it.kind) == ("throughput", SpreadKind::Ratio);
    kept.spreads.iter().find(is_it).expect("the ratio")
}

/// A document of one comparison.
fn document_of(number: u32, began_unix_ns: u64, of: &str, mean: f64, sd: f64) -> KeptSpreads {
    let spread = KeptSpread {
        of: of.into(),
        measure: "throughput".into(),
        model: "closed".into(),
        seconds: 1.0,
        mean,
        sd,
        blocks: 4,
        ..KeptSpread::default()
    };
    KeptSpreads {
        format: FORMAT_VERSION,
        run: format!("run-{number:03}"),
        machine: compare::machine_of(&plan(FASTER), &environment("here")),
        began_unix_ns,
        ended_unix_ns: began_unix_ns + S,
        spreads: vec![spread],
    }
}

fn lent(plan: &mut Plan, study: &Study, kept: &[KeptSpreads]) -> Vec<LentSpread> {
    lend(plan, study, &environment("here"), kept);
    plan.lent.clone()
}

#[test]
fn a_run_leaves_its_blocks_up_to_the_first_look_however_it_ended() {
    let dir = tempfile::tempdir().expect("a directory");
    let logs: Vec<f64> = [110.0, 120.0, 130.0].map(|answers: f64| (answers / 100.0).ln()).to_vec();
    let expected = Moments::of(&logs).expect("three");
    for answers in [&[110, 120, 130][..], &[110, 120, 130, 900, 10], &[110, -500, 120, 130, 900]] {
        let run = run(dir.path(), &plan(FASTER), NOW - HOUR, answers);
        let kept = of_run(&run, &[false, false], NOW).expect("it came to its first look");
        let found = of_first(&kept);
        assert_eq!((found.blocks, found.runtime, found.seconds), (3, Runtime::Native, 1.0), "{answers:?}");
        assert!(
            (found.sd - expected.sd).abs() < 1e-9 && (found.mean - expected.mean).abs() < 1e-9,
            "{found:?}"
        );
        let measured: Vec<(&str, SpreadKind)> =
            kept.spreads.iter().map(|it| (it.measure.as_str(), it.kind)).collect();
        for kind in [SpreadKind::Ratio, SpreadKind::Level] {
            assert!(
                measured.contains(&("throughput", kind)) && measured.contains(&("p99", kind)),
                "{measured:?}"
            );
        }
    }
    let short = run(dir.path(), &plan(FASTER), NOW, &[110, 120]);
    assert_eq!(of_run(&short, &[false, false], NOW), None, "it did not come to its first look");
    let running = Plan { replication: "process".into(), ..plan(FASTER) };
    assert_eq!(of_run(&run(dir.path(), &running, NOW, &[110, 120, 130]), &[false, false], NOW), None);
}

#[test]
fn a_claim_borrows_of_what_is_like_it_alone() {
    let kept = [document_of(1, NOW, "x", 0.0, 0.01), document_of(2, NOW, "y", 3.0, 0.04)];
    let found = lent(&mut plan(FASTER), &native(), &kept);
    let expected = common_spread(&[(0.01_f64.powi(2), 3), (0.04_f64.powi(2), 3)]).expect("two");
    let runs = vec!["run-001".to_string(), "run-002".to_string()];
    assert_eq!(found, [LentSpread { claim: FASTER.into(), spread: expected, relatives: 2, runs }]);

    let without = |change: fn(&mut KeptSpreads)| {
        let mut kept = kept.clone();
        change(&mut kept[1]);
        lent(&mut plan(FASTER), &native(), &kept)
    };
    assert_eq!(without(|run| run.machine[0] = "machine there".into()), [], "of another machine");
    assert_eq!(without(|run| run.spreads[0].measure = "p99".into()), [], "of another measure");
    assert_eq!(without(|run| run.spreads[0].kind = SpreadKind::Level), []);
    assert_eq!(without(|run| run.spreads[0].runtime = Runtime::Jvm), []);
    assert_eq!(without(|run| run.spreads[0].model = "open".into()), []);
    assert_eq!(without(|run| run.spreads[0].seconds = 2.1), [], "blocks twice as long");
    assert_eq!(without(|run| run.spreads[0].sd = 0.0), [], "no spread at all");
    assert_eq!(without(|run| run.spreads[0].seconds = 1.9).len(), 1);

    assert_eq!(lent(&mut plan("p99(a) < p99(b) @ 4c"), &native(), &kept), []);
    assert_eq!(lent(&mut plan("throughput(a) > 50 @ 4c"), &native(), &kept), [], "a level");
    assert_eq!(lent(&mut plan(FASTER), &study(["java", "other"]), &kept), [], "a JVM beside another");
    assert_eq!(lent(&mut plan("ratio(throughput, a, b) > 0.9 @ 4c"), &native(), &kept).len(), 1);
    let mut running = Plan { replication: "process".into(), ..plan(FASTER) };
    assert_eq!(lent(&mut running, &native(), &kept), []);
}

#[test]
fn sittings_of_like_runs_lend_the_spread_between_them() {
    let at = |number: u32| NOW + u64::from(number) * HOUR;
    let six: Vec<KeptSpreads> = (0..6)
        .map(|number| {
            let of = ["x", "y", "z"][number as usize / 2];
            document_of(number, at(number), of, f64::from(number / 2) + 0.1 * f64::from(number % 2), 0.01)
        })
        .collect();
    let mut known = plan(FASTER);
    lend(&mut known, &native(), &environment("here"), &six);
    let earlier = known.earlier_sittings.expect("three times two sittings");
    assert_eq!((earlier.runs.len(), earlier.claims[0].sittings), (6, 4));
    // S² = 3 · 2 · 0.05² / 3; of four blocks 0.01²/4 is theirs.
    assert!((earlier.claims[0].tau - (0.005_f64 - 0.000_025).sqrt()).abs() < 1e-9, "{earlier:?}");

    let mut few = plan(FASTER);
    lend(&mut few, &native(), &environment("here"), &six[..5]);
    assert_eq!((few.earlier_sittings, few.lent.len()), (None, 1), "two degrees of freedom");
    // The same three comparisons, of two runs: the peculiarities of those two sittings are in all of them.
    let mut two = six.clone();
    for (number, run) in two.iter_mut().enumerate() {
        let of = &six[number % 2];
        run.run.clone_from(&of.run);
        (run.began_unix_ns, run.ended_unix_ns) = (of.began_unix_ns, of.ended_unix_ns);
    }
    let mut shared = plan(FASTER);
    lend(&mut shared, &native(), &environment("here"), &two);
    assert_eq!(shared.earlier_sittings, None, "one difference, seen three times");
    let mut close = six.clone();
    close[5].began_unix_ns = close[4].ended_unix_ns + HOUR / 3;
    let mut one = plan(FASTER);
    lend(&mut one, &native(), &environment("here"), &close);
    assert_eq!(one.earlier_sittings, None, "one sitting, a third of an hour apart");
    let own = EarlierSpread { claim: FASTER.into(), tau: 0.02, ..EarlierSpread::default() };
    let own = Some(EarlierSittings { runs: vec!["own".into()], claims: vec![own] });
    let mut itself = Plan { earlier_sittings: own.clone(), ..plan(FASTER) };
    lend(&mut itself, &native(), &environment("here"), &six);
    assert_eq!(itself.earlier_sittings, own, "the study's own sittings tell more");
}

#[test]
fn the_cache_keeps_the_newest_and_passes_over_what_is_odd() {
    let dir = tempfile::tempdir().expect("a directory");
    let cache = Cache::at(&dir.path().join("cache")).expect("a cache");
    let run = run(dir.path(), &plan(FASTER), NOW - HOUR, &[110, 120, 130]);
    keep(&cache, &native(), &run, NOW);
    let kept = read(&cache, NOW);
    assert_eq!(kept, [of_run(&run, &[false, false], NOW).expect("whole")]);
    assert_eq!(read(&cache, NOW + FRESH_NS), [], "too old");
    assert_eq!(read(&cache, NOW - 2 * HOUR), [], "of a time to come");

    let write = |name: &str, text: &[u8]| fs::write(folder(&cache).join(name), text).expect("written");
    let whole = serde_json::to_string(&document_of(1, NOW, "x", 0.0, 0.01)).expect("JSON");
    write("a.json", &whole.as_bytes()[..40]);
    write("b.json", &[b' '; FILE_BYTES_MAX as usize + 1]);
    write("c.json", whole.replace("\"format\":", "\"format\":9").as_bytes());
    write("d.json", whole.replace("\"blocks\":4", "\"blocks\":1").as_bytes());
    write("e.txt", whole.as_bytes());
    fs::create_dir(folder(&cache).join("f.json")).expect("a folder");
    let found = read(&cache, NOW);
    assert_eq!(found.iter().map(|run| run.spreads.len()).collect::<Vec<_>>(), [kept[0].spreads.len(), 0]);

    for number in 0..RUNS_MAX {
        write(&format!("1970-{number:03}.json"), whole.as_bytes());
    }
    keep(&cache, &native(), &run, NOW);
    assert_eq!(documents(&cache).len(), RUNS_MAX);
    assert!(!folder(&cache).join("1970-000.json").exists() && folder(&cache).join("1970-099.json").exists());

    let unwritable = dir.path().join("file");
    let other = Cache::at(&unwritable).expect("a cache");
    fs::remove_dir(&unwritable).expect("empty");
    fs::write(&unwritable, "").expect("written");
    keep(&other, &native(), &run, NOW);
    assert_eq!(read(&other, NOW), []);
}

#[test]
fn pairs_say_every_ratio_once() {
    assert_eq!(tree([].into_iter(), 4), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(tree([(2, 0), (0, 2), (3, 0)].into_iter(), 4), [(0, 2), (0, 3), (0, 1)]);
    assert_eq!(tree([(0, 1), (1, 2), (0, 2)].into_iter(), 3), [(0, 1), (1, 2)]);
    assert_eq!(tree([].into_iter(), 1), []);
}

#[test]
fn what_is_known_of_a_machine_is_told_kind_by_kind() {
    let here = environment("here");
    let share = proofload_host::cpus::share(&here.cpus);
    let planned = Plan { generator_cpus: share.generator, subject_cpus: share.subject, ..plan(FASTER) };
    let mut kept: Vec<KeptSpreads> =
        (0..4).map(|number| document_of(number, NOW + u64::from(number) * HOUR, "x", 0.0, 0.02)).collect();
    kept[..3].iter_mut().for_each(|run| run.machine = compare::machine_of(&planned, &here));
    let long = KeptSpread { seconds: 30.0, ..kept[2].spreads[0].clone() };
    kept[2].spreads.push(long);
    let (found, runs, began) = known(&kept, &here);
    assert_eq!((found.len(), runs, began, found[0].relatives), (1, 3, NOW, 3), "{found:?}");
    assert_eq!(found[0].between, None, "three sittings");
}
