//! What can go wrong between a name in a study and a server that answers.

use proofload_facts::Mistake as Fault;
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
        return "\n  (its log is empty)".into();
    }
    lines.iter().map(|line| format!("\n  | {line}")).collect()
}

fn listed(found: &[String]) -> String {
    if found.is_empty() { "none".into() } else { found.join(", ") }
}

fn mistakes(found: &[Mistake]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Why a subject could not be prepared, started or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// The command of a subject cannot be started.
    #[error("{subject}: {}", proofload_study::told(mistake))]
    Command {
        /// Its name in the study.
        subject: String,
        /// What is wrong with it.
        mistake: Fault,
    },
    /// No such folder in the catalogue.
    #[error("no subject `{folder}` in the catalogue {}; there are: {}", catalogue.display(), known.join(", "))]
    UnknownFolder {
        /// What was asked for.
        folder: String,
        /// Where it was looked for.
        catalogue: PathBuf,
        /// What is there.
        known: Vec<String>,
    },
    /// The path that was given as the catalogue holds no subject.
    #[error("no folder with a subject.yaml in {} ({from}); name the folder that holds the subjects", path.display())]
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
    #[error("subject {subject}: {why}")]
    Parameter {
        /// The folder.
        subject: String,
        /// What is wrong and what to do.
        why: String,
    },
    /// The JVM lacks a setting that the variant is about.
    #[error("subject {subject}: not applicable on JDK {jdk}: {why}")]
    NotApplicable {
        /// The folder.
        subject: String,
        /// Major version.
        jdk: u32,
        /// What the JVM said.
        why: String,
    },
    /// No JDK of the wanted version.
    #[error(
        "subject {subject} needs JDK {wanted}, found {}; install one (Debian: apt install \
         openjdk-{wanted}-jdk-headless), point JAVA_HOME to it, or set the parameter `jdk`",
        listed(found)
    )]
    NoJdk {
        /// The folder.
        subject: String,
        /// Major version.
        wanted: String,
        /// Versions that are there.
        found: Vec<String>,
    },
    /// Something is needed that the lock file does not pin.
    #[error(
        "subject {subject}: {what} is not pinned in {}; add its lines by \
         `proofload subjects add {coordinate} --to {subject}`",
        lock.display()
    )]
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
    #[error(
        "subject {subject}: --offline, and the cache lacks {}; run once without --offline where there is a network",
        missing.join(", ")
    )]
    Offline {
        /// The folder.
        subject: String,
        /// Coordinates.
        missing: Vec<String>,
    },
    /// Debian packages are needed on a system without its tools.
    #[error(
        "subject {subject} needs Debian packages, and `apt-get` or `dpkg-deb` is not in PATH; use Debian or Ubuntu, \
         or parameters that need no package"
    )]
    NoApt {
        /// The folder.
        subject: String,
    },
    /// A pinned version is not on the mirror any more.
    #[error(
        "subject {subject}: Debian's mirror has {} no more (its pool keeps the newest version only); pin today's by \
         `proofload subjects add debian:PACKAGE --to {subject}`, or point apt's sources to snapshot.debian.org{}",
        packages.join(", "), tail(lines)
    )]
    PackageGone {
        /// The folder.
        subject: String,
        /// Packages with their versions.
        packages: Vec<String>,
        /// Last lines of `apt-get`.
        lines: Vec<String>,
    },
    /// `apt-get` ran and did not bring the packages.
    #[error("subject {subject}: apt-get could not fetch {}: {how}; check the network and apt's sources; what is in \
             the cache works without either{}", packages.join(", "), tail(lines))]
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
    #[error(
        "subject {subject} needs files from Maven Central, and `mvn` is not in PATH; install Maven \
             (Debian: apt install maven); once fetched, it is not needed again"
    )]
    NoMaven {
        /// The folder.
        subject: String,
    },
    /// Maven ran and did not bring the files.
    #[error("subject {subject}: Maven could not fetch {}: {how}; check the network and Maven's settings (proxy, \
             mirror); what is in the cache works without either{}", coordinates.join(", "), tail(lines))]
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
    #[error("{} is not the file that {} pins: SHA-256 {found}, pinned {pinned}; {remedy}", file.display(), lock.display())]
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
    #[error("{}: member `{member}` is refused: {why}; do not use this archive", archive.display())]
    Archive {
        /// The archive.
        archive: PathBuf,
        /// The member's name, made visible.
        member: String,
        /// What is wrong with it.
        why: String,
    },
    /// The compiler refused.
    #[error("subject {subject} could not be built: {how}{}", tail(lines))]
    Build {
        /// The folder.
        subject: String,
        /// How it ended.
        how: String,
        /// Last lines of its output.
        lines: Vec<String>,
    },
    /// A file or directory could not be used.
    #[error("{}: {what}: {source}", path.display())]
    Files {
        /// The path.
        path: PathBuf,
        /// What was tried, and what to do.
        what: String,
        /// The system's reason.
        source: io::Error,
    },
    /// An entry of the cache is being made by another Proofload.
    #[error("{} has been made by another Proofload for {seconds} s; wait for it or end it", path.display())]
    CacheHeld {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The keeper could not be started.
    #[error("the keeper of the subjects could not be started: {why}")]
    NoKeeper {
        /// Why.
        why: String,
    },
    /// The keeper has died.
    #[error(
        "the keeper of the subjects has ended unexpectedly; `proofload doctor --clean` removes what it left"
    )]
    KeeperGone,
    /// The program could not be executed.
    #[error(
        "subject {subject}: `{program}` could not be started: {why}; check the command, the directory and the CPUs"
    )]
    NotStarted {
        /// The subject.
        subject: String,
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// It ended before it was ready.
    #[error("subject {subject} ended before it was ready: {exit}; its log {}:{}", log.display(), tail(lines))]
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
    #[error("subject {subject} died: {exit}; its log {}:{}", log.display(), tail(lines))]
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
    #[error("subject {subject} hangs: for {seconds} s {missing}; its log {}:{}", log.display(), tail(lines))]
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
    #[error(
        "subject {subject} had {used_mib} MiB of memory, more than its {limit_mib} MiB, and was killed; give it less \
         load or heap, or allow more: memory_max in its subject.yaml, memory of a command in the study"
    )]
    TooMuchMemory {
        /// The subject.
        subject: String,
        /// What it had.
        used_mib: u64,
        /// What it may have.
        limit_mib: u64,
    },
    /// The kernel killed it for lack of memory.
    #[error(
        "subject {subject} was killed by the kernel, for the machine or its group had no memory left; free memory, or \
         give it a smaller heap; its log {}:{}", log.display(), tail(lines)
    )]
    KilledByKernel {
        /// The subject.
        subject: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// A JVM said that it has no memory left.
    #[error(
        "subject {subject} ran out of its own memory (java.lang.OutOfMemoryError); give it a larger heap or less \
         load; its log {}:{}", log.display(), tail(lines)
    )]
    JvmOutOfMemory {
        /// The subject.
        subject: String,
        /// Its log.
        log: PathBuf,
        /// The log's last lines.
        lines: Vec<String>,
    },
    /// It lives and did not become ready in time.
    #[error("subject {subject} was not ready after {seconds} s: {missing}; allow more time or see its log {}:{}",
            log.display(), tail(lines))]
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
    #[error(
        "subject {subject}: port {port} is taken by {by}, which this run did not start; end it or choose another port"
    )]
    PortTaken {
        /// The subject.
        subject: String,
        /// The port.
        port: u16,
        /// Process id and name where they can be seen.
        by: String,
    },
    /// No free port was found.
    #[error(
        "no free port between {first} and {last} on {address}: either others listen on all of them, or the address is not one of this machine's"
    )]
    NoPort {
        /// Where it would have been.
        address: IpAddr,
        /// First port tried.
        first: u16,
        /// Last port tried.
        last: u16,
    },
    /// A `url:` subject does not answer.
    #[error(
        "nothing answers at {authority} ({address}): {why}; start it first, or let Proofload start it with `command:`"
    )]
    NoAnswer {
        /// As written.
        authority: String,
        /// The address.
        address: proofload_engine::Address,
        /// Why.
        why: String,
    },
    /// It did not end as it should.
    #[error("subject {subject}: {what}; `proofload doctor --clean` ends what is left")]
    UncleanStop {
        /// The subject.
        subject: String,
        /// What was wrong.
        what: String,
    },
    /// It does not answer what its folder says.
    #[error("subject {subject} declares under answers: {word}; {why}; correct the server or the declaration")]
    Contract {
        /// The subject.
        subject: String,
        /// The part of the contract.
        word: &'static str,
        /// What was answered instead.
        why: String,
    },
    /// Proofload was asked to end.
    #[error("interrupted")]
    Interrupted,
}

impl SubjectError {
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
        what: impl Into<String>,
    ) -> impl FnOnce(io::Error) -> SubjectError {
        let (path, what) = (path.into(), what.into());
        move |source| SubjectError::Files { path, what, source }
    }
}
