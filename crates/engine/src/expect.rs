//! Check of an answer against what was expected, in any protocol.

use crate::Expect;
use crate::reader::Reading;
use memchr::memmem::Finder;
use proofload_measure::Outcome;
use proofload_wire::{Protocol, Undecoded, decoded};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Most bytes of a body that are looked at without its content coding, whatever is kept of it as it came.
const DECODED_MAX: usize = 64 * 1024;

/// An [`Expect`], made ready for use on every answer.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    protocol: Protocol,
    /// The first and the last code of those that are right.
    first_code: u16,
    last_code: u16,
    /// Further ones.
    other_codes: Vec<RangeInclusive<u16>>,
    /// The code of an answer that exceeds a limit of the codec.
    beyond_code: Option<u16>,
    bytes: Option<RangeInclusive<u64>>,
    texts: Vec<Text>,
    /// Values that are read from a good answer, and the longest time that it may take.
    pub reading: Option<Box<Reading>>,
    pub within_ns: Option<u64>,
}

/// A text that is looked for in bodies.
#[derive(Clone, Debug)]
struct Text {
    finder: Finder<'static>,
    /// False if it must not be there.
    wanted: bool,
}

/// The body of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Body<'a> {
    /// As much of it as was kept, as it came.
    pub kept: &'a [u8],
    /// Its Content-Encoding; empty without one.
    pub codings: &'a [u8],
}

/// Difference of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    Code(u16),
    /// Size of the body, in bytes.
    Bytes(u64),
    /// Its body lacks the text of that index, or has it and must not.
    Text(usize),
    /// It is nested deeper, or of more classes, than the codec reads.
    Unread(u16),
    /// The text of that index is not in the `seen` bytes that were looked at of a body of `bytes`; they are all that was kept,
    /// without its content coding.
    Unkept {
        text: usize,
        seen: usize,
        bytes: u64,
    },
    /// Its body is in a content coding that is not undone.
    Undecoded(Undecoded),
    /// It took so long, in nanoseconds.
    Late(u64),
}

impl Check {
    pub fn new(expect: &Expect, protocol: Protocol, reading: Option<Box<Reading>>) -> Self {
        let mut codes = expect.status.iter().cloned();
        let first = codes.next().unwrap_or_else(|| protocol.good_codes());
        let finder = |text: &Vec<u8>| Finder::new(text).into_owned();
        let wanted = expect.text.iter().map(|text| Text { finder: finder(text), wanted: true });
        let unwanted = expect.no_text.iter().map(|text| Text { finder: finder(text), wanted: false });
        Check {
            protocol,
            first_code: *first.start(),
            last_code: *first.end(),
            other_codes: codes.collect(),
            beyond_code: protocol.beyond_code(),
            bytes: expect.bytes.clone(),
            texts: wanted.chain(unwanted).collect(),
            reading,
            within_ns: expect.within_ns,
        }
    }

