//! Parts of an answer's head that are kept, in memory that is used again.

use super::{LOCATION_MAX, cookies};
use crate::coding;
use std::sync::Arc;

/// Longest value of a field that is kept, in bytes; a longer one counts as absent.
const FIELD_MAX: usize = LOCATION_MAX;

/// Parts of the present answer's head.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// True if any but its codings are kept.
    pub any: bool,
    /// Set-Cookie lines, if they are to be kept.
    set_cookies: Option<Vec<u8>>,
    /// WWW-Authenticate lines, if they are to be kept.
    challenges: Option<Vec<u8>>,
    location: Option<Box<Fields>>,
    fields: Option<Box<Fields>>,
    /// Content-Encoding, if any of the body is kept.
    pub codings: Vec<u8>,
}

impl Kept {
    /// Keeps the values of Set-Cookie of each answer, up to 16 KiB.
    pub fn keep_set_cookies(&mut self) {
        self.set_cookies = Some(Vec::new());
        self.any = true;
    }

    pub fn keep_challenges(&mut self) {
        self.challenges = Some(Vec::new());
        self.any = true;
    }

    pub fn keep_location(&mut self) {
        self.location = Some(Fields::of(["location".to_owned()].into()));
        self.any = true;
    }

    /// Keeps the value of the first field of each of these names, which are in lower case.
    pub fn keep_fields(&mut self, names: Arc<[String]>) {
        self.fields = Some(Fields::of(names));
        self.any = true;
    }

    /// The value of the name with that index.
    pub fn field(&self, index: usize) -> Option<&[u8]> {
        let slot = self.fields.as_ref()?.slots.get(index)?;
        (slot.seen > 0 && !slot.broken).then_some(&*slot.value)
    }

    /// Location, if the answer has it once, whole.
    pub fn location(&self) -> Option<&[u8]> {
        let slot = self.location.as_ref()?.slots.first()?;
        (slot.seen == 1 && !slot.broken && !slot.value.is_empty()).then_some(&*slot.value)
    }

    pub fn set_cookies(&self) -> impl Iterator<Item = &[u8]> {
        lines(self.set_cookies.as_deref())
    }

    pub fn challenges(&self) -> impl Iterator<Item = &[u8]> {
        lines(self.challenges.as_deref())
    }

    /// Takes a line of a head; its Content-Encoding where `coded`.
    pub fn line(&mut self, line: &[u8], coded: bool) {
        if let Some(kept) = &mut self.set_cookies {
            cookies::keep(line, b"set-cookie:", kept);
        }
        if let Some(kept) = &mut self.challenges {
            cookies::keep(line, b"www-authenticate:", kept);
        }
        for fields in self.location.iter_mut().chain(&mut self.fields) {
            fields.line(line);
        }
        if coded {
            coding::keep(line, &mut self.codings);
        }
    }

    /// Forgets the head before.
    pub fn clear(&mut self) {
        self.set_cookies.iter_mut().chain(&mut self.challenges).for_each(Vec::clear);
        self.location.iter_mut().chain(&mut self.fields).for_each(|fields| fields.clear());
        self.codings.clear();
    }
}

fn lines(kept: Option<&[u8]>) -> impl Iterator<Item = &[u8]> {
    kept.unwrap_or_default().split(|&byte| byte == b'\n').filter(|value| !value.is_empty())
}

/// Values of fields by their names.
#[derive(Debug)]
struct Fields {
    names: Arc<[String]>,
    slots: Vec<Slot>,
    /// The one whose line was the last: a folded line goes on with it.
    open: Option<usize>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    /// The first value, without space around it.
    value: Vec<u8>,
    /// Fields of that name so far.
    seen: u32,
    /// True if it is too long, or folded.
    broken: bool,
}

impl Fields {
    fn of(names: Arc<[String]>) -> Box<Self> {
        Box::new(Fields { slots: vec![Slot::default(); names.len()], names, open: None })
    }

    fn line(&mut self, line: &[u8]) {
        let open = self.open.take();
        if line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            if let Some(slot) = open.and_then(|at| self.slots.get_mut(at)) {
                slot.broken = true;
            }
            self.open = open;
            return;
        }
        let Some(end) = line.iter().position(|&byte| byte == b':') else { return };
        let (name, value) = (&line[..end], line[end + 1..].trim_ascii());
        let is_kept = |kept: &String| kept.as_bytes().eq_ignore_ascii_case(name);
        let Some(at) = self.names.iter().position(is_kept) else { return };
        let slot = &mut self.slots[at];
        slot.seen = slot.seen.saturating_add(1);
        if slot.seen > 1 {
            return;
        }
        self.open = Some(at);
        slot.broken = value.len() > FIELD_MAX;
        if !slot.broken {
            slot.value.extend_from_slice(value);
        }
    }

    fn clear(&mut self) {
        self.open = None;
        for slot in &mut self.slots {
            slot.value.clear();
            (slot.seen, slot.broken) = (0, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_counts_when_it_stands_there_once_and_whole() {
        let kept = |lines: &[&str]| {
            let mut kept = Kept::default();
            kept.keep_location();
            lines.iter().for_each(|line| kept.line(line.as_bytes(), false));
            kept.location().map(|value| String::from_utf8_lossy(value).into_owned())
        };
        assert_eq!(kept(&["Server: x", "LOCATION:  /a ", "X: y"]).as_deref(), Some("/a"));
        assert_eq!(kept(&["Content-Location: /a", "Locations: /b", "Location"]), None);
        assert_eq!(kept(&["Location: /a", "Location: /a"]), None);
        assert_eq!(kept(&["Location: /a", " b"]), None);
        assert_eq!(kept(&["Location:"]), None);
        assert_eq!(kept(&[&format!("Location: /{}", "x".repeat(LOCATION_MAX))]), None);
    }

    #[test]
    fn a_field_has_its_first_value_whole() {
        let kept = |lines: &[&str]| {
            let mut kept = Kept::default();
            kept.keep_fields(["etag".to_owned(), "x-token".to_owned()].into());
            lines.iter().for_each(|line| kept.line(line.as_bytes(), false));
            let field = |at| kept.field(at).map(|value| String::from_utf8_lossy(value).into_owned());
            assert_eq!(field(2), None);
            [field(0), field(1)]
        };
        let (none, some) = (|| None, |value: &str| Some(value.to_owned()));
        assert_eq!(kept(&["X-TOKEN:\t7 8 ", "etag: \"a:b\""]), [some("\"a:b\""), some("7 8")]);
        assert_eq!(kept(&["ETag: a", "etag: b", " c"]), [some("a"), none()]);
        assert_eq!(kept(&["ETag: a", "\tb", "X-Token:"]), [none(), some("")]);
        assert_eq!(kept(&["X-Token: a", " b", " c"]), [none(), none()]);
        assert_eq!(kept(&["etag", " a", "x-tokens: 1", "x-toke: 2"]), [none(), none()]);
        let [long, longer] = [FIELD_MAX, FIELD_MAX + 1].map(|length| "y".repeat(length));
        assert_eq!(kept(&[&format!("etag: {long}"), &format!("x-token:{longer}")]), [Some(long), none()]);
    }
}
