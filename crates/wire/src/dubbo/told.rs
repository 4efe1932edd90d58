//! Values of replies as JSON.

use super::Serialization;
use super::exception::text_of;
use super::jsonb::Jsonb;
use crate::hessian::v2;
use crate::java;
use crate::json::Told;

/// Offset of the value in JSONB: the kind comes before it, then the value's length.
const JSONB_AT: usize = 10;

/// The value of a reply of that kind, whose body begins so, as JSON of at most `most` bytes. Empty where it is not read: in
/// Dubbo's own serialization, which has no names of fields, only texts are.
pub(super) fn json(
    serialization: Option<Serialization>,
    has_value: bool,
    body: &[u8],
    whole: bool,
    most: usize,
) -> Vec<u8> {
    let mut told = Told::new(most);
    match (serialization, body) {
        (None, _) => return Vec::new(),
        (Some(_), _) if !has_value => told.put("null"),
        (Some(Serialization::Hessian2), [_kind, value @ ..]) => return v2::Reader::new(value).json(most),
        (Some(Serialization::Java), _) => return java::json(body, most),
        (Some(Serialization::FastJson), _) => {
            let mut lines = body.split_inclusive(|&byte| byte == b'\n').skip(1);
            let line = lines.next().unwrap_or_default();
            told.put_bytes(line.trim_ascii());
            if !line.ends_with(b"\n") {
                told.cut();
            }
        }
        (Some(Serialization::FastJson2), _) => {
            Jsonb::new(body.get(JSONB_AT..).unwrap_or_default()).tell(&mut told);
        }
        (Some(Serialization::Native), [_kind, 0x8b, 0x90, value @ ..]) if whole => {
            match text_of(Serialization::Native, value) {
                Some(text) => told.text(&text),
                None => return Vec::new(),
            }
        }
        _ => return Vec::new(),
    }
    told.end()
}
