mod forgiving;

use super::*;

fn names() -> Names {
    let variant = |connector: &str, heap: &str| Selector {
        name: format!("connector={connector},heap={heap}"),
        levels: vec![("connector".into(), connector.into()), ("heap".into(), heap.into())],
    };
    Names {
        variants: vec![
            variant("nio", "256m"),
            variant("nio2", "256m"),
            variant("nio", "1g"),
            Selector { name: "plain".into(), levels: Vec::new() },
        ],
        points: vec!["64c".into(), "400c".into(), "5k/s".into()],
        streams: Vec::new(),
        ..Names::default()
    }
}

fn two() -> Names {
    let variant = |proxy: &str| Selector {
        name: format!("proxy={proxy}"),
        levels: vec![("proxy".into(), proxy.into())],
    };
    Names {
        variants: vec![variant("ajp"), variant("http")],
        points: vec!["25c".into(), "400c".into()],
        ..Names::default()
    }
}

fn one(text: &str, names: &Names) -> Claim {
    let mut claims = parse_claim("name", text, names).unwrap_or_else(|errors| panic!("`{text}`: {errors:?}"));
    assert_eq!(claims.len(), 1, "`{text}` is about one point");
    claims.remove(0)
}

fn wrong(text: &str, names: &Names) -> Vec<String> {
    match parse_claim("name", text, names) {
        Ok(claims) => panic!("`{text}` was read as {claims:?}"),
        Err(errors) => errors.into_iter().map(|error| format!("{:?}", error.mistake)).collect(),
    }
}

fn of(measure: Measure, variant: usize, point: usize) -> Side {
    Side::Measured { factor: 1.0, term: Term::Of { measure, variant, stream: None }, point }
}

#[test]
fn a_plain_comparison_is_read() {
    let claim = one("throughput(ajp) > throughput(http) @ 400c", &two());
    assert_eq!(claim.left, of(Measure::Throughput, 0, 1));
    assert_eq!(claim.comparison, Comparison::Greater);
    assert_eq!(claim.right, of(Measure::Throughput, 1, 1));
    assert_eq!(claim.text, "throughput(ajp) > throughput(http) @ 400c");
}

#[test]
fn a_claim_without_a_point_becomes_one_for_each() {
    let claims = parse_claim("n", " p99(ajp) <= p99(http) ", &two()).expect("a claim");
    let texts: Vec<&str> = claims.iter().map(|claim| claim.text.as_str()).collect();
    assert_eq!(texts, ["p99(ajp) <= p99(http) @ 25c", "p99(ajp) <= p99(http) @ 400c"]);
    assert_eq!(claims[1].left, of(Measure::ResponseQuantile(9900), 0, 1));
    assert!(claims.iter().all(|claim| claim.name == "n"));
}

#[test]
fn with_a_single_point_the_text_stays_as_it_was_written() {
    let names = Names { points: vec!["8c".into()], ..two() };
    assert_eq!(one("mean(ajp) < mean(http)", &names).text, "mean(ajp) < mean(http)");
}

#[test]
fn factors_bands_and_ratios_are_read() {
    let claim = one("throughput(ajp) >= 1.10 * throughput(http) @ 25c", &two());
    let Side::Measured { factor, .. } = claim.right else { panic!("{claim:?}") };
    assert_eq!((factor, claim.comparison), (1.10, Comparison::AtLeast));
    let claim = one("p99(ajp)~p99(http)within 5% @25c", &two());
    assert_eq!(claim.comparison, Comparison::Within(0.05));
    let claim = one("ratio(throughput, ajp, http) @ 400c > ratio(throughput, ajp, http) @ 25c", &two());
    let ratio = |point| Side::Measured {
        factor: 1.0,
        term: Term::Ratio { measure: Measure::Throughput, over: 0, under: 1, stream: None },
        point,
    };
    assert_eq!((claim.left, claim.right), (ratio(1), ratio(0)));
    assert_eq!(one("ratio(mean, ajp, http) < 1.05 @ 25c", &two()).right, Side::Constant(1.05));
}

