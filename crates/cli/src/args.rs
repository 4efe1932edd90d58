//! The command line, raw: nothing here does more than name, describe and split.

mod capacity;
mod check;
mod open;
mod parts;
mod records;
mod reference;
mod start;
mod transport;

pub use capacity::CapacityArgs;
pub use check::CheckArgs;
pub use open::OpenArgs;
pub use parts::{LengthsArg, NoiseArgs, TuneArgs};
pub use records::{
    BaselineArgs, CondenseArgs, DiffArgs, HistoryArgs, ListFormat, ReproductionsArgs, RerunArgs, ResumeArgs,
};
pub use reference::{ReferenceArgs, ReferenceTlsArgs};
pub use start::StartArgs;
pub use transport::TransportArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Load-testing laboratory that ends in a verdict.
#[derive(Debug, Parser)]
#[command(
    name = "proofload",
    version,
    long_about = "Proofload starts real servers, loads them over their own protocols, repeats and interleaves the runs, \
                  and says supported, refuted or undecided, with the interval it rests on.\n\n\
                  A study runs the programs that it names: run only studies that you trust.",
    after_long_help = crate::exit::HELP,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to do; without a verb a URL is measured.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Measure one endpoint.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Compare servers that already run, with a verdict
    Compare(Box<CompareArgs>),
    /// Search the highest rate at which an objective holds
    Capacity(Box<CapacityArgs>),
    /// Run a study: start its servers, load them, judge its claims
    Run(Box<RunArgs>),
    /// Go on with a run that was interrupted or killed
    Resume(ResumeArgs),
    /// Run the study of a record again, with the same preset, seed and settings
    Rerun(RerunArgs),
    /// The runs there are, with their verdicts
    History(HistoryArgs),
    /// What two runs have differently: plans, machines, figures, verdicts
    Diff(DiffArgs),
    /// Search the variants of a study for the best, and let fresh blocks judge it against the default
    Tune(Box<TuneArgs>),
    /// Draw a report from the record of a run; nothing is run
    Report(ReportArgs),
    /// Write a small copy of a record, from which the same verdicts can be computed
    Condense(CondenseArgs),
    /// Say of published conclusions what records of them found, as a page of Markdown
    Reproductions(ReproductionsArgs),
    /// The catalogue of servers that Proofload can start
    Subjects(SubjectsArgs),
    /// Run the reference server, whose truth is known
    ReferenceServer(Box<ReferenceArgs>),
    /// Write a study to begin with
    Init(InitArgs),
    /// Look at this machine: is it fit to measure?
    Doctor(Box<DoctorArgs>),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// What is asked, and how much; shared by measuring and comparing.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// Connections; auto in an open loop: as many as it needs
    #[arg(short = 'c', long, value_name = "N|auto")]
    pub connections: Option<String>,
    /// How an open loop sends.
    #[command(flatten)]
    pub open: OpenArgs,
    /// Open loop: intended requests per second (500, 2k/s); without it a closed loop
    #[arg(short = 'r', long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Open loop: exponential gaps instead of equal ones
    #[arg(long)]
    pub poisson: bool,
    /// Closed loop: pause between an answer and the next request (50ms, exp:50ms, uniform:10ms..90ms,
    /// lognormal:50ms,p99=1s, list:10ms,20ms)
    #[arg(long, value_name = "TIME", conflicts_with = "rate")]
    pub think: Option<String>,
    /// Reuse of connections: on, off, or a number of requests for each connection
    #[arg(long, value_name = "on|off|N", default_value = "on")]
    pub keep_alive: String,
    /// Method
    #[arg(short = 'm', long, value_name = "METHOD", default_value = "GET")]
    pub method: String,
    /// Header `Name: value`; may be repeated
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub headers: Vec<String>,
    /// Body, or @FILE
    #[arg(long, value_name = "TEXT|@FILE")]
    pub body: Option<String>,
    /// Part of a form (multipart/form-data): field=value or field=@FILE;type=image/png; may be repeated
    #[arg(long = "form", value_name = "PART", conflicts_with = "body")]
    pub forms: Vec<String>,
    /// Values for ${name} in path, query, headers and body: users=csv:FILE, items=json-lines:FILE, n=counter:1,
    /// r=random:1..1000, t=text:16, p=sized:uniform:20..200KiB/10m; may be repeated
    #[arg(long = "feeder", value_name = "NAME=KIND:VALUE")]
    pub feeders: Vec<String>,
    /// Credentials of HTTP Basic: user:password or user:@FILE
    #[arg(long, value_name = "USER:PASSWORD", conflicts_with = "bearer")]
    pub basic: Option<String>,
    /// Bearer token, or @FILE
    #[arg(long, value_name = "TOKEN|@FILE")]
    pub bearer: Option<String>,
    /// Keep cookies for each connection, as a user of its own, and send them back
    #[arg(long)]
    pub cookies: bool,
    /// Follow up to so many redirects within the server, as part of the exchange
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub follow: u32,
    /// Connect to this Unix socket; the address still gives host and path
    #[arg(long, value_name = "PATH", conflicts_with = "bind")]
    pub unix: Option<PathBuf>,
    /// Local addresses to connect from, in turn (127.0.0.2,127.0.0.3)
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',')]
    pub bind: Vec<String>,
    /// TLS and proxy.
    #[command(flatten)]
    pub transport: TransportArgs,
    /// Expected status; without it 200 to 399
    #[arg(long, value_name = "CODE")]
    pub expect_status: Option<u16>,
    /// Expected size of the body (347, 1KiB)
    #[arg(long, value_name = "SIZE")]
    pub expect_bytes: Option<String>,
    /// Text that the body must contain
    #[arg(long, value_name = "TEXT")]
    pub expect_text: Option<String>,
    /// Time allowed to connect
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub connect_timeout: String,
    /// Time allowed from sending to the end of the answer
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: String,
    /// What carries the bytes: epoll, or io_uring where the kernel permits it
    #[arg(long, value_name = "DRIVER", value_enum, default_value = "epoll")]
    pub driver: DriverArg,
    /// Threads of the generator
    #[arg(long, value_name = "N")]
    pub workers: Option<u32>,
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// What carries the bytes of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DriverArg {
    /// Everywhere
    Epoll,
    /// Linux 6.1 or later, where it is not forbidden
    #[value(name = "io_uring")]
    IoUring,
}

