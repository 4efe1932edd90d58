//! Fills the cache by Maven and javac. Both run under a keeper, so that neither outlives Proofload.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofload_host::jdk::on_path;
use proofload_host::signals;

use super::cache::{Cache, Held};
use super::keeper::{Exit, Keeper, Spawn};
use super::logs::last_lines;
use super::pins::{Pin, Pinned};
use super::{SubjectError, archive, cache};

/// The plugin that copies artifacts, pinned like everything else that is fetched.
const COPY_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";
const SOURCE_BYTES_MAX: u64 = 16 << 20;
/// Time for a slow mirror to send a few megabytes.
const FETCH_WITHIN: Duration = Duration::from_secs(600);
/// Time to compile a handful of classes on a busy machine.
const BUILD_WITHIN: Duration = Duration::from_secs(180);
/// File that lists the digests of a build.
pub(crate) const BUILD_LIST: &str = "digests";

pub(crate) fn interrupted() -> bool {
    signals::count() > 0
}

pub(crate) struct Fetch<'a> {
    pub(crate) subject: &'a str,
    pub(crate) pins: &'a [Pin],
    pub(crate) lock: &'a Path,
}

/// Fetches the pinned files that are missing in the cache.
///
/// # Errors
/// Maven is missing or fails, or a file is not the pinned one.
pub(crate) fn fetch(wanted: &Fetch<'_>, cache: &Cache, say: &dyn Fn(&str)) -> Result<(), SubjectError> {
    let missing = |pins: &[Pin]| -> Vec<Pin> {
        pins.iter().filter(|pin| !cache.file(&pin.sha256, &pin.file).is_file()).cloned().collect()
    };
    if missing(wanted.pins).is_empty() {
        return Ok(());
    }
    let held = cache.hold("maven", &interrupted)?;
    // Another Proofload may have fetched them meanwhile.
    let missing = missing(wanted.pins);
    if missing.is_empty() {
        return Ok(());
    }
    let program = maven_program(wanted.subject)?;
    say(&format!("fetching {} from Maven Central", coordinates(&missing).join(", ")));
    let maven = Maven::open(wanted.subject, program, &held)?;
    maven.copy(&missing)?;
    missing.iter().try_for_each(|pin| keep(pin, &maven.out(), wanted.lock, &held))
}

/// Moves a fetched file into the cache.
///
/// # Errors
/// It is not the pinned one.
pub(crate) fn keep(pin: &Pin, directory: &Path, lock: &Path, held: &Held<'_>) -> Result<(), SubjectError> {
    if held.cache().file(&pin.sha256, &pin.file).is_file() {
        // Another package brought it: several depend on the same one.
        return Ok(());
    }
    let path = directory.join(&pin.file);
    let remedy = "do not use it; find out whether the mirror or the lock file is wrong";
    pin.at(path.clone(), lock).verify(remedy)?;
    held.keep(&path, &pin.sha256, &pin.file)
}

fn coordinates(pins: &[Pin]) -> Vec<String> {
    pins.iter().map(|pin| pin.coordinate.clone()).collect()
}

/// Fetches a file from Maven Central into the cache and returns the pin for it.
///
/// # Errors
/// Not a coordinate, Maven is missing or fails, or there is no such file.
pub(crate) fn pin_of(
    subject: &str,
    coordinate: &str,
    cache: &Cache,
    say: &dyn Fn(&str),
) -> Result<Pin, SubjectError> {
    let parts: Vec<&str> = coordinate.split(':').collect();
    let file = match parts[..] {
        [_, artifact, version] => format!("{artifact}-{version}.jar"),
        [_, artifact, version, kind] => format!("{artifact}-{version}.{kind}"),
        [_, artifact, version, kind, classifier] => format!("{artifact}-{version}-{classifier}.{kind}"),
        _ => String::new(),
    };
    let mut pin = Pin { coordinate: coordinate.into(), file, sha256: "0".repeat(64) };
    if !pin.is_well_formed() {
        let why =
            format!("{coordinate} is no Maven coordinate; write group:artifact:version[:type[:classifier]]");
        return Err(SubjectError::Parameter { subject: subject.into(), why });
    }
    let held = cache.hold("maven", &interrupted)?;
    let program = maven_program(subject)?;
    say(&format!("fetching {coordinate} from Maven Central"));
    let maven = Maven::open(subject, program, &held)?;
    maven.copy(std::slice::from_ref(&pin))?;
    let path = maven.out().join(&pin.file);
    pin.sha256 = cache::digest_of(&path).map_err(SubjectError::files(&path, "maven"))?;
    held.keep(&path, &pin.sha256, &pin.file)?;
    Ok(pin)
}

