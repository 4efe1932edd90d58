//! A catalogue subject with its parameters filled in: JDK, archives, packages, classes, digests.

mod needs;
mod templates;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use proofload_host::jdk::{self, Jdk};
use proofload_store::schema::SubjectKind;
use proofload_study::{Parameter, ParameterKind};

use super::cache::{Cache, digest_of};
use super::catalogue::template::placeholders;
use super::catalogue::{Catalogue, Declaration, ProcessDeclaration};
use super::contract::Answer;
use super::pins::Pinned;
use super::prepared::{LaunchStep, Origin, Prepared, Program};
use super::sources::{self, Source};
use super::{SubjectError, flags, tools};
use needs::{Needs, Unpacked};
use templates::{Templates, class_path};

pub use templates::this_program;
pub(super) use values::{Sharing, shared};

const SOURCE_BYTES_MAX: u64 = 4 << 20;

/// Variables of Proofload's environment that a catalogue subject keeps: enough to find programs and temporary files.
/// Everything else could change the measurement unseen, `JAVA_TOOL_OPTIONS` above all.
const KEPT_VARIABLES: [&str; 4] = ["PATH", "HOME", "USER", "TZ"];

/// A catalogue subject with its parameters filled in.
pub(super) struct Resolved<'a> {
    folder: &'a str,
    path: PathBuf,
    templates: Templates<'a>,
    needs: Needs<'a>,
    sources: Vec<Source>,
    digests: BTreeMap<String, String>,
    build: Option<Build>,
    /// Files that must be unchanged at the start, except for those built or unpacked.
    pinned: Vec<Pinned>,
}

/// The classes that are compiled for it.
struct Build {
    digest: String,
    /// Directory in which they are, or will be.
    target: PathBuf,
    /// Archives that they are compiled against.
    archives: Vec<PathBuf>,
}

impl<'a> Resolved<'a> {
    /// `levels` are the values of the shared parameter, in the order of their variants; empty for a start of its
    /// own.
    ///
    /// # Errors
    /// Parameters that do not fit, a JDK that is not there, something that is not pinned.
    pub(super) fn new(
        folder: &'a str,
        with: &BTreeMap<String, String>,
        levels: &[String],
        catalogue: &'a Catalogue,
        cache: &Cache,
    ) -> Result<Self, SubjectError> {
        let (path, declaration) = catalogue.subject(folder)?;
        let values = values::values(folder, declaration, with, levels)?;
        let mut templates = Templates::new(declaration, values);
        templates.jdk =
            declaration.jdk.as_ref().map(|wanted| find_jdk(folder, &templates.text(wanted))).transpose()?;
        let needs = Needs::find(folder, path.join("lock"), &templates, cache)?;
        let pinned: Vec<Pinned> = needs.archives.iter().map(|pin| needs.pinned(pin, cache)).collect();
        let archives: Vec<PathBuf> = pinned.iter().map(|pinned| pinned.path.clone()).collect();
        templates.class_path.clone_from(&archives);
        templates.unpacked.clone_from(&needs.unpacked.root);
        templates.debian = needs.debian.made().cloned();
        let sources =
            sources::find(folder, &path, catalogue.root(), declaration, |text| templates.text(text))?;
        let digests = BTreeMap::new();
        let mut resolved = Resolved { folder, path, templates, needs, sources, digests, build: None, pinned };
        resolved.digests = resolved.digest_parts()?;
        if !resolved.sources.is_empty() {
            let digest = resolved.build_digest();
            let target = cache.build(&digest);
            resolved.templates.class_path.insert(0, target.clone());
            resolved.build = Some(Build { digest, target, archives });
        }
        Ok(resolved)
    }

    /// Fetches, verifies and builds everything that the cache lacks.
    ///
    /// # Errors
    /// Something cannot be fetched or built, or is not as pinned.
    pub(super) fn prepare(
        self,
        name: &str,
        cache: &Cache,
        say: &dyn Fn(&str),
    ) -> Result<Prepared, SubjectError> {
        self.needs.fetch(cache, say)?;
        self.compile(cache, say)?;
        self.check_flags(name)?;
        let prepared = self.into_prepared(name)?;
        prepared.verify()?;
        Ok(prepared)
    }

