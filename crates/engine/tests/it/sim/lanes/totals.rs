//! Whatever a provider does to the calls of connections that carry many, each is counted once, as what the provider knows
//! it to be.

use super::provider::frame_length;
use super::*;
use proofload_testkit::sim::{Accept, Front, Link, Peer, Reply, Server};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Mutex;

const LATENCY_NS: u64 = 100_000;
const JITTER_NS: u64 = 200_000;
const RESPONSE_NS: u64 = SECOND;
/// Distance at which two events are kept on purpose, so that it is certain which the load sees first.
const APART_NS: u64 = 2 * MS;

/// Fate of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fate {
    Good,
    Threw,
    Status(u8),
    /// No answer, or one that is late.
    TimedOut,
    Closed,
    ResetFresh,
    ResetReused,
    Garbage,
}

/// Number of calls of a thousand with each fate.
#[derive(Clone, Debug)]
struct Shares {
    threw: u64,
    refused: u64,
    late: u64,
    silent: u64,
    closed: u64,
    reset: u64,
    garbage: u64,
    /// Longest time of a good answer.
    longest_ns: u64,
}

/// Known outcomes of the calls, and the other traffic on the wire.
#[derive(Clone, Debug, Default)]
struct Known {
    fates: HashMap<Fate, u64>,
    beats: u64,
}

#[derive(Clone, Debug)]
struct Unruly {
    shares: Shares,
    random: u64,
    links: HashMap<u64, Open>,
    known: Arc<Mutex<Known>>,
}

#[derive(Clone, Debug, Default)]
struct Open {
    inbox: Vec<u8>,
    /// Calls whose fates are not certain yet: the instant of the end over there, and the fate.
    pending: Vec<(u64, Fate)>,
    /// True if a call has ended before the present ones.
    used: bool,
    /// Instant at which all of it ends, and the fate.
    ends: Option<(u64, Fate)>,
    /// Number of calls that are lost with it.
    lost: u64,
}

