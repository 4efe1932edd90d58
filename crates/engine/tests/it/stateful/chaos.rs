//! A whole load in virtual time, of which an input's bytes choose everything: the plan, the network, and what the
//! servers do to each connection and each request. Whatever they choose, nothing panics, nothing hangs, and the books
//! agree with what a witness between worker and network saw. The fuzz target `worker` is this very file.

use super::witness::{Canary, Notes, Witnessed};
use proofload_engine::load::{Curve, Schedule};
use proofload_engine::{
    Arrival, Expect, Extent, Finding, Follow, KeepAlive, Launch, LoadPlan, LoadResult, MixEntry, Overflow,
    Profile, Shortage, Stage, Stretch, Target, Timeouts, Watch, launch,
};
use proofload_measure::{Outcome, OutcomeCounts, Snapshot};
use proofload_testkit::sim::{Accept, Link, Machine, Peer, Reply};
use proofload_wire::http1::RequestSpec;
use std::collections::HashMap;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;

const MS: u64 = 1_000_000;
/// With none, a server that answers at once is asked millions of times in a virtual millisecond, and what it has still to
/// say to each fills the memory.
const LATENCY_MIN_NS: u64 = 50_000;

/// Reads choices off an input; behind its end everything is 0, which is the plainest choice.
#[derive(Clone, Debug)]
pub struct Choices {
    bytes: Arc<[u8]>,
    at: usize,
    wraps: bool,
}

impl Choices {
    fn new(bytes: Arc<[u8]>, at: usize, wraps: bool) -> Self {
        Choices { bytes, at, wraps }
    }

