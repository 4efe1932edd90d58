//! `proofload manifest` and `--on kubernetes`: a study in a cluster, by the user's own kubectl.

use crate::args::{KubernetesArgs, ManifestArgs, RunArgs};
use crate::checked::Checked;
use crate::exit::{Exit, leave};
use crate::fleet::refused;
use crate::place::folder_of;
use crate::run::say;
use crate::there::{Heard, bring_home, hear};
use crate::{output, place};
use anyhow::Context as _;
use proofload_agents::Token;
use proofload_host::signals;
use proofload_places::Launched;
use proofload_places::kubernetes::events::{Kind, coordinator_runs, troubles};
use proofload_places::kubernetes::manifest::{Size, Wanted, manifest};
use proofload_places::kubernetes::{kubectl, read_by};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// How long pods may take to be there, their images being fetched, seconds.
const WAIT_S: u64 = 600;
/// The executable in the image.
const PROGRAM: &str = "/usr/bin/proofload";
/// How long the coordinator stays for whoever fetches its record.
const HOLD: &str = "10m";
const LOOK: Duration = Duration::from_secs(2);

/// The verb.
pub fn print(args: &ManifestArgs) -> anyhow::Result<Exit> {
    Checked::of(&args.run)?;
    let wanted = wanted(&args.run, &args.run.places.kubernetes, None)?;
    output::print(&manifest(&wanted).map_err(|refused| leave(Exit::Usage, refused))?)?;
    Ok(Exit::Done)
}

/// What the arguments want of a cluster.
fn wanted(args: &RunArgs, of: &KubernetesArgs, hold: Option<&str>) -> anyhow::Result<Wanted> {
    let folder = folder_of(&args.study);
    let files = proofload_places::files(&folder).map_err(|error| leave(Exit::Usage, error))?;
    let mut arguments = passed_on(args);
    arguments.extend(hold.map(|hold| ["--hold".to_owned(), hold.to_owned()]).into_iter().flatten());
    let study = args.study.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let image = of.image.clone().ok_or_else(|| {
        leave(
            Exit::Usage,
            "--image: name an image that has proofload and what the servers need; see docs/container.md",
        )
    })?;
    Ok(Wanted {
        name: of.name.clone().unwrap_or_else(|| name_of(&args.study)),
        namespace: of.namespace.clone().unwrap_or_else(|| "default".to_owned()),
        image,
        agents: args.agents.unwrap_or(1),
        agent: size(&of.agent_size, "--agent-size")?,
        coordinator: size(&of.subjects_size, "--subjects-size")?,
        study,
        files: files_of(&folder, files)?,
        arguments,
        token: Token::fresh().map_err(refused)?.line().trim().to_owned(),
        wait_s: WAIT_S,
        deadline_s: None,
    })
}

fn files_of(folder: &Path, paths: Vec<std::path::PathBuf>) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let read = |path: std::path::PathBuf| {
        let inside = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        Ok((inside, bytes))
    };
    paths.into_iter().map(read).collect()
}

/// `2,1Gi`: CPUs and memory.
fn size(text: &str, option: &str) -> anyhow::Result<Size> {
    let (cpu, memory) = text.split_once(',').ok_or_else(|| {
        leave(Exit::Usage, format!("{option} {text}: write CPUs and memory, such as 2,1Gi"))
    })?;
    Ok(Size { cpu: cpu.to_owned(), memory: memory.to_owned() })
}

/// A name for objects, from that of the study's file.
fn name_of(study: &Path) -> String {
    let stem = study.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = format!("proofload-{stem}").chars().map(fits).take(40).collect();
    name.trim_end_matches('-').to_owned()
}

/// The arguments that go along: how the study is read, and how long it takes.
fn passed_on(args: &RunArgs) -> Vec<String> {
    let preset = &args.preset;
    let flags = [
        ("--smoke", preset.smoke),
        ("--quick", preset.quick),
        ("--thorough", preset.thorough),
        ("--keep-going", preset.keep_going),
        ("--no-ceiling", preset.no_ceiling),
        ("--offline", args.offline),
    ];
    let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
    let one = |name: &str, value: Option<String>| value.map(|value| format!("{name}={value}"));
    let values = [
        one("--budget", preset.budget.clone()),
        one("--timing", preset.timing.clone()),
        one("--seed", args.seed.map(|seed| seed.to_string())),
        one("--mode", args.mode.clone()),
        one(
            "--driver",
            args.driver.map(|driver| proofload_engine::DriverChoice::from(driver).name().to_owned()),
        ),
    ];
    let many = |name: &'static str, values: &[String]| -> Vec<String> {
        values.iter().map(|value| format!("{name}={value}")).collect()
    };
    let lists = [many("--set", &args.set), many("--only", &args.only)].concat();
    flags.chain(values.into_iter().flatten()).chain(lists).collect()
}

/// Objects in a cluster; they are deleted when this value goes.
struct Objects<'a> {
    of: &'a Wanted,
    text: String,
}

