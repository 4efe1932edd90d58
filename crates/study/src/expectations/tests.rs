//! Expectations and references through the whole check.

use crate::tests::{SMALL, TestCatalogue};
use crate::{Options, Problems, Study, parse};
use proofload_facts::Finding;
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
        kept.not_tested.contains(&Finding::ExpectationLeftOut {
            quantity: "p99(nio2) @ 64c".into(),
            range: "..50ms".into()
        }),
        "{:?}",
        kept.not_tested
    );
    let kept = study(&format!("{SMALL}{TABLE}"), &["claim:faster"]).unwrap();
    assert_eq!((kept.expectations.len(), kept.claims.len()), (0, 1));
}
