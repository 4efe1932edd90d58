//! A catalogue subject with its parameters filled in: JDK, archives, packages, classes, digests.

use data_encoding::HEXLOWER;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use proofload_host::jdk::{self, Jdk};
use proofload_study::{Parameter, ParameterKind, SubjectSpec, duration};

use super::cache::{Cache, digest_of};
use super::catalogue::rules::Values;
use super::catalogue::template::{ENDPOINT_PORT, Filled, MILLISECONDS, fill, placeholders};
use super::catalogue::{Catalogue, Declaration, ProcessDeclaration, check_value, memory_bytes};
use super::contract::Answer;
use super::pins::{Pin, Pinned, read_lock};
use super::prepare::{Origin, Prepared, Program, Step};
use super::sources::{self, Source};
use super::{SubjectError, debian, flags, tools};

/// What a catalogue subject keeps of Proofload's environment: enough to find programs and temporary files.
/// Everything else could change what is measured unseen, `JAVA_TOOL_OPTIONS` above all.
const KEPT_VARIABLES: [&str; 4] = ["PATH", "HOME", "USER", "TZ"];

pub(super) const REFETCH: &str = "remove the file; it is fetched or built again at the next run";

/// This executable. Its file may have been replaced by a newer build while it runs; then it has no path.
pub fn this_program() -> PathBuf {
    std::env::current_exe().ok().filter(|path| path.is_file()).unwrap_or_else(|| "/proc/self/exe".into())
}

/// Files of a lock that stand in one directory of the cache.
#[derive(Debug, Default)]
struct Unpacked {
    pins: Vec<Pin>,
    /// Where they are unpacked; empty when there are none.
    root: PathBuf,
}

/// A catalogue subject with its parameters filled in.
pub(super) struct Resolved<'a> {
    folder: &'a str,
    path: PathBuf,
    declaration: &'a Declaration,
    values: Values,
    jdk: Option<Jdk>,
    lock: PathBuf,
    /// On the class path.
    pins: Vec<Pin>,
    archives: Vec<PathBuf>,
    unpacked: Unpacked,
    debian: Unpacked,
    sources: Vec<Source>,
    digests: BTreeMap<String, String>,
    /// Digest of the build and where it lies.
    build: Option<(String, PathBuf)>,
}

impl<'a> Resolved<'a> {
    /// `levels` are the values of the shared parameter, in the order of their variants; empty for a start of its
    /// own.
    pub(super) fn new(
        folder: &'a str,
        with: &BTreeMap<String, String>,
        levels: &[String],
        catalogue: &'a Catalogue,
        cache: &Cache,
    ) -> Result<Self, SubjectError> {
        let (path, declaration) = catalogue.subject(folder)?;
        let values = values(folder, declaration, with, levels)?;
        let lock = path.join("lock");
        let mut resolved = Resolved {
            folder,
            declaration,
            values,
            jdk: None,
            pins: Vec::new(),
            archives: Vec::new(),
            unpacked: Unpacked::default(),
            debian: Unpacked::default(),
            sources: Vec::new(),
            digests: BTreeMap::new(),
            build: None,
            path,
            lock,
        };
        resolved.jdk = declaration.jdk.as_ref().map(|wanted| resolved.find_jdk(wanted)).transpose()?;
        resolved.find_pins(cache)?;
        resolved.sources =
            sources::find(resolved.folder, &resolved.path, catalogue.root(), declaration, |text| {
                resolved.fill(text).text
            })?;
        resolved.digests = resolved.digest_parts()?;
        if !resolved.sources.is_empty() {
            let digest = resolved.build_digest();
            let target = cache.build(&digest);
            resolved.build = Some((digest, target));
        }
        Ok(resolved)
    }

    pub(super) fn prepare(
        self,
        name: &str,
        cache: &Cache,
        say: &dyn Fn(&str),
    ) -> Result<Prepared, SubjectError> {
        self.fill_cache(cache, say)?;
        self.check_flags(name)?;
        let prepared = self.into_prepared(name)?;
        prepared.verify()?;
        Ok(prepared)
    }

