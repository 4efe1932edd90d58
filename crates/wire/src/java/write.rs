//! Writes the values of calls as `java.io.ObjectOutputStream` does.

use super::error::WriteError;
use super::primitive::primitive;
use super::{FIRST_HANDLE, STREAM_HEADER, flag, tag, text};
use crate::form::Form;
use crate::{Field, Object, Placeholders, Text, Value, descriptor};
use sha1::{Digest, Sha1};
use std::collections::HashMap;

/// Most bytes that one block takes, the size of the buffer that Java's own writer has.
const BLOCK_MAX: usize = 1024;

/// Load factor at which a hash table of Java grows.
const LOAD_FACTOR: f32 = 0.75;

/// The modifiers of an array class whose elements are of a public class: public, abstract, final.
const ARRAY_MODIFIERS: u32 = 0x0411;

/// Content of a class descriptor; equal shapes share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    class: String,
    uid: i64,
    flags: u8,
    /// Name and descriptor of each field, in the order of the stream.
    fields: Vec<(String, String)>,
    /// The class above it, if that one is serializable too.
    above: Option<Box<Shape>>,
}

impl Shape {
    fn new(class: &str, uid: i64, flags: u8, fields: &[(&str, &str)]) -> Shape {
        let fields = fields.iter().map(|(name, ty)| ((*name).to_owned(), (*ty).to_owned())).collect();
        Shape { class: class.to_owned(), uid, flags, fields, above: None }
    }
}

/// Writes a stream behind the bytes that are there, and notes the places of drawn texts.
///
/// Each value is written as an object of its own: equal texts are not shared by reference, so that a receiver unpacks
/// as much as it is sent. What is shared are descriptors of classes and their types, as Java does.
#[derive(Debug)]
pub struct Writer<'a> {
    bytes: &'a mut Vec<u8>,
    places: &'a mut Placeholders,
    /// True if each descriptor carries a location that its class could be loaded from, which is null here.
    located: bool,
    next_handle: u32,
    classes: HashMap<Shape, u32>,
    types: HashMap<String, u32>,
    /// Primitives that wait for the end of their block.
    block: Vec<u8>,
}

impl<'a> Writer<'a> {
    /// Begins a stream of `java.io.ObjectOutputStream`.
    pub fn new(bytes: &'a mut Vec<u8>, places: &'a mut Placeholders) -> Self {
        bytes.extend_from_slice(&STREAM_HEADER);
        let (classes, types) = (HashMap::new(), HashMap::new());
        Writer { bytes, places, located: false, next_handle: FIRST_HANDLE, classes, types, block: Vec::new() }
    }

    /// Begins a stream of RMI, where each class descriptor carries the location of its class.
    pub fn of_rmi(bytes: &'a mut Vec<u8>, places: &'a mut Placeholders) -> Self {
        Writer { located: true, ..Writer::new(bytes, places) }
    }

