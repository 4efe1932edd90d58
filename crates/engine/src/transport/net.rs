//! Connections with tunnels and TLS between sockets and exchanges.

use super::explain::{ConnectStage, Why, explain};
use super::layer::{Fault, Layer, Stage};
use super::stream::Stream;
use super::tunnel;
use crate::Target;
use crate::driver::{Conn, Delayed, DialFault, Dialed, Net, Pushed, Tap, TapEvent};
use crate::target::Handshake;
use std::net::IpAddr;
use std::ptr::NonNull;

/// Most plaintext that is encrypted before the kernel is asked to take it.
const SEND_BYTES: usize = 64 * 1024;

/// The connections of [`Secured`](super::Secured).
#[derive(Debug)]
pub struct SecuredNet<N> {
    /// The connections below, for as long as these may be used: set by `Secured::net` and at the beginning of each
    /// call of [`Above`](super::above::Above), which both hold the exclusive reference that it is made from.
    pub(super) below: Option<NonNull<N>>,
    pub(super) layer: Layer,
}

impl<N: Net> SecuredNet<N> {
    fn below(&mut self) -> &mut N {
        let below = self.below.expect("it is set before anybody can have a reference to this");
        // SAFETY: the pointer was made from an exclusive reference. `Secured::net` made it from its own driver, which
        // stays borrowed for as long as the reference to this that it returned lives; `Above` made it at the
        // beginning of a call from a reference that it holds to the call's end, and gives references to this away
        // within the call only. `Secured::poll` forgets what `net` made before the driver is used again. So there is
        // no other reference to the connections below, and they have not moved.
        unsafe { &mut *below.as_ptr() }
    }

    fn below_ref(&self) -> &N {
        let below = self.below.expect("it is set before anybody can have a reference to this");
        // SAFETY: as in `below`; this one is shared, and lives no longer than the reference to this.
        unsafe { &*below.as_ptr() }
    }

    pub(super) fn note(&self, conn: Conn, what: impl FnOnce() -> TapEvent) {
        if let Some(tap) = &self.layer.tap {
            tap.note(self.below_ref().now_ns(), conn, what());
        }
    }

    /// The socket is connected: the first step after that.
    pub(super) fn begin(&mut self, conn: Conn) -> Result<Stage, Fault> {
        let way = self.layer.link(conn).way;
        let Some(proxy) = self.layer.ways[way].target.transport.tunnel() else {
            return self.tunnel_established(conn);
        };
        let request = tunnel::request(proxy);
        let link = self.layer.link(conn);
        link.stage = Stage::Tunnel;
        link.backlog = request;
        match self.flush(conn) {
            Ok(()) => Ok(Stage::Tunnel),
            Err(why) => Err((ConnectStage::Tunnel, why)),
        }
    }

    /// The way to the server is free.
    pub(super) fn tunnel_established(&mut self, conn: Conn) -> Result<Stage, Fault> {
        let now_ns = self.below_ref().now_ns();
        let layer = &mut self.layer;
        let link = &mut layer.links[conn as usize];
        if layer.ways[link.way].target.transport.tunnel().is_some()
            && let Some(tap) = &layer.tap
        {
            tap.note(now_ns, conn, TapEvent::Tunnelled);
        }
        let Some(settings) = &layer.ways[link.way].settings else {
            link.stage = Stage::Established;
            return Ok(Stage::Established);
        };
        link.stage = Stage::Handshake;
        link.began_ns = now_ns;
        layer.buffers.out.clear();
        match Stream::new(settings, &mut layer.buffers.out) {
            Ok(stream) => link.stream = Some(Box::new(stream)),
            Err(error) => return Err((ConnectStage::Handshake, Why::Tls(error))),
        }
        self.send_out(conn).map_err(|why| (ConnectStage::Handshake, why))?;
        Ok(Stage::Handshake)
    }

    /// The TLS handshake is done.
    pub(super) fn shaken(&mut self, conn: Conn) {
        let now_ns = self.below_ref().now_ns();
        let link = &mut self.layer.links[conn as usize];
        link.stage = Stage::Established;
        let offered =
            self.layer.ways[link.way].target.transport.tls.as_ref().map_or(&[][..], |tls| &tls.alpn);
        if let Some(stream) = &link.stream {
            let (negotiated, resumed) = stream.agreed(offered);
            let handshake = Handshake { took_ns: now_ns - link.began_ns, resumed, negotiated };
            self.layer.shaken = Some(handshake);
            self.note(conn, || TapEvent::Secured(handshake));
        }
    }