impl From<DriverArg> for proofload_engine::DriverChoice {
    fn from(driver: DriverArg) -> Self {
        match driver {
            DriverArg::Epoll => Self::Epoll,
            DriverArg::IoUring => Self::IoUring,
        }
    }
}

/// `proofload URL`.
#[derive(Debug, Clone, Args)]
pub struct MeasureArgs {
    /// Address to measure: http://host:port/path or https://...; several with a weighted mix as `3*http://...`
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// How long (10s, 2m)
    #[arg(short = 'd', long, value_name = "TIME", conflicts_with = "requests")]
    pub duration: Option<String>,
    /// How many requests instead of how long
    #[arg(short = 'n', long, value_name = "N")]
    pub requests: Option<u64>,
    /// Send one request and show both sides of it in full; of several addresses the first
    #[arg(long, conflicts_with_all = ["duration", "requests"])]
    pub debug: bool,
    /// Load before the measured time that is not counted (0s, 5s)
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub warm_up: String,
    /// Stage of a load over time: 'ramp 0..2k/s 10s', 'hold 2k/s 30s', 'ladder 100..1k/s 10x30s',
    /// 'spike 100..1k/s 5s@10s 30s', 'sine 1k/s+-500/s 1m 10m'; connections without /s; may be repeated
    #[arg(long = "stage", value_name = "STAGE", conflicts_with_all = ["duration", "requests", "rate", "users"])]
    pub stages: Vec<String>,
    /// Recorded arrivals to play back: a file with a time in seconds on each line; -d plays only the beginning
    #[arg(long, value_name = "FILE", conflicts_with_all = ["requests", "rate", "users", "stages", "poisson", "think"])]
    pub trace: Option<PathBuf>,
    /// How many times as fast as it was recorded the trace is played (2x, 0.5x)
    #[arg(long, value_name = "SPEED", default_value = "1x", requires = "trace")]
    pub speed: String,
    /// How often the trace is played
    #[arg(long, value_name = "N", default_value_t = 1, requires = "trace")]
    pub repeat: u32,
    /// Users that ask so many times, each on a connection of its own, and go
    #[arg(long, value_name = "N", conflicts_with_all = ["duration", "requests", "rate", "connections"], requires = "loops")]
    pub users: Option<u32>,
    /// Over how long the users start; all at once without
    #[arg(long, value_name = "TIME", requires = "users")]
    pub ramp: Option<String>,
    /// How often each user asks
    #[arg(long, value_name = "N", requires = "users")]
    pub loops: Option<u32>,
    /// Do not hold the rate against the generator's ceiling, though the cache knows it
    #[arg(long)]
    pub no_ceiling: bool,
    /// Threshold, such as 'p99 < 50ms' or 'errors == 0': unless it is supported, the exit code says so; may be
    /// repeated
    #[arg(long = "fail", value_name = "CLAIM")]
    pub fail: Vec<String>,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `proofload compare URL URL`.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// Two addresses; the claim is that the second serves more than the first
    #[arg(value_name = "URL", required = true, num_args = 2..)]
    pub urls: Vec<String>,
    /// Claim to test instead, in the grammar of studies; may be repeated
    #[arg(long = "claim", value_name = "CLAIM")]
    pub claims: Vec<String>,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// How much time it takes.
    #[command(flatten)]
    pub preset: PresetArgs,
    /// Directory in which runs/STUDY/ID/ is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How much time a study takes.
#[derive(Debug, Clone, Default, Args)]
pub struct PresetArgs {
    /// One block: right answers, clean stop, figures; no verdicts
    #[arg(long, conflicts_with_all = ["quick", "thorough"])]
    pub smoke: bool,
    /// At most 8 minutes; verdicts on young servers
    #[arg(long, conflicts_with = "thorough")]
    pub quick: bool,
    /// More blocks than the default
    #[arg(long)]
    pub thorough: bool,
    /// Time allowed for the whole study (8m, 2h)
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Go on until every claim is settled, and look after every block; at most 200 blocks, and a day without --budget
    #[arg(long, conflicts_with = "smoke")]
    pub keep_going: bool,
    /// Do not measure the generator's ceiling against a server that does nothing; the result says so
    #[arg(long)]
    pub no_ceiling: bool,
    /// Lengths instead of the preset's, for tests: warm-up=100ms,slice=50ms,discard=10ms,cycles=2
    #[arg(long, value_name = "LIST", hide = true)]
    pub timing: Option<String>,
}

/// `proofload run STUDY`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// How much time it takes.
    #[command(flatten)]
    pub preset: PresetArgs,
    /// Print the checked plan, every command and the time it will take; start nothing
    #[arg(long)]
    pub explain: bool,
    /// Change the study before it is checked: subjects.tomcat.with.heap=512m,
    /// load.closed.connections=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Run only this: a level (connector=nio), a load point (64c) or a claim (claim:NAME); may be repeated
    #[arg(long, value_name = "WHAT")]
    pub only: Vec<String>,
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// What carries the bytes: epoll, or io_uring where the kernel permits it; the study's without it
    #[arg(long, value_name = "DRIVER", value_enum)]
    pub driver: Option<DriverArg>,
    /// How the variants take turns: cycles (all run, slice by slice) or serial (one after the other); chosen by
    /// load and memory without it
    #[arg(long, value_name = "MODE", value_parser = ["cycles", "serial"])]
    pub mode: Option<String>,
    /// Directory in which runs/STUDY/ID/ is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Folder of subjects instead of the one beside the study or the built-in one
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
    /// Fetch nothing; what the cache lacks is listed
    #[arg(long)]
    pub offline: bool,
    /// Leave at once when another measuring run is under way, instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// The comparison with an earlier run.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `proofload report RUN`.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// A run directory, such as runs/STUDY/latest
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Threshold, such as 'p99 < 50ms' or 'errors == 0': unless it is supported, the exit code says so; may be
    /// repeated
    #[arg(long = "fail", value_name = "CLAIM")]
    pub fail: Vec<String>,
    /// The comparison with an earlier run.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// The output.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `proofload subjects`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SubjectsArgs {
    /// What to do; lists all subjects by default.
    #[command(subcommand)]
    pub action: Option<SubjectsAction>,
    /// Show this one with its parameters
    #[arg(value_name = "SUBJECT")]
    pub subject: Option<String>,
    /// Where they lie and how they are shown.
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// What `subjects` does.
#[derive(Debug, Clone, Subcommand)]
pub enum SubjectsAction {
    /// List all subjects
    List {
        /// Where they lie and how they are shown.
        #[command(flatten)]
        shown: ShownArgs,
    },
    /// Show one with its parameters
    Show {
        /// Its folder's name
        #[arg(value_name = "SUBJECT")]
        subject: String,
        /// Where they lie and how they are shown.
        #[command(flatten)]
        shown: ShownArgs,
    },
    /// Check folders: declaration, pins and sources; all mistakes at once
    Check(CheckArgs),
    /// Start one as a study would, say where it listens, and end it on Ctrl-C: for a look by hand or another client
    Start(StartArgs),
    /// Fetch files and pin them in a subject's lock; a folder that is not there is made
    Add {
        /// group:artifact:version, with :type and :classifier where there are, from Maven Central, or debian:PACKAGE
        #[arg(value_name = "COORDINATE")]
        coordinates: Vec<String>,
        /// The subject's folder
        #[arg(long, value_name = "SUBJECT")]
        to: String,
        /// Folder of subjects instead of the one nearby
        #[arg(long, value_name = "DIR")]
        catalogue: Option<PathBuf>,
    },
}

/// Where subjects lie and how they are shown.
#[derive(Debug, Clone, Args)]
pub struct ShownArgs {
    /// Folder of subjects instead of the one nearby or the built-in one
    #[arg(long, value_name = "DIR")]
    pub catalogue: Option<PathBuf>,
    /// text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub format: String,
}

/// `proofload init`.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// The file to write; the study is called like it
    #[arg(value_name = "FILE", default_value = "study.yaml")]
    pub file: PathBuf,
    /// What it starts
    #[arg(long, value_enum, default_value = "reference")]
    pub from: Template,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// Studies to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// Proofload's own reference server; runs anywhere
    Reference,
    /// Apache Tomcat from the catalogue
    Tomcat,
    /// Servers that a command of yours starts
    Command,
    /// Servers that already run
    Url,
}

