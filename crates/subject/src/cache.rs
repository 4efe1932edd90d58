//! The cache: fetched and built files, named by their content. An entry is complete or does not exist.
//!
//! `$PROOFLOAD_CACHE`, else `$XDG_CACHE_HOME/proofload`, else `~/.cache/proofload`, 0700:
//! `files/SHA256/NAME`, `builds/DIGEST/`, `unpacked/DIGEST/`, `debian/DIGEST/`, `catalogue/DIGEST/`, `maven/`
//! (Maven's own repository), `apt/` (lists of packages), `ceilings/`, `noise/` and `spreads/` (what was measured), and while
//! an entry is made `tmp/ENTRY/`, `locks/ENTRY`.

use data_encoding::HEXLOWER;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

use proofload_host::clock::{monotonic_ns, sleep_ns};

use super::{SubjectError, temp};

/// Environment variable that names the cache.
pub const CACHE_VARIABLE: &str = "PROOFLOAD_CACHE";

/// Longest wait for another Proofload that fills the cache: longer than any fetch may take.
const HELD_MAX_NS: u64 = 900_000_000_000;
const POLL_EVERY_NS: u64 = 100_000_000;

static FRESH: AtomicU32 = AtomicU32::new(0);

/// A cache directory that belongs to this user alone.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
    offline: bool,
}

impl Cache {
    /// Opens the cache of this user, made when missing.
    ///
    /// # Errors
    /// There is no home directory, or the directory is not ours alone.
    pub fn open() -> Result<Cache, SubjectError> {
        let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = named(CACHE_VARIABLE)
            .or_else(|| named("XDG_CACHE_HOME").map(|path| path.join("proofload")))
            .or_else(|| named("HOME").map(|path| path.join(".cache/proofload")));
        let missing = || io::Error::other("neither PROOFLOAD_CACHE, XDG_CACHE_HOME nor HOME is set");
        Cache::at(&root.ok_or_else(missing).map_err(SubjectError::files("~/.cache", "no-cache"))?)
    }

    /// Opens the cache at `root`.
    ///
    /// # Errors
    /// It cannot be made or is not ours alone.
    pub fn at(root: &Path) -> Result<Cache, SubjectError> {
        let made = || -> io::Result<PathBuf> {
            let root = std::path::absolute(root)?;
            if let Some(above) = root.parent() {
                fs::create_dir_all(above)?;
            }
            temp::make_private(&root)?;
            Ok(root)
        };
        let root = made().map_err(SubjectError::files(root, "cache"))?;
        Ok(Cache { root, offline: false })
    }

    /// The same cache; when offline, nothing is fetched that it lacks.
    #[must_use]
    pub fn offline(self, offline: bool) -> Cache {
        Cache { offline, ..self }
    }

    pub(crate) fn is_offline(&self) -> bool {
        self.offline
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Path of a fetched file; it may not exist.
    pub(crate) fn file(&self, sha256: &str, name: &str) -> PathBuf {
        self.root.join("files").join(sha256).join(name)
    }

    /// Path of a build; it may not exist.
    pub(crate) fn build(&self, digest: &str) -> PathBuf {
        self.root.join("builds").join(digest)
    }

    /// Path of unpacked archives; they may not exist.
    pub(crate) fn unpacked(&self, digest: &str) -> PathBuf {
        self.root.join("unpacked").join(digest)
    }

    /// Path of unpacked Debian packages; they may not exist.
    pub(crate) fn debian(&self, digest: &str) -> PathBuf {
        self.root.join("debian").join(digest)
    }

    /// Waits until no other Proofload makes this entry, and locks it. The kernel releases the lock when its holder
    /// dies.
    pub(crate) fn hold(&self, entry: &str, interrupted: &dyn Fn() -> bool) -> Result<Held<'_>, SubjectError> {
        let path = self.root.join("locks").join(entry);
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(self.root.join("locks"));
        made.map_err(SubjectError::files(&path, "make"))?;
        let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let lock = opened.map_err(SubjectError::files(&path, "open"))?;
        let begun_ns = monotonic_ns();
        loop {
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
                Err(why) => return Err(SubjectError::files(&path, "lock")(why.into())),
            }
            let waited_ns = monotonic_ns() - begun_ns;
            if waited_ns > HELD_MAX_NS {
                return Err(SubjectError::CacheHeld { path, seconds: waited_ns / 1_000_000_000 });
            }
            if interrupted() {
                return Err(SubjectError::Interrupted);
            }
            sleep_ns(POLL_EVERY_NS);
        }
        let held = Held { cache: self, entry: entry.to_string(), _lock: lock };
        held.sweep()?;
        Ok(held)
    }
}

