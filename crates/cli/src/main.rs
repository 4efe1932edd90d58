//! The `proofload` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == proofload_subject::KEEPER_ARGUMENT) {
        return proofload_subject::keeper_main();
    }
    proofload_host::memory::keep_large_apart();
    proofload_host::descriptors::raise();
    proofload_cli::run(proofload_cli::Surroundings::of_process()).into()
}
