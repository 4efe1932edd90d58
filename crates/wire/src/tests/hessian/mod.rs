//! Hessian: values as they are written and passed over, calls, answers, and whatever bytes.

mod answers;
mod fuzzed;
mod random;
mod reads;
mod walks;
mod writes;

use super::laws;
use crate::{Field, Object, Text, Value};
use std::sync::LazyLock;

/// The bytes that hexadecimal digits tell.
fn unhex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    assert_eq!(digits.len() % 2, 0);
    let byte =
        |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("digits");
    digits.chunks(2).map(byte).collect()
}

/// The bodies of Dubbo's frames, each behind its name.
fn dubbo_bodies() -> &'static [(&'static str, Vec<u8>)] {
    static BODIES: LazyLock<Vec<(&str, Vec<u8>)>> = LazyLock::new(read_dubbo_bodies);
    &BODIES
}

fn read_dubbo_bodies() -> Vec<(&'static str, Vec<u8>)> {
    let lines = include_str!("fixtures/dubbo-hessian2.hex").lines();
    let bodies: Vec<_> = lines.map(|line| line.split_once(' ').expect("a name and digits")).collect();
    assert_eq!(bodies.len(), 52);
    bodies.into_iter().map(|(name, digits)| (name, unhex(digits))).collect()
}

/// Calls that clients of version 1 and 2 wrote, of both JDKs.
fn clients() -> [(u8, Vec<u8>); 4] {
    [
        (1, unhex(include_str!("fixtures/hessian1-jdk17.client.hex"))),
        (1, unhex(include_str!("fixtures/hessian1-jdk25.client.hex"))),
        (2, unhex(include_str!("fixtures/hessian2-jdk17.client.hex"))),
        (2, unhex(include_str!("fixtures/hessian2-jdk25.client.hex"))),
    ]
}

/// Answers of servers to clients of version 1 and 2, of both JDKs.
fn servers() -> [Vec<u8>; 4] {
    [
        unhex(include_str!("fixtures/hessian1-jdk17.server.hex")),
        unhex(include_str!("fixtures/hessian1-jdk25.server.hex")),
        unhex(include_str!("fixtures/hessian2-jdk17.server.hex")),
        unhex(include_str!("fixtures/hessian2-jdk25.server.hex")),
    ]
}

fn object(class: &str, fields: Vec<(&str, Value)>) -> Value {
    let field = |(name, value): (&str, Value)| Field { name: name.to_owned(), ty: String::new(), value };
    let fields = fields.into_iter().map(field).collect();
    Value::Object(Object { class: class.to_owned(), serial_version_uid: 0, fields, extends: None })
}

fn constant(class: &str, name: &str) -> Value {
    Value::Enum { class: class.to_owned(), name: Text::Fixed(name.to_owned()) }
}

/// The person that the recorded calls echo.
fn person() -> Value {
    object(
        "lab.Person",
        vec![
            ("personId", "superman111".into()),
            ("loginName", "superman".into()),
            ("email", "sm@1.com".into()),
            ("penName", "pname".into()),
            ("age", Value::Int(30)),
            ("created", Value::Long(1_385_078_400_000)),
            ("score", Value::Double(314.0 / 100.0)),
            ("status", constant("lab.PersonStatus", "ENABLED")),
            ("infoProfile", info()),
        ],
    )
}

fn info() -> Value {
    object(
        "lab.PersonInfo",
        vec![
            ("mobileNo", "13584652131".into()),
            ("name", "super man the second of that name".into()),
            ("male", Value::Bool(true)),
            ("female", Value::Bool(false)),
            ("department", "servers and middleware performance laboratory".into()),
            ("jobTitle", "senior test engineer of the servers department".into()),
            ("homepageUrl", "http://www.capcom.example/some/page/of/this/person/index.html".into()),
            ("phones", Value::List(vec![phone("87654321", "001".into()), phone("87654322", "002".into())])),
            ("fax", phone("87654321", Value::Null)),
            ("fullAddress", address()),
        ],
    )
}

fn phone(number: &str, extension: Value) -> Value {
    let (country, area) = (("country", "86".into()), ("area", "0571".into()));
    object("lab.Phone", vec![country, area, ("number", number.into()), ("extensionNumber", extension)])
}

fn address() -> Value {
    let street = "Gudang, Xihu district, some quite long street address line that goes on, building 12";
    object(
        "lab.FullAddress",
        vec![
            ("countryId", "CN".into()),
            ("countryName", "China".into()),
            ("provinceName", "Zhejiang province".into()),
            ("cityId", "3301".into()),
            ("cityName", "Hangzhou".into()),
            ("streetAddress", street.into()),
            ("zipCode", "333222".into()),
        ],
    )
}
