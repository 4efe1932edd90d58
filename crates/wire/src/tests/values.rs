//! Values of `fixtures/values.txt` of several serializations: enums, sets and superclasses.

use crate::{Field, Object, Text, Value};

/// Header values with every kind of blank at their ends.
pub const BLANKS: [&str; 6] = ["", "a", "Bearer ", " \ta b\t ", "\t", "  a  b"];

/// The constant of `lab.Color` with that name.
pub fn color(name: &str) -> Value {
    Value::Enum { class: "lab.Color".to_owned(), name: Text::Fixed(name.to_owned()) }
}

/// The set of the numbers below 13.
pub fn thirteen() -> Value {
    Value::Set((0..13).map(Value::Int).collect())
}

/// A list of two sets: of a text and of a number.
pub fn sets() -> Value {
    Value::List(vec![Value::Set(vec!["x".into()]), Value::Set(vec![Value::Int(2)])])
}

/// A `lab.Sub`, which has fields of its own, above it `lab.Middle` without any, and above that `lab.Base` with two.
pub fn derived() -> Value {
    let base = vec![field("id", "int", Value::Int(7)), field("name", "java.lang.String", "base".into())];
    let base = object("lab.Base", 1, base, None);
    let middle = object("lab.Middle", 2, Vec::new(), Some(base));
    let own =
        vec![field("own", "boolean", Value::Bool(true)), field("title", "java.lang.String", "t".into())];
    Value::Object(object("lab.Sub", 3, own, Some(middle)))
}

/// A `lab.Holder`, whose fields are a constant, a set, and a constant where anything can be.
pub fn holder() -> Value {
    let fields = vec![
        field("color", "lab.Color", color("RED")),
        field("names", "java.util.Set", Value::Set(vec!["x".into()])),
        field("any", "java.lang.Object", color("GREEN")),
    ];
    Value::Object(object("lab.Holder", 4, fields, None))
}

fn field(name: &str, ty: &str, value: Value) -> Field {
    Field { name: name.to_owned(), ty: ty.to_owned(), value }
}

fn object(class: &str, serial_version_uid: i64, fields: Vec<Field>, extends: Option<Object>) -> Object {
    Object { class: class.to_owned(), serial_version_uid, fields, extends: extends.map(Box::new) }
}
