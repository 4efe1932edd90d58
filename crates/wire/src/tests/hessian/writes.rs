//! Values and calls, byte for byte.

use super::{clients, dubbo_bodies, object, person, unhex};
use crate::hessian::{Version, call_body, encode, v1, v2};
use crate::http1::{RequestSpec, Template};
use crate::tests::values;
use crate::{Call, Filling, Placeholders, Text, Value, Values};

fn first(value: &Value) -> Vec<u8> {
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    v1::Writer::new(&mut bytes, &mut places).value(value);
    bytes
}

fn second(value: &Value) -> Vec<u8> {
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    v2::Writer::new(&mut bytes, &mut places).value(value);
    bytes
}

fn call(method: &str, argument: Value) -> Call {
    Call { method: method.to_owned(), arguments: vec![argument], ..Call::default() }
}

/// True if `bytes` has `part` somewhere.
fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn calls_are_written_as_the_recorded_clients_wrote_them() {
    let map = Value::Map(vec![("a".into(), person())]);
    let calls = [
        call("echo", "hello".into()),
        call("echoPerson", person()),
        call("echoMap", map),
        call("random", "hello".into()),
    ];
    for (version, written) in clients() {
        let version = if version == 1 { Version::V1 } else { Version::V2 };
        for call in &calls {
            let (body, places) = call_body(version, call);
            assert!(places.is_empty());
            let length = format!("Content-Length: {}\r\n\r\n", body.len());
            assert!(has(&written, &[length.as_bytes(), &body].concat()), "{version:?} {}", call.method);
        }
    }
}

/// Output of Caucho's `HessianOutput` (`h1`) and `Hessian2Output` (`h2`) for those values.
fn written(name: &str) -> Vec<u8> {
    let line = include_str!("fixtures/values.txt")
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    unhex(line.unwrap_or_else(|| panic!("no value {name}")))
}

#[test]
fn enums_sets_and_superclasses_are_written_as_java_writes_them() {
    for (name, value) in [
        ("color", values::color("RED")),
        ("set", Value::Set(vec!["x".into()])),
        ("set_empty", Value::Set(vec![])),
        ("set_13", values::thirteen()),
        ("sets", values::sets()),
        ("derived", values::derived()),
        ("holder", values::holder()),
    ] {
        assert_eq!(first(&value), written(&format!("h1.{name}")), "{name}");
        assert_eq!(second(&value), written(&format!("h2.{name}")), "{name}");
    }
}

/// The same with the fields of each object in the opposite order.
fn reversed(value: Value) -> Value {
    match value {
        Value::List(values) => Value::List(values.into_iter().map(reversed).collect()),
        Value::Object(mut object) => {
            object.fields.reverse();
            object.fields.iter_mut().for_each(|field| field.value = reversed(field.value.clone()));
            Value::Object(object)
        }
        other => other,
    }
}

#[test]
fn a_person_is_written_as_dubbo_writes_it() {
    let (person, turned) = (second(&person()), second(&reversed(person())));
    // Dubbo 2.6.12 to 3.2.19 name the class of the list.
    let typed = [b"r\x13java.util.ArrayList", &b"c\x03001"[..]].concat();
    for (name, body) in dubbo_bodies().iter().filter(|(name, _)| name.contains("echoPerson")) {
        // From 2.5.10 on (2.5.3 did not yet) the fields are in the opposite order; they are read by their names.
        let old = ["2.0.", "2.4.", "2.5.3"].iter().any(|version| name.starts_with(version));
        let names_list = ["2.6.", "2.7.", "3.2."].iter().any(|version| name.starts_with(version));
        let mut expected = if old { person.clone() } else { turned.clone() };
        if names_list {
            let at =
                expected.windows(5).position(|window| window == b"zc\x0300").expect("the list of phones");
            expected.splice(at..at + 6, typed.iter().copied());
        }
        assert!(has(body, &expected), "{name}");
    }
}

#[test]
fn an_int_takes_the_fewest_bytes() {
    for (number, bytes) in [
        (0, &[0x90][..]),
        (-16, &[0x80]),
        (47, &[0xbf]),
        (-17, &[0xc7, 0xef]),
        (48, &[0xc8, 0x30]),
        (-2048, &[0xc0, 0x00]),
        (2047, &[0xcf, 0xff]),
        (-2049, &[0xd3, 0xf7, 0xff]),
        (2048, &[0xd4, 0x08, 0x00]),
        (-262_144, &[0xd0, 0x00, 0x00]),
        (262_143, &[0xd7, 0xff, 0xff]),
        (-262_145, &[b'I', 0xff, 0xfb, 0xff, 0xff]),
        (262_144, &[b'I', 0x00, 0x04, 0x00, 0x00]),
        (i32::MIN, &[b'I', 0x80, 0, 0, 0]),
    ] {
        assert_eq!(second(&Value::Int(number)), bytes, "{number}");
    }
    assert_eq!(first(&Value::Int(-2)), [b'I', 0xff, 0xff, 0xff, 0xfe]);
}