impl Objects<'_> {
    fn make(&self) -> anyhow::Result<()> {
        let made = kubectl(&["create", "-f", "-"], Some(&self.text));
        made.map(drop).map_err(|error| leave(Exit::FailedStart, error))
    }

    fn pods(&self) -> anyhow::Result<String> {
        let instance = format!("app.kubernetes.io/instance={}", self.of.name);
        self.get(&["pods", "-l", &instance])
    }

    fn get(&self, what: &[&str]) -> anyhow::Result<String> {
        let words = [&["get", "-n", &self.of.namespace, "-o", "json"], what].concat();
        kubectl(&words, None).map_err(|error| leave(Exit::Failure, error))
    }

    /// Where the coordinator is.
    fn job(&self) -> String {
        format!("job/{}-coordinator", self.of.name)
    }

    /// A kubectl that follows the coordinator's log, and the lines that it prints.
    fn log(&self) -> anyhow::Result<(Launched, Receiver<String>)> {
        let words = ["logs", "-f", "-n", &self.of.namespace, &self.job()];
        let mut command = read_by(&words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut log = Launched::start("kubectl logs".to_owned(), command)?;
        let (tell, heard) = mpsc::channel();
        let output = log.child.stdout.take().context("kubectl has no output")?;
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Ok((log, heard))
    }

    /// A kubectl that speaks to the coordinator, which holds its record.
    fn held(&self, words: &[&str]) -> Command {
        let job = self.job();
        let exec = ["exec", "-n", &self.of.namespace, &job, "--", PROGRAM, place::RECORD_ARGUMENT, "/runs"];
        let mut command = read_by(&[&exec, words].concat());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }

    /// The record, from there.
    fn fetch(&self) -> anyhow::Result<Heard> {
        let mut exec = Launched::start("kubectl exec".to_owned(), self.held(&[]))?;
        let heard = hear(exec.child.stdout.take().context("kubectl has no output")?);
        loop {
            match heard.recv().context("kubectl exec ended without the record")? {
                Heard::Alive => {}
                heard => return Ok(heard),
            }
        }
    }

    /// Lets the coordinator go.
    fn has_kept(&self) {
        // What it does not hear it learns when its objects are deleted.
        let _ = Launched::start("kubectl exec".to_owned(), self.held(&["kept"]));
    }
}

impl Drop for Objects<'_> {
    fn drop(&mut self) {
        if let Err(error) =
            kubectl(&["delete", "--wait=false", "--ignore-not-found", "-f", "-"], Some(&self.text))
        {
            let _ =
                writeln!(std::io::stderr(), "the objects of {} may still be there: {error}", self.of.name);
        }
    }
}

/// Runs a study there, and brings its record home.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let wanted = wanted(args, &args.places.kubernetes, Some(HOLD))?;
    let text = manifest(&wanted).map_err(|refused| leave(Exit::Usage, refused))?;
    let stop = signals::install()?;
    let objects = Objects { of: &wanted, text };
    objects.make()?;
    let (mut log, mut told, quiet) = (None, Vec::new(), args.output.quiet);
    loop {
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(Exit::Interrupted);
        }
        let pods = objects.pods()?;
        // Events have no labels; those of other objects are told apart by name.
        watch(&pods, &objects.get(&["events"])?, &mut told, quiet)?;
        if log.is_none() && coordinator_runs(&pods) {
            log = Some(objects.log()?);
        }
        let lines: Vec<String> = log.iter().flat_map(|(_, lines)| lines.try_iter()).collect();
        let is_held = lines.iter().any(|line| line == place::HELD);
        lines.iter().filter(|line| *line != place::HELD).for_each(|line| say(quiet, line));
        if is_held {
            return match objects.fetch()? {
                Heard::Ended(ended) => bring_home(args, ended, &mut || objects.has_kept()),
                Heard::Lost(why) => Err(leave(Exit::Failure, format!("the record cannot be fetched: {why}"))),
                Heard::Listening { .. } | Heard::Alive => anyhow::bail!("the coordinator speaks otherwise"),
            };
        }
        std::thread::sleep(LOOK);
    }
}

/// Says what the cluster knows and this command does not, each once; an error when nothing will come of it any more.
fn watch(pods: &str, events: &str, told: &mut Vec<String>, quiet: bool) -> anyhow::Result<()> {
    let found = troubles(pods, events).context("kubectl says something else than JSON of pods and events")?;
    for trouble in found {
        let line = trouble.to_string();
        let is_last = match trouble.kind {
            Kind::CannotStart | Kind::TakenAway => true,
            // The coordinator says itself how it ended, and an agent that is lost is its matter.
            Kind::Exit(code) => trouble.index.is_none() && !(10..=13).contains(&code),
            Kind::Waits => false,
        };
        if !told.contains(&line) {
            say(quiet, &line);
            told.push(line.clone());
        }
        if is_last {
            let exit = if trouble.kind == Kind::TakenAway { Exit::Invalid } else { Exit::FailedStart };
            return Err(leave(exit, line));
        }
    }
    Ok(())
}
