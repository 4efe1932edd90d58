//! Values captured from answers, and the later steps that use them.

use super::*;
use proofload_engine::feed::Feeder;
use std::collections::BTreeMap;

/// Users of a second, one after the other and interleaved, with fewer seats than users.
fn arrivals() -> LoadPlan {
    LoadPlan { connections: 12, ..open(20.0) }
}

fn login() -> MixEntry {
    filled(post("/login"), &[])
}

/// A private page, asked for with a token.
fn private(before: &str) -> MixEntry {
    filled(RequestSpec::get("server.test", "/private"), &[("Authorization", before, 0)])
}

fn tokens() -> Server {
    Server { gives_tokens: true, service: Service::Exponential(20 * MS), ..Server::default() }
}

/// A user logs in, which leaves that, and asks twice for something private.
fn walk(captured: Capture, private: MixEntry) -> LoadPlan {
    let steps = vec![Step::Ask(0), Step::Pause((50 * MS).into()), Step::Ask(1), Step::Ask(1)];
    of_users(arrivals(), vec![login(), private], vec![vec![captured], vec![]], steps)
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn every_source_gives_each_user_his_own_values_and_nobody_anothers() {
    for workers in [1, 3] {
        let fields = [
            ("Authorization", "Bearer ", 0),
            ("X-Seen", "", 1),
            ("X-Sid", "", 2),
            ("X-Code", "of ", 3),
            ("X-User", "u", 4),
        ];
        let captures = vec![
            capture(0, json("$.token")),
            capture(1, Source::Header("x-TOKEN".to_owned())),
            capture(2, Source::Cookie("sid".to_owned())),
            capture(3, Source::Status),
        ];
        let mix = vec![
            filled(post("/login"), &fields[4..]),
            filled(RequestSpec::get("server.test", "/private"), &fields),
        ];
        let steps = vec![Step::Ask(0), Step::Pause((100 * MS).into()), Step::Ask(1), Step::Ask(1)];
        let plan = of_users(LoadPlan { workers, ..arrivals() }, mix, vec![captures, vec![]], steps);
        let mut asking = plan.asking.clone();
        asking.cookies = true;
        asking.feed.feeders = vec![Feeder::Counter { from: 500, step: 1 }];
        asking.feed.per_user = vec![0];
        asking.feed.draws.push(Draw::Value { feeder: 0, column: None, filter: Filter::Raw });
        let world = World::new(tokens(), 5);
        let result = load(&LoadPlan { asking, ..plan }, &world);
        let served = world.served();
        assert_eq!((part(&result, 2, Outcome::Answered), served.tokens, served.unauthorized), (20, 20, 0));
        assert_eq!(served.heads.len(), 60);
        let mut token_of: BTreeMap<&str, &str> = BTreeMap::new();
        for head in served.heads.iter().filter(|head| head.starts_with("GET /private ")) {
            let token = field(head, "Authorization").unwrap().strip_prefix("Bearer t").unwrap();
            assert_eq!(field(head, "X-Seen"), Some(&*format!("h{token}")), "{head}");
            assert_eq!(field(head, "X-Sid"), Some(&*format!("c{token}")), "{head}");
            assert_eq!(field(head, "Cookie"), Some(&*format!("sid=c{token}")), "{head}");
            assert_eq!(field(head, "X-Code"), Some("of 200"), "{head}");
            let before = token_of.insert(field(head, "X-User").unwrap(), token);
            assert!(before.is_none_or(|before| before == token), "{before:?} {head}");
        }
        let mut tokens: Vec<&str> = token_of.values().copied().collect();
        tokens.sort_unstable();
        tokens.dedup();
        assert_eq!((token_of.len(), tokens.len()), (20, 20), "a token for each user");
        if workers == 1 {
            let logins = served.heads.iter().filter(|head| head.starts_with("POST "));
            for (number, head) in (1..).zip(logins) {
                assert_eq!(field(head, "Cookie"), None, "he brings no cookie of the user before: {head}");
                assert_eq!(token_of[field(head, "X-User").unwrap()], format!("{number}"));
            }
        }
    }
}

#[test]
fn a_value_that_is_not_there_ends_the_journey_and_the_sample_names_it() {
    for (from, what) in [
        (json("$.tokens"), "${v0}: its value is not there"),
        (Source::Header("X-Other".to_owned()), "${v0}: its value is not there"),
        (Source::Cookie("other".to_owned()), "${v0}: its value is not there"),
        (Source::Body(Selector::Regex("id=(.*)".to_owned())), "${v0}: its value is not there"),
    ] {
        let world = World::new(tokens(), 1);
        let result = load(&walk(capture(0, from.clone()), private("Bearer ")), &world);
        for failed in [0, 2] {
            assert_eq!(part(&result, failed, Outcome::NotCaptured), 20, "{from:?}");
        }
        assert_eq!(
            (served(&world, "/login"), served(&world, "/private"), world.served().unauthorized),
            (20, 0, 0)
        );
        let [bad] = &result.bad_answers[..] else { panic!("{:?}", result.bad_answers) };
        assert_eq!((bad.outcome, bad.mix_entry, &*bad.what), (Outcome::NotCaptured, 0, what));
        assert!(bad.received.starts_with(b"HTTP/1.1 200 OK\r\n") && bad.received.ends_with(b"\"}"));
    }
    let plain = Server { gives_tokens: false, ..tokens() };
    let result = load(&walk(capture(0, json("$.token")), private("Bearer ")), &World::new(plain, 1));
    assert_eq!(part(&result, 0, Outcome::NotCaptured), 20);
    assert_eq!(
        told(&result, Outcome::NotCaptured),
        "${v0}: its value cannot be looked for: it is no JSON, or nested deeper than 127"
    );
}

#[test]
fn the_value_for_where_there_is_none_is_taken_only_there() {
    let otherwise =
        |path: &str, value: &str| Capture { otherwise: Some(value.to_owned()), ..capture(0, json(path)) };
    for (captured, authorized) in
        [(otherwise("$.none", "1"), true), (otherwise("$.none", "x"), false), (otherwise("$.ok", "1"), false)]
    {
        let world = World::new(tokens(), 1);
        let result = load(&walk(captured.clone(), private("Bearer t")), &world);
        assert_eq!(part(&result, 0, Outcome::Answered), 20);
        let (complete, refused) = if authorized { (20, 0) } else { (0, 20) };
        assert_eq!(part(&result, 2, Outcome::Answered), complete, "{captured:?}");
        assert_eq!((part(&result, 2, Outcome::Rejected), world.served().unauthorized), (refused, refused));
    }
}

#[test]
fn nothing_is_taken_from_an_answer_that_failed_nor_from_the_user_before() {
    let no_such_status = Expect { status: vec![204..=204], ..Expect::default() };
    let too_small = Expect { bytes: Some(0..=1), ..Expect::default() };
    for (expect, outcome) in [(no_such_status, Outcome::Rejected), (too_small, Outcome::Mismatch)] {
        // The first user's token would be known to the next one, for there is one seat.
        let mix = vec![login(), MixEntry { expect, ..login() }, private("Bearer ")];
        let captures = vec![capture(0, json("$.token"))];
        let good_then_bad =
            Journey { teardown: 2, ..journey(vec![Step::Ask(0), Step::Ask(1), Step::Ask(2)]) };
        let bad = Journey { teardown: 1, ..journey(vec![Step::Ask(1), Step::Ask(2)]) };
        let mut plan = of_users(
            LoadPlan { connections: 1, ..arrivals() },
            mix,
            vec![captures.clone(), captures, vec![]],
            vec![],
        );
        plan.asking.journeys = Some(Arc::new(Journeys {
            journeys: vec![good_then_bad, bad],
            variables: 1,
            ..Journeys::default()
        }));
        plan.asking.parts = (0..5).collect();
        let world = World::new(tokens(), 7);
        let result = load(&plan, &world);
        let (kept, none) = (part(&result, 3, outcome), part(&result, 4, outcome));
        assert!(kept > 3 && none > 3 && kept + none == 20, "{kept} {none}");
        let served = world.served();
        // The first one's token is forgotten where the second answer was of no use, and so it is his own.
        assert_eq!((served.unauthorized, served.paths.get("/private").copied()), (none, Some(kept)));
        let mut sent = served.heads.iter().filter_map(|head| field(head, "Authorization"));
        assert!(sent.all(|token| token.trim_end() == "Bearer" || token.starts_with("Bearer t")));
    }
}

#[test]
fn a_value_of_8192_bytes_is_kept_and_a_longer_one_is_our_limit() {
    for (bytes, kept, outcome, what) in [
        (8192, 10_000, Outcome::Answered, "nothing"),
        (
            8193,
            10_000,
            Outcome::BeyondLimit,
            "${v0}: a value of more than 8192 bytes; Proofload keeps no longer one",
        ),
    ] {
        let page = RequestSpec { keep_body: kept, ..RequestSpec::get("server.test", "/1") };
        let all = capture(0, Source::Body(Selector::Regex(".+".to_owned())));
        let plan = of_users(arrivals(), vec![filled(page, &[])], vec![vec![all]], vec![Step::Ask(0)]);
        let result = load(&plan, &World::new(Server { body_bytes: bytes, ..Server::default() }, 1));
        assert_eq!(part(&result, 1, outcome), 20, "{bytes} {:?}", result.bad_answers);
        assert_eq!(told(&result, outcome), what);
    }
}

#[test]
fn what_may_be_behind_the_kept_part_of_a_body_is_neither_taken_nor_missed() {
    // 300 bytes of `0123456789abcdef`, of which 256 are kept.
    let regex = |text: &str| capture(0, Source::Body(Selector::Regex(text.to_owned())));
    let picked = |pick, captured| Capture { pick, ..captured };
    let or = |captured| Capture { otherwise: Some("x".to_owned()), ..captured };
    let no_json = || or(capture(0, json("$.a")));
    for (captured, kept, outcome) in [
        (regex("a(.*?)f"), 256, Outcome::Answered),
        (picked(Pick::Nth(16), regex("b.d")), 256, Outcome::Answered),
        // The rest of the value is not there.
        (regex("a.*"), 256, Outcome::BeyondLimit),
        (picked(Pick::Nth(17), regex("b.d")), 256, Outcome::BeyondLimit),
        (picked(Pick::Last, regex("b.d")), 256, Outcome::BeyondLimit),
        (picked(Pick::Any, regex("b.d")), 256, Outcome::BeyondLimit),
        (picked(Pick::Count, regex("b.d")), 256, Outcome::BeyondLimit),
        (or(regex("zz")), 256, Outcome::BeyondLimit),
        (no_json(), 256, Outcome::BeyondLimit),
        (regex("a.*"), 300, Outcome::Answered),
        (picked(Pick::Count, regex("b.d")), 300, Outcome::Answered),
        (or(regex("zz")), 300, Outcome::Answered),
        (no_json(), 300, Outcome::Answered),
    ] {
        let page = RequestSpec { keep_body: kept, ..RequestSpec::get("server.test", "/1") };
        let plan =
            of_users(arrivals(), vec![filled(page, &[])], vec![vec![captured.clone()]], vec![Step::Ask(0)]);
        let result = load(&plan, &World::new(Server { body_bytes: 300, ..Server::default() }, 1));
        assert_eq!(part(&result, 1, outcome), 20, "{captured:?} {kept} {:?}", result.bad_answers);
        let limit =
            "the body is longer than the 256 bytes that Proofload reads of one; this limit cannot be raised";
        assert_eq!(
            told(&result, Outcome::BeyondLimit),
            if kept == 256 && outcome != Outcome::Answered { limit } else { "nothing" }
        );
    }
}
