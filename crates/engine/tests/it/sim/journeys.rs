//! Journeys: users who arrive, take their steps and leave.

mod captures;
mod checks;
mod counts;
mod ends;
mod truths;
mod turns;

use super::*;
use proofload_engine::Asking;
use proofload_engine::debug::{Heard, Once, PAUSE_MAX_NS, TapEvent, debug_through};
use proofload_engine::feed::{Draw, Filter};
use proofload_engine::journey::{Condition, Journey, Journeys, Step, Test};
use proofload_engine::reading::{Capture, Source};
use proofload_extract::{Pick, Selector};
use proofload_testkit::sim::{Fault, Server, Service};
use proofload_wire::http1::{RequestPart, Slot, Template};

/// Entry 0 is `POST /login`, the others are GETs of `/1`, `/2`, `/3`.
fn steps() -> Vec<MixEntry> {
    let paths = ["/login", "/1", "/2", "/3"];
    paths.map(|path| at(path, |spec| spec)).into()
}

fn at(path: &str, change: impl Fn(RequestSpec) -> RequestSpec) -> MixEntry {
    let post = path == "/login";
    let spec = RequestSpec {
        method: if post { "POST" } else { "GET" }.to_owned(),
        target: path.to_owned(),
        body: if post { b"user".to_vec() } else { Vec::new() },
        ..RequestSpec::get("server.test", path)
    };
    let spec = change(spec);
    let closing = RequestSpec { close: true, ..spec.clone() };
    let (request, closing) = (spec.encode().unwrap(), closing.encode().unwrap());
    MixEntry { request: Arc::new(request), closing_request: Arc::new(closing), ..entry(1, 0, 0) }
}

fn journey(steps: Vec<Step>) -> Journey {
    Journey { weight: 1, teardown: steps.len(), steps }
}

fn post(path: &str) -> RequestSpec {
    RequestSpec { method: "POST".to_owned(), body: b"user".to_vec(), ..RequestSpec::get("server.test", path) }
}

/// A request with a place for cookies, and headers that end with a value: name, text before it, index of the draw.
fn filled(spec: RequestSpec, fields: &[(&str, &str, u16)]) -> MixEntry {
    let headers = fields.iter().map(|(name, before, _)| ((*name).to_owned(), (*before).to_owned())).collect();
    let slots = fields.iter().enumerate().map(|(header, (_, before, draw))| Slot {
        part: RequestPart::Header(header),
        at: before.len(),
        draw: *draw,
    });
    let template = Template { slots: slots.collect(), cookies: true, ..Template::default() };
    let spec = RequestSpec { headers, keep_body: spec.keep_body.max(256), ..spec };
    let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode_with(&template).unwrap());
    MixEntry { request: encode(false), closing_request: encode(true), ..entry(1, 0, 0) }
}

fn json(path: &str) -> Source {
    Source::Body(Selector::JsonPath(path.to_owned()))
}

fn capture(variable: usize, from: Source) -> Capture {
    Capture { variable, name: format!("v{variable}"), from, pick: Pick::Nth(1), otherwise: None }
}

/// Draws of the first variables, each with its index.
fn variables(count: u16) -> Vec<Draw> {
    (0..count).map(|variable| Draw::Variable { variable, filter: Filter::Raw }).collect()
}

/// The plan for users with these variables, whose requests and captures are these.
fn of_users(plan: LoadPlan, mix: Vec<MixEntry>, captures: Vec<Vec<Capture>>, steps: Vec<Step>) -> LoadPlan {
    let mut plan = on(vec![journey(steps)], plan);
    let of_mix = captures.iter().flatten().map(|capture| capture.variable + 1).max().unwrap_or(0);
    let journeys = Journeys { variables: of_mix, ..Journeys::clone(plan.asking.journeys.as_ref().unwrap()) };
    plan.asking.parts = (0..=mix.len() as u32).collect();
    plan.asking.feed.draws = variables(of_mix as u16);
    plan.asking.captures = captures;
    plan.asking.journeys = Some(Arc::new(journeys));
    LoadPlan { mix, ..plan }
}

/// The sentence about the first bad answer of that outcome.
fn told(result: &LoadResult, outcome: Outcome) -> &str {
    let bad = result.bad_answers.iter().find(|bad| bad.outcome == outcome);
    bad.map_or("nothing", |bad| &bad.what)
}

/// The plan with these journeys; each step and each journey has figures of its own.
fn on(journeys: Vec<Journey>, plan: LoadPlan) -> LoadPlan {
    let parts = (0..(steps().len() + journeys.len()) as u32).collect();
    let journeys = Some(Arc::new(Journeys { journeys, ..Journeys::default() }));
    LoadPlan { mix: steps(), asking: Asking { parts, journeys, ..plan.asking.clone() }, ..plan }
}

fn part(result: &LoadResult, part: usize, outcome: Outcome) -> u64 {
    result.snapshot.parts[part].outcomes.get(outcome)
}

/// Requests of each step that the server answered.
fn served(world: &World, path: &str) -> u64 {
    world.served().paths.get(path).copied().unwrap_or(0)
}

