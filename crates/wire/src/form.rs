//! Forms in which the protocols write a value that is filled in. Here alone are all of them known.

use crate::{dubbo, hessian, java, json};
use hessian::Dialect;
use serde::{Deserialize, Serialize};

/// Form of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) enum Form {
    #[default]
    Plain,
    /// As a text of Dubbo's own serialization.
    DubboNative,
    /// As a quoted text of JSON.
    DubboJson,
    /// As a text of JSONB.
    DubboJsonb(dubbo::JsonbText),
    /// As a text of Hessian 1.0.
    Hessian1,
    /// As a text of Hessian 2.0.
    Hessian2,
    /// As a string of JSON, quoted and escaped.
    JsonText,
    /// As a string object of Java's object serialization.
    JavaText,
}

impl Form {
    /// Number of bytes that the value takes.
    pub fn length(self, value: &[u8]) -> usize {
        match self {
            Form::Plain => value.len(),
            Form::Hessian1 => hessian::length(value, Dialect::V1),
            Form::Hessian2 => hessian::length(value, Dialect::V2),
            Form::JavaText => java::form_length(value),
            Form::DubboNative | Form::DubboJson | Form::DubboJsonb(_) | Form::JsonText => {
                let mut length = 0;
                self.write(value, |piece| length += piece.len());
                length
            }
        }
    }

    #[inline]
    pub fn write(self, value: &[u8], mut put: impl FnMut(&[u8])) {
        match self {
            Form::Plain => put(value),
            Form::DubboNative => dubbo::write_native(value, put),
            Form::DubboJson => json::write(value, json::Dialect::Fastjson, put),
            Form::DubboJsonb(form) => form.write(value, put),
            Form::Hessian1 => hessian::write(value, Dialect::V1, put),
            Form::Hessian2 => hessian::write(value, Dialect::V2, put),
            Form::JsonText => json::write(value, json::Dialect::Plain, put),
            Form::JavaText => java::form_write(value, put),
        }
    }
}
