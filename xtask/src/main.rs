//! The one door for developers and for CI: `cargo xtask ci`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tasks start programs, time them and print"
)]

use anyhow::bail;
use std::path::Path;
use std::process::ExitCode;
use xtask::{ci, gates, kills, lines, reference, root, tests, tidy, tools, web};

const HELP: &str = "\
cargo xtask ci [STEP]          what must pass before a push: at most ten minutes; or one of its steps
cargo xtask full               the rest, before a release: --list, --only NAME; to docs/full/DATE.md
cargo xtask test [WORD]        the tests of ci alone, those whose title holds a word
cargo xtask repeat             the same again and again beside a busy loop: --times N, --busy SHARE
cargo xtask tidy               does no file of a crate use what uses it?
cargo xtask lines              production code of crates/, in lines: no comments, no blank lines, no tests
cargo xtask book [--check]     the documents as a site, to target/book/, or only: are all pages listed, do links hold?
cargo xtask reference [--check]  write docs/reference/*.md from the command line and the schema, or compare
cargo xtask man                the manual pages, to target/man/, read by mandoc
cargo xtask picture [TEXT]     draw a terminal's text as SVG, -o FILE; without one all of docs/pictures
cargo xtask web [--check]      build the script of the report from web/, or compare and open reports in Chromium
cargo xtask kills [--count N]  kill a live study at N random moments and let it go on; N is 100
cargo xtask lab NAME           real engines on this machine, as root: net shows networks; ssh, slurm and kubernetes run studies and
                               break them, link compares one with and without a network, all to docs/places-tested.md;
                               --binary FILE takes another executable, --only WORD some trials, link -- ARGS another length
cargo xtask gates              what an exchange costs: instructions, system calls, memory; fails above its bounds
cargo xtask readers            Parquet, JTL and hgrm files, read by DuckDB, pyarrow, JMeter and HdrHistogram
cargo xtask benches            run every program that measures Proofload itself, briefly, to see that it runs
cargo xtask explore            the properties on inputs they never had: --rounds N, --seed N; 10 rounds, a seed of now
cargo xtask hostile            peers that misbehave, and kills of every verb: --answers N, --kills N, --seed N
cargo xtask fuzz               every fuzz target: --seconds N for each, --only TARGET
cargo xtask scrape             figures of a run, dashboard and workflows, read by programs of others (go, python3)
cargo xtask deb                a Debian package of a release build, to target/debian/; --binary FILE takes another
cargo xtask image              a container image of a static build, to target/image/, without docker; --binary FILE takes another
cargo xtask subjects-all       every version and choice of every server once, to docs/subjects-tested.md
cargo xtask truth              every ground truth and mutation, to docs/truth.md; --only-tests, --check, --live
cargo xtask mutate [NAME]      break the method in one place after the other; a test must notice each";

/// Tasks that the gate does not need: programs of a workspace of their own.
const IN_LABS: [&str; 17] = [
    "full",
    "repeat",
    "book",
    "picture",
    "lab",
    "readers",
    "benches",
    "explore",
    "hostile",
    "hostile-peer",
    "fuzz",
    "scrape",
    "deb",
    "image",
    "subjects-all",
    "truth",
    "mutate",
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let done = match args.first().map(String::as_str) {
        Some("ci") => match rest {
            [] => ci::run(),
            [step] => ci::one(step),
            _ => unknown(),
        },
        Some("test") => ci::install_tools().and_then(|()| tests::run(&root(), rest)),
        Some("tidy") => tidy::run(&root()),
        Some("lines") => lines::run(&root()),
        Some("reference") => reference::run(&root(), rest),
        Some("man") => reference::man(&root()),
        Some("web") => web::run(&root(), rest),
        Some("kills") => kills::run(&root(), rest),
        Some("gates") => gates::run(&root()),
        Some(task) if IN_LABS.contains(&task) => labs(&root(), &args),
        Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        _ => unknown(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn labs(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let run = ["run", "--quiet", "--locked", "--manifest-path", "labs/Cargo.toml", "--"];
    tools::run_command(tools::cargo_command(root).args(run).args(args))
}

fn unknown() -> anyhow::Result<()> {
    bail!("no such task; these are:\n{HELP}")
}
