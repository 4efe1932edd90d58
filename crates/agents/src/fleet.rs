//! The agents of a coordinator at work: every load is dealt to all of them, begins at one instant, and is merged while it lasts.

use crate::crew::{Crew, LOOK, Said};
use crate::deadline::Deadline;
use crate::link::{Heard, Sender};
use crate::member::{Event, Member};
use crate::message::{FromAgent, ToAgent, message};
use crate::runtime::Runtime;
use proofload_engine::{
    AgentsUse, EngineError, Generator, Launch, LoadPlan, LoadResult, Merger, ShareResult, ShareSink, Stretch,
    Watch,
};
use proofload_host::clock;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long the others may take to end when one is lost.
const ENDING: Duration = Duration::from_secs(8);
/// All agents of a coordinator.
#[derive(Debug)]
pub struct Fleet {
    crew: Mutex<Crew>,
    _runtime: Runtime,
}

impl Fleet {
    pub(crate) fn new(dealt: Vec<(u64, Sender, Member)>, runtime: Runtime, events: Receiver<Event>) -> Fleet {
        let (mut connections, mut out, mut members) = (Vec::new(), Vec::new(), Vec::new());
        for (connection, sender, member) in dealt {
            connections.push(connection);
            out.push(sender);
            members.push(member);
        }
        let agents = members.len() as u32;
        for (sender, member) in out.iter().zip(&members) {
            let _ = sender.send(&ToAgent::Welcome { index: member.index, agents });
        }
        let crew = Mutex::new(Crew { members, connections, out, events, lost: None });
        Fleet { crew, _runtime: runtime }
    }

    /// Which agent was lost, and why.
    pub fn lost(&self) -> Option<String> {
        let crew = self.crew.lock().unwrap_or_else(PoisonError::into_inner);
        crew.lost.as_ref().map(|(_, lost)| lost.clone())
    }

    /// The agents, by their numbers; their clocks as they were when the last load began.
    pub fn members(&self) -> Vec<Member> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner).members.clone()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let crew = self.crew.get_mut().unwrap_or_else(PoisonError::into_inner);
        crew.tell_all(&ToAgent::Bye);
    }
}

impl Generator for Fleet {
    fn launch(
        &self,
        plans: &[LoadPlan],
        watch: &Watch,
        how: Launch<'_>,
    ) -> Result<Vec<LoadResult>, EngineError> {
        let mut crew = self.crew.lock().unwrap_or_else(PoisonError::into_inner);
        crew.launch(plans, watch, how)
    }
}

/// What a load has come to at one agent.
struct Progress {
    telling: Option<ShareSink>,
    /// What it handed over in the end; nothing where it failed.
    ended: Option<Vec<ShareResult>>,
}

impl Crew {
    fn launch(
        &mut self,
        plans: &[LoadPlan],
        watch: &Watch,
        how: Launch<'_>,
    ) -> Result<Vec<LoadResult>, EngineError> {
        self.set_clocks()?;
        let lead_ns = self.deal(plans)?;
        let start_ns = how.start_ns.unwrap_or(clock::monotonic_ns() + lead_ns);
        for (out, member) in self.out.iter().zip(&self.members) {
            let _ = out.send(&ToAgent::Begin { at_ns: start_ns.saturating_add_signed(member.ahead_ns) });
        }
        let discard_ns = plans.first().map_or(0, |plan| plan.discard_ns);
        watch.window_start_ns.store(start_ns + discard_ns, Ordering::Relaxed);
        let (mut merger, telling) = Merger::new(plans, watch, self.members.len() as u32);
        let mut progress: Vec<Progress> =
            telling.into_iter().map(|telling| Progress { telling: Some(telling), ended: None }).collect();
        let ended = self.follow(watch, how.each_second, &mut merger, &mut progress);
        if let Err(error) = ended {
            let offered = watch.answered.load(Ordering::Relaxed) + watch.failed.load(Ordering::Relaxed);
            self.end(&mut progress);
            return Err(EngineError::Share(format!(
                "{error}; the load was ended everywhere after {offered} exchanges, and what they came to is no measurement"
            )));
        }
        let shares = progress.into_iter().filter_map(|of_agent| of_agent.ended).collect();
        let mut results = merger.finish(shares);
        let clocks_within_ns =
            self.members.iter().map(|member| member.round_trip_ns.div_ceil(2)).max().unwrap_or(0);
        let agents = AgentsUse { count: self.members.len() as u32, clocks_within_ns };
        results.iter_mut().for_each(|result| result.generator.agents = Some(agents));
        Ok(results)
    }

