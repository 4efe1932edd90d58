//! Requests as Dubbo's own clients send them.

use super::{calls, frame, hex, numbered};
use crate::dubbo::{EncodeError, Options, Serialization, encode};
use crate::tests::values;
use crate::{Call, ExchangeId, Field, Filling, Object, Outbox, Session, Text, Value, Values};

/// Options as the client of that version has them.
fn options(version: &str, serialization: Serialization) -> Options {
    let dubbo_version = match version {
        "2.0.10" | "2.4.10" | "2.5.3" => version,
        "2.5.10" => "2.0.1",
        _ => "2.0.2",
    };
    let modern = ["2.7", "3."].iter().any(|of| version.starts_with(of));
    Options {
        serialization,
        dubbo_version: dubbo_version.to_owned(),
        one_way: false,
        timeout_ms: (version != "2.7.23").then_some(5000),
        application: if modern { "echo-consumer" } else { "" }.to_owned(),
    }
}

/// The bytes that a session sends for the call, numbered 0.
fn sent(call: &Call, options: &Options, values: &Values) -> Vec<u8> {
    let request = encode(call, options).expect("it can be written");
    let mut out = Outbox::new(1 << 20);
    let mut session = Session::dubbo(crate::dubbo::Limits::default(), 1);
    session.start(&request, &Filling::of(values), ExchangeId(0), &mut out).expect("ready");
    out.pending().to_vec()
}

#[track_caller]
fn check(version: &str, serialization: Serialization, name: &str, call: &Call) {
    let recorded = frame(&format!("{version}-{}.{name}.req", serialization.name()));
    let sent = sent(call, &options(version, serialization), &Values::default());
    assert_eq!(
        sent.escape_ascii().to_string(),
        numbered(&recorded, 0).escape_ascii().to_string(),
        "{version} {name}"
    );
}

#[test]
fn dubbos_own_serialization_is_written_as_recorded() {
    for version in ["2.0.10", "2.4.10", "2.5.3", "2.5.10"] {
        check(version, Serialization::Native, "echoString", &calls::echo_string());
        check(version, Serialization::Native, "random", &calls::random());
        check(version, Serialization::Native, "echoPerson", &calls::echo_person(calls::person()));
    }
}

#[test]
fn an_object_that_comes_again_is_written_out() {
    let recorded = frame("2.5.3-dubbo.echoMap.req");
    let options = options("2.5.3", Serialization::Native);
    let sent = sent(&calls::echo_map(&calls::person()), &options, &Values::default());
    let at = recorded.windows(2).position(|pair| pair == [0x81, 0x80]).expect("a reference");
    let begin = recorded.windows(2).position(|pair| pair == [0x80, 0x22]).expect("the first person");
    let end = recorded.windows(3).position(|tag| tag == [0x8b, 0x90, 0x83]).map(|first| {
        recorded.windows(5).skip(first + 1).position(|tag| tag == [0x8b, 0x90, 0x83, 0x81, b'b']).expect("b")
            + first
            + 1
    });
    let person = &recorded[begin..end.expect("the second key")];
    assert_eq!(sent[16..], [&recorded[16..at], person, &recorded[at + 2..]].concat());
}

#[test]
fn hessian_is_written_as_recorded() {
    for version in ["2.0.10", "2.4.10", "2.5.3", "2.5.10", "2.6.12", "2.7.23", "3.2.19", "3.3.6"] {
        check(version, Serialization::Hessian2, "echoString", &calls::echo_string());
        check(version, Serialization::Hessian2, "random", &calls::random());
    }
    for version in ["2.0.10", "2.4.10", "2.5.3"] {
        check(version, Serialization::Hessian2, "echoPerson", &calls::echo_person(calls::person()));
    }
    // Later ones write the fields the other way round, and those from 2.6 on a list's class before it.
    check(
        "2.5.10",
        Serialization::Hessian2,
        "echoPerson",
        &calls::echo_person(calls::reversed(calls::person())),
    );
}

