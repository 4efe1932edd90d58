//! Debian packages without installing them: resolved with lists of our own, verified, unpacked into the cache.
//!
//! Nothing of the system's package state is read but its sources and keys, and nothing of it is written.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofload_host::jdk::on_path;

use super::cache::{Cache, Held, digest_of};
use super::keeper::{Exit, Keeper};
use super::logs::last_lines;
use super::pins::Pin;
use super::tools::{Fetch, interrupted, keep, tool, write_list};
use super::{SubjectError, archive};

const LOG_BYTES_MAX: u64 = 64 << 20;
/// Time for a slow mirror to send its lists and a few megabytes.
const FETCH_WITHIN: Duration = Duration::from_secs(600);
const UNPACK_WITHIN: Duration = Duration::from_secs(120);
/// The C library and its parts: a second copy beside the system's dynamic loader would not work.
const OF_THE_SYSTEM: [&str; 4] = ["libc6", "libgcc-s1", "gcc-12-base", "libcrypt1"];
/// Dependencies of packages for their scripts only, which are not run here. They count as installed; else each start
/// would verify some thousand files that it does not use.
const OF_SCRIPTS: [&str; 7] = ["debconf", "dpkg", "iproute2", "lsb-base", "perl", "perl-base", "tar"];
/// Clears hooks of the system's configuration that would change the system.
const CONFIGURATION: &str = "#clear APT::Update::Pre-Invoke;\n#clear APT::Update::Post-Invoke;\n\
    #clear APT::Update::Post-Invoke-Success;\n#clear DPkg::Pre-Invoke;\n#clear DPkg::Post-Invoke;\n\
    #clear DPkg::Pre-Install-Pkgs;\n#clear APT::Install::Pre-Invoke;\n";

/// Debian's name of this machine's architecture.
pub(crate) fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "i386",
        other => other,
    }
}

/// The folder below `lib` in which Debian keeps libraries of this architecture.
pub(crate) fn multiarch() -> String {
    let machine = if std::env::consts::ARCH == "x86" { "i386" } else { std::env::consts::ARCH };
    format!("{machine}-linux-gnu")
}

/// `apt-get` with lists of its own, and a directory for one run, which is removed with it.
struct Apt<'a> {
    subject: &'a str,
    program: PathBuf,
    state: PathBuf,
    keeper: Keeper,
    directory: PathBuf,
}

impl<'a> Apt<'a> {
    /// Packages of scripts count as installed, unless one is `wanted`.
    fn open(subject: &'a str, wanted: &str, held: &Held<'_>) -> Result<Apt<'a>, SubjectError> {
        let no_apt = || SubjectError::NoApt { subject: subject.into() };
        let program = on_path("apt-get").ok_or_else(no_apt)?;
        let state = held.cache().root().join("apt");
        let directory = held.fresh_directory("apt")?;
        let made = || -> std::io::Result<()> {
            for folder in ["lists/partial", "archives/partial", "log"] {
                fs::create_dir_all(state.join(folder))?;
            }
            fs::write(state.join("status"), status(wanted))?;
            fs::write(state.join("apt.conf"), CONFIGURATION)
        };
        made().map_err(SubjectError::files(&state, "make"))?;
        let keeper = Keeper::start()?;
        keeper.link().adopt(&directory)?;
        Ok(Apt { subject, program, state, keeper, directory })
    }

    /// Runs it in the working directory; the log's path and how it ended.
    fn run(&self, name: &str, args: &[String]) -> Result<(PathBuf, Option<Exit>), SubjectError> {
        let log = self.directory.join(format!("{name}.log"));
        let path = |part: &str| self.state.join(part).display().to_string();
        let options = [
            format!("Dir::State::lists={}", path("lists")),
            format!("Dir::State::status={}", path("status")),
            format!("Dir::State::extended_states={}", path("extended_states")),
            format!("Dir::Cache={}", self.state.display()),
            format!("Dir::Cache::archives={}", path("archives")),
            format!("Dir::Log={}", path("log")),
            // Another user could not read our cache.
            "APT::Sandbox::User=root".to_string(),
        ];
        let mut all = vec![self.program.display().to_string(), format!("--config-file={}", path("apt.conf"))];
        all.extend(options.iter().flat_map(|option| ["-o".to_string(), option.clone()]));
        all.extend_from_slice(args);
        let mut spawn = tool(all, &self.directory, &log);
        spawn.environment.insert("LC_ALL".into(), "C".into());
        let exit = self.keeper.link().run("apt-get", spawn, FETCH_WITHIN, &interrupted)?;
        Ok((log, exit))
    }

    fn must(&self, name: &str, args: &[String], wanted: &[String]) -> Result<PathBuf, SubjectError> {
        let (log, exit) = self.run(name, args)?;
        match exit {
            Some(Exit::Code(0)) => Ok(log),
            exit => Err(self.failed(wanted, exit, &log)),
        }
    }

    fn failed(&self, wanted: &[String], exit: Option<Exit>, log: &Path) -> SubjectError {
        let (subject, lines) = (self.subject.to_string(), last_lines(log));
        let gone = |line: &String| line.contains("was not found") || line.contains("404  Not Found");
        if lines.iter().any(gone) {
            return SubjectError::PackageGone { subject, packages: wanted.to_vec(), lines };
        }
        let how = match exit {
            Some(exit) => exit.to_string(),
            None => format!("it took longer than {} s", FETCH_WITHIN.as_secs()),
        };
        SubjectError::PackagesFailed { subject, packages: wanted.to_vec(), how, lines }
    }

    fn update(&self) -> Result<(), SubjectError> {
        self.must("update", &["update".into(), "--error-on=any".into()], &["the lists of packages".into()])?;
        Ok(())
    }

    fn has_lists(&self) -> bool {
        let entries = fs::read_dir(self.state.join("lists")).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().contains("_Packages"))
    }

    /// Brings `package=version` of each into the working directory.
    fn download(&self, wanted: &[String]) -> Result<(), SubjectError> {
        let mut args = vec!["download".to_string()];
        args.extend_from_slice(wanted);
        let fresh = !self.has_lists();
        if fresh {
            self.update()?;
        }
        match self.must("download", &args, wanted) {
            // Lists that are older than the lock file do not name the pinned packages.
            Err(SubjectError::PackageGone { .. } | SubjectError::PackagesFailed { .. }) if !fresh => {
                self.update()?;
                self.must("download-again", &args, wanted).map(|_| ())
            }
            other => other.map(|_| ()),
        }
    }
}

