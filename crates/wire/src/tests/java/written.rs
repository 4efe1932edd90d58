//! Output of the writer, which equals Java's.

use super::fixture;
use crate::java::{WriteError, Writer};
use crate::tests::values;
use crate::{Field, Filling, Object, Placeholders, Request, Text, Value, Values};

/// The stream of `value` as an argument of type `ty`.
fn stream(ty: &str, value: &Value) -> Result<Vec<u8>, WriteError> {
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    let mut writer = Writer::new(&mut bytes, &mut places);
    writer.argument(ty, value)?;
    writer.finish();
    Ok(bytes)
}

fn field(name: &str, ty: &str, value: Value) -> Field {
    Field { name: name.to_owned(), ty: ty.to_owned(), value }
}

#[test]
fn objects_are_written_as_java_writes_them() {
    let object = "java.lang.Object";
    let pair = |key: Value, value: Value| (key, value);
    let mut entries: Vec<_> = (0..11).map(|n| pair(Value::Int(n), Value::Long(100 + i64::from(n)))).collect();
    entries.push(pair("k".into(), Value::Long(1)));
    entries.push(pair(Value::Int(11), Value::Long(111)));
    for (name, ty, value) in [
        ("null", object, Value::Null),
        ("text", object, "hello".into()),
        ("text_modified", object, "a\0bé€😀".into()),
        ("boolean", object, Value::Bool(true)),
        ("byte", "java.lang.Byte", Value::Int(-2)),
        ("short", "java.lang.Short", Value::Int(-3)),
        ("char", "java.lang.Character", "x".into()),
        ("int", object, Value::Int(7)),
        ("long", object, Value::Long(1 << 40)),
        ("long", "java.lang.Long", Value::Long(1 << 40)),
        ("float", "java.lang.Float", Value::Double(0.5)),
        ("double", object, Value::Double(2.5)),
        ("bytes", "byte[]", Value::Bytes(vec![0, 1, 255])),
        ("date", object, Value::Date(1_385_078_400_000)),
        ("list", object, Value::List(vec!["x".into(), Value::Int(1), Value::Null])),
        ("list_empty", "java.util.List", Value::List(vec![])),
        ("map_empty", object, Value::Map(vec![])),
        ("map", "java.util.Map", Value::Map(vec![pair("k".into(), Value::Long(1))])),
        ("map_13", object, Value::Map(entries)),
        ("ints", "int[]", Value::List(vec![Value::Int(1), Value::Int(-1)])),
        ("longs", "long[][]", Value::List(vec![Value::List(vec![Value::Long(1)]), Value::Null])),
        ("texts", "java.lang.String[]", Value::List(vec!["x".into(), Value::Null])),
        ("objects", "java.lang.Object[]", Value::List(vec![Value::Bool(true)])),
        ("persons", "lab.Person[]", Value::List(vec![Value::Null])),
        ("booleans", "boolean[]", Value::List(vec![Value::Bool(true), Value::Bool(false)])),
        ("chars", "char[]", Value::List(vec!["a".into()])),
        ("shorts", "short[]", Value::List(vec![Value::Int(1)])),
        ("floats", "float[]", Value::List(vec![Value::Int(1)])),
        ("doubles", "double[]", Value::List(vec![Value::Double(1.0)])),
        ("color", "lab.Color", values::color("RED")),
        ("set", object, Value::Set(vec!["x".into()])),
        ("set_empty", "java.util.Set", Value::Set(vec![])),
        ("set_13", object, values::thirteen()),
        ("sets", object, values::sets()),
        ("derived", "lab.Sub", values::derived()),
        ("holder", "lab.Holder", values::holder()),
    ] {
        assert_eq!(stream(ty, &value), Ok(fixture(name)), "{name} as {ty}");
    }
}

#[test]
fn fields_are_sorted_and_have_their_declared_types() {
    let fields = vec![
        field("z", "java.lang.String", "z".into()),
        field("a", "byte[]", Value::Bytes(vec![1, 2])),
        field("d", "double", Value::Double(1.5)),
        field("b", "boolean", Value::Bool(true)),
        field("y", "byte", Value::Int(-2)),
        field("s", "short", Value::Int(-3)),
        field("c", "char", "ä".into()),
        field("i", "int", Value::Int(-4)),
        field("l", "long", Value::Int(-5)),
        field("f", "float", Value::Double(0.25)),
        field("q", "int[]", Value::List(vec![Value::Int(7)])),
        field("t", "java.lang.String[]", Value::List(vec!["x".into(), Value::Null])),
        field("e", "java.util.List", Value::Null),
        field("o", "java.lang.Object", Value::Int(9)),
    ];
    let object = Object { class: "lab.Gen$Prims".to_owned(), serial_version_uid: 3, fields, extends: None };
    assert_eq!(stream("lab.Gen$Prims", &Value::Object(object)), Ok(fixture("prims")));
}

