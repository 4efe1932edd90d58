//! Texts of a column.

use proofload_wire::Streamed;
use serde::{Deserialize, Serialize};
use std::io;

/// Texts of a column, ready to be copied into a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Column {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The texts, where they are too many to be kept in memory.
    read: Option<ReadColumn>,
}

/// Texts that are read for each exchange.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ReadColumn {
    /// One behind the other.
    pub texts: Streamed,
    /// End of each text in them: 8 bytes, the lowest first.
    pub ends: Streamed,
    /// Length of the longest.
    pub longest: usize,
}

const END_BYTES: u64 = 8;

impl From<ReadColumn> for Column {
    fn from(read: ReadColumn) -> Column {
        Column { read: Some(read), ..Column::default() }
    }
}

impl Column {
    /// Adds the text of the next row.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }

    pub fn rows(&self) -> u64 {
        self.read.as_ref().map_or(self.ends.len() as u64, |read| read.ends.bytes() / END_BYTES)
    }

    /// Bytes of all texts.
    pub fn bytes(&self) -> u64 {
        self.read.as_ref().map_or(self.bytes.len() as u64, |read| read.texts.bytes())
    }

    /// The text of a row, empty when there is none; `room` is where it is read to.
    ///
    /// # Errors
    /// It cannot be read.
    #[inline]
    pub fn get<'c>(&'c self, row: u64, room: &'c mut Vec<u8>) -> io::Result<&'c [u8]> {
        if let Some(read) = &self.read {
            return read.get(row, room);
        }
        let row = row as usize;
        let Some(end) = self.ends.get(row) else { return Ok(&[]) };
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        Ok(&self.bytes[start..*end])
    }

    /// Length of the longest text.
    pub(super) fn longest(&self) -> usize {
        let start = |row: usize| row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let in_memory = (0..self.ends.len()).map(|row| self.ends[row] - start(row)).max().unwrap_or(0);
        self.read.as_ref().map_or(in_memory, |read| read.longest)
    }
}

impl ReadColumn {
    fn get<'c>(&self, row: u64, room: &'c mut Vec<u8>) -> io::Result<&'c [u8]> {
        if row >= self.ends.bytes() / END_BYTES {
            return Ok(&[]);
        }
        let mut ends = [[0; END_BYTES as usize]; 2];
        match row.checked_sub(1) {
            Some(before) => self.ends.read(before * END_BYTES, ends.as_flattened_mut())?,
            None => self.ends.read(0, &mut ends[1])?,
        }
        let [start, end] = ends.map(u64::from_le_bytes);
        room.resize(end.saturating_sub(start) as usize, 0);
        self.texts.read(start, room)?;
        Ok(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_in_memory_and_read() {
        let texts: [&[u8]; 4] = [b"", b"a", b"", "é,\"\n".as_bytes()];
        let (mut kept, mut bytes, mut ends) = (Column::default(), Vec::new(), Vec::new());
        for text in texts {
            kept.push(text);
            bytes.extend_from_slice(text);
            ends.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        }
        let read = ReadColumn { texts: Streamed::new(bytes), ends: Streamed::new(ends), longest: 5 };
        let mut room = Vec::new();
        // Another process has it in memory.
        let gone = postcard::to_stdvec(&Column::from(read.clone())).unwrap();
        let came: Column = postcard::from_bytes(&gone).unwrap();
        for column in [kept, read.into(), came] {
            assert_eq!((column.rows(), column.bytes(), column.longest()), (4, 6, 5));
            for (row, text) in texts.iter().enumerate() {
                assert_eq!(column.get(row as u64, &mut room).unwrap(), *text);
            }
            assert_eq!(column.get(4, &mut room).unwrap(), b"");
        }
    }

    #[test]
    fn texts_that_are_gone_are_told() {
        let ends = Streamed::new(9_u64.to_le_bytes().to_vec());
        let column: Column = ReadColumn { texts: Streamed::new(b"short".to_vec()), ends, longest: 9 }.into();
        assert!(column.get(0, &mut Vec::new()).is_err());
    }
}
