//! Finds the end of an element of a stream, without reading it twice and without keeping it.

use super::task::{Class, NONE, Task, wanted};
use super::time::{self, TimePart};
use super::{FIRST_HANDLE, Limits, flag, tag, width};
use crate::MalformedKind;
use crate::scan::{Fed, count_work};

/// Most classes above another one. Each object is followed through all of them, so their number multiplies the work.
const ABOVE_MAX: u16 = 64;

/// Most interfaces of a proxy, the limit of the virtual machine.
const INTERFACES_MAX: i32 = 65535;

/// A breach of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Index in the slice of the byte that shows it.
    pub at: usize,
    pub kind: MalformedKind,
}

/// Follows a stream to the end of each element. Its buffers are used again from stream to stream.
#[derive(Debug)]
pub struct Walker {
    limits: Limits,
    stack: Vec<Task>,
    /// In the order of their handles.
    classes: Vec<Class>,
    next_handle: u32,
    /// Bytes that may still come.
    room: u64,
    /// The class whose descriptor was read last.
    class: u32,
    /// The first bytes of the name of the class that is being read.
    name: [u8; 2],
    /// Bytes of a number that is not whole yet.
    held: [u8; 11],
    held_len: usize,
    aborted: bool,
}

impl Default for Walker {
    fn default() -> Self {
        Walker::new(Limits::default())
    }
}

impl Walker {
    /// A walker of a stream that begins.
    pub fn new(limits: Limits) -> Self {
        let mut walker = Walker {
            limits,
            stack: Vec::new(),
            classes: Vec::new(),
            next_handle: FIRST_HANDLE,
            room: 0,
            class: NONE,
            name: [0; 2],
            held: [0; 11],
            held_len: 0,
            aborted: false,
        };
        walker.begin();
        walker
    }

    /// Begins another stream, behind its header.
    pub fn begin(&mut self) {
        self.reset();
        self.room = self.limits.bytes_max;
        self.next();
    }

    /// Goes on to the next element of the same stream.
    pub fn next(&mut self) {
        self.stack.clear();
        self.stack.push(Task::Element);
        self.held_len = 0;
        self.aborted = false;
    }

    /// True if the element ended because its writer gave it up: the `Throwable` with the reason follows, with which
    /// the handles [begin](Self::begin) anew.
    pub fn aborted(&self) -> bool {
        self.aborted
    }

    /// Takes bytes of the element. How they are split over calls makes no difference.
    ///
    /// # Errors
    /// The bytes are not an element of a stream, exceed a limit, or have an externalizable object of protocol
    /// version 1, whose end only its class knows, unless it is of `java.time`. The walker must begin anew then.
    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Broken> {
        let mut pos = 0;
        while let Some(task) = self.stack.last().copied() {
            count_work(1);
            match self.step(task, input, &mut pos) {
                Ok(true) => {}
                Ok(false) => return Ok(Fed { consumed: pos, done: false }),
                Err(kind) => return Err(Broken { at: pos.saturating_sub(1), kind }),
            }
        }
        Ok(Fed { consumed: pos, done: true })
    }

    fn reset(&mut self) {
        self.classes.clear();
        self.next_handle = FIRST_HANDLE;
        self.class = NONE;
    }

    /// Does one task, as far as the input goes; returns true once it is done.
    #[inline]
    fn step(&mut self, task: Task, input: &[u8], pos: &mut usize) -> Result<bool, MalformedKind> {
        if let Task::Skip(left) = task {
            let came = input.len() - *pos;
            let taken = usize::try_from(left).map_or(came, |left| left.min(came));
            *pos += taken;
            self.stack.pop();
            if taken as u64 == left {
                return Ok(true);
            }
            self.stack.push(Task::Skip(left - taken as u64));
            return Ok(false);
        }
        let wanted = wanted(task);
        let taken = (wanted - self.held_len).min(input.len() - *pos);
        self.held[self.held_len..self.held_len + taken].copy_from_slice(&input[*pos..*pos + taken]);
        self.held_len += taken;
        *pos += taken;
        if self.held_len < wanted {
            return Ok(false);
        }
        self.held_len = 0;
        self.room = self.room.checked_sub(wanted as u64).ok_or(MalformedKind::BodyTooLong)?;
        self.stack.pop();
        self.perform(task)?;
        Ok(true)
    }

