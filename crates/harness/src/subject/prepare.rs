//! From what a study asks for to a command that can be started: parameters, JDK, archives, classes, digests.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofload_store::schema;
use sha2::{Digest, Sha256};

use crate::host::jdk::{self, Jdk};
use crate::study::SubjectSpec;

use super::cache::{Cache, digest_of, hex};
use super::catalogue::template::{Filled, fill, placeholders};
use super::catalogue::{Catalogue, Declaration, check_value};
use super::pins::{Pin, Pinned, read_lock};
use super::{SubjectError, tools};

/// Grace of a `command:` subject between TERM and KILL.
const COMMAND_GRACE: Duration = Duration::from_secs(5);
/// Largest program whose digest is recorded.
const PROGRAM_BYTES_MAX: u64 = 512 << 20;
/// What a catalogue subject keeps of Proofload's environment: enough to find programs and temporary files.
/// Everything else could change what is measured unseen, `JAVA_TOOL_OPTIONS` above all.
const KEPT_VARIABLES: [&str; 4] = ["PATH", "HOME", "USER", "TZ"];

const REFETCH: &str = "remove the file; it is fetched or built again at the next run";

/// A subject that is ready to be started, any number of times.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    kind: &'static str,
    description: String,
    digests: BTreeMap<String, String>,
    pinned: Vec<Pinned>,
}

#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Program(Program),
    Url { address: SocketAddr, authority: String },
}

