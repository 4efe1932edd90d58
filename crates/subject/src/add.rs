//! Adds pins to a subject's lock file, and makes folders for new subjects.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::cache::Cache;
use super::catalogue::Catalogue;
use super::pins::{Pin, read_lock};
use super::{SubjectError, debian, tools};

const SKELETON: &str = include_str!("skeleton.yaml");
const LOCK_HEAD: &str = "# coordinate  file  SHA-256\n";

/// Result of [`add`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Added {
    pub folder: PathBuf,
    pub new: bool,
    /// The lines that were entered in its lock file.
    pub lines: Vec<String>,
}

/// Fetches the named artifacts (`group:artifact:version[:type[:classifier]]` from Maven Central, `debian:PACKAGE` with
/// all its dependencies) and pins them in the lock file of `folder`, in the place of earlier pins of the same name. A
/// folder that is not there is made, with a declaration to be filled in. The pinned file is the one that the registry
/// serves today: compare it with the one that its author publishes.
///
/// # Errors
/// An invalid name, a catalogue that is embedded in this executable, or something that cannot be fetched. Nothing is
/// entered then.
pub fn add(
    catalogue: &Catalogue,
    folder: &str,
    coordinates: &[String],
    cache: &Cache,
    say: &dyn Fn(&str),
) -> Result<Added, SubjectError> {
    let refused = |why: String| SubjectError::Parameter { subject: folder.to_string(), why };
    let named = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if folder.is_empty() || folder.starts_with('-') || !folder.bytes().all(named) {
        return Err(refused("is no name of a folder; use small letters, digits and -".into()));
    }
    if catalogue.root().starts_with(cache.root()) {
        return Err(refused(
            "the catalogue is the one inside this executable; name a folder of your own by --catalogue"
                .into(),
        ));
    }
    let path = catalogue.root().join(folder);
    let lock = path.join("lock");
    let mut pins = if lock.is_file() { read_lock(&lock)? } else { Vec::new() };
    let mut fetched = Vec::new();
    for coordinate in coordinates {
        fetched.extend(match coordinate.strip_prefix("debian:") {
            Some(package) if !package.contains(':') && !package.is_empty() => {
                debian::resolve(package, cache, say)?
            }
            Some(_) => return Err(refused(format!("{coordinate} is no Debian package; write debian:NAME"))),
            None => vec![tools::pin_of(folder, coordinate, cache, say)?],
        });
    }
    let new = !path.join("subject.yaml").exists();
    if new {
        make_folder(&path, folder)?;
    }
    pins.retain(|old| fetched.iter().all(|new| !replaces(new, old)));
    pins.extend(fetched.iter().cloned());
    if !fetched.is_empty() {
        write_lock(&lock, &pins)?;
    }
    Ok(Added { folder: path, new, lines: fetched.iter().map(Pin::line).collect() })
}

/// A Debian package replaces the pins for the same request and architecture.
fn replaces(new: &Pin, old: &Pin) -> bool {
    match (new.debian(), old.debian()) {
        (Some(new), Some(old)) => (new.wanted, new.architecture) == (old.wanted, old.architecture),
        _ => new.coordinate == old.coordinate,
    }
}

fn make_folder(path: &Path, name: &str) -> Result<(), SubjectError> {
    let file = path.join("subject.yaml");
    let written = fs::create_dir_all(path).and_then(|()| fs::write(&file, SKELETON.replace("NAME", name)));
    written.map_err(SubjectError::files(&file, "write"))
}

/// Whole or not at all: a lock file by halves would leave a subject that cannot be started.
fn write_lock(lock: &Path, pins: &[Pin]) -> Result<(), SubjectError> {
    let fresh = lock.with_extension("new");
    let written = || -> std::io::Result<()> {
        let mut file = fs::File::create(&fresh)?;
        file.write_all(LOCK_HEAD.as_bytes())?;
        for pin in pins {
            writeln!(file, "{}", pin.line())?;
        }
        file.sync_all()?;
        fs::rename(&fresh, lock)
    };
    written().map_err(SubjectError::files(lock, "write"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn pin(coordinate: &str) -> Pin {
        Pin { coordinate: coordinate.into(), file: "f".into(), sha256: "0".repeat(64) }
    }

    #[test]
    fn a_new_pin_takes_the_place_of_the_old_one_and_of_nothing_else() {
        assert!(replaces(&pin("g:a:1"), &pin("g:a:1")) && !replaces(&pin("g:a:2"), &pin("g:a:1")));
        let new = pin("debian:x:liby:amd64:2");
        assert!(replaces(&new, &pin("debian:x:libz:amd64:1")));
        assert!(
            !replaces(&new, &pin("debian:x:libz:arm64:1")) && !replaces(&new, &pin("debian:w:liby:amd64:1"))
        );
    }

    #[test]
    fn a_new_folder_is_a_subject_that_can_be_read() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("subjects");
        fs::create_dir_all(&root).unwrap();
        let cache = Cache::at(&directory.path().join("cache")).unwrap();
        let catalogue = Catalogue::read(&root).unwrap();
        let added = add(&catalogue, "my-server", &[], &cache, &|_| {}).unwrap();
        assert!(added.new && added.lines.is_empty());
        let again = Catalogue::read(&root).unwrap();
        assert!(again.list().contains("my-server"), "{}", again.list());
        assert!(!add(&again, "my-server", &[], &cache, &|_| {}).unwrap().new);
        for wrong in ["../x", "", "X"] {
            assert!(add(&again, wrong, &[], &cache, &|_| {}).is_err(), "{wrong}");
        }
        let refused = add(&again, "x", &["debian:a:b".into()], &cache, &|_| {}).unwrap_err().to_string();
        assert!(refused.contains("debian:NAME") && !root.join("x").exists(), "{refused}");
    }
}