#[test]
fn users_arrive_at_their_rate_take_all_steps_and_pauses_and_leave() {
    let walk = journey(vec![
        Step::Ask(0),
        Step::Pause((300 * MS).into()),
        Step::Ask(1),
        Step::Pause((700 * MS).into()),
        Step::Ask(2),
    ]);
    let plan = on(vec![walk], LoadPlan { connections: 40, ..open(20.0) });
    let world = World::new(Server::default(), 1);
    let result = load(&plan, &world);
    // The last of them arrives just before the end of the second, and has a second to go.
    assert_eq!(part(&result, 4, Outcome::Answered), 20);
    for (entry, path) in [(0, "/login"), (1, "/1"), (2, "/2")] {
        assert_eq!(part(&result, entry, Outcome::Answered), 20, "{path}");
        assert_eq!(served(&world, path), 20);
    }
    assert_eq!((count(&result, Outcome::Answered), served(&world, "/3")), (60, 0));
    assert_eq!(
        result.snapshot.answered_in_window, 60,
        "whoever arrived in the window counts, whenever he ends"
    );
    let took = &result.snapshot.parts[4].response_time;
    let mean_ns = took.mean_ns().unwrap();
    assert!((mean_ns - SECOND as f64).abs() < (5 * MS) as f64, "{mean_ns}");
    // Each user has a connection of his own, which he closes.
    assert_eq!(world.served().accepted, 20);
    assert_eq!(result.snapshot.outcomes.total() + result.snapshot.discarded.total(), 60);
}

#[test]
fn a_step_that_fails_ends_the_journey_and_teardown_is_done_all_the_same() {
    let steps = vec![Step::Ask(0), Step::Ask(1), Step::Ask(2), Step::Ask(3)];
    let walk = Journey { weight: 1, teardown: 3, steps };
    let plan = on(vec![walk], LoadPlan { connections: 50, ..open(400.0) });
    let world = World::new(Server { faults: vec![(Fault::Error, 0.25)], ..Server::default() }, 3);
    let result = load(&plan, &world);
    let whole = |entry: usize| result.snapshot.parts[entry].outcomes.total();
    let good = |entry| part(&result, entry, Outcome::Answered);
    assert_eq!((whole(0), whole(1), whole(2), whole(3)), (400, good(0), good(1), 400));
    assert_eq!((whole(4), part(&result, 4, Outcome::Rejected)), (400, 400 - good(2)), "teardown excluded");
    assert_eq!((good(4), good(2) > 0), (good(2), true));
    for (entry, path) in [(0, "/login"), (1, "/1"), (2, "/2"), (3, "/3")] {
        assert_eq!(served(&world, path), good(entry), "{path}");
    }
}

#[test]
fn loops_choices_and_parallel_requests_are_as_many_as_asked_for() {
    // login, three times (1, then one of 2 and 3 by weight), then four requests at once, twice over.
    let steps = vec![
        Step::Ask(0),
        Step::Repeat { times: 3, to: 7 },
        Step::Ask(1),
        Step::Choose(vec![(3, 4), (1, 6)]),
        Step::Ask(2),
        Step::Jump(1),
        Step::Jump(9),
        Step::AskAll { entries: vec![2, 2, 3, 3], at_once: 2 },
        Step::Exit,
        Step::Ask(3),
        Step::Jump(1),
    ];
    let plan = on(vec![journey(steps)], LoadPlan { connections: 100, ..open(300.0) });
    let world = World::new(Server { service: Service::Constant(2 * MS), ..Server::default() }, 3);
    let result = load(&plan, &world);
    let done = |entry| part(&result, entry, Outcome::Answered);
    assert_eq!((done(0), done(1), done(4)), (300, 900, 300));
    assert_eq!(done(2) + done(3), 900 + 1200);
    // Four standard deviations of a binomial count with p = 3/4.
    assert!((done(2) as f64 - 600.0 - 675.0).abs() < 4.0 * (900.0f64 * 0.75 * 0.25).sqrt(), "{}", done(2));
    // login 2 ms, six steps, two rounds of two at once.
    let took = result.snapshot.parts[4].response_time.quantile_ns(0.5).unwrap();
    assert!((18 * MS..19 * MS).contains(&took), "{took}");
    assert_eq!(world.served().accepted, 600, "two connections of each user");
}

#[test]
fn a_closed_number_of_users_is_kept_up_and_counts_of_journeys_are_exact() {
    let walk = journey(vec![Step::Ask(0), Step::Pause((20 * MS).into()), Step::Ask(1)]);
    let other = Journey { weight: 3, ..journey(vec![Step::Ask(2)]) };
    let extent = Extent::Requests { count: 500, cap_ns: 60 * SECOND };
    for workers in [1, 3] {
        let plan = LoadPlan { connections: 6, workers, extent, ..closed() };
        let world = World::new(Server::default(), 1);
        let result = load(&on(vec![walk.clone(), other.clone()], plan), &world);
        let (walked, others) = (part(&result, 4, Outcome::Answered), part(&result, 5, Outcome::Answered));
        assert_eq!(walked + others, 500);
        assert!((walked as f64 - 125.0).abs() < 40.0, "{walked}");
        assert_eq!(part(&result, 0, Outcome::Answered), walked);
        assert_eq!(part(&result, 2, Outcome::Answered), others);
        assert_eq!(world.served().accepted, 500, "each user is a new one");
    }
}