#[test]
fn java_is_written_as_recorded() {
    for version in ["2.5.3", "2.7.23"] {
        check(version, Serialization::Java, "echoString", &calls::echo_string());
        check(version, Serialization::Java, "random", &calls::random());
    }
}

#[test]
fn fastjson_is_written_as_recorded() {
    let person = calls::sorted(calls::person());
    for version in ["2.5.3", "2.7.23"] {
        check(version, Serialization::FastJson, "echoString", &calls::echo_string());
        check(version, Serialization::FastJson, "random", &calls::random());
        check(version, Serialization::FastJson, "echoPerson", &calls::echo_person(person.clone()));
        check(version, Serialization::FastJson, "echoMap", &calls::echo_map(&person));
    }
}

#[test]
fn jsonb_is_written_as_recorded_but_for_the_ordinal_of_an_enum() {
    check("3.3.6", Serialization::FastJson2, "echoString", &calls::echo_string());
    check("3.3.6", Serialization::FastJson2, "random", &calls::random());
    let Value::Object(mut person) = calls::sorted(calls::person()) else { panic!("an object") };
    let status = person.fields.iter_mut().find(|field| field.name == "status").expect("it has one");
    // Fastjson writes which constant it is, the first being 0, even where 0 would be left out of an `int`.
    (status.ty, status.value) = ("java.lang.Integer".to_owned(), Value::Int(0));
    let person = Value::Object(person);
    check("3.3.6", Serialization::FastJson2, "echoPerson", &calls::echo_person(person.clone()));
    check("3.3.6", Serialization::FastJson2, "echoMap", &calls::echo_map(&person));
}

/// The first argument of a call of `m(ty)`, up to the attachments of a call without options.
#[track_caller]
fn argument(serialization: Serialization, ty: &str, value: Value) -> Vec<u8> {
    let call = Call {
        interface: "I".to_owned(),
        method: "m".to_owned(),
        parameter_types: vec![ty.to_owned()],
        arguments: vec![value],
        ..Call::default()
    };
    let sent = sent(&call, &Options { serialization, ..Options::default() }, &Values::default());
    let (around, before_path) = match serialization {
        Serialization::Native => (2, 8),
        Serialization::FastJson => (3, 2),
        _ => (5, 6),
    };
    let head = ["2.0.2", "I", "0.0.0", "m", &crate::descriptor(ty)];
    let begin = 16 + head.iter().map(|text| around + text.len()).sum::<usize>();
    let end = sent.windows(4).rposition(|word| word == b"path").expect("attachments") - before_path;
    sent[begin..end].to_vec()
}

