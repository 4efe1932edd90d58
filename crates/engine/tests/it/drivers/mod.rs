//! For tests over every driver of the kernel's sockets.

use proofload_engine::DriverChoice;
use proofload_engine::driver::probe;
use std::io::Write;

/// Those that this machine has; of the others it is said why they are skipped.
pub fn drivers() -> Vec<DriverChoice> {
    let mut drivers = DriverChoice::ALL.to_vec();
    drivers.retain(|driver| match probe(*driver) {
        Ok(()) => true,
        Err(refused) => {
            // Past what keeps the output of tests that pass.
            let _ = writeln!(std::io::stderr(), "skipped, because this machine {refused}");
            false
        }
    });
    drivers
}
