use crate::{Declarations, Parameter, Study, parse};
use proofload_engine::feed::{Draw, Piece};
use proofload_wire::{Field, Object, Text, Value};

struct Empty;

impl Declarations for Empty {
    fn parameters(&self, _folder: &str) -> Option<Vec<Parameter>> {
        None
    }
}

fn study(entry: &str) -> Result<Study, String> {
    let text = format!(
        "study: s\nquestion: Which?\nsubjects: {{ a: {{ url: 'dubbo://127.0.0.1:1' }} }}\nworkload: {{ echo: {entry} }}\n\
         feeders: {{ kib: {{ random_text: 1024 }} }}\nload: {{ closed: {{ connections: 1 }} }}\nclaims: [ {{ ok: errors(a) == 0 }} ]\n"
    );
    parse(&text, "s.yaml", std::path::Path::new("."), &crate::Options::default(), &Empty)
        .map_err(|problems| problems.to_string())
}

#[test]
fn arguments_have_the_types_that_their_values_have() {
    let study = study(
        "{ call: lab.EchoService.echo, args: [hello, 5, 5000000000, 1.5, true, null, [1, a], { k: v }, \
         { long: 7 }, { date: 1000 }, { bytes: aGk= }, { type: short, value: 3 }, '${kib}', '5'] }",
    )
    .unwrap();
    let call = study.workload[0].call.as_ref().expect("a call");
    assert_eq!((call.interface.as_str(), call.method.as_str()), ("lab.EchoService", "echo"));
    let types = [
        "java.lang.String",
        "int",
        "long",
        "double",
        "boolean",
        "java.lang.Object",
        "java.util.List",
        "java.util.Map",
        "long",
        "java.util.Date",
        "byte[]",
        "short",
        "java.lang.String",
        "java.lang.String",
    ];
    assert_eq!(call.parameter_types, types);
    let expected = [
        Value::from("hello"),
        Value::Int(5),
        Value::Long(5_000_000_000),
        Value::Double(1.5),
        Value::Bool(true),
        Value::Null,
        Value::List(vec![Value::Int(1), Value::from("a")]),
        Value::Map(vec![(Value::from("k"), Value::from("v"))]),
        Value::Long(7),
        Value::Date(1000),
        Value::Bytes(b"hi".to_vec()),
        Value::Int(3),
        Value::Text(Text::Drawn(0)),
        Value::from("5"),
    ];
    assert_eq!(call.arguments, expected);
}

#[test]
fn an_object_has_its_class_its_uid_and_its_fields_in_order() {
    let study = study(
        "{ call: lab.EchoService.echoPerson, args: [{ class: lab.Person, uid: 1, fields: { name: x, age: { type: byte, \
         value: 3 }, home: { class: lab.FullAddress, fields: { city: y } } } }] }",
    )
    .unwrap();
    let call = study.workload[0].call.as_ref().expect("a call");
    assert_eq!(call.parameter_types, ["lab.Person"]);
    let [Value::Object(Object { class, serial_version_uid, fields, extends: None })] =
        call.arguments.as_slice()
    else {
        panic!("{:?}", call.arguments);
    };
    assert_eq!((class.as_str(), *serial_version_uid), ("lab.Person", 1));
    let told: Vec<(&str, &str)> =
        fields.iter().map(|field| (field.name.as_str(), field.ty.as_str())).collect();
    assert_eq!(told, [("name", "java.lang.String"), ("age", "byte"), ("home", "lab.FullAddress")]);
}

