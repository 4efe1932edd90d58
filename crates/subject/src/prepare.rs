//! What a study asks for, ready to be started.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use proofload_engine::Address;
use proofload_store::schema;

use proofload_host::jdk;
use proofload_study::{SubjectSpec, redact};

use super::cache::{Cache, digest_of};
use super::catalogue::Catalogue;
use super::contract::Answer;
use super::pins::Pinned;
use super::resolve::{REFETCH, Resolved, Sharing};
use super::{SubjectError, resolve};

/// Grace of a `command:` subject between TERM and KILL.
const COMMAND_GRACE: Duration = Duration::from_secs(5);
/// Largest program whose digest is recorded.
const PROGRAM_BYTES_MAX: u64 = 512 << 20;

/// A subject that is ready to be started, any number of times.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) kind: &'static str,
    pub(crate) description: String,
    pub(crate) digests: BTreeMap<String, String>,
    pub(crate) pinned: Vec<Pinned>,
    /// What it says that it answers.
    pub(crate) answers: Vec<Answer>,
}

#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Program(Program),
    Url { address: Address, authority: String },
}

/// What is to be started, but for its ports and temporary directory.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// In the order of their starts; never empty.
    pub(crate) steps: Vec<Step>,
    /// Which of them is loaded.
    pub(crate) front: usize,
    /// Levels of the shared parameter, each with a port of its own; one empty name where nothing is shared.
    pub(crate) endpoints: Vec<String>,
    pub(crate) clear_environment: bool,
    /// The subject's temporary directory when there is none.
    pub(crate) directory: Option<PathBuf>,
    /// Chosen at each start when there is none.
    pub(crate) port: Option<u16>,
    /// Path below the temporary directory, and the text that is filled in there.
    pub(crate) files: Vec<(PathBuf, String)>,
    /// Most resident memory of each process with all below it; chosen by the machine when there is none.
    pub(crate) memory_max_bytes: Option<u64>,
    pub(crate) grace: Duration,
}

/// One process.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Empty for the only one.
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) ready_path: Option<String>,
    pub(crate) ready_within: Duration,
}

impl Prepared {
    /// Fetches, verifies and builds what a subject needs, unless the cache has it; `say` hears of what takes
    /// long. `name` is how errors call it.
    ///
    /// # Errors
    /// Something is missing, wrong or not what was pinned.
    pub fn prepare(
        name: &str,
        spec: &SubjectSpec,
        catalogue: &Catalogue,
        cache: &Cache,
        say: &dyn Fn(&str),
    ) -> Result<Prepared, SubjectError> {
        let SubjectSpec::Catalogue { folder, with } = spec else {
            return Prepared::resolve(name, spec, catalogue, cache);
        };
        Resolved::new(folder, with, &[], catalogue, cache)?.prepare(name, cache, say)
    }

    /// One start for several variants of a subject that differ in nothing but the parameter that the folder
    /// `shares`: each of them is an endpoint of [`super::Running`], in the order given.
    ///
    /// # Errors
    /// As [`Prepared::prepare`]; or the variants cannot share a process.
    pub fn prepare_shared(
        name: &str,
        specs: &[SubjectSpec],
        catalogue: &Catalogue,
        cache: &Cache,
        say: &dyn Fn(&str),
    ) -> Result<Prepared, SubjectError> {
        let Sharing { folder, with, levels } = resolve::shared(name, specs, catalogue)?;
        Resolved::new(folder, with, &levels, catalogue, cache)?.prepare(name, cache, say)
    }

    /// What [`Prepared::prepare_shared`] will make, as [`Prepared::resolve`].
    ///
    /// # Errors
    /// As [`Prepared::resolve`]; or the variants cannot share a process.
    pub fn resolve_shared(
        name: &str,
        specs: &[SubjectSpec],
        catalogue: &Catalogue,
        cache: &Cache,
    ) -> Result<Prepared, SubjectError> {
        let Sharing { folder, with, levels } = resolve::shared(name, specs, catalogue)?;
        Resolved::new(folder, with, &levels, catalogue, cache)?.into_prepared(name)
    }

