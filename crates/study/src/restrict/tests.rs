//! Restrictions through the whole check.

use crate::tests::{SMALL, TestCatalogue};
use crate::{Options, Problems, Study, parse};
use proofload_facts::Finding;
use std::path::Path;

const WIDE: &str = "\
study: wide
question: Which settings matter?
subjects:
  server:
    use: tomcat
    vary: { connector: [nio, nio2], heap: [256m, 512m, 1g] }
workload:
  page: { get: /echo }
load:
  closed: { connections: [16, 64] }
claims:
  - faster: throughput(connector=nio2,heap=1g) > throughput(connector=nio,heap=1g)
  - more heap: throughput(connector=nio,heap=1g) > throughput(connector=nio,heap=256m) @ 64c
  - fast enough: p99(connector=nio,heap=1g) < 1s
quick:
  variants: [heap=1g, heap=512m]
  points: [64c]
";

fn study(text: &str, only: &[&str], quick: bool) -> Result<Study, Problems> {
    let only = only.iter().map(|word| word.to_string()).collect();
    parse(text, "only.yaml", Path::new("."), &Options { only, quick, ..Options::default() }, &TestCatalogue)
}

fn names(study: &Study) -> Vec<&str> {
    study.variants.iter().map(|variant| variant.name.as_str()).collect()
}

fn left_out(variant: &str) -> Finding {
    Finding::VariantLeftOut { variant: variant.into(), why: String::new() }
}

fn left_out_claim<'a>(finding: &'a Finding) -> Option<(&'a str, bool)> {
    match finding {
        Finding::ClaimLeftOut { claim, lost_side, .. } => Some((claim, *lost_side)),
        _ => None,
    }
}