    /// Hands the library's messages to the kernel. Bytes that it does not take wait.
    pub(super) fn send_out(&mut self, conn: Conn) -> Result<(), Why> {
        let mut out = std::mem::take(&mut self.layer.buffers.out);
        let waits = !self.layer.link(conn).backlog.is_empty();
        let pushed = if waits { Pushed::Took(0) } else { self.below().send(conn, &out) };
        if let Pushed::Took(took) = pushed {
            self.layer.link(conn).backlog.extend_from_slice(&out[took..]);
        }
        out.clear();
        self.layer.buffers.out = out;
        match pushed {
            Pushed::Took(_) | Pushed::Queued => Ok(()),
            Pushed::Reset => Err(Why::Reset),
            Pushed::Failed => Err(Why::Unsendable),
        }
    }

    /// Hands the kernel what waits. What it does not take goes on waiting, and [`Handler::writable`] will come.
    pub(super) fn flush(&mut self, conn: Conn) -> Result<(), Why> {
        let mut backlog = std::mem::take(&mut self.layer.link(conn).backlog);
        if backlog.is_empty() {
            return Ok(());
        }
        match self.below().send(conn, &backlog) {
            Pushed::Took(took) => {
                let link = self.layer.link(conn);
                link.owed_begun = link.owed > 0 && (took > 0 || link.owed_begun);
                if took < backlog.len() {
                    backlog.drain(..took);
                    link.backlog = backlog;
                }
                Ok(())
            }
            // What is owed begins when the driver reports that it left.
            Pushed::Queued => Ok(()),
            Pushed::Reset => Err(Why::Reset),
            Pushed::Failed => Err(Why::Unsendable),
        }
    }

    /// Gives up a connection that is not established.
    pub(super) fn give_up(&mut self, conn: Conn, step: ConnectStage, why: Why) -> DialFault {
        let fault = if matches!(why, Why::Reset) { DialFault::Reset } else { DialFault::Transport };
        let link = self.layer.link(conn);
        let way = link.way;
        link.reset();
        self.below().close(conn);
        self.layer.fault = Some((way, step, why));
        fault
    }

    fn send_secured(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        let mut took = 0;
        while took < bytes.len() {
            let part = &bytes[took..bytes.len().min(took + SEND_BYTES)];
            let mut out = std::mem::take(&mut self.layer.buffers.out);
            let link = self.layer.link(conn);
            let encrypted = link.stream.as_mut().is_some_and(|stream| stream.encrypt(part, &mut out).is_ok());
            let pushed = if encrypted { self.below().send(conn, &out) } else { Pushed::Failed };
            let link = self.layer.link(conn);
            let mut goes_on = true;
            if pushed == Pushed::Queued {
                took += part.len();
                link.waits = took < bytes.len();
                // Where other parts went before, the first byte has left.
                link.queued = if took == part.len() && !link.waits { took } else { 0 };
            }
            if let Pushed::Took(sent) = pushed {
                goes_on = sent == out.len();
                link.backlog.extend_from_slice(&out[sent..]);
                link.owed = if sent == 0 { part.len() } else { 0 };
                took += if sent == 0 { 0 } else { part.len() };
                link.waits = took < bytes.len();
            }
            // It serves all connections, so nothing may stay in it.
            out.clear();
            self.layer.buffers.out = out;
            match pushed {
                Pushed::Took(_) if goes_on => {}
                Pushed::Queued if self.layer.link(conn).queued > 0 => return Pushed::Queued,
                Pushed::Queued => {}
                Pushed::Took(_) => return Pushed::Took(took),
                failed => return failed,
            }
        }
        Pushed::Took(took)
    }
}

impl<N: Net> Net for SecuredNet<N> {
    #[inline]
    fn now_ns(&self) -> u64 {
        self.below_ref().now_ns()
    }

    fn cpu_ns(&self) -> u64 {
        self.below_ref().cpu_ns()
    }

