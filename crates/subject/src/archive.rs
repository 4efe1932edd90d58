//! Archives from untrusted sources: unpacked so that nothing leaves the folder that it is unpacked into.
//!
//! The files are pinned, but pinning does not imply that every member was read. So every name is checked, symbolic
//! links are only written when they cannot lead out, and nothing is ever written through one. A refused member leaves a
//! half unpacked folder behind: unpack into a fresh one and move it when it is whole.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use super::SubjectError;

/// Limits of one unpacked archive; more is taken for an attack or a mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) members: u64,
    /// Bytes of all files together, as unpacked.
    pub(crate) bytes: u64,
}

/// Of an archive of any kind. A JDK has 500 files and 350 MB, a Debian package seldom 10,000 files.
pub(crate) const LIMITS: Limits = Limits { members: 100_000, bytes: 4 << 30 };

/// Longest name of a member.
const NAME_BYTES_MAX: usize = 4096;
/// Most bytes before a member's content: its header, long names, other metadata.
const HEAD_BYTES_MAX: u64 = 64 << 10;
/// Bits of a mode that are kept: no set-user-id, no writing by others.
const MODE_MASK: u32 = 0o755;

/// Unpacks a tar (not compressed: `dpkg-deb --fsys-tarfile` writes one) into a folder. Absolute symbolic links, which
/// packages have, become relative ones within the folder, as if it were the root. Several archives may go into one
/// folder as long as no file comes twice.
///
/// # Errors
/// The first member that is not valid, or a file that cannot be written.
pub(crate) fn unpack_tar(archive: &Path, into: &Path, limits: Limits) -> Result<(), SubjectError> {
    let file = File::open(archive).map_err(SubjectError::files(archive, "read"))?;
    let mut folder = Folder { archive, root: into, left: limits, limits, record: None };
    unpack_tar_from(io::BufReader::new(file), &mut folder)
}

/// Unpacks a tar that comes from somewhere else, which messages call `named`, into a folder, under the rules of other archives.
///
/// # Errors
/// The first member that is not as it should be, or a file that cannot be written.
pub fn unpack(from: impl Read, named: &Path, into: &Path) -> Result<(), SubjectError> {
    let mut folder = Folder { archive: named, root: into, left: LIMITS, limits: LIMITS, record: None };
    unpack_tar_from(from, &mut folder)
}

/// Unpacks the one record in a tar: files and folders below `STUDY/ID`, which are written below `into`, as its owner's alone. Gives
/// the id.
///
/// # Errors
/// As [`unpack`]; a member of another study, of a second record, or that is a link.
pub fn unpack_record(
    from: impl Read,
    named: &Path,
    into: &Path,
    study: &str,
) -> Result<String, SubjectError> {
    let record = Some(Record { study, id: None });
    let mut folder = Folder { archive: named, root: into, left: LIMITS, limits: LIMITS, record };
    unpack_tar_from(from, &mut folder)?;
    let id = folder.record.take().and_then(|record| record.id);
    id.ok_or_else(|| folder.refuse(b"", "it holds no record"))
}

fn unpack_tar_from(from: impl Read, folder: &mut Folder<'_>) -> Result<(), SubjectError> {
    let archive = folder.archive;
    let unread = || SubjectError::files(archive, "read");
    let left = Rc::new(Cell::new(HEAD_BYTES_MAX));
    let mut tar = tar::Archive::new(Metered { from, left: Rc::clone(&left) });
    for entry in tar.entries().map_err(unread())? {
        let mut entry = entry.map_err(unread())?;
        let name = entry.path_bytes().into_owned();
        let link = entry.link_name_bytes().map(|link| link.into_owned()).unwrap_or_default();
        let mode = entry.header().mode().unwrap_or(0o644);
        match entry.header().entry_type() {
            tar::EntryType::XGlobalHeader => {}
            tar::EntryType::Directory => folder.directory(&name)?,
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                left.set(u64::MAX);
                let size = entry.size();
                folder.file(&name, mode, &mut Whole { from: &mut entry, left: size })?;
                left.set(HEAD_BYTES_MAX);
            }
            tar::EntryType::Symlink => folder.symlink(&name, &link)?,
            tar::EntryType::Link => folder.hard_link(&name, &link)?,
            other => {
                return Err(folder.refuse(&name, format!("it is neither file, folder nor link ({other:?})")));
            }
        }
        // What no kind but a file has content for is not read past without end either.
        left.set(HEAD_BYTES_MAX);
    }
    Ok(())
}

/// Gives only that many bytes until it is allowed more: metadata of a member is read into memory.
struct Metered<R> {
    from: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 && !into.is_empty() {
            let why = format!("a member has a head of more than {HEAD_BYTES_MAX} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let most = into.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.from.read(&mut into[..most])?;
        self.left.set(left.saturating_sub(read as u64));
        Ok(read)
    }
}

/// A content that is all there, or an error.
struct Whole<'a, R> {
    from: &'a mut R,
    left: u64,
}

