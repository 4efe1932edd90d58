//! Reading JSON within a memory limit: the values read from a text may take many times its length.
//!
//! A layer between the deserializer and the types that are read: only here is the size of each element known before
//! it is kept.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};
use std::cell::Cell;
use std::fmt;

/// A list that has one element has room for four, and one that grows for as many again.
const GROWS: u64 = 2;
const FIRST: u64 = 4;
/// A map allocates room for this many entries with its first one.
const NODE: u64 = 12;
/// Bytes of an allocation beside its contents.
const ALLOCATION: u64 = 16;
/// Names of fields take no more; what has longer keys keeps them.
const FIELD: usize = 8;

#[derive(Debug)]
pub(crate) enum Unread {
    /// It would take more than was allowed.
    TooMuch,
    Json(serde_json::Error),
}

/// Reads a text, and takes what it keeps from `left_bytes`.
pub(crate) fn read<'de, T: Deserialize<'de>>(text: &'de [u8], left_bytes: &mut u64) -> Result<T, Unread> {
    let room = Cell::new(Some(*left_bytes));
    let mut json = serde_json::Deserializer::from_slice(text);
    let read =
        T::deserialize(Charged { inner: &mut json, room: &room }).and_then(|read| json.end().map(|()| read));
    match (read, room.get()) {
        (Ok(read), Some(left)) => {
            *left_bytes = left;
            Ok(read)
        }
        (_, None) => Err(Unread::TooMuch),
        (Err(error), _) => Err(Unread::Json(error)),
    }
}

struct Charged<'r, T> {
    inner: T,
    /// Nothing once it was exceeded, though who asked for more may try another way.
    room: &'r Cell<Option<u64>>,
}

impl<'r, T> Charged<'r, T> {
    fn with<U>(&self, inner: U) -> Charged<'r, U> {
        Charged { inner, room: self.room }
    }

    fn take<E: Error>(&self, bytes: u64) -> Result<(), E> {
        self.room.set(self.room.get().and_then(|left| left.checked_sub(bytes)));
        self.room.get().map(drop).ok_or_else(|| E::custom("it takes too much memory"))
    }
}

macro_rules! deserialize {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.with(visitor);
            self.inner.$method($($name,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Charged<'_, D> {
    type Error = D::Error;
    deserialize! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_char() deserialize_str() deserialize_string()
        deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit() deserialize_seq()
        deserialize_map() deserialize_identifier() deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visit {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )*};
}

macro_rules! visit_text {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E: Error>(self, text: $type) -> Result<V::Value, E> {
            self.take(text.len() as u64 + ALLOCATION)?;
            self.inner.$method(text)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Charged<'_, V> {
    type Value = V::Value;
    visit! {
        visit_bool(bool) visit_i64(i64) visit_i128(i128) visit_u64(u64) visit_u128(u128) visit_f64(f64) visit_char(char)
    }
    visit_text! { visit_str(&str) visit_borrowed_str(&'de str) visit_string(String) }

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = self.with(inner);
        self.inner.visit_some(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        let inner = self.with(inner);
        self.inner.visit_newtype_struct(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        let list = Entries { of: self.with(list), count: 0, key_bytes: 0 };
        self.inner.visit_seq(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let map = Entries { of: self.with(map), count: 0, key_bytes: 0 };
        self.inner.visit_map(map)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<V::Value, A::Error> {
        // A word: what a choice holds beside it, facts keep as a map.
        self.inner.visit_enum(choice)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Charged<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let inner = self.with(inner);
        self.inner.deserialize(inner)
    }
}

/// A list or a map, with the number of entries read so far.
struct Entries<'r, A> {
    of: Charged<'r, A>,
    count: u64,
    key_bytes: usize,
}

impl<A> Entries<'_, A> {
    /// For one entry more, where the first makes room for `first`.
    fn keep<E: Error>(&mut self, bytes: usize, first: u64) -> Result<(), E> {
        self.count += 1;
        let times = if self.count == 1 { first } else { GROWS };
        let beside = if self.count == 1 { ALLOCATION } else { 0 };
        self.of.take(times * bytes as u64 + beside)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Entries<'_, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        let seed = self.of.with(seed);
        let found = self.of.inner.next_element_seed(seed)?;
        if found.is_some() {
            self.keep(size_of::<T::Value>(), FIRST)?;
        }
        Ok(found)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.key_bytes = size_of::<K::Value>();
        let seed = self.of.with(seed);
        self.of.inner.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        // A field lies within what it is a field of, which was charged.
        if self.key_bytes > FIELD {
            self.keep(self.key_bytes + size_of::<T::Value>(), NODE)?;
        }
        let seed = self.of.with(seed);
        self.of.inner.next_value_seed(seed)
    }
}