    /// Asks the JVM about flags that the study gives; those of the folder are its author's.
    fn check_flags(&self, name: &str) -> Result<(), SubjectError> {
        let given = |parameter: &Parameter| {
            matches!(parameter.kind, ParameterKind::Words(_))
                && self.values.text(&parameter.name).is_some_and(|value| !value.trim().is_empty())
        };
        let Some(jdk) = self.jdk.as_ref().filter(|_| self.declaration.parameters.iter().any(given)) else {
            return Ok(());
        };
        let java = self.fill("{java}").text;
        let commands = self.declaration.processes.iter().map(|process| self.arguments(&process.start));
        let mut of_java = commands.filter(|args| args.first() == Some(&java));
        of_java.try_for_each(|args| flags::check(name, jdk, &args))
    }

    fn fill(&self, template: &str) -> Filled {
        self.fill_as(template, &self.values)
    }

    fn fill_as(&self, template: &str, values: &Values) -> Filled {
        fill(template, |name| self.lookup(name, values))
    }

    fn find_jdk(&self, wanted: &str) -> Result<Jdk, SubjectError> {
        let wanted = self.fill(wanted).text;
        let all = jdk::find_all();
        let fits = |jdk: &&Jdk| jdk.has_compiler && jdk.major.to_string() == wanted;
        all.iter().rfind(fits).cloned().ok_or_else(|| SubjectError::NoJdk {
            subject: self.folder.to_string(),
            wanted: wanted.clone(),
            found: all.iter().map(ToString::to_string).collect(),
        })
    }

    /// What is needed and where it lies; an empty template asks for nothing.
    fn find_pins(&mut self, cache: &Cache) -> Result<(), SubjectError> {
        let filled = |templates: &[String]| -> Vec<String> {
            let texts = templates.iter().map(|template| self.fill(template).text);
            texts.filter(|text| !text.is_empty()).collect()
        };
        let needs = &self.declaration;
        let (maven, unpack, packages) = (filled(&needs.maven), filled(&needs.unpack), filled(&needs.debian));
        if maven.is_empty() && unpack.is_empty() && packages.is_empty() {
            return Ok(());
        }
        let pinned = read_lock(&self.lock)?;
        let find = |coordinate: &String| {
            let pin = pinned.iter().find(|pin| pin.coordinate == *coordinate).cloned();
            pin.ok_or_else(|| self.unpinned(coordinate, coordinate))
        };
        let pins: Vec<Pin> = maven.iter().map(find).collect::<Result<_, _>>()?;
        let unpacked: Vec<Pin> = unpack.iter().map(find).collect::<Result<_, _>>()?;
        let mut debian = Vec::new();
        for package in &packages {
            let architecture = debian::architecture();
            let found = pinned.iter().filter(|pin| {
                pin.debian().is_some_and(|pin| pin.wanted == package && pin.architecture == architecture)
            });
            let before = debian.len();
            debian.extend(found.cloned());
            if debian.len() == before {
                let what = format!("Debian package {package} for {architecture}");
                return Err(self.unpinned(&what, &format!("debian:{package}")));
            }
        }
        self.archives = pins.iter().map(|pin| cache.file(&pin.sha256, &pin.file)).collect();
        let (of_archives, of_packages) = (digest_of_pins(&unpacked), digest_of_pins(&debian));
        self.pins = pins;
        self.unpacked = Unpacked { pins: unpacked, root: cache.unpacked(&of_archives) };
        self.debian = Unpacked { pins: debian, root: cache.debian(&of_packages) };
        Ok(())
    }

    fn unpinned(&self, what: &str, coordinate: &str) -> SubjectError {
        SubjectError::Unpinned {
            subject: self.folder.to_string(),
            what: what.to_string(),
            lock: self.lock.clone(),
            coordinate: coordinate.to_string(),
        }
    }

