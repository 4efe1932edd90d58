//! Service of a connection of the null server by a worker.

use super::{Flow, ROUND_BYTES, Serving};
use crate::clock::now_ns;
use crate::connection::{Connection, Phase};
use crate::counts::Count;
use crate::ending::Gone;
use proofload_measure::Outcome;
use rustix::io::Errno;
use std::io::IoSlice;

impl Serving {
    pub(super) fn serve_null(&mut self, conn: &mut Connection) -> Flow {
        match conn.phase {
            Phase::Draining => return self.drain(conn),
            Phase::Silent if conn.hung => return Err(Gone::ClientFin),
            Phase::Silent => return Ok(()),
            _ => {}
        }
        let mut received = 0;
        loop {
            self.send_owed(conn)?;
            if conn.owed > 0 || !conn.readable || conn.phase != Phase::Reading {
                return Ok(());
            }
            if received >= ROUND_BYTES {
                self.again.push(conn.slot);
                return Ok(());
            }
            let n = self.receive(conn)?;
            received += n;
            let Some(null) = &self.null else { return Ok(()) };
            if conn.requests == 0 && self.buffer[..n].starts_with(b"GET /__") {
                conn.null = false;
                conn.keep(&self.buffer[..n], 0);
                return self.pump(conn);
            }
            let mut ends = null.ends(&mut conn.ends, &self.buffer[..n]);
            ends = ends.min(self.close_after - conn.requests.min(self.close_after));
            conn.requests += ends;
            conn.owed = null.length(ends);
            self.cells.add(Count::Requests, ends);
            self.cells.add(Count::BytesReceived, n as u64);
            if self.log.is_some() {
                let at_ns = now_ns();
                (0..ends).for_each(|_| self.log_arrival(at_ns, conn.number, None));
            }
        }
    }

    fn send_owed(&mut self, conn: &mut Connection) -> Flow {
        let Some(null) = &self.null else { return Ok(()) };
        while conn.owed > 0 {
            let bytes = null.owed(conn.owed);
            let before = null.unfinished(conn.owed);
            let count = |n: u64| {
                self.cells.add(Count::Answered, n);
                self.cells.ended(None, Outcome::Answered, n);
            };
            let hoped = before - null.unfinished(conn.owed - bytes.len() as u64);
            count(hoped);
            let sent = conn.line.send(&conn.fd, &[IoSlice::new(bytes)]);
            let taken = sent.map_or(0, |n| n as u64);
            conn.owed -= taken;
            count((before - null.unfinished(conn.owed)).wrapping_sub(hoped));
            self.cells.add(Count::BytesSent, taken);
            match sent {
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(_) => return Err(Gone::ClientReset),
            }
        }
        if conn.requests >= self.close_after && conn.phase == Phase::Reading {
            self.close(conn)
        } else {
            Ok(())
        }
    }
}
