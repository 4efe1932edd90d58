//! The agents of a coordinator, one by one: what they say, what time they have, and what each is dealt.

use crate::deadline::Deadline;
use crate::link::{Heard, Sender};
use crate::member::{Clock, Event, Member};
use crate::message::{FromAgent, ToAgent, message};
use proofload_engine::{EngineError, LoadPlan, lead_ns};
use proofload_language::{say, word};
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// So many pings, of which the quickest tells the time best.
const PINGS: u32 = 30;
/// Agents that are asked something at once. With more of them, pings would be as slow as the answers to all others, and plans
/// with the rows of their feeders would fill the memory.
const AT_ONCE: usize = 64;
/// In a load of this length clocks may run apart by more than they are known to: 50 ppm of it are half a millisecond.
pub(crate) const LONG_NS: u64 = 10_000_000_000;
/// How long all pings of those agents may take.
const PINGING: Duration = Duration::from_secs(30);
/// How long those agents may take until they have what they are to carry out.
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
    /// Whose connection has which number.
    pub places: HashMap<u64, usize>,
    /// None of an agent that was lost: its connection is closed, so that one that was only paused sends no more load.
    pub out: Vec<Option<Sender>>,
    pub events: Receiver<Event>,
    /// Whoever was lost, and why, in the order of time.
    pub lost: Vec<String>,
    /// So many may be lost; nobody goes on without more.
    pub tolerated: u32,
}

/// What an agent says, with the instants of the connection.
pub(crate) enum Said {
    Left {
        at_ns: u64,
    },
    Message {
        at_ns: u64,
        message: FromAgent,
    },
    /// It is lost, and the others go on.
    Lost,
}

impl Crew {
    pub fn tell_all(&self, message: &ToAgent) {
        self.out.iter().flatten().for_each(|out| {
            let _ = out.send(message);
        });
    }

    pub fn is_lost(&self, place: usize) -> bool {
        self.out[place].is_none()
    }

    /// Why nobody goes on: more were lost than are tolerated.
    pub fn broken(&self) -> Option<String> {
        let is_broken = self.lost.len() > self.tolerated as usize || self.lost.len() == self.out.len();
        is_broken.then(|| self.lost.join("; "))
    }

