//! Alternative spellings that are read.

use super::*;

#[test]
fn a_unit_may_stand_behind_a_space() {
    for (text, expected) in [
        ("p99(ajp) < 20 ms @ 25c", 20e6),
        ("20 ms > p99(ajp) @ 25c", 20e6),
        ("throughput(ajp) > 5 k/s @ 25c", 5_000.0),
        ("error_share(ajp) < 0.5 % @ 25c", 0.005),
        ("rss(ajp) <= 64 KiB @ 25c", 65_536.0),
        ("errors(ajp) == 0 @ 25c", 0.0),
    ] {
        assert_eq!(one(text, &two()).right, Side::Constant(expected), "{text}");
    }
}

#[test]
fn a_factor_stands_before_or_behind_its_measure_on_either_side() {
    let p99 = |factor: f64, variant: usize| Side::Measured {
        factor,
        term: Term::Of { measure: Measure::ResponseQuantile(9900), variant, stream: None },
        point: 0,
    };
    for text in [
        "p99(ajp) <= 0.9*p99(http) @ 25c",
        "p99(ajp) <= 0.9 * p99(http) @ 25c",
        "p99(ajp) <= p99(http)*0.9 @ 25c",
        "p99(ajp) <= p99(http) * 90% @ 25c",
        "p99(ajp) <= 90 % * p99(http) @ 25c",
        "p99(ajp) @ 25c <= p99(http) * 0.9",
    ] {
        let claim = one(text, &two());
        assert_eq!(
            (claim.left, claim.comparison, claim.right),
            (p99(1.0, 0), Comparison::AtMost, p99(0.9, 1)),
            "{text}"
        );
    }
    for text in ["0.9*p99(http) >= p99(ajp) @ 25c", "p99(http) * 0.9 >= p99(ajp) @ 25c"] {
        let claim = one(text, &two());
        assert_eq!(
            (claim.left, claim.comparison, claim.right),
            (p99(0.9, 1), Comparison::AtLeast, p99(1.0, 0)),
            "{text}"
        );
    }
}

#[test]
fn a_constant_on_the_left_is_turned_round() {
    let claim = one("50ms > p99(ajp) @ 25c", &two());
    assert_eq!(claim.left, of(Measure::ResponseQuantile(9900), 0, 0));
    assert_eq!((claim.comparison, claim.right), (Comparison::Less, Side::Constant(50e6)));
}
