//! Errors that prevent a load.

use proofload_language::tr;

/// Reason for which a plan cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A value of the plan is out of its bounds.
    #[error("{0}")]
    Plan(String),
    /// The descriptors that the plan needs exceed the limit of this process.
    #[error("{}", tr!("engine-descriptors", needed, limit))]
    Descriptors {
        needed: u64,
        /// `RLIMIT_NOFILE`.
        limit: u64,
    },
    /// This machine cannot carry the load by the driver that was asked for.
    #[error("{}", tr!("engine-driver", driver, why))]
    Driver {
        driver: &'static str,
        /// The missing or forbidden resource.
        why: String,
    },
    /// The first instant that was given had passed before the workers were ready.
    #[error("{}", tr!("engine-too-late", seconds = format!("{:.3}", *late_ns as f64 / 1e9)))]
    TooLate {
        /// Time by which it had passed.
        late_ns: u64,
    },
    /// A process that carries out a share of the load failed, or is gone.
    #[error("{0}")]
    Share(String),
    /// The operating system refused something before any load.
    #[error("{}", tr!("labelled", label = what, what = source))]
    System { what: &'static str, source: std::io::Error },
}