#[test]
fn enums_sets_and_superclasses_are_arguments_too() {
    let study = study(
        "{ call: lab.E.m, args: [{ enum: lab.Color, name: RED }, { set: [1, a] }, { class: lab.Sub, uid: 3, fields: { own: true }, \
         extends: { class: lab.Base, uid: 1, fields: { id: 7 } } }] }",
    )
    .unwrap();
    let call = study.workload[0].call.as_ref().expect("a call");
    assert_eq!(call.parameter_types, ["lab.Color", "java.util.Set", "lab.Sub"]);
    let field = |name: &str, ty: &str, value| Field { name: name.to_string(), ty: ty.to_string(), value };
    let object = |class: &str, uid, fields, extends: Option<Object>| Object {
        class: class.to_string(),
        serial_version_uid: uid,
        fields,
        extends: extends.map(Box::new),
    };
    let base = object("lab.Base", 1, vec![field("id", "int", Value::Int(7))], None);
    let sub = object("lab.Sub", 3, vec![field("own", "boolean", Value::Bool(true))], Some(base));
    let color = Value::Enum { class: "lab.Color".to_string(), name: Text::Fixed("RED".to_string()) };
    assert_eq!(
        call.arguments,
        [color, Value::Set(vec![Value::Int(1), Value::from("a")]), Value::Object(sub)]
    );
}

#[test]
fn a_text_can_have_values_within_it() {
    let study = study(
        "{ call: lab.E.m, args: ['${kib}', 'user-${kib}-x', { k: '${kib}${kib}' }, 'user-${kib}-x', '$${kib}'] }",
    )
    .unwrap();
    let call = study.workload[0].call.as_ref().expect("a call");
    let drawn = |at| Value::Text(Text::Drawn(at));
    let map = Value::Map(vec![(Value::from("k"), drawn(2))]);
    assert_eq!(call.arguments, [drawn(0), drawn(1), map, drawn(1), Value::from("${kib}")]);
    let fixed = |text: &str| Piece::Fixed(text.to_string());
    let draws = &study.asking.feed.draws;
    assert!(matches!(draws[0], Draw::Value { feeder: 0, column: None, .. }));
    assert_eq!(draws[1], Draw::Text(vec![fixed("user-"), Piece::Drawn(0), fixed("-x")]));
    assert_eq!(draws[2], Draw::Text(vec![Piece::Drawn(0), Piece::Drawn(0)]));
}

#[test]
fn what_is_wrong_with_a_call_is_told_with_its_remedy() {
    for (entry, told) in [
        ("{ call: echo, args: [] }", "write lab.EchoService.echo"),
        ("{ call: lab.E.echo, args: ['a ${kib'] }", "has no } behind it"),
        ("{ call: lab.E.echo, args: ['a ${env.NO_SUCH_VARIABLE}'] }", "export it first"),
        ("{ call: lab.E.echo, args: ['${nobody}'] }", "nobody"),
        (
            "{ call: lab.E.echo, args: [{ bytes: '!' }] }",
            "! is not a value that Java has; write { bytes: aGVsbG8= }",
        ),
        (
            "{ call: lab.E.echo, args: [{ class: lab.P, field: { a: 1 } }] }",
            "field: is not a key of this format; did you mean fields?",
        ),
        (
            "{ call: lab.E.echo, args: [{ class: lab.P, extends: lab.B }] }",
            "lab.B is not a value that Java has",
        ),
        (
            "{ call: lab.E.echo, args: [{ class: lab.P, extends: { fields: { a: 1 } } }] }",
            "write { class: lab.Person",
        ),
        ("{ call: lab.E.echo, args: [{ enum: lab.C }] }", "write { enum: lab.Color, name: RED }"),
        ("{ call: lab.E.echo, args: [{ enum: lab.C, name: [1] }] }", "write { enum: lab.Color"),
        (
            "{ call: lab.E.echo, args: [{ enum: lab.C, nam: R }] }",
            "nam: is not a key of this format; did you mean name?",
        ),
        ("{ call: lab.E.echo, args: [{ set: 5 }] }", "write { set: [a, b] }"),
        ("{ call: lab.E.echo, args: [1, 2], types: [int] }", "1 types for 2 arguments"),
        ("{ call: lab.E.echo, body: x }", "body"),
        ("{ call: lab.E.echo, expect: { status: 200 } }", "a call has no status that all protocols share"),
        ("{ get: /, args: [1] }", "args"),
    ] {
        let problems = study(entry).expect_err(entry);
        assert!(problems.contains(told), "{entry}: {problems}");
    }
}
