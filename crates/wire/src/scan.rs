//! Common parts of the decoders of every protocol.

use std::hint::black_box;

/// Result of handing a slice to a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fed {
    /// Bytes of it that belong to what is decoded and need not be handed in again.
    pub consumed: usize,
    /// True once the decoded element is whole.
    pub done: bool,
}

/// Counts bytes that a decoder looked at, for tests of its cost; costs nothing elsewhere.
#[inline]
pub(crate) fn count_work(_bytes: usize) {
    #[cfg(test)]
    crate::tests::work::add(_bytes);
}

/// Bytes that are looked at together: a vector of every processor.
const BLOCK: usize = 16;

/// Number of bytes before the first that `stops`; all, where none does. Whole blocks are looked at without a branch for
/// each byte.
#[inline(always)]
pub(crate) fn before(bytes: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    let mut rest = bytes;
    while let Some((block, behind)) = rest.split_first_chunk::<BLOCK>() {
        let (mut marks, mut at) = ([0; BLOCK], 0);
        while at < BLOCK {
            marks[at] = if stops(block[at]) { u8::MAX } else { 0 };
            at += 1;
        }
        // Kept together: the compiler would make the two words byte by byte.
        let marks = u128::from_le_bytes(black_box(marks));
        let [low, high] = [marks as u64, (marks >> 64) as u64];
        if low | high != 0 {
            let at = if low != 0 { low.trailing_zeros() } else { 64 + high.trailing_zeros() };
            return bytes.len() - rest.len() + (at / 8) as usize;
        }
        rest = behind;
    }
    bytes.len() - rest.len() + rest.iter().position(|&byte| stops(byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_stops_is_found_wherever_it_stands() {
        for length in 0..100 {
            let mut bytes = vec![b'a'; length];
            assert_eq!(before(&bytes, |byte| byte == b'x'), length, "none");
            for at in (0..length).rev() {
                bytes[at] = b'x';
                assert_eq!(before(&bytes, |byte| byte == b'x'), at, "of {length}");
            }
        }
    }
}
