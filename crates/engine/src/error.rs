//! Why a load cannot be carried out.

/// Why a plan cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A value of the plan is out of its bounds.
    #[error("{0}")]
    Plan(String),
    /// The descriptors that the plan needs exceed the limit of this process.
    #[error(
        "needs {needed} file descriptors, the limit is {limit}: lower the connections or raise `ulimit -n`"
    )]
    Descriptors {
        /// Needed, own use included.
        needed: u64,
        /// `RLIMIT_NOFILE`.
        limit: u64,
    },
    /// This machine cannot carry the load by the driver that was asked for.
    #[error("cannot use the {driver} driver: {why}; use the epoll driver")]
    Driver {
        /// Its name.
        driver: &'static str,
        /// What is missing or forbidden.
        why: String,
    },
    /// The first instant that was given had passed before the workers were ready.
    #[error(
        "the load was to begin {:.3} s before its workers were ready: give a later instant",
        *late_ns as f64 / 1e9
    )]
    TooLate {
        /// How long before.
        late_ns: u64,
    },
    /// A process that carries out a share of the load failed, or is gone.
    #[error("{0}")]
    Share(String),
    /// The operating system refused something before any load.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        source: std::io::Error,
    },
}