    /// Appends bytes to the present block, or begins one: primitives between objects.
    pub fn block(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    /// Appends a primitive to the present block, or an object, as the type of the value's parameter has it.
    ///
    /// # Errors
    /// [`WriteError`]; the stream is not whole then.
    pub fn argument(&mut self, ty: &str, value: &Value) -> Result<(), WriteError> {
        match primitive(ty, value)? {
            Some(bytes) => self.block(bytes.as_slice()),
            None => self.object(ty, value)?,
        }
        Ok(())
    }

    /// Writes a value as an object of this type; `java.lang.Object` leaves the choice to the value.
    ///
    /// # Errors
    /// [`WriteError`]; the stream is not whole then.
    pub fn object(&mut self, ty: &str, value: &Value) -> Result<(), WriteError> {
        self.end_block();
        match value {
            Value::Null => self.bytes.push(tag::NULL),
            Value::Bool(_) | Value::Int(_) | Value::Long(_) | Value::Double(_) => self.boxed(ty, value)?,
            Value::Text(_) if ty == "java.lang.Character" => self.boxed(ty, value)?,
            Value::Text(text) => self.text(text),
            Value::Bytes(bytes) => {
                self.array("[B", bytes.len())?;
                self.bytes.extend_from_slice(bytes);
            }
            Value::Date(millis) => {
                let flags = flag::SERIALIZABLE | flag::WRITE_METHOD;
                self.instance(&Shape::new("java.util.Date", 0x686a_8101_4b59_7419, flags, &[]))?;
                self.block(&millis.to_be_bytes());
                self.end_annotation();
            }
            Value::List(values) => match ty.strip_suffix("[]") {
                Some(element) => self.elements(element, values)?,
                None => self.list(values)?,
            },
            Value::Set(values) => self.set(values)?,
            Value::Map(entries) => self.map(entries)?,
            Value::Enum { class, name } => self.constant(class, name)?,
            Value::Object(object) => self.fields(object)?,
        }
        Ok(())
    }

    /// Ends the stream: what waits in the last block is written.
    pub fn finish(mut self) {
        self.end_block();
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        for piece in block.chunks(BLOCK_MAX) {
            match u8::try_from(piece.len()) {
                Ok(len) => self.bytes.extend_from_slice(&[tag::BLOCK, len]),
                Err(_) => {
                    self.bytes.push(tag::LONG_BLOCK);
                    self.bytes.extend_from_slice(&(piece.len() as u32).to_be_bytes());
                }
            }
            self.bytes.extend_from_slice(piece);
        }
    }

    fn end_annotation(&mut self) {
        self.end_block();
        self.bytes.push(tag::END_BLOCK);
    }

    fn handle(&mut self) -> u32 {
        self.next_handle += 1;
        self.next_handle - 1
    }

    fn reference(&mut self, handle: u32) {
        self.bytes.push(tag::REFERENCE);
        self.bytes.extend_from_slice(&handle.to_be_bytes());
    }

    fn text(&mut self, text: &Text) {
        self.handle();
        match text {
            Text::Fixed(text) => {
                text::form_write(text.as_bytes(), |piece| self.bytes.extend_from_slice(piece))
            }
            Text::Drawn(draw) => self.places.push_draw(self.bytes.len(), *draw, Form::JavaText),
        }
    }

    /// A name with a length of two bytes.
    fn name(&mut self, name: &str) -> Result<(), WriteError> {
        let len = text::modified_len(name.as_bytes());
        let len = u16::try_from(len).map_err(|_| WriteError::NameTooLong(name.to_owned()))?;
        self.bytes.extend_from_slice(&len.to_be_bytes());
        text::write_modified(name.as_bytes(), |piece| self.bytes.extend_from_slice(piece));
        Ok(())
    }

    fn count(&mut self, count: usize) -> Result<(), WriteError> {
        let count = i32::try_from(count).map_err(|_| WriteError::TooManyElements)?;
        self.bytes.extend_from_slice(&count.to_be_bytes());
        Ok(())
    }

    fn class(&mut self, shape: &Shape) -> Result<(), WriteError> {
        if let Some(handle) = self.classes.get(shape) {
            self.reference(*handle);
            return Ok(());
        }
        self.bytes.push(tag::CLASS_DESC);
        self.name(&shape.class)?;
        self.bytes.extend_from_slice(&shape.uid.to_be_bytes());
        let handle = self.handle();
        self.classes.insert(shape.clone(), handle);
        self.bytes.push(shape.flags);
        let count = u16::try_from(shape.fields.len());
        let count = count.map_err(|_| WriteError::TooManyFields(shape.class.clone()))?;
        self.bytes.extend_from_slice(&count.to_be_bytes());
        for (name, ty) in &shape.fields {
            self.bytes.push(ty.as_bytes().first().copied().unwrap_or_default());
            self.name(name)?;
            if ty.len() > 1 {
                self.type_name(ty);
            }
        }
        if self.located {
            self.bytes.push(tag::NULL);
        }
        self.bytes.push(tag::END_BLOCK);
        match &shape.above {
            Some(above) => self.class(above)?,
            None => self.bytes.push(tag::NULL),
        }
        Ok(())
    }

    /// The type of a field that is an object; the same type is written once.
    fn type_name(&mut self, ty: &str) {
        if let Some(handle) = self.types.get(ty) {
            self.reference(*handle);
        } else {
            self.types.insert(ty.to_owned(), self.next_handle);
            self.text(&Text::Fixed(ty.to_owned()));
        }
    }

    /// Begins an object of this class; its fields follow.
    fn instance(&mut self, shape: &Shape) -> Result<(), WriteError> {
        self.bytes.push(tag::OBJECT);
        self.class(shape)?;
        self.handle();
        Ok(())
    }

    /// Begins an array of the class that the virtual machine names so; its elements follow.
    fn array(&mut self, class: &str, len: usize) -> Result<(), WriteError> {
        self.bytes.push(tag::ARRAY);
        self.class(&Shape::new(class, array_uid(class), flag::SERIALIZABLE, &[]))?;
        self.handle();
        self.count(len)
    }

    fn elements(&mut self, ty: &str, values: &[Value]) -> Result<(), WriteError> {
        self.array(&format!("[{}", descriptor(ty).replace('/', ".")), values.len())?;
        values.iter().try_for_each(|value| self.member(ty, value))
    }

    /// An element of an array, or a field.
    fn member(&mut self, ty: &str, value: &Value) -> Result<(), WriteError> {
        match primitive(ty, value)? {
            Some(primitive) => self.bytes.extend_from_slice(primitive.as_slice()),
            None => self.object(ty, value)?,
        }
        Ok(())
    }

    fn list(&mut self, values: &[Value]) -> Result<(), WriteError> {
        let flags = flag::SERIALIZABLE | flag::WRITE_METHOD;
        self.instance(&Shape::new("java.util.ArrayList", 0x7881_d21d_99c7_619d, flags, &[("size", "I")]))?;
        self.count(values.len())?;
        self.block(&(values.len() as u32).to_be_bytes());
        for value in values {
            self.object("java.lang.Object", value)?;
        }
        self.end_annotation();
        Ok(())
    }

    fn map(&mut self, entries: &[(Value, Value)]) -> Result<(), WriteError> {
        let flags = flag::SERIALIZABLE | flag::WRITE_METHOD;
        let fields = [("loadFactor", "F"), ("threshold", "I")];
        self.instance(&Shape::new("java.util.HashMap", 0x0507_dac1_c316_60d1, flags, &fields))?;
        let buckets = buckets(entries.len());
        self.bytes.extend_from_slice(&LOAD_FACTOR.to_be_bytes());
        // An empty one has no table yet.
        self.count(if entries.is_empty() { 0 } else { buckets / 4 * 3 })?;
        self.block(&(buckets as u32).to_be_bytes());
        self.block(&(entries.len() as u32).to_be_bytes());
        for (key, value) in entries {
            self.object("java.lang.Object", key)?;
            self.object("java.lang.Object", value)?;
        }
        self.end_annotation();
        Ok(())
    }

    fn set(&mut self, values: &[Value]) -> Result<(), WriteError> {
        let flags = flag::SERIALIZABLE | flag::WRITE_METHOD;
        self.instance(&Shape::new("java.util.HashSet", 0xba44_8595_96b8_b734_u64 as i64, flags, &[]))?;
        self.block(&(buckets(values.len()) as u32).to_be_bytes());
        self.block(&LOAD_FACTOR.to_be_bytes());
        let count = i32::try_from(values.len()).map_err(|_| WriteError::TooManyElements)?;
        self.block(&count.to_be_bytes());
        for value in values {
            self.object("java.lang.Object", value)?;
        }
        self.end_annotation();
        Ok(())
    }

    fn constant(&mut self, class: &str, name: &Text) -> Result<(), WriteError> {
        let flags = flag::SERIALIZABLE | flag::ENUM;
        let mut shape = Shape::new(class, 0, flags, &[]);
        shape.above = Some(Box::new(Shape::new("java.lang.Enum", 0, flags, &[])));
        self.bytes.push(tag::ENUM);
        self.class(&shape)?;
        self.handle();
        self.text(name);
        Ok(())
    }

    /// An object: the descriptors from its own class upwards, then the fields from the highest class downwards.
    fn fields(&mut self, object: &Object) -> Result<(), WriteError> {
        let mut shape = None;
        let mut data = Vec::new();
        let classes: Vec<&Object> = object.classes().collect();
        for object in classes.into_iter().rev() {
            let fields = in_order(object);
            shape = Some(Box::new(Shape {
                class: object.class.clone(),
                uid: object.serial_version_uid,
                flags: flag::SERIALIZABLE,
                fields: fields.iter().map(|(ty, field)| (field.name.clone(), ty.clone())).collect(),
                above: shape,
            }));
            data.extend(fields.into_iter().map(|(_, field)| field));
        }
        shape.map_or(Ok(()), |shape| self.instance(&shape))?;
        data.into_iter().try_for_each(|field| self.member(&field.ty, &field.value))
    }

    /// A number or truth value as an object of its wrapper class.
    fn boxed(&mut self, ty: &str, value: &Value) -> Result<(), WriteError> {
        let class = match (ty, value) {
            ("java.lang.Byte" | "java.lang.Short" | "java.lang.Integer" | "java.lang.Long", _)
            | ("java.lang.Float" | "java.lang.Double" | "java.lang.Character" | "java.lang.Boolean", _) => ty,
            (_, Value::Bool(_)) => "java.lang.Boolean",
            (_, Value::Int(_)) => "java.lang.Integer",
            (_, Value::Long(_)) => "java.lang.Long",
            _ => "java.lang.Double",
        };
        let (uid, primitive_type, code) = box_of(class);
        let mut shape = Shape::new(class, uid, flag::SERIALIZABLE, &[("value", code)]);
        if !matches!(code, "Z" | "C") {
            let number =
                Shape::new("java.lang.Number", 0x86ac_951d_0b94_e08b_u64 as i64, flag::SERIALIZABLE, &[]);
            shape.above = Some(Box::new(number));
        }
        self.instance(&shape)?;
        self.member(primitive_type, value)
    }
}

/// Java's order of the fields of one class: primitives before objects, by name within each. Each behind its descriptor.
fn in_order(object: &Object) -> Vec<(String, &Field)> {
    let mut fields: Vec<(String, &Field)> =
        object.fields.iter().map(|field| (descriptor(&field.ty), field)).collect();
    fields.sort_by(|(a, one), (b, other)| (a.len() > 1, &one.name).cmp(&(b.len() > 1, &other.name)));
    fields
}

/// Buckets of a table of `entries` entries, as that of `new HashMap()` grows: a power of two, filled to three quarters.
fn buckets(entries: usize) -> usize {
    let mut buckets = 16;
    while buckets / 4 * 3 < entries {
        buckets *= 2;
    }
    buckets
}

/// `serialVersionUID`, type and type code of the value of a primitive's wrapper class.
fn box_of(class: &str) -> (i64, &'static str, &'static str) {
    let (uid, ty, code): (u64, _, _) = match class {
        "java.lang.Boolean" => (0xcd20_7280_d59c_faee, "boolean", "Z"),
        "java.lang.Byte" => (0x9c4e_6084_ee50_f51c, "byte", "B"),
        "java.lang.Short" => (0x684d_3713_3460_da52, "short", "S"),
        "java.lang.Character" => (0x348b_47d9_6b1a_2678, "char", "C"),
        "java.lang.Integer" => (0x12e2_a0a4_f781_8738, "int", "I"),
        "java.lang.Long" => (0x3b8b_e490_cc8f_23df, "long", "J"),
        "java.lang.Float" => (0xdaed_c9a2_db3c_f0ec, "float", "F"),
        _ => (0x80b3_c24a_296b_fb04, "double", "D"),
    };
    (uid as i64, ty, code)
}

/// The `serialVersionUID` that Java computes for an array class of public elements (specification, 4.6). Receivers do
/// not compare it for arrays.
fn array_uid(class: &str) -> i64 {
    let mut digest = Sha1::new();
    digest.update((class.len() as u16).to_be_bytes());
    digest.update(class);
    digest.update(ARRAY_MODIFIERS.to_be_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest.finalize()[..8]);
    i64::from_le_bytes(first)
}