impl Unruly {
    fn draw(&mut self, below: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.random) * u128::from(below)) >> 64) as u64
    }

    fn count(&self, fate: Fate, calls: u64) {
        *self.known.lock().unwrap().fates.entry(fate).or_default() += calls;
    }

    /// Counts the calls that have ended until then.
    fn settle(&mut self, link: u64, until_ns: u64) {
        let Some(open) = self.links.get_mut(&link) else { return };
        let (ended, pending) =
            std::mem::take(&mut open.pending).into_iter().partition(|(at_ns, _)| *at_ns <= until_ns);
        open.pending = pending;
        open.used |= !ended.is_empty();
        let ended: Vec<(u64, Fate)> = ended;
        ended.into_iter().for_each(|(_, fate)| self.count(fate, 1));
    }

    /// The fate that is drawn for a call.
    fn fate(&mut self) -> Fate {
        let mut at = self.draw(1_000);
        let Shares { threw, refused, late, silent, closed, reset, garbage, .. } = self.shares;
        for (share, fate) in [
            (threw, Fate::Threw),
            (refused, Fate::Status([40, 60, 80, 100][at as usize % 4])),
            (late + silent, Fate::TimedOut),
            (closed, Fate::Closed),
            (reset, Fate::ResetFresh),
            (garbage, Fate::Garbage),
        ] {
            match at.checked_sub(share) {
                Some(rest) => at = rest,
                None => return fate,
            }
        }
        Fate::Good
    }

    fn call(&mut self, link: u64, frame: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        self.settle(link, now_ns);
        let drawn = self.fate();
        let fate = match self.links[&link].ends {
            Some(_) if matches!(drawn, Fate::Closed | Fate::ResetFresh | Fate::Garbage) => Fate::Good,
            _ => drawn,
        };
        let wait_ns = 1 + self.draw(self.shares.longest_ns);
        let body: &[u8] = match fate {
            Fate::Closed | Fate::ResetFresh | Fate::Garbage => {
                return self.end(link, fate, now_ns, now_ns + wait_ns, replies);
            }
            Fate::TimedOut => return self.hold(link, frame, now_ns, replies),
            Fate::Good if wait_ns.is_multiple_of(2) => b"\x92",
            Fate::Good => b"\x91\x05hello",
            Fate::Threw => b"\x90C\x13java.lang.Exception\x91\x0ddetailMessage\x60\x04busy",
            _ => b"\x04busy",
        };
        let status = if let Fate::Status(status) = fate { status } else { 20 };
        replies.push((now_ns + wait_ns, answer(frame, status, body)));
        if wait_ns.is_multiple_of(16) {
            replies.push((
                now_ns + wait_ns / 2,
                Reply::Bytes(b"\xda\xbb\xe2\0\0\0\0\0\0\0\0\x07\0\0\0\x01N".to_vec()),
            ));
            self.known.lock().unwrap().beats += u64::from(self.links[&link].ends.is_none());
        }
        self.pend(link, now_ns + wait_ns, fate);
    }

    /// Notes a call; one that comes to its end only after its connection has that one's fate.
    fn pend(&mut self, link: u64, at_ns: u64, fate: Fate) {
        let open = self.links.get_mut(&link).unwrap();
        match open.ends {
            Some((end_ns, _)) if at_ns >= end_ns => open.lost += 1,
            _ => open.pending.push((at_ns, fate)),
        }
    }

    /// A call is answered too late, or not at all.
    fn hold(&mut self, link: u64, frame: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let late = self.draw(self.shares.late + self.shares.silent) < self.shares.late;
        if late {
            let at_ns = now_ns + RESPONSE_NS + 10 * MS + self.draw(RESPONSE_NS);
            replies.push((at_ns, answer(frame, 20, b"\x92")));
        }
        // It was sent a latency ago, and the end of a connection takes as long to be seen.
        self.pend(link, now_ns + RESPONSE_NS - 2 * LATENCY_NS, Fate::TimedOut);
    }

    /// The connection ends with all that is unanswered then.
    fn end(&mut self, link: u64, fate: Fate, now_ns: u64, at_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let mut at_ns = at_ns;
        let open = &self.links[&link];
        let close_to = |at_ns: u64| {
            let mut pending = open.pending.iter().filter(|(_, fate)| *fate == Fate::TimedOut);
            pending.any(|(end_ns, _)| end_ns.abs_diff(at_ns) < APART_NS)
        };
        while close_to(at_ns) {
            at_ns += APART_NS;
        }
        self.settle(link, now_ns);
        let open = self.links.get_mut(&link).unwrap();
        let (first, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut open.pending).into_iter().partition(|(end_ns, _)| *end_ns <= at_ns);
        open.pending = first;
        open.ends = Some((at_ns, fate));
        open.lost = rest.len() as u64 + 1;
        let reply = match fate {
            Fate::Closed => Reply::Fin,
            Fate::Garbage => Reply::Bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
            _ => Reply::Reset,
        };
        replies.push((at_ns, reply));
    }

    /// Calls within these bytes, of which the last may be in part.
    fn frames(&mut self, link: u64, bytes: &[u8], mut each: impl FnMut(&mut Self, &[u8])) {
        let mut inbox = std::mem::take(&mut self.links.get_mut(&link).unwrap().inbox);
        inbox.extend_from_slice(bytes);
        let mut rest = inbox.as_slice();
        while let Some(length) = frame_length(rest).filter(|length| *length <= rest.len()) {
            // Heartbeats, and answers to them, are not calls.
            if rest[2] & 0x20 == 0 {
                each(self, &rest[..length]);
            }
            rest = &rest[length..];
        }
        self.links.get_mut(&link).unwrap().inbox = rest.to_vec();
    }
}

fn answer(call: &[u8], status: u8, body: &[u8]) -> Reply {
    let length = (body.len() as u32).to_be_bytes();
    Reply::Bytes([&[0xda, 0xbb, 2, status], &call[4..12], &length, body].concat())
}

impl Front for Unruly {
    fn before(&self, _server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(self.clone())
    }
}

impl Peer for Unruly {
    fn dialed(&mut self, link: u64) -> Accept {
        self.links.insert(link, Open::default());
        Accept::Yes
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        self.frames(link, bytes, |this, frame| this.call(link, frame, now_ns, replies));
    }

    fn lost(&mut self, link: u64, bytes: &[u8], _reset: bool) {
        self.frames(link, bytes, |this, _| this.links.get_mut(&link).unwrap().lost += 1);
    }

    fn closed(&mut self, link: u64) {
        self.settle(link, u64::MAX);
        let Some(Open { ends: Some((_, fate)), used, lost, .. }) = self.links.remove(&link) else { return };
        let is_reused = fate == Fate::ResetFresh && used;
        self.count(if is_reused { Fate::ResetReused } else { fate }, lost);
    }
}