impl<R: Read> Read for Whole<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        self.left = self.left.saturating_sub(read as u64);
        if read == 0 && self.left > 0 && !into.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends within a file"));
        }
        Ok(read)
    }
}

/// Unpacks a zip or jar into a folder, under the rules of [`unpack_tar`].
///
/// # Errors
/// The first member that is not as it should be, or a file that cannot be written.
pub(crate) fn unpack_zip(archive: &Path, into: &Path, limits: Limits) -> Result<(), SubjectError> {
    let mut folder = Folder { archive, root: into, left: limits, limits, record: None };
    let file = File::open(archive).map_err(SubjectError::files(archive, "read"))?;
    unpack_zip_from(io::BufReader::new(file), &mut folder)
}

fn unpack_zip_from(reader: impl Read + Seek, folder: &mut Folder<'_>) -> Result<(), SubjectError> {
    let archive = folder.archive;
    let unread = |error: zip::result::ZipError| SubjectError::files(archive, "read")(error.into());
    let mut zip = zip::ZipArchive::new(reader).map_err(unread)?;
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(unread)?;
        let name = entry.name_raw().to_vec();
        let mode = entry.unix_mode().unwrap_or(0o644);
        if entry.is_dir() {
            folder.directory(&name)?;
        } else if entry.is_symlink() {
            let mut link = Vec::new();
            let read = (&mut entry).take(NAME_BYTES_MAX as u64 + 1).read_to_end(&mut link);
            read.map_err(SubjectError::files(archive, "read"))?;
            folder.symlink(&name, &link)?;
        } else {
            folder.file(&name, mode, &mut entry)?;
        }
    }
    Ok(())
}

/// A folder that is being filled from an archive.
struct Folder<'a> {
    archive: &'a Path,
    root: &'a Path,
    limits: Limits,
    left: Limits,
    /// It is filled from a record, and with nothing else.
    record: Option<Record<'a>>,
}

/// The record in an archive.
struct Record<'a> {
    study: &'a str,
    /// Id from its first member.
    id: Option<String>,
}

impl Record<'_> {
    /// The parts of a name below `STUDY/ID`; none of the folders above.
    fn below<'p>(&mut self, parts: &'p [&'p OsStr]) -> Result<&'p [&'p OsStr], String> {
        let (study, id) = (parts.first(), parts.get(1));
        if study.is_some_and(|study| *study != self.study) {
            return Err(format!("it is not below {}", self.study));
        }
        let Some(id) = id else { return Ok(&[]) };
        let id = id.to_str().ok_or("its record has no name")?;
        match &self.id {
            Some(known) if known != id => Err(format!("it is of another record than {known}")),
            _ => {
                self.id = Some(id.to_owned());
                Ok(&parts[2..])
            }
        }
    }
}