#[test]
fn primitives_share_a_block_until_an_object_comes() {
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    let mut writer = Writer::new(&mut bytes, &mut places);
    for (ty, value) in [
        ("int", Value::Int(1)),
        ("long", Value::Long(2)),
        ("java.lang.String", "x".into()),
        ("byte", Value::Int(3)),
    ] {
        writer.argument(ty, &value).expect("the value fits");
    }
    writer.finish();
    assert_eq!(bytes, fixture("blocks"));

    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    let mut writer = Writer::new(&mut bytes, &mut places);
    for number in 0..300 {
        writer.argument("int", &Value::Int(number)).expect("the value fits");
    }
    writer.finish();
    assert_eq!(bytes, fixture("blocks_long"));
}

#[test]
fn a_drawn_text_is_filled_in_as_a_string_and_keeps_its_handle() {
    let list = |text: Text| Value::List(vec![Value::Text(text), Value::Int(1), Value::Int(2)]);
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    let mut writer = Writer::new(&mut bytes, &mut places);
    writer.argument("java.util.List", &list(Text::Drawn(5))).expect("the value fits");
    writer.finish();
    assert_eq!(places.draws(), [5]);
    for text in ["", "hello", "a\0bé€😀", &"y".repeat(65535), &"y".repeat(65536), &"\0".repeat(32768)] {
        let mut values = Values::default();
        values.push(text.as_bytes());
        let mut filled = Vec::new();
        places.write(&bytes, &Filling::of(&values), |piece| filled.extend_from_slice(piece));
        let fixed = stream("java.util.List", &list(Text::Fixed(text.to_owned()))).expect("the value fits");
        assert!(filled == fixed, "a text of {} bytes", text.len());
    }
    let request = Request {
        bytes,
        places,
        closes: false,
        keep_body: 0,
        by_session: false,
        expectation: crate::Expectation::default(),
    };
    assert!(!request.goes_as_encoded());
}

#[test]
fn a_text_has_the_long_form_from_65536_bytes_on() {
    for (len, begins) in [(65535, &b"\x74\xff\xff"[..]), (65536, b"\x7c\0\0\0\0\0\x01\0\0")] {
        let text = stream("java.lang.String", &"y".repeat(len).as_str().into()).expect("the value fits");
        assert!(text[4..].starts_with(begins), "{len}");
        assert_eq!(text.len(), 4 + begins.len() + len);
    }
}

#[test]
fn a_value_that_does_not_fit_its_type_is_told() {
    for (ty, value, told) in [
        ("int", "x".into(), "a text cannot be written as int"),
        ("int", Value::Null, "null cannot be written as int"),
        ("byte", Value::Int(128), "an int cannot be written as byte"),
        ("short", Value::Int(-32769), "an int cannot be written as short"),
        ("int", Value::Long(1 << 31), "a long cannot be written as int"),
        ("char", "xy".into(), "a text cannot be written as char"),
        ("boolean", Value::Int(1), "an int cannot be written as boolean"),
        ("double", Value::Bool(true), "a boolean cannot be written as double"),
        ("int[]", Value::List(vec![Value::Date(0)]), "a date cannot be written as int"),
    ] {
        assert_eq!(stream(ty, &value).expect_err(told).to_string(), told);
    }
    for (ty, value) in
        [("byte", Value::Int(127)), ("short", Value::Int(-32768)), ("int", Value::Long(1 << 30))]
    {
        assert!(stream(ty, &value).is_ok(), "{ty}");
    }
    let long = Object { class: "c".repeat(65536), serial_version_uid: 0, fields: vec![], extends: None };
    assert!(matches!(stream("x", &Value::Object(long)), Err(WriteError::NameTooLong(_))));
}

#[test]
fn descriptors_of_rmi_have_a_location_and_are_shared() {
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    let mut writer = Writer::of_rmi(&mut bytes, &mut places);
    for _ in 0..2 {
        writer.object("java.lang.Object", &Value::Bool(true)).expect("the value fits");
    }
    writer.finish();
    let located = [&fixture("boolean")[..fixture("boolean").len() - 3], b"\x70\x78\x70\x01"].concat();
    assert_eq!(bytes, [&located[..], b"\x73\x71\x00\x7e\x00\x00\x01"].concat());
}