fn agree(plan: &LoadPlan, shares: &Shares, link: Link) -> u64 {
    let known = Arc::new(Mutex::new(Known::default()));
    let unruly = Unruly {
        shares: shares.clone(),
        random: plan.seed,
        links: HashMap::new(),
        known: Arc::clone(&known),
    };
    let world = World::new(Server::default(), plan.seed).with_link(link).behind(Arc::new(unruly));
    let result = load(plan, &world);
    let known = known.lock().unwrap().clone();
    let knows = |fate| known.fates.get(&fate).copied().unwrap_or(0);
    let statuses = [40, 60, 80, 100].map(|status| (u16::from(status), knows(Fate::Status(status))));
    let refused: u64 = statuses.iter().map(|(_, count)| count).sum();
    for (outcome, count) in [
        (Outcome::Answered, knows(Fate::Good)),
        (Outcome::Rejected, knows(Fate::Threw) + refused),
        (Outcome::Timeout, knows(Fate::TimedOut)),
        (Outcome::ClosedEarly, knows(Fate::Closed)),
        (Outcome::ResetFresh, knows(Fate::ResetFresh)),
        (Outcome::ResetReused, knows(Fate::ResetReused)),
        (Outcome::Malformed, knows(Fate::Garbage)),
    ] {
        assert_eq!(self::count(&result, outcome), count, "{outcome:?} {:?} {known:?}", outcomes(&result));
    }
    let all: u64 = known.fates.values().sum();
    assert_eq!(result.snapshot.intended(), all, "{:?} {known:?}", outcomes(&result));
    let mut codes = vec![(1, knows(Fate::Threw)), (20, knows(Fate::Good))];
    codes.extend(statuses);
    codes.retain(|(_, count)| *count > 0);
    assert_eq!(result.snapshot.codes.iter().collect::<Vec<_>>(), codes);
    all
}

/// Many connections with ten in flight on each, and time for every call to end.
fn plan(connections: u32, profile: Profile, extent: Extent, seed: u64) -> LoadPlan {
    LoadPlan {
        profile,
        extent,
        seed,
        timeouts: Timeouts { connect_ns: SECOND, response_ns: RESPONSE_NS },
        drain_ns: 100_000 * SECOND,
        ..dubbo_plan(connections, 10)
    }
}

fn link(segment_max: usize) -> Link {
    Link { latency_ns: LATENCY_NS, jitter_ns: JITTER_NS, segment_max, ..Link::default() }
}

fn shares() -> impl Strategy<Value = Shares> {
    let fates = proptest::collection::vec(0u64..40, 4);
    let ends = proptest::collection::vec(0u64..8, 3);
    (fates, ends, 1u64..100).prop_map(|(fates, ends, longest_ms)| Shares {
        threw: fates[0],
        refused: fates[1],
        late: fates[2] / 4,
        silent: fates[3] / 4,
        closed: ends[0],
        reset: ends[1],
        garbage: ends[2],
        longest_ns: longest_ms * MS,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn totals_of_many_in_flight_reconcile_kind_by_kind(
        shares in shares(),
        rate_per_s in proptest::option::of(1_000f64..20_000.0),
        segment_max in prop_oneof![Just(0usize), 1usize..40],
        seed: u64,
    ) {
        let profile = rate_per_s.map_or(closed().profile, |rate_per_s| open(rate_per_s).profile);
        let extent = Extent::DurationNs(100 * MS);
        agree(&plan(64, profile, extent, seed), &shares, link(segment_max));
    }
}

fn some_of_all() -> Shares {
    Shares {
        threw: 20,
        refused: 20,
        late: 3,
        silent: 3,
        closed: 1,
        reset: 1,
        garbage: 1,
        longest_ns: 20 * MS,
    }
}

#[test]
fn ten_thousand_calls_with_every_fault_reconcile() {
    let extent = Extent::Requests { count: 10_000, cap_ns: 100_000 * SECOND };
    let all = agree(&plan(64, closed().profile, extent, 7), &some_of_all(), link(0));
    assert_eq!(all, 10_000);
}

#[test]
#[ignore = "full: a million calls"]
fn a_million_calls_with_every_fault_reconcile() {
    let extent = Extent::Requests { count: 1_000_000, cap_ns: 100_000 * SECOND };
    let all = agree(&plan(64, closed().profile, extent, 42), &some_of_all(), link(0));
    assert_eq!(all, 1_000_000);
}
