//! Values of the variables of a message.

use fluent_bundle::FluentValue;
use std::borrow::Cow;

/// Value of a variable.
pub type Value<'a> = FluentValue<'a>;

/// Type of a variable's value: a text, or a number, which chooses between singular and plural where it is a whole
/// one.
pub trait Argument {
    /// As a message takes it.
    fn of(given: &Self) -> Value<'_>;
}

impl Argument for str {
    fn of(given: &str) -> Value<'_> {
        Value::from(given)
    }
}

impl Argument for String {
    fn of(given: &String) -> Value<'_> {
        Value::from(given.as_str())
    }
}

impl Argument for crate::Phrase {
    fn of(given: &crate::Phrase) -> Value<'_> {
        Value::from(given.text())
    }
}

impl Argument for Cow<'_, str> {
    fn of<'a>(given: &'a Self) -> Value<'a> {
        Value::from(&**given)
    }
}

impl<T: Argument + ?Sized> Argument for &T {
    fn of(given: &Self) -> Value<'_> {
        T::of(given)
    }
}

impl Argument for std::path::Path {
    fn of(given: &std::path::Path) -> Value<'_> {
        Value::from(given.to_string_lossy())
    }
}

impl Argument for std::path::PathBuf {
    fn of(given: &std::path::PathBuf) -> Value<'_> {
        Argument::of(given.as_path())
    }
}

impl Argument for std::io::Error {
    fn of(given: &std::io::Error) -> Value<'_> {
        Value::from(given.to_string())
    }
}

impl Argument for Vec<String> {
    fn of(given: &Vec<String>) -> Value<'_> {
        Value::from(given.join(crate::text("between-items")))
    }
}

/// An absent value is `none`, which a message can choose by.
impl<T: Argument> Argument for Option<T> {
    fn of(given: &Option<T>) -> Value<'_> {
        given.as_ref().map_or(Value::from("none"), T::of)
    }
}

/// `true` or `false`, which a message can choose by.
impl Argument for bool {
    fn of(given: &bool) -> Value<'_> {
        Value::from(if *given { "true" } else { "false" })
    }
}

/// As Rust writes it: the same digits in every language.
impl Argument for f64 {
    fn of(given: &f64) -> Value<'_> {
        Value::from(given.to_string())
    }
}

/// Whole numbers from here on are texts.
const COUNTED_MAX: u64 = 1 << 53;

macro_rules! whole_numbers {
    ($($of:ty)*) => {
        $(impl Argument for $of {
            fn of(given: &$of) -> Value<'_> {
                // A message counts in floating point, which would change the last digits of a seed.
                match i64::try_from(*given) {
                    Ok(exact) if exact.unsigned_abs() < COUNTED_MAX => Value::from(*given),
                    _ => Value::from(given.to_string()),
                }
            }
        })*
    };
}

whole_numbers!(u8 u16 u32 u64 usize i32 i64);
