//! Order of measuring the variants of a study.

/// Order of measuring the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All at once, slice by slice.
    Cycles,
    /// One after the other.
    Serial,
}

impl Mode {
    /// Its name in studies, plans and reports.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Cycles => "cycles",
            Mode::Serial => "serial",
        }
    }

    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Mode> {
        [Mode::Cycles, Mode::Serial].into_iter().find(|mode| mode.name() == name)
    }
}
