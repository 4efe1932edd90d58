//! Finds the end of a value, in the serializations of Dubbo's own and of Fastjson, without keeping any of it.

use super::native;
use crate::hessian::Wrong;
use crate::scan::{Fed, count_work};

/// Deepest nesting that a walk follows.
const DEPTH_MAX: usize = 1024;

/// Walks Dubbo's own serialization. It is not self-describing in all corners: the fields of some collections, arrays of
/// `Object` and bytes in a field look like something else. Once one of them may have come, a wrong byte is not a breach
/// but the end of what can be [checked](Self::is_uncertain); everything behind it is consumed.
#[derive(Debug, Default)]
pub(super) struct NativeWalk {
    /// Number of values still to come at each level.
    open: Vec<u64>,
    step: NativeStep,
    certain: bool,
    /// True once an object has begun, whose fields have no class before them.
    in_object: bool,
    /// True if the next text is raw bytes.
    raw: bool,
    /// Letters of [`JAVA`] that the descriptor which is being read begins with; `None` when the text is none.
    java: Option<usize>,
    lost: bool,
}

/// Prefixes of descriptors of classes of the platform.
const JAVA: &[u8] = b"Ljava/";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NativeStep {
    #[default]
    Tag,
    /// A number without sign; its use depends on the tag.
    Number {
        tag: u8,
        value: u64,
        shift: u32,
    },
    Skip(u64),
    /// UTF-16 units of a text, and bytes of the present one.
    Units {
        left: u64,
        bytes: u8,
    },
    /// Number of fields of an object.
    Fields,
    WideFields {
        left: u8,
        value: u64,
        shift: u32,
    },
}

impl NativeWalk {
    pub fn begin(&mut self) {
        self.open.clear();
        self.open.push(1);
        self.step = NativeStep::Tag;
        (self.certain, self.in_object) = (true, false);
        self.raw = false;
        self.java = None;
        self.lost = false;
    }

