//! The pinned files of a subject: from Maven, from Debian, and where they lie in the cache.

use std::path::PathBuf;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::templates::Templates;
use crate::cache::Cache;
use crate::pins::{Pin, Pinned, REFETCH, read_lock};
use crate::{SubjectError, debian, tools};

/// Pinned files that are unpacked into one directory of the cache.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    pins: Vec<Pin>,
    /// Empty where the folder needs nothing at all.
    pub(super) root: PathBuf,
}

impl Unpacked {
    /// The directory, if there is something to unpack.
    pub(super) fn made(&self) -> Option<&PathBuf> {
        (!self.pins.is_empty()).then_some(&self.root)
    }
}

/// The pinned files of a subject.
#[derive(Debug)]
pub(super) struct Needs<'a> {
    folder: &'a str,
    lock: PathBuf,
    pub(super) archives: Vec<Pin>,
    pub(super) unpacked: Unpacked,
    pub(super) debian: Unpacked,
}

impl<'a> Needs<'a> {
    /// Looks up what the folder needs with these parameters in its lock file.
    ///
    /// # Errors
    /// The lock file is wrong, or lacks something.
    pub(super) fn find(
        folder: &'a str,
        lock: PathBuf,
        templates: &Templates<'_>,
        cache: &Cache,
    ) -> Result<Self, SubjectError> {
        let mut needs = Needs {
            folder,
            lock,
            archives: Vec::new(),
            unpacked: Unpacked::default(),
            debian: Unpacked::default(),
        };
        let declared = templates.declaration;
        let maven = templates.texts(&declared.maven);
        let unpack = templates.texts(&declared.unpack);
        let packages = templates.texts(&declared.debian);
        if maven.is_empty() && unpack.is_empty() && packages.is_empty() {
            return Ok(needs);
        }
        let pinned = read_lock(&needs.lock)?;
        let find = |coordinate: &String| {
            let pin = pinned.iter().find(|pin| pin.coordinate == *coordinate).cloned();
            pin.ok_or_else(|| needs.unpinned(coordinate, coordinate))
        };
        let archives: Vec<Pin> = maven.iter().map(find).collect::<Result<_, _>>()?;
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
                return Err(needs.unpinned(&what, &format!("debian:{package}")));
            }
        }
        needs.archives = archives;
        needs.unpacked = Unpacked { root: cache.unpacked(&digest_of_pins(&unpacked)), pins: unpacked };
        needs.debian = Unpacked { root: cache.debian(&digest_of_pins(&debian)), pins: debian };
        Ok(needs)
    }

    fn unpinned(&self, what: &str, coordinate: &str) -> SubjectError {
        SubjectError::Unpinned {
            subject: self.folder.to_string(),
            what: what.to_string(),
            lock: self.lock.clone(),
            coordinate: coordinate.to_string(),
        }
    }

    /// All pins, unpacked ones included.
    pub(super) fn pins(&self) -> impl Iterator<Item = &Pin> {
        self.archives.iter().chain(&self.unpacked.pins).chain(&self.debian.pins)
    }

    /// A pin's file in the cache.
    pub(super) fn pinned(&self, pin: &Pin, cache: &Cache) -> Pinned {
        pin.at(cache.file(&pin.sha256, &pin.file), &self.lock)
    }

    /// Fetches, verifies and unpacks everything that the cache lacks.
    ///
    /// # Errors
    /// Something cannot be fetched, or is not as pinned.
    pub(super) fn fetch(&self, cache: &Cache, say: &dyn Fn(&str)) -> Result<(), SubjectError> {
        let missing = |pin: &&Pin| !cache.file(&pin.sha256, &pin.file).is_file();
        if cache.is_offline() {
            let missing: Vec<String> =
                self.pins().filter(missing).map(|pin| pin.coordinate.clone()).collect();
            if !missing.is_empty() {
                return Err(SubjectError::Offline { subject: self.folder.to_string(), missing });
            }
        }
        let from_maven: Vec<Pin> = self.archives.iter().chain(&self.unpacked.pins).cloned().collect();
        let wanted = tools::Fetch { subject: self.folder, pins: &from_maven, lock: &self.lock };
        tools::fetch(&wanted, cache, say)?;
        let packages = tools::Fetch { subject: self.folder, pins: &self.debian.pins, lock: &self.lock };
        debian::fetch(&packages, cache, say)?;
        // Only pinned files are compiled against or unpacked.
        self.pins().try_for_each(|pin| self.pinned(pin, cache).verify(REFETCH))?;
        debian::unpack(self.folder, &self.debian.pins, &self.debian.root, cache)?;
        tools::unpack(&self.unpacked.pins, &self.unpacked.root, cache, say)
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
