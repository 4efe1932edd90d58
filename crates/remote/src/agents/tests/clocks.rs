//! Clocks that run apart while a load lasts.

use super::*;
use crate::agents::members::LONG_NS;

#[test]
fn clocks_that_run_apart_are_known_less_well() {
    let clock = |ahead_ns, round_trip_ns| Clock { ahead_ns, round_trip_ns };
    let hour = 3_600 * SECOND as i64;
    let began = clock(-7_000, 80_001);
    assert_eq!(began.within_until_ns(began), Some(40_001));
    // 50 ppm of an hour, in either direction, and the inexactness of the second query.
    for apart_ns in [hour / 20_000, -hour / 20_000] {
        assert_eq!(began.within_until_ns(clock(apart_ns - 7_000, 60_000)), Some(180_000_000 + 30_000));
    }
    // No answer came then, or at all.
    assert_eq!(began.within_until_ns(clock(i64::MAX, u64::MAX)), Some(40_001));
    assert_eq!(clock(0, u64::MAX).within_until_ns(began), None);
    assert!(clock(i64::MIN, 0).within_until_ns(clock(i64::MAX, 2)).is_some_and(|ns| ns > u64::MAX / 2));
}

#[test]
fn after_a_long_load_clocks_are_compared_again_and_forgotten_again() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let address = listener.address();
    thread::scope(|scope| {
        let agents = [0, 1].map(|index| agent_in(scope, address, token(), Some(index), &NEVER));
        let pool = gather(listener, 2).expect("all came");
        {
            let mut members = pool.lock();
            members.set_clocks().expect("both answer");
            // As if the second had run two seconds apart since.
            members.all[1].clock.ahead_ns += 2 * SECOND as i64;
            let began = members.all[1].clock.ahead_ns;
            let (short, long) = (members.clocks_within_ns(LONG_NS - 1), members.clocks_within_ns(LONG_NS));
            assert!(short < SECOND && long > SECOND && long < 4 * SECOND, "{short} {long}");
            assert_eq!(members.all[1].clock.ahead_ns, began, "the load was begun by it");
        }
        drop(pool);
        agents.into_iter().for_each(|agent| assert!(agent.join().expect("no panic").0.is_ok()));
    });
}
