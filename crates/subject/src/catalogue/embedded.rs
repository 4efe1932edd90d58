//! The catalogue as it was when this executable was built, so that an installed one works anywhere.

use data_encoding::HEXLOWER;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::SubjectError;
use crate::cache::Cache;
use proofload_host::signals;

/// Path within `subjects/`, and content; in order.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// Unpacks the embedded catalogue into the cache, once for each content, and returns its folder.
pub(crate) fn unpack(cache: &Cache) -> Result<PathBuf, SubjectError> {
    let mut hasher = Sha256::new();
    for (path, content) in FILES {
        hasher.update(format!("{path} {}\n", content.len()));
        hasher.update(content);
    }
    let target = cache.root().join("catalogue").join(HEXLOWER.encode(&hasher.finalize()));
    if target.is_dir() && unchanged(&target) {
        return Ok(target);
    }
    let held = cache.hold("catalogue", &|| signals::count() > 0)?;
    if target.is_dir() {
        // Changed since it was unpacked, or unpacked by halves before a power cut.
        fs::remove_dir_all(&target).map_err(SubjectError::files(&target, "remove"))?;
    }
    let fresh = held.fresh_directory("catalogue")?;
    for (path, content) in FILES {
        let file = fresh.join(path);
        let folder = file.parent().unwrap_or(&fresh);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, content));
        written.map_err(SubjectError::files(&file, "write"))?;
    }
    held.publish(&fresh, &target)?;
    Ok(target)
}

fn unchanged(target: &Path) -> bool {
    FILES.iter().all(|(path, content)| fs::read(target.join(path)).is_ok_and(|found| found == *content))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(root: &Path, at: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
            }
        }
    }

    #[test]
    fn every_file_of_the_catalogue_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
        let mut on_disk = Vec::new();
        walk(&root, &root, &mut on_disk);
        on_disk.sort();
        let embedded: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        assert_eq!(on_disk, embedded);
    }

    #[test]
    fn an_unpacked_catalogue_that_was_changed_is_unpacked_again() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(&directory.path().join("cache")).unwrap();
        let target = unpack(&cache).unwrap();
        fs::write(target.join("tomcat/lock"), "changed").unwrap();
        assert_eq!(unpack(&cache).unwrap(), target);
        assert!(unchanged(&target));
    }
}
