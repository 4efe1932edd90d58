//! Mistakes in a study: place, mistake, and what to write instead.

use proofload_facts::Mistake;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Longest piece of the file that a message repeats, in characters: enough to recognise it on one line.
const SHOWN_MAX: usize = 60;

/// Most problems that are shown at once: a file that is something else altogether would print pages.
const PROBLEMS_MAX: usize = 50;

#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The file, as it was named; `--set KEY` for what that changed; `command line` for a study made of
    /// arguments.
    pub file: String,
    /// Line, from 1; 0 when the mistake has no place in the file.
    pub line: usize,
    /// Column in characters, from 1; 0 when the mistake has no place in the file.
    pub column: usize,
    /// Path of keys from the top: `load.closed.connections[1]`; empty for the file as a whole.
    pub key: String,
    /// The mistake, and what to do about it.
    pub mistake: Mistake,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if self.line > 0 {
            write!(f, "{}:", self.line)?;
        }
        if !self.key.is_empty() {
            write!(f, " {}:", self.key)?;
        }
        write!(f, " {}", told(&self.mistake))
    }
}

/// All mistakes of a study, in the order of their lines. Never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().take(PROBLEMS_MAX).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        if self.0.len() > PROBLEMS_MAX {
            write!(f, "\n… and {} more", self.0.len() - PROBLEMS_MAX)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// A place in the study file, in a file that it includes, or on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Index of the sink's source; 0 is the study file.
    pub source: u16,
    pub line: usize,
    pub column: usize,
}

/// Collects problems while checking goes on, so that all are reported at once.
#[derive(Debug)]
pub struct Sink {
    /// Sources of the study; the study file is the first.
    sources: RefCell<Vec<String>>,
    problems: RefCell<Vec<(u16, Problem)>>,
    /// Files that the study names.
    files: RefCell<BTreeSet<PathBuf>>,
    /// True for a study given by flags, without a file.
    is_of_flags: bool,
}

impl Sink {
    pub fn new(file: &str) -> Self {
        let sources = RefCell::new(vec![escaped(file.chars())]);
        Sink { sources, problems: RefCell::default(), files: RefCell::default(), is_of_flags: false }
    }

    /// A sink for a study given by flags: the name of a source is its flag.
    pub(crate) fn of_flags() -> Self {
        Sink { is_of_flags: true, ..Sink::new("") }
    }

    /// True for a study given by flags. Their files may be anywhere, and there may be nothing to judge.
    pub(crate) fn is_of_flags(&self) -> bool {
        self.is_of_flags
    }

    /// A further source of the study: the number that its places carry.
    pub(crate) fn source(&self, name: &str) -> u16 {
        let mut sources = self.sources.borrow_mut();
        sources.push(escaped(name.chars()));
        u16::try_from(sources.len() - 1).unwrap_or(u16::MAX)
    }

    pub fn add(&self, place: Location, key: &str, mistake: Mistake) {
        let file = self.sources.borrow().get(usize::from(place.source)).cloned().unwrap_or_default();
        let Location { line, column, .. } = place;
        let problem = Problem { file, line, column, key: key.to_string(), mistake };
        self.problems.borrow_mut().push((place.source, problem));
    }

    /// The study names this file.
    pub(crate) fn names(&self, path: &Path) {
        self.files.borrow_mut().insert(path.to_path_buf());
    }

    /// The files that it names.
    pub(crate) fn named(&self) -> BTreeSet<PathBuf> {
        self.files.borrow().clone()
    }

    /// Number of problems so far.
    pub(crate) fn len(&self) -> usize {
        self.problems.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// The problems in the order of their places.
    pub fn into_problems(self) -> Problems {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|(source, problem)| (*source, problem.line, problem.column));
        Problems(problems.into_iter().map(|(_, problem)| problem).collect())
    }
}

/// A mistake in the language of the output. Text of the file may hold anything, so control characters are escaped.
pub fn told(mistake: &Mistake) -> String {
    escaped(proofload_language::facts::told(mistake).chars())
}

/// A file that the system does not give.
pub fn cannot_read(file: impl Into<String>, error: &std::io::Error) -> Mistake {
    Mistake::CannotRead { file: file.into(), error: error.to_string() }
}

/// A variable of the environment, which is taken for a secret.
pub(crate) fn variable(name: &str) -> Result<String, Mistake> {
    let value = std::env::var(name).map_err(|_| Mistake::NoVariable { name: shown(name) })?;
    proofload_store::redact::know(&value);
    Ok(value)
}

/// A text, or the variable of the environment that `${env.NAME}` names.
pub(crate) fn text_or_variable(text: &str) -> Result<String, Mistake> {
    match text.strip_prefix("${env.").and_then(|rest| rest.strip_suffix('}')) {
        Some(name) => variable(name),
        None => Ok(text.to_string()),
    }
}

/// A piece of the file, fit for a message: cut, and without control characters.
pub fn shown(text: &str) -> String {
    let mut out = escaped(text.chars().take(SHOWN_MAX));
    if text.chars().nth(SHOWN_MAX).is_some() {
        out.push('…');
    }
    out
}

/// Escapes characters that could move the cursor, colour the terminal or reorder the text.
fn escaped(characters: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for character in characters {
        if character.is_control() || is_bidi_control(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Characters that reorder what is printed around them (Unicode UAX #9).
fn is_bidi_control(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
