//! Expectations and references through the whole check.

use crate::study::tests::{SMALL, TestCatalogue};
use crate::study::{Options, Problems, Study, parse};
use std::path::Path;

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
    parse(text, "expect.yaml", Path::new("."), &Options { only, ..Options::default() }, &TestCatalogue)
}

#[test]
fn rows_and_figures_are_read_and_planned() {
    let study = study(&format!("{SMALL}{TABLE}"), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let plan = crate::plan::make(
        &study,
        crate::plan::Preset::Quick,
        1,
        None,
        (crate::plan::Mode::Cycles, String::new()),
        &[],
        &[],
    );
    assert_eq!(plan.expectations[0].range, "8000/s..14000/s");
    assert_eq!(plan.expectations[1].source, "the plan of 2011, page 3");
    assert_eq!(plan.references[0].figures[1].value, "101ms");
    let said = crate::plan::explain(&study, &plan);
    assert!(said.contains("p99(nio2) @ 64c: ..50ms (the plan of 2011, page 3)"), "{said}");
    assert!(said.contains("Some report, 2011: 2 figures"), "{said}");
}

#[test]
fn a_study_may_have_expectations_and_no_claim() {
    let without = SMALL.split("claims:").next().unwrap();
    assert!(study(&format!("{without}{TABLE}"), &[]).unwrap().claims.is_empty());
    assert!(study(without, &[]).unwrap_err().to_string().contains("claims: is missing"));
}

#[test]
fn what_loses_its_variant_is_dropped_and_said() {
    let kept = study(&format!("{SMALL}{TABLE}"), &["nio"]).unwrap();
    assert_eq!((kept.expectations.len(), kept.references[0].figures.len()), (1, 1));
    assert!(
        kept.not_tested.contains(&"expectation p99(nio2) @ 64c: ..50ms".to_string()),
        "{:?}",
        kept.not_tested
    );
    let kept = study(&format!("{SMALL}{TABLE}"), &["claim:faster"]).unwrap();
    assert_eq!((kept.expectations.len(), kept.claims.len()), (0, 1));
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
    let plan = |study: &Study| {
        let mode = (crate::plan::Mode::Cycles, String::new());
        crate::plan::make(study, crate::plan::Preset::Quick, 1, None, mode, &[], &[])
    };
    let planned = plan(&whole);
    let conclusion = &planned.references[0].conclusions[0];
    assert_eq!((conclusion.says.as_str(), conclusion.was.as_str()), ("NIO2 serves more", "1.10"));
    assert_eq!(conclusion.claims, ["faster"]);
    let said = crate::plan::explain(&whole, &planned);
    assert!(said.contains("NIO2 serves more (was 1.10): tested by faster"), "{said}");
    assert!(said.contains("it holds for fifty hours: not tested: this study is shorter"), "{said}");
    // The claim and the figure lose their variant; the conclusion is still one of the report.
    let left = plan(&study(&text, &["nio"]).unwrap());
    assert_eq!((left.claims.len(), left.references[0].figures.len()), (0, 0));
    assert_eq!(left.references[0].conclusions, planned.references[0].conclusions);
}