#[test]
fn constants_are_in_the_unit_of_their_measure() {
    for (text, expected) in [
        ("p99(ajp) < 50ms @ 25c", 50e6),
        ("p99(ajp) < 50us @ 25c", 50e3),
        ("p99(ajp) < 1.5s @ 25c", 1.5e9),
        ("max(ajp) < 70ns @ 25c", 70.0),
        ("throughput(ajp) > 5k/s @ 25c", 5_000.0),
        ("throughput(ajp) > 12.5/s @ 25c", 12.5),
        ("error_share(ajp) < 0.1% @ 25c", 0.001),
        ("errors(ajp) == 0 @ 25c", 0.0),
        ("rss(ajp) <= 300MiB @ 25c", 300.0 * 1024.0 * 1024.0),
        ("rss(ajp) <= 64KiB @ 25c", 65_536.0),
        ("cpu_per_request(ajp) < 20us @ 25c", 20e3),
        ("full_gc_count(ajp) == 0 @ 25c", 0.0),
        ("worker_balance(ajp) >= 0.8 @ 25c", 0.8),
    ] {
        let Side::Constant(value) = one(text, &two()).right else { panic!("{text}") };
        assert!((value / expected - 1.0).abs() < 1e-12 || value == expected, "{text}: {value}");
    }
}

#[test]
fn a_point_counts_for_both_sides_unless_each_has_its_own() {
    let claim = one("mean(ajp) @ 25c < mean(http)", &two());
    assert_eq!((claim.left, claim.right), (of(Measure::ResponseMean, 0, 0), of(Measure::ResponseMean, 1, 0)));
    let claim = one("mean(ajp)@25c<mean(ajp)@400c", &two());
    assert_eq!((claim.left, claim.right), (of(Measure::ResponseMean, 0, 0), of(Measure::ResponseMean, 0, 1)));
    let claim = one("mean(plain) @ 5k/s ~ mean(nio2) @ 64c within 3%", &names());
    assert_eq!((claim.left, claim.right), (of(Measure::ResponseMean, 3, 2), of(Measure::ResponseMean, 1, 0)));
}

#[test]
fn variants_are_found_by_level_by_pairs_and_by_name() {
    let names = names();
    assert_eq!(names.variant("nio2"), Ok(1));
    assert_eq!(names.variant("1g"), Ok(2));
    assert_eq!(names.variant("connector=nio, heap=256m"), Ok(0));
    assert_eq!(names.variant("heap=256m,connector=nio"), Ok(0));
    assert_eq!(names.variant("nio,1g"), Ok(2));
    assert_eq!(names.variant("plain"), Ok(3));
    let claim = one("ratio(p50, connector=nio,heap=256m, connector=nio,heap=1g) > 1 @ 64c", &names);
    let Side::Measured { term: Term::Ratio { over, under, .. }, .. } = claim.left else {
        panic!("{claim:?}")
    };
    assert_eq!((over, under), (0, 2));
}

#[test]
fn one_variant_need_not_be_named() {
    let names = Names { variants: vec![Selector { name: "url".into(), levels: Vec::new() }], ..two() };
    assert_eq!(one("p99 < 50ms @ 25c", &names).left, of(Measure::ResponseQuantile(9900), 0, 0));
    assert!(wrong("p99 < 50ms", &two())[0].contains("WhichVariant"));
}

#[test]
fn measures_are_read_and_named_the_same() {
    for (text, measure) in [
        ("p50", Measure::ResponseQuantile(5_000)),
        ("p05", Measure::ResponseQuantile(500)),
        ("p90", Measure::ResponseQuantile(9_000)),
        ("p999", Measure::ResponseQuantile(9_990)),
        ("p995", Measure::ResponseQuantile(9_950)),
        ("p9999", Measure::ResponseQuantile(9_999)),
        ("error_share", Measure::ErrorShare),
        ("cpu_per_request", Measure::CpuPerRequest),
        ("full_gc_count", Measure::FullGcCount),
        ("worker_balance", Measure::WorkerBalance),
    ] {
        assert_eq!(Measure::parse(text), Some(measure));
        assert_eq!(measure.name(), text);
    }
    for text in ["p", "p0", "p00", "p100", "p5", "p123", "p99999", "p-1", "P99", "", "p9٩"] {
        assert_eq!(Measure::parse(text), None, "{text}");
    }
}