    /// The next that an agent says, and its place; `None` when nothing was said for a while.
    pub fn hear(&mut self, wait: Duration) -> Result<Option<(usize, Said)>, EngineError> {
        if let Some(lost) = self.broken() {
            return Err(EngineError::Share(lost));
        }
        let (from, heard) = match self.events.recv_timeout(wait) {
            Ok(Event::Heard { from, heard }) => (from, heard),
            Ok(Event::Joined(newcomer)) => {
                let _ = newcomer.out.send(&ToAgent::Refused(word!("agents-all-there").to_owned()));
                return Ok(None);
            }
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(EngineError::Share("nobody listens".to_owned()));
            }
        };
        let place = self.places.get(&from).copied();
        let Some(place) = place.filter(|place| !self.is_lost(*place)) else { return Ok(None) };
        match heard {
            Heard::Alive => Ok(None),
            Heard::Left { at_ns } => Ok(Some((place, Said::Left { at_ns }))),
            Heard::Frame { at_ns, bytes } => match message(&bytes) {
                Ok(message) => Ok(Some((place, Said::Message { at_ns, message }))),
                Err(error) => {
                    self.lose(place, &format!("it speaks otherwise: {error}")).map(|()| lost(place))
                }
            },
            Heard::Lost(why) => self.lose(place, &why).map(|()| lost(place)),
        }
    }

    /// Goes on without an agent, for ever: one that was only silent for a while is sent away when it comes to again.
    ///
    /// # Errors
    /// When more are lost than are tolerated.
    pub fn lose(&mut self, place: usize, why: &str) -> Result<(), EngineError> {
        if let Some(out) = self.out[place].take() {
            self.lost.push(format!("{} is lost: {why}", self.members[place].name()));
            let _ = out.send(&ToAgent::Refused(say!("agents-taken-for-lost", why)));
        }
        self.broken().map_or(Ok(()), |lost| Err(EngineError::Share(lost)))
    }

    /// Asks all agents what time it is.
    pub fn set_clocks(&mut self) -> Result<(), EngineError> {
        self.by_parts(Crew::set_clocks_of)
    }

    /// Does it with all agents, so many at once.
    fn by_parts(
        &mut self,
        mut with: impl FnMut(&mut Crew, Range<usize>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let agents = self.members.len();
        (0..agents).step_by(AT_ONCE).try_for_each(|first| with(self, first..agents.min(first + AT_ONCE)))
    }

    /// Within what the clock of each agent was known throughout a load that took so long, and has ended. Of a long one they are
    /// compared once more, and forgotten again: the load was begun by what was known then.
    pub fn clocks_within_ns(&mut self, took_ns: u64) -> u64 {
        let began: Vec<Clock> = self.members.iter().map(Member::clock).collect();
        if took_ns >= LONG_NS {
            // An agent that is lost now has carried out its share.
            let _ = self.set_clocks();
        }
        let mut most = 0;
        for (member, began) in self.members.iter_mut().zip(began) {
            most = most.max(began.within_until_ns(member.clock()).unwrap_or(0));
            member.set_clock(began);
        }
        most
    }

    fn set_clocks_of(&mut self, places: Range<usize>) -> Result<(), EngineError> {
        let first = places.start;
        let mut asked: Vec<(u32, u64)> = vec![(0, 0); places.len()];
        for place in places.clone() {
            if let Some(out) = &self.out[place] {
                self.members[place].round_trip_ns = u64::MAX;
                let _ = out.send_stamped(&ToAgent::Ping);
            }
        }
        let pinging = Deadline::after(PINGING);
        while let Some(slow) = self.first_of(places.clone(), |place| asked[place - first].0 < PINGS) {
            if pinging.is_over() {
                self.lose(slow, "it does not answer pings")?;
                continue;
            }
            match self.hear(LOOK)? {
                Some((place, _)) if !places.contains(&place) => {}
                Some((place, Said::Left { at_ns })) => asked[place - first].1 = at_ns,
                Some((place, Said::Message { at_ns, message: FromAgent::Pong { heard_ns, said_ns } })) => {
                    let (answers, left_ns) = &mut asked[place - first];
                    *answers += 1;
                    self.members[place].learn([*left_ns, heard_ns, said_ns, at_ns]);
                    if *answers < PINGS {
                        self.out[place].iter().for_each(|out| {
                            let _ = out.send_stamped(&ToAgent::Ping);
                        });
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The first agent of these that is still there and of which this holds.
    fn first_of(&self, mut places: Range<usize>, holds: impl Fn(usize) -> bool) -> Option<usize> {
        places.find(|place| !self.is_lost(*place) && holds(*place))
    }

    /// Gives each agent its share, waits until all have it, and says how long they need until they can begin. There are
    /// as many shares as there were agents in the beginning: that of one that is lost is nobody's, for the load of the
    /// others would be another one otherwise.
    pub fn deal(&mut self, plans: &[LoadPlan]) -> Result<u64, EngineError> {
        let mut lead = 0;
        self.by_parts(|crew, places| {
            lead = lead.max(crew.deal_to(places, plans)?);
            Ok(())
        })?;
        let present = self.members.iter().zip(&self.out).filter(|(_, out)| out.is_some());
        let way = present.map(|(member, _)| member.round_trip_ns).max().unwrap_or(0);
        let longest = plans.iter().map(|plan| plan.discard_ns + plan.extent.longest_ns()).max().unwrap_or(0);
        let margin = (longest / MARGIN_PART).clamp(*MARGIN_NS.start(), *MARGIN_NS.end());
        Ok(lead + margin + 4 * way)
    }

    /// Gives these their shares, and says how long they need with them.
    fn deal_to(&mut self, places: Range<usize>, plans: &[LoadPlan]) -> Result<u64, EngineError> {
        let (first, agents) = (places.start, self.members.len() as u32);
        let mut lead = 0;
        for place in places.clone() {
            let Some(out) = &self.out[place] else { continue };
            let is_here = self.members[place].is_here;
            let shares: Vec<LoadPlan> =
                plans.iter().map(|plan| share(plan, place as u32, agents, is_here)).collect();
            lead = lead.max(lead_ns(&shares));
            // One that is too long is so for the first agent already: none waits for a load that does not come.
            out.send(&ToAgent::Load(shares)).map_err(|error| EngineError::Plan(error.to_string()))?;
        }
        let mut ready = vec![false; places.len()];
        let taking = Deadline::after(READY);
        while let Some(slow) = self.first_of(places.clone(), |place| !ready[place - first]) {
            if taking.is_over() {
                self.lose(slow, &format!("it has not taken its share within {} s", READY.as_secs()))?;
                continue;
            }
            if let Some((place, Said::Message { message: FromAgent::Ready, .. })) = self.hear(LOOK)?
                && let Some(ready) = place.checked_sub(first).and_then(|at| ready.get_mut(at))
            {
                *ready = true;
            }
        }
        Ok(lead)
    }
}

fn lost(place: usize) -> Option<(usize, Said)> {
    Some((place, Said::Lost))
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
