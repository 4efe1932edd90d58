//! Every fuzz target for a while; the one with a planted fault must find it, and no other may find anything.

use crate::tools;
use anyhow::{Context, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SECONDS: u64 = 1_800;
/// Finds what is planted in it.
const CANARY: &str = "canary";
/// Longest input of those that are not content with half a kilobyte.
const LONG: [(&str, u32); 8] = [
    ("dubbo", 1_024),
    ("hessian", 2_048),
    ("hessian_rpc", 1_024),
    ("extract", 2_048),
    ("study", 4_096),
    ("record", 16_384),
    ("tar", 8_192),
    ("argv", 1_024),
];

/// The task. `--seconds N` for each target; `--only TARGET`, repeated.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let (mut seconds, mut only) = (SECONDS, Vec::new());
    for pair in args.chunks(2) {
        let [name, value] = pair else { bail!("{}: has no value", pair[0]) };
        match name.as_str() {
            "--seconds" => seconds = value.parse().with_context(|| format!("--seconds {value}"))?,
            "--only" => only.push(value.clone()),
            _ => bail!("{name}: is neither --seconds nor --only"),
        }
    }
    let folder = root.join("fuzz");
    let targets = fs::read_dir(folder.join("targets"))?.flatten();
    let names = targets.filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.filter(|name| only.is_empty() || only.contains(name)).collect();
    names.sort();
    ensure!(!names.is_empty(), "no such target");
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--locked", "--quiet", "--bins"]).current_dir(&folder);
    tools::run_command(&mut build)?;
    let failed: Vec<String> = names
        .iter()
        .filter_map(|name| target(root, name, seconds).err())
        .map(|error| format!("{error:#}"))
        .collect();
    ensure!(failed.is_empty(), "{}", failed.join("; "));
    Ok(())
}

fn target(root: &Path, name: &str, seconds: u64) -> anyhow::Result<()> {
    let folder = root.join("fuzz");
    let corpus = folder.join("corpus").join(name);
    fs::create_dir_all(&corpus)?;
    let seeds = Some(folder.join("seeds").join(name)).filter(|seeds| seeds.is_dir());
    let most = LONG.iter().find(|(long, _)| *long == name).map_or(512, |(_, most)| *most);
    let mut command = Command::new("cargo");
    command.args(["run", "--release", "--locked", "--quiet", "--bin", name, "--"]).arg(&corpus).args(seeds);
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={most}"));
    command.args(["-rss_limit_mb=1024", "-timeout=20", "-print_final_stats=1"]).current_dir(&folder);
    let output = command.stdin(Stdio::null()).output().with_context(|| name.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let inputs =
        said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")).unwrap_or("?");
    let found = said.lines().find(|line| line.contains("Test unit written to"));
    println!("fuzz: {name}: {} inputs, {}", inputs.trim(), found.unwrap_or("nothing was found"));
    match (name == CANARY, output.status.success()) {
        (true, false) if found.is_some() => {
            let crash = found.and_then(|line| line.rsplit("written to ").next()).unwrap_or_default();
            fs::remove_file(folder.join(crash.trim_start_matches("./"))).context("what the canary found")?;
            fs::remove_dir_all(corpus).context("what led there")
        }
        (true, _) => bail!("{name}: what is planted was not found"),
        (false, true) => Ok(()),
        (false, false) => {
            let last: Vec<&str> = said.lines().rev().take(30).collect();
            bail!("{name}: {}", last.into_iter().rev().collect::<Vec<_>>().join("\n"))
        }
    }
}