#[test]
fn a_long_takes_the_fewest_bytes() {
    for (number, bytes) in [
        (0, &[0xe0][..]),
        (-8, &[0xd8]),
        (15, &[0xef]),
        (-9, &[0xf7, 0xf7]),
        (16, &[0xf8, 0x10]),
        (-2048, &[0xf0, 0x00]),
        (2047, &[0xff, 0xff]),
        (-2049, &[0x3b, 0xf7, 0xff]),
        (2048, &[0x3c, 0x08, 0x00]),
        (-262_144, &[0x38, 0x00, 0x00]),
        (262_143, &[0x3f, 0xff, 0xff]),
        (262_144, &[b'Y', 0x00, 0x04, 0x00, 0x00]),
        (i64::from(i32::MIN), &[b'Y', 0x80, 0, 0, 0]),
        (i64::from(i32::MAX) + 1, &[b'L', 0, 0, 0, 0, 0x80, 0, 0, 0]),
    ] {
        assert_eq!(second(&Value::Long(number)), bytes, "{number}");
    }
    assert_eq!(first(&Value::Long(3)), [b'L', 0, 0, 0, 0, 0, 0, 0, 3]);
}

#[test]
fn a_double_is_short_only_where_it_is_the_same() {
    for (number, bytes) in [
        (0.0, &[0x5b][..]),
        (1.0, &[0x5c]),
        (-128.0, &[0x5d, 0x80]),
        (127.0, &[0x5d, 0x7f]),
        (-129.0, &[0x5e, 0xff, 0x7f]),
        (32_767.0, &[0x5e, 0x7f, 0xff]),
        (32_768.0, &[0x5f, 0x01, 0xf4, 0x00, 0x00]),
        (12.25, &[0x5f, 0x00, 0x00, 0x2f, 0xda]),
        (-0.0, &[b'D', 0x80, 0, 0, 0, 0, 0, 0, 0]),
        (1.0e10, &[b'D', 0x42, 0x02, 0xa0, 0x5f, 0x20, 0, 0, 0]),
        (f64::INFINITY, &[b'D', 0x7f, 0xf0, 0, 0, 0, 0, 0, 0]),
    ] {
        assert_eq!(second(&Value::Double(number)), bytes, "{number}");
    }
    assert_eq!(second(&Value::Double(f64::NAN))[0], b'D');
    assert_eq!(first(&Value::Double(1.0)), [b'D', 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_date_of_whole_minutes_is_short() {
    assert_eq!(second(&Value::Date(894_621_060_000)), [0x4b, 0x00, 0xe3, 0x83, 0x8f]);
    assert_eq!(second(&Value::Date(894_621_091_000)), [0x4a, 0, 0, 0, 0xd0, 0x4b, 0x92, 0x84, 0xb8]);
    assert_eq!(second(&Value::Date(60_000 * (i64::from(i32::MAX) + 1)))[0], 0x4a);
    assert_eq!(first(&Value::Date(894_621_091_000)), [b'd', 0, 0, 0, 0xd0, 0x4b, 0x92, 0x84, 0xb8]);
}

#[test]
fn a_text_is_counted_in_utf16_and_a_pair_is_two_surrogates() {
    assert_eq!(second(&"".into()), [0]);
    assert_eq!(second(&"é".into()), [1, 0xc3, 0xa9]);
    assert_eq!(second(&"\u{1f600}".into()), [2, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
    assert_eq!(first(&"a\u{1f600}".into()), [b'S', 0, 3, b'a', 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
    for (units, head) in [
        (31, &[31][..]),
        (32, &[0x30, 32]),
        (1023, &[0x33, 0xff]),
        (1024, b"S\x04\x00"),
        (0x8000, b"S\x80\x00"),
    ] {
        let text = "x".repeat(units);
        assert_eq!(second(&text.as_str().into()), [head, text.as_bytes()].concat(), "{units}");
    }
}

#[test]
fn a_long_text_is_chunks_that_cut_no_pair() {
    let text = "x".repeat(0x8001);
    let chunks = [b"R\x80\x00", &text.as_bytes()[..0x8000], b"\x01x"].concat();
    assert_eq!(second(&text.as_str().into()), chunks);
    let chunks = [b"s\x80\x00", &text.as_bytes()[..0x8000], b"S\x00\x01x"].concat();
    assert_eq!(first(&text.as_str().into()), chunks);
    let before = "é".repeat(0x7fff);
    let pair = [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80];
    let chunks = [b"R\x7f\xff", before.as_bytes(), b"\x02", &pair].concat();
    assert_eq!(second(&format!("{before}\u{1f600}").as_str().into()), chunks);
}

#[test]
fn a_binary_is_short_or_chunks() {
    for (len, head) in [
        (0, &[0x20][..]),
        (15, &[0x2f]),
        (16, &[0x34, 16]),
        (1023, &[0x37, 0xff]),
        (1024, b"B\x04\x00"),
        (0x8000, b"B\x80\x00"),
    ] {
        let binary = vec![0xff; len];
        assert_eq!(second(&Value::Bytes(binary.clone())), [head, &binary].concat(), "{len}");
    }
    let binary = vec![7; 0x8001];
    let chunks = [b"A\x80\x00", &binary[..0x8000], &[0x21, 7]].concat();
    assert_eq!(second(&Value::Bytes(binary.clone())), chunks);
    let chunks = [b"b\x80\x00", &binary[..0x8000], b"B\x00\x01\x07"].concat();
    assert_eq!(first(&Value::Bytes(binary)), chunks);
}

#[test]
fn lists_and_maps_are_those_of_java() {
    assert_eq!(second(&Value::List(vec![Value::Null; 7])), b"\x7fNNNNNNN");
    assert_eq!(second(&Value::List(vec![Value::Null; 8])), b"X\x98NNNNNNNN");
    assert_eq!(first(&Value::List(vec![Value::Bool(true)])), b"Vl\0\0\0\x01Tz");
    let map = Value::Map(vec![("a".into(), Value::Bool(false))]);
    assert_eq!(second(&map), b"H\x01aFZ");
    assert_eq!(first(&map), b"Mt\0\0S\0\x01aFz");
}

#[test]
fn a_class_is_defined_once_and_again_only_with_other_fields() {
    let one = |name: &str| object("C", vec![(name, Value::Null)]);
    assert_eq!(
        second(&Value::List(vec![one("x"), one("x"), one("y")])),
        b"\x7bC\x01C\x91\x01x`N`NC\x01C\x91\x01yaN"
    );
    let classes = (0..17).map(|index| object(&format!("{index:02}"), Vec::new()));
    let bytes = second(&Value::List(classes.collect()));
    assert!(bytes.ends_with(b"C\x0215\x90oC\x0216\x90O\xa0"), "{}", bytes.escape_ascii());
}

#[test]
fn a_drawn_text_is_written_as_a_fixed_one() {
    let long = format!("{}\u{1f600}é", "x".repeat(0x7fff));
    for text in ["", "hello", "é\u{1f600}", &"y".repeat(40), &long] {
        for version in [Version::V1, Version::V2] {
            let spec = RequestSpec::get("h", "/echo");
            let drawn = Value::List(vec![Value::Text(Text::Drawn(9)), Value::Text(Text::Drawn(9))]);
            let request = encode(version, &call("echo", drawn), &spec, &Template::default()).expect("right");
            let mut values = Values::default();
            values.push(text.as_bytes());
            assert_eq!(request.places.draws(), [9]);
            let mut written = Vec::new();
            request.places.write(&request.bytes, &Filling::of(&values), |piece| {
                written.extend_from_slice(piece);
            });
            let fixed = Value::List(vec![text.into(), text.into()]);
            let fixed = encode(version, &call("echo", fixed), &spec, &Template::default()).expect("right");
            assert_eq!(written.escape_ascii().to_string(), fixed.bytes.escape_ascii().to_string());
        }
    }
}

#[test]
fn a_value_that_is_no_utf8_is_still_a_text() {
    let spec = RequestSpec::get("h", "/");
    let request = encode(Version::V2, &call("m", Value::Text(Text::Drawn(0))), &spec, &Template::default())
        .expect("right");
    let mut values = Values::default();
    values.push(b"a\xffb");
    let mut written = Vec::new();
    request.places.write(&request.bytes, &Filling::of(&values), |piece| written.extend_from_slice(piece));
    let body = b"H\x02\0C\x01m\x91\x03a\xef\xbf\xbdb";
    assert!(
        written.ends_with(&[b"Content-Length: 13\r\n\r\n", &body[..]].concat()),
        "{}",
        written.escape_ascii()
    );
}