/// A command but for its port and temporary directory.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) args: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) clear_environment: bool,
    /// The subject's temporary directory when there is none.
    pub(crate) directory: Option<PathBuf>,
    /// Chosen at each start when there is none.
    pub(crate) port: Option<u16>,
    pub(crate) ready_path: Option<String>,
    pub(crate) ready_within: Duration,
    pub(crate) grace: Duration,
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
        let mut resolved = Resolved::new(folder, with, catalogue, cache)?;
        resolved.fill_cache(cache, say)?;
        let prepared = resolved.into_prepared(name)?;
        prepared.verify()?;
        Ok(prepared)
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
                Resolved::new(folder, with, catalogue, cache)?.into_prepared(name)
            }
            SubjectSpec::Command { args, port, env, directory, ready_within_ns } => {
                let directory = match directory {
                    Some(directory) => Ok(directory.clone()),
                    None => std::env::current_dir(),
                };
                let directory = directory.and_then(std::path::absolute);
                let directory =
                    directory.map_err(SubjectError::files(".", "the working directory cannot be named"))?;
                let program = Program {
                    args: args.clone(),
                    environment: env.clone(),
                    clear_environment: false,
                    port: *port,
                    ready_path: None,
                    ready_within: Duration::from_nanos(*ready_within_ns),
                    grace: COMMAND_GRACE,
                    directory: Some(directory),
                };
                let mut prepared = Prepared::bare(name, "command", args.join(" "), Origin::Program(program));
                prepared.digests = args.first().map(|program| digest_program(program)).unwrap_or_default();
                Ok(prepared)
            }
            SubjectSpec::Url { address, authority } => {
                let origin = Origin::Url { address: *address, authority: authority.clone() };
                Ok(Prepared::bare(name, "url", format!("{authority} ({address}), already running"), origin))
            }
        }
    }

    fn bare(name: &str, kind: &'static str, description: String, origin: Origin) -> Prepared {
        Prepared {
            name: name.to_string(),
            origin,
            kind,
            description,
            digests: BTreeMap::new(),
            pinned: Vec::new(),
        }
    }

    /// Enters what is started into a plan's variant: kind, description, command, digests.
    pub fn describe(&self, variant: &mut schema::Variant) {
        variant.kind = self.kind.to_string();
        variant.description.clone_from(&self.description);
        variant.command = match &self.origin {
            Origin::Program(program) => program.args.clone(),
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

/// The digest of a program that is found as the system would find it; none for what cannot be read.
fn digest_program(program: &str) -> BTreeMap<String, String> {
    let path = if program.contains('/') { Some(PathBuf::from(program)) } else { jdk::on_path(program) };
    let digest = path.filter(|path| fs::metadata(path).is_ok_and(|found| found.len() <= PROGRAM_BYTES_MAX));
    let digest = digest.and_then(|path| digest_of(&path).ok());
    digest.map(|digest| BTreeMap::from([(program.to_string(), digest)])).unwrap_or_default()
}

/// This executable. Its file may have been replaced by a newer build while it runs; then it has no path.
fn this_program() -> PathBuf {
    std::env::current_exe().ok().filter(|path| path.is_file()).unwrap_or_else(|| "/proc/self/exe".into())
}

/// A catalogue subject with its parameters filled in.
struct Resolved<'a> {
    folder: &'a str,
    path: PathBuf,
    declaration: &'a Declaration,
    values: BTreeMap<String, String>,
    jdk: Option<Jdk>,
    lock: PathBuf,
    pins: Vec<Pin>,
    sources: Vec<PathBuf>,
    digests: BTreeMap<String, String>,
    /// Digest of the build and where it lies.
    build: Option<(String, PathBuf)>,
    archives: Vec<PathBuf>,
}

impl<'a> Resolved<'a> {
    fn new(
        folder: &'a str,
        with: &BTreeMap<String, String>,
        catalogue: &'a Catalogue,
        cache: &Cache,
    ) -> Result<Self, SubjectError> {
        let (path, declaration) = catalogue.subject(folder)?;
        let values = values(folder, declaration, with)?;
        let lock = path.join("lock");
        let mut resolved = Resolved {
            folder,
            declaration,
            values,
            jdk: None,
            pins: Vec::new(),
            sources: declaration.javac.iter().map(|source| path.join(source)).collect(),
            digests: BTreeMap::new(),
            build: None,
            archives: Vec::new(),
            path,
            lock,
        };
        resolved.jdk = declaration.jdk.as_ref().map(|wanted| resolved.find_jdk(wanted)).transpose()?;
        resolved.pins = resolved.find_pins()?;
        resolved.archives = resolved.pins.iter().map(|pin| cache.file(&pin.sha256, &pin.file)).collect();
        resolved.digests = resolved.digest_parts()?;
        if !resolved.sources.is_empty() {
            let digest = resolved.build_digest();
            let target = cache.build(&digest);
            resolved.build = Some((digest, target));
        }
        Ok(resolved)
    }

    fn value(&self, name: &str) -> Option<String> {
        self.values.get(name).cloned()
    }

    fn find_jdk(&self, wanted: &str) -> Result<Jdk, SubjectError> {
        let wanted = fill(wanted, |name| self.value(name)).text;
        let all = jdk::find_all();
        let fits = |jdk: &&Jdk| jdk.has_compiler && jdk.major.to_string() == wanted;
        all.iter().rfind(fits).cloned().ok_or_else(|| SubjectError::NoJdk {
            subject: self.folder.to_string(),
            wanted: wanted.clone(),
            found: all.iter().map(ToString::to_string).collect(),
        })
    }

    fn find_pins(&self) -> Result<Vec<Pin>, SubjectError> {
        if self.declaration.maven.is_empty() {
            return Ok(Vec::new());
        }
        let pinned = read_lock(&self.lock)?;
        let wanted =
            self.declaration.maven.iter().map(|coordinate| fill(coordinate, |name| self.value(name)).text);
        wanted
            .map(|coordinate| {
                let pin = pinned.iter().find(|pin| pin.coordinate == coordinate).cloned();
                pin.ok_or_else(|| SubjectError::Parameter {
                    subject: self.folder.to_string(),
                    why: format!("{coordinate} is not pinned in {}; add its line there", self.lock.display()),
                })
            })
            .collect()
    }

    /// Name to SHA-256 of everything it is made of.
    fn digest_parts(&self) -> Result<BTreeMap<String, String>, SubjectError> {
        let mut digests: BTreeMap<String, String> =
            self.pins.iter().map(|pin| (pin.file.clone(), pin.sha256.clone())).collect();
        for part in self.declaration.javac.iter().map(PathBuf::as_path).chain([Path::new("subject.yaml")]) {
            let path = self.path.join(part);
            let digest = digest_of(&path).map_err(SubjectError::files(&path, "cannot be read"))?;
            digests.insert(format!("{}/{}", self.folder, part.display()), digest);
        }
        if self.uses("proofload") {
            let digest = digest_of(Path::new("/proc/self/exe"));
            digests.insert(
                "proofload".into(),
                digest.map_err(SubjectError::files("/proc/self/exe", "cannot be read"))?,
            );
        }
        Ok(digests)
    }

    fn uses(&self, placeholder: &str) -> bool {
        self.declaration.start.iter().flatten().any(|argument| placeholders(argument).contains(&placeholder))
    }

    /// Changes with whatever may change the classes.
    fn build_digest(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(b"javac 1\n");
        if let Some(jdk) = &self.jdk {
            hasher.update(format!("{} {} {}\n", jdk.version, jdk.vendor, jdk.home.display()));
        }
        for (name, digest) in self.digests.iter().filter(|(name, _)| !name.ends_with("/subject.yaml")) {
            hasher.update(format!("{digest} {name}\n"));
        }
        hex(&hasher.finalize())
    }

    fn class_path(&self) -> String {
        let classes = self.build.iter().map(|(_, target)| target);
        let parts: Vec<String> =
            classes.chain(&self.archives).map(|path| path.to_string_lossy().into_owned()).collect();
        parts.join(":")
    }

    /// Everything that can be known before the start; what is not stays a placeholder.
    fn lookup(&self, name: &str) -> Option<String> {
        match name {
            "proofload" => Some(this_program().to_string_lossy().into_owned()),
            "java" => self.jdk.as_ref().map(|jdk| jdk.home.join("bin/java").to_string_lossy().into_owned()),
            "class_path" => Some(self.class_path()),
            _ => match self.declaration.switches.get(name) {
                Some(argument) => {
                    let on = self.values.get(name).is_some_and(|value| value == "true");
                    Some(if on { argument.clone() } else { String::new() })
                }
                None => self.value(name),
            },
        }
    }

    fn fill_cache(&mut self, cache: &Cache, say: &dyn Fn(&str)) -> Result<(), SubjectError> {
        tools::fetch(&tools::Fetch { subject: self.folder, pins: &self.pins, lock: &self.lock }, cache, say)?;
        // Compiled against nothing but what is pinned.
        self.pinned_archives().iter().try_for_each(|archive| archive.verify(REFETCH))?;
        if let (Some((digest, _)), Some(jdk)) = (&self.build, &self.jdk) {
            let class_path: Vec<String> =
                self.archives.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            let wanted = tools::Build {
                subject: self.folder,
                digest,
                home: &jdk.home,
                sources: &self.sources,
                class_path: &class_path.join(":"),
            };
            tools::build(&wanted, cache, say)?;
        }
        Ok(())
    }

    fn pinned_archives(&self) -> Vec<Pinned> {
        let pairs = self.pins.iter().zip(&self.archives);
        let pinned = |(pin, path): (&Pin, &PathBuf)| Pinned {
            path: path.clone(),
            sha256: pin.sha256.clone(),
            lock: self.lock.clone(),
        };
        pairs.map(pinned).collect()
    }

    fn into_prepared(self, name: &str) -> Result<Prepared, SubjectError> {
        let mut pinned = self.pinned_archives();
        if let Some(digest) = self.digests.get("proofload") {
            // The server must be of the same build as the generator.
            pinned.push(Pinned {
                path: this_program(),
                sha256: digest.clone(),
                lock: "/proc/self/exe".into(),
            });
        }
        if let Some((_, target)) = self.build.as_ref().filter(|(_, target)| target.is_dir()) {
            pinned.extend(tools::built_files(target)?);
        }
        let mut environment: BTreeMap<String, String> = KEPT_VARIABLES
            .iter()
            .filter_map(|name| Some((name.to_string(), std::env::var(name).ok()?)))
            .collect();
        environment.insert("TMPDIR".into(), "{temp}".into());
        for (name, value) in &self.declaration.environment {
            environment.insert(name.clone(), fill(value, |name| self.lookup(name)).text);
        }
        let program = Program {
            args: self.arguments(),
            environment,
            clear_environment: true,
            directory: None,
            port: None,
            ready_path: self.declaration.ready_path.clone(),
            ready_within: self.declaration.ready_within,
            grace: self.declaration.grace,
        };
        let description = fill(&self.declaration.description, |name| self.lookup(name)).text;
        let description = match &self.jdk {
            Some(jdk) => format!("{description}, JDK {}", jdk.version),
            None => description,
        };
        let mut prepared = Prepared::bare(name, "catalogue", description, Origin::Program(program));
        prepared.digests = self.digests;
        prepared.pinned = pinned;
        Ok(prepared)
    }

    /// A group of arguments with an empty placeholder is left out: that is how an option is not given.
    fn arguments(&self) -> Vec<String> {
        let mut args = Vec::new();
        for group in &self.declaration.start {
            let filled: Vec<Filled> =
                group.iter().map(|argument| fill(argument, |name| self.lookup(name))).collect();
            if !filled.iter().any(|argument| argument.lacks) {
                args.extend(filled.into_iter().map(|argument| argument.text));
            }
        }
        args
    }
}

/// All parameters with their values: given, else default.
fn values(
    folder: &str,
    declaration: &Declaration,
    with: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, SubjectError> {
    let wrong = |why: String| SubjectError::Parameter { subject: folder.to_string(), why };
    let names: Vec<&str> = declaration.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    if let Some(unknown) = with.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(wrong(format!("no parameter `{unknown}`; there are: {}", names.join(", "))));
    }
    let mut values = BTreeMap::new();
    for parameter in &declaration.parameters {
        let given = with.get(&parameter.name).or(parameter.default.as_ref());
        let value = given
            .ok_or_else(|| wrong(format!("parameter {} must be given: {}", parameter.name, parameter.doc)))?;
        // An empty default stands for an option that is not given.
        let left_out = value.is_empty() && parameter.default.as_deref() == Some("");
        if !left_out {
            check_value(parameter, value)
                .map_err(|why| wrong(format!("parameter {}: {why}", parameter.name)))?;
        }
        values.insert(parameter.name.clone(), value.clone());
    }
    Ok(values)
}

#[cfg(test)]
mod tests;
