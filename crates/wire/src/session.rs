//! The one contract that all protocols meet.
//!
//! The engine owns the socket; a [`Session`] owns the protocol's state of one connection. Bytes that
//! the session did not consume are handed in again by the caller together with what followed them.

use crate::http1::kept::Kept;
use crate::speak::Speak;
use crate::{Cancelled, Close, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;

macro_rules! protocols {
    (first $first:ident; $($(#[doc = $doc:literal])* $name:ident($session:ty),)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
        #[non_exhaustive]
        pub enum Protocol {
            $($(#[doc = $doc])* $name,)+
        }

        impl Protocol {
            pub const ALL: &[Protocol] = &[$(Protocol::$name,)+];

            /// Codes of answers that count as success when no other is expected.
            pub fn good_codes(self) -> RangeInclusive<u16> {
                match self { $(Protocol::$name => <$session as Speak>::GOOD_CODES,)+ }
            }

            /// The code of a whole answer that exceeds a limit of this crate, and may be right.
            pub fn beyond_code(self) -> Option<u16> {
                match self { $(Protocol::$name => <$session as Speak>::BEYOND_CODE,)+ }
            }

            /// Name of an answer's code, where the protocol has names instead of figures for people.
            pub fn code_name(self, code: u16) -> Option<&'static str> {
                match self { $(Protocol::$name => <$session as Speak>::code_name(code),)+ }
            }

            /// Bytes that were sent, or received, in lines that a person can read; `None` where the bytes are text.
            pub fn describe(self, sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
                match self { $(Protocol::$name => <$session as Speak>::describe(sent, bytes),)+ }
            }

            /// True if a connection carries several exchanges at once.
            pub fn multiplexes(self) -> bool {
                match self { $(Protocol::$name => <$session as Speak>::MULTIPLEXES,)+ }
            }
        }

        /// The protocol state of one connection. An enum, so that the engine's hot path has no virtual calls.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Session {
            $($(#[doc = $doc])* $name($session),)+
        }

        impl Session {
            /// A session of that protocol, with the protocol's usual limits. It carries at most `in_flight` exchanges at
            /// once, and one where its protocol answers one after the other.
            pub fn new(protocol: Protocol, in_flight: u32) -> Session {
                match protocol {
                    $(Protocol::$name => Session::$name(<$session as Speak>::with_defaults(in_flight)),)+
                }
            }

            /// The connection is established; a session that has a handshake begins it here.
            #[inline]
            pub fn open(&mut self, now_ns: u64, out: &mut Outbox) {
                match self { $(Session::$name(session) => Speak::open(session, now_ns, out),)+ }
            }

            /// Starts an exchange: its request, which is encoded in this protocol, is filled in and goes to `out`.
            ///
            /// # Errors
            /// [`Full`] when the state is not `Ready` with room for one more, or `out` is over its high-water
            /// mark; nothing has changed then.
            #[inline]
            pub fn start(&mut self, request: &Request, filling: &Filling<'_>, id: ExchangeId, out: &mut Outbox) -> Result<(), Full> {
                match self { $(Session::$name(session) => Speak::start(session, request, filling, id, out),)+ }
            }

            /// Starts an exchange whose request [goes as it is encoded](Request::goes_as_encoded). The caller has to
            /// send the returned bytes, all of them, before anything else.
            ///
            /// # Errors
            /// [`Full`] when the state is not `Ready` with room for one more; nothing has changed then.
            #[inline(always)]
            pub fn start_as_encoded<'a>(&mut self, request: &'a Request, id: ExchangeId) -> Result<&'a [u8], Full> {
                #[inline(never)]
                fn of_others(session: &mut Session, request: &Request, id: ExchangeId) -> Result<(), Full> {
                    match session { $(Session::$name(session) => Speak::start_as_encoded(session, request, id),)+ }
                }
                match self {
                    Session::$first(session) => Speak::start_as_encoded(session, request, id)?,
                    _ => of_others(self, request, id)?,
                }
                Ok(&request.bytes)
            }

            /// Takes bytes that came from the peer and returns how many were consumed. The caller keeps the rest, at
            /// most [`carry_max`](Self::carry_max) bytes, and hands it in again in front of the following ones; it is
            /// not examined again then. How the bytes are split over calls makes no difference to the events. A dead
            /// session consumes everything and reports nothing.
            #[inline]
            pub fn handle_bytes(&mut self, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
                #[inline(never)]
                fn of_others(session: &mut Session, now_ns: u64, input: &[u8], out: &mut Outbox, events: &mut Events) -> usize {
                    match session { $(Session::$name(session) => Speak::handle_bytes(session, now_ns, input, out, events),)+ }
                }
                match self {
                    Session::$first(session) => Speak::handle_bytes(session, now_ns, input, out, events),
                    _ => of_others(self, now_ns, input, out, events),
                }
            }

            /// Most bytes that [`handle_bytes`](Self::handle_bytes) leaves unconsumed.
            #[inline]
            pub fn carry_max(&self) -> usize {
                match self { $(Session::$name(session) => Speak::carry_max(session),)+ }
            }

            /// The instant that [`next_deadline`](Self::next_deadline) named has come.
            #[inline]
            pub fn handle_timeout(&mut self, now_ns: u64, out: &mut Outbox, events: &mut Events) {
                match self { $(Session::$name(session) => Speak::handle_timeout(session, now_ns, out, events),)+ }
            }

            /// Instant at which the session wants [`handle_timeout`](Self::handle_timeout) called, if ever.
            #[inline]
            pub fn next_deadline(&self) -> Option<u64> {
                #[inline(never)]
                fn of_others(session: &Session) -> Option<u64> {
                    match session { $(Session::$name(session) => Speak::next_deadline(session),)+ }
                }
                match self {
                    Session::$first(session) => Speak::next_deadline(session),
                    _ => of_others(self),
                }
            }

            /// Gives an exchange up; there will be no event of its end. An id that is not in flight changes nothing.
            #[inline]
            pub fn cancel(&mut self, id: ExchangeId, out: &mut Outbox) -> Cancelled {
                match self { $(Session::$name(session) => Speak::cancel(session, id, out),)+ }
            }

            /// The connection ended; each exchange in flight gets its last event. The session is dead then.
            #[inline]
            pub fn handle_close(&mut self, close: Close, events: &mut Events) {
                match self { $(Session::$name(session) => Speak::handle_close(session, close, events),)+ }
            }

            /// Begins anew, on another connection, as if just made. What a layer asked it to keep of answers it goes on
            /// keeping, in the same buffers.
            #[inline]
            pub fn renew(&mut self) {
                match self { $(Session::$name(session) => Speak::renew(session),)+ }
            }

            /// Number of exchanges that the session can carry now, or why none.
            #[inline]
            pub fn state(&self) -> State {
                #[inline(never)]
                fn of_others(session: &Session) -> State {
                    match session { $(Session::$name(session) => Speak::state(session),)+ }
                }
                match self {
                    Session::$first(session) => Speak::state(session),
                    _ => of_others(self),
                }
            }
        }
    };
}

protocols! {
    // Its exchanges are the cheapest, so what is added to each of them weighs most: it is told from the others before they are
    // told apart.
    first Http1;
    /// HTTP/1.1 and 1.0.
    Http1(crate::http1::Http1),
    /// AJP/1.3.
    Ajp(crate::ajp::Ajp),
    /// Hessian over HTTP/1.1; requests of [`crate::hessian::encode`].
    Hessian(crate::rpc::Rpc<crate::hessian::Reply>),
    /// JSON-RPC 2.0 over HTTP/1.1; requests of [`crate::json::encode`].
    JsonRpc(crate::rpc::Rpc<crate::json::Reply>),
    Rmi(crate::rmi::Rmi),
    Dubbo(crate::dubbo::Dubbo),
}

#[expect(clippy::derivable_impls, reason = "the macro that makes the enum knows no first among them")]
impl Default for Protocol {
    fn default() -> Self {
        Protocol::Http1
    }
}

impl Protocol {
    /// True if `kept` is all of an answer's body of that many bytes, or of the value of a call's reply.
    pub fn has_whole(self, kept: &[u8], body_bytes: u64) -> bool {
        match self {
            Protocol::Http1 | Protocol::Ajp => kept.len() as u64 >= body_bytes,
            _ => crate::json::is_whole(kept),
        }
    }
}

impl Session {
    /// Content codings of the body that came with the latest answer, as [`decoded`](crate::decoded) takes them; empty of
    /// one without, and in a protocol that has none, or undoes them itself.
    pub fn codings(&self) -> &[u8] {
        self.kept().map_or(&[], |kept| &kept.codings)
    }

    /// Keeps of each answer the first header field of each of these names, which are in lower case, up to 8 KiB of its
    /// value; in HTTP and AJP.
    pub fn keep_fields(&mut self, names: Arc<[String]>) {
        if let Some(kept) = self.kept_mut() {
            kept.keep_fields(names);
        }
    }

    /// The value of the kept field with that index in the latest answer; `None` of one without, with a longer one or
    /// with one that is folded.
    pub fn field(&self, index: usize) -> Option<&[u8]> {
        self.kept()?.field(index)
    }

    /// Keeps the values of Set-Cookie of each answer, up to 16 KiB, in HTTP and AJP.
    pub fn keep_set_cookies(&mut self) {
        if let Some(kept) = self.kept_mut() {
            kept.keep_set_cookies();
        }
    }

    /// The value that the latest answer set last for the cookie of that name, if they are kept.
    pub fn set_cookie(&self, name: &str) -> Option<&[u8]> {
        let values = self.kept()?.set_cookies().filter_map(crate::http1::name_and_value);
        values.filter(|(named, _)| *named == name.as_bytes()).last().map(|(_, value)| value)
    }

    fn kept(&self) -> Option<&Kept> {
        match self {
            Session::Http1(session) => Some(&session.kept),
            Session::Ajp(session) => Some(session.kept()),
            _ => None,
        }
    }

    fn kept_mut(&mut self) -> Option<&mut Kept> {
        match self {
            Session::Http1(session) => Some(&mut session.kept),
            Session::Ajp(session) => Some(session.kept_mut()),
            _ => None,
        }
    }

    /// A session of HTTP/1.1 (RFC 9112); each message must keep within `limits`.
    pub fn http1(limits: crate::http1::Limits) -> Session {
        Session::Http1(crate::http1::Http1::new(limits))
    }

    /// A session of AJP/1.3.
    pub fn ajp(options: crate::ajp::Options) -> Session {
        Session::Ajp(crate::ajp::Ajp::new(options))
    }

    /// A session of Java RMI.
    pub fn rmi(limits: crate::rmi::Limits) -> Session {
        Session::Rmi(crate::rmi::Rmi::new(limits))
    }

    /// A session of Dubbo that carries at most `in_flight` exchanges at once.
    pub fn dubbo(limits: crate::dubbo::Limits, in_flight: u32) -> Session {
        Session::Dubbo(crate::dubbo::Dubbo::new(limits, in_flight))
    }
}