    fn delayed(&self) -> Option<Delayed> {
        self.below_ref().delayed()
    }

    fn dial(&mut self, conn: Conn, to: &Target, from: Option<IpAddr>) -> Dialed {
        self.layer.forget();
        self.note(conn, || TapEvent::Dialing(to.addresses.first.clone()));
        let way = self.layer.way_to(to);
        let link = self.layer.link(conn);
        link.reset();
        link.way = way;
        link.stage = if to.transport.is_plain() { Stage::Plain } else { Stage::Connecting };
        let plain = link.stage == Stage::Plain;
        match self.below().dial(conn, to, from) {
            Dialed::Established => {
                self.note(conn, || TapEvent::Connected);
                if plain {
                    return Dialed::Established;
                }
                match self.begin(conn) {
                    Ok(_) => Dialed::Pending,
                    Err((step, why)) => Dialed::Failed(self.give_up(conn, step, why)),
                }
            }
            Dialed::Pending => Dialed::Pending,
            Dialed::Failed(fault) => {
                self.layer.link(conn).reset();
                Dialed::Failed(fault)
            }
        }
    }

    fn send(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        let secured = self.layer.link(conn).stream.is_some();
        let pushed = match self.layer.link(conn).stage {
            Stage::Plain => self.below().send(conn, bytes),
            Stage::Established if !secured => self.below().send(conn, bytes),
            Stage::Established => self.send_after_backlog(conn, bytes),
            _ => Pushed::Failed,
        };
        match pushed {
            Pushed::Took(took) => self.note(conn, || TapEvent::Sent(bytes[..took].to_vec())),
            Pushed::Queued => self.note(conn, || TapEvent::Sent(bytes.to_vec())),
            Pushed::Reset | Pushed::Failed => {}
        }
        pushed
    }

    fn close(&mut self, conn: Conn) {
        self.layer.forget();
        let link = &mut self.layer.links[conn as usize];
        let step = match link.stage {
            Stage::Tunnel => Some(ConnectStage::Tunnel),
            Stage::Handshake => Some(ConnectStage::Handshake),
            _ => None,
        };
        self.layer.fault = step.map(|step| (link.way, step, Why::Late));
        if link.stage == Stage::Established
            && link.backlog.is_empty()
            && let Some(stream) = &mut link.stream
            && !stream.peer_closed
        {
            stream.say_goodbye(&mut self.layer.buffers.out);
            // If it cannot be sent, so be it.
            let _sent = self.send_out(conn);
        }
        self.layer.link(conn).reset();
        self.below().close(conn);
    }

    fn is_connected(&self, conn: Conn) -> bool {
        matches!(self.layer.links[conn as usize].stage, Stage::Tunnel | Stage::Handshake)
    }

    fn explain(&self) -> Option<String> {
        let (way, step, why) = self.layer.fault.as_ref()?;
        Some(explain(&self.layer.ways[*way].target, *step, why))
    }

    fn handshake(&self, _conn: Conn) -> Option<Handshake> {
        self.layer.shaken
    }

    fn tap(&self) -> Option<&Tap> {
        self.layer.tap.as_deref()
    }
}

impl<N: Net> SecuredNet<N> {
    /// Sends, once everything encrypted earlier has gone.
    fn send_after_backlog(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        if self.layer.link(conn).backlog.is_empty() && self.layer.link(conn).owed == 0 {
            return self.send_secured(conn, bytes);
        }
        match self.flush(conn) {
            Ok(()) => {}
            Err(Why::Reset) => return Pushed::Reset,
            Err(_) => return Pushed::Failed,
        }
        let link = self.layer.link(conn);
        let mut took = 0;
        if std::mem::take(&mut link.owed_begun) {
            took = std::mem::take(&mut link.owed).min(bytes.len());
        }
        if !link.backlog.is_empty() || link.owed > 0 || took == bytes.len() {
            link.waits = took < bytes.len();
            return Pushed::Took(took);
        }
        match self.send_secured(conn, &bytes[took..]) {
            Pushed::Queued if took > 0 => {
                self.layer.link(conn).queued = 0;
                Pushed::Took(bytes.len())
            }
            Pushed::Took(more) => Pushed::Took(took + more),
            failed => failed,
        }
    }
}
