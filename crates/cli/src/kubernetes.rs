//! `proofload manifest` and `--on kubernetes`: a study in a cluster, by the user's own kubectl.

use crate::args::{KubernetesArgs, ManifestArgs, RunArgs};
use crate::carried;
use crate::checked::Checked;
use crate::cluster;
use crate::exit::{Exit, leave};
use crate::fleet::{refused, tolerated};
use crate::output;
use crate::place::{CATALOGUE, STUDY};
use crate::run::say;
use anyhow::Context as _;
use proofload_agents::Token;
use proofload_language::say;
use proofload_places::Carried;
use proofload_places::kubernetes::manifest::{Size, Study, Wanted, manifest};
use std::collections::BTreeMap;
use std::path::Path;

/// How long pods may take to be there, their images being fetched, seconds.
const WAIT_S: u64 = 600;
/// Letters and digits by which the names of a run's objects differ from those of another run.
const OWN_CHARACTERS: usize = 5;

/// `proofload manifest`.
pub fn print(args: &ManifestArgs) -> anyhow::Result<Exit> {
    let checked = Checked::of(&args.run)?;
    tolerated(&args.run.tolerance, args.run.agents)?;
    let study = study(&args.run, &checked)?;
    let wanted = Wanted { study: Some(study), ..wanted(&args.run, &args.run.places.kubernetes)? };
    output::print(&manifest(&wanted).map_err(|refused| leave(Exit::Usage, refused))?)?;
    Ok(Exit::Done)
}

/// `proofload run --on kubernetes`. Names of objects are new in each run: another run of the study may be in the cluster.
pub fn run(args: &RunArgs, checked: &Checked) -> anyhow::Result<Exit> {
    tolerated(&args.tolerance, Some(args.agents.unwrap_or(1)))?;
    let mut wanted = wanted(args, &args.places.kubernetes)?;
    let own = Token::fresh().map_err(refused)?;
    wanted.name = format!("{}-{}", wanted.name, own.own_name(OWN_CHARACTERS));
    let text = manifest(&wanted).map_err(|refused| leave(Exit::Usage, refused))?;
    cluster::run(args, checked, &wanted, text)
}

/// What the arguments want of a cluster, but for the study.
fn wanted(args: &RunArgs, of: &KubernetesArgs) -> anyhow::Result<Wanted> {
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
        study: None,
        token: Token::fresh().map_err(refused)?.line().trim().to_owned(),
        wait_s: WAIT_S,
        deadline_s: None,
    })
}

/// The study, as it is in the objects.
fn study(args: &RunArgs, checked: &Checked) -> anyhow::Result<Study> {
    let mut files = BTreeMap::new();
    for Carried { name, path, .. } in carried::of(args, checked)? {
        // The coordinator looks for a catalogue beside its study.
        let inside = match name.strip_prefix(STUDY) {
            Ok(inside) => inside.to_path_buf(),
            Err(_) => Path::new("subjects").join(name.strip_prefix(CATALOGUE).unwrap_or(&name)),
        };
        if path.is_file() {
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            files.insert(inside.to_string_lossy().into_owned(), bytes);
        }
    }
    let file = args.study.file_name().unwrap_or_default().to_string_lossy().into_owned();
    say(args.output.quiet, &say!("there-manifest-secrets", settings = args.set.len() as u64));
    Ok(Study { file, files, arguments: passed_on(args), settings: args.set.clone() })
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
        one("--tolerate-lost", args.tolerance.tolerate_lost.map(|lost| lost.to_string())),
        one(
            "--driver",
            args.driver.map(|driver| proofload_engine::DriverChoice::from(driver).name().to_owned()),
        ),
    ];
    let only = args.only.iter().map(|only| format!("--only={only}"));
    flags.chain(values.into_iter().flatten()).chain(only).collect()
}
