//! The one contract that all protocols meet.
//!
//! The engine owns the socket; a [`Session`] owns the protocol's state of one connection. Bytes that
//! the session did not consume are handed in again by the caller together with what followed them.

use crate::{Cancelled, Close, Events, ExchangeId, Filling, Full, Outbox, Request, State};
use std::ops::RangeInclusive;

/// The protocols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// HTTP/1.1 and 1.0.
    #[default]
    Http1,
    /// AJP/1.3.
    Ajp,
    /// Hessian over HTTP/1.1; requests of [`crate::hessian::encode`].
    Hessian,
    /// JSON-RPC 2.0 over HTTP/1.1; requests of [`crate::json::encode`].
    JsonRpc,
    /// Java RMI over JRMP.
    Rmi,
    /// Dubbo.
    Dubbo,
}

impl Protocol {
    /// Codes of answers that count as success when no other is expected.
    pub fn good_codes(self) -> RangeInclusive<u16> {
        match self {
            Protocol::Http1 | Protocol::Ajp => crate::http1::GOOD_CODES,
            Protocol::Dubbo => crate::dubbo::GOOD_CODES,
        }
    }

    /// What an answer's code means, where the protocol has names instead of figures for people.
    pub fn code_name(self, code: u16) -> Option<&'static str> {
        match self {
            Protocol::Http1 | Protocol::Ajp => None,
            Protocol::Dubbo => crate::dubbo::code_name(code),
        }
    }

    /// Bytes that were sent, or received, in lines that a person can read; `None` where the bytes are text.
    pub fn describe(self, sent: bool, bytes: &[u8]) -> Option<Vec<String>> {
        match self {
            Protocol::Http1 => None,
            Protocol::Ajp => Some(crate::ajp::describe(sent, bytes)),
            Protocol::Dubbo => Some(crate::dubbo::describe(sent, bytes)),
        }
    }

    /// Whether a connection carries several exchanges at once.
    pub fn multiplexes(self) -> bool {
        match self {
            Protocol::Http1 | Protocol::Ajp => false,
            Protocol::Http1 | Protocol::Hessian | Protocol::JsonRpc => crate::http1::GOOD_CODES,
            Protocol::Http1 => crate::http1::GOOD_CODES,
            Protocol::Rmi => crate::rmi::GOOD_CODES,
            Protocol::Dubbo => true,
        }
    }
}

/// The protocol state of one connection. An enum, so that the engine's hot path has no virtual calls.
#[derive(Debug)]
#[non_exhaustive]
pub enum Session {
    /// HTTP/1.1 and 1.0.
    Http1(crate::http1::Http1),
    /// AJP/1.3.
    Ajp(crate::ajp::Ajp),
    /// Hessian over HTTP/1.1.
    Hessian(crate::rpc::Rpc<crate::hessian::Reply>),
    /// JSON-RPC 2.0 over HTTP/1.1.
    JsonRpc(crate::rpc::Rpc<crate::json::Reply>),
    /// Java RMI over JRMP.
    Rmi(crate::rmi::Rmi),
    /// Dubbo.
    Dubbo(crate::dubbo::Dubbo),
}

impl Session {
    /// A session of that protocol, with the protocol's usual limits. It carries at most `in_flight` exchanges at once,
    /// and one where its protocol answers one after the other.
    pub fn new(protocol: Protocol, in_flight: u32) -> Session {
        match protocol {
            Protocol::Http1 => Session::http1(crate::http1::Limits::default()),
            Protocol::Ajp => Session::ajp(crate::ajp::Options::default()),
            Protocol::Hessian => Session::Hessian(crate::rpc::Rpc::new(crate::http1::Limits::default())),
            Protocol::JsonRpc => Session::JsonRpc(crate::rpc::Rpc::new(crate::http1::Limits::default())),
            Protocol::Rmi => Session::rmi(crate::rmi::Limits::default()),
            Protocol::Dubbo => Session::dubbo(crate::dubbo::Limits::default(), in_flight),
        }
    }

    /// A session of HTTP/1.1 (RFC 9112); each message must keep within `limits`.
    pub fn http1(limits: crate::http1::Limits) -> Session {
        Session::Http1(crate::http1::Http1::new(limits))
    }

