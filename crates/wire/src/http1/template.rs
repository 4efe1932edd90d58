//! Where values are in a request before it is encoded.

/// A part of a request in which values can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Path and query.
    Target,
    /// The value of the header with this index.
    Header(usize),
    /// The body.
    Body,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// In which part.
    pub part: Part,
    /// Before which byte of that part, counted without values.
    pub at: usize,
    /// Which value: a number that means something to whoever yields the values.
    pub draw: u16,
}

/// What is filled in for each exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// Values, those of one part in the order of their places.
    pub slots: Vec<Slot>,
    /// Whether there is a place for cookies.
    pub cookies: bool,
}

impl Template {
    /// Whether the body is another for each exchange.
    pub(crate) fn changes_body(&self) -> bool {
        self.slots.iter().any(|slot| slot.part == Part::Body)
    }
}