fn claims(study: &Study) -> Vec<&str> {
    study.declared_claims.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn levels_points_and_claims_are_kept_and_the_rest_is_said() {
    let kept = study(WIDE, &["heap=1g", "64c"], false).unwrap();
    assert_eq!(names(&kept), ["connector=nio,heap=1g", "connector=nio2,heap=1g"]);
    assert_eq!((kept.names.points.as_slice(), kept.points.len()), (&["64c".to_string()][..], 1));
    assert_eq!(claims(&kept), ["faster", "fast enough"]);
    // Every kept claim is about the kept variants, under their new indexes.
    let again = proofload_stats::parse_claim("faster", &kept.declared_claims[0].1, &kept.names).unwrap();
    assert_eq!(again[0].left, kept.claims[0].left);
    let more_heap = "throughput(connector=nio,heap=1g) > throughput(connector=nio,heap=256m) @ 64c";
    for part in [
        left_out("connector=nio,heap=256m"),
        Finding::PointLeftOut { point: "16c".into() },
        Finding::ClaimLeftOut { claim: "more heap".into(), text: more_heap.into(), lost_side: true },
    ] {
        assert!(kept.not_tested.contains(&part), "no {part:?} in {:?}", kept.not_tested);
    }
    assert_eq!(kept.only, ["heap=1g", "64c"]);
}

#[test]
fn levels_of_one_factor_add_up_and_factors_must_all_fit() {
    let kept = study(WIDE, &["heap=1g", "heap=256m", "connector=nio"], false).unwrap();
    assert_eq!(names(&kept), ["connector=nio,heap=256m", "connector=nio,heap=1g"]);
    let kept = study(WIDE, &["connector=nio,heap=1g", "connector=nio2,heap=1g"], false).unwrap();
    assert_eq!(names(&kept).len(), 2);
    let kept = study(WIDE, &["512m"], false).unwrap();
    assert_eq!(names(&kept), ["connector=nio,heap=512m", "connector=nio2,heap=512m"]);
}

#[test]
fn a_claim_alone_keeps_every_variant() {
    let kept = study(WIDE, &["claim:fast enough"], false).unwrap();
    assert_eq!((names(&kept).len(), claims(&kept)), (6, vec!["fast enough"]));
    let dropped: Vec<_> = kept.not_tested.iter().filter_map(left_out_claim).collect();
    assert_eq!(dropped, [("faster", false), ("more heap", false)]);
}

#[test]
fn figures_without_a_claim_are_allowed_and_said() {
    let kept = study(SMALL, &["nio"], false).unwrap();
    assert!(kept.claims.is_empty() && kept.declared_claims.is_empty());
    assert_eq!(left_out_claim(&kept.not_tested[1]), Some(("faster", true)));
}

#[test]
fn what_leaves_nothing_or_names_nothing_is_a_mistake_of_use() {
    for (only, said) in [
        (
            &["connector=nio3"][..],
            "--only connector=nio3: there is no variant or load point connector=nio3; did you",
        ),
        (&["644c"][..], "there is no variant or load point 644c; did you mean 64c?"),
        (&["claim:fastest"][..], "there is no claim fastest"),
        (&["heap=1g", "connector=nio,heap=256m"][..], "leaves no variant"),
        (&["claim:more heap", "heap=1g"][..], "leaves no claim"),
        (&[""][..], "there is no variant or load point"),
    ] {
        let found = study(WIDE, only, false).unwrap_err().to_string();
        assert!(found.contains(said) && found.starts_with("--only"), "{only:?}: {found}");
    }
}

#[test]
fn a_quick_block_may_keep_fewer_levels() {
    let kept = study(WIDE, &[], true).unwrap();
    assert_eq!(names(&kept).len(), 4);
    assert_eq!(claims(&kept), ["faster", "fast enough"]);
    assert!(kept.not_tested.contains(&left_out("connector=nio2,heap=256m")), "{:?}", kept.not_tested);
    let both = study(WIDE, &["heap=1g"], true).unwrap();
    assert_eq!((names(&both).len(), both.names.points.len()), (2, 1));
    assert_eq!(study(WIDE, &[], false).unwrap().not_tested, []);
}

#[test]
fn what_is_excluded_is_no_variant_and_is_said() {
    let text =
        WIDE.replace("1g] }\n", "1g] }\n    exclude: [{ heap: 256m, connector: nio2 }, { heap: 512m }]\n");
    let text = text.replace("  variants: [heap=1g, heap=512m]\n", "");
    let kept = study(&text, &[], false).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(names(&kept), ["connector=nio,heap=256m", "connector=nio,heap=1g", "connector=nio2,heap=1g"]);
    let excluded = Finding::CombinationsExcluded { subject: "server".into(), excluded: 3, combinations: 6 };
    assert_eq!(kept.not_tested, [excluded]);
}

#[test]
fn combinations_are_the_variants_and_no_product_is_made() {
    let listed = "combinations:\n      - { connector: nio, heap: 256m }\n      - { heap: 1g, connector: nio }\n\
                  \x20     - { connector: nio2, heap: 1g }\n";
    let text = WIDE.replace("vary: { connector: [nio, nio2], heap: [256m, 512m, 1g] }\n", listed);
    let text = text.replace("heap=1g, heap=512m", "heap=1g");
    let kept = study(&text, &[], false).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(names(&kept), ["connector=nio,heap=256m", "heap=1g,connector=nio", "connector=nio2,heap=1g"]);
}

#[test]
fn named_combinations_may_say_only_what_they_change() {
    let text = SMALL.replace(
        "vary: { connector: [nio, nio2] }",
        "with: { heap: 512m }\n    combinations:\n      plain: {}\n      small: { heap: 64m }\n\
         \x20     threads: { max_threads: 500, connector: nio2 }",
    );
    let text = text.replace("throughput(nio2) > throughput(nio)", "throughput(threads) > throughput(plain)");
    let kept = study(&text, &[], false).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(names(&kept), ["plain", "small", "threads"]);
    let with = |index: usize| match &kept.variants[index].subject {
        crate::SubjectSpec::Catalogue { with, .. } => with.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((with(0)["heap"].as_str(), with(0).get("connector")), ("512m", None));
    assert_eq!((with(1)["heap"].as_str(), with(2)["connector"].as_str()), ("64m", "nio2"));
    assert_eq!(
        study(&text, &["combination=small", "plain"], false).map(|kept| kept.variants.len()).ok(),
        None
    );
    assert_eq!(study(&text, &["small", "plain"], false).unwrap().variants.len(), 2);
}

#[test]
fn a_command_has_a_value_for_every_placeholder_in_every_combination() {
    let command =
        "command: [./server, \"{port}\", \"{mode}\"]\n    combinations: { a: {}, b: { mode: loud } }";
    let text = SMALL.replace("use: tomcat\n    vary: { connector: [nio, nio2] }", command);
    let text = text.replace("nio2", "b").replace("(nio)", "(a)");
    let said = study(&text, &[], false).unwrap_err().to_string();
    assert!(said.contains("mode is not in every combination"), "{said}");
    let text = text.replace("    combinations", "    with: { mode: soft }\n    combinations");
    let kept = study(&text, &[], false).unwrap_or_else(|problems| panic!("{problems}"));
    let args = |index: usize| match &kept.variants[index].subject {
        crate::SubjectSpec::Command { args, .. } => args[2].clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((args(0), args(1)), ("soft".to_string(), "loud".to_string()));
}
