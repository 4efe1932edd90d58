//! Files named by the user: read with a limit, and only if they come to an end.

use proofload_language::tr;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Longest silence of a pipe, in seconds. A person who types is not a program.
const SILENT_MAX_S: i64 = 30;

/// Reads a file, or a pipe to its end, as a shell's `<(…)` is one.
///
/// # Errors
/// [`ErrorKind::FileTooLarge`] if there are more than `most_bytes` bytes, [`ErrorKind::InvalidInput`] where it is a
/// folder, a device, a socket or an empty pipe, [`ErrorKind::TimedOut`] where a pipe stays silent; else the system's
/// error.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for its other end.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let kind = file.metadata()?.file_type();
    let none = || io::Error::new(ErrorKind::InvalidInput, tr!("host-no-file"));
    if !kind.is_file() && !kind.is_fifo() {
        return Err(none());
    }
    let (mut bytes, mut file) = (Vec::new(), file.take(most_bytes.saturating_add(1)));
    loop {
        match file.read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > most_bytes => {
                let most = size(most_bytes);
                return Err(io::Error::new(ErrorKind::FileTooLarge, tr!("host-file-too-large", most)));
            }
            // The pipe has no writer, and may never have one.
            Ok(_) if kind.is_fifo() && bytes.is_empty() => return Err(none()),
            Ok(_) => return Ok(bytes),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        let patience = Timespec { tv_sec: SILENT_MAX_S, tv_nsec: 0 };
        match poll(&mut [PollFd::new(file.get_ref(), PollFlags::IN)], Some(&patience)) {
            Ok(0) => return Err(io::Error::new(ErrorKind::TimedOut, tr!("host-silent-pipe"))),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The same of a text.
///
/// # Errors
/// As [`read`], and [`ErrorKind::InvalidData`] where it is not UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, most_bytes)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// `16 MiB`; in KiB what is less than one.
pub fn size(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_and_pipes_are_read_to_their_limit_and_nothing_without_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("four"), "four").unwrap();
        let kind = |path: &Path, most| read(path, most).map_err(|error| error.kind());
        assert_eq!(kind(&at("four"), 4), Ok(b"four".to_vec()));
        assert_eq!(kind(&at("four"), 3), Err(ErrorKind::FileTooLarge));
        assert_eq!(kind(&at("none"), 4), Err(ErrorKind::NotFound));
        for endless in ["/dev/zero", "/dev/full", "/"] {
            assert_eq!(kind(Path::new(endless), 4), Err(ErrorKind::InvalidInput), "{endless}");
        }
        let (reader, mut writer) = io::pipe().unwrap();
        use std::os::fd::AsRawFd;
        let pipe = format!("/proc/self/fd/{}", reader.as_raw_fd());
        let writes = std::thread::spawn(move || {
            for part in ["pa", "rt", "s"] {
                std::thread::yield_now();
                io::Write::write_all(&mut writer, part.as_bytes()).unwrap();
            }
        });
        assert_eq!(kind(Path::new(&pipe), 5), Ok(b"parts".to_vec()));
        writes.join().unwrap();
        // This one never has a writer.
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert_eq!(kind(&at("pipe"), 5), Err(ErrorKind::InvalidInput));
        let said = read_text(&at("four"), 3).unwrap_err().to_string();
        assert!(said.contains("0 KiB"), "{said}");
    }
}
