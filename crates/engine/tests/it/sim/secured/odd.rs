//! Bytes that no server should send: whatever they are, each exchange comes to one outcome, and nothing panics.

use super::loads::{count, load, plan, scripted};
use super::*;
use proofload_measure::Outcome;
use proofload_testkit::sim::{Link, ScriptStep, Server, World};
use proofload_testkit::tls::{TLS12, TLS13};
use proptest::prelude::*;

/// Changes one byte of what a server sends on each connection, or ends the connection there.
#[derive(Clone, Debug)]
struct Spoiling {
    front: TlsFront,
    at: usize,
    /// Value added to the byte; 0 ends the connection before it.
    by: u8,
}

impl Front for Spoiling {
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer> {
        let server = self.front.before(server);
        Box::new(SpoilingServer { spoiling: self.clone(), server, sent: HashMap::new() })
    }
}

#[derive(Debug)]
struct SpoilingServer {
    spoiling: Spoiling,
    server: Box<dyn Peer>,
    sent: HashMap<u64, usize>,
}

impl Peer for SpoilingServer {
    fn dialed(&mut self, link: u64) -> Accept {
        self.server.dialed(link)
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let mut good = Vec::new();
        self.server.received(link, bytes, now_ns, &mut good);
        let sent = self.sent.entry(link).or_default();
        for (at_ns, reply) in good {
            let Reply::Bytes(mut bytes) = reply else {
                replies.push((at_ns, reply));
                continue;
            };
            let place = self.spoiling.at.checked_sub(*sent).filter(|place| *place < bytes.len());
            *sent += bytes.len();
            match place {
                Some(place) if self.spoiling.by == 0 => {
                    bytes.truncate(place);
                    replies.extend([(at_ns, Reply::Bytes(bytes)), (at_ns, Reply::Fin)]);
                    return;
                }
                Some(place) => bytes[place] = bytes[place].wrapping_add(self.spoiling.by),
                None => {}
            }
            replies.push((at_ns, Reply::Bytes(bytes)));
        }
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.sent.remove(&link);
        self.server.closed(link);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_spoiled_byte_anywhere_ends_in_an_outcome(
        at in 0usize..3_000, by in 0u8.., segment_max in 0usize..200, newer in any::<bool>(),
    ) {
        let version = if newer { &TLS13 } else { &TLS12 };
        let front = TlsFront::new(&Speaks { versions: vec![version], ..Speaks::default() });
        let world = World::new(Server { body_bytes: 700, ..Server::default() }, 7)
            .with_link(Link { segment_max, ..Link::default() })
            .behind(Arc::new(Spoiling { front, at, by }));
        let result = load(&plan(24), &world);
        prop_assert_eq!(result.snapshot.outcomes.total(), 24);
        // A record that was changed is never taken for an answer.
        prop_assert_eq!(count(&result, Outcome::Malformed) + count(&result, Outcome::Mismatch), 0);
        prop_assert_eq!(count(&result, Outcome::Internal), 0);
    }

    #[test]
    fn any_bytes_instead_of_a_handshake_end_in_an_outcome(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        head in prop_oneof![Just(vec![]), Just(vec![22, 3, 3, 0, 80, 2, 0, 0, 76, 3, 3]), Just(vec![21, 3, 3, 0, 2])],
        fin in any::<bool>(),
    ) {
        let mut script = vec![ScriptStep::Await(1), ScriptStep::Send([head, bytes].concat())];
        if fin {
            script.push(ScriptStep::Fin);
        }
        let result = load(&plan(6), &scripted(None, script));
        prop_assert_eq!(result.snapshot.outcomes.total(), 6);
        prop_assert_eq!(count(&result, Outcome::Answered) + count(&result, Outcome::Internal), 0);
        prop_assert!(!result.bad_answers.is_empty());
    }
}
