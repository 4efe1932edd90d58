//! Limits of started processes: memory, and the length of their logs.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::protocol::Spawn;
use proofload_store::redact;

/// Most processes of a tree whose memory is added up.
const PROCESSES_MAX: usize = 4096;

#[derive(Debug)]
pub(super) struct Watched {
    memory_max_bytes: Option<u64>,
    log_bytes_max: Option<u64>,
    log: PathBuf,
    /// Bytes that were cut from the log so far.
    cut_bytes: u64,
}

impl Watched {
    /// `None` without any limit.
    pub(super) fn of(spawn: &Spawn) -> Option<Watched> {
        spawn.secrets.iter().for_each(|secret| redact::know(secret));
        (spawn.memory_max_bytes.is_some() || spawn.log_bytes_max.is_some()).then(|| Watched {
            memory_max_bytes: spawn.memory_max_bytes,
            log_bytes_max: spawn.log_bytes_max,
            log: spawn.log.clone(),
            cut_bytes: 0,
        })
    }

    /// Memory in use, when that is too much; reported once.
    pub(super) fn over_memory(&mut self, root: u32, keeper: u32) -> Option<u64> {
        let max = self.memory_max_bytes?;
        let used = used_bytes(root, keeper);
        if used <= max {
            return None;
        }
        self.memory_max_bytes = None;
        Some(used)
    }

    /// Cuts a log that is too long: its beginning and its end stay. Output written meanwhile may be lost.
    pub(super) fn cut_log(&mut self) {
        let Some(max) = self.log_bytes_max else { return };
        if fs::metadata(&self.log).is_ok_and(|found| found.len() > max) {
            // A log that cannot be cut is one that cannot be written to either.
            if let Ok(cut) = cut_middle(&self.log, max, self.cut_bytes) {
                self.cut_bytes += cut;
            }
        }
    }
}

impl Drop for Watched {
    /// Redacts the log once it has no writer left.
    fn drop(&mut self) {
        // A log that cannot be read holds nothing that others could read.
        let _gone = redact::file(&self.log);
    }
}

/// Memory that a process, all below it, and what moved up to the keeper from its session have to themselves.
fn used_bytes(root: u32, keeper: u32) -> u64 {
    let adopted = children(keeper).into_iter().filter(|pid| *pid != root && session_of(*pid) == Some(root));
    let mut pending: Vec<u32> = adopted.chain([root]).collect();
    let (mut used, mut seen) = (0, 0);
    while let Some(pid) = pending.pop() {
        seen += 1;
        if seen > PROCESSES_MAX {
            break;
        }
        used += private_bytes(pid).unwrap_or(0);
        pending.extend(children(pid));
    }
    used
}

fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    // Any thread may have forked.
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn session_of(pid: u32) -> Option<u32> {
    super::tree::find(pid).map(|process| process.session)
}

/// Resident pages without a file behind them: the kernel cannot take these away.
fn private_bytes(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut fields = text.split_ascii_whitespace().skip(1).map(str::parse::<u64>);
    let (resident, shared) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some(resident.saturating_sub(shared) * rustix::param::page_size() as u64)
}

/// Keeps the first half of `max` and the last quarter, with a line between them. Returns the bytes removed.
fn cut_middle(log: &Path, max: u64, cut_before: u64) -> io::Result<u64> {
    let mut file = OpenOptions::new().read(true).append(true).open(log)?;
    let length = file.metadata()?.len();
    let (head, tail) = (max / 2, max / 4);
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(tail)))?;
    Read::by_ref(&mut file).take(tail).read_to_end(&mut end)?;
    let cut = length.saturating_sub(head + end.len() as u64);
    // Its writers append, so that they go on at the new end.
    File::set_len(&file, head)?;
    let note =
        format!("\n[proofload: {} bytes were cut here; a log is kept up to {max} bytes]\n", cut_before + cut);
    file.write_all(note.as_bytes())?;
    file.write_all(&end)?;
    Ok(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_its_beginning_and_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        fs::write(&log, "short").unwrap();
        let spawn = Spawn { log: log.clone(), log_bytes_max: Some(1000), ..Spawn::default() };
        let mut watched = Watched::of(&spawn).unwrap();
        watched.cut_log();
        assert_eq!(fs::read_to_string(&log).unwrap(), "short");
        fs::write(&log, format!("first{}last", "x".repeat(5000))).unwrap();
        watched.cut_log();
        let text = fs::read_to_string(&log).unwrap();
        assert!(text.starts_with("first") && text.ends_with("last") && text.len() < 1000, "{}", text.len());
        assert!(text.contains("[proofload: 4259 bytes were cut here"), "{text}");
        // Cut again: the count goes on.
        fs::OpenOptions::new().append(true).open(&log).unwrap().write_all(&[b'y'; 1000]).unwrap();
        watched.cut_log();
        assert!(fs::read_to_string(&log).unwrap().ends_with('y'));
        assert!(watched.cut_bytes > 5000);
    }

    #[test]
    fn memory_is_added_up_over_the_tree() {
        let me = std::process::id();
        let before = used_bytes(me, 0);
        let held = vec![1_u8; 64 << 20];
        assert!(held.iter().map(|byte| u64::from(*byte)).sum::<u64>() == 64 << 20);
        assert!(used_bytes(me, 0) > before + (32 << 20));
        assert_eq!(used_bytes(u32::MAX, 0), 0);
    }
}
