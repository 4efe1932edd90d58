//! Logs of others.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Bytes that are looked at together. A line is cut there, and so may be a credential in it.
const TOGETHER_BYTES: u64 = 1 << 20;

/// Replaces a log by one without credentials. No process may write to it meanwhile.
///
/// # Errors
/// Fails if it cannot be read or replaced; the file is then unchanged.
pub fn file(path: &Path) -> io::Result<()> {
    let mut log = BufReader::new(File::open(path)?);
    if log.fill_buf()?.is_empty() {
        return Ok(());
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let _left_over = fs::remove_file(&name);
    let new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&name)?;
    let mut out = BufWriter::new(new);
    let mut some = Vec::new();
    loop {
        some.clear();
        Read::by_ref(&mut log).take(TOGETHER_BYTES).read_to_end(&mut some)?;
        Read::by_ref(&mut log).take(TOGETHER_BYTES).read_until(b'\n', &mut some)?;
        if some.is_empty() {
            break;
        }
        out.write_all(super::text(&String::from_utf8_lossy(&some)).as_bytes())?;
    }
    out.flush()?;
    fs::rename(&name, path)
}
