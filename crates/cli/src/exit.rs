//! Exit codes, documented and distinct.

use proofload_remote::RemoteError;

/// Exit code of the program, for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Measured; or every claim supported.
    Done = 0,
    /// Something that should not happen: a record that cannot be written, a fault of Proofload; for `--debug` that there
    /// is no connection.
    Failure = 1,
    /// Bad arguments, or mistakes in a study file; nothing was started.
    Usage = 2,
    /// No subject could be fetched or built; or one could not be, could not be started, or died, and no claim was left
    /// without it.
    FailedStart = 3,
    /// Another measuring run holds this machine, or another process conducts this run.
    Busy = 4,
    /// `doctor` found something that forbids measuring.
    Unfit = 5,
    /// At least one claim refuted.
    Refuted = 10,
    /// No claim refuted, at least one undecided.
    Undecided = 11,
    /// No verdict can rest on it: the generator was the limit, nothing was answered, or the lab itself failed.
    Invalid = 12,
    /// A figure is worse than the baseline's by more than is tolerated.
    Regressed = 13,
    /// Stopped by a signal; what was measured is on disk.
    Interrupted = 130,
}

/// The table of exit codes, for `--help`.
pub const HELP: &str = "\
Exit codes:
  0    measured; or every claim and every threshold (--fail) supported
  1    Proofload failed, or its record cannot be written; --debug: no connection
  2    bad arguments, or mistakes in a study file; nothing was started
  3    subjects could not be fetched, built or started, or died, and no claim could be tested
  4    another run is measuring on this machine, or another process executes this run
  5    doctor found a problem that forbids measuring
  10   at least one claim or threshold refuted
  11   no claim or threshold refuted, at least one undecided
  12   invalid: the generator was the limit, nothing was answered, or the lab itself failed
  13   no claim refuted, but a figure is worse than the baseline by more than the tolerance
  130  stopped by a signal; what was measured is on disk";

/// The same by rows: the code, and its meaning.
pub fn table() -> impl Iterator<Item = (&'static str, &'static str)> {
    HELP.lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once(' '))
        .map(|(code, says)| (code, says.trim()))
}

impl Exit {
    /// The exit code of another process of Proofload.
    pub fn from_code(code: u8) -> Exit {
        use Exit::*;
        let all = [
            Done,
            Failure,
            Usage,
            FailedStart,
            Busy,
            Unfit,
            Refuted,
            Undecided,
            Invalid,
            Regressed,
            Interrupted,
        ];
        all.into_iter().find(|exit| *exit as u8 == code).unwrap_or(Failure)
    }
}

/// An error with the exit code it leads to. Everything that is not wrapped in one of these is a [`Exit::Failure`].
#[derive(Debug)]
pub struct Leaves {
    /// With which code.
    pub exit: Exit,
    pub message: String,
}

impl std::fmt::Display for Leaves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Leaves {}

/// An error that ends the program with that code.
pub fn leave(exit: Exit, message: impl std::fmt::Display) -> anyhow::Error {
    anyhow::Error::new(Leaves { exit, message: message.to_string() })
}

/// The exit code that an error leads to, or that of a message of clap.
pub fn of(error: &anyhow::Error) -> Exit {
    if let Some(said) = error.downcast_ref::<clap::Error>() {
        return Exit::from_code(said.exit_code() as u8);
    }
    if let Some(error) = error.downcast_ref::<RemoteError>() {
        return Exit::from_code(error.exit_code());
    }
    error.downcast_ref::<Leaves>().map_or(Exit::Failure, |leaves| leaves.exit)
}