#[test]
fn mistakes_say_what_to_write_instead() {
    for (text, expected) in [
        ("troughput(ajp) > throughput(http)", "similar: Some(\"throughput\")"),
        ("p100(ajp) < 1s", "similar: Some(\"max\")"),
        ("speed(ajp) > speed(http)", "known: \"throughput, p50"),
        ("mean(apj) > mean(http)", "similar: Some(\"ajp\")"),
        ("mean(x) > mean(http)", "known: \"proxy=ajp, proxy=http\""),
        ("mean() > mean(http)", "Empty"),
        ("mean(ajp) > mean(http) @ 26c", "known: \"25c, 400c\""),
        ("mean(ajp) > mean(http) @", "NoPoint"),
        ("mean(ajp) @ 25c > mean(http) @ 25c @ 25c", "PointTwice"),
        ("p99[fast](ajp) < 5ms", "NoStreams"),
        ("p99(ajp < 5ms", "NeverClosed"),
        ("p99(ajp) = 5ms", "NoComparison"),
        ("p99(ajp)", "NoComparison { found: None }"),
        ("p99(ajp) < 5", "WrongUnit { found: \"5\", measure: \"p99\", expected: Duration, form: \"50ms\" }"),
        ("p99(ajp) < 5k/s", "WrongUnit { found: \"5k/s\""),
        ("p99(ajp) < 5min", "WrongUnit { found: \"5min\""),
        ("throughput(ajp) > 50ms", "form: \"5k/s\""),
        ("errors(ajp) == 0%", "form: \"0\""),
        ("throughput(ajp) > p99(http)", "DifferentUnits"),
        ("throughput(ajp) > ratio(throughput, ajp, http)", "DifferentUnits"),
        ("throughput(ajp) > throughput(ajp)", "SameSides"),
        ("1 < 2", "TwoConstants"),
        ("p99(ajp) ~ p99(http)", "NoWithin"),
        ("p99(ajp) ~ p99(http) within 5", "Percentage"),
        ("p99(ajp) ~ p99(http) within 0%", "Percentage"),
        ("p99(ajp) > p99(http) within 5%", "WithinOf { comparison: \">\" }"),
        ("0 * p99(ajp) > p99(http)", "expected: Factor"),
        ("p99(ajp) > p99(http) * 0", "expected: Factor"),
        ("p99(ajp) > p99(http) * x", "expected: Factor"),
        ("p99(ajp) > 2 p99(http)", "LeftOver { rest: \"p99(http)\" }"),
        ("p99(ajp) < 50 within 5%", "WithinOf { comparison: \"<\" }"),
        ("p99(ajp) < 50ms * p99(http)", "LeftOver"),
        ("1.2.3 * p99(ajp) > p99(http)", "expected: Number"),
        ("ratio(throughput) > 1", "RatioForm"),
        ("ratio(throughput, ajp) > 1", "RatioForm"),
        ("ratio(throughput, ajp, ajp) > 1", "RatioOfSame"),
        ("ratio(throughput, ajp, htp) > 1", "similar: Some(\"http\")"),
        ("ratio(throughput, ajp, http) > 0", "RatioAboveZero"),
        ("ratio > 1", "RatioForm"),
        ("a < b < c", "LeftOver { rest: \"< c\" }"),
        ("", "NoTerm"),
        ("> 5ms", "NoTerm"),
        ("-5ms < p99(ajp)", "NoTerm"),
    ] {
        let found = wrong(text, &two());
        assert!(found.iter().any(|message| message.contains(expected)), "`{text}`: {found:?}");
    }
}

#[test]
fn an_ambiguous_level_lists_the_names_to_choose_from() {
    let found = wrong("mean(nio) > mean(nio2) @ 64c", &names());
    assert_eq!(
        found,
        ["Ambiguous { found: \"nio\", known: \"connector=nio,heap=256m, connector=nio,heap=1g\" }"]
    );
}

#[test]
fn all_mistakes_of_a_claim_are_told_at_once_and_where() {
    let errors = parse_claim("n", "men(ajp) > mean(htp) @ 26c", &two()).expect_err("three mistakes");
    let places: Vec<usize> = errors.iter().map(|error| error.at).collect();
    assert_eq!(places, [0, 16, 23], "{errors:?}");
}

#[test]
fn a_study_without_points_has_nothing_to_claim() {
    let names = Names { points: Vec::new(), ..two() };
    assert!(wrong("mean(ajp) > mean(http)", &names)[0].contains("NoPoints"));
}

#[test]
fn very_long_texts_are_refused() {
    assert!(wrong(&"x".repeat(5_000), &two())[0].contains("most: \"1024\""));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,80}") {
        let _ = parse_claim("n", &text, &two());
    }

    #[test]
    fn no_row_of_words_makes_the_reader_panic(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "p99", "ratio", "(", ")", "ajp", "http", ",", ">", "~", "within", "5%", "@", "25c", "1.5",
                "*", "[", "%",
                "é", "proxy=ajp", " ", "errors", "==", "0", "k/s", "ms",
            ]),
            0..14,
        )
    ) {
        let text: String = words.concat();
        if let Ok(claims) = parse_claim("n", &text, &two()) {
            for claim in claims {
                assert!(matches!(claim.left, Side::Measured { .. }), "{text}");
            }
        }
    }
}