    /// `None` when the answer is as expected. Its body is asked for where a text is looked for in it.
    #[inline]
    pub fn difference<'a>(
        &self,
        code: u16,
        body_bytes: u64,
        body: impl FnOnce() -> Body<'a>,
    ) -> Option<Difference> {
        if (code < self.first_code || code > self.last_code) && !self.is_other(code) {
            let beyond = self.beyond_code == Some(code);
            return Some(if beyond { Difference::Unread(code) } else { Difference::Code(code) });
        }
        if self.bytes.as_ref().is_some_and(|bytes| !bytes.contains(&body_bytes)) {
            return Some(Difference::Bytes(body_bytes));
        }
        if self.texts.is_empty() { None } else { self.difference_in(body_bytes, body()) }
    }

    /// A body without its content coding, and true if that is all of its `bytes`.
    pub fn text<'a>(&self, body: &Body<'a>, bytes: u64) -> Result<(Cow<'a, [u8]>, bool), Undecoded> {
        let whole = self.protocol.has_whole(body.kept, bytes);
        if body.codings.is_empty() {
            return Ok((Cow::Borrowed(body.kept), whole));
        }
        let decoded = decoded(body.codings, body.kept, whole, DECODED_MAX)?;
        Ok((Cow::Owned(decoded.bytes), decoded.whole))
    }

    #[cold]
    fn is_other(&self, code: u16) -> bool {
        self.other_codes.iter().any(|codes| codes.contains(&code))
    }

    #[inline(never)]
    fn difference_in(&self, bytes: u64, body: Body<'_>) -> Option<Difference> {
        let (seen, whole) = match self.text(&body, bytes) {
            Ok(text) => text,
            Err(why) => return Some(Difference::Undecoded(why)),
        };
        let mut unkept = None;
        for (at, text) in self.texts.iter().enumerate() {
            match (text.finder.find(&seen).is_some(), whole) {
                (false, false) => {
                    unkept = unkept.or(Some(Difference::Unkept { text: at, seen: seen.len(), bytes }))
                }
                (found, _) if found == text.wanted => {}
                _ => return Some(Difference::Text(at)),
            }
        }
        unkept
    }

    /// The sentence for the user. `said` is the server's own text where it refused a call.
    pub fn explain(&self, difference: Difference, said: Option<&[u8]>, codings: &[u8]) -> String {
        let coded = |how: &str| match codings {
            [] => String::new(),
            _ => format!("{how}{}", String::from_utf8_lossy(codings)),
        };
        match difference {
            Difference::Code(code) | Difference::Unread(code) if self.protocol.code_name(code).is_some() => {
                let name = self.protocol.code_name(code).unwrap_or_default();
                let said = said.map(String::from_utf8_lossy).unwrap_or_default();
                if said.is_empty() { name.to_owned() } else { format!("{name}: {said}") }
            }
            Difference::Code(code) | Difference::Unread(code) => {
                format!("status {code}, expected {}", self.codes())
            }
            Difference::Bytes(bytes) => {
                let wanted = self.bytes.clone().unwrap_or(0..=0);
                let (least, most) = (wanted.start(), wanted.end());
                match least == most {
                    true => format!("a body of {bytes} bytes, expected {least}"),
                    false => format!("a body of {bytes} bytes, expected {least} to {most}"),
                }
            }
            Difference::Text(at) if self.texts[at].wanted => {
                format!("the body does not contain {:?}", self.texts[at].shown())
            }
            Difference::Text(at) => format!("the body contains {:?}", self.texts[at].shown()),
            Difference::Unkept { text, seen, bytes } => {
                let Text { wanted, .. } = self.texts[text];
                let instead =
                    if wanted { "a text nearer to its beginning" } else { "a text that good answers have" };
                format!(
                    "{:?} is not in the first {seen} bytes of a body of {bytes}{}, and Proofload looks no further: expect \
                     {instead} (--expect-text), or the number of bytes (--expect-bytes)",
                    self.texts[text].shown(),
                    coded(" that came in "),
                )
            }
            Difference::Late(took_ns) => {
                let ms = |ns: u64| ns as f64 / 1e6;
                format!(
                    "answered in {} ms, expected {} at most",
                    ms(took_ns),
                    ms(self.within_ns.unwrap_or(0))
                )
            }
            Difference::Undecoded(Undecoded::Unknown) => format!(
                "a text cannot be looked for in a body{}, which Proofload does not decode: ask for gzip, deflate, br or zstd \
                 (-H 'Accept-Encoding: gzip')",
                coded(" with Content-Encoding: "),
            ),
            Difference::Undecoded(Undecoded::Broken) => {
                format!("the body is not whole{}, or no such thing", coded(" in its Content-Encoding: "))
            }
        }
    }

    /// The codes that are right: `200`, `200 to 399`, `200, 404 to 410`.
    fn codes(&self) -> String {
        let first = self.first_code..=self.last_code;
        let each = std::iter::once(&first).chain(&self.other_codes);
        let said = each.map(|codes| match (codes.start(), codes.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first} to {last}"),
        });
        said.collect::<Vec<String>>().join(", ")
    }
}

