//! Java's object streams as Dubbo uses them: texts and marks as primitives in blocks, values as objects between them.

use super::draft::{Draft, EncodeError};
use super::native::class_of;
use super::utf;
use crate::java::Writer;
use crate::{Call, Text, Value};

/// Before a value: it is null, and nothing follows.
const NULL: u8 = 0;
/// Before a value: an object follows.
const OBJECT: u8 = 1;

/// Writes the body of a call.
pub(super) fn write(
    draft: &mut Draft,
    head: [&str; 5],
    call: &Call,
    attachments: &[(String, String)],
) -> Result<(), EncodeError> {
    let mut writer = Writer::new(&mut draft.bytes, &mut draft.places);
    for text in head {
        writer.block(&(utf::units(text.as_bytes()) as u32).to_be_bytes());
        let mut bytes = Vec::new();
        utf::write(text.as_bytes(), |piece| bytes.extend_from_slice(piece));
        let length = u16::try_from(bytes.len()).map_err(|_| EncodeError::TooLong)?;
        writer.block(&length.to_be_bytes());
        writer.block(&bytes);
    }
    for (value, ty) in call.arguments.iter().zip(&call.parameter_types) {
        object(&mut writer, value, ty)?;
    }
    let text = |text: &String| Value::Text(Text::Fixed(text.clone()));
    let attachments = attachments.iter().map(|(name, value)| (text(name), text(value))).collect();
    object(&mut writer, &Value::Map(attachments), "java.util.Map")?;
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
