//! JSON as Fastjson 1 reads it in Dubbo: one value a line, without class names; fields that are null are left out.

use super::draft::{Content, Draft};
use crate::json::{Dialect, Writer};

/// Writes the body of a call.
pub(super) fn write(draft: &mut Draft, content: &Content<'_>) {
    let mut writer =
        Writer { bytes: &mut draft.bytes, places: &mut draft.places, dialect: Dialect::Fastjson };
    for text in content.head {
        writer.text(text);
        writer.put("\n");
    }
    for value in &content.call.arguments {
        writer.value(value);
        writer.put("\n");
    }
    for (at, (name, value)) in content.attachments.iter().enumerate() {
        writer.put(if at == 0 { "{" } else { "," });
        writer.text(name);
        writer.put(":");
        writer.text(value);
    }
    writer.put("}\n");
}