    /// Does a task whose bytes are all held.
    fn perform(&mut self, task: Task) -> Result<(), MalformedKind> {
        match task {
            Task::Element | Task::Object | Task::Name | Task::Annotation | Task::Desc => self.tagged(task),
            Task::Length8 => self.skip(u64::from(self.held[0])),
            Task::Length16 => self.skip(u64::from(self.short())),
            Task::Length32 => {
                let len = self.int()?;
                self.skip(u64::from(len))
            }
            Task::Length64 => {
                let len = i64::from_be_bytes(self.held_array());
                self.skip(u64::try_from(len).map_err(|_| MalformedKind::Other)?)
            }
            Task::Objects(left) => {
                if left > 1 {
                    self.push(Task::Objects(left - 1))?;
                }
                if left > 0 { self.push(Task::Object) } else { Ok(()) }
            }
            Task::Names(left) => {
                if left > 1 {
                    self.push(Task::Names(left - 1))?;
                }
                if left > 0 { self.push(Task::Length16) } else { Ok(()) }
            }
            Task::NewArray => {
                let class = self.whole_class()?;
                self.next_handle += 1;
                self.push(Task::ArraySize(class))
            }
            Task::ArraySize(class) => self.array(class),
            Task::NewEnum => {
                self.whole_class()?;
                self.next_handle += 1;
                self.push(Task::Name)
            }
            Task::NewClass => {
                self.next_handle += 1;
                Ok(())
            }
            Task::NewObject => self.object(),
            Task::Data(class) => self.data(class),
            Task::Time(part) => self.time(part),
            _ => self.class_part(task),
        }
    }

    /// Does a task of a class descriptor.
    fn class_part(&mut self, task: Task) -> Result<(), MalformedKind> {
        match task {
            Task::ClassName => {
                let len = self.short();
                self.name = [0; 2];
                self.push(Task::ClassHead)?;
                if len < 2 {
                    return self.skip(u64::from(len));
                }
                self.skip(u64::from(len - 2))?;
                self.push(Task::ClassNameStart)
            }
            Task::ClassNameStart => {
                self.name = self.held_array();
                Ok(())
            }
            Task::ClassHead => self.class_head(),
            Task::Fields { class, left } => self.field(class, left),
            Task::Proxy => {
                let count = self.int()?;
                if count > INTERFACES_MAX as u32 {
                    return Err(MalformedKind::Other);
                }
                let class = self.new_class(flag::SERIALIZABLE, 0)?;
                self.push(Task::Above(class))?;
                self.push(Task::Annotation)?;
                self.push(Task::Names(count))
            }
            Task::Above(class) => {
                self.push(Task::EndClass(class))?;
                self.push(Task::Desc)
            }
            Task::EndClass(class) => self.end_class(class),
            _ => Ok(()),
        }
    }

