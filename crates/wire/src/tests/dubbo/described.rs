//! Frames for a reader.

use super::{frame, names};
use crate::dubbo::describe;

#[test]
fn a_recorded_request_is_described_by_its_parts() {
    for (name, argument, attachments) in [
        ("2.5.3-hessian2.echoString.req", "\"hello\"", "interface"),
        ("2.5.3-dubbo.echoString.req", "8b 90 83 85 68 65 6c 6c 6f", "interface"),
        ("2.7.23-fastjson.echoString.req", "\"hello\"", r#"{"path":"lab.EchoService","#),
        ("3.3.6-fastjson2.echoString.req", "\"hello\"", "interface"),
    ] {
        let lines = describe(true, &frame(name));
        assert!(lines[0].starts_with("sent request, serialization "), "{lines:?}");
        assert!(lines[2].contains("path: ") && lines[2].contains("lab.EchoService"), "{lines:?}");
        assert!(lines[4].contains("method: ") && lines[4].contains("echo"), "{lines:?}");
        assert_eq!(lines[6], format!("  argument 1: {argument}"));
        assert!(lines[7].starts_with("  attachments: ") && lines[7].contains(attachments), "{lines:?}");
        assert_eq!(lines.len(), 8);
    }
}

#[test]
fn a_recorded_reply_is_described_by_its_parts() {
    let lines = describe(false, &frame("3.3.6-fastjson2.echoString.rsp"));
    assert!(lines[0].starts_with("received reply, serialization 23 (fastjson2), status 20 (ok), number 0x"));
    assert_eq!(lines[2], "  value: \"hello\"");
    assert!(lines[3].starts_with("  attachments: "));
}

#[test]
fn what_is_cut_short_is_described_as_far_as_it_goes() {
    for name in names("") {
        let bytes = frame(name);
        for cut in (0..bytes.len()).step_by(13) {
            assert!(describe(true, &bytes[..cut]).len() < 40, "{name} cut at {cut}");
        }
    }
    assert_eq!(describe(true, b"GET"), ["3 bytes: 47 45 54"]);
    assert!(describe(true, b"").is_empty());
}
