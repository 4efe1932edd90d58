//! Calls of a method on another machine, before they are encoded: the same description for every protocol.

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The interface, as Java names it: `lab.EchoService`.
    pub interface: String,
    pub method: String,
    /// Types of the parameters as Java's source has them: `java.lang.String`, `int`, `lab.Person[]`; as many as there
    /// are arguments.
    pub parameter_types: Vec<String>,
    /// Type of the result, written likewise; `void` for none. Only RMI sends it, in the method's hash.
    pub return_type: String,
    /// Version of the service; empty for none.
    pub version: String,
    /// Group of the service; empty for none.
    pub group: String,
    pub arguments: Vec<Value>,
    /// Further attachments of the call, in order.
    pub attachments: Vec<(String, String)>,
}

/// An argument, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `boolean`.
    Bool(bool),
    /// `int`; also `byte` and `short` where the parameter or field has that type.
    Int(i32),
    /// `long`.
    Long(i64),
    /// `double`; also `float` where the parameter or field has that type.
    Double(f64),
    /// `java.lang.String`.
    Text(Text),
    /// `byte[]`.
    Bytes(Vec<u8>),
    /// `java.util.Date`, in milliseconds since 1970.
    Date(i64),
    /// `java.util.ArrayList`.
    List(Vec<Value>),
    /// `java.util.HashSet`, in this order.
    Set(Vec<Value>),
    /// `java.util.HashMap`, in this order.
    Map(Vec<(Value, Value)>),
    /// A constant of an enum.
    Enum {
        /// The enum, as Java names it: `lab.Color`.
        class: String,
        /// The constant's name: `RED`.
        name: Text,
    },
    /// An object of a class.
    Object(Object),
}

impl Value {
    /// Kind of the value, for an error.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an int",
            Value::Long(_) => "a long",
            Value::Double(_) => "a double",
            Value::Text(_) => "a text",
            Value::Bytes(_) => "bytes",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Set(_) => "a set",
            Value::Map(_) => "a map",
            Value::Enum { .. } => "a constant of an enum",
            Value::Object(_) => "an object",
        }
    }
}

/// A text of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// The same in each exchange.
    Fixed(String),
    /// Another for each exchange: the value that this number means to the source of the values. It is UTF-8.
    Drawn(u16),
}

/// An object of a class that this side does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The class, as Java names it: `lab.Person`.
    pub class: String,
    /// Its `serialVersionUID`, which Java's own serialization compares.
    pub serial_version_uid: i64,
    /// The fields that the class itself declares, in the order in which they are written.
    pub fields: Vec<Field>,
    /// Its superclass with what that declares, if it has one that can be sent.
    pub extends: Option<Box<Object>>,
}

impl Object {
    /// The object and its superclasses, the nearest first.
    pub fn classes(&self) -> impl Iterator<Item = &Object> {
        std::iter::successors(Some(self), |object| object.extends.as_deref())
    }

    /// All fields: its own before those of its superclasses.
    pub fn all_fields(&self) -> impl Iterator<Item = &Field> {
        self.classes().flat_map(|object| &object.fields)
    }
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    /// Its type as Java's source has it: `int`, `java.lang.String`, `java.util.List`.
    pub ty: String,
    pub value: Value,
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(Text::Fixed(text.to_owned()))
    }
}

/// The descriptor of a type that is written as Java's source has it (JVM specification 4.3.2): `int` is `I`,
/// `java.lang.String[]` is `[Ljava/lang/String;`.
pub fn descriptor(ty: &str) -> String {
    let element = ty.trim_end_matches("[]");
    let dimensions = (ty.len() - element.len()) / 2;
    let primitive = match element {
        "boolean" => "Z",
        "byte" => "B",
        "char" => "C",
        "short" => "S",
        "int" => "I",
        "long" => "J",
        "float" => "F",
        "double" => "D",
        "void" => "V",
        _ => "",
    };
    let name =
        if primitive.is_empty() { format!("L{};", element.replace('.', "/")) } else { primitive.to_owned() };
    "[".repeat(dimensions) + &name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_descriptors_of_the_virtual_machine() {
        assert_eq!(descriptor("int"), "I");
        assert_eq!(descriptor("void"), "V");
        assert_eq!(descriptor("java.lang.String"), "Ljava/lang/String;");
        assert_eq!(descriptor("long[][]"), "[[J");
        assert_eq!(descriptor("lab.Person[]"), "[Llab/Person;");
    }
}
