//! Requests are what Java's own client sends.

use super::{call, echo, messages, object};
use crate::rmi::{
    self, CallError, LEASE_MS, ObjectId, Uid, Vm, dirty, encode, lookup, method_descriptor, method_hash,
};
use crate::{Call, Value};

const REGISTRY: &str = include_str!("fixtures/jdk17-registry-sent.hex");
const OBJECT: &str = include_str!("fixtures/jdk17-object-sent.hex");

#[test]
fn a_method_is_named_by_its_hash() {
    for (name, ty, hash) in [
        ("echo", "java.lang.String", 0x4cad_363e_a9d0_2a99_u64),
        ("echo", "lab.Person", 0x74ab_5841_6b2d_103e),
        ("random", "java.lang.String", 0xa9de_33e3_585d_27e5),
        ("echo", "java.util.Map", 0xdd91_b107_f084_2480),
    ] {
        let descriptor = method_descriptor(&[ty.to_owned()], ty);
        assert_eq!(method_hash(name, &descriptor), hash as i64, "{name}{descriptor}");
    }
    assert_eq!(method_descriptor(&[], "void"), "()V");
    assert_eq!(method_descriptor(&["int".to_owned(), "byte[]".to_owned()], "long"), "(I[B)J");
}

#[test]
fn calls_have_the_bytes_of_javas_client() {
    assert_eq!(lookup("echo").expect("a text").bytes, messages(REGISTRY)[2]);
    assert_eq!(rmi::ping().bytes, messages(REGISTRY)[3]);
    let sent = messages(OBJECT);
    assert_eq!(echo("hello").bytes, sent[4]);
    let random = call("random", &["java.lang.String"], "java.lang.String", vec!["hello".into()]);
    assert_eq!(&random.bytes, sent.last().expect("the last call"));
    assert!(random.goes_as_encoded());
}

#[test]
fn a_lease_has_the_bytes_of_javas_client() {
    let uid = Uid { unique: -0x6a28_16ba, time: 0x01a1_fbd7_0d82, count: -0x7fff };
    let uid = Uid { unique: 0x95d7_e946_u32 as i32, ..uid };
    let vm = Vm { host: vec![0xd9, 0x37, 0x3a, 0x5b, 0x0d, 0x95, 0xdf, 0x2b], uid };
    let request = dirty(&[object()], i64::MIN, LEASE_MS, Some(&vm)).expect("one object");
    assert_eq!(request.bytes, messages(OBJECT)[2]);
    assert!(dirty(&[], 0, LEASE_MS, None).is_ok());
}

#[test]
fn primitives_share_the_block_of_the_calls_head() {
    let request = call("add", &["int", "int"], "int", vec![Value::Int(40), Value::Int(2)]);
    assert_eq!(request.bytes[5..7], [0x77, 34 + 8]);
    assert_eq!(request.bytes[41..], [0, 0, 0, 40, 0, 0, 0, 2]);
    let mixed = ["long", "java.lang.String", "int"];
    let request = call("add", &mixed, "long", vec![Value::Long(1), "four".into(), Value::Int(2)]);
    assert_eq!(request.bytes[5..7], [0x77, 34 + 8]);
    assert_eq!(request.bytes[41..], *b"\0\0\0\0\0\0\0\x01\x74\x00\x04four\x77\x04\0\0\0\x02");
}

#[test]
fn an_argument_that_does_not_fit_is_told() {
    let call = |types: &[&str], arguments| Call {
        method: "m".to_owned(),
        parameter_types: types.iter().map(|ty| (*ty).to_owned()).collect(),
        return_type: "void".to_owned(),
        arguments,
        ..Call::default()
    };
    let object = ObjectId::default();
    let error = encode(&call(&["int"], vec![]), &object).expect_err("no argument");
    assert_eq!(error, CallError::Count { parameters: 1, arguments: 0 });
    let wrong = call(&["long", "int"], vec![Value::Int(1), "x".into()]);
    let error = encode(&wrong, &object).expect_err("a text for an int");
    assert_eq!(error.to_string(), "argument 2: a text cannot be written as int");
}
