//! Expectations of answers that read values, sizes and times: each passes and fails, with users and without.

use super::*;
use proofload_engine::journey::Test;
use proofload_engine::reading::Requirement;

fn value(from: Source, written: &str, test: Test) -> Expect {
    let values = vec![Requirement { written: written.to_owned(), from, test }];
    Expect { values, ..Expect::default() }
}

fn schema(text: &str) -> Expect {
    Expect { schema: Some(text.to_owned()), ..Expect::default() }
}

/// Each expectation of a login's answer, `{"ok": true, "token": "tN"}`, with what is told where it fails.
fn cases() -> Vec<(Expect, Option<&'static str>)> {
    let ok = |test| value(json("$.ok"), "$.ok", test);
    let header = |name: &str, test| value(Source::Header(name.to_owned()), name, test);
    let code = |test| value(Source::Status, "status", test);
    vec![
        (ok(Test::Is("true".into())), None),
        (ok(Test::Is("false".into())), Some("$.ok: \"true\", expected \"false\"")),
        (ok(Test::IsNot("true".into())), Some("$.ok: \"true\", expected anything but \"true\"")),
        (value(json("$.token"), "$.token", Test::Absent), Some("$.token: \"t1\", expected none")),
        (value(json("$.user"), "$.user", Test::Absent), None),
        (value(json("$.user"), "$.user", Test::Present), Some("$.user is not there, expected any value")),
        (header("X-Token", Test::Is("h1".into())), None),
        (header("x-token", Test::Is("h2".into())), Some("x-token: \"h1\", expected \"h2\"")),
        (header("X-Tokens", Test::Present), Some("X-Tokens is not there, expected any value")),
        (value(Source::Cookie("sid".into()), "sid", Test::Is("c1".into())), None),
        (
            value(Source::Cookie("sid".into()), "sid", Test::Is("c2".into())),
            Some("sid: \"c1\", expected \"c2\""),
        ),
        (code(Test::AtMost(200.0)), None),
        (code(Test::Below(200.0)), Some("status: \"200\", expected less than 200")),
        (code(Test::Above(200.0)), Some("status: \"200\", expected more than 200")),
        (Expect { bytes: Some(27..=28), ..Expect::default() }, None),
        (Expect { bytes: Some(28..=99), ..Expect::default() }, Some("a body of 27 bytes, expected 28 to 99")),
        (Expect { bytes: Some(0..=26), ..Expect::default() }, Some("a body of 27 bytes, expected 0 to 26")),
        (schema(r#"{"type": "object", "required": ["token"]}"#), None),
        (
            schema(r#"{"properties": {"token": {"type": "number"}}}"#),
            Some("the body does not fit its schema: "),
        ),
    ]
}

#[test]
fn a_failed_check_is_a_mismatch_with_a_sample_and_ends_the_journey() {
    for (expect, what) in cases() {
        let mix =
            vec![MixEntry { expect: expect.clone(), ..filled(post("/login"), &[]) }, steps()[1].clone()];
        let extent = Extent::Requests { count: 1, cap_ns: SECOND };
        let plan = LoadPlan { connections: 1, extent, ..closed() };
        let world = World::new(Server { gives_tokens: true, ..Server::default() }, 1);
        let result =
            load(&of_users(plan.clone(), mix.clone(), vec![], vec![Step::Ask(0), Step::Ask(1)]), &world);
        let outcome = if what.is_some() { Outcome::Mismatch } else { Outcome::Answered };
        assert_eq!(
            (part(&result, 0, outcome), part(&result, 2, outcome)),
            (1, 1),
            "{expect:?} {:?}",
            result.bad_answers
        );
        assert_eq!(served(&world, "/1"), u64::from(what.is_none()), "{expect:?}");
        let alone = load(&LoadPlan { mix: mix[..1].into(), ..plan }, &World::new(world.server.clone(), 1));
        assert_eq!(count(&alone, outcome), 1, "without users: {expect:?} {:?}", alone.bad_answers);
        for result in [&result, &alone] {
            assert!(
                told(result, outcome).starts_with(what.unwrap_or("nothing")),
                "{}",
                told(result, outcome)
            );
            assert_eq!(result.bad_answers.len(), usize::from(what.is_some()));
            assert!(
                result
                    .bad_answers
                    .iter()
                    .all(|bad| bad.mix_entry == 0 && bad.received.starts_with(b"HTTP/1.1 200"))
            );
        }
    }
}

#[test]
fn an_answer_is_in_time_to_the_nanosecond() {
    // There and back three times 40 µs: the connection, the request, the answer; 10 ms of service.
    let took_ns = 10 * MS + 80_000;
    for (within_ns, outcome) in [(took_ns, Outcome::Answered), (took_ns - 1, Outcome::Mismatch)] {
        let expect = Expect { within_ns: Some(within_ns), ..Expect::default() };
        let mix = vec![MixEntry { expect, ..steps()[1].clone() }];
        let plan = of_users(LoadPlan { connections: 20, ..open(10.0) }, mix, vec![], vec![Step::Ask(0)]);
        let service = Service::Constant(10 * MS);
        let result = load(&plan, &World::new(Server { service, ..Server::default() }, 1));
        assert_eq!(
            (part(&result, 0, outcome), part(&result, 1, outcome)),
            (10, 10),
            "{:?}",
            result.bad_answers
        );
        let late = "answered in 10.08 ms, expected 10.079999 at most";
        assert_eq!(
            told(&result, Outcome::Mismatch),
            if outcome == Outcome::Mismatch { late } else { "nothing" }
        );
    }
}

#[test]
fn checks_are_made_in_the_order_that_is_written_and_before_values_are_captured() {
    let wrong = |name: &str| Requirement { written: name.into(), from: Source::Status, test: Test::Absent };
    let expect = Expect { values: vec![wrong("first"), wrong("second")], ..Expect::default() };
    let mix = vec![MixEntry { expect, ..filled(post("/login"), &[]) }];
    let captures = vec![vec![capture(0, json("$.none"))]];
    let plan = of_users(LoadPlan { connections: 20, ..open(10.0) }, mix, captures, vec![Step::Ask(0)]);
    let result = load(&plan, &World::new(Server { gives_tokens: true, ..Server::default() }, 1));
    assert_eq!((count(&result, Outcome::Mismatch), count(&result, Outcome::NotCaptured)), (10, 0));
    assert_eq!(told(&result, Outcome::Mismatch), "first: \"200\", expected none");
}

#[test]
fn a_value_is_absent_only_where_it_was_looked_for() {
    let absent = || value(json("$.error"), "$.error", Test::Absent);
    let no_such = value(Source::Body(Selector::Regex("zz".to_owned())), "zz", Test::IsNot("zz".into()));
    let number = schema(r#"{"type": "integer"}"#);
    let unkept =
        "the body is longer than the 256 bytes that Proofload reads of one; this limit cannot be raised";
    let no_json = "$.error cannot be looked for: it is no JSON, or nested deeper than 127, expected none";
    for (expect, bytes, outcome, what) in [
        (absent(), 100, Outcome::Mismatch, no_json),
        (absent(), 257, Outcome::BeyondLimit, unkept),
        (no_such.clone(), 256, Outcome::Answered, "nothing"),
        (no_such, 257, Outcome::BeyondLimit, unkept),
        (number, 257, Outcome::BeyondLimit, unkept),
    ] {
        let page = filled(RequestSpec::get("server.test", "/1"), &[]);
        let mix = vec![MixEntry { expect: expect.clone(), ..page }];
        let plan = of_users(LoadPlan { connections: 20, ..open(10.0) }, mix, vec![], vec![Step::Ask(0)]);
        let result = load(&plan, &World::new(Server { body_bytes: bytes, ..Server::default() }, 1));
        assert_eq!(count(&result, outcome), 10, "{expect:?} {bytes} {:?}", result.bad_answers);
        assert_eq!(told(&result, outcome), what);
    }
}
