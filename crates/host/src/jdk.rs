//! Installed JDKs, recognized by their `release` files; no JVM is started.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Most folders that are looked at in one place.
const HOMES_MAX: usize = 256;

/// Most bytes of a `release` file that are read.
const RELEASE_BYTES_MAX: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder, links resolved; `bin/java` is below it.
    pub home: PathBuf,
    /// Feature release: 8, 17, 25.
    pub major: u32,
    /// `17.0.15`.
    pub version: String,
    /// Vendor; empty if its `release` file does not name one.
    pub vendor: String,
    /// True if it has a compiler (else it is a runtime only).
    pub has_compiler: bool,
}

impl std::fmt::Display for Jdk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.has_compiler { "" } else { " (runtime only)" };
        match self.vendor.as_str() {
            "" => write!(f, "{}{what} in {}", self.version, self.home.display()),
            vendor => write!(f, "{} {vendor}{what} in {}", self.version, self.home.display()),
        }
    }
}

/// All Javas found: `JAVA_HOME`, `PATH`, and the places where distributions, SDKMAN and IDEs put them. By
/// version, each home once.
pub fn find_all() -> Vec<Jdk> {
    let mut homes: Vec<PathBuf> = Vec::new();
    homes.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    homes.extend(on_path("java").and_then(|java| Some(java.parent()?.parent()?.to_path_buf())));
    let user = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let places = [
        PathBuf::from("/usr/lib/jvm"),
        PathBuf::from("/usr/java"),
        PathBuf::from("/opt"),
        PathBuf::from("/opt/java"),
        user.join(".sdkman/candidates/java"),
        user.join(".jdks"),
    ];
    for place in places {
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        homes.extend(entries.take(HOMES_MAX).map(|entry| entry.path()));
    }
    in_homes(&homes)
}

/// The Java in each of these folders that has one.
fn in_homes(homes: &[PathBuf]) -> Vec<Jdk> {
    let mut found: BTreeMap<PathBuf, Jdk> = BTreeMap::new();
    for home in homes {
        let Ok(home) = fs::canonicalize(home) else { continue };
        let is_new = !found.contains_key(&home) && home.join("bin/java").is_file();
        if let Some(jdk) = is_new.then(|| read(&home)).flatten() {
            found.insert(home, jdk);
        }
    }
    let mut jdks: Vec<Jdk> = found.into_values().collect();
    jdks.sort_by(|a, b| {
        (a.major, numbers(&a.version), &a.home).cmp(&(b.major, numbers(&b.version), &b.home))
    });
    jdks
}

/// Path of a program of this name, links resolved.
pub fn on_path(program: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| {
            fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
        .and_then(|file| fs::canonicalize(file).ok())
}

fn read(home: &Path) -> Option<Jdk> {
    // Java 8 keeps its `release` file one level above the `jre` folder that `PATH` may lead to.
    let text = [home.join("release"), home.join("../release")]
        .iter()
        .find_map(|file| crate::files::read(file, 1 << 20).ok())?;
    let text = String::from_utf8_lossy(&text[..text.len().min(RELEASE_BYTES_MAX)]).into_owned();
    let release = parse_release(&text);
    let version = release.get("JAVA_VERSION")?.clone();
    Some(Jdk {
        major: parse_major(&version)?,
        version,
        vendor: release.get("IMPLEMENTOR").cloned().unwrap_or_default(),
        has_compiler: home.join("bin/javac").is_file(),
        home: home.to_path_buf(),
    })
}

/// `KEY="value"` lines.
fn parse_release(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim().to_string(), value.trim().trim_matches('"').to_string()))
        .collect()
}

/// `17.0.15` is 17, `1.8.0_402` is 8 (the numbering before JEP 223).
fn parse_major(version: &str) -> Option<u32> {
    let mut parts = version.split(['.', '_', '-', '+']);
    match parts.next()?.parse().ok()? {
        1 => parts.next()?.parse().ok(),
        major => Some(major),
    }
}

/// So that 17.0.9 comes before 17.0.15.
fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '_', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plant(folder: &Path, name: &str, release: &str, compiler: bool) -> PathBuf {
        let home = folder.join(name);
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::write(home.join("bin/java"), "").unwrap();
        if compiler {
            fs::write(home.join("bin/javac"), "").unwrap();
        }
        fs::write(home.join("release"), release).unwrap();
        home
    }

    #[test]
    fn javas_are_told_apart_by_their_release_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let homes = [
            plant(at, "new", "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\n", true),
            plant(at, "older", "JAVA_VERSION=\"17.0.9\"\n", false),
            plant(at, "eight", "JAVA_VERSION=\"1.8.0_402\"\n", true),
            plant(at, "odd", "JAVA_VERSION=\"soon\"\n", true),
            at.join("absent"),
        ];
        let jdks = in_homes(&homes);
        let versions: Vec<&str> = jdks.iter().map(|jdk| jdk.version.as_str()).collect();
        assert_eq!(versions, ["1.8.0_402", "17.0.9", "17.0.15"]);
        assert_eq!((jdks[0].major, jdks[1].has_compiler, jdks[2].vendor.as_str()), (8, false, "Debian"));
    }

    #[test]
    fn a_link_to_a_java_is_not_a_second_java() {
        let folder = tempfile::tempdir().unwrap();
        let home = plant(folder.path(), "real", "JAVA_VERSION=\"25\"\n", true);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&home, &link).unwrap();
        assert_eq!(in_homes(&[link, home]).len(), 1);
    }

    #[test]
    fn a_folder_without_java_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("release"), "JAVA_VERSION=\"17\"").unwrap();
        assert_eq!(in_homes(&[folder.path().to_path_buf()]), []);
    }
}
