//! Several loads at once.

use super::*;
use proofload_engine::{EngineError, Launch, launch};
use proofload_testkit::sim::{Machine, Server};

fn quick() -> World {
    World::new(Server::default(), 1)
}

#[test]
fn streams_share_their_first_instant_and_keep_books_of_their_own() {
    let slow =
        LoadPlan { connections: 2, profile: Profile::Closed { think_ns: (10 * MS).into() }, ..closed() };
    let fast = LoadPlan { workers: 2, ..open(1_000.0) };
    let results = launch(Launch::new(&[fast, slow], &Watch::default()).through(&quick())).unwrap();
    let [fast, slow] = &results[..] else { panic!("{}", results.len()) };
    assert_eq!(fast.window_start_ns, slow.window_start_ns);
    assert_eq!(fast.snapshot.intended(), 1_000);
    assert!(slow.snapshot.intended().abs_diff(199) <= 3, "{}", slow.snapshot.intended());
    assert_eq!((fast.generator.threads, slow.generator.threads), (2, 1));
    assert_eq!((&fast.findings[..], &slow.findings[..]), (&[][..], &[][..]));
}

#[test]
fn what_all_streams_need_together_is_checked_before_any_starts_and_problems_name_the_stream() {
    let wrong = LoadPlan { connections: 0, ..closed() };
    let error = launch(Launch::new(&[closed(), wrong], &Watch::default()).through(&quick())).unwrap_err();
    assert!(error.to_string().contains("stream 2: connections"), "{error}");
    assert!(matches!(
        launch(Launch::new(&[], &Watch::default()).through(&quick())),
        Err(EngineError::Plan(_))
    ));
    let machine = Machine { descriptors: Some(90), ..Machine::default() };
    let world = quick().with_machine(machine);
    let half = LoadPlan { connections: 16, ..brief() };
    assert!(run_in(&half, &Watch::default(), &world).is_ok());
    let error = launch(Launch::new(&[half.clone(), half], &Watch::default()).through(&world)).unwrap_err();
    assert!(matches!(error, EngineError::Descriptors { needed: 98, limit: 90 }), "{error}");
}