#[test]
fn values_have_their_form_in_dubbos_own_serialization() {
    let native = |ty: &str, value: Value| argument(Serialization::Native, ty, value);
    assert_eq!(native("java.lang.Object", Value::Null), hex("94"));
    assert_eq!(native("boolean", Value::Bool(true)), hex("8b88 1a"));
    for (number, bytes) in [
        (-15, "0a"),
        (-16, "00f0"),
        (31, "38"),
        (32, "0020"),
        (127, "007f"),
        (128, "018000"),
        (-128, "0080"),
        (-129, "017fff"),
        (i32::MAX, "03ffffff7f"),
        (i32::MIN, "0300000080"),
    ] {
        assert_eq!(native("int", Value::Int(number)), hex(&format!("8b8c84{bytes}")), "{number}");
        assert_eq!(
            native("long", Value::Long(i64::from(number))),
            hex(&format!("8b8d84{bytes}")),
            "{number}"
        );
    }
    assert_eq!(native("long", Value::Long(i64::MIN)), hex("8b8d84 07 0000000000000080"));
    assert_eq!(native("byte", Value::Int(-1)), hex("8b8984 00ff"));
    assert_eq!(native("short", Value::Int(-1)), hex("8b8b84 18"));
    assert_eq!(native("char", Value::Int(0xffff)), hex("8b8a84 18"));
    assert_eq!(native("double", Value::Double(calls::SCORE)), hex("8b8f84 07 1f85eb51b81e0940"));
    assert_eq!(native("float", Value::Double(1.0)), hex("8b8e84 03 0000803f"));
    assert_eq!(native("java.lang.String", "".into()), hex("8b90 95"));
    assert_eq!(native("java.lang.String", "\u{e4}\u{1f600}".into()), hex("8b90 8383 c3a4 eda0bd edb880"));
    assert_eq!(
        native("lab.Colour", "RED".into()),
        [&hex("8a 838c"), b"Llab/Colour;".as_slice(), &hex("8383"), b"RED"].concat()
    );
    assert_eq!(native("byte[]", Value::Bytes(vec![1, 0xff])), hex("8b81 8382 01ff"));
    assert_eq!(native("java.util.Date", Value::Date(5)), hex("8b95 84 1e"));
    assert_eq!(native("java.util.List", Value::List(vec![Value::Int(1)])), hex("8b92 8581 8b8c841a"));
    assert_eq!(native("int[]", Value::List(vec![Value::Int(1), Value::Int(2)])), hex("8b84 8582 1a1b"));
    assert_eq!(native("java.lang.String[]", Value::List(vec!["a".into()])), hex("8b91 8581 838161"));
    assert_eq!(
        native("java.util.Map", Value::Map(vec![("a".into(), Value::Null)])),
        hex("8b93 8681 8b90838161 94")
    );
}

#[test]
fn a_field_has_its_class_before_it_only_when_its_type_does_not_tell() {
    let field = |name: &str, ty: &str, value| Field { name: name.to_owned(), ty: ty.to_owned(), value };
    let one = |ty: &str, value: Value| {
        let object = Object {
            class: "T".to_owned(),
            serial_version_uid: 1,
            fields: vec![field("f", ty, value)],
            extends: None,
        };
        let written = argument(Serialization::Native, "T", Value::Object(object));
        let head = hex("8a 8383 4c543b 80 1a");
        written.strip_prefix(head.as_slice()).expect("an object of one field").to_vec()
    };
    assert_eq!(one("int", Value::Int(1)), hex("1a"));
    assert_eq!(one("java.lang.Integer", Value::Int(1)), hex("841a"));
    assert_eq!(one("java.lang.Object", Value::Int(1)), hex("8b8c841a"));
    assert_eq!(one("java.lang.String", "a".into()), hex("838161"));
    assert_eq!(one("java.lang.Object", "a".into()), hex("8b90838161"));
    assert_eq!(one("java.util.ArrayList", Value::List(vec![])), hex("8580"));
    assert_eq!(one("java.util.List", Value::List(vec![])), hex("8b928580"));
    assert_eq!(one("java.lang.Boolean", Value::Null), hex("18"));
    assert_eq!(one("lab.Other", Value::Null), hex("94"));
}

#[test]
fn values_have_their_form_in_json() {
    let json = |ty: &str, value: Value| {
        String::from_utf8(argument(Serialization::FastJson, ty, value)).expect("text")
    };
    assert_eq!(json("java.lang.String", "a\"\\\n\u{1}\u{e4}".into()), "\"a\\\"\\\\\\n\\u0001\u{e4}\"\n");
    assert_eq!(json("double", Value::Double(1.0)), "1.0\n");
    assert_eq!(json("byte[]", Value::Bytes(b"hello".to_vec())), "\"aGVsbG8=\"\n");
    assert_eq!(json("java.util.List", Value::List(vec![Value::Null, Value::Bool(false)])), "[null,false]\n");
    assert_eq!(json("java.util.Map", Value::Map(vec![(Value::Int(1), Value::Int(2))])), "{1:2}\n");
}

