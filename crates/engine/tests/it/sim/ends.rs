//! Connections that the peer ends after whole answers: after how many, and whether it said so.

use super::*;
use proofload_engine::EndedByPeer;
use proofload_testkit::sim::{Accept, Front, Peer, Reply, Server};
use std::collections::HashMap;

/// Ends each connection after that many answers.
#[derive(Clone, Debug)]
struct Ends {
    after: u32,
    head: &'static str,
    answered: HashMap<u64, u32>,
}

impl Front for Ends {
    fn before(&self, _server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(self.clone())
    }
}

impl Peer for Ends {
    fn dialed(&mut self, _link: u64) -> Accept {
        Accept::Yes
    }

    fn received(&mut self, link: u64, _bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let answered = self.answered.entry(link).or_default();
        *answered += 1;
        let head = if *answered == self.after { self.head } else { "" };
        let answer = format!("HTTP/1.1 200 OK\r\n{head}Content-Length: 2\r\n\r\nok");
        replies.push((now_ns, Reply::Bytes(answer.into())));
        if *answered == self.after {
            replies.push((now_ns, Reply::Fin));
        }
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.answered.remove(&link);
    }
}

fn ended(after: u32, head: &'static str, plan: &LoadPlan) -> (EndedByPeer, LoadResult) {
    let ends = Ends { after, head, answered: HashMap::new() };
    let result = load(plan, &World::new(Server::default(), 1).behind(Arc::new(ends)));
    (result.connections.ended_by_peer, result)
}

fn few() -> LoadPlan {
    LoadPlan {
        connections: 3,
        workers: 3,
        extent: Extent::Requests { count: 120, cap_ns: SECOND },
        ..closed()
    }
}

#[test]
fn silent_ends_are_counted_with_what_their_connections_had_carried() {
    for after in [1, 4] {
        let (of, result) = ended(after, "", &few());
        assert_eq!((of.fewest, of.most), (after, after));
        let failed = count(&result, Outcome::ClosedEarly);
        assert_eq!(failed + count(&result, Outcome::Answered), 120);
        assert!(of.connections >= failed && failed > 120 / (u64::from(after) + 2), "{of:?}, {failed}");
    }
}

#[test]
fn ends_that_were_announced_or_are_our_own_are_none_of_these() {
    let none = EndedByPeer::default();
    assert_eq!(ended(2, "Connection: close\r\n", &few()).0, none);
    for keep_alive in [KeepAlive::Off, KeepAlive::Every(2)] {
        assert_eq!(ended(7, "", &LoadPlan { keep_alive, ..few() }).0, none);
    }
    assert_eq!(ended(1_000, "", &few()).0, none);
    // The first exchange of a connection is not one that it had carried.
    let (of, result) = ended(0, "", &few());
    assert_eq!((of, count(&result, Outcome::Answered)), (none, 120));
}