#[test]
fn a_measure_may_be_that_of_one_entry_of_a_mix() {
    let requests = vec!["/cart".into(), "/cart[2](x)".into(), "page one".into()];
    let url = Selector { name: "http://a/cart http://a/b".into(), levels: Vec::new() };
    let alone = Names { variants: vec![url], requests: requests.clone(), ..two() };
    let of_entry = |claim: &Claim| match &claim.left {
        Side::Measured { term: Term::Of { stream, .. } | Term::Ratio { stream, .. }, .. } => *stream,
        Side::Constant(_) => None,
    };
    for (text, entry) in [
        ("p99(/cart) < 50ms @ 25c", 0),
        ("p99[/cart] < 50ms @ 25c", 0),
        ("p99(/cart[2](x)) < 50ms @ 25c", 1),
        ("error_share[/cart[2](x)] < 1% @ 25c", 1),
        ("throughput( page one ) > 9/s @ 25c", 2),
    ] {
        assert_eq!(of_entry(&one(text, &alone)), Some(entry), "{text}");
    }
    let several = Names { streams: vec!["fast".into()], requests, ..two() };
    let claim = one("ratio(p50[page one], ajp, http) < 2 @ 25c", &several);
    assert_eq!(of_entry(&claim), Some(3), "behind the streams");
    assert_eq!(several.stream_of(Some(3)), "page one");
    for (text, names, says) in [
        ("p99(/crat) < 50ms @ 25c", &alone, "what: Entry, found: \"/crat\", similar: Some(\"/cart\")"),
        ("p99(/other) < 5ms @ 25c", &alone, "known: \"/cart, /cart[2](x), page one\""),
        ("p99(/cart) < 50ms @ 25c", &several, "what: Variant"),
        ("rss(/cart) < 5MiB @ 25c", &alone, "NotOfStreams"),
        ("received_bytes_per_exchange(/cart) < 5KiB @ 25c", &alone, "NotOfRequests"),
        ("first_byte_p99(/cart) < 5ms @ 25c", &alone, "NotOfRequests"),
        ("p99(/cart < 50ms @ 25c", &alone, "NeverClosed"),
    ] {
        let told = wrong(text, names);
        assert!(told.iter().any(|mistake| mistake.contains(says)), "{text}: {told:?}");
    }
}

#[test]
fn a_measure_may_be_that_of_one_stream() {
    let names = Names { streams: vec!["fast".into(), "slow".into()], ..two() };
    let parse = |text: &str| parse_claim("c", text, &names);
    let claims = parse("p99[ fast ](ajp) < p99[slow](http) @ 25c").expect("a claim");
    let stream = |side: &Side| match side {
        Side::Measured { term: Term::Of { stream, .. } | Term::Ratio { stream, .. }, .. } => *stream,
        Side::Constant(_) => None,
    };
    assert_eq!((stream(&claims[0].left), stream(&claims[0].right)), (Some(0), Some(1)));
    let ratio = parse("ratio(p99[slow], ajp, http) < 2 @ 25c").expect("a claim");
    assert_eq!(stream(&ratio[0].left), Some(1));
    assert!(parse("p99[fast](ajp) < p99[slow](ajp)").is_ok(), "two streams of one variant");
    for (text, says) in [
        ("p99[fats](ajp) < 5ms", "similar: Some(\"fast\")"),
        ("p99[fast(ajp) < 5ms", "NeverClosed"),
        ("ratio[fast](p99, ajp, http) < 2", "RatioForm"),
        ("ratio(p99[fast, ajp, http) < 2", "NeverClosed"),
        ("ratio(p99[quick], ajp, http) < 2", "known: \"fast, slow\""),
        ("cpu_per_request[fast](ajp) < 1ms", "NotOfStreams"),
        ("p99[fast](ajp) < p99[fast](ajp)", "SameSides"),
    ] {
        let errors = parse(text).expect_err(text);
        assert!(
            errors.iter().any(|error| format!("{:?}", error.mistake).contains(says)),
            "{text}: {errors:?}"
        );
    }
}
