//! Reading of answers: values are compared, and go into the variables of users.

use crate::LoadPlan;
use crate::http::Jar;
use crate::memory::UserMemory;
use crate::reading::{Capture, Requirement, Source, VALUE_MAX};
use proofload_extract::{Finder, Found, Pick, Schema, SelectorError};
use proofload_measure::Outcome;
use proofload_wire::Session;
use std::sync::Arc;

/// Shown length of a value that was not expected.
const SHOWN_BYTES: usize = 60;

/// Parts of heads that connections of a plan keep.
#[derive(Clone, Debug)]
pub(crate) struct KeptHead {
    fields: Arc<[String]>,
    cookies: bool,
}

impl KeptHead {
    pub fn of(plan: &LoadPlan) -> Self {
        let (mut fields, mut cookies) = (Vec::new(), false);
        for source in sources(plan) {
            match source {
                Source::Header(name) => fields.push(name.to_ascii_lowercase()),
                Source::Cookie(_) => cookies = true,
                Source::Status | Source::Body(_) => {}
            }
        }
        fields.sort_unstable();
        fields.dedup();
        KeptHead { fields: fields.into(), cookies }
    }

    /// Lets a session keep them.
    pub fn keep(&self, session: &mut Session) {
        if !self.fields.is_empty() {
            session.keep_fields(Arc::clone(&self.fields));
        }
        if self.cookies {
            session.keep_set_cookies();
        }
    }
}

fn sources(plan: &LoadPlan) -> impl Iterator<Item = &Source> {
    let required = plan.mix.iter().flat_map(|entry| &entry.expect.values).map(|value| &value.from);
    required.chain(plan.asking.captures.iter().flatten().map(|capture| &capture.from))
}

/// A source made ready.
#[derive(Clone, Debug)]
enum Reader {
    Status,
    /// Index among the fields that are kept.
    Field(usize),
    Cookie(String),
    Body(Box<Finder>),
}

impl Reader {
    fn new(source: &Source, kept: &KeptHead) -> Result<Self, SelectorError> {
        Ok(match source {
            Source::Status => Reader::Status,
            Source::Header(name) => {
                let name = name.to_ascii_lowercase();
                Reader::Field(kept.fields.iter().position(|field| *field == name).unwrap_or(usize::MAX))
            }
            Source::Cookie(name) => Reader::Cookie(name.clone()),
            Source::Body(selector) => Reader::Body(Box::new(Finder::new(selector)?)),
        })
    }

    fn read(&self, answer: &Seen<'_>, pick: Pick, out: &mut Vec<u8>) -> Found {
        let value = match self {
            Reader::Status => {
                out.extend_from_slice(answer.code.to_string().as_bytes());
                return Found::Yes;
            }
            Reader::Field(index) => answer.session.field(*index),
            Reader::Cookie(name) => {
                // What was set and has ended is in no jar.
                answer.jar.map_or_else(|| answer.session.set_cookie(name), |jar| jar.get(name))
            }
            Reader::Body(finder) => return finder.find(answer.text, pick, answer.random, out),
        };
        match value {
            Some(value) => {
                out.extend_from_slice(value);
                Found::Yes
            }
            None => Found::No,
        }
    }
}

/// A whole answer with the code that was expected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub code: u16,
    /// Its body without content coding, as far as it was kept.
    pub text: &'a [u8],
    /// True if that is all of it.
    pub whole: bool,
    pub session: &'a Session,
    pub jar: Option<&'a Jar>,
    /// For captures of any of several.
    pub random: u64,
}

/// All that is read from the answers to one entry of the mix.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    required: Vec<(Reader, Requirement)>,
    schema: Option<Schema>,
    captures: Vec<(Reader, Capture)>,
}

/// Fault of an answer that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misread {
    /// The required value with this index did not pass.
    Value(usize),
    Schema,
    /// The capture with this index found nothing.
    Capture(usize),
    /// The value of the capture with this index is longer than any that is kept.
    TooLong(usize),
    /// The value may be in the part of the body that was not kept.
    Unkept,
}

impl Misread {
    pub fn outcome(self) -> Outcome {
        match self {
            Misread::Value(_) | Misread::Schema => Outcome::Mismatch,
            Misread::Capture(_) => Outcome::NotCaptured,
            Misread::TooLong(_) | Misread::Unkept => Outcome::BeyondLimit,
        }
    }
}

impl Reading {
    /// For the entry of the mix with this index; `None` where nothing is read. An expression that is wrong was told by
    /// [`problems`].
    pub fn new(plan: &LoadPlan, at: usize, kept: &KeptHead) -> Option<Box<Reading>> {
        Reading::made(plan, at, kept).ok().flatten()
    }

    fn made(plan: &LoadPlan, at: usize, kept: &KeptHead) -> Result<Option<Box<Reading>>, SelectorError> {
        let expect = &plan.mix[at].expect;
        let captures = plan.asking.captures.get(at).map_or(&[][..], Vec::as_slice);
        if expect.values.is_empty() && expect.schema.is_none() && captures.is_empty() {
            return Ok(None);
        }
        let required = |value: &Requirement| Ok((Reader::new(&value.from, kept)?, value.clone()));
        let capture = |capture: &Capture| Ok((Reader::new(&capture.from, kept)?, capture.clone()));
        Ok(Some(Box::new(Reading {
            required: expect.values.iter().map(required).collect::<Result<_, SelectorError>>()?,
            schema: expect.schema.as_deref().map(Schema::new).transpose()?,
            captures: captures.iter().map(capture).collect::<Result<_, SelectorError>>()?,
        })))
    }

