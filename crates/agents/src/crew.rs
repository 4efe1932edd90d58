//! The agents of a coordinator, one by one: what they say, what time they have, and what each is dealt.

use crate::deadline::Deadline;
use crate::link::{Heard, Sender};
use crate::member::{Event, Member};
use crate::message::{FromAgent, ToAgent, message};
use proofload_engine::{EngineError, LoadPlan, lead_ns};
use std::ops::RangeInclusive;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// So many pings, of which the quickest tells the time best.
const PINGS: u32 = 30;
/// How long all pings of all agents may take.
const PINGING: Duration = Duration::from_secs(30);
/// How long agents may take until they have what they are to carry out.
const READY: Duration = Duration::from_secs(60);
/// Between two looks at what nobody wakes us for.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// From when the last agent has its plan to the first instant, besides what it needs itself and what the way takes: this
/// part of a load's length within these bounds. An agent that is not ready by then is an error.
const MARGIN_PART: u64 = 20;
const MARGIN_NS: RangeInclusive<u64> = 20_000_000..=250_000_000;

/// All agents, by their numbers.
#[derive(Debug)]
pub(crate) struct Crew {
    pub members: Vec<Member>,
    pub connections: Vec<u64>,
    pub out: Vec<Sender>,
    pub events: Receiver<Event>,
    /// Whoever was lost, and why: nobody goes on without them.
    pub lost: Option<(usize, String)>,
}

/// What an agent says, with the instants of the connection.
pub(crate) enum Said {
    /// The ping left.
    Left { at_ns: u64 },
    /// A message came.
    Message { at_ns: u64, message: FromAgent },
}

impl Crew {
    pub fn tell_all(&self, message: &ToAgent) {
        self.out.iter().for_each(|out| {
            let _ = out.send(message);
        });
    }

    /// The next that an agent says, and its place; `None` when nothing was said for a while.
    pub fn hear(&mut self, wait: Duration) -> Result<Option<(usize, Said)>, EngineError> {
        if let Some((_, lost)) = &self.lost {
            return Err(EngineError::Share(lost.clone()));
        }
        let (from, heard) = match self.events.recv_timeout(wait) {
            Ok(Event::Heard { from, heard }) => (from, heard),
            Ok(Event::Joined(newcomer)) => {
                let _ = newcomer.out.send(&ToAgent::Refused("all agents are there already".to_owned()));
                return Ok(None);
            }
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(EngineError::Share("nobody listens".to_owned()));
            }
        };
        let Some(place) = self.connections.iter().position(|connection| *connection == from) else {
            return Ok(None);
        };
        match heard {
            Heard::Left { at_ns } => Ok(Some((place, Said::Left { at_ns }))),
            Heard::Frame { at_ns, bytes } => match message(&bytes) {
                Ok(FromAgent::Alive) => Ok(None),
                Ok(message) => Ok(Some((place, Said::Message { at_ns, message }))),
                Err(error) => Err(self.lose(place, &format!("it speaks otherwise: {error}"))),
            },
            Heard::Lost(why) => Err(self.lose(place, &why)),
        }
    }

    pub fn lose(&mut self, place: usize, why: &str) -> EngineError {
        let lost = format!("{} is lost: {why}", self.members[place].name());
        self.lost = Some((place, lost.clone()));
        EngineError::Share(lost)
    }

    /// Asks all agents what time it is.
    pub fn set_clocks(&mut self) -> Result<(), EngineError> {
        let mut asked: Vec<(u32, u64)> = vec![(0, 0); self.members.len()];
        self.members.iter_mut().for_each(|member| member.round_trip_ns = u64::MAX);
        for out in &self.out {
            let _ = out.send_stamped(&ToAgent::Ping);
        }
        let pinging = Deadline::after(PINGING);
        while let Some(slow) = asked.iter().position(|(answers, _)| *answers < PINGS) {
            if pinging.is_over() {
                return Err(self.lose(slow, "it does not answer pings"));
            }
            match self.hear(LOOK)? {
                Some((place, Said::Left { at_ns })) => asked[place].1 = at_ns,
                Some((place, Said::Message { at_ns, message: FromAgent::Pong { heard_ns, said_ns } })) => {
                    let (answers, left_ns) = &mut asked[place];
                    *answers += 1;
                    self.members[place].learn([*left_ns, heard_ns, said_ns, at_ns]);
                    if *answers < PINGS {
                        let _ = self.out[place].send_stamped(&ToAgent::Ping);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives each agent its share, waits until all have it, and says how long they need until they can begin.
    pub fn deal(&mut self, plans: &[LoadPlan]) -> Result<u64, EngineError> {
        let agents = self.members.len() as u32;
        let mut lead = 0;
        for (place, out) in self.out.iter().enumerate() {
            let shares: Vec<LoadPlan> = plans.iter().map(|plan| share(plan, place as u32, agents)).collect();
            lead = lead.max(lead_ns(&shares));
            // One that is too long is so for the first agent already: none waits for a load that does not come.
            out.send(&ToAgent::Load(shares)).map_err(|error| EngineError::Plan(error.to_string()))?;
        }
        let mut ready = vec![false; self.members.len()];
        let taking = Deadline::after(READY);
        while let Some(slow) = ready.iter().position(|ready| !ready) {
            if taking.is_over() {
                return Err(
                    self.lose(slow, &format!("it has not taken its share within {} s", READY.as_secs()))
                );
            }
            if let Some((place, Said::Message { message: FromAgent::Ready, .. })) = self.hear(LOOK)? {
                ready[place] = true;
            }
        }
        let way = self.members.iter().map(|member| member.round_trip_ns).max().unwrap_or(0);
        let longest = plans.iter().map(|plan| plan.discard_ns + plan.extent.longest_ns()).max().unwrap_or(0);
        let margin = (longest / MARGIN_PART).clamp(*MARGIN_NS.start(), *MARGIN_NS.end());
        Ok(lead + margin + 4 * way)
    }
}

/// Share `k` of `n` of a load that may be a share itself. CPUs are this machine's: with several agents on it they take
/// turns.
fn share(plan: &LoadPlan, k: u32, n: u32) -> LoadPlan {
    let mut share = plan.clone();
    share.share = (plan.share.0 * n + k, plan.share.1 * n);
    if !share.cpus.is_empty() {
        let first = (k * plan.workers) as usize % share.cpus.len();
        share.cpus.rotate_left(first);
    }
    share
}
