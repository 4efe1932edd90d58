//! The command line, unchecked: names, descriptions and types of the arguments.

mod agents;
mod asked;
mod capacity;
mod cpus;
mod examples;
mod export;
mod heading;
mod load;
mod open;
mod parts;
mod read;
mod records;
mod reference;
mod replicate;
mod schema;
mod subjects;
mod transport;
mod ui;

pub use agents::{
    AgentArgs, CoordinatorArgs, FleetArgs, KubernetesArgs, ManifestArgs, PlacesArgs, ToleranceArgs,
};
pub use asked::AskedArgs;
pub use capacity::CapacityArgs;
pub use cpus::CpuArgs;
pub use export::ExportArgs;
pub use load::{DriverArg, LoadArgs};
pub use open::OpenArgs;
pub use parts::{LengthsArg, NoiseArgs, TuneArgs};
#[cfg(test)]
pub use read::refusal;
pub use read::{built, command, examples_in, read, read_again};
pub use records::{
    BaselineArgs, CondenseArgs, DiffArgs, HistoryArgs, ListFormat, ReproductionsArgs, RerunArgs, ResumeArgs,
};
pub use reference::{ReferenceArgs, ReferenceTlsArgs};
pub use replicate::ReplicateArgs;
pub use schema::SchemaArgs;
pub use subjects::{CheckArgs, ShownArgs, StartArgs, SubjectsAction, SubjectsArgs};
pub use transport::TransportArgs;
pub use ui::UiArgs;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use proofload_language::Language;
use proofload_report::{FORMATS, Format};
use std::path::PathBuf;

/// Load-testing laboratory that ends in a verdict.
#[derive(Debug, Parser)]
#[command(
    name = "proofload",
    version,
    long_about = "Proofload starts real servers, loads them over their own protocols, repeats and interleaves the runs, \
                  and reports each claim as supported, refuted or undecided, with its confidence interval.\n\n\
                  A study runs the programs that it names: run only studies that you trust.",
    after_long_help = examples::of_all(),
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Verb; without one a URL is measured.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Measure one endpoint.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// Language of results and progress: en, or zh-CN (简体中文) [default: that of the locale]
    #[arg(long, global = true, value_enum, value_name = "LANG", hide_short_help = true)]
    pub lang: Option<LangArg>,
}

/// A language, as `--lang` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LangArg {
    /// English
    En,
    /// Chinese in simplified characters
    #[value(name = "zh-CN", alias = "zh-cn", alias = "zh", alias = "zh-Hans")]
    Zh,
}