impl Drop for Apt<'_> {
    fn drop(&mut self) {
        // Left-overs are removed by the keeper at its end.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// List of installed packages for apt.
fn status(wanted: &str) -> String {
    let installed = OF_SCRIPTS.iter().filter(|name| **name != wanted);
    let entry = |name: &&str| {
        format!(
            "Package: {name}\nStatus: install ok installed\nMulti-Arch: allowed\nArchitecture: {}\n\
             Version: 999:0\nMaintainer: none\nDescription: none\n\n",
            architecture()
        )
    };
    installed.map(entry).collect()
}

/// Fetches the pinned packages that are missing in the cache.
///
/// # Errors
/// `apt-get` is missing or fails, a pinned version has gone, or a file is not the pinned one.
pub(crate) fn fetch(wanted: &Fetch<'_>, cache: &Cache, say: &dyn Fn(&str)) -> Result<(), SubjectError> {
    let missing = || -> Vec<&Pin> {
        wanted.pins.iter().filter(|pin| !cache.file(&pin.sha256, &pin.file).is_file()).collect()
    };
    if missing().is_empty() {
        return Ok(());
    }
    let held = cache.hold("apt", &interrupted)?;
    // Another Proofload may have fetched them meanwhile.
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let versions: Vec<String> = missing
        .iter()
        .filter_map(|pin| pin.debian())
        .map(|pin| format!("{}:{}={}", pin.package, pin.architecture, pin.version))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    say(&format!("fetching {} from Debian", versions.join(", ")));
    let apt = Apt::open(wanted.subject, "", &held)?;
    apt.download(&versions)?;
    missing.iter().try_for_each(|pin| keep(pin, &apt.directory, wanted.lock, &held))
}

/// Unpacks packages that the cache holds, once for each set of them.
///
/// # Errors
/// `dpkg-deb` is missing or fails.
pub(crate) fn unpack(subject: &str, pins: &[Pin], root: &Path, cache: &Cache) -> Result<(), SubjectError> {
    if pins.is_empty() || root.is_dir() {
        return Ok(());
    }
    let digest = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let held = cache.hold(&format!("debian-{digest}"), &interrupted)?;
    if root.is_dir() {
        return Ok(());
    }
    let no_apt = || SubjectError::NoApt { subject: subject.into() };
    let program = on_path("dpkg-deb").ok_or_else(no_apt)?;
    let keeper = Keeper::start()?;
    let directory = held.fresh_directory("unpack")?;
    keeper.link().adopt(&directory)?;
    // dpkg-deb's output is the archive itself.
    let (out, log) = (directory.join("root"), directory.join("tar"));
    fs::create_dir(&out).map_err(SubjectError::files(&out, "make"))?;
    let done = pins.iter().try_for_each(|pin| {
        let _ = fs::remove_file(&log);
        let file = cache.file(&pin.sha256, &pin.file);
        let args = [&program, Path::new("--fsys-tarfile"), &file].map(|part| part.display().to_string());
        let spawn = tool(args.to_vec(), &directory, &log);
        match keeper.link().run("dpkg-deb", spawn, UNPACK_WITHIN, &interrupted)? {
            Some(Exit::Code(0)) => archive::unpack_tar(&log, &out, archive::LIMITS),
            exit => {
                let how =
                    exit.map_or("it took too long".into(), |exit| format!("dpkg-deb ended with {exit}"));
                Err(SubjectError::Build { subject: subject.into(), how, lines: last_lines(&log) })
            }
        }
    });
    let published = done.and_then(|()| {
        write_list(&out)?;
        held.publish(&out, root)
    });
    let _ = fs::remove_dir_all(&directory);
    published
}

/// Resolves a package with all its dependencies but the C library, fetches it all into the cache and returns the lines
/// that pin it.
///
/// # Errors
/// `apt-get` is missing or fails, or there is no such package.
pub(crate) fn resolve(package: &str, cache: &Cache, say: &dyn Fn(&str)) -> Result<Vec<Pin>, SubjectError> {
    let held = cache.hold("apt", &interrupted)?;
    let apt = Apt::open(package, package, &held)?;
    say("reading Debian's lists of packages");
    apt.update()?;
    let wanted = [package.to_string()];
    let args = ["install", "--print-uris", "--yes", "--no-install-recommends", package].map(String::from);
    let log = apt.must("resolve", &args, &wanted)?;
    let text =
        proofload_host::files::read_text(&log, LOG_BYTES_MAX).map_err(SubjectError::files(&log, "read"))?;
    let found: Vec<Package> = text.lines().filter_map(Package::parse).collect();
    let kept: Vec<&Package> =
        found.iter().filter(|found| !OF_THE_SYSTEM.contains(&found.name.as_str())).collect();
    if kept.is_empty() {
        let (subject, how) = (package.to_string(), "it named no files".to_string());
        return Err(SubjectError::PackagesFailed {
            subject,
            packages: wanted.into(),
            how,
            lines: last_lines(&log),
        });
    }
    let versions: Vec<String> =
        kept.iter().map(|found| format!("{}={}", found.name, found.version)).collect();
    say(&format!("fetching {}", versions.join(", ")));
    apt.download(&versions)?;
    let mut pins = Vec::new();
    for found in kept {
        let path = apt.directory.join(&found.file);
        let sha256 = digest_of(&path).map_err(SubjectError::files(&path, "apt"))?;
        let Package { name, version, architecture, file } = found;
        // A package for every architecture is pinned for this one.
        let architecture = if architecture == "all" { self::architecture() } else { architecture };
        let coordinate = format!("debian:{package}:{name}:{architecture}:{version}");
        let pin = Pin { coordinate, file: file.clone(), sha256 };
        keep(&pin, &apt.directory, Path::new("the lists of packages"), &held)?;
        pins.push(pin);
    }
    Ok(pins)
}

/// A line of `--print-uris`: `'URI' name_version_architecture.deb SIZE HASH`.
#[derive(Debug, PartialEq, Eq)]
struct Package {
    name: String,
    version: String,
    architecture: String,
    file: String,
}

impl Package {
    fn parse(line: &str) -> Option<Package> {
        let file = line.strip_prefix('\'')?.split_ascii_whitespace().nth(1)?;
        let mut parts = file.strip_suffix(".deb")?.split('_');
        let (name, version, architecture) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Package {
            name: name.into(),
            version: version.replace("%3a", ":"),
            architecture: architecture.into(),
            file: file.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_need_counts_as_installed_unless_it_is_wanted() {
        let (none, perl) = (status(""), status("perl"));
        assert!(none.contains("Package: perl\nStatus: install ok installed\n"), "{none}");
        assert!(!perl.contains("Package: perl\n") && perl.contains("Package: perl-base\n"), "{perl}");
    }

    #[test]
    fn a_line_of_uris_is_read_with_its_epoch() {
        let line =
            "'http://deb.debian.org/pool/x/x_1%253a2.3_amd64.deb' liby1_1%3a2.3-1_amd64.deb 10 MD5Sum:0";
        let found = Package::parse(line).unwrap();
        assert_eq!((found.name.as_str(), found.version.as_str()), ("liby1", "1:2.3-1"));
        assert_eq!(
            (found.architecture.as_str(), found.file.as_str()),
            ("amd64", "liby1_1%3a2.3-1_amd64.deb")
        );
        assert_eq!(Package::parse("Reading package lists..."), None);
    }
}