    fn all_pins(&self) -> impl Iterator<Item = &Pin> {
        self.pins.iter().chain(&self.unpacked.pins).chain(&self.debian.pins)
    }

    /// Name to SHA-256 of everything it is made of.
    fn digest_parts(&self) -> Result<BTreeMap<String, String>, SubjectError> {
        let mut digests: BTreeMap<String, String> =
            self.all_pins().map(|pin| (pin.file.clone(), pin.sha256.clone())).collect();
        let own = self.declaration.files.values().map(PathBuf::as_path).chain([Path::new("subject.yaml")]);
        let own = own.map(|part| Source {
            name: format!("{}/{}", self.folder, part.display()),
            path: self.path.join(part),
        });
        for Source { name, path } in self.sources.iter().cloned().chain(own) {
            let digest = digest_of(&path).map_err(SubjectError::files(&path, "cannot be read"))?;
            digests.insert(name, digest);
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
        let arguments = self.declaration.processes.iter().flat_map(|process| process.start.iter().flatten());
        arguments.into_iter().any(|argument| placeholders(argument).contains(&placeholder))
    }

    /// What is replaced in the sources.
    fn replacements(&self) -> Vec<(String, String)> {
        let pairs = self.declaration.replace.iter();
        pairs.map(|(from, to)| (from.clone(), self.fill(to).text)).collect()
    }

    /// Changes with whatever may change the classes.
    fn build_digest(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(b"javac 2\n");
        if let Some(jdk) = &self.jdk {
            hasher.update(format!("{} {} {}\n", jdk.version, jdk.vendor, jdk.home.display()));
        }
        for pin in &self.pins {
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

    fn class_path(&self) -> String {
        let classes = self.build.iter().map(|(_, target)| target);
        let parts: Vec<String> =
            classes.chain(&self.archives).map(|path| path.to_string_lossy().into_owned()).collect();
        parts.join(":")
    }

    /// Everything that can be known before the start; what is not stays a placeholder.
    fn lookup(&self, name: &str, values: &Values) -> Option<String> {
        let path = |path: PathBuf| Some(path.to_string_lossy().into_owned());
        match name {
            "proofload" => path(this_program()),
            "java" => path(self.jdk.as_ref()?.home.join("bin/java")),
            "java_home" => path(self.jdk.as_ref()?.home.clone()),
            "class_path" => Some(self.class_path()),
            "unpacked" => path(self.unpacked.root.clone()),
            // Empty without packages: then what needs them is left out.
            "debian" | "debian_lib" if self.debian.pins.is_empty() => Some(String::new()),
            "debian" => path(self.debian.root.clone()),
            "debian_lib" => path(self.debian.root.join("usr/lib").join(debian::multiarch())),
            _ => match self.declaration.switches.get(name) {
                Some(argument) => {
                    let on = values.text(name).is_some_and(|value| value == "true");
                    Some(if on { argument.clone() } else { String::new() })
                }
                None => values
                    .text(name)
                    .or_else(|| self.derived(name, values))
                    .or_else(|| self.each_endpoint(name))
                    .or_else(|| self.milliseconds(name, values)),
            },
        }
    }

    /// Ends, because a derived text names only those that were declared before it.
    fn derived(&self, name: &str, values: &Values) -> Option<String> {
        let derived = self.declaration.derived.iter().find(|derived| derived.name == name)?;
        Some(self.fill_as(derived.template(values), values).text)
    }

    /// The text once for each endpoint, in which the shared parameter has that endpoint's level. Ends, because such a
    /// text names only those that were declared before it.
    fn each_endpoint(&self, name: &str) -> Option<String> {
        let template = self.declaration.each_endpoint.get(name)?;
        let of_one = |(number, level): (usize, String)| {
            let mut values = Values { plain: self.values.plain.clone(), shared: None };
            if let Some(shared) = &self.declaration.shares {
                values.plain.insert(shared.clone(), level);
            }
            // The port is known at the start only.
            let port = format!("{{{ENDPOINT_PORT}{number}}}");
            fill(
                template,
                |name| if name == "port" { Some(port.clone()) } else { self.lookup(name, &values) },
            )
            .text
        };
        let texts: Vec<String> = self.endpoints().into_iter().enumerate().map(of_one).collect();
        Some(texts.join("\n"))
    }

    fn milliseconds(&self, name: &str, values: &Values) -> Option<String> {
        let name = name.strip_suffix(MILLISECONDS)?;
        let of_time =
            |parameter: &&Parameter| parameter.name == name && parameter.kind == ParameterKind::Duration;
        self.declaration.parameters.iter().find(of_time)?;
        let value = values.text(name)?;
        Some(duration(&value).map(|ns| (ns / 1_000_000).to_string()).unwrap_or_default())
    }

    fn fill_cache(&self, cache: &Cache, say: &dyn Fn(&str)) -> Result<(), SubjectError> {
        let missing = |pin: &&Pin| !cache.file(&pin.sha256, &pin.file).is_file();
        if cache.is_offline() {
            let missing: Vec<String> =
                self.all_pins().filter(missing).map(|pin| pin.coordinate.clone()).collect();
            if !missing.is_empty() {
                return Err(SubjectError::Offline { subject: self.folder.to_string(), missing });
            }
        }
        let from_maven: Vec<Pin> = self.pins.iter().chain(&self.unpacked.pins).cloned().collect();
        tools::fetch(
            &tools::Fetch { subject: self.folder, pins: &from_maven, lock: &self.lock },
            cache,
            say,
        )?;
        let packages = tools::Fetch { subject: self.folder, pins: &self.debian.pins, lock: &self.lock };
        debian::fetch(&packages, cache, say)?;
        // Compiled against and unpacked from nothing but what is pinned.
        let fetched = self.pinned_in(cache, self.all_pins());
        fetched.iter().try_for_each(|archive| archive.verify(REFETCH))?;
        debian::unpack(self.folder, &self.debian.pins, &self.debian.root, cache)?;
        tools::unpack(&self.unpacked.pins, &self.unpacked.root, cache, say)?;
        if let (Some((digest, _)), Some(jdk)) = (&self.build, &self.jdk) {
            let class_path: Vec<String> =
                self.archives.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            let sources: Vec<PathBuf> = self.sources.iter().map(|source| source.path.clone()).collect();
            let wanted = tools::Build {
                subject: self.folder,
                digest,
                home: &jdk.home,
                sources: &sources,
                replace: &self.replacements(),
                class_path: &class_path.join(":"),
            };
            tools::build(&wanted, cache, say)?;
        }
        Ok(())
    }

    fn pinned_in<'p>(&self, cache: &Cache, pins: impl Iterator<Item = &'p Pin>) -> Vec<Pinned> {
        let pinned = |pin: &Pin| Pinned {
            path: cache.file(&pin.sha256, &pin.file),
            sha256: pin.sha256.clone(),
            lock: self.lock.clone(),
        };
        pins.map(pinned).collect()
    }

    pub(super) fn into_prepared(self, name: &str) -> Result<Prepared, SubjectError> {
        let pinned = self.pinned_parts()?;
        let answers = self.answers()?;
        let files = self.declaration.files.iter().map(|(target, source)| {
            let source = self.path.join(source);
            let text = fs::read_to_string(&source).map_err(SubjectError::files(&source, "cannot be read"))?;
            Ok((target.clone(), self.fill(&text).text))
        });
        let memory_max = self.declaration.memory_max.as_ref().map(|size| self.fill(size).text);
        let program = Program {
            steps: self.declaration.processes.iter().map(|process| self.step(process)).collect(),
            front: self.declaration.front,
            endpoints: self.endpoints(),
            clear_environment: true,
            directory: None,
            port: None,
            files: files.collect::<Result<_, SubjectError>>()?,
            memory_max_bytes: memory_max.and_then(|size| memory_bytes(&size)),
            grace: self.declaration.grace,
        };
        let description = self.fill(&self.declaration.description).text;
        let description = match &self.jdk {
            Some(jdk) => format!("{description}, JDK {}", jdk.version),
            None => description,
        };
        let mut prepared = Prepared::bare(name, "catalogue", description, Origin::Program(program));
        prepared.answers = answers;
        prepared.digests = self.digests;
        prepared.pinned = pinned;
        Ok(prepared)
    }

    fn answers(&self) -> Result<Vec<Answer>, SubjectError> {
        let words = self.declaration.answers.iter().map(|answer| self.fill(answer).text);
        let known = |word: String| {
            Answer::parse(&word).ok_or_else(|| SubjectError::Parameter {
                subject: self.folder.to_string(),
                why: format!("answers: `{word}` is none of {}", Answer::words()),
            })
        };
        words.filter(|word| !word.is_empty()).map(known).collect()
    }

    /// Everything that must be what it was when it is started.
    fn pinned_parts(&self) -> Result<Vec<Pinned>, SubjectError> {
        let pairs = self.pins.iter().zip(&self.archives);
        let pin = |(pin, path): (&Pin, &PathBuf)| Pinned {
            path: path.clone(),
            sha256: pin.sha256.clone(),
            lock: self.lock.clone(),
        };
        let mut pinned: Vec<Pinned> = pairs.map(pin).collect();
        if let Some(digest) = self.digests.get("proofload") {
            // The server must be of the same build as the generator.
            pinned.push(Pinned {
                path: this_program(),
                sha256: digest.clone(),
                lock: "/proc/self/exe".into(),
            });
        }
        let built = self.build.iter().map(|(_, target)| target);
        let unpacked =
            [&self.unpacked, &self.debian].into_iter().filter(|unpacked| !unpacked.pins.is_empty());
        for target in built.chain(unpacked.map(|unpacked| &unpacked.root)).filter(|target| target.is_dir()) {
            pinned.extend(tools::built_files(target)?);
        }
        Ok(pinned)
    }

    /// The levels that share a start, or the one level of a subject that could share.
    fn endpoints(&self) -> Vec<String> {
        match (&self.values.shared, &self.declaration.shares) {
            (Some((_, levels)), _) => levels.clone(),
            (None, Some(name)) => vec![self.values.text(name).unwrap_or_default()],
            (None, None) => vec![String::new()],
        }
    }

    fn step(&self, process: &ProcessDeclaration) -> Step {
        let mut environment: BTreeMap<String, String> = KEPT_VARIABLES
            .iter()
            .filter_map(|name| Some((name.to_string(), std::env::var(name).ok()?)))
            .collect();
        environment.insert("TMPDIR".into(), "{temp}".into());
        for (name, value) in &process.environment {
            let value = self.fill(value);
            if !value.lacks {
                environment.insert(name.clone(), value.text);
            }
        }
        Step {
            name: process.name.clone(),
            args: self.arguments(&process.start),
            environment,
            ready_path: process.ready_path.clone(),
            ready_within: process.ready_within,
        }
    }

    /// Whether an argument is nothing but a parameter of several words, each an argument of its own.
    fn is_words(&self, argument: &str) -> bool {
        let parameter = |parameter: &&Parameter| format!("{{{}}}", parameter.name) == argument;
        let found = self.declaration.parameters.iter().find(parameter);
        found.is_some_and(|found| matches!(found.kind, ParameterKind::Words(_)))
    }

    /// A group of arguments with an empty placeholder is left out: that is how an option is not given.
    fn arguments(&self, groups: &[Vec<String>]) -> Vec<String> {
        let mut args = Vec::new();
        for group in groups {
            let filled: Vec<Filled> = group.iter().map(|argument| self.fill(argument)).collect();
            if filled.iter().any(|argument| argument.lacks) {
                continue;
            }
            for (argument, filled) in group.iter().zip(filled) {
                if self.is_words(argument) {
                    args.extend(filled.text.split_whitespace().map(str::to_string));
                } else {
                    args.push(filled.text);
                }
            }
        }
        args
    }
}

/// Changes with the files and their names.
fn digest_of_pins(pins: &[Pin]) -> String {
    let mut hasher = Sha256::new();
    for pin in pins {
        hasher.update(format!("{} {}\n", pin.sha256, pin.file));
    }
    HEXLOWER.encode(&hasher.finalize())
}

/// Variants of one folder that share a start.
pub(super) struct Sharing<'s> {
    pub(super) folder: &'s str,
    /// Of the first variant.
    pub(super) with: &'s BTreeMap<String, String>,
    /// Of each variant, in order.
    pub(super) levels: Vec<String>,
}

/// # Errors
/// They cannot share one.
pub(super) fn shared<'s>(
    name: &str,
    specs: &'s [SubjectSpec],
    catalogue: &Catalogue,
) -> Result<Sharing<'s>, SubjectError> {
    let refused = |why: String| SubjectError::Parameter { subject: name.to_string(), why };
    let Some(SubjectSpec::Catalogue { folder, with }) = specs.first() else {
        return Err(refused("only subjects of the catalogue can share a process; leave shared out".into()));
    };
    let (_, declaration) = catalogue.subject(folder)?;
    let Some(parameter) = &declaration.shares else {
        return Err(refused(format!("{folder} declares nothing that variants can share; leave shared out")));
    };
    let alike = |with: &BTreeMap<String, String>| {
        let mut values = declaration.values_with_defaults(with).plain;
        let level = values.remove(parameter).unwrap_or_default();
        (values, level)
    };
    let (first, _) = alike(with);
    let mut levels = Vec::new();
    for spec in specs {
        let other = match spec {
            SubjectSpec::Catalogue { folder: other, with } if other == folder => Some(alike(with)),
            _ => None,
        };
        match other.filter(|(values, level)| *values == first && !levels.contains(level)) {
            Some((_, level)) => levels.push(level),
            None => {
                let why = format!(
                    "variants of {folder} that share a process may differ in {parameter} alone; \
                                   vary nothing else or leave shared out"
                );
                return Err(refused(why));
            }
        }
    }
    Ok(Sharing { folder, with, levels })
}

