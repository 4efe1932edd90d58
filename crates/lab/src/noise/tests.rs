use super::*;
use crate::tests::TestCatalogue;
use proofload_stats::A_PRIORI_SPREAD;

const DAY_NS: u64 = 24 * 3600 * S;

fn study_with(claims: &str) -> Study {
    let text = format!(
        "study: s\nquestion: Is it?\nsubjects:\n  a: {{ url: 'http://127.0.0.1:1/' }}\n  b: {{ url: \
         'http://127.0.0.1:2/' }}\nworkload: {{ page: {{ get: / }} }}\nload: {{ closed: {{ connections: [4, 8] }} \
         }}\nclaims: {{ {claims} }}\n"
    );
    proofload_study::parse(&text, "s.yaml", Path::new("."), &Options::default(), &TestCatalogue)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn quick(study: &Study) -> Plan {
    let (mode, cpus) = ((Mode::Cycles, Finding::SideBySide), CpuShare::default());
    let mut plan = plan::make(study, Preset::Quick, 1, Some(3600 * S), mode, &cpus);
    plan.timing.looks = Design::quick().looks;
    plan
}

fn audit_with(sd: f64) -> NoiseAudit {
    let measure = |name: &str, sd: f64| MeasureNoise {
        measure: name.to_string(),
        block_sd: Between { value: sd, low: 0.8 * sd, high: 1.5 * sd },
        ..MeasureNoise::default()
    };
    NoiseAudit {
        format: FORMAT_VERSION,
        measures: vec![measure("throughput", sd), measure("p50", sd), measure("p99", 3.0 * sd)],
        ..NoiseAudit::default()
    }
}

fn doubted(claims: &str, sd: f64) -> Vec<Finding> {
    let study = study_with(claims);
    resolution_warnings(&study.claims, &quick(&study), &audit_with(sd))
}

#[test]
fn a_claim_below_what_the_machine_resolves_is_doubted_with_figures() {
    let found = doubted("more: throughput(a) >= 1.01 * throughput(b) @ 4c", 0.03);
    let [
        Finding::BelowNoise {
            claim, asked_share, is_band: false, measure, blocks: 12, needed, minutes, ..
        },
    ] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!((claim.as_str(), measure.as_str()), ("more", "throughput"));
    assert!((asked_share - 0.01).abs() < 1e-9 && needed.is_some() && minutes.is_some(), "{found:?}");
    assert_eq!(doubted("more: throughput(a) >= 1.10 * throughput(b) @ 4c", 0.03), []);
    let band = doubted("same: throughput(a) ~ throughput(b) within 1% @ 4c", 0.03);
    assert!(matches!(&band[..], [Finding::BelowNoise { is_band: true, .. }]), "{band:?}");
}

#[test]
fn the_boundary_is_where_four_studies_of_five_find_it() {
    let study = study_with("more: throughput(a) >= 1.03 * throughput(b) @ 4c");
    let unit = noise::detectable(&Design::quick(), 1, POWER).expect("a plan").difference;
    let sd = 1.03_f64.ln() / unit;
    assert!(resolution_warnings(&study.claims, &quick(&study), &audit_with(0.99 * sd)).is_empty());
    assert_eq!(resolution_warnings(&study.claims, &quick(&study), &audit_with(1.01 * sd)).len(), 1);
}

/// The bounds of a study that keeps going are wider, and its blocks many more.
#[test]
fn a_study_that_keeps_going_is_doubted_by_its_own_bounds() {
    let study = study_with("more: throughput(a) >= 1.01 * throughput(b) @ 4c");
    let length = plan::Length { budget_ns: None, keep_going: true };
    let plan = plan::make(
        &study,
        Preset::Quick,
        1,
        length,
        (Mode::Cycles, Finding::SideBySide),
        &CpuShare::default(),
    );
    let found = resolution_warnings(&study.claims, &plan, &audit_with(0.2));
    assert!(matches!(&found[..], [Finding::BelowNoise { blocks: 200, .. }]), "{found:?}");
    assert_eq!(resolution_warnings(&study.claims, &plan, &audit_with(0.01)), []);
}

#[test]
fn what_asks_for_nothing_definite_or_is_not_known_is_not_doubted() {
    for claims in [
        "more: throughput(a) > throughput(b)",
        "enough: throughput(a) > 1k/s",
        "none: errors(a) == 0",
        "memory: rss(a) <= 1.01 * rss(b)",
        "low: p10(a) <= 1.01 * p10(b)",
    ] {
        assert_eq!(doubted(claims, A_PRIORI_SPREAD), [], "{claims}");
    }
}

/// A difference found at 1.05 for p50 is not found for p999, whose noise is that of p99 at least; and a difference of
/// two ratios takes more than one.
#[test]
fn tails_and_differences_of_ratios_take_more() {
    assert!(doubted("p: p50(a) <= 1.04 * p50(b) @ 4c", 0.02).is_empty());
    assert_eq!(doubted("p: p999(a) <= 1.04 * p999(b) @ 4c", 0.02).len(), 1);
    let unit = noise::detectable(&Design::quick(), 1, POWER).expect("a plan").difference;
    let sd = 1.04_f64.ln() / unit / 1.2;
    assert!(doubted("p: throughput(a) >= 1.04 * throughput(b) @ 4c", sd).is_empty());
    let grows = "p: 'ratio(throughput, a, b) @ 4c >= 1.04 * ratio(throughput, a, b) @ 8c'";
    assert_eq!(doubted(grows, sd).len(), 1);
    assert!(doubted("p: 'ratio(throughput, a, b) >= 1.04 @ 4c'", sd).is_empty());
    // A claim without a point is one for each: they share the error rate.
    assert_eq!(doubted("p: throughput(a) >= 1.04 * throughput(b)", 1.15 * sd).len(), 2);
}

#[test]
fn an_audit_is_kept_for_its_machine_alone_and_grows_old() {
    let dir = tempfile::tempdir().expect("a directory");
    let cache = Cache::at(&dir.path().join("cache")).expect("a cache");
    let here = Environment { machine: "m".into(), kernel: "6.1".into(), ..Environment::default() };
    assert_eq!(last(&cache, &here), None);
    let audit = NoiseAudit {
        machine: "m".into(),
        kernel: "6.1".into(),
        measured_unix_ns: 100 * DAY_NS,
        ..audit_with(0.02)
    };
    keep(&cache, &here, &audit).expect("kept");
    assert_eq!(last(&cache, &here).as_ref(), Some(&audit));
    assert_eq!(last(&cache, &Environment { machine: "n".into(), ..here.clone() }), None);
    assert!(outdated(&audit, &here, 107 * DAY_NS).is_empty());
    assert_eq!(outdated(&audit, &here, 107 * DAY_NS + 1).len(), 1);
    let newer = Environment { kernel: "6.2".into(), ..here.clone() };
    assert_eq!(outdated(&audit, &newer, 101 * DAY_NS).len(), 1);
    std::fs::write(path_of(&cache, &here), b"{").expect("written");
    assert_eq!(last(&cache, &here), None);
}

fn the_study() -> Study {
    let catalogue = proofload_subject::Catalogue::find(None, None).expect("the catalogue");
    study(&catalogue).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn an_audit_is_a_study_of_two_equal_variants_and_an_unequal_one_that_nothing_ends_early() {
    let study = the_study();
    let [one, other, more] = &study.variants[..] else { panic!("three variants") };
    assert!(one.subject == other.subject && one.subject != more.subject);
    let mut plan = quick(&study);
    shape(&mut plan, &study, BLOCKS);
    assert_eq!((plan.timing.looks.as_slice(), plan.order.len()), (&[BLOCKS][..], BLOCKS as usize));
    assert_eq!((plan.timing.cycles, plan.timing.slice_ns, plan.timing.long_cycles), (6, S, 2));
    let minutes = plan.estimated_seconds / 60.0;
    assert!((4.0..=6.5).contains(&minutes), "{minutes}");
    assert_eq!(blocks_in(&study, (plan.estimated_seconds * S as f64) as u64 + S), BLOCKS);
    assert_eq!(blocks_in(&study, 0), 0);
}

#[test]
fn more_minutes_resolve_more() {
    let study = the_study();
    let sd = Ends { value: 0.03, low: 0.02, high: 0.04 };
    let noise = Noise {
        blocks: 20,
        run_sd: 0.05,
        block_sd: sd,
        difference: sd,
        start_sd: 0.02,
        slice_sd: 0.03,
        drift_sd: 0.03,
        drift_memory: None,
        drift_share: 0.3,
        spike_share: 0.0,
        spike_size: None,
    };
    let rows = STUDIES.map(|(minutes, preset)| resolution(&study, minutes, preset, &[(MEASURES[0], noise)]));
    let found = rows.each_ref().map(|row| row.measures[0].difference.value);
    assert!(found[0] > found[1] && found[1] > found[2], "{rows:?}");
    let first = &rows[0].measures[0];
    assert!(first.difference.low < first.difference.value && first.difference.value < first.difference.high);
    assert!(first.band.value > first.difference.value, "{first:?}");
}
