//! Errors between a name in a study and a server that answers.

use proofload_facts::Mistake;
use proofload_language::tr;
use proofload_study::Problems;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

use super::keeper::Exit;

/// The last lines of a log, as they are shown below a message.
fn tail(lines: &[String]) -> String {
    if lines.is_empty() {
        return format!("\n  {}", tr!("subject-log-empty"));
    }
    lines.iter().map(|line| format!("\n  | {line}")).collect()
}

/// Reasons why a subject could not be prepared, started or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// The command of a subject cannot be started.
    #[error("{}", tr!("labelled", label = subject, what = proofload_study::told(mistake)))]
    Command {
        /// Its name in the study.
        subject: String,
        mistake: Mistake,
    },
    /// No such folder in the catalogue.
    #[error("{}", tr!("subject-unknown", folder, catalogue, known))]
    UnknownFolder {
        folder: String,
        /// Catalogue that was searched.
        catalogue: PathBuf,
        known: Vec<String>,
    },
    /// The path that was given as the catalogue holds no subject.
    #[error("{}", tr!("subject-no-catalogue", path, from))]
    NoCatalogue { path: PathBuf, from: &'static str },
    /// A `subject.yaml` or lock file is wrong.
    #[error("{0}")]
    Declaration(Problems),
    /// A parameter does not fit the folder's declaration.
    #[error("{}", tr!("subject-parameter", subject, why))]
    Parameter {
        subject: String,
        /// The mistake, and what to do.
        why: String,
    },
    /// The JVM lacks a setting that the variant is about.
    #[error("{}", tr!("subject-not-applicable", subject, jdk, why))]
    NotApplicable { subject: String, jdk: u32, why: String },
    /// No JDK of the wanted version.
    #[error("{}", tr!("subject-no-jdk", subject, wanted, found = (!found.is_empty()).then_some(found)))]
    NoJdk { subject: String, wanted: String, found: Vec<String> },
    /// Something is needed that the lock file does not pin.
    #[error("{}", tr!("subject-unpinned", subject, what, lock, coordinate))]
    Unpinned { subject: String, what: String, lock: PathBuf, coordinate: String },
    /// Nothing may be fetched, and something is missing.
    #[error("{}", tr!("subject-offline", subject, missing))]
    Offline { subject: String, missing: Vec<String> },
    /// Debian packages are needed on a system without its tools.
    #[error("{}", tr!("subject-no-apt", subject))]
    NoApt { subject: String },
    /// A pinned version is not on the mirror any more.
    #[error("{}", tr!("subject-package-gone", subject, packages, lines = tail(lines)))]
    PackageGone {
        subject: String,
        packages: Vec<String>,
        /// Last lines of `apt-get`.
        lines: Vec<String>,
    },
    /// `apt-get` ran and did not bring the packages.
    #[error("{}", tr!("subject-packages-failed", subject, packages, how, lines = tail(lines)))]
    PackagesFailed {
        subject: String,
        packages: Vec<String>,
        how: String,
        /// Last lines of its output.
        lines: Vec<String>,
    },
    /// Maven is needed and not there.
    #[error("{}", tr!("subject-no-maven", subject))]
    NoMaven { subject: String },
    /// Maven ran and did not bring the files.
    #[error("{}", tr!("subject-fetch-failed", subject, coordinates, how, lines = tail(lines)))]
    FetchFailed {
        subject: String,
        /// Artifacts to fetch.
        coordinates: Vec<String>,
        how: String,
        /// Last lines of its output.
        lines: Vec<String>,
    },
    /// A file is not the one that is pinned.
    #[error("{}", tr!("subject-mismatch", file, lock, found, pinned, remedy))]
    Mismatch {
        file: PathBuf,
        /// The lock file or list that pins it.
        lock: PathBuf,
        /// The digest it should have.
        pinned: String,
        found: String,
        remedy: &'static str,
    },
    /// A member of an archive would not stay where it is unpacked.
    #[error("{}", tr!("subject-archive", archive, member, why))]
    Archive {
        archive: PathBuf,
        /// The member's name, made visible.
        member: String,
        /// The mistake in it.
        why: String,
    },
    #[error("{}", tr!("subject-build", subject, how, lines = tail(lines)))]
    Build {
        subject: String,
        how: String,
        /// Last lines of its output.
        lines: Vec<String>,
    },
    /// A file or directory could not be used.
    #[error("{}", tr!("subject-files", path, what, source))]
    Files {
        path: PathBuf,
        /// Operation that failed, by which the message is chosen.
        what: &'static str,
        source: io::Error,
    },
    /// An entry of the cache is being made by another Proofload.
    #[error("{}", tr!("subject-cache-held", path, seconds))]
    CacheHeld {
        path: PathBuf,
        /// Time spent waiting.
        seconds: u64,
    },
    /// The keeper could not be started.
    #[error("{}", tr!("subject-no-keeper", why))]
    NoKeeper { why: String },
    #[error("{}", tr!("subject-keeper-gone"))]
    KeeperGone,
    /// The program could not be executed.
    #[error("{}", tr!("subject-not-started", subject, program, why))]
    NotStarted { subject: String, program: String, why: String },
    /// It ended before it was ready.
    #[error("{}", tr!("subject-died-at-start", subject, exit = exit.to_string(), log, lines = tail(lines)))]
    DiedAtStart { subject: String, exit: Exit, log: PathBuf, lines: Vec<String> },
    /// It ended after it had been ready, without an order to end.
    #[error("{}", tr!("subject-died", subject, exit = exit.to_string(), log, lines = tail(lines)))]
    Died { subject: String, exit: Exit, log: PathBuf, lines: Vec<String> },
    /// It takes connections and does not answer.
    #[error("{}", tr!("subject-hangs", subject, seconds, missing, log, lines = tail(lines)))]
    Hangs { subject: String, seconds: f64, missing: String, log: PathBuf, lines: Vec<String> },
    /// The keeper killed it before it could eat all memory.
    #[error("{}", tr!("subject-too-much-memory", subject, used = used_mib, limit = limit_mib))]
    TooMuchMemory { subject: String, used_mib: u64, limit_mib: u64 },
    /// The kernel killed it for lack of memory.
    #[error("{}", tr!("subject-killed-by-kernel", subject, log, lines = tail(lines)))]
    KilledByKernel { subject: String, log: PathBuf, lines: Vec<String> },
    /// A JVM reported that it has no memory left.
    #[error("{}", tr!("subject-jvm-out-of-memory", subject, log, lines = tail(lines)))]
    JvmOutOfMemory { subject: String, log: PathBuf, lines: Vec<String> },
    /// It lives and did not become ready in time.
    #[error("{}", tr!("subject-never-ready", subject, seconds, missing, log, lines = tail(lines)))]
    NeverReady { subject: String, seconds: f64, missing: String, log: PathBuf, lines: Vec<String> },
    /// Another process listens on the subject's port.
    #[error("{}", tr!("subject-port-taken", subject, port = port.to_string(), by))]
    PortTaken {
        subject: String,
        port: u16,
        /// Process id and name where they can be read.
        by: String,
    },
    /// No free port was found.
    #[error("{}", tr!("subject-no-port", first = first.to_string(), last = last.to_string(), address = address.to_string()))]
    NoPort {
        /// Address of the subject.
        address: IpAddr,
        first: u16,
        last: u16,
    },
    /// A `url:` subject does not answer.
    #[error("{}", tr!("subject-no-answer", authority, address = address.to_string(), why))]
    NoAnswer { authority: String, address: proofload_engine::Addresses, why: String },
    /// It did not end as it should.
    #[error("{}", tr!("subject-unclean-stop", subject, what))]
    UncleanStop { subject: String, what: String },
    /// It does not answer as its folder declares.
    #[error("{}", tr!("subject-contract", subject, word, why))]
    Contract {
        subject: String,
        /// The part of the contract.
        word: &'static str,
        why: String,
    },
    /// Proofload received an interrupt.
    #[error("{}", tr!("subject-interrupted"))]
    Interrupted,
}

impl SubjectError {
    /// True for a fault of the lab itself, not of a subject.
    pub fn is_ours(&self) -> bool {
        matches!(self, SubjectError::NoKeeper { .. } | SubjectError::KeeperGone)
    }

    /// True if something is missing or wrong on this machine, rather than in the study or the catalogue. Other variants
    /// may still be measured.
    pub fn is_of_this_machine(&self) -> bool {
        use SubjectError::{
            Archive, Build, CacheHeld, FetchFailed, Files, Mismatch, NoApt, NoJdk, NoMaven, Offline,
            PackageGone, PackagesFailed,
        };
        matches!(
            self,
            NoJdk { .. }
                | NoMaven { .. }
                | NoApt { .. }
                | Offline { .. }
                | FetchFailed { .. }
                | PackageGone { .. }
                | PackagesFailed { .. }
                | Mismatch { .. }
                | Archive { .. }
                | Build { .. }
                | Files { .. }
                | CacheHeld { .. }
        )
    }

    pub(crate) fn files(
        path: impl Into<PathBuf>,
        what: &'static str,
    ) -> impl FnOnce(io::Error) -> SubjectError {
        let path = path.into();
        move |source| SubjectError::Files { path, what, source }
    }
}
