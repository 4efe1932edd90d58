//! What the decoders of every protocol have in common.

/// What became of a slice that was handed to a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fed {
    /// Bytes of it that belong to what is decoded and need not be handed in again.
    pub consumed: usize,
    /// Whether what is decoded is whole.
    pub done: bool,
}

/// Counts bytes that a decoder looked at, for tests of its cost; costs nothing elsewhere.
#[inline]
pub(crate) fn count_work(_bytes: usize) {
    #[cfg(test)]
    crate::tests::work::add(_bytes);
}

/// Bytes that are looked at together.
const STRETCH: usize = 32;

/// How many bytes stand before the first that `stops`; all, where none does. Long texts have few such bytes, or none, so whole
/// stretches are looked at without a branch for each byte.
#[inline]
pub(crate) fn before(bytes: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    let (stretches, _) = bytes.as_chunks::<STRETCH>();
    let is_clear = |stretch: &&[u8; STRETCH]| !stretch.iter().fold(false, |found, &byte| found | stops(byte));
    let clear = stretches.iter().take_while(is_clear).count() * STRETCH;
    let rest = &bytes[clear..];
    clear + rest.iter().position(|&byte| stops(byte)).unwrap_or(rest.len())
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