    /// What [`Prepared::prepare`] will make, without fetching, building or verifying: enough to explain a
    /// plan.
    ///
    /// # Errors
    /// Parameters that do not fit, a JDK that is not there, a coordinate that is not pinned.
    pub fn resolve(
        name: &str,
        spec: &SubjectSpec,
        catalogue: &Catalogue,
        cache: &Cache,
    ) -> Result<Prepared, SubjectError> {
        match spec {
            SubjectSpec::Catalogue { folder, with } => {
                Resolved::new(folder, with, &[], catalogue, cache)?.into_prepared(name)
            }
            SubjectSpec::Command { args, port, env, directory, ready_within_ns, memory_max_bytes } => {
                let directory = match directory {
                    Some(directory) => Ok(directory.clone()),
                    None => std::env::current_dir(),
                };
                let directory = directory.and_then(std::path::absolute);
                let directory =
                    directory.map_err(SubjectError::files(".", "the working directory cannot be named"))?;
                let step = Step {
                    name: String::new(),
                    args: args.clone(),
                    environment: env.clone(),
                    ready_path: None,
                    ready_within: Duration::from_nanos(*ready_within_ns),
                };
                let program = Program {
                    steps: vec![step],
                    front: 0,
                    endpoints: vec![String::new()],
                    clear_environment: false,
                    port: *port,
                    files: Vec::new(),
                    memory_max_bytes: *memory_max_bytes,
                    grace: COMMAND_GRACE,
                    directory: Some(directory),
                };
                let mut prepared = Prepared::bare(
                    name,
                    "command",
                    redact::arguments(args).join(" "),
                    Origin::Program(program),
                );
                prepared.digests = args.first().map(|program| digest_program(program)).unwrap_or_default();
                Ok(prepared)
            }
            SubjectSpec::Url { address, authority } => {
                let origin = Origin::Url { address: address.clone(), authority: authority.clone() };
                Ok(Prepared::bare(name, "url", format!("{authority} ({address}), already running"), origin))
            }
        }
    }

    pub(crate) fn bare(name: &str, kind: &'static str, description: String, origin: Origin) -> Prepared {
        Prepared {
            name: name.to_string(),
            origin,
            kind,
            description,
            digests: BTreeMap::new(),
            pinned: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Enters what is started into a plan's variant: kind, description, command, digests. Of several processes
    /// the commands stand one after the other, each behind its name in brackets.
    pub fn describe(&self, variant: &mut schema::Variant) {
        variant.kind = self.kind.into();
        variant.description.clone_from(&self.description);
        variant.command = match &self.origin {
            Origin::Program(program) => program.described(),
            Origin::Url { .. } => Vec::new(),
        };
        variant.digests.clone_from(&self.digests);
    }

    /// Whether every file is still the pinned one; each is read once in the life of this process unless it is
    /// touched.
    ///
    /// # Errors
    /// The first file that is not.
    pub(crate) fn verify(&self) -> Result<(), SubjectError> {
        self.pinned.iter().try_for_each(|pinned| pinned.verify(REFETCH))
    }
}

impl Program {
    /// All commands, each endpoint with its level.
    fn described(&self) -> Vec<String> {
        let endpoints: Vec<String> = self.endpoints.iter().map(|level| format!("{level}:{{port}}")).collect();
        let endpoints = endpoints.join(",");
        let arguments = self.steps.iter().flat_map(Step::described);
        arguments.map(|argument| argument.replace("{endpoints}", &endpoints)).collect()
    }
}

impl Step {
    fn described(&self) -> impl Iterator<Item = String> {
        let name = (!self.name.is_empty()).then(|| format!("[{}]", self.name));
        name.into_iter().chain(self.args.iter().cloned())
    }
}

/// The digest of a program that is found as the system would find it; none for what cannot be read.
fn digest_program(program: &str) -> BTreeMap<String, String> {
    let path = if program.contains('/') { Some(PathBuf::from(program)) } else { jdk::on_path(program) };
    let digest = path.filter(|path| fs::metadata(path).is_ok_and(|found| found.len() <= PROGRAM_BYTES_MAX));
    let digest = digest.and_then(|path| digest_of(&path).ok());
    digest.map(|digest| BTreeMap::from([(program.to_string(), digest)])).unwrap_or_default()
}

#[cfg(test)]
mod tests;