    /// True if a value that ends early or late may be right all the same.
    pub fn is_uncertain(&self) -> bool {
        !self.certain
    }

    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        let mut pos = 0;
        while pos < input.len() && !self.lost {
            match self.step(&input[pos..]) {
                Some(consumed) => pos += consumed,
                None if self.certain => return Err(Wrong { at: pos }),
                None => self.lost = true,
            }
            if self.open.is_empty() {
                return Ok(Fed { consumed: pos, done: true });
            }
        }
        Ok(Fed { consumed: input.len(), done: false })
    }

    /// Takes at least one byte; `None` when it is wrong.
    fn step(&mut self, input: &[u8]) -> Option<usize> {
        let byte = *input.first()?;
        match self.step {
            NativeStep::Tag => self.tag(byte)?,
            NativeStep::Number { tag, value, shift } => {
                let value = value | u64::from(byte & 0x7f) << shift;
                if byte & 0x80 != 0 {
                    self.numbered(tag, value)?;
                } else if shift >= 28 {
                    return None;
                } else {
                    self.step = NativeStep::Number { tag, value, shift: shift + 7 };
                }
            }
            NativeStep::Skip(left) => {
                let taken = left.min(input.len() as u64);
                self.skip(left - taken);
                return Some(taken as usize);
            }
            NativeStep::Units { left, bytes: 0 } => return self.units(input, left),
            NativeStep::Units { left, bytes } => self.unit_goes_on(byte, left, bytes)?,
            NativeStep::Fields => self.fields(byte)?,
            NativeStep::WideFields { left, value, shift } => {
                let value = value | u64::from(byte) << shift;
                if left > 1 {
                    self.step = NativeStep::WideFields { left: left - 1, value, shift: shift + 8 };
                } else {
                    self.push(value)?;
                }
            }
        }
        count_work(1);
        Some(1)
    }

    fn tag(&mut self, tag: u8) -> Option<()> {
        if let Some(to_come) = self.open.last_mut() {
            *to_come -= 1;
        }
        self.raw &= tag == native::BYTES;
        if tag != native::BYTES {
            self.java = None;
        }
        match tag {
            0..=7 => self.step = NativeStep::Skip(u64::from(tag) + 1),
            0x0a..=0x38 | native::NULL | native::EMPTY => self.settle(),
            native::OBJECT => self.step = NativeStep::Fields,
            0x81..=0x83 | native::VALUES | native::MAP | native::CLASS_NUMBER => {
                self.step = NativeStep::Number { tag, value: 0, shift: 0 };
            }
            native::VALUE => self.push(1)?,
            native::CLASS => {
                self.java = Some(0);
                self.push(2)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn numbered(&mut self, tag: u8, number: u64) -> Option<()> {
        match tag {
            0x81 => self.settle(),
            0x82 => self.skip(number),
            native::BYTES if std::mem::take(&mut self.raw) => self.skip(number),
            native::BYTES => self.unit_ended(number),
            native::VALUES => self.push(number)?,
            native::MAP => self.push(2 * number)?,
            _ => {
                self.raw = number == 1;
                // Lists and maps whose own fields come first, of which only the class tells.
                self.certain &= number < 25;
                self.push(1)?;
            }
        }
        Some(())
    }

    /// Number of fields that follow; an array of `Object` has its length there, written as a number without sign.
    fn fields(&mut self, byte: u8) -> Option<()> {
        self.in_object = true;
        match byte {
            0..=3 => self.step = NativeStep::WideFields { left: byte + 1, value: 0, shift: 0 },
            native::ZERO..=0x38 => self.push(u64::from(byte - native::ZERO))?,
            0x80.. => {
                self.certain = false;
                self.push(u64::from(byte & 0x7f))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn push(&mut self, count: u64) -> Option<()> {
        if self.open.len() >= DEPTH_MAX {
            self.certain = false;
            return None;
        }
        self.open.push(count);
        self.settle();
        Some(())
    }

    fn skip(&mut self, left: u64) {
        self.step = NativeStep::Skip(left);
        if left == 0 {
            self.settle();
        }
    }

    /// A value is whole, and with it those of which it was the last part.
    fn settle(&mut self) {
        self.step = NativeStep::Tag;
        while self.open.last() == Some(&0) {
            self.open.pop();
        }
    }

    fn units(&mut self, input: &[u8], left: u64) -> Option<usize> {
        let most = left.min(input.len() as u64) as usize;
        let plain = input[..most].iter().position(|byte| !byte.is_ascii()).unwrap_or(most);
        count_work(plain.max(1));
        if let Some(matched) = self.java {
            let same = input[..plain].iter().zip(&JAVA[matched..]).take_while(|(a, b)| a == b).count();
            let ended = matched + same == JAVA.len();
            self.certain &= !ended;
            let differs = same < plain && !ended;
            self.java = (!ended && !differs).then_some(matched + same);
        }
        if plain > 0 {
            self.unit_ended(left - plain as u64);
            return Some(plain);
        }
        // Only a text has units of several bytes; bytes in a field are counted otherwise.
        self.certain &= !self.in_object;
        let bytes = match input[0] {
            0xc0..=0xdf => 1,
            0xe0..=0xef => 2,
            _ => return None,
        };
        self.step = NativeStep::Units { left, bytes };
        Some(1)
    }

    fn unit_goes_on(&mut self, byte: u8, left: u64, bytes: u8) -> Option<()> {
        if byte & 0xc0 != 0x80 {
            return None;
        }
        match bytes {
            1 => self.unit_ended(left - 1),
            _ => self.step = NativeStep::Units { left, bytes: bytes - 1 },
        }
        Some(())
    }

    fn unit_ended(&mut self, left: u64) {
        self.step = NativeStep::Units { left, bytes: 0 };
        if left == 0 {
            self.java = None;
            self.settle();
        }
    }
}

/// Walks one line of JSON: brackets must match and texts end on it.
#[derive(Debug, Default)]
pub(super) struct JsonWalk {
    depth: u64,
    in_text: bool,
    escaped: bool,
    /// True once anything but space came.
    began: bool,
}

impl JsonWalk {
    pub fn begin(&mut self) {
        *self = JsonWalk::default();
    }

    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        for (at, &byte) in input.iter().enumerate() {
            let right = match byte {
                _ if self.escaped => {
                    self.escaped = false;
                    true
                }
                b'\n' => {
                    count_work(at + 1);
                    let whole = self.depth == 0 && !self.in_text && self.began;
                    return if whole { Ok(Fed { consumed: at + 1, done: true }) } else { Err(Wrong { at }) };
                }
                b'\\' if self.in_text => {
                    self.escaped = true;
                    true
                }
                b'"' => {
                    self.in_text = !self.in_text;
                    true
                }
                _ if self.in_text => true,
                b'[' | b'{' => {
                    self.depth += 1;
                    true
                }
                b']' | b'}' => {
                    let open = self.depth > 0;
                    self.depth = self.depth.saturating_sub(1);
                    open
                }
                byte => byte.is_ascii_graphic() || byte == b' ' || byte == b'\r',
            };
            self.began |= !byte.is_ascii_whitespace();
            if !right {
                return Err(Wrong { at });
            }
        }
        count_work(input.len());
        Ok(Fed { consumed: input.len(), done: false })
    }
}

/// Walks one value of JSONB behind its length.
#[derive(Debug, Default)]
pub(super) struct JsonbWalk {
    digits: u8,
    left: u32,
}

impl JsonbWalk {
    pub fn begin(&mut self) {
        *self = JsonbWalk::default();
    }

    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        let mut pos = 0;
        while self.digits < 4 {
            let Some(&byte) = input.get(pos) else { return Ok(Fed { consumed: pos, done: false }) };
            self.left = self.left << 8 | u32::from(byte);
            self.digits += 1;
            if self.digits == 4 && self.left == 0 {
                return Err(Wrong { at: pos });
            }
            pos += 1;
        }
        count_work(pos);
        let taken = (self.left as usize).min(input.len() - pos);
        self.left -= taken as u32;
        Ok(Fed { consumed: pos + taken, done: self.left == 0 })
    }
}