#[test]
fn values_have_their_form_in_jsonb() {
    let jsonb = |ty: &str, value: Value| argument(Serialization::FastJson2, ty, value)[4..].to_vec();
    for (number, bytes) in [
        (-16, "f0"),
        (47, "2f"),
        (48, "3830"),
        (-17, "37ef"),
        (2047, "3fff"),
        (-2048, "3000"),
        (2048, "440800"),
        (262_143, "47ffff"),
        (-262_144, "400000"),
        (262_144, "4800040000"),
    ] {
        assert_eq!(jsonb("int", Value::Int(number)), hex(bytes), "{number}");
    }
    for (number, bytes) in [
        (-8, "d8"),
        (15, "ef"),
        (16, "d010"),
        (-9, "cff7"),
        (2047, "d7ff"),
        (2048, "c40800"),
        (262_144, "bf00040000"),
        (1 << 31, "be0000000080000000"),
    ] {
        assert_eq!(jsonb("long", Value::Long(number)), hex(bytes), "{number}");
    }
    assert_eq!(jsonb("double", Value::Double(0.0)), hex("b2"));
    assert_eq!(jsonb("double", Value::Double(1.0)), hex("b3"));
    assert_eq!(jsonb("double", Value::Double(2.0)), hex("b4e2"));
    assert_eq!(jsonb("double", Value::Double(calls::SCORE)), hex("b540091eb851eb851f"));
    assert_eq!(jsonb("java.lang.String", "a".repeat(47).as_str().into())[0], 0x78);
    assert_eq!(jsonb("java.lang.String", "a".repeat(48).as_str().into())[..3], [0x79, 0x38, 0x30]);
    assert_eq!(jsonb("java.lang.String", "\u{e4}".into()), hex("7a02c3a4"));
    assert_eq!(jsonb("java.util.List", Value::List(vec![Value::Int(1); 15]))[0], 0xa3);
    assert_eq!(jsonb("java.util.List", Value::List(vec![Value::Int(1); 16]))[..2], [0xa4, 0x10]);
}

#[test]
fn enums_sets_and_superclasses_are_written_as_java_writes_them() {
    let fixture = |name: &str| {
        let lines = include_str!("fixtures/values.txt").lines();
        let line = lines.filter_map(|line| line.split_once(' ')).find(|(known, _)| *known == name);
        hex(line.unwrap_or_else(|| panic!("no value {name}")).1)
    };
    for (name, ty, value) in [
        ("color", "lab.Color", values::color("GREEN")),
        ("set", "java.util.Set", Value::Set(vec!["x".into()])),
        ("set_empty", "java.util.Set", Value::Set(vec![])),
        ("list", "java.util.List", Value::List(vec![Value::Set(vec!["x".into()]), values::color("GREEN")])),
        ("derived", "lab.Sub", values::derived()),
        ("holder", "lab.Holder", values::holder()),
    ] {
        let native = argument(Serialization::Native, ty, value.clone());
        assert_eq!(native, fixture(&format!("native.{name}")), "{name}");
        // Fastjson orders the fields of all classes by name, and writes an enum's number where a field tells its class.
        let jsonb = match name {
            "derived" => hex(
                "92506c61622e53756200 a6 7f4c6f776e01 b1 7f4e7469746c6502 4a74 7f4b696403 07 7f4d6e616d6504 4d62617365 a5",
            ),
            "holder" => {
                hex("92536c61622e486f6c64657200 a6 7f4e636f6c6f7201 4c524544 7f4e6e616d657302 954a78 \
                 7f4c616e7903 92526c61622e436f6c6f7204 4e475245454e a5")
            }
            name => fixture(&format!("jsonb.{name}")),
        };
        assert_eq!(argument(Serialization::FastJson2, ty, value)[4..], jsonb, "{name}");
    }
}

