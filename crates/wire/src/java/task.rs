//! Tasks of the walker, and its knowledge of classes.

use super::time::TimePart;

pub(crate) const NONE: u32 = u32::MAX;

/// Facts of a class that walking needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    pub handle: u32,
    pub flags: u8,
    /// Type code of the elements of an array, 0 for a class that is none.
    pub element: u8,
    /// True if it writes the values of `java.time`.
    pub time: bool,
    /// True once its descriptor has ended.
    pub whole: bool,
    /// Number of classes above it.
    pub depth: u16,
    pub objects: u16,
    /// Bytes of its primitive fields.
    pub primitives: u32,
    pub above: u32,
}

/// Next thing to be done; the last of the stack first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    /// An element on its own: a block, an object, or a reset before it.
    Element,
    Object,
    Objects(u32),
    /// A string or a reference to one.
    Name,
    /// Blocks and objects up to the end tag.
    Annotation,
    Skip(u64),
    Length8,
    Length16,
    Length32,
    Length64,
    /// A class descriptor, or a reference to one, or null.
    Desc,
    ClassName,
    ClassNameStart,
    ClassHead,
    Fields {
        class: u32,
        left: u16,
    },
    Proxy,
    Names(u32),
    /// The descriptor of the class above this one.
    Above(u32),
    EndClass(u32),
    NewObject,
    NewArray,
    NewEnum,
    NewClass,
    /// The fields of this class, and what it wrote beyond them.
    Data(u32),
    ArraySize(u32),
    Time(TimePart),
}

/// Number of bytes that a task must have before it can be done.
#[inline]
pub(crate) fn wanted(task: Task) -> usize {
    match task {
        Task::Element | Task::Object | Task::Name | Task::Annotation | Task::Desc | Task::Length8 => 1,
        Task::Time(part) => usize::from(!matches!(part, TimePart::Bytes(_) | TimePart::Text)),
        Task::Length16 | Task::ClassName | Task::ClassNameStart => 2,
        Task::Fields { left: 1.., .. } => 3,
        Task::Length32 | Task::Proxy | Task::ArraySize(_) | Task::EndClass(NONE) => 4,
        Task::Length64 => 8,
        Task::ClassHead => 11,
        _ => 0,
    }
}