impl Text {
    fn shown(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.finder.needle())
    }
}

impl Difference {
    /// A wrong code is a refusal by the server; wrong content is a mismatch. An answer that was not looked at tells
    /// nothing about the server.
    pub fn outcome(self) -> Outcome {
        match self {
            Difference::Code(_) => Outcome::Rejected,
            Difference::Bytes(_)
            | Difference::Text(_)
            | Difference::Late(_)
            | Difference::Undecoded(Undecoded::Broken) => Outcome::Mismatch,
            Difference::Unread(_) | Difference::Unkept { .. } | Difference::Undecoded(_) => {
                Outcome::BeyondLimit
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expect: &Expect) -> Check {
        Check::new(expect, Protocol::Http1, None)
    }

    fn outcome(expect: &Expect, code: u16, body: &[u8]) -> Outcome {
        let kept = || Body { kept: body, codings: b"" };
        let difference = check(expect).difference(code, body.len() as u64, kept);
        difference.map_or(Outcome::Answered, Difference::outcome)
    }

    #[test]
    fn without_expectations_two_hundred_to_three_hundred_ninety_nine_are_answers() {
        let any = Expect::default();
        for (code, expected) in [
            (199, Outcome::Rejected),
            (200, Outcome::Answered),
            (304, Outcome::Answered),
            (399, Outcome::Answered),
            (400, Outcome::Rejected),
            (503, Outcome::Rejected),
        ] {
            assert_eq!(outcome(&any, code, b""), expected, "{code}");
        }
    }

    #[test]
    fn the_value_of_a_reply_is_all_of_it_unless_it_is_marked_as_cut() {
        let expect = Expect { text: vec![b"yes".to_vec()], ..Expect::default() };
        for (kept, expected) in [
            ("\"yes\"", None),
            ("\"no\"", Some(Outcome::Mismatch)),
            ("[\"yes\",…", None),
            ("[\"no\",…", Some(Outcome::BeyondLimit)),
            ("", Some(Outcome::BeyondLimit)),
        ] {
            let body = || Body { kept: kept.as_bytes(), codings: b"" };
            let difference = Check::new(&expect, Protocol::Dubbo, None).difference(20, 999, body);
            assert_eq!(difference.map(Difference::outcome), expected, "{kept}");
        }
    }

    #[test]
    fn an_expected_status_is_the_only_good_one() {
        let missing = Expect { status: vec![404..=404], ..Expect::default() };
        assert_eq!(outcome(&missing, 404, b""), Outcome::Answered);
        assert_eq!(outcome(&missing, 200, b""), Outcome::Rejected);
    }

    #[test]
    fn of_several_expected_codes_each_is_good_and_their_neighbours_are_not() {
        let some = Expect { status: vec![201..=201, 404..=406, 500..=599], ..Expect::default() };
        for good in [201, 404, 405, 406, 500, 599] {
            assert_eq!(outcome(&some, good, b""), Outcome::Answered, "{good}");
        }
        for bad in [200, 202, 403, 407, 499, 600] {
            assert_eq!(outcome(&some, bad, b""), Outcome::Rejected, "{bad}");
        }
        let told = check(&some).explain(Difference::Code(200), None, b"");
        assert_eq!(told, "status 200, expected 201, 404 to 406, 500 to 599");
    }

    /// Difference in a body of that length, of which so much is kept.
    fn found(expect: &Expect, bytes: u64, kept: &[u8], codings: &[u8]) -> Option<(Outcome, String)> {
        let check = check(expect);
        let difference = check.difference(200, bytes, || Body { kept, codings })?;
        Some((difference.outcome(), check.explain(difference, Some(kept), codings)))
    }

    #[test]
    fn a_text_that_must_not_be_there_is_told_from_one_that_nobody_looked_for() {
        let text = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
        let none = Expect { no_text: text(&["E41", "panic"]), ..Expect::default() };
        assert_eq!(found(&none, 9, b"all right", b""), None);
        let bad = Some((Outcome::Mismatch, "the body contains \"panic\"".to_string()));
        assert_eq!(found(&none, 9, b"a panic !", b""), bad);
        assert_eq!(found(&none, 999, b"a panic !", b""), bad, "it is there, whatever follows");
        let (outcome, told) = found(&none, 999, b"all right", b"").expect("the rest is not known");
        assert_eq!(outcome, Outcome::BeyondLimit);
        assert!(told.starts_with("\"E41\" is not in the first 9 bytes of a body of 999, and"), "{told}");
        let both = Expect { text: text(&["all", "right"]), ..none };
        assert_eq!(found(&both, 9, b"all right", b""), None);
        let lacks = Some((Outcome::Mismatch, "the body does not contain \"right\"".to_string()));
        assert_eq!(found(&both, 8, b"all fine", b""), lacks);
        assert_eq!(found(&both, 999, b"all right", b"").map(|found| found.0), Some(Outcome::BeyondLimit));
    }

    #[test]
    fn texts_are_looked_for_in_bodies_without_their_coding() {
        // gzip -n of `a quince and a pear`
        const CODED: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x54\x28\x2c\xcd\xcc\x4b\x4e\x55\x48\xcc\x4b\x51\x48\x54\x28\x48\x4d\x2c\x02\x00\x81\x18\x6c\x5f\x13\x00\x00\x00";
        let expect = |text: &str| Expect { text: vec![text.into()], ..Expect::default() };
        let bytes = CODED.len() as u64;
        assert_eq!(found(&expect("quince"), bytes, CODED, b"gzip"), None);
        let lacks = Some((Outcome::Mismatch, "the body does not contain \"plum\"".to_string()));
        assert_eq!(found(&expect("plum"), bytes, CODED, b"x-gzip"), lacks);
        let (outcome, told) = found(&expect("quince"), bytes, CODED, b"rot13").expect("it is not read");
        assert_eq!(outcome, Outcome::BeyondLimit);
        assert!(
            told.contains("in a body with Content-Encoding: rot13, which Proofload does not decode"),
            "{told}"
        );
        for wrong in [&CODED[..bytes as usize - 1], b"<p>a quince</p>"] {
            let (outcome, told) =
                found(&expect("quince"), wrong.len() as u64, wrong, b"gzip").expect("broken");
            assert_eq!(outcome, Outcome::Mismatch);
            assert_eq!(told, "the body is not whole in its Content-Encoding: gzip, or no such thing");
        }
        let (outcome, told) =
            found(&expect("plum"), 5_000, &CODED[..30], b"gzip").expect("the rest is not known");
        assert_eq!(outcome, Outcome::BeyondLimit);
        assert!(
            told.contains("bytes of a body of 5000 that came in gzip, and Proofload looks no further"),
            "{told}"
        );
    }

    #[test]
    fn wrong_content_is_a_mismatch_and_is_explained() {
        let expect = Expect { bytes: Some(5..=5), text: vec![b"llo".to_vec()], ..Expect::default() };
        assert_eq!(outcome(&expect, 200, b"hello"), Outcome::Answered);
        assert_eq!(outcome(&expect, 200, b"hell"), Outcome::Mismatch);
        assert_eq!(outcome(&expect, 200, b"hallo!"), Outcome::Mismatch);
        assert_eq!(outcome(&expect, 200, b"helps"), Outcome::Mismatch);
        let check = check(&expect);
        assert_eq!(check.explain(Difference::Bytes(4), None, b""), "a body of 4 bytes, expected 5");
        assert_eq!(check.explain(Difference::Text(0), None, b""), "the body does not contain \"llo\"");
        assert_eq!(check.explain(Difference::Code(503), None, b""), "status 503, expected 200 to 399");
    }
}