    /// Merges what comes until all have ended.
    fn follow(
        &mut self,
        watch: &Watch,
        mut each_second: Option<&mut dyn FnMut(&Stretch<'_>)>,
        merger: &mut Merger<'_>,
        progress: &mut [Progress],
    ) -> Result<(), EngineError> {
        let mut told = |stretch: &Stretch<'_>| {
            if let Some(tell) = &mut each_second {
                tell(stretch);
            }
        };
        let mut is_stopped = false;
        loop {
            if let Some((place, Said::Message { message, .. })) = self.hear(LOOK)? {
                self.take(place, message, &mut progress[place])?;
            }
            for of_agent in &mut *progress {
                let is_through = of_agent.telling.as_mut().is_some_and(ShareSink::hand_over);
                if is_through && of_agent.ended.is_some() {
                    of_agent.telling = None;
                }
            }
            let is_over = merger.collect(&mut told);
            if is_over
                && progress.iter().all(|of_agent| of_agent.ended.is_some() && of_agent.telling.is_none())
            {
                return Ok(());
            }
            if watch.stop.load(Ordering::Relaxed) && !is_stopped {
                is_stopped = true;
                self.tell_all(&ToAgent::Stop);
            }
        }
    }

    /// What an agent tells, on our axis of time.
    fn take(&mut self, place: usize, message: FromAgent, of_agent: &mut Progress) -> Result<(), EngineError> {
        let back_ns = self.members[place].ahead_ns.saturating_neg();
        match message {
            FromAgent::Seen { stream, last, mut snapshot } => {
                let window = &mut snapshot.window;
                window.start_ns = window.start_ns.saturating_add_signed(back_ns);
                window.end_ns = window.end_ns.saturating_add_signed(back_ns);
                if let Some(telling) = &mut of_agent.telling {
                    telling.tell(stream, last, *snapshot);
                }
            }
            FromAgent::Ended(Ok(mut shares)) => {
                shares.iter_mut().for_each(|share| share.shift(back_ns));
                of_agent.ended = Some(shares);
            }
            FromAgent::Ended(Err(why)) => {
                of_agent.ended = Some(Vec::new());
                return Err(EngineError::Share(format!("{}: {why}", self.members[place].name())));
            }
            FromAgent::Alive | FromAgent::Ready | FromAgent::Pong { .. } => {}
        }
        Ok(())
    }

    /// Ends the load everywhere, and waits until it has ended there.
    fn end(&mut self, progress: &mut [Progress]) {
        self.tell_all(&ToAgent::Stop);
        if let Some((place, _)) = &self.lost {
            progress[*place].ended.get_or_insert_default();
        }
        let ending = Deadline::after(ENDING);
        while !ending.is_over() && progress.iter().any(|of_agent| of_agent.ended.is_none()) {
            let Ok(Event::Heard { from, heard }) = self.events.recv_timeout(LOOK) else { continue };
            let Some(place) = self.connections.iter().position(|connection| *connection == from) else {
                continue;
            };
            let ended = match heard {
                Heard::Lost(_) => true,
                Heard::Frame { bytes, .. } => matches!(message(&bytes), Ok(FromAgent::Ended(_))),
                Heard::Left { .. } => false,
            };
            if ended {
                progress[place].ended.get_or_insert_default();
            }
        }
        // What it says of this load later would be taken for the next one's.
        if let Some(slow) = progress.iter().position(|of_agent| of_agent.ended.is_none()) {
            self.lose(slow, &format!("it has not ended the load within {} s", ENDING.as_secs()));
        }
    }
}
