//! Events of sockets, handed up as events of the connections above them.

use super::explain::{ConnectStage, Why};
use super::layer::{Fault, Stage};
use super::net::SecuredNet;
use super::tunnel::Progress;
use crate::driver::{Close, Conn, DialFault, Handler, Net, Pushed, Sent, TapEvent};
use std::ptr::NonNull;

/// The handler of the driver below, for the handler above.
pub(super) struct Above<'a, N, H> {
    pub net: &'a mut SecuredNet<N>,
    pub handler: &'a mut H,
}

impl<N: Net, H: Handler<SecuredNet<N>>> Above<'_, N, H> {
    fn enter(&mut self, net: &mut N, conn: Conn) -> Stage {
        self.net.below = Some(NonNull::from(net));
        self.net.layer.forget();
        self.net.layer.link(conn).stage
    }

    /// Reports that the connection is established, or that a step towards it failed.
    fn conclude(&mut self, conn: Conn, step: Result<Stage, Fault>) {
        match step {
            Ok(Stage::Established) => self.handler.dialed(self.net, conn, Ok(())),
            Ok(_) => {}
            Err((step, why)) => {
                let fault = self.net.give_up(conn, step, why);
                self.handler.dialed(self.net, conn, Err(fault));
            }
        }
    }

    /// Bytes that came before the connection was established.
    fn received_early(&mut self, conn: Conn, stage: Stage, bytes: &[u8]) {
        let epoch = self.net.layer.link(conn).epoch;
        let mut bytes = bytes;
        if stage == Stage::Tunnel {
            let stage = match self.net.layer.link(conn).answer.feed(bytes) {
                Progress::Waits => return,
                Progress::Failed(fault) => Err((ConnectStage::Tunnel, Why::Tunnel(fault))),
                Progress::Established(taken) => {
                    bytes = &bytes[taken..];
                    self.net.tunnel_established(conn)
                }
            };
            let established = stage.as_ref().is_ok_and(|stage| *stage == Stage::Established);
            let failed = stage.is_err();
            self.conclude(conn, stage);
            if failed || bytes.is_empty() || self.net.layer.link(conn).epoch != epoch {
                return;
            }
            if established {
                return self.handler.received(self.net, conn, bytes);
            }
        }
        self.received_secured(conn, bytes);
    }

    /// Bytes of TLS.
    fn received_secured(&mut self, conn: Conn, bytes: &[u8]) {
        let layer = &mut self.net.layer;
        let link = &mut layer.links[conn as usize];
        let (epoch, stage) = (link.epoch, link.stage);
        let Some(stream) = &mut link.stream else { return };
        let result = stream.receive(bytes, &mut layer.buffers);
        let established = stream.established;
        let sent = if layer.buffers.out.is_empty() { Ok(()) } else { self.net.send_out(conn) };
        let lost = sent.is_err();
        let result = result.map_err(Why::Tls).and(sent);
        if stage == Stage::Handshake && established && !lost {
            self.net.shaken(conn);
            self.handler.dialed(self.net, conn, Ok(()));
            self.net.layer.shaken = None;
        }
        let mut plain = std::mem::take(&mut self.net.layer.buffers.plain);
        let link = self.net.layer.link(conn);
        if !plain.is_empty() && link.epoch == epoch && link.stage != Stage::Handshake {
            self.net.note(conn, || TapEvent::Received(plain.clone()));
            self.handler.received(self.net, conn, &plain);
        }
        plain.clear();
        self.net.layer.buffers.plain = plain;
        let Err(why) = result else { return };
        if self.net.layer.link(conn).epoch != epoch {
            return;
        }
        if self.net.layer.link(conn).stage == Stage::Handshake {
            self.conclude(conn, Err((ConnectStage::Handshake, why)));
        } else {
            let how = if lost { Close::Reset } else { Close::TlsTruncated };
            self.ended(conn, how, Some(why));
        }
    }

    /// An established connection has ended.
    fn ended(&mut self, conn: Conn, how: Close, why: Option<Why>) {
        let link = self.net.layer.link(conn);
        link.stage = Stage::Over;
        let way = link.way;
        self.net.layer.fault = why.map(|why| (way, ConnectStage::Established, why));
        self.handler.closed(self.net, conn, how);
    }
}