    /// Begins the element of the tag, if it may be here.
    fn tagged(&mut self, task: Task) -> Result<(), MalformedKind> {
        let among = !matches!(task, Task::Name | Task::Desc);
        let blocks = matches!(task, Task::Element | Task::Annotation);
        if matches!(task, Task::Annotation) && self.held[0] != tag::END_BLOCK {
            self.push(Task::Annotation)?;
        }
        match (self.held[0], task) {
            (tag::NULL, Task::Desc) => {
                self.class = NONE;
                Ok(())
            }
            (tag::NULL, _) | (tag::END_BLOCK, Task::Annotation) => Ok(()),
            (tag::REFERENCE, Task::Desc) => self.push(Task::EndClass(NONE)),
            (tag::REFERENCE, _) => self.skip(4),
            (tag::STRING, _) if !matches!(task, Task::Desc) => {
                self.next_handle += 1;
                self.push(Task::Length16)
            }
            (tag::LONG_STRING, _) if !matches!(task, Task::Desc) => {
                self.next_handle += 1;
                self.push(Task::Length64)
            }
            (tag::CLASS_DESC, _) if !matches!(task, Task::Name) => self.push(Task::ClassName),
            (tag::PROXY_CLASS_DESC, _) if !matches!(task, Task::Name) => self.push(Task::Proxy),
            (tag::OBJECT, _) if among => self.of_class(Task::NewObject),
            (tag::ARRAY, _) if among => self.of_class(Task::NewArray),
            (tag::ENUM, _) if among => self.of_class(Task::NewEnum),
            (tag::CLASS, _) if among => self.of_class(Task::NewClass),
            (tag::BLOCK, _) if blocks => self.push(Task::Length8),
            (tag::LONG_BLOCK, _) if blocks => self.push(Task::Length32),
            (tag::RESET, Task::Element) => {
                self.reset();
                self.push(Task::Element)
            }
            (tag::EXCEPTION, _) => {
                self.reset();
                self.stack.clear();
                self.aborted = true;
                Ok(())
            }
            _ => Err(MalformedKind::Other),
        }
    }

    /// A class descriptor, and then the task that needs it.
    fn of_class(&mut self, then: Task) -> Result<(), MalformedKind> {
        self.push(then)?;
        self.push(Task::Desc)
    }

    fn push(&mut self, task: Task) -> Result<(), MalformedKind> {
        if self.stack.len() >= self.limits.depth_max {
            return Err(MalformedKind::TooDeep);
        }
        self.stack.push(task);
        Ok(())
    }

    /// Passes over bytes, if that many may still come.
    fn skip(&mut self, bytes: u64) -> Result<(), MalformedKind> {
        self.room = self.room.checked_sub(bytes).ok_or(MalformedKind::BodyTooLong)?;
        if bytes == 0 { Ok(()) } else { self.push(Task::Skip(bytes)) }
    }

    fn objects(&mut self, count: u32) -> Result<(), MalformedKind> {
        if u64::from(count) > self.room {
            return Err(MalformedKind::BodyTooLong);
        }
        if count == 0 { Ok(()) } else { self.push(Task::Objects(count)) }
    }