impl Cli {
    /// The language that is asked for, or that of the locale.
    pub fn language(&self) -> Language {
        match self.lang {
            Some(LangArg::En) => Language::English,
            Some(LangArg::Zh) => Language::Chinese,
            None => Language::of_locale(|name| std::env::var(name).ok()),
        }
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Say which of two servers is faster: running ones, or commands
    #[command(after_help = examples::COMPARE)]
    Compare(Box<CompareArgs>),
    /// Search for the highest rate at which an objective holds
    #[command(after_help = examples::CAPACITY)]
    Capacity(Box<CapacityArgs>),
    /// Run a study: start its servers, load them, judge its claims
    #[command(after_help = examples::RUN)]
    Run(Box<RunArgs>),
    /// Run a study whose load comes from agents on other machines
    #[command(after_help = examples::COORDINATOR)]
    Coordinator(Box<CoordinatorArgs>),
    /// Print the Kubernetes objects that run a study with agents
    #[command(after_help = examples::MANIFEST)]
    Manifest(Box<ManifestArgs>),
    /// Carry out a share of the load of a coordinator
    #[command(after_help = examples::AGENT)]
    Agent(AgentArgs),
    /// Run a study several times, hours apart, and judge all of it together
    #[command(after_help = examples::REPLICATE)]
    Replicate(Box<ReplicateArgs>),
    /// Continue a run that was interrupted or killed
    #[command(after_help = examples::RESUME)]
    Resume(ResumeArgs),
    /// Run the study of a record again, with the same preset, seed and settings
    #[command(after_help = examples::RERUN)]
    Rerun(RerunArgs),
    /// List the runs, with their verdicts
    #[command(after_help = examples::HISTORY)]
    History(HistoryArgs),
    /// Show how two runs differ: plans, machines, figures, verdicts
    #[command(after_help = examples::DIFF)]
    Diff(DiffArgs),
    /// Show the runs in a browser: a list, reports, two side by side, a running study
    #[command(after_help = examples::UI)]
    Ui(UiArgs),
    /// Search a study's variants for the best one, and confirm it against the default
    #[command(after_help = examples::TUNE)]
    Tune(Box<TuneArgs>),
    /// Render a report from the record of a run, without running anything
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// Write a small copy of a record that yields the same verdicts
    #[command(after_help = examples::CONDENSE)]
    Condense(CondenseArgs),
    /// Write a Markdown page that compares published conclusions with records
    #[command(after_help = examples::REPRODUCTIONS)]
    Reproductions(ReproductionsArgs),
    /// List, check, start or add servers of the catalogue
    #[command(after_help = examples::SUBJECTS)]
    Subjects(SubjectsArgs),
    /// Run the reference server, whose behaviour is known exactly
    #[command(after_help = examples::REFERENCE)]
    ReferenceServer(Box<ReferenceArgs>),
    /// Write a first study
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    /// Check whether this machine is fit to measure
    #[command(after_help = examples::DOCTOR)]
    Doctor(Box<DoctorArgs>),
    /// Print the JSON schema of study files, for editors, or that of an output
    #[command(after_help = examples::SCHEMA)]
    Schema(SchemaArgs),
    /// Print shell completions
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, one for each verb
    #[command(after_help = examples::MAN)]
    Man {
        /// Folder to write them to; made if it is not there
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
}

/// `proofload URL`.
#[derive(Debug, Clone, Args)]
pub struct MeasureArgs {
    /// Address to measure: localhost:8080/path, http://... or https://...; several are mixed, and
    /// 3*URL is requested three times as often
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Length of the measurement (10s, 2m) [default: 10s]
    #[arg(short = 'd', long, value_name = "TIME", conflicts_with = "requests", help_heading = heading::LOAD)]
    pub duration: Option<String>,
    /// Number of requests to send, instead of a duration
    #[arg(short = 'n', long, value_name = "N", help_heading = heading::LOAD)]
    pub requests: Option<u64>,
    /// Send one request to the first URL; show request and answer in full
    #[arg(long, conflicts_with_all = ["duration", "requests"], help_heading = heading::MEASUREMENT)]
    pub debug: bool,
    /// Load the server for this long before the measurement (0s, 5s)
    #[arg(long, value_name = "TIME", default_value = "0s", help_heading = heading::LOAD, hide_short_help = true)]
    pub warm_up: String,
    /// A load that changes: 'ramp 0..2k/s 10s', 'hold 2k/s 30s', 'ladder 100..1k/s 10x30s',
    /// 'spike 100..1k/s 5s@10s 30s' (for 5s, after 10s, 30s in all), 'sine 1k/s+-500/s 1m 10m'. Values with /s are rates,
    /// values without are connections; may be repeated, for one stage after the other
    #[arg(long = "stage", value_name = "STAGE", conflicts_with_all = ["duration", "requests", "rate", "users"], help_heading = heading::LOAD, hide_short_help = true)]
    pub stages: Vec<String>,
    /// Replay recorded arrivals: a file with one time in seconds per line; -d replays only the beginning
    #[arg(long, value_name = "FILE", conflicts_with_all = ["requests", "rate", "users", "stages", "poisson", "think"], help_heading = heading::LOAD, hide_short_help = true)]
    pub trace: Option<PathBuf>,
    /// Replay speed of the trace (2x, 0.5x)
    #[arg(long, value_name = "SPEED", default_value = "1x", requires = "trace", help_heading = heading::LOAD, hide_short_help = true)]
    pub speed: String,
    /// Number of times to replay the trace
    #[arg(long, value_name = "N", default_value_t = 1, requires = "trace", help_heading = heading::LOAD, hide_short_help = true)]
    pub repeat: u32,
    /// Number of virtual users; each sends --loops requests on its own connection
    #[arg(long, value_name = "N", conflicts_with_all = ["duration", "requests", "rate", "connections"], requires = "loops", help_heading = heading::LOAD, hide_short_help = true)]
    pub users: Option<u32>,
    /// Time over which the users start [default: all at once]
    #[arg(long, value_name = "TIME", requires = "users", help_heading = heading::LOAD, hide_short_help = true)]
    pub ramp: Option<String>,
    /// Requests per user
    #[arg(long, value_name = "N", requires = "users", help_heading = heading::LOAD, hide_short_help = true)]
    pub loops: Option<u32>,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub no_wait: bool,
    #[command(flatten, next_help_heading = heading::MEASUREMENT)]
    pub asked: AskedArgs,
    /// Agents that carry it out.
    #[command(flatten)]
    pub fleet: FleetArgs,
    /// Do not compare the rate with the generator's own maximum (see `proofload doctor --ceiling`)
    #[arg(long, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub no_ceiling: bool,
    /// Exit with 10 or 11 unless this holds: 'p99 < 50ms', 'errors == 0'; may be repeated
    #[arg(long = "fail", value_name = "CLAIM", help_heading = heading::MEASUREMENT)]
    pub fail: Vec<String>,
    /// Directory for the record, runs/url/ID/
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = heading::OUTPUT, hide_short_help = true)]
    pub dir: PathBuf,
    /// Keep no record
    #[arg(long, help_heading = heading::OUTPUT, hide_short_help = true)]
    pub no_record: bool,
    /// Export of figures while it runs.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub export: ExportArgs,
    /// The output.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub output: OutputArgs,
}