#[test]
fn whoever_finds_all_seats_taken_is_late_and_it_shows_in_the_first_step() {
    // Journeys of some 100 ms, one seat, 20 users a second: each waits for the ones before.
    let walk = journey(vec![Step::Ask(1), Step::Ask(2)]);
    let plan = on(vec![walk], LoadPlan { connections: 1, ..open(20.0) });
    let slower = vec![("/1", Service::Constant(100 * MS))];
    let result = load(&plan, &World::new(Server { slower, ..Server::default() }, 1));
    for late in [1, 4] {
        let took = &result.snapshot.parts[late].response_time;
        assert_eq!(took.count(), 20);
        assert!(took.quantile_ns(1.0).unwrap() > 19 * 50 * MS, "{took:?}");
    }
    let second = result.snapshot.parts[2].response_time.quantile_ns(1.0).unwrap();
    assert!(second < 2 * MS, "a step is late by itself alone: {second}");
}

#[test]
fn a_journey_that_is_looked_at_tells_its_steps_what_was_captured_and_short_pauses() {
    let capture = Capture {
        variable: 0,
        name: "key".to_owned(),
        from: Source::Header("X-Token".to_owned()),
        pick: Pick::Nth(1),
        otherwise: None,
    };
    let missing = Capture { from: Source::Header("X-Other".to_owned()), ..capture.clone() };
    let condition = Condition { variable: 0, test: Test::Is("h1".to_owned()) };
    let steps = vec![
        Step::Ask(0),
        Step::Pause(SECOND.into()),
        Step::Pause((30 * MS).into()),
        Step::Unless { condition, to: 6 },
        Step::AskAll { entries: vec![1, 2], at_once: 2 },
        Step::Exit,
        Step::Ask(3),
    ];
    let plan = on(vec![journey(vec![Step::Ask(3)]), journey(steps)], open(50.0));
    let mut asking = plan.asking.clone();
    asking.captures = vec![vec![capture], vec![], vec![], vec![missing]];
    let journeys = asking.journeys.as_deref().cloned().unwrap();
    asking.journeys = Some(Arc::new(Journeys { variables: 1, pauses_ns: SECOND, ..journeys }));
    let plan = LoadPlan { asking, connections: 30, ..plan };
    let slower = vec![("/1", Service::Constant(20 * MS))];
    let server = Server { gives_tokens: true, slower, ..Server::default() };
    let looked = |journey, server: &Server| {
        debug_through(&plan, Once::Journey(journey), &World::new(server.clone(), 1)).unwrap()
    };
    let transcript = looked(1, &server);
    let heard = &transcript.notes.heard;
    let took = |heard: &Heard| match heard.what {
        TapEvent::Took { step, to } => Some((step, to, heard.at_ns)),
        _ => None,
    };
    let took: Vec<(usize, usize, u64)> = heard.iter().filter_map(took).collect();
    let [(1, 2, first_ns), (2, 3, second_ns), (3, 4, third_ns), (5, 7, _)] = took[..] else {
        panic!("{took:?}")
    };
    assert_eq!((second_ns - first_ns, third_ns - second_ns), (PAUSE_MAX_NS, 30 * MS));
    let ended = |heard: &Heard| match &heard.what {
        TapEvent::Ended(ended) => Some((ended.entry, ended.outcome, ended.captured.clone())),
        _ => None,
    };
    let good = |entry, captured| (entry, Outcome::Answered, captured);
    let captured = vec![("key".to_owned(), b"h1".to_vec())];
    // The second of two at once is the first to end.
    let all: Vec<_> = heard.iter().filter_map(ended).collect();
    assert_eq!(all, [good(0, captured), good(2, vec![]), good(1, vec![])]);
    assert_eq!(heard.last().unwrap().what, TapEvent::Left(Outcome::Answered));
    // What passed for each of the two is on a connection of its own.
    let sent = |path: &str| {
        let is_it = |heard: &&Heard| matches!(&heard.what, TapEvent::Sent(bytes) if bytes.starts_with(path.as_bytes()));
        heard.iter().find(is_it).unwrap().conn
    };
    let asks = |entry| heard.iter().find(|heard| heard.what == TapEvent::Asks(entry)).unwrap().conn;
    assert_eq!((sent("GET /1"), sent("GET /2")), (asks(1), asks(2)));
    assert_ne!(asks(1), asks(2));

    let transcript = looked(0, &server);
    let end = transcript.notes.heard.iter().find_map(|heard| match &heard.what {
        TapEvent::Ended(ended) => Some(ended.clone()),
        _ => None,
    });
    let end = end.unwrap();
    assert_eq!((end.outcome, end.captured.len()), (Outcome::NotCaptured, 0));
    assert!(end.why.as_ref().unwrap().contains("key"), "{end:?}");
    assert_eq!(transcript.notes.heard.last().unwrap().what, TapEvent::Left(Outcome::NotCaptured));
}