fn maven_program(subject: &str) -> Result<PathBuf, SubjectError> {
    on_path("mvn").ok_or_else(|| SubjectError::NoMaven { subject: subject.into() })
}

/// Maven with a directory for one run, which is removed with it.
struct Maven<'a> {
    subject: &'a str,
    program: PathBuf,
    repository: PathBuf,
    directory: PathBuf,
    keeper: Keeper,
}

impl<'a> Maven<'a> {
    fn open(subject: &'a str, program: PathBuf, held: &Held<'_>) -> Result<Maven<'a>, SubjectError> {
        let keeper = Keeper::start()?;
        let directory = held.fresh_directory("maven")?;
        keeper.link().adopt(&directory)?;
        // Its own repository: files that Proofload fetched are removed with its cache.
        let repository = held.cache().root().join("maven");
        Ok(Maven { subject, program, repository, directory, keeper })
    }

    /// Destination of the files.
    fn out(&self) -> PathBuf {
        self.directory.join("out")
    }

    fn copy(&self, pins: &[Pin]) -> Result<(), SubjectError> {
        let (pom, log) = (self.directory.join("pom.xml"), self.directory.join("log"));
        fs::write(&pom, project(pins)).map_err(SubjectError::files(&pom, "write"))?;
        let args = [
            self.program.to_string_lossy().into_owned(),
            "--batch-mode".into(),
            "--no-transfer-progress".into(),
            format!("-Dmaven.repo.local={}", self.repository.display()),
            "--file".into(),
            pom.to_string_lossy().into_owned(),
            COPY_GOAL.into(),
        ];
        let spawn = tool(args.to_vec(), &self.directory, &log);
        let failed = |how: String| SubjectError::FetchFailed {
            subject: self.subject.into(),
            coordinates: coordinates(pins),
            how,
            lines: last_lines(&log),
        };
        match self.keeper.link().run("Maven", spawn, FETCH_WITHIN, &interrupted)? {
            Some(Exit::Code(0)) => {}
            Some(exit) => return Err(failed(exit.to_string())),
            None => return Err(failed(format!("it took longer than {} s", FETCH_WITHIN.as_secs()))),
        }
        match pins.iter().find(|pin| !self.out().join(&pin.file).is_file()) {
            Some(pin) => Err(failed(format!("it brought no {}", pin.file))),
            None => Ok(()),
        }
    }
}

impl Drop for Maven<'_> {
    fn drop(&mut self) {
        // Left-overs are removed by the keeper at its end.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A project that depends on these files and nothing they depend on. Names were checked when the lock was read, so none
/// needs escaping.
fn project(pins: &[Pin]) -> String {
    let mut items = String::new();
    for pin in pins {
        let mut parts = pin.coordinate.split(':');
        let mut part = || parts.next().unwrap_or("");
        let (group, artifact, version, kind, classifier) = (part(), part(), part(), part(), part());
        let kind = if kind.is_empty() { "jar" } else { kind };
        let _ = write!(
            items,
            "<artifactItem><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version><type>{kind}</type><classifier>{classifier}</classifier>\
             <destFileName>{}</destFileName></artifactItem>",
            pin.file
        );
    }
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>proofload</groupId><artifactId>subject</artifactId><version>1</version><packaging>pom</packaging>\
         <build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>\
         <artifactId>maven-dependency-plugin</artifactId><configuration>\
         <outputDirectory>${{project.basedir}}/out</outputDirectory><artifactItems>{items}</artifactItems>\
         </configuration></plugin></plugins></build></project>\n"
    )
}

/// A program that runs to its end, in Proofload's own environment.
pub(crate) fn tool(args: Vec<String>, directory: &Path, log: &Path) -> Spawn {
    Spawn {
        secrets: Vec::new(),
        id: 0,
        args,
        clear_environment: false,
        environment: BTreeMap::new(),
        directory: directory.to_path_buf(),
        cpus: Vec::new(),
        log: log.to_path_buf(),
        memory_max_bytes: None,
        log_bytes_max: None,
    }
}

/// Unpacks archives into one directory, once for each set of them.
///
/// # Errors
/// A member of one is refused, or a file cannot be written.
pub(crate) fn unpack(
    pins: &[Pin],
    target: &Path,
    cache: &Cache,
    say: &dyn Fn(&str),
) -> Result<(), SubjectError> {
    if pins.is_empty() || target.is_dir() {
        return Ok(());
    }
    let digest = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let held = cache.hold(&format!("unpack-{digest}"), &interrupted)?;
    if target.is_dir() {
        return Ok(());
    }
    say(&format!("unpacking {}", coordinates(pins).join(", ")));
    let out = held.fresh_directory("unpack")?;
    let done = pins
        .iter()
        .try_for_each(|pin| archive::unpack_zip(&cache.file(&pin.sha256, &pin.file), &out, archive::LIMITS));
    let published = done.and_then(|()| write_list(&out)).and_then(|()| held.publish(&out, target));
    let _ = fs::remove_dir_all(&out);
    published
}

