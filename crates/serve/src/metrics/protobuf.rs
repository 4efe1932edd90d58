//! Protobuf, as much as OTLP's metrics take: fields are written in the order of their calls, and those of an answer are read.

/// A message that is being written. A field that has its type's default value is left out, as protobuf's third version has it.
#[derive(Default)]
pub struct Message(Vec<u8>);

/// Encoding of a field's value.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

impl Message {
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn key(&mut self, field: u64, kind: u64) {
        self.number(field << 3 | kind);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, BYTES);
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub fn text(&mut self, field: u64, text: &str) {
        if !text.is_empty() {
            self.bytes(field, text.as_bytes());
        }
    }

    /// A text that is there when it is empty, too: one of several that a value may be.
    pub fn present_text(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    /// A message within this one.
    pub fn message(&mut self, field: u64, write: impl FnOnce(&mut Message)) {
        let mut inner = Message::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    /// `int32`, `bool` or a number of an enumeration.
    pub fn varint(&mut self, field: u64, number: u64) {
        if number != 0 {
            self.key(field, VARINT);
            self.number(number);
        }
    }

    /// `fixed64`.
    pub fn fixed(&mut self, field: u64, number: u64) {
        if number != 0 {
            self.present_fixed(field, number);
        }
    }

    /// `fixed64`, `sfixed64` or `double`, which is there when it is 0, too.
    pub fn present_fixed(&mut self, field: u64, bits: u64) {
        self.key(field, FIXED64);
        self.0.extend_from_slice(&bits.to_le_bytes());
    }

    /// A list of `fixed64` or `double`.
    pub fn list(&mut self, field: u64, all: impl Iterator<Item = u64>) {
        let all: Vec<u8> = all.flat_map(u64::to_le_bytes).collect();
        if !all.is_empty() {
            self.bytes(field, &all);
        }
    }
}

/// A value that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// `int64` and what is written as it is.
    Varint(u64),
    /// `fixed64` and what is written as it is.
    Fixed(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order; those of four bytes are passed over. `None` if it is not a message.
pub fn fields(mut rest: &[u8]) -> Option<Vec<(u64, Read<'_>)>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let value = match key & 7 {
            VARINT => Read::Varint(varint(&mut rest)?),
            FIXED64 => Read::Fixed(u64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?)),
            BYTES => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                Read::Bytes(rest.split_off(..length)?)
            }
            FIXED32 => {
                rest.split_off(..4)?;
                continue;
            }
            _ => return None,
        };
        if key >> 3 == 0 {
            return None;
        }
        fields.push((key >> 3, value));
    }
    Some(fields)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *rest.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let mut message = Message::default();
        message.text(1, "a");
        message.text(2, "");
        message.present_text(3, "");
        message.varint(4, 300);
        message.varint(5, 0);
        message.fixed(6, 0);
        message.present_fixed(7, 0);
        message.list(16, [1].into_iter());
        let bytes = message.into_bytes();
        let one = 1_u64.to_le_bytes();
        let expected = [
            (1, Read::Bytes(b"a")),
            (3, Read::Bytes(b"")),
            (4, Read::Varint(300)),
            (7, Read::Fixed(0)),
            (16, Read::Bytes(&one)),
        ];
        assert_eq!(fields(&bytes).as_deref(), Some(expected.as_slice()));
        assert_eq!(
            fields(&[0x0d, 1, 2, 3, 4, 0x08, 5]),
            Some(vec![(1, Read::Varint(5))]),
            "four bytes first"
        );
    }

    #[test]
    fn what_is_no_message_is_none() {
        for bad in [
            b"OK".as_slice(),
            &[0x0a, 0x7f],
            &[0x0a],
            &[0x09, 1, 2],
            &[0x0d, 1],
            &[0x0b],
            &[0x00, 1],
            &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ] {
            assert_eq!(fields(bad), None, "{bad:x?}");
        }
    }
}
