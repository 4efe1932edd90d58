//! Text about a stream for the user.

use super::{fixture, names};
use crate::java::{describe, json, thrown};
use crate::tests::laws;

#[test]
fn a_stream_is_told_value_by_value() {
    assert_eq!(
        describe(&fixture("list")),
        [
            "java.util.ArrayList",
            "  size: 3",
            "  4 bytes 00 00 00 03",
            "  \"x\"",
            "  java.lang.Integer",
            "    value: 1",
            "  null",
        ]
    );
    assert_eq!(describe(&fixture("enum")), ["lab.PersonStatus ENABLED"]);
    assert_eq!(describe(&fixture("longs")), ["[[J of 2", "  [J of 1", "    1", "  null"]);
    assert_eq!(describe(&fixture("text_modified")), [r#""a\0bé€😀""#]);
    assert_eq!(
        describe(&fixture("self")).last().map(String::as_str),
        Some("  the java.util.ArrayList from before")
    );
    assert_eq!(describe(&fixture("reset")), [r#""x""#, r#""x""#]);
    let person = describe(&fixture("person"));
    assert!(person.contains(&"  age: 30".to_owned()), "{person:?}");
    assert!(person.contains(&"      country: \"86\"".to_owned()), "{person:?}");
}

#[test]
fn everything_java_writes_is_told_whole_but_version_1() {
    for name in names().filter(|name| !matches!(*name, "external_1" | "bad")) {
        let told = describe(&fixture(name));
        assert!(!told.is_empty() && !told.iter().any(|line| line.contains("broken")), "{name}: {told:?}");
    }
    assert!(describe(&fixture("external_1")).iter().any(|line| line.contains("broken")));
}

#[test]
fn an_exception_is_told_with_its_causes() {
    let outer = "java.lang.RuntimeException: outer";
    let stream = fixture("exception");
    let told = format!("{outer}; nested exception is: java.lang.IllegalStateException: inner");
    assert_eq!(thrown(&stream), Some(told));
    assert_eq!(
        thrown(&fixture("bad")).as_deref(),
        Some("java.io.NotSerializableException: java.lang.Object")
    );
    assert_eq!(thrown(&fixture("text")), None);
    assert_eq!(thrown(b"HTTP/1.1 400"), None);
    for len in 0..stream.len() {
        let told = thrown(&stream[..len]);
        assert!(
            told.is_none_or(|told| told.starts_with("java.lang.RuntimeException")),
            "cut after {len} bytes"
        );
    }
}

#[test]
fn a_stream_cut_short_is_told_up_to_there() {
    let stream = fixture("person");
    for len in 4..stream.len() {
        let told = describe(&stream[..len]);
        assert!(
            len == 4 || told.iter().any(|line| line.contains("cut short")),
            "cut after {len} bytes: {told:?}"
        );
    }
    let many = [b"\xac\xed\0\x05".to_vec(), b"\x70".repeat(5000)].concat();
    assert_eq!(describe(&many).len(), 401);
}

#[test]
fn values_are_told_as_json() {
    for name in names() {
        let stream = fixture(name);
        let told = |bytes: &[u8], most| String::from_utf8(json(bytes, most)).expect("UTF-8");
        let whole = told(&stream, 9999);
        let begins = |whole: &str, cut: &str| whole.starts_with(cut.trim_end_matches(['…', '\u{fffd}', ',']));
        assert!(laws::is_value(whole.as_bytes()), "{name}: {whole}");
        for len in 0..stream.len() {
            let cut = told(&stream[..len], 9999);
            assert!(
                laws::is_value(cut.as_bytes())
                    && (cut == whole || cut.ends_with('…') && begins(&whole, &cut)),
                "{name} {len}: {}",
                &cut[cut.floor_char_boundary(cut.len().saturating_sub(70))..]
            );
        }
        for most in 0..whole.len() {
            let cut = told(&stream, most);
            assert!(cut.len() <= most && (cut.ends_with('…') || most < 3), "{name} {most}: {cut}");
        }
    }
}

#[test]
fn what_java_has_classes_for_is_told_as_what_it_means() {
    for (name, expected) in [
        ("text_modified", "\"a\\u0000bé€😀\""),
        ("char", "\"x\""),
        ("float", "0.5"),
        ("long", "1099511627776"),
        ("bytes", "\"AAH/\""),
        ("date", "1385078400000"),
        ("map", "{\"k\":1}"),
        ("set_empty", "[]"),
        ("enum", "\"ENABLED\""),
        ("linked", "{\"k\":[1,2]}"),
        ("big", "1.50"),
        ("time", "\"2020-01-02\""),
        ("self", "[null]"),
        ("sub", "{\"base\":\"base\",\"own\":1}"),
    ] {
        assert_eq!(String::from_utf8_lossy(&json(&fixture(name), 999)), expected, "{name}");
    }
    let times = String::from_utf8(json(&fixture("times"), 9999)).expect("UTF-8");
    for time in ["\"01:02:00\"", "\"2020-01-02T01:02:03.000000004\"", "\"2020-01-02T01:00:00+00:01\""] {
        assert!(times.contains(time), "{time}: {times}");
    }
}