impl<N: Net, H: Handler<SecuredNet<N>>> Handler<N> for Above<'_, N, H> {
    fn dialed(&mut self, net: &mut N, conn: Conn, result: Result<(), DialFault>) {
        let stage = self.enter(net, conn);
        match (stage, result) {
            (_, Err(fault)) => {
                self.net.layer.link(conn).reset();
                self.handler.dialed(self.net, conn, Err(fault));
            }
            (Stage::Connecting, Ok(())) => {
                self.net.note(conn, || TapEvent::Connected);
                let begun = self.net.begin(conn);
                self.conclude(conn, begun);
            }
            (_, Ok(())) => {
                self.net.note(conn, || TapEvent::Connected);
                self.handler.dialed(self.net, conn, Ok(()));
            }
        }
    }

    fn received(&mut self, net: &mut N, conn: Conn, bytes: &[u8]) {
        match self.enter(net, conn) {
            Stage::Established if self.net.layer.link(conn).stream.is_some() => {
                self.received_secured(conn, bytes)
            }
            Stage::Plain | Stage::Established => {
                self.net.note(conn, || TapEvent::Received(bytes.to_vec()));
                self.handler.received(self.net, conn, bytes);
            }
            Stage::Over => {}
            stage => self.received_early(conn, stage, bytes),
        }
    }

    fn sent(&mut self, net: &mut N, conn: Conn, sent: Sent) {
        let stage = self.enter(net, conn);
        let link = self.net.layer.link(conn);
        let ours = link.owed > 0 || link.queued > 0;
        let failed = matches!(sent.pushed, Pushed::Reset | Pushed::Failed);
        match stage {
            Stage::Plain => self.handler.sent(self.net, conn, sent),
            Stage::Established if link.stream.is_none() => self.handler.sent(self.net, conn, sent),
            Stage::Tunnel if failed => self.conclude(conn, Err((ConnectStage::Tunnel, Why::Unsendable))),
            Stage::Handshake if failed => {
                self.conclude(conn, Err((ConnectStage::Handshake, Why::Unsendable)))
            }
            Stage::Established if failed && ours => self.handler.sent(self.net, conn, sent),
            Stage::Established if failed => self.ended(conn, Close::Reset, Some(Why::Unsendable)),
            Stage::Established if link.owed > 0 => {
                // What is in the backlog has not even been queued.
                link.owed_begun |= link.backlog.is_empty();
                if link.owed_begun && std::mem::take(&mut link.waits) {
                    self.handler.writable(self.net, conn);
                }
            }
            Stage::Established if link.queued > 0 => {
                let pushed = Pushed::Took(std::mem::take(&mut link.queued));
                self.handler.sent(self.net, conn, Sent { pushed, ..sent });
            }
            _ => {}
        }
    }

    fn writable(&mut self, net: &mut N, conn: Conn) {
        let stage = self.enter(net, conn);
        let secured = self.net.layer.link(conn).stream.is_some();
        if stage == Stage::Plain || stage == Stage::Established && !secured {
            return self.handler.writable(self.net, conn);
        }
        let step = match (stage, self.net.flush(conn)) {
            (Stage::Established, Ok(())) => {
                let link = self.net.layer.link(conn);
                if link.waits && (link.owed_begun || link.backlog.is_empty() && link.owed == 0) {
                    link.waits = false;
                    self.handler.writable(self.net, conn);
                }
                return;
            }
            (Stage::Established, Err(why)) => return self.ended(conn, Close::Reset, Some(why)),
            (Stage::Tunnel, Err(why)) => Err((ConnectStage::Tunnel, why)),
            (Stage::Handshake, Err(why)) => Err((ConnectStage::Handshake, why)),
            _ => return,
        };
        self.conclude(conn, step);
    }

    fn closed(&mut self, net: &mut N, conn: Conn, how: Close) {
        let stage = self.enter(net, conn);
        let why = if how == Close::Reset { Why::Reset } else { Why::Ended };
        match stage {
            Stage::Plain => self.handler.closed(self.net, conn, how),
            Stage::Connecting => self.conclude(conn, Err((ConnectStage::Handshake, why))),
            Stage::Tunnel => self.conclude(conn, Err((ConnectStage::Tunnel, why))),
            Stage::Handshake => self.conclude(conn, Err((ConnectStage::Handshake, why))),
            Stage::Established | Stage::Over => {
                let truncated = self.net.layer.link(conn).stream.as_ref().is_some_and(|s| !s.peer_closed);
                match (how, truncated) {
                    (Close::Fin, true) => self.ended(conn, Close::TlsTruncated, Some(why)),
                    _ => self.ended(conn, how, None),
                }
            }
        }
    }
}
