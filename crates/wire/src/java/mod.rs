//! Java's object serialization (Java Object Serialization Specification, chapter 6): the writer of calls' values, the
//! walker that finds where a value ends, and a decoder for people.
//!
//! A stream does not contain its length. To find its end, a reader must follow each object by the descriptor of its
//! class, which came in the stream before, and must keep those descriptors by the handles that the stream gives them.

mod describe;
mod error;
mod primitive;
mod read;
mod task;
mod text;
mod time;
mod told;
mod walk;
mod write;

pub use crate::scan::Fed;
pub(crate) use describe::describe_from;
pub use describe::{describe, thrown};
pub use error::WriteError;
pub(crate) use read::{Piece, Reader};
pub(crate) use text::{form_length, form_write};
pub(crate) use told::{json, primitive_json};
pub use walk::{Broken, Walker};
pub use write::Writer;

/// First bytes of every stream: the magic number and version 5.
pub const STREAM_HEADER: [u8; 4] = [0xac, 0xed, 0x00, 0x05];

/// Default of [`Limits::depth_max`]: deeper nesting overflows the stack of the receivers in Java long before.
pub const DEPTH_MAX_DEFAULT: usize = 16 * 1024;

/// Default of [`Limits::classes_max`]: more than a virtual machine usually has loaded.
pub const CLASSES_MAX_DEFAULT: usize = 64 * 1024;

/// Default of [`Limits::bytes_max`], no limit: what a length, which has a sign, can tell. Values are walked and not kept. One that never ends is ended by its time-out.
pub const BYTES_MAX_DEFAULT: u64 = i64::MAX as u64;

/// Limits of one stream; the excess is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most parts that are begun and not ended at a time: each object within an object leaves one to three.
    pub depth_max: usize,
    /// Most class descriptors.
    pub classes_max: usize,
    /// Most bytes, of all elements together.
    pub bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth_max: DEPTH_MAX_DEFAULT,
            classes_max: CLASSES_MAX_DEFAULT,
            bytes_max: BYTES_MAX_DEFAULT,
        }
    }
}

/// The handle of the first object of a stream; each further one has the next number.
pub(crate) const FIRST_HANDLE: u32 = 0x7e_0000;

/// Longest text that is written with a length of two bytes.
pub(crate) const SHORT_TEXT_MAX: usize = 0xffff;

/// First bytes of elements (specification, 6.4.2).
pub(crate) mod tag {
    pub const NULL: u8 = 0x70;
    pub const REFERENCE: u8 = 0x71;
    pub const CLASS_DESC: u8 = 0x72;
    pub const OBJECT: u8 = 0x73;
    pub const STRING: u8 = 0x74;
    pub const ARRAY: u8 = 0x75;
    pub const CLASS: u8 = 0x76;
    pub const BLOCK: u8 = 0x77;
    pub const END_BLOCK: u8 = 0x78;
    pub const RESET: u8 = 0x79;
    pub const LONG_BLOCK: u8 = 0x7a;
    pub const EXCEPTION: u8 = 0x7b;
    pub const LONG_STRING: u8 = 0x7c;
    pub const PROXY_CLASS_DESC: u8 = 0x7d;
    pub const ENUM: u8 = 0x7e;
}

/// Flags of a class descriptor.
pub(crate) mod flag {
    /// Further data of the class follow its fields, up to an end tag.
    pub const WRITE_METHOD: u8 = 0x01;
    pub const SERIALIZABLE: u8 = 0x02;
    pub const EXTERNALIZABLE: u8 = 0x04;
    /// An externalizable class wrote in blocks, as protocol version 2 does.
    pub const BLOCK_DATA: u8 = 0x08;
    /// An enum, whose constants have no fields.
    pub const ENUM: u8 = 0x10;
}

/// Width in bytes of a value of this primitive type; `None` for types of objects.
pub(crate) fn width(type_code: u8) -> Option<u8> {
    match type_code {
        b'B' | b'Z' => Some(1),
        b'C' | b'S' => Some(2),
        b'I' | b'F' => Some(4),
        b'J' | b'D' => Some(8),
        _ => None,
    }
}
