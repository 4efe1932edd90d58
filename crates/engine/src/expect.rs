//! Check of an answer against what was expected, in any protocol.

use crate::Expect;
use memchr::memmem::Finder;
use proofload_measure::Outcome;
use proofload_wire::Protocol;

/// An [`Expect`], made ready for use on every answer.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    protocol: Protocol,
    /// The first and the last code that is right.
    first_code: u16,
    last_code: u16,
    /// The code of an answer that exceeds a limit of the codec.
    beyond_code: Option<u16>,
    bytes: Option<u64>,
    text: Option<Finder<'static>>,
}

/// Difference of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    Code(u16),
    /// Size of the body, in bytes.
    Bytes(u64),
    /// Its body lacks the text.
    Text,
    /// It is nested deeper, or of more classes, than the codec reads.
    Unread(u16),
    /// The text is not in as many bytes of its body as were kept, and the body has this many.
    Unkept(u64),
}

impl Check {
    pub fn new(expect: &Expect, protocol: Protocol) -> Self {
        let codes = expect.status.map_or_else(|| protocol.good_codes(), |status| status..=status);
        let text = expect.text.as_deref().map(|text| Finder::new(text).into_owned());
        Check {
            protocol,
            first_code: *codes.start(),
            last_code: *codes.end(),
            beyond_code: protocol.beyond_code(),
            bytes: expect.bytes,
            text,
        }
    }

    /// `None` when the answer is as expected.
    #[inline]
    pub fn difference(&self, code: u16, body_bytes: u64, body: Option<&[u8]>) -> Option<Difference> {
        if code < self.first_code || code > self.last_code {
            let beyond = self.beyond_code == Some(code);
            return Some(if beyond { Difference::Unread(code) } else { Difference::Code(code) });
        }
        if self.bytes.is_some_and(|bytes| bytes != body_bytes) {
            return Some(Difference::Bytes(body_bytes));
        }
        match &self.text {
            Some(text) => {
                let kept = body.unwrap_or_default();
                let whole = kept.len() as u64 >= body_bytes;
                let missing = if whole { Difference::Text } else { Difference::Unkept(body_bytes) };
                text.find(kept).is_none().then_some(missing)
            }
            None => None,
        }
    }

    /// The sentence for the user. `said` is the server's own text where it refused a call.
    pub fn explain(&self, difference: Difference, said: Option<&[u8]>) -> String {
        match difference {
            Difference::Code(code) | Difference::Unread(code) if self.protocol.code_name(code).is_some() => {
                let name = self.protocol.code_name(code).unwrap_or_default();
                let said = said.map(String::from_utf8_lossy).unwrap_or_default();
                if said.is_empty() { name.to_owned() } else { format!("{name}: {said}") }
            }
            Difference::Code(code) | Difference::Unread(code) => match (self.first_code, self.last_code) {
                (first, last) if first == last => format!("status {code}, expected {first}"),
                (first, last) => format!("status {code}, expected {first} to {last}"),
            },
            Difference::Bytes(bytes) => {
                format!("a body of {bytes} bytes, expected {}", self.bytes.unwrap_or_default())
            }
            Difference::Text => format!("the body does not contain {:?}", self.wanted()),
            Difference::Unkept(bytes) => format!(
                "{:?} is not in the first {} bytes of a body of {bytes}, and Proofload looks no further: expect a text \
                 nearer to its beginning (--expect-text), or the number of bytes (--expect-bytes)",
                self.wanted(),
                said.map_or(0, <[u8]>::len),
            ),
        }
    }

    /// The text that is expected.
    fn wanted(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.text.as_ref().map(|text| text.needle()).unwrap_or_default())
    }
}

impl Difference {
    /// A wrong code is a refusal by the server; wrong content is a mismatch. An answer that was not looked at tells
    /// nothing about the server.
    pub fn outcome(self) -> Outcome {
        match self {
            Difference::Code(_) => Outcome::Rejected,
            Difference::Bytes(_) | Difference::Text => Outcome::Mismatch,
            Difference::Unread(_) | Difference::Unkept(_) => Outcome::BeyondLimit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expect: &Expect) -> Check {
        Check::new(expect, Protocol::Http1)
    }

    fn outcome(expect: &Expect, code: u16, body: &[u8]) -> Outcome {
        let difference = check(expect).difference(code, body.len() as u64, Some(body));
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
    fn an_expected_status_is_the_only_good_one() {
        let missing = Expect { status: Some(404), ..Expect::default() };
        assert_eq!(outcome(&missing, 404, b""), Outcome::Answered);
        assert_eq!(outcome(&missing, 200, b""), Outcome::Rejected);
    }

    #[test]
    fn wrong_content_is_a_mismatch_and_is_explained() {
        let expect = Expect { status: None, bytes: Some(5), text: Some(b"llo".to_vec()) };
        assert_eq!(outcome(&expect, 200, b"hello"), Outcome::Answered);
        assert_eq!(outcome(&expect, 200, b"hell"), Outcome::Mismatch);
        assert_eq!(outcome(&expect, 200, b"hallo!"), Outcome::Mismatch);
        assert_eq!(outcome(&expect, 200, b"helps"), Outcome::Mismatch);
        let check = check(&expect);
        assert_eq!(check.explain(Difference::Bytes(4), None), "a body of 4 bytes, expected 5");
        assert_eq!(check.explain(Difference::Text, None), "the body does not contain \"llo\"");
        assert_eq!(check.explain(Difference::Code(503), None), "status 503, expected 200 to 399");
    }
}