impl Folder<'_> {
    fn refuse(&self, name: &[u8], why: impl Into<String>) -> SubjectError {
        let member = String::from_utf8_lossy(name).escape_debug().to_string();
        SubjectError::Archive { archive: self.archive.into(), member, why: why.into() }
    }

    /// Counts a member and checks its name; nothing when it names the folder itself.
    fn place(&mut self, name: &[u8]) -> Result<Option<PathBuf>, SubjectError> {
        self.left.members = self.left.members.checked_sub(1).ok_or_else(|| {
            self.refuse(name, format!("the archive has more than {} members", self.limits.members))
        })?;
        let parts = parts_of(name).map_err(|why| self.refuse(name, why))?;
        let parts = match &mut self.record {
            Some(record) => record.below(&parts).map(<[_]>::to_vec).map_err(|why| self.refuse(name, why))?,
            None => parts,
        };
        let mut path = self.root.to_path_buf();
        for (index, part) in parts.iter().enumerate() {
            path.push(part);
            // Written through, a link would lead wherever it points by then.
            let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
            if is_link && index + 1 < parts.len() {
                return Err(self.refuse(name, "its folder is a symbolic link"));
            }
        }
        Ok((!parts.is_empty()).then_some(path))
    }

    fn directory(&mut self, name: &[u8]) -> Result<(), SubjectError> {
        let Some(path) = self.place(name)? else { return Ok(()) };
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => Err(self.refuse(name, "something that is no folder is there already")),
            Err(_) => self.make(&path),
        }
    }

    fn file(&mut self, name: &[u8], mode: u32, content: &mut impl Read) -> Result<(), SubjectError> {
        let Some(path) = self.place(name)? else {
            return Err(self.refuse(name, "a file cannot have the name of the folder itself"));
        };
        self.parents(&path)?;
        // Exclusive, so that neither a link nor a member of the same name is written to.
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = match opened {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(self.refuse(name, "it is there already"));
            }
            opened => opened.map_err(SubjectError::files(&path, "write"))?,
        };
        let room = self.left.bytes;
        let unread = || SubjectError::files(self.archive, "read");
        let copied = io::copy(&mut content.take(room.saturating_add(1)), &mut file).map_err(unread())?;
        if copied > room {
            return Err(
                self.refuse(name, format!("the archive unpacks to more than {} bytes", self.limits.bytes))
            );
        }
        self.left.bytes -= copied;
        let mode = if self.record.is_some() { 0o600 } else { mode & MODE_MASK | 0o600 };
        let kept = file.flush().and_then(|()| file.set_permissions(fs::Permissions::from_mode(mode)));
        kept.map_err(SubjectError::files(&path, "write"))
    }

    /// A record has none.
    fn may_link(&self, name: &[u8]) -> Result<(), SubjectError> {
        if self.record.is_some() { Err(self.refuse(name, "it is a link")) } else { Ok(()) }
    }

    fn symlink(&mut self, name: &[u8], target: &[u8]) -> Result<(), SubjectError> {
        self.may_link(name)?;
        let Some(path) = self.place(name)? else {
            return Err(self.refuse(name, "a link cannot have the name of the folder itself"));
        };
        let depth = parts_of(name).map_or(0, |parts| parts.len()).saturating_sub(1);
        let target = inner_target(target, depth).map_err(|why| self.refuse(name, why))?;
        self.parents(&path)?;
        match std::os::unix::fs::symlink(&target, &path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(self.refuse(name, "it is there already"))
            }
            made => made.map_err(SubjectError::files(&path, "make")),
        }
    }

    /// A copy, for two names of one file in a cache would be one way to change a file that was verified.
    fn hard_link(&mut self, name: &[u8], target: &[u8]) -> Result<(), SubjectError> {
        self.may_link(name)?;
        let source =
            self.place(target)?.filter(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()));
        let Some(source) = source else {
            return Err(self.refuse(name, "it links to something that is no file before it in the archive"));
        };
        let unread = || SubjectError::files(&source, "read");
        let mut content = File::open(&source).map_err(unread())?;
        let mode = content.metadata().map_err(unread())?.permissions().mode();
        self.file(name, mode, &mut content)
    }

    fn parents(&self, path: &Path) -> Result<(), SubjectError> {
        self.make(path.parent().unwrap_or(self.root))
    }

    fn make(&self, path: &Path) -> Result<(), SubjectError> {
        let mode = if self.record.is_some() { 0o700 } else { 0o755 };
        let made = DirBuilder::new().recursive(true).mode(mode).create(path);
        made.map_err(SubjectError::files(path, "make"))
    }
}

/// The parts of a member's name, when all of them lead downward.
fn parts_of(name: &[u8]) -> Result<Vec<&OsStr>, String> {
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        return Err(format!("its name has {} bytes; 1 to {NAME_BYTES_MAX} are allowed", name.len()));
    }
    if let Some(odd) = name.iter().find(|byte| byte.is_ascii_control() || **byte == b'\\') {
        return Err(format!("its name has the byte {odd:#04x}"));
    }
    let mut parts = Vec::new();
    for component in Path::new(OsStr::from_bytes(name)).components() {
        match component {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err("its name is absolute".into()),
            Component::ParentDir => return Err("its name leads upward".into()),
        }
    }
    Ok(parts)
}

/// Target that a link in a folder `depth` below the root may have: `..` only in front, and no more of them than there
/// are folders. (Behind a name, `..` could leave a folder that is itself a link.) An absolute target starts at the
/// root, and becomes relative.
fn inner_target(target: &[u8], depth: usize) -> Result<PathBuf, String> {
    if target.is_empty() || target.len() > NAME_BYTES_MAX || target.contains(&0) {
        return Err("it is a link to an impossible name".into());
    }
    let target = Path::new(OsStr::from_bytes(target));
    let mut inner = PathBuf::new();
    let (mut up, mut down) = (0, false);
    if target.is_absolute() {
        (0..depth).for_each(|_| inner.push(".."));
        up = depth;
    }
    for component in target.components() {
        match component {
            Component::Normal(part) => {
                down = true;
                inner.push(part);
            }
            Component::ParentDir if down => return Err("it is a link that goes down and up again".into()),
            Component::ParentDir if up == depth => {
                return Err("it is a link that leads out of the archive".into());
            }
            Component::ParentDir => {
                up += 1;
                inner.push("..");
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    if inner.as_os_str().is_empty() {
        inner.push(".");
    }
    Ok(inner)
}

#[cfg(test)]
mod tests;
