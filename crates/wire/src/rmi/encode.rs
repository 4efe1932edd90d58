//! Encodes calls.

use super::{UID_LEN, message};
use crate::java::{WriteError, Writer, width};
use crate::{Call, Expectation, Field, Object, Placeholders, Request, Value, descriptor};
use sha1::{Digest, Sha1};

/// Lease that a client asks for on remote objects, in milliseconds: as Java's own client.
pub const LEASE_MS: i64 = 600_000;

/// Kept length of the answer to a lookup: a stub is a few hundred bytes, with a socket factory some more.
const LOOKUP_KEPT: usize = 64 * 1024;

/// Number and hash of the registry's interface, as its stub of JDK 1.2 and later has them.
const LOOKUP_OPERATION: i32 = 2;
const REGISTRY_HASH: i64 = 0x4415_4dc9_d4e6_3bdf;

/// Number and hash of the distributed garbage collector's interface.
const DIRTY_OPERATION: i32 = 1;
const COLLECTOR_HASH: i64 = 0xf6b6_898d_8bf2_8643_u64 as i64;

/// The object number of the distributed garbage collector.
const COLLECTOR: ObjectId = ObjectId { num: 2, uid: Uid { unique: 0, time: 0, count: 0 } };

/// The operation number for a call whose hash names the method.
const BY_HASH: i32 = -1;

/// Identifies a virtual machine, or something that it made (`java.rmi.server.UID`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uid {
    /// Number of the virtual machine on its host.
    pub unique: i32,
    /// Milliseconds since 1970 when that machine began to count.
    pub time: i64,
    /// Count among those of the same time.
    pub count: i16,
}

/// Identifies a remote object in its virtual machine (`java.rmi.server.ObjID`). The default is the registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectId {
    pub num: i64,
    /// The space that the number counts in.
    pub uid: Uid,
}

/// Identifies a client's virtual machine (`java.rmi.dgc.VMID`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vm {
    /// Eight bytes in place of its host.
    pub host: Vec<u8>,
    /// The machine on that host.
    pub uid: Uid,
}

/// Reason for which a call cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Each argument needs the type of its parameter.
    #[error("{arguments} arguments for {parameters} parameters")]
    Count {
        /// Number of parameters of the method.
        parameters: usize,
        /// Number of arguments of the call.
        arguments: usize,
    },
    /// An argument cannot be written.
    #[error("argument {number}: {error}")]
    Argument {
        /// Its number, from 1.
        number: usize,
        /// The cause.
        error: WriteError,
    },
}

/// Expected result, for the session: the bytes of a primitive result, 0 for `void`, with the code of its type in the second
/// byte; or one of these.
pub(crate) const OBJECT: u32 = 16;
/// An object that refers to remote ones; its arrival is confirmed.
pub(crate) const REMOTE: u32 = 17;
/// Not an answer to a call but to a ping.
pub(crate) const PING: u32 = 18;

/// The descriptor of a method with these parameters and this result, each written as Java's source has it:
/// `(Ljava/lang/String;I)V`.
pub fn method_descriptor(parameter_types: &[String], return_type: &str) -> String {
    let parameters: String = parameter_types.iter().map(|ty| descriptor(ty)).collect();
    format!("({parameters}){}", descriptor(return_type))
}

/// The hash that names a method of a remote interface (RMI specification, 8.3): the first 8 bytes of the SHA-1 of name
/// and descriptor, the lowest byte first.
pub fn method_hash(name: &str, descriptor: &str) -> i64 {
    let mut digest = Sha1::new();
    digest.update(((name.len() + descriptor.len()) as u16).to_be_bytes());
    digest.update(name);
    digest.update(descriptor);
    let mut first = [0; 8];
    first.copy_from_slice(&digest.finalize()[..8]);
    i64::from_le_bytes(first)
}

/// Encodes a call of a method of a remote interface on the object `object`.
///
/// # Errors
/// [`CallError`].
pub fn encode(call: &Call, object: &ObjectId) -> Result<Request, CallError> {
    let (parameters, arguments) = (call.parameter_types.len(), call.arguments.len());
    if parameters != arguments {
        return Err(CallError::Count { parameters, arguments });
    }
    let hash = method_hash(&call.method, &method_descriptor(&call.parameter_types, &call.return_type));
    let arguments: Vec<(&str, &Value)> =
        call.parameter_types.iter().map(String::as_str).zip(&call.arguments).collect();
    request(object, BY_HASH, hash, &arguments, result_of(&call.return_type))
}

/// Encodes the registry's lookup of a name. The body of the answer is what [`parse_lookup`](super::parse_lookup) reads.
///
/// # Errors
/// None as long as a text can be written.
pub fn lookup(name: &str) -> Result<Request, CallError> {
    let name = Value::from(name);
    let arguments = [("java.lang.String", &name)];
    let request = request(&ObjectId::default(), LOOKUP_OPERATION, REGISTRY_HASH, &arguments, REMOTE)?;
    Ok(Request { keep_body: LOOKUP_KEPT, ..request })
}

