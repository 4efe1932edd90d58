//! The agents of a coordinator, one by one: their messages, their clocks, and their shares of a load.

use crate::agents::link::{Incoming, Sender};
use crate::agents::member::{Clock, Event, Member};
use crate::agents::message::Message;
use crate::deadline::Deadline;
use proofload_engine::{EngineError, LoadPlan, lead_ns};
use proofload_language::tr;
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Pings of each agent, of which the quickest gives the best time.
const PINGS: u32 = 30;
/// Agents that are queried at once. With more of them, pings would be as slow as the answers to all others, and plans
/// with the rows of their feeders would fill the memory.
const AT_ONCE: usize = 64;
/// In a load of this length clocks may run apart by more than they are known to: 50 ppm of it are half a millisecond.
pub(crate) const LONG_NS: u64 = 10_000_000_000;
/// Longest time for all pings of those agents.
const PINGING: Duration = Duration::from_secs(30);
/// Longest time until those agents have their shares.
const READY: Duration = Duration::from_secs(60);
/// Interval between two polls of events that wake no thread.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// From when the last agent has its plan to the first instant, besides what it needs itself and what the way takes: this
/// part of a load's length within these bounds. An agent that is not ready by then is an error.
const MARGIN_PART: u64 = 20;
const MARGIN_NS: RangeInclusive<u64> = 20_000_000..=250_000_000;

/// All agents, by their numbers.
#[derive(Debug)]
pub(crate) struct Members {
    pub all: Vec<Member>,
    /// Numbers by connection.
    pub indices: HashMap<u64, usize>,
    /// None of an agent that was lost: its connection is closed, so that one that was only paused sends no more load.
    pub out: Vec<Option<Sender>>,
    pub events: Receiver<Event>,
    /// Agents that were lost, and why, in the order of time.
    pub lost: Vec<String>,
    /// Number that may be lost; with more the run ends.
    pub tolerated: u32,
}

impl Members {
    pub fn tell_all(&self, message: &Message) {
        self.out.iter().flatten().for_each(|out| {
            let _ = out.send(message);
        });
    }

    pub fn is_lost(&self, index: usize) -> bool {
        self.out[index].is_none()
    }

    /// The reason why the run ends: more were lost than are tolerated.
    pub fn broken(&self) -> Option<String> {
        let is_broken = self.lost.len() > self.tolerated as usize || self.lost.len() == self.out.len();
        is_broken.then(|| self.lost.join("; "))
    }

    fn check(&self) -> Result<(), EngineError> {
        self.broken().map_or(Ok(()), |lost| Err(EngineError::Share(lost)))
    }

    /// The next event of an agent, with its number; `None` when there was none for a while.
    ///
    /// # Errors
    /// More are lost than are tolerated.
    pub fn next(&mut self, wait: Duration) -> Result<Option<(usize, Incoming)>, EngineError> {
        let event = self.receive(wait);
        self.check().map(|()| event)
    }

    /// The same, with any number lost.
    pub fn receive(&mut self, wait: Duration) -> Option<(usize, Incoming)> {
        let (from, incoming) = match self.events.recv_timeout(wait) {
            Ok(Event::Incoming { from, incoming }) => (from, incoming),
            Ok(Event::Joined(newcomer)) => {
                let _ = newcomer.out.send(&Message::Refused(tr!("agents-all-there").to_owned()));
                return None;
            }
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => {
                (0..self.out.len()).for_each(|index| self.lose(index, tr!("agents-listener-ended")));
                return None;
            }
        };
        let index = self.indices.get(&from).copied().filter(|index| !self.is_lost(*index))?;
        if let Incoming::Lost(why) = &incoming {
            self.lose(index, why);
        }
        Some((index, incoming))
    }

    /// Goes on without an agent, for ever: one that was only silent for a while is sent away when it returns.
    pub fn lose(&mut self, index: usize, why: &str) {
        if let Some(out) = self.out[index].take() {
            self.lost.push(format!("{} is lost: {why}", self.all[index].name()));
            let _ = out.send(&Message::Refused(tr!("agents-taken-for-lost", why)));
        }
    }

    /// Takes events until each of these agents has done its part, as `take` reports; those that need longer are lost.
    fn until_done(
        &mut self,
        part: Range<usize>,
        within: Duration,
        why: &str,
        mut take: impl FnMut(&mut Members, usize, Incoming) -> bool,
    ) -> Result<(), EngineError> {
        let (waiting, mut done) = (Deadline::after(within), vec![false; part.len()]);
        while let Some(slow) = part.clone().find(|at| !self.is_lost(*at) && !done[*at - part.start]) {
            if waiting.is_over() {
                self.lose(slow, why);
                self.check()?;
            } else if let Some((index, incoming)) = self.next(LOOK)?
                && part.contains(&index)
            {
                done[index - part.start] |= take(self, index, incoming);
            }
        }
        Ok(())
    }

