//! The protocol `dubbo` (Alibaba and Apache Dubbo 2.0 to 3.3): the client's session and the encoder of calls.
//!
//! A frame is a header of 16 bytes (`da bb`, flags with the serialization's number, status, a number of 64 bits, the
//! body's length) and a body in one of several serializations. Replies carry the number of their request and may come in
//! any order. Sources: `ExchangeCodec`, `DubboCodec` and the serializations of `dubbo-2.5.3`, `dubbo-2.7.23` and
//! `dubbo-3.3.6`.
//!
//! A measuring client is strict where the reference client is lenient:
//!
//! - A reply's value must end where its frame ends; a value with bytes left over, or missing, is malformed.
//! - A reply to a number that was never given out, or that was answered before, is malformed.
//! - A reply is read by the serialization that it names itself: servers up to 2.5 answer in the one they were configured
//!   with, whatever the request used. Of serializations that are not known here, only the frame is read.

mod describe;
mod draft;
mod exception;
mod fastjson;
mod fastjson2;
mod frame;
mod java;
mod jsonb;
mod native;
mod reply;
mod request;
mod session;
mod table;
mod texts;
mod told;
mod walk;

use std::ops::RangeInclusive;

pub use describe::describe;
pub use draft::EncodeError;
pub use request::{Options, encode};
pub use session::Dubbo;
pub(crate) use texts::{JsonbText, write_native};

/// Codes of answers that count as success when no other is expected: a value, or null.
pub(crate) const GOOD_CODES: RangeInclusive<u16> = 20..=20;

/// Code of an answer that is an exception which the service threw.
pub const EXCEPTION: u16 = 1;

/// Status of a reply that carries the service's result.
pub(crate) const STATUS_OK: u8 = 20;

/// Default of [`Limits::body_max`], no limit: what a frame's length, which has a sign, can tell. Of a body only as much is kept
/// as a request asks for.
pub const BODY_MAX_DEFAULT: u32 = i32::MAX as u32;

/// Default of [`Limits::heartbeat_ns`]: Dubbo's own, a minute.
pub const HEARTBEAT_NS_DEFAULT: u64 = 60_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest body of a frame in bytes; larger ones are not read.
    pub body_max: u32,
    /// Nanoseconds without a byte read, or without a byte written, after which a heartbeat is sent. After three times
    /// as long without a byte read the connection counts as dead. 0 for neither.
    pub heartbeat_ns: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { body_max: BODY_MAX_DEFAULT, heartbeat_ns: HEARTBEAT_NS_DEFAULT }
    }
}

/// Serialization of the body of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Serialization {
    /// Hessian 2.0, the default of every version.
    #[default]
    Hessian2,
    /// Dubbo's own of the versions before 2.6. Both sides must have the same classes: fields are written without names.
    Native,
    /// Java's object streams, up to 2.7.
    Java,
    /// JSON as Fastjson 1 writes it, up to 2.7: one value a line, without class names.
    FastJson,
    /// JSONB of Fastjson 2, from 3.1 on.
    FastJson2,
}

impl Serialization {
    pub const ALL: [Serialization; 5] = [
        Serialization::Hessian2,
        Serialization::Native,
        Serialization::Java,
        Serialization::FastJson,
        Serialization::FastJson2,
    ];

    /// Its number in the header's flags.
    pub fn number(self) -> u8 {
        match self {
            Serialization::Native => 1,
            Serialization::Hessian2 => 2,
            Serialization::Java => 3,
            Serialization::FastJson => 6,
            Serialization::FastJson2 => 23,
        }
    }

    /// The one with that number.
    pub fn of_number(number: u8) -> Option<Serialization> {
        Self::ALL.into_iter().find(|known| known.number() == number)
    }

    /// Its name in Dubbo's configuration.
    pub fn name(self) -> &'static str {
        match self {
            Serialization::Hessian2 => "hessian2",
            Serialization::Native => "dubbo",
            Serialization::Java => "java",
            Serialization::FastJson => "fastjson",
            Serialization::FastJson2 => "fastjson2",
        }
    }

    /// A null of its own, which is what a heartbeat carries.
    pub(crate) fn null(self) -> &'static [u8] {
        match self {
            Serialization::Hessian2 => b"N",
            Serialization::Native => &[0x94],
            Serialization::Java => &[0xac, 0xed, 0, 5, 0x77, 1, 0],
            Serialization::FastJson => b"null\n",
            Serialization::FastJson2 => &[0, 0, 0, 1, 0xaf],
        }
    }
}

/// Name of a code: those of Dubbo's `Response`, and [`EXCEPTION`].
pub fn code_name(code: u16) -> Option<&'static str> {
    Some(match code {
        EXCEPTION => "exception",
        20 => "ok",
        30 => "client timeout",
        31 => "server timeout",
        35 => "channel inactive",
        40 => "bad request",
        50 => "bad response",
        60 => "service not found",
        70 => "service error",
        80 => "server error",
        90 => "client error",
        100 => "thread pool exhausted",
        _ => return None,
    })
}
