use super::*;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::io::Write;

const TEXT: &[u8] = br#"{"state":"open","items":["plum","pear","quince","plum","pear","quince"]}"#;

/// Each made of [`TEXT`] by a program that is not this one: zlib and Brotli of Node.js, zstd.
const MADE: [(&str, &[u8]); 7] = [
    ("gzip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\x2a\x2e\x49\x2c\x49\x55\xb2\x52\xca\x2f\x48\xcd\x53\xd2\x51\xca\x2c\x49\xcd\x2d\x56\xb2\x8a\x56\x2a\xc8\x29\xcd\x55\xd2\x51\x2a\x48\x4d\x2c\x52\xd2\x51\x2a\x2c\xcd\xcc\x4b\x4e\x05\xf1\xb1\x09\xc7\xd6\x02\x00\x5f\x79\x54\x07\x48\x00\x00\x00"),
    ("X-GZip", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\x2a\x2e\x49\x2c\x49\x55\xb2\x52\xca\x2f\x48\xcd\x53\xd2\x51\xca\x2c\x49\xcd\x2d\x56\xb2\x8a\x56\x2a\xc8\x29\xcd\x55\xd2\x51\x2a\x48\x4d\x2c\x52\xd2\x51\x2a\x2c\xcd\xcc\x4b\x4e\x05\xf1\xb1\x09\xc7\xd6\x02\x00\x5f\x79\x54\x07\x48\x00\x00\x00"),
    ("deflate", b"\x78\x9c\xab\x56\x2a\x2e\x49\x2c\x49\x55\xb2\x52\xca\x2f\x48\xcd\x53\xd2\x51\xca\x2c\x49\xcd\x2d\x56\xb2\x8a\x56\x2a\xc8\x29\xcd\x55\xd2\x51\x2a\x48\x4d\x2c\x52\xd2\x51\x2a\x2c\xcd\xcc\x4b\x4e\x05\xf1\xb1\x09\xc7\xd6\x02\x00\x54\xb4\x17\x5c"),
    ("deflate", b"\xab\x56\x2a\x2e\x49\x2c\x49\x55\xb2\x52\xca\x2f\x48\xcd\x53\xd2\x51\xca\x2c\x49\xcd\x2d\x56\xb2\x8a\x56\x2a\xc8\x29\xcd\x55\xd2\x51\x2a\x48\x4d\x2c\x52\xd2\x51\x2a\x2c\xcd\xcc\x4b\x4e\x05\xf1\xb1\x09\xc7\xd6\x02\x00"),
    ("br", b"\x1b\x47\x00\x20\x8c\xd4\x62\xcd\x19\xee\x44\xd0\xce\x69\xbf\x75\x35\x49\x3f\x28\xf4\x94\x49\x92\x45\xa7\x0b\x36\xe0\x04\xbc\xac\x85\xf5\xb2\x68\x7c\x34\x81\xa1\x3f\xa0\x22\xc7\x9d\xc8\xa8\x07\xfb\xf6\xd5\x02\xe1\x0f"),
    ("zstd", b"\x28\xb5\x2f\xfd\x24\x48\xa5\x01\x00\x22\xc3\x0a\x11\xb0\x6b\x0c\xe7\x96\xad\x65\x13\xa6\x96\xd4\xa1\x83\xe8\x31\xa1\x0a\x4f\xe0\x49\x50\x69\x6a\x7c\x8d\xd4\xf1\xd3\x8c\x1e\xc0\xec\xe4\x96\x71\x94\x9a\x06\xe7\x8e\x65\xbb\x01\x00\xa0\xca\x84\x02\xcf\x85\x83\xb6"),
    ("zstd", b"\x28\xb5\x2f\xfd\x20\x48\xd5\x01\x00\x04\x03\x7b\x22\x73\x74\x61\x74\x65\x22\x3a\x22\x6f\x70\x65\x6e\x22\x2c\x22\x69\x74\x65\x6d\x73\x22\x3a\x5b\x22\x70\x6c\x75\x6d\x22\x2c\x22\x70\x65\x61\x72\x22\x2c\x22\x71\x75\x69\x6e\x63\x65\x5d\x7d\x02\x00\x3a\x09\x78\xd8\x59\x06"),
];

/// Three million letters `a`, in Brotli of Node.js.
const BROTLI_OF_MANY: &[u8] = b"\x9b\xbf\xc6\x2d\xf8\x25\xc2\xe2\xb1\x40\x20\xcf\xb7\x05";

fn all(codings: &str, body: &[u8]) -> Result<Decoded, Undecoded> {
    decoded(codings.as_bytes(), body, true, 1_000)
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// Frames of zstd that repeat a letter in blocks of 1 KiB, without an end.
fn zstd_of_many(letter: u8, blocks: usize) -> Vec<u8> {
    let block = [(1_024_u32 << 3 | 1 << 1).to_le_bytes()[..3].to_vec(), vec![letter]].concat();
    [&b"\x28\xb5\x2f\xfd\x00\x00"[..], &block.repeat(blocks)].concat()
}

#[test]
fn what_others_encoded_is_decoded() {
    for (coding, body) in MADE {
        assert_eq!(all(coding, body), Ok(Decoded { bytes: TEXT.to_vec(), whole: true }), "{coding}");
    }
    for none in ["", "identity", " , Identity"] {
        assert_eq!(all(none, TEXT).map(|found| found.bytes), Ok(TEXT.to_vec()), "{none}");
    }
    assert_eq!(all("gzip", b""), Ok(Decoded { bytes: Vec::new(), whole: true }), "an answer to HEAD");
}

#[test]
fn codings_are_undone_from_the_last_to_the_first() {
    let twice = gzipped(MADE[4].1);
    assert_eq!(all("br, identity, gzip", &twice).map(|found| found.bytes), Ok(TEXT.to_vec()));
    assert_eq!(all("gzip, br", &twice), Err(Undecoded::Broken));
}

#[test]
fn members_and_frames_follow_each_other() {
    let two = [gzipped(b"one "), gzipped(b"two")].concat();
    assert_eq!(all("gzip", &two).map(|found| found.bytes), Ok(b"one two".to_vec()));
    let skipped = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc";
    let frames = [MADE[6].1, skipped, MADE[5].1].concat();
    assert_eq!(all("zstd", &frames).map(|found| found.bytes), Ok(TEXT.repeat(2)));
    assert_eq!(
        all("zstd", &frames[..MADE[6].1.len() + 9]),
        Err(Undecoded::Broken),
        "skipped bytes are missing"
    );
}

#[test]
fn a_body_that_ends_too_early_is_broken_and_the_beginning_of_one_is_not() {
    for (coding, body) in MADE {
        for cut in 1..body.len() {
            assert_eq!(all(coding, &body[..cut]), Err(Undecoded::Broken), "{coding} {cut}");
            let begun = decoded(coding.as_bytes(), &body[..cut], false, 1_000);
            assert!(
                begun.is_ok_and(|begun| !begun.whole && TEXT.starts_with(&begun.bytes)),
                "{coding} {cut}"
            );
        }
    }
}

#[test]
fn what_is_not_encoded_is_broken_however_much_of_it_is_there() {
    for coding in ["gzip", "deflate", "br", "zstd"] {
        for whole in [true, false] {
            let found = decoded(coding.as_bytes(), b"<html>not found</html>", whole, 1_000);
            assert_eq!(found, Err(Undecoded::Broken), "{coding} {whole}");
        }
    }
    let (mut sum, at) = (MADE[5].1.to_vec(), MADE[5].1.len() - 1);
    sum[at] ^= 1;
    assert_eq!(all("zstd", &sum), Err(Undecoded::Broken), "its checksum is wrong");
}

#[test]
fn what_is_not_known_or_too_large_is_no_fault_of_the_body() {
    for codings in ["compress", "gzip, aes128gcm", "zst", &"gzip,".repeat(13)] {
        assert_eq!(all(codings, MADE[0].1), Err(Undecoded::Unknown), "{codings}");
    }
    let window =
        |exponent: u8| [&b"\x28\xb5\x2f\xfd\x00"[..], &[exponent << 3], &zstd_of_many(b'a', 9)[6..]].concat();
    assert_eq!(all("zstd", &window(14)), Err(Undecoded::Unknown), "a window of 16 MiB");
    assert_eq!(
        all("zstd", &window(13)),
        Err(Undecoded::Broken),
        "one of 8 MiB is read, and the frame has no end"
    );
}

#[test]
fn a_bomb_ends_at_the_bound() {
    let many = vec![b'a'; 3_000_000];
    let zlib = |body: Vec<u8>| body[10..body.len() - 8].to_vec();
    let bombs = [
        ("gzip", gzipped(&many)),
        ("deflate", zlib(gzipped(&many))),
        ("br", BROTLI_OF_MANY.to_vec()),
        ("zstd", zstd_of_many(b'a', 3_000)),
        ("gzip, gzip", gzipped(&gzipped(&many))),
    ];
    for (codings, body) in bombs {
        for most in [0, 1, 999, 65_536] {
            let found = decoded(codings.as_bytes(), &body, true, most).expect(codings);
            // The outer coding's bytes are bounded, too.
            let least = if codings.contains(',') { 0 } else { most };
            assert!((least..=most).contains(&found.bytes.len()) && !found.whole, "{codings} {most}");
            assert!(found.bytes.iter().all(|byte| *byte == b'a'), "{codings} {most}");
        }
    }
    let large = decoded(b"br", &[0x11, 30], false, 1_000);
    assert_eq!(large, Err(Undecoded::Broken), "a window of 1 GiB is not in RFC 7932");
    let exact = decoded(b"br", MADE[4].1, true, TEXT.len());
    assert_eq!(exact, Ok(Decoded { bytes: TEXT.to_vec(), whole: true }));
}

#[test]
fn lines_of_a_head_are_kept_by_name_and_no_longer_than_they_are_read() {
    let kept = |lines: &[&str]| {
        let mut codings = Vec::new();
        lines.iter().for_each(|line| keep(line.as_bytes(), &mut codings));
        String::from_utf8(codings).unwrap()
    };
    assert_eq!(kept(&["Content-Encoding: gzip"]), "gzip");
    assert_eq!(kept(&["CONTENT-ENCODING:br ", "Content-Length: 3", "Content-Encoding: zstd"]), "br,zstd");
    assert_eq!(kept(&["Content-Encoding: br,", "\tgzip", "Server: x", " folded"]), "br,");
    assert_eq!(kept(&["Content-Encodings: br", "Content-Encoding", " br", ""]), "");
    assert_eq!(kept(&[&format!("Content-Encoding: {}", "gzip,".repeat(500))]).len(), CODINGS_MAX + 1);
}

proptest! {
    #[test]
    fn whatever_bytes_come_they_are_decoded_or_refused_within_the_bound(
        body in proptest::collection::vec(any::<u8>(), 0..300),
        made in 0..MADE.len(),
        at in 0_usize..100,
        whole: bool,
        most in 0_usize..200,
    ) {
        let (coding, right) = MADE[made];
        let mut near = right.to_vec();
        let at = at % near.len();
        near[at] ^= body.first().copied().unwrap_or(1);
        for body in [&body, &[&right[..at], &body].concat(), &near] {
            if let Ok(found) = decoded(coding.as_bytes(), body, whole, most) {
                prop_assert!(found.bytes.len() <= most && (whole || !found.whole || body.is_empty()));
            }
        }
    }
}
