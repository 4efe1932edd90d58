//! The calls of the recorded frames.

use crate::{Call, Field, Object, Text, Value};

/// `echo("hello")`.
pub fn echo_string() -> Call {
    call("echo", "java.lang.String", "hello".into())
}

/// `random("hello")`.
pub fn random() -> Call {
    call("random", "java.lang.String", "hello".into())
}

/// `echo(person)`.
pub fn echo_person(person: Value) -> Call {
    call("echo", "lab.Person", person)
}

/// `echo` of a map that has the person twice.
pub fn echo_map(person: &Value) -> Call {
    let entries = ["a", "b"].map(|key| (key.into(), person.clone()));
    call("echo", "java.util.Map", Value::Map(entries.into()))
}

fn call(method: &str, ty: &str, argument: Value) -> Call {
    Call {
        interface: "lab.EchoService".to_owned(),
        method: method.to_owned(),
        parameter_types: vec![ty.to_owned()],
        arguments: vec![argument],
        ..Call::default()
    }
}

const STRING: &str = "java.lang.String";

fn object(class: &str, serial_version_uid: i64, fields: Vec<(&str, &str, Value)>) -> Value {
    let field =
        |(name, ty, value): (&str, &str, Value)| Field { name: name.to_owned(), ty: ty.to_owned(), value };
    let fields = fields.into_iter().map(field).collect();
    Value::Object(Object { class: class.to_owned(), serial_version_uid, fields, extends: None })
}

/// An object whose fields are all texts.
fn texts(class: &str, uid: i64, fields: &[(&str, &str)]) -> Value {
    let value = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    object(class, uid, fields.iter().map(|(name, text)| (*name, STRING, value(text))).collect())
}

fn phone(number: &str, extension: &str) -> Value {
    let fields = [("country", "86"), ("area", "0571"), ("number", number), ("extensionNumber", extension)];
    texts("lab.Phone", 4_399_060_521_859_707_703, &fields)
}

fn address() -> Value {
    let fields = [
        ("countryId", "CN"),
        ("countryName", "China"),
        ("provinceName", "Zhejiang province"),
        ("cityId", "3301"),
        ("cityName", "Hangzhou"),
        (
            "streetAddress",
            "Gudang, Xihu district, some quite long street address line that goes on, building 12",
        ),
        ("zipCode", "333222"),
    ];
    texts("lab.FullAddress", 5_163_979_984_269_419_831, &fields)
}

fn info() -> Value {
    let phones = Value::List(vec![phone("87654321", "001"), phone("87654322", "002")]);
    let homepage = "http://www.capcom.example/some/page/of/this/person/index.html";
    object(
        "lab.PersonInfo",
        7_443_011_149_612_231_882,
        vec![
            ("mobileNo", STRING, "13584652131".into()),
            ("name", STRING, "super man the second of that name".into()),
            ("male", "boolean", Value::Bool(true)),
            ("female", "boolean", Value::Bool(false)),
            ("department", STRING, "servers and middleware performance laboratory".into()),
            ("jobTitle", STRING, "senior test engineer of the servers department".into()),
            ("homepageUrl", STRING, homepage.into()),
            ("phones", "java.util.List<lab.Phone>", phones),
            ("fax", "lab.Phone", phone("87654321", "")),
            ("fullAddress", "lab.FullAddress", address()),
        ],
    )
}

/// 3.14, which is not meant for another number here.
pub const SCORE: f64 = 314.0 / 100.0;

/// The person, its fields in the order of Hessian's writer up to 2.7.
pub fn person() -> Value {
    let status =
        Value::Enum { class: "lab.PersonStatus".to_owned(), name: Text::Fixed("ENABLED".to_owned()) };
    object(
        "lab.Person",
        1,
        vec![
            ("personId", STRING, "superman111".into()),
            ("loginName", STRING, "superman".into()),
            ("email", STRING, "sm@1.com".into()),
            ("penName", STRING, "pname".into()),
            ("age", "int", Value::Int(30)),
            ("created", "long", Value::Long(1_385_078_400_000)),
            ("score", "double", Value::Double(SCORE)),
            ("status", "lab.PersonStatus", status),
            ("infoProfile", "lab.PersonInfo", info()),
        ],
    )
}

/// The same with the fields of all objects in the order of their names.
pub fn sorted(value: Value) -> Value {
    ordered(value, |fields| fields.sort_by(|a, b| a.name.cmp(&b.name)))
}

/// The same with the fields of all objects in the reverse order.
pub fn reversed(value: Value) -> Value {
    ordered(value, |fields| fields.reverse())
}

fn ordered(value: Value, order: fn(&mut Vec<Field>)) -> Value {
    match value {
        Value::Object(mut object) => {
            order(&mut object.fields);
            for field in &mut object.fields {
                field.value = ordered(field.value.clone(), order);
            }
            Value::Object(object)
        }
        Value::List(items) => Value::List(items.into_iter().map(|item| ordered(item, order)).collect()),
        other => other,
    }
}
