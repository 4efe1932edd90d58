//! A subject that is ready to be started.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use proofload_engine::Addresses;
use proofload_store::schema::{SubjectKind, Variant};

use super::SubjectError;
use super::contract::Answer;
use super::pins::{Pinned, REFETCH};

/// A subject that is ready to be started, any number of times.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) kind: SubjectKind,
    pub(crate) description: String,
    pub(crate) digests: BTreeMap<String, String>,
    pub(crate) pinned: Vec<Pinned>,
    /// Answers that it declares.
    pub(crate) answers: Vec<Answer>,
}

#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Program(Program),
    Url { address: Addresses, authority: String },
}

/// The program to start, but for its ports and temporary directory.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// In the order of their starts; never empty.
    pub(crate) steps: Vec<LaunchStep>,
    /// Index of the process that is loaded.
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

#[derive(Clone, Debug)]
pub(crate) struct LaunchStep {
    /// Empty for the only one.
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    /// Path to request on each of its ports; where it is empty, or missing, a connection is enough.
    pub(crate) ready_paths: Vec<String>,
    pub(crate) ready_within: Duration,
}

impl Prepared {
    pub(crate) fn bare(name: &str, kind: SubjectKind, description: String, origin: Origin) -> Prepared {
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

    /// Enters the started program into a plan's variant: kind, description, command, digests. Of several processes the
    /// commands are one after the other, each behind its name in brackets.
    pub fn describe(&self, variant: &mut Variant) {
        variant.kind = self.kind.clone();
        variant.description.clone_from(&self.description);
        variant.command = match &self.origin {
            Origin::Program(program) => program.described(),
            Origin::Url { .. } => Vec::new(),
        };
        variant.digests.clone_from(&self.digests);
    }

    /// Checks that every file is still the pinned one; each is read once in the life of this process unless it is
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
        let arguments = self.steps.iter().flat_map(LaunchStep::described);
        arguments.map(|argument| argument.replace("{endpoints}", &endpoints)).collect()
    }
}

impl LaunchStep {
    /// Path that is requested by GET on the port of this number; `None` where a connection is enough.
    pub(crate) fn ready_path(&self, port: usize) -> Option<&str> {
        self.ready_paths.get(port).map(String::as_str).filter(|path| !path.is_empty())
    }

    fn described(&self) -> impl Iterator<Item = String> {
        let name = (!self.name.is_empty()).then(|| format!("[{}]", self.name));
        name.into_iter().chain(self.args.iter().cloned())
    }
}
