use super::*;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../../docs/measures.md");

#[test]
fn every_measure_has_one_line_of_facts_and_reads_back_as_itself() {
    let names: Vec<&str> = Measure::names().collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    for name in names {
        let measure = Measure::parse(name).expect("a known name");
        assert_eq!(measure.name(), name);
        assert!(["per_s", "ns", "share", "count", "bytes", "cores"].contains(&measure.unit()), "{name}");
    }
    assert_eq!(Measure::all().collect::<BTreeSet<_>>().len(), TABLE.len());
}

/// Name, unit and whether it is paired of the rows ``| `name` | unit | merged | …`` of the page.
fn documented() -> Vec<(String, String, bool)> {
    let rows = PAGE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        let name = cells.next()?.trim_end_matches('`').to_string();
        Some((name, cells.next()?.to_string(), cells.next()?.contains("paired")))
    });
    rows.collect()
}

#[test]
fn the_page_of_measures_lists_those_that_there_are() {
    let word = |unit: &str| match unit {
        "ns" => "time",
        "per_s" => "per second",
        "share" => "share",
        "bytes" => "bytes",
        "cores" => "cores",
        _ => "count",
    };
    let known = Measure::names().map(|name| {
        let measure = Measure::parse(name).expect("a known name");
        (name.to_string(), word(measure.unit()).to_string(), measure.pairs_by_cycle())
    });
    let known: BTreeSet<_> = known.collect();
    let documented = documented();
    assert_eq!(documented.iter().collect::<BTreeSet<_>>().len(), documented.len(), "a measure twice");
    assert_eq!(documented.into_iter().collect::<BTreeSet<_>>(), known);
}

#[test]
fn quantiles_are_speeds_that_cannot_be_zero() {
    let p99 = Measure::ResponseQuantile(9900);
    assert!(p99.is_speed() && !p99.may_be_zero() && !p99.pairs_by_cycle());
    assert_eq!((p99.unit(), p99.source()), ("ns", Source::Generator));
}

#[test]
fn the_first_byte_has_the_measures_of_the_whole_response_time() {
    for (name, measure, of_whole) in [
        ("first_byte_p50", Measure::FirstByteQuantile(5_000), Measure::ResponseQuantile(5_000)),
        ("first_byte_p95", Measure::FirstByteQuantile(9_500), Measure::ResponseQuantile(9_500)),
        ("first_byte_p999", Measure::FirstByteQuantile(9_990), Measure::ResponseQuantile(9_990)),
        ("first_byte_p03", Measure::FirstByteQuantile(300), Measure::ResponseQuantile(300)),
        ("first_byte_mean", Measure::FirstByteMean, Measure::ResponseMean),
        ("first_byte_max", Measure::FirstByteMax, Measure::ResponseMax),
    ] {
        assert_eq!(Measure::parse(name), Some(measure));
        assert_eq!((measure.name().as_str(), measure.of_whole()), (name, of_whole));
        assert_eq!(measure.quantile(), of_whole.quantile());
        assert!(measure.is_of_first_byte() && !of_whole.is_of_first_byte(), "{name}");
        assert!(measure.is_speed() && measure.ranks_unended() && measure.is_of_exchanges(), "{name}");
        assert!(!measure.is_of_entries() && of_whole.is_of_entries(), "{name}");
        assert!(!measure.may_be_zero() && !measure.pairs_by_cycle() && measure.unit() == "ns", "{name}");
    }
    for wrong in
        ["first_byte_", "first_byte_p", "first_byte_p100", "first_byte_99", "first_bytep99", "p99_first_byte"]
    {
        assert_eq!(Measure::parse(wrong), None, "{wrong}");
    }
}