/// Drawn texts are written as the same texts would be when they are fixed.
#[test]
fn a_drawn_text_is_written_like_a_fixed_one() {
    let long = "\u{e4}\u{1f600} \"q\"\n".repeat(40);
    for serialization in Serialization::ALL {
        for text in ["", "a", "hello", &"x".repeat(47), &"x".repeat(48), &long] {
            let nested = |text: Text| {
                let inner = Value::Object(Object {
                    class: "T".to_owned(),
                    serial_version_uid: 1,
                    fields: vec![Field {
                        name: "f".to_owned(),
                        ty: "java.lang.String".to_owned(),
                        value: Value::Text(text.clone()),
                    }],
                    extends: None,
                });
                let list = Value::List(vec![Value::Text(text.clone()), Value::Text(text.clone())]);
                Call {
                    interface: "I".to_owned(),
                    method: "m".to_owned(),
                    parameter_types: ["java.lang.String", "T", "java.util.List", "java.lang.String"]
                        .map(str::to_owned)
                        .into(),
                    arguments: vec![Value::Text(text.clone()), inner, list, Value::Text(text)],
                    ..Call::default()
                }
            };
            let options = Options { serialization, ..Options::default() };
            let mut values = Values::default();
            values.push(text.as_bytes());
            let fixed = sent(&nested(Text::Fixed(text.to_owned())), &options, &Values::default());
            let drawn = sent(&nested(Text::Drawn(9)), &options, &values);
            assert_eq!(
                drawn.escape_ascii().to_string(),
                fixed.escape_ascii().to_string(),
                "{serialization:?} {text:?}"
            );
            assert_eq!(
                u32::from_be_bytes(drawn[12..16].try_into().expect("four")) as usize,
                drawn.len() - 16
            );
        }
    }
}

#[test]
fn version_group_and_attachments_are_told() {
    let call = Call {
        version: "1.2".to_owned(),
        group: "blue".to_owned(),
        attachments: vec![("tag".to_owned(), "x".to_owned())],
        ..calls::echo_string()
    };
    let options =
        Options { serialization: Serialization::FastJson, timeout_ms: Some(70), ..Options::default() };
    let sent = sent(&call, &options, &Values::default());
    let body = std::str::from_utf8(&sent[16..]).expect("text");
    let lines: Vec<_> = body.lines().collect();
    assert_eq!(lines[..2], ["\"2.0.2\"", "\"lab.EchoService\""]);
    assert_eq!(lines[2], "\"1.2\"");
    assert_eq!(
        lines[6],
        r#"{"path":"lab.EchoService","interface":"lab.EchoService","version":"1.2","timeout":"70","group":"blue","tag":"x"}"#
    );
}

#[test]
fn a_call_that_wants_no_answer_says_so() {
    let options = Options { serialization: Serialization::Native, one_way: true, ..Options::default() };
    let request = encode(&calls::echo_string(), &options).expect("it can be written");
    assert!(!request.expects_answer());
    assert_eq!(request.bytes[2], 0x81);
    assert!(super::request().expects_answer());
    assert!(super::request().by_session && !super::request().goes_as_encoded());
}

#[test]
fn what_cannot_be_encoded_is_an_error() {
    let mut call = calls::echo_string();
    call.parameter_types.clear();
    assert_eq!(encode(&call, &Options::default()), Err(EncodeError::Arguments { types: 0, arguments: 1 }));

    let native = Options { serialization: Serialization::Native, ..Options::default() };
    let field = Field { name: "f".to_owned(), ty: "int".to_owned(), value: Value::Bool(true) };
    let object = Object { class: "T".to_owned(), serial_version_uid: 1, fields: vec![field], extends: None };
    let error = encode(&calls::echo_person(Value::Object(object)), &native).expect_err("a boolean is no int");
    assert_eq!(error.to_string(), "dubbo cannot write a boolean as int");

    let deep = |levels: usize| (0..levels).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    for serialization in Serialization::ALL {
        let options = Options { serialization, ..Options::default() };
        let encoded = |levels| encode(&calls::echo_person(deep(levels)), &options).map(|_| ());
        assert_eq!(encoded(64), Ok(()), "{serialization:?}");
        assert_eq!(encoded(1000), Err(EncodeError::TooDeep), "{serialization:?}");
    }
}
