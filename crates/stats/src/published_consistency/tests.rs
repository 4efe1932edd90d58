use super::*;
use crate::{Names, Selector, parse_published};

fn is_impossible(contradiction: &Contradiction) -> bool {
    !matches!(contradiction, Contradiction::Unaccounted { .. } | Contradiction::Utilisation { .. })
}

fn names() -> Names {
    Names {
        variants: vec![Selector { name: "server".into(), levels: Vec::new() }],
        points: vec!["10c".into()],
        streams: Vec::new(),
        ..Names::default()
    }
}

/// Figures as they are written in a study.
fn figures(written: &[(&str, &str)]) -> Vec<Published> {
    let read = |(quantity, value): &(&str, &str)| {
        parse_published(&format!("{quantity}(server) @ 10c"), value, &names()).expect("a figure")
    };
    written.iter().map(read).collect()
}

fn closed(connections: f64) -> Option<InFlight> {
    Some(InFlight { connections, always: true })
}

fn of_rate_and_mean(rate: &str, mean: &str, connections: f64) -> Vec<Contradiction> {
    contradictions(&figures(&[("throughput", rate), ("mean", mean)]), closed(connections))
}

#[test]
fn a_written_figure_stands_for_all_that_round_to_it() {
    for (quantity, value, low, high) in [
        ("mean", "0.6ms", 0.55e6, 0.65e6),
        ("mean", "4ms", 3.5e6, 4.5e6),
        ("mean", "50.27ms", 50.265e6, 50.275e6),
        ("throughput", "14402/s", 14_401.5, 14_402.5),
        ("throughput", "1989.24/s", 1_989.235, 1_989.245),
        ("throughput", "2k/s", 1_500.0, 2_500.0),
        ("cpu", "1.80", 1.795, 1.805),
        ("error_share", "60%", 0.595, 0.605),
        ("rss", "256MiB", 255.5 * 1_048_576.0, 256.5 * 1_048_576.0),
    ] {
        let figure = figures(&[(quantity, value)])[0].clone();
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-9 * wanted;
        assert!(near(figure.low, low) && near(figure.high, high), "{quantity} {value}: {figure:?}");
    }
}

/// Two lines of a published table whose response times were swapped.
#[test]
fn swapped_response_times_are_told_by_littles_law() {
    let found = of_rate_and_mean("1293/s", "5.03ms", 10.0);
    let [Contradiction::Unaccounted { missing, connections }] = found[..] else { panic!("{found:?}") };
    assert!((missing - 3.49).abs() < 0.02 && connections == 10.0, "{found:?}");
    assert!(!is_impossible(&found[0]));
    let found = of_rate_and_mean("1966/s", "7.68ms", 10.0);
    let [Contradiction::MoreInFlight { in_flight, connections }] = found[..] else { panic!("{found:?}") };
    assert!((in_flight - 15.09).abs() < 0.02 && connections == 10.0, "{found:?}");
    assert!(is_impossible(&found[0]));
    // The other way round both add up.
    assert_eq!(of_rate_and_mean("1293/s", "7.68ms", 10.0), []);
    assert_eq!(of_rate_and_mean("1966/s", "5.03ms", 10.0), []);
}

#[test]
fn rows_that_add_up_are_left_alone() {
    for (rate, mean, connections) in [
        ("22175/s", "1.443ms", 32.0),
        ("20378/s", "1.570ms", 32.0),
        // 32.004 as written, 31.998 at the least that rounds to it.
        ("10794/s", "2.965ms", 32.0),
        ("1989.24/s", "50.27ms", 100.0),
        ("1805.32/s", "55.39ms", 100.0),
        ("11940/s", "0.8ms", 10.0),
        ("324.2/s", "30.8ms", 10.0),
        ("1031.28/s", "9.61ms", 10.0),
    ] {
        let found = of_rate_and_mean(rate, mean, connections);
        assert_eq!(found, [], "{rate} {mean}");
    }
    assert_eq!(of_rate_and_mean("1925.33/s", "5.21ms", 10.0).len(), 1, "10.02 at the least");
}

#[test]
fn think_time_explains_idle_connections_and_never_too_many_requests() {
    let thinking = Some(InFlight { connections: 10.0, always: false });
    let of = |mean| figures(&[("throughput", "1000/s"), ("mean", mean)]);
    assert_eq!(contradictions(&of("1.00ms"), thinking), []);
    assert_eq!(contradictions(&of("11.0ms"), thinking).len(), 1);
    assert_eq!(contradictions(&of("11.0ms"), None), [], "an open loop has as many as it takes");
}

#[test]
fn quantiles_never_fall_and_nothing_is_above_the_largest() {
    let of = |written: &[(&str, &str)]| contradictions(&figures(written), closed(10.0));
    let (p50, p90, p99) =
        (Measure::ResponseQuantile(5000), Measure::ResponseQuantile(9000), Measure::ResponseQuantile(9900));
    assert_eq!(
        of(&[("p50", "1ms"), ("p90", "2ms"), ("p99", "2ms"), ("max", "30ms"), ("mean", "1.443ms")]),
        []
    );
    let falls = of(&[("p99", "5ms"), ("p50", "3ms"), ("p90", "7ms")]);
    assert_eq!(falls, [Contradiction::Below { of: p99, than: p90 }]);
    let both = of(&[("p50", "9ms"), ("p90", "7ms"), ("p99", "5ms")]);
    assert_eq!(
        both,
        [Contradiction::Below { of: p90, than: p50 }, Contradiction::Below { of: p99, than: p50 }]
    );
    let largest = of(&[("p50", "3ms"), ("max", "2.9ms"), ("mean", "3ms")]);
    assert_eq!(largest, [], "3 ms may be 2.6");
    let largest = of(&[("p50", "3.0ms"), ("max", "2.8ms"), ("mean", "3.5ms")]);
    let max = Measure::ResponseMax;
    assert_eq!(
        largest,
        [
            Contradiction::Below { of: max, than: p50 },
            Contradiction::Below { of: max, than: Measure::ResponseMean }
        ]
    );
}

#[test]
fn shares_are_parts_of_a_whole_and_cpu_is_what_requests_cost() {
    let of = |written: &[(&str, &str)]| contradictions(&figures(written), None);
    assert_eq!(of(&[("error_share", "100%")]), []);
    assert_eq!(of(&[("error_share", "120%")]), [Contradiction::AboveWhole { of: Measure::ErrorShare }]);
    assert_eq!(of(&[("jit_share", "120%")]), [], "several compilers may be busy");
    let rows = |cores| of(&[("throughput", "20000/s"), ("cpu_per_request", "100us"), ("cpu", cores)]);
    assert_eq!(rows("2.0"), []);
    assert_eq!(rows("2.1"), [], "within the slack");
    for cores in ["2.8", "1.5"] {
        let found = rows(cores);
        let [Contradiction::Utilisation { product, .. }] = found[..] else { panic!("{found:?}") };
        assert!((product - 2.0).abs() < 0.02, "{found:?}");
        assert!(!is_impossible(&found[0]));
    }
}