/// An entry of the cache that is locked while it is made. Dropping it releases the lock.
pub(crate) struct Held<'a> {
    cache: &'a Cache,
    entry: String,
    _lock: File,
}

impl Held<'_> {
    pub(crate) fn cache(&self) -> &Cache {
        self.cache
    }

    /// Moves a file with this digest into the cache, unless it is there already.
    pub(crate) fn keep(&self, path: &Path, sha256: &str, name: &str) -> Result<(), SubjectError> {
        let target = self.cache.file(sha256, name);
        if target.is_file() {
            return Ok(());
        }
        let fresh = self.fresh_directory("file")?;
        fs::rename(path, fresh.join(name)).map_err(SubjectError::files(path, "move"))?;
        self.publish(&fresh, target.parent().unwrap_or(&target))
    }

    fn temporary(&self) -> PathBuf {
        self.cache.root.join("tmp").join(&self.entry)
    }

    /// Removes what an earlier holder left unfinished.
    fn sweep(&self) -> Result<(), SubjectError> {
        let path = self.temporary();
        match fs::remove_dir_all(&path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => {
                Err(SubjectError::files(&path, "remove")(why))
            }
            _ => Ok(()),
        }
    }

    /// An empty directory on the same file system.
    pub(crate) fn fresh_directory(&self, name: &str) -> Result<PathBuf, SubjectError> {
        let number = FRESH.fetch_add(1, Ordering::Relaxed);
        let path = self.temporary().join(format!("{name}-{}-{number}", std::process::id()));
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(SubjectError::files(&path, "make"))?;
        Ok(path)
    }

    /// Gives a finished directory its name: from now on others may use it.
    pub(crate) fn publish(&self, fresh: &Path, target: &Path) -> Result<(), SubjectError> {
        let moved = || -> io::Result<()> {
            if let Some(above) = target.parent() {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(above)?;
            }
            fs::rename(fresh, target)
        };
        moved().map_err(SubjectError::files(target, "move"))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Empty unless something failed half-way; then the next holder sweeps it.
        let _ = fs::remove_dir(self.temporary());
        let _ = fs::remove_dir(self.cache.root.join("tmp"));
    }
}

/// Metadata that stays the same as long as the file does not change.
#[derive(PartialEq, Eq, Hash)]
struct Identity {
    device: u64,
    inode: u64,
    length: u64,
    modified_ns: i128,
    changed_ns: i128,
}

static DIGESTS: LazyLock<Mutex<HashMap<Identity, String>>> = LazyLock::new(Mutex::default);

/// SHA-256 of a file. An unchanged file is read once by this process: subjects are verified before each start, and
/// a start must not cost the page cache a hundred megabytes.
pub(crate) fn digest_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let found = file.metadata()?;
    let ns = |seconds: i64, nanoseconds: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    let identity = Identity {
        device: found.dev(),
        inode: found.ino(),
        length: found.len(),
        modified_ns: ns(found.mtime(), found.mtime_nsec()),
        changed_ns: ns(found.ctime(), found.ctime_nsec()),
    };
    let known = || DIGESTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(digest) = known().get(&identity) {
        return Ok(digest.clone());
    }
    let mut hasher = Sha256::new();
    let mut chunk = vec![0_u8; 64 << 10];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            n => hasher.update(&chunk[..n]),
        }
    }
    let digest = HEXLOWER.encode(&hasher.finalize());
    known().insert(identity, digest.clone());
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest_of(&path).unwrap(), abc);
        fs::write(&path, "abcd").unwrap();
        assert_ne!(digest_of(&path).unwrap(), abc);
    }

    #[test]
    fn a_cache_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("cache");
        Cache::at(&root).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Cache::at(&root).unwrap_err().to_string().contains("0700"));
    }

    #[test]
    fn a_second_holder_of_an_entry_waits_until_it_is_interrupted() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::at(&directory.path().join("cache")).unwrap();
        let held = cache.hold("x", &|| false).unwrap();
        assert!(matches!(cache.hold("x", &|| true), Err(SubjectError::Interrupted)));
        drop(cache.hold("y", &|| true).unwrap());
        let half = held.fresh_directory("half").unwrap();
        drop(held);
        let held = cache.hold("x", &|| false).unwrap();
        assert!(!half.exists(), "what an earlier holder left unfinished is removed");
        let fresh = held.fresh_directory("whole").unwrap();
        held.publish(&fresh, &cache.build("x")).unwrap();
        assert!(cache.build("x").is_dir() && !fresh.exists());
    }
}