    fn declaration(&self) -> &'a Declaration {
        self.templates.declaration
    }

    fn compile(&self, cache: &Cache, say: &dyn Fn(&str)) -> Result<(), SubjectError> {
        let (Some(build), Some(jdk)) = (&self.build, &self.templates.jdk) else { return Ok(()) };
        let sources: Vec<PathBuf> = self.sources.iter().map(|source| source.path.clone()).collect();
        let wanted = tools::Build {
            subject: self.folder,
            digest: &build.digest,
            home: &jdk.home,
            sources: &sources,
            replace: &self.replacements(),
            class_path: &class_path(&build.archives),
        };
        tools::build(&wanted, cache, say)
    }

    /// Checks flags that the study gives with the JVM; those of the folder are its author's.
    fn check_flags(&self, name: &str) -> Result<(), SubjectError> {
        let declaration = self.declaration();
        let given = |parameter: &Parameter| {
            matches!(parameter.kind, ParameterKind::Words(_))
                && self.templates.values.text(&parameter.name).is_some_and(|value| !value.trim().is_empty())
        };
        let Some(jdk) = self.templates.jdk.as_ref().filter(|_| declaration.parameters.iter().any(given))
        else {
            return Ok(());
        };
        let java = self.templates.text("{java}");
        let commands = declaration.processes.iter().map(|process| self.templates.arguments(&process.start));
        let mut of_java = commands.filter(|args| args.first() == Some(&java));
        of_java.try_for_each(|args| flags::check(name, jdk, &args))
    }

    /// Name to SHA-256 of everything it is made of.
    fn digest_parts(&self) -> Result<BTreeMap<String, String>, SubjectError> {
        let mut digests: BTreeMap<String, String> =
            self.needs.pins().map(|pin| (pin.file.clone(), pin.sha256.clone())).collect();
        let own = self.declaration().files.values().map(PathBuf::as_path).chain([Path::new("subject.yaml")]);
        let own = own.map(|part| Source {
            name: format!("{}/{}", self.folder, part.display()),
            path: self.path.join(part),
        });
        for Source { name, path } in self.sources.iter().cloned().chain(own) {
            let digest = digest_of(&path).map_err(SubjectError::files(&path, "read"))?;
            digests.insert(name, digest);
        }
        if self.uses("proofload") {
            let digest = digest_of(Path::new("/proc/self/exe"));
            digests
                .insert("proofload".into(), digest.map_err(SubjectError::files("/proc/self/exe", "read"))?);
        }
        Ok(digests)
    }

    fn uses(&self, placeholder: &str) -> bool {
        let arguments =
            self.declaration().processes.iter().flat_map(|process| process.start.iter().flatten());
        arguments.into_iter().any(|argument| placeholders(argument).contains(&placeholder))
    }

    /// Replacements in the sources.
    fn replacements(&self) -> Vec<(String, String)> {
        let pairs = self.declaration().replace.iter();
        pairs.map(|(from, to)| (from.clone(), self.templates.text(to))).collect()
    }

    /// Changes with everything that may change the classes.
    fn build_digest(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(b"javac 2\n");
        if let Some(jdk) = &self.templates.jdk {
            hasher.update(format!("{} {} {}\n", jdk.version, jdk.vendor, jdk.home.display()));
        }
        for pin in &self.needs.archives {
            hasher.update(format!("{} {}\n", pin.sha256, pin.file));
        }
        for Source { name, .. } in &self.sources {
            hasher.update(format!("{} {name}\n", self.digests.get(name).map_or("", String::as_str)));
        }
        for (from, to) in self.replacements() {
            hasher.update(format!("{from:?} {to:?}\n"));
        }
        HEXLOWER.encode(&hasher.finalize())
    }

    /// Without fetching or building anything.
    ///
    /// # Errors
    /// A file of the folder cannot be read, or an answer that no contract has.
    pub(super) fn into_prepared(mut self, name: &str) -> Result<Prepared, SubjectError> {
        self.pin_what_is_made()?;
        let answers = self.answers()?;
        let (declaration, templates) = (self.declaration(), &self.templates);
        let files = declaration.files.iter().map(|(target, source)| {
            let source = self.path.join(source);
            let text = proofload_host::files::read_text(&source, SOURCE_BYTES_MAX)
                .map_err(SubjectError::files(&source, "read"))?;
            Ok((target.clone(), templates.text(&text)))
        });
        let memory_max = declaration.memory_max.as_ref().map(|size| templates.text(size));
        let program = Program {
            steps: declaration
                .processes
                .iter()
                .enumerate()
                .map(|(at, process)| self.step(at, process))
                .collect(),
            front: declaration.front,
            endpoints: templates.endpoints(),
            clear_environment: true,
            directory: None,
            port: None,
            files: files.collect::<Result<_, SubjectError>>()?,
            memory_max_bytes: memory_max.and_then(|size| proofload_study::memory_bytes(&size)),
            grace: declaration.grace,
        };
        let description = templates.text(&declaration.description);
        let description = match &templates.jdk {
            Some(jdk) => format!("{description}, JDK {}", jdk.version),
            None => description,
        };
        let origin = Origin::Program(program);
        let mut prepared = Prepared::bare(name, SubjectKind::Catalogue, description, origin);
        prepared.answers = answers;
        prepared.digests = self.digests;
        prepared.pinned = self.pinned;
        Ok(prepared)
    }

    fn answers(&self) -> Result<Vec<Answer>, SubjectError> {
        let known = |word: String| {
            Answer::parse(&word).ok_or_else(|| SubjectError::Parameter {
                subject: self.folder.to_string(),
                why: format!("answers: `{word}` is none of {}", Answer::words().join(", ")),
            })
        };
        self.templates.texts(&self.declaration().answers).into_iter().map(known).collect()
    }

    /// Adds this program, if it is the subject, and what was built or unpacked, if it was.
    fn pin_what_is_made(&mut self) -> Result<(), SubjectError> {
        if let Some(digest) = self.digests.get("proofload") {
            // The server must be of the same build as the generator.
            let (path, sha256) = (this_program(), digest.clone());
            self.pinned.push(Pinned { path, sha256, lock: "/proc/self/exe".into() });
        }
        let built = self.build.iter().map(|build| &build.target);
        let unpacked = [&self.needs.unpacked, &self.needs.debian].into_iter().filter_map(Unpacked::made);
        for target in built.chain(unpacked).filter(|target| target.is_dir()) {
            self.pinned.extend(tools::built_files(target)?);
        }
        Ok(())
    }

    /// The process `at` its place among those of the declaration.
    fn step(&self, at: usize, process: &ProcessDeclaration) -> LaunchStep {
        let mut environment: BTreeMap<String, String> = KEPT_VARIABLES
            .iter()
            .filter_map(|name| Some((name.to_string(), std::env::var(name).ok()?)))
            .collect();
        environment.insert("TMPDIR".into(), "{temp}".into());
        for (name, value) in &process.environment {
            let value = self.templates.fill(value);
            if !value.lacks {
                environment.insert(name.clone(), value.text);
            }
        }
        LaunchStep {
            name: process.name.clone(),
            args: self.templates.arguments(&process.start),
            environment,
            ready_paths: match &process.ready_path {
                Some(path) if at == self.declaration().front => self.templates.of_each_endpoint(path),
                Some(path) => vec![self.templates.text(path)],
                None => Vec::new(),
            },
            ready_within: process.ready_within,
        }
    }
}

/// The newest installed JDK of a major version.
fn find_jdk(folder: &str, wanted: &str) -> Result<Jdk, SubjectError> {
    let all = jdk::find_all();
    let fits = |jdk: &&Jdk| jdk.has_compiler && jdk.major.to_string() == wanted;
    all.iter().rfind(fits).cloned().ok_or_else(|| SubjectError::NoJdk {
        subject: folder.to_string(),
        wanted: wanted.to_string(),
        found: all.iter().map(ToString::to_string).collect(),
    })
}