    /// All agents, in parts of [`AT_ONCE`].
    fn parts(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let agents = self.all.len();
        (0..agents).step_by(AT_ONCE).map(move |first| first..agents.min(first + AT_ONCE))
    }

    /// Queries the clocks of all agents.
    pub fn set_clocks(&mut self) -> Result<(), EngineError> {
        self.parts().try_for_each(|part| {
            part.clone().for_each(|index| {
                self.all[index].clock.round_trip_ns = u64::MAX;
                self.ping(index);
            });
            let (first, mut asked) = (part.start, vec![(0, 0); part.len()]);
            self.until_done(part, PINGING, "it does not answer pings", |members, index, incoming| {
                let (answers, left_ns) = &mut asked[index - first];
                match incoming {
                    Incoming::PingLeft { at_ns } => *left_ns = at_ns,
                    Incoming::Message { at_ns, message: Message::Pong { received_ns, answered_ns } } => {
                        *answers += 1;
                        members.all[index].clock.learn([*left_ns, received_ns, answered_ns, at_ns]);
                        if *answers < PINGS {
                            members.ping(index);
                        }
                    }
                    _ => {}
                }
                *answers == PINGS
            })
        })
    }

    fn ping(&self, index: usize) {
        let _ = self.out[index].as_ref().map(|out| out.send(&Message::Ping));
    }

    /// Within what the clock of each agent was known throughout a load that took so long, and has ended. Of a long one they are
    /// compared once more, and forgotten again: the load was begun by what was known then.
    pub fn clocks_within_ns(&mut self, took_ns: u64) -> u64 {
        let began: Vec<Clock> = self.all.iter().map(|member| member.clock).collect();
        if took_ns >= LONG_NS {
            // An agent that is lost now has carried out its share.
            let _ = self.set_clocks();
        }
        let mut most = 0;
        for (member, began) in self.all.iter_mut().zip(began) {
            most = most.max(began.within_until_ns(member.clock).unwrap_or(0));
            member.clock = began;
        }
        most
    }

    /// Gives each agent its share, waits until all have it, and returns the time that they need until they can begin.
    /// There are as many shares as there were agents in the beginning: that of a lost one is not carried out, for the
    /// load of the others would be another one otherwise.
    pub fn deal(&mut self, plans: &[LoadPlan]) -> Result<u64, EngineError> {
        let (mut lead, agents) = (0, self.all.len() as u32);
        let slow = format!("it has not taken its share within {} s", READY.as_secs());
        for part in self.parts() {
            for index in part.clone() {
                let Some(out) = &self.out[index] else { continue };
                let is_here = self.all[index].is_here;
                let shares: Vec<LoadPlan> =
                    plans.iter().map(|plan| share(plan, index as u32, agents, is_here)).collect();
                lead = lead.max(lead_ns(&shares));
                // One that is too long is so for the first agent already: none waits for a load that does not come.
                let sent = out.send(&Message::Load(shares));
                sent.map_err(|error| EngineError::Plan(error.to_string()))?;
            }
            self.until_done(part, READY, &slow, |_, _, incoming| {
                matches!(incoming, Incoming::Message { message: Message::Ready, .. })
            })?;
        }
        let present = self.all.iter().zip(&self.out).filter(|(_, out)| out.is_some());
        let way = present.map(|(member, _)| member.clock.round_trip_ns).max().unwrap_or(0);
        let longest = plans.iter().map(|plan| plan.discard_ns + plan.extent.longest_ns()).max().unwrap_or(0);
        let margin = (longest / MARGIN_PART).clamp(*MARGIN_NS.start(), *MARGIN_NS.end());
        Ok(lead + margin + 4 * way)
    }
}

/// Share `k` of `n` of a load that may be a share itself. CPUs are this machine's: with several agents on it they take
/// turns, and an agent elsewhere has all of its own. Threads are as many as have a connection each, as in one process.
pub(crate) fn share(plan: &LoadPlan, k: u32, n: u32, is_here: bool) -> LoadPlan {
    let mut share = plan.clone();
    share.share = (plan.share.0 * n + k, plan.share.1 * n);
    if !is_here {
        share.cpus.clear();
    }
    share.workers = plan.workers.clamp(1, (plan.connections / share.share.1.max(1)).max(1));
    if !share.cpus.is_empty() {
        let first = (k * share.workers) as usize % share.cpus.len();
        share.cpus.rotate_left(first);
    }
    share
}