/// `proofload compare A B`.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// URLs of running servers, or commands with {port} in them, which are restarted
    #[arg(value_name = "URL|COMMAND", required = true, num_args = 2..)]
    pub servers: Vec<String>,
    /// Path that servers started by commands are asked for
    #[arg(long, value_name = "PATH", default_value = "/", hide_short_help = true)]
    pub path: String,
    /// Claim to test instead of which is faster, written as in a study; may be repeated
    #[arg(long = "claim", value_name = "CLAIM")]
    pub claims: Vec<String>,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub no_wait: bool,
    #[command(flatten)]
    pub asked: AskedArgs,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Agents that carry it out.
    #[command(flatten)]
    pub fleet: FleetArgs,
    /// Time that it takes.
    #[command(flatten, next_help_heading = heading::TIME)]
    pub preset: PresetArgs,
    /// Directory for runs/STUDY/ID/
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = heading::OUTPUT, hide_short_help = true)]
    pub dir: PathBuf,
    /// Export of figures while it runs.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub export: ExportArgs,
    /// The output.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub output: OutputArgs,
}

/// Time that a study takes.
#[derive(Debug, Clone, Default, Args)]
pub struct PresetArgs {
    /// One block: checks answers and clean stop, prints figures; no verdicts
    #[arg(long, conflicts_with_all = ["quick", "thorough"])]
    pub smoke: bool,
    /// At most 8 minutes; verdicts about freshly started servers
    #[arg(long, conflicts_with = "thorough")]
    pub quick: bool,
    /// More blocks than the default
    #[arg(long)]
    pub thorough: bool,
    /// Time allowed for the whole study (8m, 2h)
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Judge after every block until every claim is settled; at most 200 blocks, and one day unless --budget is set
    #[arg(long, conflicts_with = "smoke", hide_short_help = true)]
    pub keep_going: bool,
    /// Before each block, wait until other programs leave the CPUs alone: at most so long in all [default: 5m]
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "5m", hide_short_help = true)]
    pub wait_for_quiet: Option<String>,
    /// Do not measure the generator's own maximum rate; recorded in the result
    #[arg(long, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub no_ceiling: bool,
    /// Fixed lengths instead of chosen ones: slice=1s,discard=100ms,cycles=6,warm-up=30s
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    pub timing: Option<String>,
}

/// `proofload run STUDY`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Print the checked plan, every command and the estimated time; start nothing
    #[arg(long)]
    pub explain: bool,
    /// Let one user of the first variant go on each journey, with pauses of 100ms at most; show every request and answer
    /// in full, values captured, outcomes. Without journeys each request of the workload once
    #[arg(long, conflicts_with_all = ["explain", "driver", "agents"], help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub debug: bool,
    /// Change the study before it is checked: subjects.tomcat.with.heap=512m,
    /// load.closed.connections=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Run only this level (connector=nio), load point (64c) or claim (claim:NAME); may be repeated
    #[arg(long, value_name = "WHAT")]
    pub only: Vec<String>,
    #[command(flatten)]
    pub cpus: CpuArgs,
    /// Random seed
    #[arg(long, value_name = "N", help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub seed: Option<u64>,
    /// Kernel interface: epoll, or io_uring where the kernel permits it [default: the study's]
    #[arg(long, value_name = "DRIVER", value_enum, help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub driver: Option<DriverArg>,
    /// Number of processes that carry the load out together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub agents: Option<u32>,
    /// Agents that may be lost.
    #[command(flatten)]
    pub tolerance: ToleranceArgs,
    /// cycles: all variants run at the same time and are loaded in turn, slice by slice; serial: they run one after the
    /// other [default: depends on load and memory]
    #[arg(long, value_name = "MODE", value_parser = ["cycles", "serial"], help_heading = heading::MEASUREMENT, hide_short_help = true)]
    pub mode: Option<String>,
    /// Directory for runs/STUDY/ID/
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Catalogue folder [default: the one near the study, or the built-in one]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub catalogue: Option<PathBuf>,
    /// Fetch nothing; list what the cache lacks
    #[arg(long, hide_short_help = true)]
    pub offline: bool,
    /// Exit at once if another run is measuring, instead of waiting
    #[arg(long, hide_short_help = true)]
    pub no_wait: bool,
    /// Machines that it runs on.
    #[command(flatten, next_help_heading = heading::PLACES)]
    pub places: PlacesArgs,
    /// Time that it takes.
    #[command(flatten, next_help_heading = heading::TIME)]
    pub preset: PresetArgs,
    /// The comparison with an earlier run.
    #[command(flatten, next_help_heading = heading::BASELINE)]
    pub baseline: BaselineArgs,
    /// Export of figures while it runs.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub export: ExportArgs,
    /// The output.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub output: OutputArgs,
}