/// Encodes the call that tells a server that a client uses these objects of it, which then live for `lease_ms` at
/// least. A server that refers to them itself does not need it. Each further one has a higher `sequence`. Without `vm`
/// the server makes one up and returns it.
///
/// # Errors
/// More objects than an array can have.
pub fn dirty(
    objects: &[ObjectId],
    sequence: i64,
    lease_ms: i64,
    vm: Option<&Vm>,
) -> Result<Request, CallError> {
    let objects = Value::List(objects.iter().map(|object| object_value(*object)).collect());
    let vm = vm.map_or(Value::Null, |vm| {
        let uid = field("uid", "java.rmi.server.UID", uid_value(vm.uid));
        object(
            "java.rmi.dgc.VMID",
            0xf886_5baf_a4a5_6db6,
            [field("addr", "byte[]", Value::Bytes(vm.host.clone())), uid],
        )
    });
    let fields = [field("value", "long", Value::Long(lease_ms)), field("vmid", "java.rmi.dgc.VMID", vm)];
    let lease = object("java.rmi.dgc.Lease", 0xb0b5_e266_0c4a_dc34, fields);
    let sequence = Value::Long(sequence);
    let arguments =
        [("java.rmi.server.ObjID[]", &objects), ("long", &sequence), ("java.rmi.dgc.Lease", &lease)];
    request(&COLLECTOR, DIRTY_OPERATION, COLLECTOR_HASH, &arguments, OBJECT)
}

/// Encodes a ping: whether the server still answers on this connection.
pub fn ping() -> Request {
    whole(vec![message::PING], Placeholders::default(), PING)
}

fn field(name: &str, ty: &str, value: Value) -> Field {
    Field { name: name.to_owned(), ty: ty.to_owned(), value }
}

fn object(class: &str, uid: u64, fields: impl Into<Vec<Field>>) -> Value {
    let (class, serial_version_uid) = (class.to_owned(), uid as i64);
    Value::Object(Object { class, serial_version_uid, fields: fields.into(), extends: None })
}

fn uid_value(uid: Uid) -> Value {
    let fields = [
        field("count", "short", Value::Int(i32::from(uid.count))),
        field("time", "long", Value::Long(uid.time)),
        field("unique", "int", Value::Int(uid.unique)),
    ];
    object("java.rmi.server.UID", 0x0f12_700d_bf36_4f12, fields)
}

fn object_value(id: ObjectId) -> Value {
    let space = field("space", "java.rmi.server.UID", uid_value(id.uid));
    object(
        "java.rmi.server.ObjID",
        0xa75e_fa12_8ddc_e55c,
        [field("objNum", "long", Value::Long(id.num)), space],
    )
}

/// Form in which a result of this type comes.
fn result_of(ty: &str) -> u32 {
    match *descriptor(ty).as_bytes() {
        [b'V'] => 0,
        [code] => u32::from(width(code).unwrap_or(0)) | u32::from(code) << 8,
        _ => OBJECT,
    }
}

/// An object's identifier as calls and references have it.
fn id_bytes(id: &ObjectId) -> [u8; 8 + UID_LEN] {
    let mut bytes = [0; 8 + UID_LEN];
    bytes[..8].copy_from_slice(&id.num.to_be_bytes());
    bytes[8..12].copy_from_slice(&id.uid.unique.to_be_bytes());
    bytes[12..20].copy_from_slice(&id.uid.time.to_be_bytes());
    bytes[20..].copy_from_slice(&id.uid.count.to_be_bytes());
    bytes
}

fn request(
    object: &ObjectId,
    operation: i32,
    hash: i64,
    arguments: &[(&str, &Value)],
    result: u32,
) -> Result<Request, CallError> {
    let (mut bytes, mut places) = (vec![message::CALL], Placeholders::default());
    let mut writer = Writer::of_rmi(&mut bytes, &mut places);
    writer.block(&id_bytes(object));
    writer.block(&operation.to_be_bytes());
    writer.block(&hash.to_be_bytes());
    for (at, (ty, value)) in arguments.iter().enumerate() {
        let written = writer.argument(ty, value);
        written.map_err(|error| CallError::Argument { number: at + 1, error })?;
    }
    writer.finish();
    Ok(whole(bytes, places, result))
}

fn whole(bytes: Vec<u8>, places: Placeholders, result: u32) -> Request {
    let expectation = Expectation(result);
    Request { bytes, places, closes: false, keep_body: 0, by_session: false, expectation }
}

/// Message of the client once the server has acknowledged the protocol: the name that the server sees it by, and port
/// 0, for it accepts no connections.
pub(crate) fn endpoint(host: &[u8], mut put: impl FnMut(&[u8])) {
    put(&(host.len() as u16).to_be_bytes());
    put(host);
    put(&[0; 4]);
}
