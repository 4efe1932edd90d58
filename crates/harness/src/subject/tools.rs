//! Maven and javac: what fills the cache. Both run under a keeper, so that neither outlives Proofload.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::host::jdk::on_path;
use crate::host::signals;

use super::cache::{Cache, Held};
use super::keeper::{Exit, Keeper, Spawn};
use super::pins::{Pin, Pinned};
use super::running::last_lines;
use super::{SubjectError, cache};

/// The plugin that copies artifacts, pinned like everything else that is fetched.
const COPY_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";
/// Time for a slow mirror to send a few megabytes.
const FETCH_WITHIN: Duration = Duration::from_secs(600);
/// Time to compile a handful of classes on a busy machine.
const BUILD_WITHIN: Duration = Duration::from_secs(180);
/// Lists the digests of what a build made.
pub(crate) const BUILD_LIST: &str = "digests";

pub(crate) fn interrupted() -> bool {
    signals::count() > 0
}

/// What is wanted of Maven.
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
    let held = cache.hold(&interrupted)?;
    // Another Proofload may have fetched them meanwhile.
    let missing = missing(wanted.pins);
    if missing.is_empty() {
        return Ok(());
    }
    let Some(maven) = on_path("mvn") else {
        return Err(SubjectError::NoMaven { subject: wanted.subject.into() });
    };
    say(&format!("fetching {} from Maven Central", coordinates(&missing).join(", ")));
    let keeper = Keeper::start()?;
    let directory = held.fresh_directory("maven")?;
    keeper.link().adopt(&directory)?;
    let done = fetch_into(wanted, &missing, (&maven, &directory), (cache, &held, &keeper));
    let _ = fs::remove_dir_all(&directory);
    done
}

fn coordinates(pins: &[Pin]) -> Vec<String> {
    pins.iter().map(|pin| pin.coordinate.clone()).collect()
}

fn fetch_into(
    wanted: &Fetch<'_>,
    missing: &[Pin],
    (maven, directory): (&Path, &Path),
    (cache, held, keeper): (&Cache, &Held<'_>, &Keeper),
) -> Result<(), SubjectError> {
    let (pom, log) = (directory.join("pom.xml"), directory.join("log"));
    fs::write(&pom, project(missing)).map_err(SubjectError::files(&pom, "cannot be written"))?;
    let repository = cache.root().join("maven");
    let args = [
        maven.to_string_lossy().into_owned(),
        "--batch-mode".into(),
        "--no-transfer-progress".into(),
        // Its own repository: what Proofload fetched goes when its cache goes.
        format!("-Dmaven.repo.local={}", repository.display()),
        "--file".into(),
        pom.to_string_lossy().into_owned(),
        COPY_GOAL.into(),
    ];
    let spawn = tool(args.to_vec(), directory, &log);
    let failed = |how: String| SubjectError::FetchFailed {
        subject: wanted.subject.into(),
        coordinates: coordinates(missing),
        how,
        lines: last_lines(&log),
    };
    match keeper.link().run("Maven", spawn, FETCH_WITHIN, &interrupted)? {
        Some(Exit::Code(0)) => {}
        Some(exit) => return Err(failed(exit.to_string())),
        None => return Err(failed(format!("it took longer than {} s", FETCH_WITHIN.as_secs()))),
    }
    for pin in missing {
        let path = directory.join("out").join(&pin.file);
        if !path.is_file() {
            return Err(failed(format!("it brought no {}", pin.file)));
        }
        let pinned = Pinned { path: path.clone(), sha256: pin.sha256.clone(), lock: wanted.lock.into() };
        pinned.verify("do not use it; find out whether the mirror or the lock file is wrong")?;
        let fresh = held.fresh_directory("file")?;
        fs::rename(&path, fresh.join(&pin.file)).map_err(SubjectError::files(&path, "cannot be moved"))?;
        let target = cache.file(&pin.sha256, &pin.file);
        held.settle(&fresh, target.parent().unwrap_or(&target))?;
    }
    Ok(())
}

/// A project that asks for these files and nothing they depend on. Names were checked when the lock was read,
/// so none needs escaping.
fn project(pins: &[Pin]) -> String {
    let mut items = String::new();
    for pin in pins {
        let mut parts = pin.coordinate.split(':');
        let mut part = || parts.next().unwrap_or("");
        let (group, artifact, version) = (part(), part(), part());
        let _ = write!(
            items,
            "<artifactItem><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version><destFileName>{}</destFileName></artifactItem>",
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

fn tool(args: Vec<String>, directory: &Path, log: &Path) -> Spawn {
    Spawn {
        id: 0,
        args,
        clear_environment: false,
        environment: BTreeMap::new(),
        directory: directory.to_path_buf(),
        cpus: Vec::new(),
        log: log.to_path_buf(),
    }
}

/// What is to be compiled.
pub(crate) struct Build<'a> {
    pub(crate) subject: &'a str,
    pub(crate) digest: &'a str,
    pub(crate) home: &'a Path,
    pub(crate) sources: &'a [PathBuf],
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
    let held = cache.hold(&interrupted)?;
    if target.is_dir() {
        return Ok(());
    }
    say(&format!("compiling subject {}", wanted.subject));
    let keeper = Keeper::start()?;
    let directory = held.fresh_directory("build")?;
    keeper.link().adopt(&directory)?;
    let done =
        compile(wanted, &directory, &keeper).and_then(|()| held.settle(&directory.join("classes"), &target));
    let _ = fs::remove_dir_all(&directory);
    done
}

fn compile(wanted: &Build<'_>, directory: &Path, keeper: &Keeper) -> Result<(), SubjectError> {
    let (classes, log) = (directory.join("classes"), directory.join("log"));
    let mut args: Vec<String> = vec![wanted.home.join("bin/javac").to_string_lossy().into_owned()];
    args.extend(["-encoding", "UTF-8", "-nowarn", "-proc:none", "-d"].map(String::from));
    args.push(classes.to_string_lossy().into_owned());
    args.extend(["-cp".into(), wanted.class_path.into()]);
    args.extend(wanted.sources.iter().map(|source| source.to_string_lossy().into_owned()));
    let failed =
        |how: String| SubjectError::Build { subject: wanted.subject.into(), how, lines: last_lines(&log) };
    match keeper.link().run("javac", tool(args, directory, &log), BUILD_WITHIN, &interrupted)? {
        Some(Exit::Code(0)) => {}
        Some(exit) => return Err(failed(format!("javac ended with {exit}"))),
        None => return Err(failed(format!("javac took longer than {} s", BUILD_WITHIN.as_secs()))),
    }
    let list = list_files(&classes).map_err(SubjectError::files(&classes, "the classes cannot be listed"))?;
    let path = classes.join(BUILD_LIST);
    fs::write(&path, list).map_err(SubjectError::files(&path, "cannot be written"))
}

/// `SHA-256  path` for each file of a build.
fn list_files(root: &Path) -> std::io::Result<String> {
    let mut list = String::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else {
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
    let list = fs::read_to_string(&lock)
        .map_err(SubjectError::files(&lock, "the list of a build cannot be read"))?;
    let files = list.lines().filter_map(|line| line.split_once("  "));
    Ok(files
        .map(|(sha256, name)| Pinned { path: target.join(name), sha256: sha256.into(), lock: lock.clone() })
        .collect())
}
