//! Turns of a journey: conditions on captured values, and loops that end.

use super::*;
use proofload_engine::journey::{Condition, Test};

fn unless(test: Test, to: usize) -> Step {
    Step::Unless { condition: Condition { variable: 0, test }, to }
}

/// One user takes these steps: entry 0 logs in and leaves the number of his token, the others are `/1` to `/3`. Answers to
/// each entry.
fn walked(all: Vec<Step>) -> [u64; 4] {
    let number = capture(0, Source::Body(Selector::Regex("\"t([0-9]+)\"".to_owned())));
    let mut mix = steps();
    mix[0] = filled(post("/login"), &[]);
    let extent = Extent::Requests { count: 1, cap_ns: SECOND };
    let plan = LoadPlan { connections: 1, extent, ..closed() };
    let plan = of_users(plan, mix, vec![vec![number], vec![], vec![], vec![]], all);
    let result = load(&plan, &World::new(Server { gives_tokens: true, ..Server::default() }, 1));
    assert_eq!(part(&result, 4, Outcome::Answered), 1, "{:?}", result.bad_answers);
    [0, 1, 2, 3].map(|entry| part(&result, entry, Outcome::Answered))
}

#[test]
fn a_loop_goes_on_while_its_condition_holds_and_no_more_often_than_it_may() {
    let looped = |times, test| {
        let (body, back) = ([Step::Ask(0), Step::Ask(1)], Step::Jump(1));
        let head = [Step::Ask(0), Step::Repeat { times, to: 6 }, unless(test, 6)];
        walked(head.into_iter().chain(body).chain([back, Step::Ask(2)]).collect())
    };
    // Each login gives the next number.
    assert_eq!(looped(100, Test::Below(4.0)), [4, 3, 1, 0]);
    assert_eq!(looped(3, Test::Below(100.0)), [4, 3, 1, 0]);
    assert_eq!(looped(0, Test::Present), [1, 0, 1, 0]);
    assert_eq!(looped(100, Test::Absent), [1, 0, 1, 0]);
    assert_eq!(looped(100, Test::IsNot("7".into())), [7, 6, 1, 0]);
}

#[test]
fn one_of_two_ways_is_taken_by_what_was_captured() {
    let chosen = |test| {
        walked(vec![Step::Ask(0), unless(test, 4), Step::Ask(1), Step::Jump(5), Step::Ask(2), Step::Ask(3)])
    };
    let (first, second) = ([1, 1, 0, 1], [1, 0, 1, 1]);
    for (test, ways) in [
        (Test::Is("1".into()), first),
        (Test::Is("1.0".into()), second),
        (Test::AtLeast(1.0), first),
        (Test::Above(1.0), second),
        (Test::Present, first),
        (Test::Absent, second),
    ] {
        assert_eq!(chosen(test.clone()), ways, "{test}");
    }
    // Before anything was captured.
    assert_eq!(
        walked(vec![unless(Test::Present, 2), Step::Ask(1), unless(Test::Absent, 4), Step::Ask(2)]),
        [0, 0, 1, 0]
    );
}

#[test]
fn a_loop_within_a_loop_counts_anew_each_time_however_it_was_left() {
    // Three rounds of: at most two logins, while the number is not a multiple of three (3, then 6, then 9).
    let rounds = |until: &str| {
        walked(vec![
            Step::Repeat { times: 3, to: 7 },
            Step::Ask(1),
            Step::Repeat { times: 2, to: 6 },
            unless(Test::IsNot(until.to_owned()), 6),
            Step::Ask(0),
            Step::Jump(2),
            Step::Jump(0),
        ])
    };
    assert_eq!(rounds("0"), [6, 3, 0, 0]);
    // The first round is left by its condition after one login, and so is each of the others before any.
    assert_eq!(rounds("1"), [1, 3, 0, 0]);
    // The second round is left by its condition after one pass, the third before any.
    assert_eq!(rounds("3"), [3, 3, 0, 0]);
    // Left by the condition within a pass, where the next round has all of its passes again.
    let again = walked(vec![
        Step::Repeat { times: 3, to: 8 },
        Step::Repeat { times: 2, to: 7 },
        Step::Ask(0),
        unless(Test::IsNot("1".to_owned()), 7),
        Step::Ask(1),
        Step::Jump(1),
        Step::Exit,
        Step::Jump(0),
    ]);
    assert_eq!(again, [5, 4, 0, 0]);
}

#[test]
fn a_loop_that_asks_nothing_hangs_neither_the_user_nor_the_load() {
    // A hundred thousand passes without a pause, which take their time, and then he goes on.
    let passes = |times| vec![Step::Ask(1), Step::Repeat { times, to: 3 }, Step::Jump(1), Step::Ask(2)];
    assert_eq!(walked(passes(100_000)), [0, 1, 1, 0]);
    // For ever: others go on all the same, and the load ends when it is drained.
    let idle = journey(passes(u32::MAX));
    let plan = LoadPlan { connections: 40, drain_ns: SECOND, ..open(20.0) };
    let result = load(&on(vec![idle, journey(vec![Step::Ask(3)])], plan), &World::new(Server::default(), 1));
    let (left, complete) = (part(&result, 4, Outcome::Unsent), part(&result, 5, Outcome::Answered));
    assert!(left > 0 && complete > 0 && left + complete == 20, "{left} {complete}");
    assert_eq!((part(&result, 1, Outcome::Answered), part(&result, 3, Outcome::Answered)), (left, complete));
    assert_eq!(result.findings, vec![], "its own passes are not the generator's delay");
}