    /// A session of AJP/1.3.
    pub fn ajp(options: crate::ajp::Options) -> Session {
        Session::Ajp(crate::ajp::Ajp::new(options))
    /// A session of Java RMI; each answer must keep within `limits`.
    pub fn rmi(limits: crate::rmi::Limits) -> Session {
        Session::Rmi(crate::rmi::Rmi::new(limits))
    }

    /// A session of Dubbo that carries at most `in_flight` exchanges at once.
    pub fn dubbo(limits: crate::dubbo::Limits, in_flight: u32) -> Session {
        Session::Dubbo(crate::dubbo::Dubbo::new(limits, in_flight))
    }

    /// The connection is established; a session that has a handshake begins it here.
    #[inline]
    pub fn open(&mut self, now_ns: u64, out: &mut Outbox) {
        match self {
            Session::Http1(_) => {}
            Session::Ajp(ajp) => ajp.open(out),
            Session::Hessian(_) => {}
            Session::JsonRpc(_) => {}
            Session::Rmi(rmi) => rmi.open(out),
            Session::Dubbo(dubbo) => dubbo.open(now_ns),
        }
    }

    /// Starts an exchange: its request, which is encoded in this protocol, is filled in and goes to `out`.
    ///
    /// # Errors
    /// [`Full`] when the state is not `Ready` with room for one more, or `out` is over its high-water
    /// mark; nothing has changed then.
    #[inline]
    pub fn start(
        &mut self,
        request: &Request,
        filling: &Filling<'_>,
        id: ExchangeId,
        out: &mut Outbox,
    ) -> Result<(), Full> {
        match self {
            Session::Http1(http1) => http1.start(request, filling, id, out),
            Session::Ajp(ajp) => ajp.start(request, filling, id, out),
            Session::Hessian(rpc) => rpc.start(request, filling, id, out),
            Session::JsonRpc(rpc) => rpc.start(request, filling, id, out),
            Session::Rmi(rmi) => rmi.start(request, filling, id, out),
            Session::Dubbo(dubbo) => dubbo.start(request, filling, id, out),
        }
    }

    /// Starts an exchange whose request [goes as it is encoded](Request::goes_as_encoded). The caller has to send the
    /// returned bytes, all of them, before anything else.
    ///
    /// # Errors
    /// [`Full`] when the state is not `Ready` with room for one more; nothing has changed then.
    #[inline]
    pub fn start_as_encoded<'a>(&mut self, request: &'a Request, id: ExchangeId) -> Result<&'a [u8], Full> {
        match self {
            Session::Http1(http1) => http1.start_as_encoded(request, id).map(|()| request.bytes.as_slice()),
            Session::Ajp(ajp) => ajp.start_as_encoded(request, id).map(|()| request.bytes.as_slice()),
            Session::Hessian(rpc) => rpc.start_as_encoded(request, id).map(|()| request.bytes.as_slice()),
            Session::JsonRpc(rpc) => rpc.start_as_encoded(request, id).map(|()| request.bytes.as_slice()),
            Session::Rmi(rmi) => rmi.start_as_encoded(request, id).map(|()| request.bytes.as_slice()),
            Session::Dubbo(_) => Err(Full),
        }
    }

    /// Takes bytes that came from the peer and says how many were consumed. The caller keeps the rest,
    /// at most [`carry_max`](Self::carry_max) bytes, and hands it in again in front of what follows;
    /// it is not examined again then. How the bytes are split over calls makes no difference to the
    /// events. A dead session consumes everything and says nothing.
    #[inline]
    pub fn handle_bytes(
        &mut self,
        now_ns: u64,
        input: &[u8],
        out: &mut Outbox,
        events: &mut Events,
    ) -> usize {
        match self {
            Session::Http1(http1) => http1.handle_bytes(input, events),
            Session::Ajp(ajp) => ajp.handle_bytes(input, out, events),
            Session::Hessian(rpc) => rpc.handle_bytes(input, events),
            Session::JsonRpc(rpc) => rpc.handle_bytes(input, events),
            Session::Rmi(rmi) => rmi.handle_bytes(now_ns, input, out, events),
            Session::Dubbo(dubbo) => dubbo.handle_bytes(now_ns, input, out, events),
        }
    }

    /// Most bytes that [`handle_bytes`](Self::handle_bytes) leaves unconsumed.
    #[inline]
    pub fn carry_max(&self) -> usize {
        match self {
            Session::Http1(http1) => http1.carry_max(),
            Session::Ajp(_) => 0,
            Session::Hessian(rpc) => rpc.carry_max(),
            Session::JsonRpc(rpc) => rpc.carry_max(),
            Session::Rmi(_) => 0,
            Session::Ajp(_) | Session::Dubbo(_) => 0,
        }
    }

    /// The instant that [`next_deadline`](Self::next_deadline) named has come.
    #[inline]
    pub fn handle_timeout(&mut self, now_ns: u64, out: &mut Outbox, _events: &mut Events) {
        match self {
            Session::Http1(_) | Session::Ajp(_) => {}
            Session::Http1(_) => {}
            Session::Hessian(_) => {}
            Session::JsonRpc(_) => {}
            Session::Rmi(rmi) => rmi.handle_timeout(now_ns, out),
            Session::Dubbo(dubbo) => dubbo.handle_timeout(now_ns, out),
        }
    }

    /// When the session wants [`handle_timeout`](Self::handle_timeout) called, if ever.
    #[inline]
    pub fn next_deadline(&self) -> Option<u64> {
        match self {
            Session::Http1(_) | Session::Ajp(_) => None,
            Session::Http1(_) => None,
            Session::Hessian(_) => None,
            Session::JsonRpc(_) => None,
            Session::Rmi(rmi) => rmi.next_deadline(),
            Session::Dubbo(dubbo) => dubbo.next_deadline(),
        }
    }

    /// Gives an exchange up; there will be no event of its end. An id that is not in flight changes nothing.
    #[inline]
    pub fn cancel(&mut self, id: ExchangeId, _out: &mut Outbox) -> Cancelled {
        match self {
            Session::Http1(http1) => http1.cancel(id),
            Session::Ajp(ajp) => ajp.cancel(id),
            Session::Hessian(rpc) => rpc.cancel(id),
            Session::JsonRpc(rpc) => rpc.cancel(id),
            Session::Rmi(rmi) => rmi.cancel(id),
            Session::Dubbo(dubbo) => dubbo.cancel(id),
        }
    }

    /// The connection ended; each exchange in flight gets its last event. The session is
    /// dead then.
    #[inline]
    pub fn handle_close(&mut self, close: Close, events: &mut Events) {
        match self {
            Session::Http1(http1) => http1.handle_close(close, events),
            Session::Ajp(ajp) => ajp.handle_close(close, events),
            Session::Hessian(rpc) => rpc.handle_close(close, events),
            Session::JsonRpc(rpc) => rpc.handle_close(close, events),
            Session::Rmi(rmi) => rmi.handle_close(close, events),
            Session::Dubbo(dubbo) => dubbo.handle_close(close, events),
        }
    }

    /// Begins anew, on another connection, as if just made. What a layer asked it to keep of answers it goes on
    /// keeping, in the same buffers.
    pub fn renew(&mut self) {
        match self {
            Session::Http1(http1) => http1.renew(),
            Session::Ajp(ajp) => ajp.renew(),
            Session::Hessian(rpc) => rpc.renew(),
            Session::JsonRpc(rpc) => rpc.renew(),
            Session::Rmi(rmi) => rmi.renew(),
            Session::Dubbo(dubbo) => dubbo.renew(),
        }
    }

    /// What the session can carry now.
    #[inline]
    pub fn state(&self) -> State {
        match self {
            Session::Http1(http1) => http1.state(),
            Session::Ajp(ajp) => ajp.state(),
            Session::Hessian(rpc) => rpc.state(),
            Session::JsonRpc(rpc) => rpc.state(),
            Session::Rmi(rmi) => rmi.state(),
            Session::Dubbo(dubbo) => dubbo.state(),
        }
    }
}