/// `proofload doctor`.
#[derive(Debug, Clone, Args)]
#[command(mut_args(of_the_ceiling))]
pub struct DoctorArgs {
    /// End processes and remove files that a killed run left behind
    #[arg(long)]
    pub clean: bool,
    /// Measure what the generator reaches against a server that does nothing, and keep it for `proofload URL` of the
    /// same load
    #[arg(long)]
    pub ceiling: bool,
    /// The noise audit.
    #[command(flatten)]
    pub noise: NoiseArgs,
    /// Addresses of the load whose ceiling it is, for the scheme and the requests: nobody is connected to; plain HTTP
    /// without
    #[arg(value_name = "URL", requires = "ceiling")]
    pub urls: Vec<String>,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// All that describes a load describes that of the ceiling.
fn of_the_ceiling(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "clean" | "ceiling" | "help" | "version" => arg,
        own if parts::NOISE.contains(&own) => arg,
        _ => arg.requires("ceiling"),
    }
}

/// Formats of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Text,
    /// For programs; schema/result.schema.json
    Json,
    /// For pull requests
    Markdown,
    /// One self-contained page
    Html,
    /// JUnit's XML for continuous integration: a test case for each claim
    Junit,
    /// Figures and counts, one a line
    Csv,
    /// Answers in each second, and what was seen of the servers meanwhile, one sample a line
    CsvSeries,
    /// HdrHistogram's log: the response and service times of each slice
    Hlog,
}

/// What an undecided claim is in JUnit's XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UndecidedIs {
    /// Skipped: neither passed nor failed
    Skip,
    /// Failed
    Fail,
}

/// Where the result goes.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Format of the result on standard output
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Write the result to this file instead
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What an undecided claim is in --format junit
    #[arg(long, value_enum, default_value = "skip", value_name = "skip|fail")]
    pub undecided: UndecidedIs,
    /// Append the result as Markdown to the file that GITHUB_STEP_SUMMARY names
    #[arg(long)]
    pub github_summary: bool,
    /// No progress on standard error
    #[arg(short = 'q', long)]
    pub quiet: bool,
}
