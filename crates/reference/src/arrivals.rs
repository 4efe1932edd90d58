//! The log of arrivals: when each request was there, by the server's own clock.
//!
//! The file begins with the eight bytes `PLARRIV1`. Then come records of 16 bytes, little-endian: the
//! instant (`u64`, nanoseconds of the monotonic clock), the connection (`u32`, from 1 in order of
//! acceptance), what was decided (`u32`: 0 an ordinary answer, else 1 + the place in [`Fault::ALL`]).
//! Each worker writes its records in blocks, so they are in order of time per worker only;
//! [`read_arrivals`] sorts them. In null mode the requests of one receive carry the same instant.

use crate::counts::{Cells, Count};
use crate::{Fault, ReferenceError};
use proofload_language::tr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const MAGIC: &[u8; 8] = b"PLARRIV1";
const RECORD: usize = 16;
/// Bytes a worker gathers before it writes.
const BLOCK: usize = 64 * 1024;
/// Most bytes of a log (about 67 million arrivals); what follows is counted and dropped.
const LOG_MAX: u64 = 1 << 30;

/// One request, as it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    /// Nanoseconds of the monotonic clock when its last byte had been received.
    pub at_ns: u64,
    /// Its connection, counted from 1 in order of acceptance.
    pub connection: u32,
    /// 0 for an ordinary answer, else 1 + the place of the fault in [`Fault::ALL`].
    pub decided: u32,
}

impl Arrival {
    /// Fault injected into this request.
    pub fn fault(&self) -> Option<Fault> {
        Fault::ALL.get((self.decided as usize).checked_sub(1)?).copied()
    }
}

/// Reads a log, sorted by time.
///
/// # Errors
/// [`ReferenceError::File`] when it cannot be read, [`ReferenceError::NotArrivals`] when it is not a whole log.
pub fn read_arrivals(path: &Path) -> Result<Vec<Arrival>, ReferenceError> {
    let not = |wrong| ReferenceError::NotArrivals { path: path.to_owned(), wrong };
    let bytes =
        std::fs::read(path).map_err(|source| ReferenceError::File { path: path.to_owned(), source })?;
    let records = bytes.strip_prefix(MAGIC).ok_or_else(|| not(tr!("wrong-arrivals-head")))?;
    let (records, rest) = records.as_chunks::<RECORD>();
    if !rest.is_empty() {
        return Err(not(tr!("wrong-arrivals-cut")));
    }
    let mut arrivals: Vec<Arrival> = records.iter().map(decode).collect();
    arrivals.sort_unstable();
    Ok(arrivals)
}

fn decode(record: &[u8; RECORD]) -> Arrival {
    let number = u128::from_le_bytes(*record);
    Arrival { at_ns: number as u64, connection: (number >> 64) as u32, decided: (number >> 96) as u32 }
}

/// The file that all workers write to.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: Mutex<(File, u64)>,
}

impl LogFile {
    pub fn create(path: &Path) -> Result<Arc<Self>, ReferenceError> {
        let at = |source| ReferenceError::File { path: path.to_owned(), source };
        let mut file = File::create(path).map_err(at)?;
        file.write_all(MAGIC).map_err(at)?;
        Ok(Arc::new(LogFile { path: path.to_owned(), file: Mutex::new((file, MAGIC.len() as u64)) }))
    }

    /// Returns true if the block was written; `false` when the log is full.
    fn write(&self, block: &[u8]) -> Result<bool, ReferenceError> {
        let mut guard = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (file, length) = &mut *guard;
        if *length + block.len() as u64 > LOG_MAX {
            return Ok(false);
        }
        file.write_all(block).map_err(|source| ReferenceError::File { path: self.path.clone(), source })?;
        *length += block.len() as u64;
        Ok(true)
    }
}

/// One worker's end of the log.
#[derive(Debug)]
pub struct Log {
    file: Arc<LogFile>,
    block: Vec<u8>,
}

impl Log {
    pub fn new(file: Arc<LogFile>) -> Self {
        Log { file, block: Vec::with_capacity(BLOCK) }
    }

    pub fn add(
        &mut self,
        at_ns: u64,
        connection: u64,
        fault: Option<Fault>,
        cells: &Cells,
    ) -> Result<(), ReferenceError> {
        let decided = fault.map_or(0, |fault| 1 + fault as u32);
        self.block.extend_from_slice(&at_ns.to_le_bytes());
        self.block.extend_from_slice(&(connection as u32).to_le_bytes());
        self.block.extend_from_slice(&decided.to_le_bytes());
        if self.block.len() + RECORD > BLOCK { self.flush(cells) } else { Ok(()) }
    }

    pub fn flush(&mut self, cells: &Cells) -> Result<(), ReferenceError> {
        let written = self.file.write(&self.block)?;
        let count = if written { Count::ArrivalsLogged } else { Count::ArrivalsDropped };
        cells.add(count, (self.block.len() / RECORD) as u64);
        self.block.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_workers_logged_is_read_back_in_order_of_time() {
        let path = std::env::temp_dir().join(format!("proofload-arrivals-{}", std::process::id()));
        let file = LogFile::create(&path).unwrap();
        let cells = Cells::new();
        let (mut a, mut b) = (Log::new(file.clone()), Log::new(file));
        for i in 0..10_000u64 {
            a.add(2 * i, 1, None, &cells).unwrap();
            b.add(2 * i + 1, 2, Some(Fault::Drip), &cells).unwrap();
        }
        a.flush(&cells).unwrap();
        b.flush(&cells).unwrap();
        let arrivals = read_arrivals(&path).unwrap();
        std::fs::write(&path, b"PLARRIV1 cut").unwrap();
        let cut = read_arrivals(&path).unwrap_err().to_string();
        std::fs::write(&path, b"something").unwrap();
        let other = read_arrivals(&path).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(arrivals.len(), 20_000);
        assert!(arrivals.iter().enumerate().all(|(i, arrival)| arrival.at_ns == i as u64));
        assert_eq!(arrivals[0].fault(), None);
        assert_eq!((arrivals[1].connection, arrivals[1].fault()), (2, Some(Fault::Drip)));
        assert!(cut.contains("cut") && other.contains("PLARRIV1"), "{cut} {other}");
    }
}