/// Sources to compile.
pub(crate) struct Build<'a> {
    pub(crate) subject: &'a str,
    pub(crate) digest: &'a str,
    pub(crate) home: &'a Path,
    pub(crate) sources: &'a [PathBuf],
    /// Texts in the sources that are replaced before they are compiled.
    pub(crate) replace: &'a [(String, String)],
    pub(crate) class_path: &'a str,
}

/// Compiles once for each digest of sources, archives and JDK.
///
/// # Errors
/// The compiler fails.
pub(crate) fn build(wanted: &Build<'_>, cache: &Cache, say: &dyn Fn(&str)) -> Result<(), SubjectError> {
    let target = cache.build(wanted.digest);
    if target.is_dir() {
        return Ok(());
    }
    let held = cache.hold(&format!("build-{}", wanted.digest), &interrupted)?;
    if target.is_dir() {
        return Ok(());
    }
    say(&format!("compiling subject {}", wanted.subject));
    let keeper = Keeper::start()?;
    let directory = held.fresh_directory("build")?;
    keeper.link().adopt(&directory)?;
    let done =
        compile(wanted, &directory, &keeper).and_then(|()| held.publish(&directory.join("classes"), &target));
    let _ = fs::remove_dir_all(&directory);
    done
}

fn compile(wanted: &Build<'_>, directory: &Path, keeper: &Keeper) -> Result<(), SubjectError> {
    let (classes, log) = (directory.join("classes"), directory.join("log"));
    let mut args: Vec<String> = vec![wanted.home.join("bin/javac").to_string_lossy().into_owned()];
    args.extend(["-encoding", "UTF-8", "-nowarn", "-proc:none", "-d"].map(String::from));
    args.push(classes.to_string_lossy().into_owned());
    args.extend(["-cp".into(), wanted.class_path.into()]);
    args.extend(sources(wanted, directory)?);
    let failed =
        |how: String| SubjectError::Build { subject: wanted.subject.into(), how, lines: last_lines(&log) };
    match keeper.link().run("javac", tool(args, directory, &log), BUILD_WITHIN, &interrupted)? {
        Some(Exit::Code(0)) => {}
        Some(exit) => return Err(failed(format!("javac ended with {exit}"))),
        None => return Err(failed(format!("javac took longer than {} s", BUILD_WITHIN.as_secs()))),
    }
    write_list(&classes)
}

/// The paths of the sources; of copies where something is replaced in them.
fn sources(wanted: &Build<'_>, directory: &Path) -> Result<Vec<String>, SubjectError> {
    let mut paths = Vec::new();
    for (number, source) in wanted.sources.iter().enumerate() {
        if wanted.replace.is_empty() {
            paths.push(source.display().to_string());
            continue;
        }
        let mut text = proofload_host::files::read_text(source, SOURCE_BYTES_MAX)
            .map_err(SubjectError::files(source, "read"))?;
        for (from, to) in wanted.replace {
            text = text.replace(from, to);
        }
        // A folder for each: two sources may have the same name, and the name must be that of the class.
        let folder = directory.join(format!("source-{number}"));
        let path = folder.join(source.file_name().unwrap_or_default());
        let written = fs::create_dir(&folder).and_then(|()| fs::write(&path, text));
        written.map_err(SubjectError::files(&path, "write"))?;
        paths.push(path.display().to_string());
    }
    Ok(paths)
}

pub(crate) fn write_list(root: &Path) -> Result<(), SubjectError> {
    let list = list_files(root).map_err(SubjectError::files(root, "list"))?;
    let path = root.join(BUILD_LIST);
    fs::write(&path, list).map_err(SubjectError::files(&path, "write"))
}

/// `SHA-256  path` for each file of a build. Links are left out: what they lead to is listed itself.
fn list_files(root: &Path) -> std::io::Result<String> {
    let mut list = String::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                pending.push(path);
            } else if kind.is_file() {
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                let _ = writeln!(list, "{}  {name}", cache::digest_of(&path)?);
            }
        }
    }
    Ok(list)
}

/// The files of a build with their digests.
pub(crate) fn built_files(target: &Path) -> Result<Vec<Pinned>, SubjectError> {
    let lock = target.join(BUILD_LIST);
    let list = proofload_host::files::read_text(&lock, SOURCE_BYTES_MAX)
        .map_err(SubjectError::files(&lock, "read"))?;
    let files = list.lines().filter_map(|line| line.split_once("  "));
    Ok(files
        .map(|(sha256, name)| Pinned { path: target.join(name), sha256: sha256.into(), lock: lock.clone() })
        .collect())
}
