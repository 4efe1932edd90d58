//! For tests over every driver of the kernel's sockets.

use proofload_engine::driver::probe;
use proofload_engine::{DriverChoice, EngineError};
use std::io::Write;

/// Those that this machine has.
pub fn drivers() -> Vec<DriverChoice> {
    DriverChoice::ALL.into_iter().filter(|driver| is_usable(*driver)).collect()
}

/// True if this machine has that driver; if not, prints why its cases are skipped.
pub fn is_usable(driver: DriverChoice) -> bool {
    // Past what keeps the output of tests that pass.
    is_granted(probe(driver), &mut std::io::stderr())
}

fn is_granted(probed: Result<(), EngineError>, say: &mut dyn Write) -> bool {
    let Err(refused) = probed else { return true };
    let _unheard = writeln!(say, "skipped, because this machine {refused}");
    false
}

#[test]
fn where_io_uring_is_refused_its_cases_are_skipped_and_say_why() {
    let mut said = Vec::new();
    assert!(is_granted(Ok(()), &mut said) && said.is_empty());
    let refused = EngineError::Driver { driver: "io_uring", why: "planted".to_owned() };
    assert!(!is_granted(Err(refused), &mut said));
    let said = String::from_utf8(said).unwrap();
    assert!(
        said.starts_with("skipped, because this machine cannot use the io_uring driver: planted"),
        "{said}"
    );
}
