//! Values as people read them, whole or cut.

use super::{dubbo_bodies, object, person};
use crate::hessian::{Tree, Version, call_body, describe, v1, v2};
use crate::{Call, Placeholders, Value};

fn written(value: &Value) -> [Vec<u8>; 2] {
    let (mut first, mut second, mut places) = (Vec::new(), Vec::new(), Placeholders::default());
    v1::Writer::new(&mut first, &mut places).value(value);
    v2::Writer::new(&mut second, &mut places).value(value);
    [first, second]
}

fn first(bytes: &[u8]) -> Tree {
    v1::Reader::new(bytes).next().expect("a value")
}

fn second(bytes: &[u8]) -> Tree {
    v2::Reader::new(bytes).next().expect("a value")
}

#[test]
fn what_is_written_is_read() {
    let long = "é\u{1f600}".repeat(0x4000);
    for (value, tree) in [
        (Value::Null, Tree::Null),
        (Value::Bool(true), Tree::Bool(true)),
        (Value::Date(-60_000), Tree::Date(-60_000)),
        (Value::Date(61), Tree::Date(61)),
        (Value::Bytes(vec![0; 0x9000]), Tree::Bytes(vec![0; 0x9000])),
        (long.as_str().into(), Tree::Text(long.clone())),
        (Value::List(vec![Value::Null]), Tree::List(String::new(), vec![Tree::Null])),
        (
            Value::Map(vec![("a".into(), Value::Null)]),
            Tree::Map(String::new(), vec![(Tree::Text("a".into()), Tree::Null)]),
        ),
    ] {
        let [one, two] = written(&value);
        assert_eq!((first(&one), second(&two)), (tree.clone(), tree));
    }
    for shift in 0..32 {
        for number in [1_i32 << shift, -1 << shift, (1_i32 << shift).wrapping_sub(1)] {
            let [one, two] = written(&Value::Int(number));
            assert_eq!((first(&one), second(&two)), (Tree::Int(number), Tree::Int(number)));
            let number = i64::from(number) << shift;
            let [one, two] = written(&Value::Long(number));
            assert_eq!((first(&one), second(&two)), (Tree::Long(number), Tree::Long(number)));
            for number in [number as f64, number as f64 / 1000.0, 0.1 * number as f64] {
                let [one, two] = written(&Value::Double(number));
                assert_eq!((first(&one), second(&two)), (Tree::Double(number), Tree::Double(number)));
            }
        }
    }
    for (bytes, number) in [(&[0x5d, 0x80][..], -128.0), (&[0x5e, 0x80, 0], -32_768.0), (&[0x5c], 1.0)] {
        assert_eq!(second(bytes), Tree::Double(number));
    }
}

#[test]
fn a_value_is_described_in_indented_lines() {
    let two = &written(&Value::List(vec![person(), "\u{7}\n".into()]))[1];
    let lines = second(two).describe();
    assert_eq!(lines[..3], ["list of 2", "  [0]: lab.Person", "    personId: \"superman111\""]);
    assert!(lines.contains(&"          country: \"86\"".to_owned()), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("  [1]: \"\\u{7}\\n\""));
    let one = first(&written(&person())[0]).describe();
    assert_eq!(one[..2], ["map of 9 lab.Person", "  \"personId\" = \"superman111\""]);
    let many = second(&written(&Value::List(vec![Value::Null; 5000]))[1]).describe();
    assert_eq!(many.len(), 1000);
    let long = second(&written(&"x".repeat(1000).as_str().into())[1]).describe();
    assert_eq!(long, [format!("\"{}... (1000 bytes)\"", "x".repeat(200))]);
}

#[test]
fn the_values_of_dubbo_are_read_whole_and_cut_anywhere() {
    for (name, body) in dubbo_bodies() {
        let trees: Vec<Tree> = v2::Reader::new(body).collect();
        assert!(trees.iter().all(|tree| !tree.is_cut()), "{name}");
        for len in 0..body.len() {
            let trees: Vec<Tree> = v2::Reader::new(&body[..len]).collect();
            assert!(trees.len() < 9, "{name}");
        }
    }
}

#[test]
fn what_is_wrong_ends_the_reading() {
    for bytes in [&b"@"[..], b"a", b"C\x01a\x91\x90", b"\x7bN", b"HN", b"X\xbfN", b"\x02\x80"] {
        let trees: Vec<Tree> = v2::Reader::new(bytes).collect();
        assert_eq!(trees.len(), 1, "{bytes:?}");
        trees[0].describe();
    }
    let deep = vec![0x79; 100_000];
    assert!(second(&deep).is_cut());
    assert!(first(&vec![b'V'; 100_000]).is_cut());
    let wide = [b"X\xd4\xff\xff".as_slice(), &vec![b'N'; 0xffff]].concat();
    assert!(second(&wide).is_cut());
}

#[test]
fn an_exception_says_its_class_and_message() {
    let error = |message| {
        object("java.lang.IllegalStateException", vec![("detailMessage", message), ("cause", Value::Null)])
    };
    for (message, said) in [
        ("closed".into(), "java.lang.IllegalStateException: closed"),
        (Value::Null, "java.lang.IllegalStateException"),
    ] {
        let [one, two] = written(&error(message));
        assert_eq!(first(&one).exception().as_deref(), Some(said));
        assert_eq!(second(&two).exception().as_deref(), Some(said));
        // Its first bytes suffice.
        assert_eq!(second(&two[..two.len() - 1]).exception().as_deref(), Some(said));
    }
    assert_eq!(second(&written(&person())[1]).exception(), None);
}

#[test]
fn calls_and_answers_are_described() {
    let call =
        Call { method: "echo".to_owned(), arguments: vec!["hello".into(), Value::Int(5)], ..Call::default() };
    for version in [Version::V1, Version::V2] {
        let body = call_body(version, &call).0;
        let lines = ["call of Hessian 2.0, method \"echo\"", "  \"hello\"", "  5"];
        assert_eq!(describe(&body), lines, "{version:?}");
        (0..body.len()).for_each(|len| assert!(!describe(&body[..len]).is_empty()));
    }
    assert_eq!(describe(b"H\x02\0R\x05hello"), ["answer of Hessian 2.0", "  \"hello\""]);
    assert_eq!(
        describe(b"H\x02\0FH\x04code\x01xZ"),
        ["fault of Hessian 2.0", "  map of 1", "    \"code\" = \"x\""]
    );
    assert_eq!(describe(b"r\x01\0I\0\0\0\x01z"), ["answer of Hessian 1.0", "  1"]);
    assert_eq!(
        describe(b"r\x01\0fS\0\x04codeNzz"),
        ["fault of Hessian 1.0", "  map of 1", "    \"code\" = null"]
    );
    assert_eq!(describe(b"fS\0\x04codeNz"), ["fault", "  map of 1", "    \"code\" = null"]);
    assert_eq!(describe(b"<html>"), ["(neither a call nor an answer of Hessian)"]);
}
