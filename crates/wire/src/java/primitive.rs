//! Values whose parameter or field has a primitive type.

use super::error::WriteError;
use crate::{Text, Value};

/// Bytes of a primitive.
pub(super) struct Primitive {
    bytes: [u8; 8],
    len: usize,
}

impl Primitive {
    fn of<const N: usize>(value: [u8; N]) -> Self {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&value);
        Primitive { bytes, len: N }
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The bytes of `value` where `ty` is a primitive type; `None` where it is not.
pub(super) fn primitive(ty: &str, value: &Value) -> Result<Option<Primitive>, WriteError> {
    let wrong = || WriteError::Type { ty: ty.to_owned(), value: value.kind() };
    let whole = || match value {
        Value::Int(int) => Ok(i64::from(*int)),
        Value::Long(long) => Ok(*long),
        _ => Err(wrong()),
    };
    let real = || match value {
        Value::Int(int) => Ok(f64::from(*int)),
        Value::Double(double) => Ok(*double),
        _ => Err(wrong()),
    };
    let primitive = match ty {
        "boolean" => match value {
            Value::Bool(truth) => Primitive::of([u8::from(*truth)]),
            _ => return Err(wrong()),
        },
        "byte" => Primitive::of(i8::try_from(whole()?).map_err(|_| wrong())?.to_be_bytes()),
        "short" => Primitive::of(i16::try_from(whole()?).map_err(|_| wrong())?.to_be_bytes()),
        "char" => Primitive::of(unit(value).ok_or_else(wrong)?.to_be_bytes()),
        "int" => Primitive::of(i32::try_from(whole()?).map_err(|_| wrong())?.to_be_bytes()),
        "long" => Primitive::of(whole()?.to_be_bytes()),
        "float" => Primitive::of((real()? as f32).to_be_bytes()),
        "double" => Primitive::of(real()?.to_be_bytes()),
        _ => return Ok(None),
    };
    Ok(Some(primitive))
}

/// The UTF-16 unit that a `char` is given by: its number, or a text of one.
fn unit(value: &Value) -> Option<u16> {
    match value {
        Value::Int(int) => u16::try_from(*int).ok(),
        Value::Text(Text::Fixed(text)) => {
            let mut units = text.encode_utf16();
            units.next().filter(|_| units.next().is_none())
        }
        _ => None,
    }
}
