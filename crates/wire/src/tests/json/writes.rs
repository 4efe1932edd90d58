//! Calls, byte for byte.

use crate::http1::{RequestPart, RequestSpec, Slot, Template};
use crate::json::{Body, call_body, encode};
use crate::tests::values;
use crate::{Call, Field, Filling, Object, Text, Value, Values};

fn body(body: Body, arguments: Vec<Value>) -> String {
    let call = Call { method: "e\"cho".to_owned(), arguments, ..Call::default() };
    String::from_utf8(call_body(body, &call).0).expect("UTF-8")
}

#[test]
fn a_call_is_an_array_an_argument_or_a_request() {
    assert_eq!(body(Body::Arguments, vec!["a".into(), Value::Int(1)]), "[\"a\",1]");
    assert_eq!(body(Body::Arguments, Vec::new()), "[]");
    assert_eq!(body(Body::Argument, vec!["a".into(), Value::Int(1)]), "\"a\"");
    assert_eq!(body(Body::Argument, Vec::new()), "null");
    let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"e\\\"cho\",\"params\":[\"a\"]}";
    assert_eq!(body(Body::Rpc, vec!["a".into()]), request);
}

#[test]
fn values_are_those_of_json() {
    let field = |name: &str, value| Field { name: name.to_owned(), ty: String::new(), value };
    let fields = vec![field("x", Value::Bool(true)), field("y", Value::Bool(false))];
    let object = Object { class: "C".to_owned(), serial_version_uid: 0, fields, extends: None };
    for (value, json) in [
        (Value::Long(i64::MIN), "-9223372036854775808"),
        (Value::Double(1.0), "1.0"),
        (Value::Double(1e300), "1e300"),
        (Value::Double(f64::NAN), "null"),
        (Value::Date(-5), "-5"),
        (Value::Bytes(Vec::new()), "\"\""),
        (Value::Bytes(b"f".to_vec()), "\"Zg==\""),
        (Value::Bytes(b"fo".to_vec()), "\"Zm8=\""),
        (Value::Bytes(b"foo\xff".to_vec()), "\"Zm9v/w==\""),
        (Value::Object(object), "{\"x\":true,\"y\":false}"),
        (Value::Map(Vec::new()), "{}"),
        (Value::Set(vec![Value::Int(1), "a".into()]), "[1,\"a\"]"),
        (Value::Map(vec![(values::color("RED"), values::color("GREEN"))]), "{\"RED\":\"GREEN\"}"),
        (values::derived(), "{\"own\":true,\"title\":\"t\",\"id\":7,\"name\":\"base\"}"),
        (
            Value::Map(vec![("a".into(), Value::Null), (Value::Int(7), Value::List(Vec::new()))]),
            "{\"a\":null,\"7\":[]}",
        ),
        ("\u{1}\u{1f}\n\r\t\"\\/é".into(), "\"\\u0001\\u001f\\n\\r\\t\\\"\\\\/é\""),
    ] {
        assert_eq!(body(Body::Argument, vec![value]), json);
    }
}

#[test]
fn a_drawn_text_is_written_as_a_fixed_one() {
    let spec = RequestSpec::get("h", "/");
    for text in ["", "hello", "\"\\\n\u{0}é"] {
        let call = |text| Call { method: "m".to_owned(), arguments: vec![text], ..Call::default() };
        let drawn = encode(Body::Rpc, &call(Value::Text(Text::Drawn(4))), &spec, &Template::default())
            .expect("right");
        let fixed = encode(Body::Rpc, &call(text.into()), &spec, &Template::default()).expect("right");
        let (mut values, mut written) = (Values::default(), Vec::new());
        values.push(text.as_bytes());
        drawn.places.write(&drawn.bytes, &Filling::of(&values), |piece| written.extend_from_slice(piece));
        assert_eq!(written.escape_ascii().to_string(), fixed.bytes.escape_ascii().to_string());
    }
    let headers = vec![("Content-Length".to_owned(), "5".to_owned())];
    let spec = RequestSpec { headers, ..RequestSpec::get("h", "/") };
    let call = Call { arguments: vec![Value::Text(Text::Drawn(0))], ..Call::default() };
    assert!(
        encode(Body::Rpc, &call, &spec, &Template::default()).is_err(),
        "the length is not known before the value"
    );
}

#[test]
fn a_header_of_a_call_has_its_value() {
    let spec = |token: &str| RequestSpec {
        headers: vec![("Authorization".to_owned(), format!("Bearer {token}"))],
        ..RequestSpec::get("h", "/")
    };
    let call =
        Call { method: "m".to_owned(), arguments: vec![Value::Text(Text::Drawn(1))], ..Call::default() };
    let slots = vec![Slot { part: RequestPart::Header(0), at: "Bearer ".len(), draw: 0 }];
    let template = Template { slots, ..Template::default() };
    let drawn = encode(Body::Rpc, &call, &spec(""), &template).expect("right");
    let (mut values, mut written) = (Values::default(), Vec::new());
    drawn.places.draws().iter().for_each(|draw| values.push([b"token", b"world"][usize::from(*draw)]));
    drawn.places.write(&drawn.bytes, &Filling::of(&values), |piece| written.extend_from_slice(piece));
    let call = Call { arguments: vec!["world".into()], ..call };
    let fixed = encode(Body::Rpc, &call, &spec("token"), &Template::default()).expect("right");
    assert_eq!(written.escape_ascii().to_string(), fixed.bytes.escape_ascii().to_string());
}
