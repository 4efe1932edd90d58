//! What a command says to the coordinator that it starts elsewhere, over that process's standard input, and what it hears on its
//! standard output: a line of JSON for each message, behind an order the files, behind the last word the record.
//!
//! The input is the life line: when it ends, whoever asked is gone, and everything is ended there.

use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::net::{IpAddr, SocketAddr};

/// Longest line of either side.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Of which version the executable is that says it; another is refused.
    pub version: String,
    /// Which executable it is, where it was copied there: another is refused, too.
    pub fingerprint: Option<String>,
    /// The token that agents have.
    pub token: String,
    /// How many agents will come.
    pub agents: u32,
    /// How long they may take, seconds.
    pub wait_s: u64,
    /// Where servers listen and agents dial; found out there when there is none.
    pub address: Option<IpAddr>,
    /// The arguments of `proofload run`, the study's file as it lies among the files.
    pub arguments: Vec<String>,
    /// The working directory in which they were given.
    pub directory: String,
    /// In which language to say what happens, by its tag.
    pub language: String,
    /// Length of the archive that follows the line, bytes.
    pub files_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Told {
    /// Nothing new: whoever asked is still heard.
    Alive,
    /// Agents are waited for there; records are kept below this folder.
    Listening { at: SocketAddr, keeps_in: String },
    Ended {
        exit: u8,
        message: String,
        /// Length of the record's archive that follows the line; 0 where nothing was recorded.
        record_bytes: u64,
    },
}

/// Says an order; its files follow.
///
/// # Errors
/// When the other side is gone.
pub fn say_order(to: &mut impl Write, order: &Order) -> io::Result<()> {
    line(to, order)?;
    to.flush()
}

/// Reads an order; its files follow.
///
/// # Errors
/// When it does not come, or is none.
pub fn read_order(from: &mut impl BufRead) -> io::Result<Order> {
    read_line(from)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Says what happens.
///
/// # Errors
/// When the other side is gone.
pub fn say_told(to: &mut impl Write, told: &Told) -> io::Result<()> {
    line(to, told)?;
    to.flush()
}

/// Hears what happens; `None` when the other side is gone.
///
/// # Errors
/// When what comes is something else.
pub fn read_told(from: &mut impl BufRead) -> io::Result<Option<Told>> {
    read_line(from)
}

fn line(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message).map_err(io::Error::other)?;
    line.push(b'\n');
    to.write_all(&line)
}

fn read_line<T: for<'de> Deserialize<'de>>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let read = serde_json::from_slice(&line);
    let shown = || String::from_utf8_lossy(&line[..line.len().min(200)]).trim().to_owned();
    read.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, shown()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn an_order_and_its_files_come_as_they_were_said() {
        let order = Order {
            version: "1".into(),
            fingerprint: Some("f".into()),
            token: "t\n".into(),
            agents: 2,
            wait_s: 60,
            address: Some([10, 0, 0, 1].into()),
            arguments: vec!["run".into(), "study/a b.yaml".into()],
            directory: "/home/me".into(),
            language: "en".into(),
            files_bytes: 3,
        };
        let mut said = Vec::new();
        say_order(&mut said, &order).unwrap();
        said.extend(b"abc");
        let mut heard = BufReader::with_capacity(2, &said[..]);
        assert_eq!(read_order(&mut heard).unwrap(), order);
        let mut files = String::new();
        heard.read_to_string(&mut files).unwrap();
        assert_eq!(files, "abc");
    }

    #[test]
    fn the_end_of_the_line_is_told_from_nonsense() {
        assert_eq!(read_told(&mut &b""[..]).unwrap(), None);
        let banner = read_told(&mut &b"Welcome to lab1\n"[..]).unwrap_err();
        assert!(banner.to_string().contains("Welcome to lab1"));
        assert!(read_told(&mut &b"{\"ended\""[..]).is_err());
        assert_eq!(read_order(&mut &b""[..]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
