//! Loads that end while users are on their way.

use super::*;
use proofload_testkit::sim::{Accept, Front, Peer, Reply};
use std::sync::atomic::Ordering;

/// Stops the load with the first request after that instant.
#[derive(Debug)]
struct Stops {
    after_ns: u64,
    watch: Arc<Watch>,
}

#[derive(Debug)]
struct Stopping {
    stops: Stops,
    server: Box<dyn Peer>,
}

impl Front for Stops {
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(Stopping {
            stops: Stops { after_ns: self.after_ns, watch: Arc::clone(&self.watch) },
            server,
        })
    }
}

impl Peer for Stopping {
    fn dialed(&mut self, link: u64) -> Accept {
        self.server.dialed(link)
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        if now_ns > self.stops.after_ns {
            self.stops.watch.stop.store(true, Ordering::Relaxed);
        }
        self.server.received(link, bytes, now_ns, replies);
    }

    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool) {
        self.server.lost(link, bytes, reset);
    }

    fn closed(&mut self, link: u64) {
        self.server.closed(link);
    }
}

/// Users who ask, pause for 100 ms, and ask again.
fn walk() -> Journey {
    journey(vec![Step::Ask(1), Step::Pause((100 * MS).into()), Step::Ask(2)])
}

fn stopped(plan: LoadPlan) -> (LoadResult, World) {
    let watch = Arc::new(Watch::default());
    let world = World::new(Server::default(), 1);
    let world = world.behind(Arc::new(Stops { after_ns: 500 * MS, watch: Arc::clone(&watch) }));
    let plan = LoadPlan { connections: 90, extent: Extent::DurationNs(30 * SECOND), ..plan };
    let result = run_in(&on(vec![walk()], plan), &watch, &world).unwrap();
    assert!(result.stopped_early);
    (result, world)
}

#[test]
fn users_on_their_way_finish_when_the_load_is_stopped() {
    let (result, world) = stopped(open(200.0));
    let (first, second) = (served(&world, "/1"), served(&world, "/2"));
    assert!((100..=103).contains(&first), "{first} users came by then");
    assert_eq!(
        (second, part(&result, 4, Outcome::Answered), result.snapshot.parts[4].outcomes.total()),
        (first, first, first)
    );
    assert_eq!(result.snapshot.answered_in_window, 2 * first, "of users who came before it was stopped");
    let seconds = result.snapshot.seconds();
    assert!((0.49..0.52).contains(&seconds), "{seconds}");
}

#[test]
fn users_of_a_closed_load_finish_too_and_are_not_followed() {
    let (result, world) = stopped(closed());
    let (first, second) = (served(&world, "/1"), served(&world, "/2"));
    let whole = &result.snapshot.parts[4];
    assert_eq!((first, second), (whole.outcomes.total(), whole.outcomes.get(Outcome::Answered)));
    assert_eq!(first, second);
    // 90 users, 5 rounds of some 100 ms.
    assert!((400..=540).contains(&first), "{first}");
}

#[test]
fn a_drain_that_is_too_short_leaves_journeys_unanswered_and_loses_none() {
    let slower = vec![("/2", Service::Constant(30 * MS))];
    for plan in [open(100.0), LoadPlan { connections: 10, ..closed() }] {
        let is_open = !plan.profile.is_closed();
        let plan = LoadPlan { drain_ns: 40 * MS, connections: 40, ..plan };
        let world = World::new(Server { slower: slower.clone(), ..Server::default() }, 1);
        let result = load(&on(vec![walk()], plan), &world);
        let snapshot = &result.snapshot;
        let whole =
            |part: usize| snapshot.parts[part].outcomes.total() + snapshot.parts[part].discarded.total();
        let left = part(&result, 4, Outcome::Unanswered) + part(&result, 4, Outcome::Unsent);
        assert_eq!(whole(4), whole(1), "everyone took the first step");
        assert_eq!(part(&result, 4, Outcome::Answered) + left, whole(4));
        let answered =
            part(&result, 2, Outcome::Answered) + snapshot.parts[2].discarded.get(Outcome::Answered);
        assert_eq!(answered, part(&result, 4, Outcome::Answered));
        assert!(left > 0);
        // Some of them were on their last step, which is unanswered with them; the others paused, and wait for nobody.
        let in_flight = count(&result, Outcome::Unanswered) + snapshot.discarded.get(Outcome::Unanswered);
        assert!(in_flight > 0 && in_flight == part(&result, 4, Outcome::Unanswered), "{in_flight} {left}");
        assert_eq!(snapshot.parts[4].unended.count(), left, "each takes at least as long as it did");
        assert!(!is_open || whole(4) == 100);
    }
}

#[test]
fn an_abandoned_load_waits_for_nobody_and_counts_them() {
    let watch = Watch::default();
    watch.abandoned.store(true, Ordering::Relaxed);
    let plan = LoadPlan { connections: 100, ..open(50.0) };
    let result = run_in(&on(vec![walk()], plan), &watch, &World::new(Server::default(), 1)).unwrap();
    let complete = part(&result, 4, Outcome::Answered);
    let left = part(&result, 4, Outcome::Unanswered) + part(&result, 4, Outcome::Unsent);
    assert_eq!(complete + left, 50);
    assert!(left >= 4, "{left}");
}
