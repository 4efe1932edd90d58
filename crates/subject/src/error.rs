//! What can go wrong between a name in a study and a server that answers.

use proofload_facts::Mistake as Fault;
use proofload_language::{say, word};
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

use super::keeper::Exit;

/// A mistake in a file of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1, where it is known.
    pub line: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}; {}", self.what, self.remedy)
    }
}

/// The last lines of a log, as they are shown below a message.
fn tail(lines: &[String]) -> String {
    if lines.is_empty() {
        return format!("\n  {}", word!("subject-log-empty"));
    }
    lines.iter().map(|line| format!("\n  | {line}")).collect()
}

fn mistakes(found: &[Mistake]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Why a subject could not be prepared, started or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// The command of a subject cannot be started.
    #[error("{}", say!("labelled", label = subject, what = proofload_study::told(mistake)))]
    Command {
        /// Its name in the study.
        subject: String,
        /// What is wrong with it.
        mistake: Fault,
    },
    /// No such folder in the catalogue.
    #[error("{}", say!("subject-unknown", folder, catalogue, known))]
    UnknownFolder {
        /// What was asked for.
        folder: String,
        /// Where it was looked for.
        catalogue: PathBuf,
        /// What is there.
        known: Vec<String>,
    },
    /// The path that was given as the catalogue holds no subject.
    #[error("{}", say!("subject-no-catalogue", path, from))]
    NoCatalogue {
        /// The path.
        path: PathBuf,
        /// Who named it.
        from: &'static str,
    },
    /// A `subject.yaml` or lock file is wrong.
    #[error("{}", mistakes(.0))]
    Declaration(
        /// All mistakes found.
        Vec<Mistake>,
    ),
    /// A parameter does not fit the folder's declaration.
    #[error("{}", say!("subject-parameter", subject, why))]
    Parameter {
        /// The folder.
        subject: String,
        /// What is wrong and what to do.
        why: String,
    },
    /// The JVM lacks a setting that the variant is about.
    #[error("{}", say!("subject-not-applicable", subject, jdk, why))]
    NotApplicable {
        /// The folder.
        subject: String,
        /// Major version.
        jdk: u32,
        /// What the JVM said.
        why: String,
    },
    /// No JDK of the wanted version.
    #[error("{}", say!("subject-no-jdk", subject, wanted, found = (!found.is_empty()).then_some(found)))]
    NoJdk {
        /// The folder.
        subject: String,
        /// Major version.
        wanted: String,
        /// Versions that are there.
        found: Vec<String>,
    },
    /// Something is needed that the lock file does not pin.
    #[error("{}", say!("subject-unpinned", subject, what, lock, coordinate))]
    Unpinned {
        /// The folder.
        subject: String,
        /// What is needed.
        what: String,
        /// The lock file.
        lock: PathBuf,
        /// What to add.
        coordinate: String,
    },
    /// Nothing may be fetched, and something is missing.
    #[error("{}", say!("subject-offline", subject, missing))]
    Offline {
        /// The folder.
        subject: String,
        /// Coordinates.
        missing: Vec<String>,
    },
    /// Debian packages are needed on a system without its tools.
    #[error("{}", say!("subject-no-apt", subject))]
    NoApt {
        /// The folder.
        subject: String,
    },
    /// A pinned version is not on the mirror any more.
    #[error("{}", say!("subject-package-gone", subject, packages, lines = tail(lines)))]
    PackageGone {
        /// The folder.
        subject: String,
        /// Packages with their versions.
        packages: Vec<String>,
        /// Last lines of `apt-get`.
        lines: Vec<String>,
    },
    /// `apt-get` ran and did not bring the packages.
    #[error("{}", say!("subject-packages-failed", subject, packages, how, lines = tail(lines)))]
    PackagesFailed {
        /// The folder.
        subject: String,
        /// Packages with their versions.
        packages: Vec<String>,
        /// How it ended.
        how: String,
        /// Last lines of its output.
        lines: Vec<String>,
    },
    /// Maven is needed and not there.
    #[error("{}", say!("subject-no-maven", subject))]
    NoMaven {
        /// The folder.
        subject: String,
    },
    /// Maven ran and did not bring the files.
    #[error("{}", say!("subject-fetch-failed", subject, coordinates, how, lines = tail(lines)))]
    FetchFailed {
        /// The folder.
        subject: String,
        /// What was to be fetched.
        coordinates: Vec<String>,
        /// How Maven ended.
        how: String,
        /// Last lines of its output.
        lines: Vec<String>,
    },
    /// A file is not the one that is pinned.
    #[error("{}", say!("subject-mismatch", file, lock, found, pinned, remedy))]
    Mismatch {
        /// The file.
        file: PathBuf,
        /// The lock file or list that pins it.
        lock: PathBuf,
        /// The digest it should have.
        pinned: String,
        /// The digest it has.
        found: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A member of an archive would not stay where it is unpacked.
    #[error("{}", say!("subject-archive", archive, member, why))]
    Archive {
        /// The archive.
        archive: PathBuf,
        /// The member's name, made visible.
        member: String,
        /// What is wrong with it.
        why: String,
    },
    /// The compiler refused.
    #[error("{}", say!("subject-build", subject, how, lines = tail(lines)))]
    Build {
        /// The folder.
        subject: String,
        /// How it ended.
        how: String,
        /// Last lines of its output.
        lines: Vec<String>,
    },
    /// A file or directory could not be used.
    #[error("{}", say!("subject-files", path, what, source))]
    Files {
        /// The path.
        path: PathBuf,
        /// What was tried, by which the message chooses.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// An entry of the cache is being made by another Proofload.
    #[error("{}", say!("subject-cache-held", path, seconds))]
    CacheHeld {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The keeper could not be started.
    #[error("{}", say!("subject-no-keeper", why))]
    NoKeeper {
        /// Why.
        why: String,
    },
    /// The keeper has died.
    #[error("{}", word!("subject-keeper-gone"))]
    KeeperGone,
    /// The program could not be executed.
    #[error("{}", say!("subject-not-started", subject, program, why))]
    NotStarted {
        /// The subject.
        subject: String,
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// It ended before it was ready.
    #[error("{}", say!("subject-died-at-start", subject, exit = exit.to_string(), log, lines = tail(lines)))]
    DiedAtStart {
        /// The subject.
        subject: String,
        /// How it ended.
        exit: Exit,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// It ended after it had been ready, and nobody had asked it to.
    #[error("{}", say!("subject-died", subject, exit = exit.to_string(), log, lines = tail(lines)))]
    Died {
        /// The subject.
        subject: String,
        /// How it ended.
        exit: Exit,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// It takes connections and does not answer.
    #[error("{}", say!("subject-hangs", subject, seconds, missing, log, lines = tail(lines)))]
    Hangs {
        /// The subject.
        subject: String,
        /// Time allowed.
        seconds: f64,
        /// What was tried last.
        missing: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// The keeper killed it before it could eat all memory.
    #[error("{}", say!("subject-too-much-memory", subject, used = used_mib, limit = limit_mib))]
    TooMuchMemory {
        /// The subject.
        subject: String,
        /// What it had.
        used_mib: u64,
        /// What it may have.
        limit_mib: u64,
    },
    /// The kernel killed it for lack of memory.
    #[error("{}", say!("subject-killed-by-kernel", subject, log, lines = tail(lines)))]
    KilledByKernel {
        /// The subject.
        subject: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// A JVM said that it has no memory left.
    #[error("{}", say!("subject-jvm-out-of-memory", subject, log, lines = tail(lines)))]
    JvmOutOfMemory {
        /// The subject.
        subject: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// It lives and did not become ready in time.
    #[error("{}", say!("subject-never-ready", subject, seconds, missing, log, lines = tail(lines)))]
    NeverReady {
        /// The subject.
        subject: String,
        /// Time allowed.
        seconds: f64,
        /// What was still missing.
        missing: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// Somebody else listens where the subject should.
    #[error("{}", say!("subject-port-taken", subject, port = port.to_string(), by))]
    PortTaken {
        /// The subject.
        subject: String,
        /// The port.
        port: u16,
        /// Process id and name where they can be seen.
        by: String,
    },
    /// No free port was found.
    #[error("{}", say!("subject-no-port", first = first.to_string(), last = last.to_string(), address = address.to_string()))]
    NoPort {
        /// Where it would have been.
        address: IpAddr,
        /// First port tried.
        first: u16,
        /// Last port tried.
        last: u16,
    },
    /// A `url:` subject does not answer.
    #[error("{}", say!("subject-no-answer", authority, address = address.to_string(), why))]
    NoAnswer {
        /// As written.
        authority: String,
        /// The address.
        address: proofload_engine::Address,
        /// Why.
        why: String,
    },
    /// It did not end as it should.
    #[error("{}", say!("subject-unclean-stop", subject, what))]
    UncleanStop {
        /// The subject.
        subject: String,
        /// What was wrong.
        what: String,
    },
    /// It does not answer what its folder says.
    #[error("{}", say!("subject-contract", subject, word, why))]
    Contract {
        /// The subject.
        subject: String,
        /// The part of the contract.
        word: &'static str,
        /// What was answered instead.
        why: String,
    },
    /// Proofload was asked to end.
    #[error("{}", word!("subject-interrupted"))]
    Interrupted,
}

impl SubjectError {
    /// Whether it is the lab's own fault, and nothing that a subject did.
    pub fn is_ours(&self) -> bool {
        matches!(self, SubjectError::NoKeeper { .. } | SubjectError::KeeperGone)
    }

    /// Whether something is missing or wrong on this machine, rather than in the study or the catalogue. Other
    /// variants may still be measured.
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
