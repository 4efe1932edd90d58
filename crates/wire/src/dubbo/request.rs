//! Calls as frames.

use super::draft::{Content, DEPTH_MAX, Draft, EncodeError};
use super::{Serialization, fastjson, fastjson2, java, native};
use crate::hessian::v2;
use crate::placeholders::{Infill, LengthForm};
use crate::request::NO_ANSWER;
use crate::{Call, Expectation, Placeholders, Request, Value, descriptor};

/// Bytes of an encoded request before its body: the header, whose body length is a place.
pub(super) const HEAD: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Serialization of the body.
    pub serialization: Serialization,
    /// The protocol's version that the request names. From 2.0.2 on, servers of 2.6 and later add attachments to the
    /// reply.
    pub dubbo_version: String,
    /// True if no reply is wanted. Nothing reports then if the call was carried out.
    pub one_way: bool,
    /// The time-out that the call's attachments name, in milliseconds; servers use it to log, and to give up work that is
    /// late already.
    pub timeout_ms: Option<u32>,
    /// Name of the calling application, which clients from 2.7 on attach; empty for none.
    pub application: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            serialization: Serialization::default(),
            dubbo_version: "2.0.2".to_owned(),
            one_way: false,
            timeout_ms: None,
            application: String::new(),
        }
    }
}

/// Encodes a call.
///
/// # Errors
/// [`EncodeError`], when the call and its serialization do not go together.
pub fn encode(call: &Call, options: &Options) -> Result<Request, EncodeError> {
    let (types, arguments) = (call.parameter_types.len(), call.arguments.len());
    if types != arguments {
        return Err(EncodeError::Arguments { types, arguments });
    }
    let mut flags = 0x80 | options.serialization.number();
    if !options.one_way {
        flags |= 0x40;
    }
    let mut draft =
        Draft { bytes: vec![0xda, 0xbb, flags, 0, 0, 0, 0, 0, 0, 0, 0, 0], places: Placeholders::default() };
    draft.places.push(HEAD, Infill::Length { from: HEAD, to: None, form: LengthForm::U32 });
    body(&mut draft, call, options)?;
    if u32::try_from(draft.bytes.len()).is_err() {
        return Err(EncodeError::TooLong);
    }
    Ok(Request {
        bytes: draft.bytes,
        places: draft.places,
        closes: false,
        keep_body: 0,
        by_session: true,
        expectation: if options.one_way { NO_ANSWER } else { Expectation::default() },
    })
}

fn body(draft: &mut Draft, call: &Call, options: &Options) -> Result<(), EncodeError> {
    let descriptors: String = call.parameter_types.iter().map(|ty| descriptor(ty)).collect();
    let version = version(call);
    let head = [&options.dubbo_version, &call.interface, version, &call.method, &descriptors];
    let content = Content { head, call, attachments: attachments(call, options) };
    if call.arguments.iter().any(|value| is_deeper(value, DEPTH_MAX)) {
        return Err(EncodeError::TooDeep);
    }
    match options.serialization {
        Serialization::Native => return native::write(draft, &content),
        Serialization::FastJson2 => return fastjson2::write(draft, &content),
        Serialization::Java => return java::write(draft, &content),
        Serialization::FastJson => fastjson::write(draft, &content),
        Serialization::Hessian2 => hessian(draft, &content),
    }
    Ok(())
}

fn hessian(draft: &mut Draft, content: &Content<'_>) {
    let mut writer = v2::Writer::new(&mut draft.bytes, &mut draft.places);
    content.head.into_iter().for_each(|text| writer.text(text));
    content.call.arguments.iter().for_each(|value| writer.value(value));
    writer.value(&content.attachments());
}

/// True if values are nested deeper than `most`.
fn is_deeper(value: &Value, most: usize) -> bool {
    let deeper = |inner: &Value| most == 0 || is_deeper(inner, most - 1);
    match value {
        Value::List(items) | Value::Set(items) => items.iter().any(deeper),
        Value::Map(entries) => entries.iter().any(|(key, value)| deeper(key) || deeper(value)),
        Value::Object(object) => object.all_fields().any(|field| deeper(&field.value)),
        _ => false,
    }
}

/// Dubbo's name for "no version" is `0.0.0`.
fn version(call: &Call) -> &str {
    if call.version.is_empty() { "0.0.0" } else { &call.version }
}

/// The attachments in the order of Dubbo's own clients.
fn attachments(call: &Call, options: &Options) -> Vec<(String, String)> {
    let timeout = options.timeout_ms.map(|ms| ms.to_string()).unwrap_or_default();
    let own = [
        ("path", call.interface.as_str()),
        ("remote.application", &options.application),
        ("interface", &call.interface),
        ("version", version(call)),
        ("timeout", &timeout),
        ("group", &call.group),
    ];
    let own = own.into_iter().filter(|(_, value)| !value.is_empty());
    let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
    own.chain(call.attachments.iter().cloned()).collect()
}