/// All parameters with their values: given, else default.
fn values(
    folder: &str,
    declaration: &Declaration,
    with: &BTreeMap<String, String>,
    levels: &[String],
) -> Result<Values, SubjectError> {
    let wrong = |why: String| SubjectError::Parameter { subject: folder.to_string(), why };
    let names: Vec<&str> = declaration.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    if let Some(unknown) = with.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(wrong(format!("no parameter `{unknown}`; there are: {}", names.join(", "))));
    }
    let mut values = declaration.values_with_defaults(with);
    for parameter in &declaration.parameters {
        let value = values.plain.get(&parameter.name);
        let value = value
            .ok_or_else(|| wrong(format!("parameter {} must be given: {}", parameter.name, parameter.doc)))?;
        // An empty default stands for an option that is not given.
        let left_out = value.is_empty() && parameter.default.as_deref() == Some("");
        if !left_out {
            check_value(parameter, value)
                .map_err(|why| wrong(format!("parameter {}: {why}", parameter.name)))?;
        }
    }
    for level in levels.iter().map(Some).chain(levels.is_empty().then_some(None)) {
        let mut one = values.clone();
        if let (Some(level), Some(name)) = (level, &declaration.shares) {
            one.plain.insert(name.clone(), level.clone());
        }
        declaration.check_combination(&one).map_err(|broken| wrong(broken.join("; also ")))?;
    }
    values.shared =
        declaration.shares.clone().filter(|_| !levels.is_empty()).map(|name| (name, levels.to_vec()));
    Ok(values)
}
