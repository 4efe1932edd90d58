//! Preparation of the subjects of a study.

use proofload_facts::Mistake;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofload_store::schema::SubjectKind;

use proofload_host::jdk;
use proofload_study::{SubjectSpec, redact};

use super::SubjectError;
use super::cache::{Cache, digest_of};
use super::catalogue::Catalogue;
use super::prepared::{LaunchStep, Origin, Prepared, Program};
use super::resolve::{Resolved, Sharing, shared};

/// Grace of a `command:` subject between TERM and KILL.
const COMMAND_GRACE: Duration = Duration::from_secs(5);
/// Largest program whose digest is recorded.
const PROGRAM_BYTES_MAX: u64 = 512 << 20;

impl Prepared {
    /// Fetches, verifies and builds everything that a subject needs, unless the cache has it; `say` receives the steps
    /// that take long. `name` is how errors call it.
    ///
    /// # Errors
    /// Something is missing, wrong or not as pinned.
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
        let Sharing { folder, with, levels } = shared(name, specs, catalogue)?;
        Resolved::new(folder, with, &levels, catalogue, cache)?.prepare(name, cache, say)
    }

    /// The result of [`Prepared::prepare_shared`], as [`Prepared::resolve`].
    ///
    /// # Errors
    /// As [`Prepared::resolve`]; or the variants cannot share a process.
    pub fn resolve_shared(
        name: &str,
        specs: &[SubjectSpec],
        catalogue: &Catalogue,
        cache: &Cache,
    ) -> Result<Prepared, SubjectError> {
        let Sharing { folder, with, levels } = shared(name, specs, catalogue)?;
        Resolved::new(folder, with, &levels, catalogue, cache)?.into_prepared(name)
    }

    /// The result of [`Prepared::prepare`], without fetching, building or verifying: enough to explain a plan.
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
                let directory = directory.map_err(SubjectError::files(".", "name"))?;
                check_program(name, args, &directory)?;
                let step = LaunchStep {
                    name: String::new(),
                    args: args.clone(),
                    environment: env.clone(),
                    ready_paths: Vec::new(),
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
                    SubjectKind::Command,
                    redact::arguments(args).join(" "),
                    Origin::Program(program),
                );
                prepared.digests = args.first().map(|program| digest_program(program)).unwrap_or_default();
                Ok(prepared)
            }
            SubjectSpec::Url { address, authority } => {
                let origin = Origin::Url { address: address.clone(), authority: authority.clone() };
                Ok(Prepared::bare(
                    name,
                    SubjectKind::Url,
                    format!("{authority} ({address}), already running"),
                    origin,
                ))
            }
        }
    }
}

/// The digest of a program that is found as the system would find it; none for what cannot be read.
fn digest_program(program: &str) -> BTreeMap<String, String> {
    let path = if program.contains('/') { Some(PathBuf::from(program)) } else { jdk::on_path(program) };
    let digest = path.filter(|path| fs::metadata(path).is_ok_and(|found| found.len() <= PROGRAM_BYTES_MAX));
    let digest = digest.and_then(|path| digest_of(&path).ok());
    digest.map(|digest| BTreeMap::from([(program.to_string(), digest)])).unwrap_or_default()
}

/// Checks that a program that is named by its path is there. The others are looked up where they are started.
fn check_program(subject: &str, args: &[String], directory: &Path) -> Result<(), SubjectError> {
    let Some(program) = args.first().filter(|program| program.contains('/') && !program.contains('{')) else {
        return Ok(());
    };
    let found = fs::metadata(directory.join(program));
    match found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0) {
        true => Ok(()),
        false => {
            let mistake = Mistake::NoProgram { program: program.clone() };
            Err(SubjectError::Command { subject: subject.to_string(), mistake })
        }
    }
}

#[cfg(test)]
mod tests;