    fn byte(&mut self) -> u8 {
        let at = if self.wraps { self.at % self.bytes.len().max(1) } else { self.at };
        self.at += 1;
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// 0 to `most`.
    fn upto(&mut self, most: u64) -> u64 {
        let wide = u64::from(self.byte()) << 8 | u64::from(self.byte());
        (wide * (most + 1)) >> 16
    }
}

/// Treats each connection and request as the input tells it to.
#[derive(Debug)]
struct Unruly {
    choices: Choices,
    inboxes: HashMap<u64, Vec<u8>>,
}

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

impl Unruly {
    /// Decides the fate of one request; the replies include the end of the connection, if any.
    fn react(&mut self, now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let at = now_ns + self.choices.upto(3 * MS);
        let mut say = |at: u64, bytes: &[u8]| replies.push((at, Reply::Bytes(bytes.to_vec())));
        match self.choices.byte() % 24 {
            0..=5 => say(at, GOOD),
            6 => say(
                at,
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n",
            ),
            7 => say(at, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            8 => say(at, b"HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n"),
            9 => say(
                at,
                b"HTTP/1.1 307 Again\r\nLocation: /\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            ),
            10 => say(at, b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno"),
            11 => say(at, b"SSH-2.0-OpenSSH_9.6\r\n"),
            12 => {}
            13 => replies.push((at, Reply::Reset)),
            14 => replies.push((at, Reply::Fin)),
            15 => {
                let cut = 1 + self.choices.upto(GOOD.len() as u64 - 2) as usize;
                say(at, &GOOD[..cut]);
                replies.push((at, if self.choices.flag() { Reply::Reset } else { Reply::Fin }));
            }
            16 => {
                say(at, GOOD);
                replies.push((at, if self.choices.flag() { Reply::Reset } else { Reply::Fin }));
            }
            17 => {
                let storm = 1 + self.choices.upto(200);
                (0..storm).for_each(|_| say(at, b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"));
                say(at + MS, GOOD);
            }
            18 => {
                let gap_ns = 1 + self.choices.upto(2 * MS);
                (0..).zip(GOOD).for_each(|(i, byte)| say(at + i * gap_ns, &[*byte]));
            }
            19 => {
                let lines = self.choices.upto(4_000) as usize;
                say(at, b"HTTP/1.1 200 OK\r\n");
                say(at, &b"X-Padding: 0123456789abcdef0123456789abcdef\r\n".repeat(lines));
                say(at, b"Content-Length: 0\r\n\r\n");
            }
            20 => say(at, &[GOOD, GOOD].concat()),
            21 => {
                say(at, GOOD);
                say(at + self.choices.upto(MS), b"unasked");
            }
            22 => say(at + 1_000 * MS, GOOD),
            _ => say(at, b"HTTP/1.1 200 OK\r\n\r\nuntil the end"),
        }
    }
}

impl Peer for Unruly {
    fn dialed(&mut self, link: u64) -> Accept {
        match self.choices.byte() % 16 {
            14 => Accept::Refuse,
            15 => Accept::Silence,
            _ => {
                self.inboxes.insert(link, Vec::new());
                Accept::Yes
            }
        }
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some(mut inbox) = self.inboxes.remove(&link) else { return };
        let first = inbox.is_empty();
        inbox.extend_from_slice(bytes);
        if first && self.choices.byte() == 255 {
            // An answer before the request has come whole.
            replies.push((now_ns, Reply::Bytes(GOOD.to_vec())));
        }
        while let Some(end) = inbox.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&inbox[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length = length.and_then(|value| value.trim().parse::<usize>().ok()).unwrap_or(0);
            if inbox.len() < end + 4 + length {
                break;
            }
            inbox.drain(..end + 4 + length);
            self.react(now_ns, replies);
        }
        self.inboxes.insert(link, inbox);
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.inboxes.remove(&link);
    }
}

fn entry(choices: &mut Choices) -> MixEntry {
    let body = [0, 0, 1, 3_000][usize::from(choices.byte() % 4)];
    let spec = RequestSpec {
        method: if body > 0 { "POST" } else { "GET" }.to_owned(),
        body: vec![b'x'; body],
        ..RequestSpec::get("server.test", "/")
    };
    let encode = |spec: &RequestSpec, close| {
        Arc::new(RequestSpec { close, ..spec.clone() }.encode().expect("the request is well formed"))
    };
    let get = RequestSpec::get("server.test", "/");
    let most = u32::from(choices.byte() % 4);
    MixEntry {
        weight: 1 + u32::from(choices.byte() % 3),
        target: 0,
        request: encode(&spec, false),
        closing_request: encode(&spec, true),
        expect: Expect { bytes: choices.flag().then_some(5..=5), ..Expect::default() },
        follow: Follow { most, as_get: Some([encode(&get, false), encode(&get, true)]), ..Follow::default() },
        digest: None,
    }
}

/// The profile, how long it goes on, and what an open loop does that lacks connections.
fn profile(choices: &mut Choices, connections: u32) -> (Profile, Extent, Shortage) {
    let think_ns = choices.upto(4 * MS) * u64::from(choices.flag());
    let rate = 50.0 + choices.upto(8_000) as f64;
    let arrival = if choices.flag() { Arrival::Poisson } else { Arrival::Constant };
    let coalesce_ns = choices.upto(MS) * u64::from(choices.flag());
    let time = Extent::DurationNs(MS + choices.upto(150 * MS));
    let count = Extent::Requests { count: 1 + choices.upto(300), cap_ns: MS + choices.upto(2_000 * MS) };
    let extent = if choices.flag() { count } else { time };
    let half = |from: f64, to: f64| Stage::Line { from, to, for_ns: 30 * MS };
    let staged = Extent::DurationNs(60 * MS);
    match choices.byte() % 6 {
        0 | 1 => (Profile::Closed { think_ns: think_ns.into() }, extent, Shortage::default()),
        2 | 3 => {
            let overflow = if choices.flag() { Overflow::Drop } else { Overflow::Queue };
            let most = choices.flag().then(|| connections + choices.upto(20) as u32);
            let shortage = Shortage { overflow, most_connections: most };
            (Profile::Open { rate_per_s: rate, arrival, coalesce_ns }, extent, shortage)
        }
        4 => {
            let stages = vec![half(0.0, rate), half(rate, rate / 2.0)];
            (Profile::OpenStages { stages, arrival, coalesce_ns }, staged, Shortage::default())
        }
        _ if choices.flag() => {
            let peak = f64::from(connections);
            let stages = vec![half(0.0, peak), half(peak, 1.0)];
            (Profile::ClosedStages { stages, think_ns: think_ns.into() }, staged, Shortage::default())
        }
        _ => {
            let loops = 1 + u32::from(choices.byte() % 9);
            let users = Profile::Users { ramp_ns: choices.upto(30 * MS), loops, think_ns: think_ns.into() };
            let count = u64::from(connections) * u64::from(loops);
            (users, Extent::Requests { count, cap_ns: 100_000 * MS }, Shortage::default())
        }
    }
}

fn plan(choices: &mut Choices) -> LoadPlan {
    let workers = 1 + u32::from(choices.byte() % 3);
    let connections = workers + choices.upto(12) as u32;
    let (profile, extent, shortage) = profile(choices, connections);
    let keep_alive = match choices.byte() % 4 {
        0 | 1 => KeepAlive::On,
        2 => KeepAlive::Off,
        _ => KeepAlive::Every(1 + u32::from(choices.byte() % 5)),
    };
    LoadPlan {
        in_flight: 1,
        targets: vec![Target::from(std::net::SocketAddr::from(([127, 0, 0, 1], 80)))],
        mix: (0..=choices.byte() % 3).map(|_| entry(choices)).collect(),
        profile,
        connections,
        keep_alive,
        timeouts: Timeouts {
            connect_ns: 2 * MS + choices.upto(50 * MS),
            response_ns: 2 * MS + choices.upto(100 * MS),
        },
        discard_ns: 0,
        extent,
        drain_ns: choices.upto(300 * MS),
        workers,
        cpus: Vec::new(),
        seed: choices.upto(1_000),
        share: (0, 1),
        asking: Default::default(),
        shortage,
        driver: Default::default(),
        settings: Default::default(),
    }
}

/// Several targets, as far as there are connections for them, and a stretch that is discarded.
fn widen(plan: &mut LoadPlan, choices: &mut Choices) {
    let weights: u32 = plan.mix.iter().map(|entry| entry.weight).sum();
    let targets = 1 + usize::from(choices.byte() % 3);
    if plan.connections >= plan.workers * weights && targets <= plan.mix.len() {
        plan.targets = vec![plan.targets[0].clone(); targets];
        plan.mix.iter_mut().enumerate().for_each(|(at, entry)| entry.target = at % targets);
    }
    if matches!(plan.profile, Profile::Open { .. } | Profile::Closed { .. }) {
        plan.discard_ns = choices.upto(40 * MS) * u64::from(choices.flag());
    }
    for target in &mut plan.targets {
        let others = 1..=choices.byte() % 4;
        let at = |at: u8| SocketAddr::from(([127, 0, 0, 1 + at], 80));
        let v6 = |at: u8| SocketAddr::from((Ipv6Addr::from(u128::from(at)), 80));
        let has_both = choices.flag();
        let other = |n: u8| if has_both && n % 2 == 1 { v6(n) } else { at(n) };
        target.addresses.others = others.map(|n| other(n).into()).collect();
    }
    if choices.flag() {
        // Long enough for a second address where the first says nothing.
        plan.timeouts.connect_ns += choices.upto(600 * MS);
    }
}

/// Everything that one input chooses.
#[derive(Debug)]
pub struct Case {
    plan: LoadPlan,
    link: Link,
    machine: Machine,
    stop_ns: Option<u64>,
    rest: Choices,
}

impl Case {
    pub fn of(input: &[u8]) -> Case {
        let bytes: Arc<[u8]> = input.into();
        let mut choices = Choices::new(Arc::clone(&bytes), 0, false);
        let mut plan = plan(&mut choices);
        let link = Link {
            latency_ns: LATENCY_MIN_NS + choices.upto(MS),
            jitter_ns: choices.upto(MS) * u64::from(choices.flag()),
            segment_max: choices.upto(2_000) as usize * usize::from(choices.flag()),
            send_room: choices.upto(500) as usize * usize::from(choices.flag()),
            drains_ns: choices.upto(MS) * u64::from(choices.flag()),
        };
        let scarce = |choices: &mut Choices| if choices.byte() > 240 { choices.upto(8) } else { u64::MAX };
        let machine = Machine {
            wakes_late_ns: choices.upto(2 * MS) * u64::from(choices.flag()),
            ports: scarce(&mut choices),
            sockets_max: scarce(&mut choices),
            ..Machine::default()
        };
        // Workers are at different instants of virtual time: only one alone is stopped at a certain one.
        let stop_ns = (plan.workers == 1 && choices.byte() > 200).then(|| choices.upto(100 * MS));
        widen(&mut plan, &mut choices);
        // Of three entries two share a name.
        if plan.mix.len() > 1 {
            plan.asking.parts = (0..plan.mix.len() as u32).map(|entry| entry % 2).collect();
        }
        let rest = Choices::new(bytes, choices.at, true);
        Case { plan, link, machine, stop_ns, rest }
    }

    fn peer(&self, worker: u32) -> Box<dyn Peer> {
        let mut choices = self.rest.clone();
        choices.at += worker as usize * 7;
        Box::new(Unruly { choices, inboxes: HashMap::new() })
    }
}

/// Runs what the input chooses and returns an error if the outcome is wrong.
///
/// # Errors
///
/// A sentence for the first law that is broken.
pub fn run(input: &[u8], canary: Canary) -> Result<LoadResult, String> {
    let case = Case::of(input);
    let watch = Arc::new(Watch::default());
    let peers = |worker| case.peer(worker);
    let drivers = Witnessed::new(
        &peers,
        case.link,
        case.machine,
        canary,
        case.stop_ns.map(|at| (at, Arc::clone(&watch))),
    );
    let mut stretches: Option<Snapshot> = None;
    let mut tell = |stretch: &Stretch<'_>| match &mut stretches {
        Some(sum) => sum.merge(stretch.snapshot),
        None => stretches = Some(stretch.snapshot.clone()),
    };
    let results = launch(
        Launch {
            start_ns: Some(50 * MS),
            each_second: Some(&mut tell),
            ..Launch::new(std::slice::from_ref(&case.plan), &watch)
        }
        .through(&drivers),
    );
    let mut result = results.map_err(|error| format!("{error}: {case:?}"))?.remove(0);
    for snapshot in std::iter::once(&result.snapshot).chain(&stretches) {
        if !snapshot.parts_add_up() {
            return Err(format!("the parts are not the whole: {:?}: {case:?}", snapshot.parts));
        }
    }
    for snapshot in std::iter::once(&mut result.snapshot).chain(&mut stretches) {
        canary.tamper(&mut snapshot.outcomes);
    }
    let notes = drivers.notes();
    laws(&case, &result, &notes, stretches.as_ref()).map_err(|broken| {
        format!("{broken}\n{:?}\n{:?}\n{case:?}", result.snapshot.outcomes, result.findings)
    })?;
    Ok(result)
}

fn law(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

fn laws(case: &Case, result: &LoadResult, notes: &Notes, told: Option<&Snapshot>) -> Result<(), String> {
    let s = &result.snapshot;
    let of = |outcome| s.outcomes.get(outcome);
    law(notes.open == 0, || format!("{} connections were never closed", notes.open))?;
    law(of(Outcome::Internal) == 0, || format!("{} internal faults", of(Outcome::Internal)))?;
    let answered = of(Outcome::Answered);
    for histogram in [&s.response_time, &s.service_time, &s.first_byte] {
        let counted = histogram.count();
        law(counted == answered, || format!("{answered} answered, {counted} counted"))?;
    }
    let needing: u64 = [Outcome::Answered, Outcome::Rejected, Outcome::Mismatch, Outcome::Unanswered]
        .into_iter()
        .map(of)
        .sum();
    law(needing <= s.sent(), || format!("{needing} ended behind a send, {} sent", s.sent()))?;
    law(s.sent() + of(Outcome::Unsent) <= s.intended(), || "more sent than intended".to_owned())?;
    let begun = notes.begun;
    // Redirects of what is discarded are not counted.
    let most = if case.plan.discard_ns > 0 { u64::MAX } else { s.sent() + s.redirects };
    law((s.sent()..=most).contains(&begun), || {
        format!("the witness saw {begun} requests begun, {} are counted", s.sent())
    })?;
    bytes_are_conserved(case, result, notes)?;
    let seconds: u64 = result.per_second.iter().sum();
    law(seconds == s.answered_in_window, || format!("{seconds} in seconds, {}", s.answered_in_window))?;
    let told = told.map(|told| Snapshot { window: s.window, ..told.clone() });
    law(told.as_ref() == Some(s), || "the stretches do not add up to the result".to_owned())?;
    law(!result.findings.iter().any(|f| matches!(f, Finding::LittlesLaw { .. })), || {
        "the ledger and the recorder disagree".to_owned()
    })?;
    expected_count(case, result)
}

fn bytes_are_conserved(case: &Case, result: &LoadResult, notes: &Notes) -> Result<(), String> {
    let s = &result.snapshot;
    let start_ns = s.window.start_ns;
    let end_ns = match case.plan.extent {
        Extent::DurationNs(_) => s.window.end_ns,
        Extent::Requests { cap_ns, .. } if result.stopped_early && case.stop_ns.is_some() => {
            s.window.end_ns.min(start_ns + cap_ns)
        }
        Extent::Requests { cap_ns, .. } => start_ns + cap_ns,
    };
    let stopped = case.stop_ns.is_some();
    for (what, crossed, counted) in
        [("sent", &notes.taken, s.bytes_sent), ("received", &notes.handed, s.bytes_received)]
    {
        let sum = |until_ns: u64| -> u64 {
            let within = crossed.iter().filter(|(at, _)| *at >= start_ns && *at < until_ns);
            within.map(|(_, bytes)| bytes).sum()
        };
        let (least, most) = (sum(end_ns), sum(end_ns + u64::from(stopped)));
        law((least..=most).contains(&counted), || {
            format!("{counted} bytes {what} are counted, the witness saw {least} to {most}")
        })?;
    }
    Ok(())
}

impl Canary {
    /// Outcomes as written by a worker that forgets an exchange it could not send, or settles one twice.
    fn tamper(self, outcomes: &mut OutcomeCounts) {
        match self {
            Canary::ForgetsTick if outcomes.get(Outcome::Unsent) > 0 => {
                let left = outcomes.iter().collect::<Vec<_>>();
                *outcomes = OutcomeCounts::default();
                for (outcome, n) in left {
                    outcomes.add_many(outcome, n - u64::from(outcome == Outcome::Unsent));
                }
            }
            Canary::SettlesTwice => outcomes.add(Outcome::Timeout),
            _ => {}
        }
    }
}

/// Number of exchanges where the plan alone determines it: ticks of the timetable in the window, up to the count.
fn expected_count(case: &Case, result: &LoadResult) -> Result<(), String> {
    if case.stop_ns.is_some() {
        return Ok(());
    }
    let plan = &case.plan;
    let schedule = match &plan.profile {
        Profile::Open { rate_per_s, arrival, .. } => Some(Schedule::new(*rate_per_s, *arrival, plan.seed)),
        Profile::OpenStages { stages, arrival, .. } => {
            Some(Schedule::staged(Curve::new(stages), *arrival, plan.seed))
        }
        _ => None,
    };
    let ticks = schedule.map(|schedule| {
        let (Extent::DurationNs(longest_ns) | Extent::Requests { cap_ns: longest_ns, .. }) = plan.extent;
        let end_ns = plan.discard_ns + longest_ns;
        let until_end = schedule.take_while(|offset_ns| *offset_ns < end_ns);
        until_end.filter(|offset_ns| *offset_ns >= plan.discard_ns).count() as u64
    });
    let intended = result.snapshot.intended();
    let expected = match (ticks, plan.extent) {
        (Some(ticks), Extent::Requests { count, .. }) => count.min(ticks),
        (Some(ticks), Extent::DurationNs(_)) => ticks,
        (None, Extent::Requests { count, .. }) if !result.stopped_early => count,
        (None, _) => return Ok(()),
    };
    law(intended == expected, || format!("{intended} intended of {expected}"))
}
