//! Calls as the body of a POST.

use super::{text, v1, v2};
use crate::http1::{EncodeError, RequestSpec, Template};
use crate::{Call, Placeholders, Request};

/// Media type of the body of a call.
const CONTENT_TYPE: &str = "x-application/hessian";

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// Hessian 1.0. A server may answer it in version 2.0.
    V1,
    /// Hessian 2.0.
    V2,
}

/// The body of a call, and its places. The interface is not in it: the URL tells which object is called.
pub fn call_body(version: Version, call: &Call) -> (Vec<u8>, Placeholders) {
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    match version {
        // Caucho's client sends 2.0 as the version and otherwise keeps to 1.0: so it asks for an answer in 2.0.
        Version::V1 => {
            bytes.extend(b"c\x02\0m");
            text::write_name(&call.method, &mut bytes);
            let mut writer = v1::Writer::new(&mut bytes, &mut places);
            call.arguments.iter().for_each(|argument| writer.value(argument));
            bytes.push(b'z');
        }
        Version::V2 => {
            bytes.extend(b"H\x02\0C");
            let mut writer = v2::Writer::new(&mut bytes, &mut places);
            writer.text(&call.method);
            writer.int(call.arguments.len() as i32);
            call.arguments.iter().for_each(|argument| writer.value(argument));
        }
    }
    (bytes, places)
}

/// A call as a POST to the target of `spec`, whose method and body do not count; `template` has the places of target and headers.
///
/// # Errors
/// As [`RequestSpec::encode`].
pub fn encode(
    version: Version,
    call: &Call,
    spec: &RequestSpec,
    template: &Template,
) -> Result<Request, EncodeError> {
    let (body, places) = call_body(version, call);
    spec.encode_call(template, CONTENT_TYPE, body, &places)
}
