use super::*;
use crate::tests::{SMALL, TestCatalogue};
use proofload_host::cpus::CpuShare;
use proofload_study::Options;

use std::path::Path;

mod published;

fn study_of(text: &str) -> Study {
    proofload_study::parse(text, "plan.yaml", Path::new("."), &Options::default(), &TestCatalogue)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn one_each() -> CpuShare {
    CpuShare { generator: vec![0], subject: vec![1], ..CpuShare::default() }
}

fn cycles() -> (Mode, Finding) {
    (Mode::Cycles, Finding::SideBySide)
}

fn is_no_first_look(it: &Finding) -> bool {
    matches!(it, Finding::NoFirstLook { .. })
}

fn small() -> Study {
    study_of(SMALL)
}

#[test]
fn two_jvms_at_one_point_are_started_six_to_eight_times_in_eight_minutes_and_plain_servers_twelve_times() {
    let plan = make(&small(), Preset::Quick, 1, None, cycles(), &one_each());
    let last = *plan.timing.looks.last().expect("a look");
    assert!((6..=8).contains(&last) && plan.timing.looks.starts_with(&[4, 6]), "{:?}", plan.timing.looks);
    assert_eq!((plan.timing.warm_up_cap_ns, plan.timing.cycles, plan.timing.slice_ns), (90 * S, 6, S));
    assert!(plan.estimated_seconds <= 480.0, "{}", plan.estimated_seconds);
    assert_eq!(plan.order.len(), last as usize);
    let young = Finding::OlderServers { warm_up_cap_ns: 90 * S };
    assert!(plan.not_tested.contains(&young), "{:?}", plan.not_tested);
    let plain = study_of(&SMALL.replace("use: tomcat", "use: reference").replace(
        "vary: { connector: [nio, nio2] }",
        "with: { size: 1k }\n    vary: { service: [nio, nio2] }",
    ));
    let plan = make(&plain, Preset::Quick, 1, None, cycles(), &one_each());
    assert_eq!(plan.timing.looks, [4, 6, 8, 10, 12]);
    assert!(plan.estimated_seconds < 120.0, "{}", plan.estimated_seconds);
}

#[test]
fn a_count_of_journeys_takes_the_time_of_their_pauses() {
    let seconds = |load: &str, pause: &str| {
        let text = format!(
            "study: shop
question: Who sells sooner?
subjects: {{ a: {{ url: 'http://127.0.0.1:1/' }}, b: {{ url: 'http://127.0.0.1:2/' }} }}
journeys: {{ buy: [ cart: {{ get: /cart }}, pause: {pause} ] }}
load: {load}
claims: [ sooner: 'p50(a) < p50(b)' ]
"
        );
        make(&study_of(&text), Preset::Smoke, 1, None, cycles(), &one_each()).estimated_seconds
    };
    // Each of four users takes ten journeys, on each of two servers.
    for load in ["{ users: { users: 4, loops: 10 } }", "{ closed: { connections: 4, requests: 40 } }"] {
        let longer = seconds(load, "2s") - seconds(load, "1ms");
        assert!((38.0..90.0).contains(&longer), "{load}: {longer} s");
    }
}

/// Two servers that compile nothing.
fn plain() -> Study {
    study_of(&SMALL.replace("use: tomcat", "use: reference").replace(
        "vary: { connector: [nio, nio2] }",
        "with: { size: 1k }\n    vary: { service: [nio, nio2] }",
    ))
}

/// Two servers that run already.
fn running() -> Study {
    let claims = SMALL.find("\nworkload").expect("a workload");
    let subjects = "subjects:\n  a: { url: 'http://127.0.0.1:1/' }\n  b: { url: 'http://127.0.0.1:2/' }";
    let rest = SMALL[claims..].replace("nio2", "b").replace("nio", "a");
    study_of(&format!("study: s\nquestion: Which?\n{subjects}{rest}"))
}

#[test]
fn six_restarts_of_servers_that_compile_nothing_take_less_than_a_minute() {
    let plan = make(&plain(), Preset::Default, 1, None, cycles(), &one_each());
    assert_eq!(plan.timing.looks, [6, 8, 10, 12, 16, 20, 30]);
    let to_the_first = plan.estimated_seconds * 6.0 / 30.0;
    assert!(to_the_first < 45.0, "{to_the_first}");
    let checked: Vec<u32> = (0..9).filter(|after| plan.timing.checks_after(*after).is_some()).collect();
    assert_eq!(checked, [1, 3, 5, 7], "every second has the checks: three at the first look");
    let thorough = make(&plain(), Preset::Thorough, 1, None, cycles(), &one_each());
    assert_eq!((thorough.timing.slice_ns, thorough.timing.checks_after(0)), (8 * S, Some(0)));
}

#[test]
fn running_servers_are_looked_at_as_often_as_there_is_time() {
    let of = |seconds: u64| make(&running(), Preset::Default, 1, Some(seconds * S), cycles(), &one_each());
    let looks = of(20).timing.looks;
    assert!((10..=14).contains(looks.last().expect("a look")), "{looks:?}");
    assert_eq!(of(3600).timing.looks.last(), Some(&30));
    assert_eq!(
        (of(20).timing.cycles, of(60).timing.cycles),
        (2, 4),
        "shorter rounds where there is little time"
    );
    let plan = make(&running(), Preset::Default, 1, None, cycles(), &one_each());
    assert!(plan.estimated_seconds <= 60.0, "{}", plan.estimated_seconds);
}

#[test]
fn running_servers_one_after_the_other_are_warmed_in_every_block_and_every_way_has_a_ceiling() {
    let study = running();
    let timing = make(&study, Preset::Default, 1, None, cycles(), &one_each()).timing;
    let of = |serial, ways| reckon::Reckoning { study: &study, serial, ways, slowest: false };
    let ceilings_s = of(true, 4).seconds(&timing, 6) - of(true, 0).seconds(&timing, 6);
    assert!((ceilings_s - 4.0 * 1.7).abs() < 1e-9, "{ceilings_s}");
    let warm_ups_s = |serial, blocks| {
        of(serial, 0).seconds(&timing, blocks)
            - of(serial, 0).seconds(&Timing { warm_up_cap_ns: 1, ..timing.clone() }, blocks)
    };
    assert!((warm_ups_s(false, 6) - warm_ups_s(false, 1)).abs() < 1e-6, "what runs stays warm");
    assert!((warm_ups_s(true, 6) - 6.0 * warm_ups_s(true, 1)).abs() < 1e-6);
    assert!(warm_ups_s(true, 1) > 1.0);
}

#[test]
fn a_budget_without_room_for_a_verdict_is_told_with_one_that_has() {
    let told = |study: &Study, seconds: u64| {
        let plan = |budget_ns| make(study, Preset::Quick, 1, Some(budget_ns), cycles(), &one_each());
        too_short(study, &plan(seconds * S), plan)
    };
    let short = told(&small(), 60).expect("four restarts of two JVMs");
    let Mistake::BudgetTooShort { first: 4, rounds: false, budget, .. } = &short else { panic!("{short:?}") };
    assert_eq!(budget, "5m");
    let short = told(&running(), 5).expect("too short for anybody");
    assert!(matches!(short, Mistake::BudgetTooShort { rounds: true, .. }), "{short:?}");
    assert_eq!((told(&small(), 240), told(&running(), 30)), (None, None));
    // The named budget is enough though answers are slow, with any plan that it makes.
    for study in [small(), plain(), running()] {
        let plan = |budget_ns| make(&study, Preset::Default, 1, Some(budget_ns), cycles(), &one_each());
        let Some(Mistake::BudgetTooShort { budget, needed_s, .. }) = too_short(&study, &plan(S), plan) else {
            panic!("a second is too short")
        };
        let named = plan(proofload_study::quantity::duration(&budget).expect("a length"));
        let first = named.timing.looks[0];
        let slowest = reckon::Reckoning { slowest: true, ..reckon::Reckoning::of(&study, &named) };
        let given_s = named.timing.budget_ns as f64 / S as f64;
        assert!(slowest.seconds(&named.timing, first) <= given_s && needed_s <= given_s, "{budget}");
        assert!(given_s < 8.0 * needed_s, "{budget} for {needed_s} s");
        assert_eq!(too_short(&study, &named, plan), None, "{budget}");
    }
    // A check of the pipeline is short by itself.
    let smoke = make(&small(), Preset::Smoke, 1, Some(S), cycles(), &one_each());
    assert_eq!(too_short(&small(), &smoke, |_| smoke.clone()), None);
    let soaked = study_of(&SMALL.replace("connections: 64", "connections: 64, soak: 1h"));
    assert!(soaked.points[0].checkpoint_ns() > 0);
    assert_eq!(told(&soaked, 60), None, "one soak tells its trends");
}

/// No preset measures a JVM after a time that was fixed.
#[test]
fn every_preset_with_a_verdict_lets_warm_ups_end_by_data() {
    let cap = |preset| make(&small(), preset, 1, None, cycles(), &one_each()).timing.warm_up_cap_ns / S;
    let caps = [Preset::Smoke, Preset::Quick, Preset::Default, Preset::Thorough].map(cap);
    assert_eq!(caps, [0, 90, 180, 270]);
    let claims = SMALL.find("\nclaims:").expect("claims");
    let four = SMALL[..claims].replace("[nio, nio2]", "[nio, nio2], heap: [256m, 1g]");
    let four = study_of(&format!("{four}\nclaims: {{ fast: 'throughput(heap=1g,connector=nio) > 1/s' }}\n"));
    let plan = make(&four, Preset::Quick, 1, None, cycles(), &one_each());
    assert!((24 * S..180 * S).contains(&plan.timing.warm_up_cap_ns), "the first look has room");
    assert!(plan.estimated_seconds <= 480.0 && plan.timing.looks == [4], "{}", plan.estimated_seconds);
}

#[test]
fn smoke_takes_one_block_and_far_less_than_three_minutes() {
    let plan = make(&small(), Preset::Smoke, 1, None, cycles(), &one_each());
    assert_eq!(plan.timing.looks, [1]);
    assert!(plan.estimated_seconds < 40.0, "{}", plan.estimated_seconds);
    assert!(plan.not_tested.contains(&Finding::NoVerdict));
}

#[test]
fn looks_beyond_the_budget_are_cut_and_said() {
    let study = study_of(&SMALL.replace("connections: 64", "connections: [64, 128, 256]"));
    let plan = make(&study, Preset::Quick, 1, None, cycles(), &CpuShare::default());
    // There is room for a fifth block, too, and the end of the budget is a look.
    assert_eq!(plan.timing.looks, [4, 6]);
    let fewer = |it: &Finding| matches!(it, Finding::FewerLooks { kept: 4, .. });
    assert!(plan.not_tested.iter().any(fewer), "{:?}", plan.not_tested);
    let plan = make(&study, Preset::Quick, 1, Some(60 * S), cycles(), &CpuShare::default());
    assert_eq!(plan.timing.looks, [4]);
    let none = |it: &Finding| matches!(it, Finding::NoFirstLook { first: 4, budget_ns, .. } if *budget_ns == 300 * S);
    assert!(plan.not_tested.iter().any(none), "{:?}", plan.not_tested);
}

#[test]
fn slices_get_shorter_where_the_first_look_had_no_room_else_and_no_shorter_than_a_second() {
    let at = |loads: &str, preset, minutes: u64| {
        let study = study_of(&SMALL.replace("connections: 64", &format!("connections: {loads}")));
        make(&study, preset, 1, Some(minutes * 60 * S), cycles(), &one_each())
    };
    let lengths = |plan: &Plan| (plan.timing.slice_ns * 4 / S, plan.timing.discard_ns * 4 / S);
    let cut = |plan: &Plan| plan.not_tested.iter().any(is_no_first_look);
    assert_eq!(lengths(&at("[64]", Preset::Default, 30)), (16, 4), "four seconds, and one before them");
    let many = at("[64, 1, 2, 4, 8, 16, 32, 128]", Preset::Default, 30);
    assert_eq!((lengths(&many), many.timing.cycles, cut(&many)), ((8, 2), 6, false), "half as long");
    let hopeless = at("[64, 1, 2, 4, 8, 16, 32, 128]", Preset::Default, 5);
    assert_eq!((lengths(&hopeless), cut(&hopeless)), ((4, 1), true), "a second, and the budget is refused");
    assert_eq!(lengths(&at("[64]", Preset::Quick, 1)).0, 4, "those of a quick run are as short");
}

#[test]
fn a_study_that_keeps_going_is_looked_at_after_every_block_as_its_plan_says() {
    let keep_going = |budget_ns| Length { budget_ns, keep_going: true };
    let plan = make(&small(), Preset::Quick, 1, keep_going(None), cycles(), &CpuShare::default());
    assert_eq!(plan.timing.looking, proofload_store::schema::Looking::Anytime);
    assert_eq!(plan.timing.looks, (5..=KEEP_GOING_BLOCKS_MAX).collect::<Vec<_>>());
    assert_eq!((plan.order.len(), plan.timing.futility), (KEEP_GOING_BLOCKS_MAX as usize, false));
    assert_eq!(plan.timing.budget_ns, 86_400 * S, "no preset's budget ends it");
    assert!(explain(&small(), &plan).contains("looks: after every block from 5 to 200 (--keep-going)"));
    let short = make(&small(), Preset::Quick, 1, keep_going(Some(600 * S)), cycles(), &CpuShare::default());
    let last = *short.timing.looks.last().expect("a look");
    assert!((8..30).contains(&last) && short.estimated_seconds <= 600.0, "{last}");
    assert_eq!(short.order[..], plan.order[..last as usize], "the same seed, the same order");
    let planned = make(&small(), Preset::Quick, 1, None, cycles(), &CpuShare::default());
    assert_eq!((planned.timing.looking.name(), planned.timing.futility), ("", true));
}

#[test]
fn presets_grow_and_stay_within_their_budgets() {
    let estimates: Vec<f64> = [Preset::Smoke, Preset::Quick, Preset::Default, Preset::Thorough]
        .map(|preset| {
            let plan = make(&small(), preset, 1, None, cycles(), &CpuShare::default());
            assert!(plan.estimated_seconds * 1e9 <= plan.timing.budget_ns as f64, "{preset:?}");
            plan.estimated_seconds
        })
        .to_vec();
    assert!(estimates.windows(2).all(|pair| pair[0] < pair[1]), "{estimates:?}");
}

#[test]
fn the_same_seed_makes_the_same_plan() {
    let make_with = |seed| make(&small(), Preset::Quick, seed, None, cycles(), &one_each());
    assert_eq!(make_with(5), make_with(5));
    assert_ne!(make_with(5).order, make_with(6).order);
}

const WITH_SECRETS: &str = r#"
study: secret
question: Do credentials stay out of the plan?
subjects:
  own:
    command: [./server, --port, "{port}", --password, hunter2, "--api-key=hunter2"]
    env: { DB_PASSWORD: hunter2 }
  running: { url: "http://127.0.0.1:8080" }
workload:
  page:
    get: /a?token=hunter2&x=1
    headers:
      { Authorization: Bearer hunter2, Cookie: id=hunter2, Proxy-Authorization: hunter2, Accept: text/html }
load:
  closed: { connections: 64 }
claims:
  faster: throughput(own) > throughput(running)
"#;

#[test]
fn credentials_stay_out_of_the_plan_and_its_explanation() {
    let study = study_of(WITH_SECRETS);
    let plan = make(&study, Preset::Quick, 1, None, cycles(), &CpuShare::default());
    let written = serde_json::to_string(&plan).unwrap() + &explain(&study, &plan);
    assert!(!written.contains("hunter2"), "{written}");
    for kept in ["--password", "Accept: text/html", "Authorization: [redacted]", "token=[redacted]&x=1"] {
        assert!(written.contains(kept), "{kept} in {written}");
    }
    assert_eq!(plan.replication, Replication::Process);
    assert!(plan.not_tested.contains(&Finding::NotRestarted));
}

#[test]
fn an_explanation_names_everything_that_will_happen() {
    let study = study_of(&SMALL.replace("connections: 64", "connections: [64, 128]"));
    let mut plan = make(&study, Preset::Quick, 9, None, cycles(), &one_each());
    plan.variants[0].command = vec!["/jdk/bin/java".to_string(), "-Dname=two words".to_string()];
    let text = explain(&study, &plan);
    for part in [
        "Study small: Is NIO2 faster?",
        "/jdk/bin/java '-Dname=two words'",
        "address: 127.0.0.1, a free port",
        "page: GET /echo, expects status 200 and 1024 bytes",
        "64c: closed, 64 connections, keep-alive on",
        "faster: throughput(nio2) > throughput(nio)",
        "throughput(nio2) > throughput(nio) @ 128c",
        "looks: after 4, 6",
        "seed: 9",
        "Order in block 1",
        "cycle 6: ",
        "generator: 0",
        "Not tested",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_load_is_planned_with_both_forms_of_every_request() {
    let study = study_of(&SMALL.replace("bytes: 1024", "bytes: 1024, text: hello"));
    let terms = LoadTerms {
        target: std::net::SocketAddr::from(([127, 0, 0, 1], 8080)).into(),
        authority: "localhost:8080",
        speaks: &Speaks::Http,
        discard_ns: S / 10,
        extent: Extent::DurationNs(S),
        drain_ns: S,
        workers: 100,
        cpus: vec![0],
        seed: 3,
        settings: &GeneratorSettings::default(),
    };
    let plan = &load_plans(&study, &study.points[0], LoadRole::Real, &terms).unwrap()[0];
    assert_eq!(plan.workers, 64, "no worker is left without a connection");
    let entry = &plan.mix[0];
    assert!(entry.request.keep_body > 0, "the body is kept for the text that is expected in it");
    let text = |request: &proofload_wire::Request| String::from_utf8(request.bytes.clone()).unwrap();
    assert!(text(&entry.request).starts_with("GET /echo HTTP/1.1\r\nHost: localhost:8080\r\n"));
    assert!(!text(&entry.request).contains("Connection: close"));
    assert!(text(&entry.closing_request).contains("Connection: close"));
    let terms = LoadTerms { authority: "no host", ..terms };
    assert!(load_plans(&study, &study.points[0], LoadRole::Real, &terms).is_err());
}

#[test]
fn a_search_warms_each_start_for_a_fixed_time_however_many_variants_there_are() {
    let load = SMALL.find("\nload:").expect("a load");
    let search = format!("{}\nload: {{ capacity: {{ slo: p99 < 50ms }} }}\n", &SMALL[..load]);
    let timing =
        |text: &str| make(&study_of(text), Preset::Default, 1, None, cycles(), &CpuShare::default()).timing;
    let four = search.replace("[nio, nio2]", "[nio, nio2], heap: [256m, 1g]");
    for timing in [timing(&search), timing(&four)] {
        assert_eq!((timing.warm_up_ns, timing.warm_up_cap_ns), (30 * S, 0));
        assert!(!timing.cycles_adapt && !timing.futility, "it has no cycles and no claims");
    }
}