    /// True if bodies are read.
    pub fn needs_body(&self) -> bool {
        let of_body = |reader: &Reader| matches!(reader, Reader::Body(_));
        self.schema.is_some()
            || self.required.iter().any(|(reader, _)| of_body(reader))
            || self.captures.iter().any(|(reader, _)| of_body(reader))
    }

    /// Compares an answer, and takes what is captured into the user's memory. `scratch` is room that is used again.
    pub fn read(
        &self,
        answer: &Seen<'_>,
        memory: Option<&mut UserMemory>,
        scratch: &mut Vec<u8>,
    ) -> Result<(), Misread> {
        for (at, (reader, value)) in self.required.iter().enumerate() {
            scratch.clear();
            let found = reader.read(answer, Pick::Nth(1), scratch);
            if answer.hides(reader, Pick::Nth(1), found, scratch) {
                return Err(Misread::Unkept);
            }
            let passes = match found {
                Found::Yes => value.test.passes(Some(scratch)),
                Found::No => value.test.passes(None),
                Found::Unreadable(_) => false,
            };
            if !passes {
                return Err(Misread::Value(at));
            }
        }
        if let Some(schema) = &self.schema {
            if !answer.whole {
                return Err(Misread::Unkept);
            }
            schema.check(answer.text).map_err(|_| Misread::Schema)?;
        }
        let Some(memory) = memory else { return Ok(()) };
        for (at, (reader, capture)) in self.captures.iter().enumerate() {
            memory.set(capture.variable, |text| {
                let found = reader.read(answer, capture.pick, text);
                match (found, &capture.otherwise) {
                    _ if answer.hides(reader, capture.pick, found, text) => (false, Err(Misread::Unkept)),
                    (Found::Yes, _) if text.len() > VALUE_MAX => (false, Err(Misread::TooLong(at))),
                    (Found::Yes, _) => (true, Ok(())),
                    (_, Some(otherwise)) => {
                        text.clear();
                        text.extend_from_slice(otherwise.as_bytes());
                        (true, Ok(()))
                    }
                    (_, None) => (false, Err(Misread::Capture(at))),
                }
            })?;
        }
        Ok(())
    }

    /// The sentence about an answer that was misread.
    pub fn explain(&self, misread: Misread, answer: &Seen<'_>) -> String {
        let found = |reader: &Reader, pick: Pick| {
            let mut text = Vec::new();
            match reader.read(answer, pick, &mut text) {
                Found::Yes => format!(": {:?}", shown(&text)),
                Found::No => " is not there".to_owned(),
                Found::Unreadable(why) => format!(" cannot be looked for: {why}"),
            }
        };
        match misread {
            Misread::Value(at) => {
                let (reader, value) = &self.required[at];
                format!("{}{}, expected {}", value.written, found(reader, Pick::Nth(1)), value.test)
            }
            Misread::Schema => {
                let why = self.schema.as_ref().and_then(|schema| schema.check(answer.text).err());
                format!("the body does not fit its schema: {}", why.unwrap_or_default())
            }
            Misread::Capture(at) => {
                let (reader, capture) = &self.captures[at];
                format!("${{{}}}: its value{}", capture.name, found(reader, capture.pick))
            }
            Misread::TooLong(at) => {
                let name = &self.captures[at].1.name;
                format!("${{{name}}}: a value of more than {VALUE_MAX} bytes; Proofload keeps no longer one")
            }
            Misread::Unkept => format!(
                "the body is longer than the {} bytes that Proofload reads of one; this limit cannot be raised",
                answer.text.len()
            ),
        }
    }
}

impl Seen<'_> {
    /// True if the part of the body that was not kept may hold the value, the rest of it, or others to choose among.
    fn hides(&self, reader: &Reader, pick: Pick, found: Found, value: &[u8]) -> bool {
        let is_seen = found == Found::Yes
            && matches!(pick, Pick::Nth(_))
            && (value.is_empty() || !self.text.ends_with(value));
        matches!(reader, Reader::Body(_)) && !self.whole && !is_seen
    }
}

fn shown(text: &[u8]) -> String {
    let dots = if text.len() > SHOWN_BYTES { "…" } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(&text[..text.len().min(SHOWN_BYTES)]))
}

/// Appends what is wrong with the expressions of a plan, a sentence each.
pub(crate) fn problems(plan: &LoadPlan, problems: &mut Vec<String>) {
    let kept = KeptHead::of(plan);
    let variables = plan.asking.journeys.as_ref().map_or(0, |journeys| journeys.variables);
    for (at, entry) in plan.mix.iter().enumerate() {
        match Reading::made(plan, at, &kept) {
            Err(error) => problems.push(format!("mix[{at}]: {error}")),
            Ok(Some(reading)) => {
                if reading.needs_body() && entry.request.keep_body.min(entry.closing_request.keep_body) == 0 {
                    problems.push(format!("mix[{at}]: reads the body of the answer, but none of it is kept"));
                }
                if reading.captures.iter().any(|(_, capture)| capture.variable >= variables) {
                    problems.push(format!("mix[{at}]: captures a variable that no user has"));
                }
            }
            Ok(None) => {}
        }
    }
}