    fn held_array<const N: usize>(&self) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(&self.held[..N]);
        array
    }

    fn short(&self) -> u16 {
        u16::from_be_bytes(self.held_array())
    }

    /// A count or length, which is not negative.
    fn int(&self) -> Result<u32, MalformedKind> {
        let int = i32::from_be_bytes(self.held_array());
        u32::try_from(int).map_err(|_| MalformedKind::Other)
    }

    fn new_class(&mut self, flags: u8, element: u8) -> Result<u32, MalformedKind> {
        if self.classes.len() >= self.limits.classes_max {
            return Err(MalformedKind::TooDeep);
        }
        let handle = self.next_handle;
        self.next_handle += 1;
        let class = self.classes.len() as u32;
        let (time, whole, depth, objects, primitives, above) = (false, false, 0, 0, 0, NONE);
        self.classes.push(Class { handle, flags, element, time, whole, depth, objects, primitives, above });
        Ok(class)
    }

    /// `serialVersionUID`, flags and the number of fields.
    fn class_head(&mut self) -> Result<(), MalformedKind> {
        let [.., flags, high, low] = self.held;
        let conflict = flag::SERIALIZABLE | flag::EXTERNALIZABLE;
        if flags & conflict == conflict {
            return Err(MalformedKind::Other);
        }
        let element = if self.name[0] == b'[' { self.name[1] } else { 0 };
        let class = self.new_class(flags, element)?;
        self.classes[class as usize].time = self.held_array() == time::UID;
        self.push(Task::Above(class))?;
        self.push(Task::Annotation)?;
        self.push(Task::Fields { class, left: u16::from_be_bytes([high, low]) })
    }

    /// Type code and length of the name of a field, unless none is left.
    fn field(&mut self, class: u32, left: u16) -> Result<(), MalformedKind> {
        if left == 0 {
            return Ok(());
        }
        let [code, high, low] = self.held_array();
        let known = &mut self.classes[class as usize];
        match width(code) {
            // Java refuses primitives behind objects, and the values come in the order of the fields.
            Some(_) if known.objects > 0 => return Err(MalformedKind::Other),
            Some(width) => known.primitives += u32::from(width),
            None if matches!(code, b'L' | b'[') => known.objects += 1,
            None => return Err(MalformedKind::Other),
        }
        self.push(Task::Fields { class, left: left - 1 })?;
        if width(code).is_none() {
            self.push(Task::Name)?;
        }
        self.skip(u64::from(u16::from_be_bytes([high, low])))
    }

    /// The class above `class` is known; or, for `NONE`, a reference to a class came.
    fn end_class(&mut self, class: u32) -> Result<(), MalformedKind> {
        if class == NONE {
            let handle = u32::from_be_bytes(self.held_array());
            let found = self.classes.binary_search_by_key(&handle, |class| class.handle);
            self.class = found.map_err(|_| MalformedKind::Other)? as u32;
            return if self.classes[self.class as usize].whole { Ok(()) } else { Err(MalformedKind::Other) };
        }
        let above = self.class;
        let depth = if above == NONE { 0 } else { self.classes[above as usize].depth + 1 };
        if depth > ABOVE_MAX {
            return Err(MalformedKind::TooDeep);
        }
        let ended = &mut self.classes[class as usize];
        (ended.above, ended.depth, ended.whole) = (above, depth, true);
        self.class = class;
        Ok(())
    }

    fn whole_class(&self) -> Result<u32, MalformedKind> {
        if self.class == NONE { Err(MalformedKind::Other) } else { Ok(self.class) }
    }

    fn array(&mut self, class: u32) -> Result<(), MalformedKind> {
        let count = self.int()?;
        let element = self.classes[class as usize].element;
        match (width(element), element) {
            (Some(width), _) => self.skip(u64::from(count) * u64::from(width)),
            (None, b'L' | b'[') => self.objects(count),
            _ => Err(MalformedKind::Other),
        }
    }

    /// An object begins: the topmost class comes first.
    fn object(&mut self) -> Result<(), MalformedKind> {
        let mut class = self.whole_class()?;
        if self.classes[class as usize].element != 0 {
            return Err(MalformedKind::Other);
        }
        self.next_handle += 1;
        while class != NONE {
            self.push(Task::Data(class))?;
            class = self.classes[class as usize].above;
        }
        Ok(())
    }

    /// A part of a value of `java.time`.
    fn time(&mut self, part: TimePart) -> Result<(), MalformedKind> {
        match part {
            TimePart::Bytes(len) => self.skip(u64::from(len)),
            TimePart::Text => self.push(Task::Length16),
            part => {
                let parts = time::after(part, self.held[0]).ok_or(MalformedKind::Other)?;
                parts.iter().rev().try_for_each(|part| self.push(Task::Time(*part)))
            }
        }
    }

    fn data(&mut self, class: u32) -> Result<(), MalformedKind> {
        let Class { flags, time, objects, primitives, .. } = self.classes[class as usize];
        if flags & flag::EXTERNALIZABLE != 0 {
            return match flags & flag::BLOCK_DATA {
                0 if time => self.push(Task::Time(TimePart::Kind)),
                0 => Err(MalformedKind::Other),
                _ => self.push(Task::Annotation),
            };
        }
        if flags & flag::SERIALIZABLE == 0 {
            return Err(MalformedKind::Other);
        }
        if flags & flag::WRITE_METHOD != 0 {
            self.push(Task::Annotation)?;
        }
        self.objects(u32::from(objects))?;
        self.skip(u64::from(primitives))
    }
}
