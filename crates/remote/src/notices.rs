//! Notices of a run, for a person.

/// Writer of lines for a person.
#[derive(Clone, Copy, Debug)]
pub struct Notices {
    pub quiet: bool,
    /// Writes one.
    pub line: fn(&str),
}

impl Notices {
    /// Writes a line, unless it is to be quiet.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            (self.line)(line);
        }
    }
}
