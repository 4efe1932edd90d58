//! Mistakes that many places make, and their names on another surface.

use super::{Expected, Mistake, Thing};

impl Mistake {
    /// A value that should have been something else.
    pub fn not(found: impl Into<String>, expected: Expected, form: impl Into<String>) -> Mistake {
        Mistake::NotExpected { found: found.into(), expected, form: form.into() }
    }

    /// A value outside of its range.
    pub fn beyond(found: impl ToString, low: impl ToString, high: impl ToString) -> Mistake {
        Mistake::OutOfRange { found: found.to_string(), low: low.to_string(), high: high.to_string() }
    }

    /// A header that the generator sets; what decides about connections has a key of its own.
    pub fn own_header(name: impl Into<String>) -> Mistake {
        let name = name.into();
        let is_reuse = ["connection", "keep-alive"].contains(&name.to_ascii_lowercase().as_str());
        Mistake::OwnHeader { name, instead: is_reuse.then(|| "keep_alive: false".to_string()) }
    }

    /// Too many of something.
    pub fn too_many(what: Thing, found: impl ToString, most: usize) -> Mistake {
        Mistake::TooMany { what, found: found.to_string(), most: most as u64 }
    }

    /// Something that is there twice.
    pub fn twice(what: Thing, name: impl Into<String>) -> Mistake {
        Mistake::Twice { what, name: name.into() }
    }

    /// Two that exclude each other.
    pub fn exclude(first: impl Into<String>, second: impl Into<String>) -> Mistake {
        Mistake::ExcludeEachOther { first: first.into(), second: second.into() }
    }

    /// With other names for the keys that it names: those of the surface that is used.
    #[must_use]
    pub fn with_names(self, name_of: &dyn Fn(&str) -> Option<String>) -> Mistake {
        let name = |key: String| name_of(&key).unwrap_or(key);
        match self {
            Mistake::ExcludeEachOther { first, second } => {
                Mistake::ExcludeEachOther { first: name(first), second: name(second) }
            }
            Mistake::NoMeaningBeside { beside } => Mistake::NoMeaningBeside { beside: name(beside) },
            Mistake::NoMeaningWithout { needs } => Mistake::NoMeaningWithout { needs: name(needs) },
            Mistake::OwnHeader { name: header, instead } => {
                Mistake::OwnHeader { name: header, instead: instead.map(name) }
            }
            Mistake::In { place, what } => what.with_names(name_of).at(name(place)),
            other => other,
        }
    }

    /// At a place of its own: a line of a file, a flag.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Mistake {
        Mistake::In { place: place.into(), what: Box::new(self) }
    }
}
