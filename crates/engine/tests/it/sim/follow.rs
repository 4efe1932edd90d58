//! Redirects: one exchange, several requests.

use super::*;
use proofload_testkit::sim::{Fault, Redirect, Server};

const HOP: u64 = 90_000;

fn way(from: &'static str, code: u16, to: &'static str) -> Redirect {
    Redirect { from, code, to, closes: false }
}

/// Loads a server with those redirects; twenty microseconds each way and 50 for each answer.
fn sent(redirects: Vec<Redirect>, plan: &LoadPlan) -> (LoadResult, World) {
    let world = World::new(Server { redirects, ..Server::default() }, 3);
    (load(plan, &world), world)
}

fn follows(most: u32) -> LoadPlan {
    LoadPlan { mix: vec![following(most, entry(1, 0, 0))], ..brief() }
}

fn codes(result: &LoadResult) -> Vec<(u16, u64)> {
    result.snapshot.codes.iter().collect()
}

fn middle(result: &LoadResult) -> u64 {
    result.snapshot.response_time.quantile_ns(0.5).unwrap()
}

#[test]
fn a_chain_is_one_exchange_that_takes_as_long_as_all_of_it() {
    let ways = vec![
        way("/", 302, "/a/b?c#d"),
        way("/a/b?c", 308, "http://SERVER.test:80/a/../e"),
        way("/e", 301, "f"),
    ];
    let (result, world) = sent(ways, &follows(3));
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Answered), all, "{:?}", result.bad_answers);
    assert_eq!(codes(&result), [(200, all), (301, all), (302, all), (308, all)]);
    assert_eq!((result.snapshot.redirects, world.served().redirected), (3 * all, 3 * all));
    assert!(middle(&result).abs_diff(4 * HOP) <= HOP / 10, "{}", middle(&result));
    assert_eq!(world.served().accepted, 8);
    assert_eq!(result.findings, []);
}

#[test]
fn without_follow_the_redirect_is_the_answer() {
    let (result, _) = sent(vec![way("/", 302, "/a")], &brief());
    let all = result.snapshot.intended();
    assert_eq!((count(&result, Outcome::Answered), codes(&result)), (all, vec![(302, all)]));
    assert_eq!(result.snapshot.redirects, 0);
}

#[test]
fn a_loop_ends_as_rejected_with_where_it_led() {
    let (result, _) = sent(vec![way("/", 302, "/x"), way("/x", 302, "/")], &follows(3));
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Rejected), all);
    assert_eq!(result.snapshot.redirects, 3 * all);
    assert_eq!(codes(&result), [(302, 4 * all)]);
    assert_eq!(result.bad_answers[0].what, "more than 3 redirects, the last to /");
}

#[test]
fn what_leads_nowhere_is_the_answer_that_expectations_judge() {
    for to in ["ftp://server.test/", "http://", "//me@other.test/", "", "http:a"] {
        let mut plan = follows(3);
        let (result, _) = sent(vec![way("/", 302, to)], &plan);
        let all = result.snapshot.intended();
        assert_eq!((count(&result, Outcome::Answered), codes(&result)), (all, vec![(302, all)]), "{to}");
        assert_eq!(result.snapshot.redirects, 0);
        plan.mix[0].expect.status = vec![200..=200];
        let (result, _) = sent(vec![way("/", 302, to)], &plan);
        assert_eq!(count(&result, Outcome::Rejected), result.snapshot.intended(), "{to}");
        assert_eq!(result.bad_answers[0].what, "status 302, expected 200");
    }
    let (result, _) = sent(vec![way("/", 304, "/a")], &follows(3));
    assert_eq!(result.snapshot.redirects, 0);
}

#[test]
fn when_the_server_closes_in_between_the_exchange_dials_and_goes_on() {
    let closing = Redirect { closes: true, ..way("/", 302, "/a") };
    let (result, world) = sent(vec![closing], &follows(1));
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Answered), all, "{:?}", result.bad_answers);
    assert_eq!(result.snapshot.redirects, all);
    // Each exchange comes on the connection that the one before it ended with.
    assert_eq!(world.served().accepted, 8 + all);
    assert!(middle(&result) >= 2 * HOP + 40_000, "the handshake counts: {}", middle(&result));
    assert_eq!(result.findings, []);
}

#[test]
fn with_keep_alive_off_each_step_has_its_own_connection() {
    let plan = LoadPlan { keep_alive: KeepAlive::Off, ..follows(2) };
    let (result, world) = sent(vec![way("/", 302, "/a"), way("/a", 302, "/b")], &plan);
    let all = result.snapshot.intended();
    assert_eq!(count(&result, Outcome::Answered), all);
    assert_eq!(world.served().accepted, 3 * all);
    let every = LoadPlan { keep_alive: KeepAlive::Every(3), ..plan };
    let (result, world) = sent(vec![way("/", 302, "/a"), way("/a", 302, "/b")], &every);
    let all = result.snapshot.intended();
    assert_eq!((count(&result, Outcome::Answered), world.served().accepted), (all, all));
}

#[test]
fn a_form_becomes_a_get_where_the_code_says_so() {
    for (code, gets) in [(301, 1), (302, 1), (303, 1), (307, 0), (308, 0)] {
        let plan = LoadPlan { mix: vec![following(1, entry(1, 0, 40))], ..brief() };
        let (result, world) = sent(vec![way("/", code, "/a")], &plan);
        let all = result.snapshot.intended();
        assert_eq!(count(&result, Outcome::Answered), all, "{code}");
        assert_eq!((world.served().gets, world.served().requests), (gets * all, 2 * all), "{code}");
    }
}

#[test]
fn a_step_that_is_never_answered_runs_into_the_time_out_of_the_whole() {
    let faults = vec![(Fault::Silence, 0.5)];
    let redirects = vec![way("/", 302, "/a"), way("/a", 302, "/")];
    let server = Server { faults, redirects, service: sim_service(), ..Server::default() };
    let world = World::new(server, 3);
    let plan = LoadPlan { mix: vec![following(50, entry(1, 0, 0))], ..closed() };
    let result = load(&plan, &world);
    let timeouts = count(&result, Outcome::Timeout);
    assert!(timeouts >= 8, "{:?}", result.snapshot.outcomes);
    assert_eq!(timeouts, result.snapshot.intended());
    // All asked at the same instant, were silent sooner or later, and none got more than a second.
    assert_eq!(timeouts, 8, "{:?}", result.snapshot.outcomes);
}

/// Steps of 200 ms.
fn sim_service() -> proofload_testkit::sim::Service {
    proofload_testkit::sim::Service::Constant(200 * MS)
}

#[test]
fn a_plan_that_follows_a_form_needs_the_get() {
    let mut form = following(1, entry(1, 0, 40));
    form.follow.as_get = None;
    let world = World::new(Server::default(), 3);
    let error = run_in(&LoadPlan { mix: vec![form], ..closed() }, &Watch::default(), &world).unwrap_err();
    assert!(error.to_string().contains("mix[0]: follows redirects without a GET"), "{error}");
}
