//! Expectations, references and the studies that come with Proofload, planned.

use super::*;
use proofload_study::Problems;

const TABLE: &str = "\
expect:
  - throughput(nio) @ 64c: 8000/s..14000/s
  - p99(nio2) @ 64c: { range: ..50ms, source: \"the plan of 2011, page 3\" }
reference:
  - source: Some report, 2011
    url: https://example.org/report
    figures: { throughput(nio) @ 64c: 14402/s, \"p99(nio2) @ 64c\": 101ms }
";

fn study(text: &str, only: &[&str]) -> Result<Study, Problems> {
    let only = only.iter().map(|word| word.to_string()).collect();
    let options = Options { only, ..Options::default() };
    proofload_study::parse(text, "expect.yaml", Path::new("."), &options, &TestCatalogue)
}

#[test]
fn rows_and_figures_are_read_and_planned() {
    let study = study(&format!("{SMALL}{TABLE}"), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let plan = make(&study, Preset::Quick, 1, None, cycles(), &CpuShare::default());
    assert_eq!(plan.expectations[0].range, "8000/s..14000/s");
    assert_eq!(plan.expectations[1].source, "the plan of 2011, page 3");
    assert_eq!(plan.references[0].figures[1].value, "101ms");
    let said = explain(&study, &plan);
    assert!(said.contains("p99(nio2) @ 64c: ..50ms (the plan of 2011, page 3)"), "{said}");
    assert!(said.contains("Some report, 2011: 2 figures"), "{said}");
}

const CONCLUSIONS: &str = "\
reference:
  - source: Some report, 2011
    figures: { throughput(nio2) @ 64c: 14402/s }
    conclusions:
      - NIO2 serves more: { claim: faster, was: 1.10, beware: \"the best of several runs\" }
      - it holds for fifty hours: { not_tested: this study is shorter }
";

#[test]
fn conclusions_are_planned_and_stay_when_their_claim_is_left_out() {
    let text = format!("{SMALL}{CONCLUSIONS}");
    let whole = study(&text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let plan = |study: &Study| make(study, Preset::Quick, 1, None, cycles(), &CpuShare::default());
    let planned = plan(&whole);
    let conclusion = &planned.references[0].conclusions[0];
    assert_eq!((conclusion.says.as_str(), conclusion.was.as_str()), ("NIO2 serves more", "1.10"));
    assert_eq!(conclusion.claims, ["faster"]);
    let said = explain(&whole, &planned);
    assert!(said.contains("NIO2 serves more (was 1.10): tested by faster"), "{said}");
    assert!(said.contains("it holds for fifty hours: not tested: this study is shorter"), "{said}");
    // The claim and the figure lose their variant; the conclusion is still one of the report.
    let left = plan(&study(&text, &["nio"]).unwrap());
    assert_eq!((left.claims.len(), left.references[0].figures.len()), (0, 0));
    assert_eq!(left.references[0].conclusions, planned.references[0].conclusions);
}

#[test]
fn each_request_asked_separately_is_a_load_point_of_the_plan() {
    let text = "study: s\nquestion: Which?\nsubjects: { a: { url: 'http://127.0.0.1:1/' }, b: { url: \
                'http://127.0.0.1:2/' } }\nworkload: { home: { get: / }, big: { get: /big } }\n\
                load: { closed: { connections: [2, 4] } }\nask: separately\n\
                claims: [ { one: throughput(a) > throughput(b) @ 4c-big } ]\n";
    let study = study(text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let plan = make(&study, Preset::Quick, 1, None, cycles(), &one_each());
    assert_eq!(plan.points[3].asks, "big");
}

#[test]
fn the_studies_that_come_with_proofload_fit_its_catalogue_and_their_presets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let catalogue =
        proofload_subject::Catalogue::read(&root.join("subjects")).unwrap_or_else(|error| panic!("{error}"));
    let mut count = 0;
    let folders = ["studies", "docs/truth"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    for entry in folders.into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        count += 1;
        for preset in [Preset::Smoke, Preset::Quick, Preset::Default] {
            let study = proofload_study::load(
                &path,
                &Options { quick: preset.shortens(), ..Options::default() },
                &catalogue,
            )
            .unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(
                path.file_stem().unwrap().to_str(),
                Some(study.name.as_str()),
                "file and study have one name"
            );
            // A soak of hours is given its budget by hand.
            if preset == Preset::Default && study.points.iter().any(LoadPoint::is_whole) {
                continue;
            }
            let plan = make(&study, preset, 1, None, cycles(), &CpuShare::default());
            assert!(
                plan.estimated_seconds * 1e9 <= plan.timing.budget_ns as f64,
                "{} {preset:?}",
                path.display()
            );
            // Three variants leave room for fewer blocks than two do, but always for the first look.
            let cut = plan.not_tested.iter().any(is_no_first_look);
            assert!(!cut, "{}: {:?}", path.display(), plan.not_tested);
        }
    }
    assert!(count > 0, "no studies");
}
