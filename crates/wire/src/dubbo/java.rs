//! Java's object streams as Dubbo uses them: texts and marks as primitives in blocks, values as objects between them.

use super::draft::{Content, Draft, EncodeError};
use super::native::class_of;
use crate::java::Writer;
use crate::{Value, utf};

/// Before a value: it is null, and nothing follows.
const NULL: u8 = 0;
/// Before a value: an object follows.
const OBJECT: u8 = 1;

/// Writes the body of a call.
pub(super) fn write(draft: &mut Draft, content: &Content<'_>) -> Result<(), EncodeError> {
    let mut writer = Writer::new(&mut draft.bytes, &mut draft.places);
    for text in content.head {
        writer.block(&(utf::units(text.as_bytes()) as u32).to_be_bytes());
        let mut bytes = Vec::new();
        utf::write(text.as_bytes(), |piece| bytes.extend_from_slice(piece));
        let length = u16::try_from(bytes.len()).map_err(|_| EncodeError::TooLong)?;
        writer.block(&length.to_be_bytes());
        writer.block(&bytes);
    }
    for (value, ty) in content.arguments() {
        object(&mut writer, value, ty)?;
    }
    object(&mut writer, &content.attachments(), "java.util.Map")?;
    writer.finish();
    Ok(())
}

fn object(writer: &mut Writer<'_>, value: &Value, ty: &str) -> Result<(), EncodeError> {
    if matches!(value, Value::Null) {
        writer.block(&[NULL]);
        return Ok(());
    }
    writer.block(&[OBJECT]);
    writer.object(&class_of(value, ty), value).map_err(|_| EncodeError::Value {
        serialization: "java",
        what: value.kind(),
        ty: ty.to_owned(),
    })
}
