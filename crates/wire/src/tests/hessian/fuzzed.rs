//! What the fuzz targets of Hessian run on each input, and the tests on recorded values and on random bytes.

use proofload_wire::hessian::{Fed, Wrong, v1, v2};

/// Values one after the other, as a walker finds them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Where each value ends.
    pub ends: Vec<usize>,
    /// The first byte that cannot be there.
    pub wrong: Option<usize>,
}

/// What a walker finds in pieces of these lengths.
pub fn walk<'a>(
    mut feed: impl FnMut(&[u8]) -> Result<Fed, Wrong>,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Walked {
    let (mut walked, mut at) = (Walked::default(), 0);
    for piece in pieces {
        let mut pos = 0;
        while pos < piece.len() {
            match feed(&piece[pos..]) {
                Ok(fed) => {
                    assert!(fed.consumed > 0 && fed.consumed <= piece.len() - pos, "{fed:?}");
                    assert!(fed.done || fed.consumed == piece.len() - pos, "{fed:?}");
                    pos += fed.consumed;
                    if fed.done {
                        walked.ends.push(at + pos);
                    }
                }
                Err(wrong) => {
                    assert!(wrong.at < piece.len() - pos, "{wrong:?}");
                    walked.wrong = Some(at + pos + wrong.at);
                    return walked;
                }
            }
        }
        at += piece.len();
    }
    walked
}

/// What the walker of a version finds in pieces of these lengths.
pub fn walk_version<'a>(version: u8, pieces: impl IntoIterator<Item = &'a [u8]>) -> Walked {
    let (mut first, mut second) = (v1::Walker::new(), v2::Walker::new());
    if version == 1 {
        walk(|input| first.feed(input), pieces)
    } else {
        walk(|input| second.feed(input), pieces)
    }
}

/// The walkers of both versions: the first byte chooses which; however the bytes come, it finds the same.
pub fn walker(input: &[u8]) {
    let Some((how, bytes)) = input.split_first() else { return };
    let version = how % 2 + 1;
    let whole = walk_version(version, [bytes]);
    assert_eq!(walk_version(version, bytes.chunks(1)), whole, "{}", bytes.escape_ascii());
    assert_eq!(
        walk_version(version, bytes.chunks(usize::from(how / 2) + 1)),
        whole,
        "{}",
        bytes.escape_ascii()
    );
}