/// `proofload report RUN`.
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// A run directory, such as runs/STUDY/latest
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Exit with 10 or 11 unless this holds: 'p99 < 50ms', 'errors == 0'; may be repeated
    #[arg(long = "fail", value_name = "CLAIM")]
    pub fail: Vec<String>,
    /// The comparison with an earlier run.
    #[command(flatten, next_help_heading = heading::BASELINE)]
    pub baseline: BaselineArgs,
    /// The output.
    #[command(flatten, next_help_heading = heading::OUTPUT)]
    pub output: OutputArgs,
}

/// `proofload init`.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// File to write; also names the study
    #[arg(value_name = "FILE", default_value = "study.yaml")]
    pub file: PathBuf,
    /// Server that the study starts
    #[arg(long, value_enum, default_value = "reference")]
    pub from: Template,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

/// First studies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// Proofload's own reference server; runs anywhere
    Reference,
    /// Apache Tomcat from the catalogue
    Tomcat,
    /// Servers started by your own command
    Command,
    /// Servers that are already running
    Url,
}

/// `proofload doctor`.
#[derive(Debug, Clone, Args)]
#[command(mut_args(of_the_ceiling))]
pub struct DoctorArgs {
    /// Stop processes and remove files left behind by a killed run
    #[arg(long)]
    pub clean: bool,
    /// Measure the maximum generator rate for this load and cache it for `proofload URL`
    #[arg(long)]
    pub ceiling: bool,
    /// The noise audit.
    #[command(flatten)]
    pub noise: NoiseArgs,
    /// With --ceiling: URLs that define scheme and requests; they are not contacted [default: plain HTTP]
    #[arg(value_name = "URL", requires = "ceiling")]
    pub urls: Vec<String>,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// Lets the options of a load be given with `--ceiling` only.
fn of_the_ceiling(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "clean" | "ceiling" | "help" | "version" => arg,
        own if parts::NOISE.contains(&own) => arg,
        _ => arg.requires("ceiling"),
    }
}

/// The formats of a result, by name.
fn format() -> impl TypedValueParser<Value = &'static Format> {
    let value = |format: &Format| PossibleValue::new(format.name).help(format.help);
    PossibleValuesParser::new(FORMATS.iter().map(value)).try_map(|name| Format::named(&name).ok_or(name))
}

fn help_of_output() -> String {
    let endings: Vec<String> = FORMATS
        .iter()
        .filter_map(|format| format.endings.first())
        .map(|ending| format!(".{ending}"))
        .collect();
    format!(
        "Write the result to this file; without --format its ending chooses the format ({}, else text); may be repeated",
        endings.join(" ")
    )
}

/// Rendering of an undecided claim in JUnit XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UndecidedIs {
    /// As skipped: neither passed nor failed
    Skip,
    /// As failed
    Fail,
}

/// Destinations and format of the result.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Format of standard output, or of every --output [default: text]
    #[arg(long, value_parser = format())]
    pub format: Option<&'static Format>,
    #[arg(short = 'o', long, value_name = "FILE", help = help_of_output())]
    pub output: Vec<PathBuf>,
    /// Rendering of an undecided claim by --format junit
    #[arg(long, value_enum, default_value = "skip", value_name = "skip|fail", hide_short_help = true)]
    pub undecided: UndecidedIs,
    /// Also append the result as Markdown to the file named by GITHUB_STEP_SUMMARY
    #[arg(long, hide_short_help = true)]
    pub github_summary: bool,
    /// Show everything: all checks, all limits, all figures
    #[arg(short = 'v', long)]
    pub verbose: bool,
    /// No progress on standard error
    #[arg(short = 'q', long)]
    pub quiet: bool,
}
