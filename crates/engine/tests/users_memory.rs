//! Memory held by users on their way, each with a connection, a cookie and five variables: in virtual time, with what the
//! simulated network and its server hold of them; the kernel's share is not in it.

#![allow(clippy::unwrap_used, reason = "tests may")]

mod memory;

use memory::{SECOND, most_during, plan_of};
use proofload_engine::feed::{Draw, Feed, Filter};
use proofload_engine::journey::{Journey, Journeys, Step};
use proofload_engine::reading::{Capture, Source};
use proofload_engine::{Asking, LoadPlan, MixEntry, Profile, Watch};
use proofload_extract::{Pick, Selector};
use proofload_measure::Outcome;
use proofload_testkit::sim::{Server, World, run_in};
use proofload_wire::http1::{RequestPart, RequestSpec, Slot, Template};
use std::sync::Arc;

const MIB: f64 = (1 << 20) as f64;

/// A load of users who log in, ask for a page, and then wait until the load is over.
fn plan(users: u32) -> LoadPlan {
    let entry = |method: &str, path: &str| {
        let spec = RequestSpec {
            method: method.to_owned(),
            headers: (0..5).map(|at| (format!("X-{at}"), String::new())).collect(),
            keep_body: 1024,
            ..RequestSpec::get("server.test", path)
        };
        let slots = (0..5).map(|draw| Slot { part: RequestPart::Header(usize::from(draw)), at: 0, draw });
        let template = Template { slots: slots.collect(), cookies: true, ..Template::default() };
        let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode_with(&template).unwrap());
        let (expect, follow) = Default::default();
        let (request, closing_request) = (encode(false), encode(true));
        MixEntry { weight: 1, target: 0, request, closing_request, expect, follow, digest: None }
    };
    let sources = [
        Source::Body(Selector::JsonPath("$.token".to_owned())),
        Source::Header("X-Token".to_owned()),
        Source::Cookie("sid".to_owned()),
        Source::Status,
        // All of the body: a longer value.
        Source::Body(Selector::Regex(".*".to_owned())),
    ];
    let capture = |(variable, from)| Capture {
        variable,
        name: format!("v{variable}"),
        from,
        pick: Pick::Nth(1),
        otherwise: None,
    };
    let steps = vec![Step::Ask(0), Step::Ask(1), Step::Pause((100 * SECOND).into())];
    let journeys = vec![Journey { weight: 1, teardown: steps.len(), steps }];
    let draw = |variable| Draw::Variable { variable, filter: Filter::Raw };
    let mix = vec![entry("POST", "/login"), entry("GET", "/private")];
    let asking = Asking {
        feed: Feed { draws: (0..5).map(draw).collect(), ..Feed::default() },
        cookies: true,
        captures: vec![sources.into_iter().enumerate().map(capture).collect(), vec![]],
        journeys: Some(Arc::new(Journeys { journeys, variables: 5, ..Journeys::default() })),
        ..Asking::default()
    };
    LoadPlan { asking, ..plan_of(mix, Profile::Closed { think_ns: 0.into() }, users, 1) }
}

/// Most bytes held while so many users were on their way, beyond those before.
fn held(users: u32) -> isize {
    let plan = plan(users);
    let world = World::new(Server { gives_tokens: true, body_bytes: 300, ..Server::default() }, 1);
    most_during(|| {
        let result = run_in(&plan, &Watch::default(), &world).unwrap();
        assert_eq!(result.snapshot.outcomes.get(Outcome::Answered), 2 * u64::from(users));
        assert_eq!(world.served().unauthorized, 0);
    })
}

#[test]
fn ten_thousand_users_with_cookies_and_five_variables_fit_into_60_mib() {
    let (one, all) = (held(1), held(10_000));
    assert!(all as f64 <= 60.0 * MIB, "{:.1} MiB", all as f64 / MIB);
    let each = (all - one) / 9_999;
    assert!(each <= 3_000, "{each} bytes a user");
}
