//! The keys of a study. Each is declared once, with its meaning and its possible values: checks take the known
//! keys, the choices and the ranges from here, and the JSON Schema for editors is made of it.

/// Kinds of values that a key takes.
#[derive(Debug)]
pub enum Kind {
    /// Anything: a value that is read without its key.
    Any,
    /// `true` or `false`.
    Switch,
    /// Text that fits a pattern; any text where that is empty.
    Text(&'static str),
    /// A whole number, both ends included.
    Integer(u64, u64),
    /// A number that JSON Schema describes so.
    Number(&'static str),
    /// One of some words, each with its meaning.
    Words(&'static [(&'static str, &'static str)]),
    /// A list with at least the first and at most the second number of items.
    List(&'static Kind, usize, usize),
    /// The same, no two items alike.
    Distinct(&'static Kind, usize, usize),
    /// A map with at least the first and at most the second number of keys, which the author chooses.
    Names(&'static Kind, usize, usize),
    /// A map with the keys of one of these tables.
    Map(&'static [&'static Keys]),
    /// A map with one of the keys of this table.
    One(&'static Keys),
    Either(&'static [&'static Kind]),
    /// Something with a name of its own in the schema.
    Named(&'static Named),
    /// A kind that holds values of this kind.
    Later(fn() -> &'static Kind),
}

/// A kind with a name and its meaning.
#[derive(Debug)]
pub struct Named {
    pub name: &'static str,
    pub doc: &'static [&'static str],
    pub kind: Kind,
}

/// The keys of a map.
#[derive(Debug)]
pub struct Keys {
    pub name: &'static str,
    pub doc: &'static [&'static str],
    pub own: &'static [Key],
    /// Further keys, which other maps have as well.
    pub with: &'static [&'static Keys],
    /// Keys of which exactly one is there.
    pub exactly_one: &'static [&'static str],
    /// Keys of which at least one is there.
    pub some: &'static [&'static str],
}

/// A key of a map.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub doc: &'static [&'static str],
    pub required: bool,
    pub kind: &'static Kind,
}

pub const fn required() -> bool {
    true
}

pub const fn optional() -> bool {
    false
}

/// A whole number, which may be negative.
pub const WHOLE: Kind = Kind::Number(r#"{"type": "integer"}"#);

/// Text that is not blank.
pub const WORD: Kind = Kind::Text(r"\S");

/// Declares tables of keys: `/// doc`, `NAME exactly_one(..) some(..) with(..) { /// doc, required|optional key: KIND, }`.
#[macro_export]
macro_rules! keys {
    ($($(#[doc = $doc:literal])* $name:ident $(exactly_one($($one:ident),+))? $(some($($some:ident),+))?
        $(with($($with:ident),+))? { $($(#[doc = $key_doc:literal])* $need:ident $key:ident: $kind:expr,)* })*
    ) => {$(
        $(#[doc = $doc])*
        pub(crate) const $name: $crate::keys::Keys = $crate::keys::Keys {
            name: stringify!($name),
            doc: &[$($doc),*],
            own: &[$($crate::keys::Key {
                name: stringify!($key),
                doc: &[$($key_doc),*],
                required: $crate::keys::$need(),
                kind: &$kind,
            }),*],
            with: &[$($(&$with),+)?],
            exactly_one: &[$($(stringify!($one)),+)?],
            some: &[$($(stringify!($some)),+)?],
        };
    )*};
}

/// Declares kinds with names: `/// doc`, `NAME = KIND;`.
#[macro_export]
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $kind:expr;)*) => {$(
        $(#[doc = $doc])*
        pub(crate) const $name: $crate::keys::Kind = $crate::keys::Kind::Named(&$crate::keys::Named {
            name: stringify!($name),
            doc: &[$($doc),*],
            kind: $kind,
        });
    )*};
}

pub(crate) use {keys, kinds};

kinds! {
    /// Text, or a whole number.
    ARGUMENT = Kind::Either(&[&Kind::Text(""), &WHOLE]);
    /// One line of text, or a whole number.
    HEADER = Kind::Either(&[&WORD, &WHOLE]);
}

impl Keys {
    /// All keys, its own first.
    pub fn all(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.own.iter().chain(self.with.iter().flat_map(|keys| keys.own))
    }
}

impl Kind {
    /// Kinds of value, names and choices taken apart.
    fn choices(&'static self) -> Vec<&'static Kind> {
        match self {
            Kind::Named(named) => named.kind.choices(),
            Kind::Later(kind) => kind().choices(),
            Kind::Either(kinds) => kinds.iter().flat_map(|kind| kind.choices()).collect(),
            kind => vec![kind],
        }
    }

    /// Tables of which a map may have the keys.
    pub fn tables(&'static self) -> Vec<&'static Keys> {
        let tables = self.choices().into_iter().flat_map(|kind| match kind {
            Kind::Map(tables) => tables.to_vec(),
            Kind::One(table) => vec![*table],
            _ => Vec::new(),
        });
        tables.collect()
    }

    /// Kind of the value under a key of a map.
    pub fn under(&'static self, key: &str) -> &'static Kind {
        let known = self.tables().into_iter().flat_map(Keys::all).find(|known| known.name == key);
        let chosen = self.choices().into_iter().find_map(|kind| match kind {
            Kind::Names(kind, ..) => Some(*kind),
            _ => None,
        });
        known.map(|known| known.kind).or(chosen).unwrap_or(&Kind::Any)
    }

    /// Kind of the items of a list.
    pub fn item(&'static self) -> &'static Kind {
        let item = self.choices().into_iter().find_map(|kind| match kind {
            Kind::List(kind, ..) | Kind::Distinct(kind, ..) => Some(*kind),
            _ => None,
        });
        item.unwrap_or(&Kind::Any)
    }

    /// The least and the most that a whole number may be.
    pub fn range(&'static self) -> (u64, u64) {
        let range = self.choices().into_iter().find_map(|kind| match kind {
            Kind::Integer(least, most) => Some((*least, *most)),
            _ => None,
        });
        range.unwrap_or((0, u64::MAX))
    }
}
