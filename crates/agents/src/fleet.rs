//! The agents of a coordinator at work: every load is dealt to all of them, begins at one instant, and is merged while it lasts.

use crate::crew::{Crew, LOOK, Said};
use crate::deadline::Deadline;
use crate::link::{Heard, Sender};
use crate::losses::{self, Part};
use crate::member::{Event, Member};
use crate::message::{Failure, FromAgent, ToAgent, message};
use crate::progress::Progress;
use crate::runtime::Runtime;
use proofload_engine::{
    AGENT_BODIES_MAX, AgentPlace, AgentsUse, EngineError, Generator, Launch, LoadPlan, LoadResult, Merger,
    Stretch, Watch,
};
use proofload_host::clock;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long the others may take to end when one is lost.
const ENDING: Duration = Duration::from_secs(3);
/// How many times longer than usual agents may take to be ready at most.
const PATIENCE_MAX: u64 = 64;

/// All agents of a coordinator.
#[derive(Debug)]
pub struct Fleet {
    pub(crate) crew: Mutex<Crew>,
    _runtime: Runtime,
}

impl Fleet {
    pub(crate) fn new(
        dealt: Vec<(u64, Sender, Member)>,
        tolerated: u32,
        runtime: Runtime,
        events: Receiver<Event>,
    ) -> Fleet {
        let (mut places, mut out, mut members) = (HashMap::new(), Vec::new(), Vec::new());
        for (place, (connection, sender, member)) in dealt.into_iter().enumerate() {
            places.insert(connection, place);
            out.push(sender);
            members.push(member);
        }
        let agents = members.len() as u32;
        for (sender, member) in out.iter().zip(&members) {
            let _ = sender.send(&ToAgent::Welcome { index: member.index, agents });
        }
        let out = out.into_iter().map(Some).collect();
        let crew = Mutex::new(Crew { members, places, out, events, lost: Vec::new(), tolerated });
        Fleet { crew, _runtime: runtime }
    }

    /// Which agents were lost, and why, where they are more than are tolerated: no load is carried out any more.
    pub fn lost(&self) -> Option<String> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner).broken()
    }

    /// Every agent that was lost, and why, tolerated or not.
    pub fn losses(&self) -> Vec<String> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner).lost.clone()
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
    fn launch(&self, how: Launch<'_>) -> Result<Vec<LoadResult>, EngineError> {
        let mut crew = self.crew.lock().unwrap_or_else(PoisonError::into_inner);
        crew.launch(how)
    }

    fn agents(&self) -> Vec<AgentPlace> {
        let place =
            |member: Member| AgentPlace { host: member.host, is_here: member.is_here, cpus: member.cpus };
        self.members().into_iter().map(place).collect()
    }
}

impl Crew {
    /// A load for which an agent's workers were not ready in time is begun again, later: nothing of it was counted.
    fn launch(&mut self, how: Launch<'_>) -> Result<Vec<LoadResult>, EngineError> {
        let Launch { plans, watch, start_ns, mut each_second, .. } = how;
        let bytes = plans.iter().map(LoadPlan::streamed_bytes).sum::<u64>();
        if bytes > AGENT_BODIES_MAX {
            return Err(EngineError::Plan(format!(
                "bodies: {bytes} bytes of files would go to every agent, at most {AGENT_BODIES_MAX} may; leave the \
                 agents out, or send smaller files"
            )));
        }
        let mut patience = 1;
        loop {
            let each_second = each_second.as_mut().map(|tell| &mut **tell as _);
            let how = Launch { start_ns, each_second, ..Launch::new(plans, watch) };
            let ended = self.attempt(how, patience);
            let is_late = matches!(ended, Err(EngineError::TooLate { .. })) && start_ns.is_none();
            if !is_late || patience >= PATIENCE_MAX || watch.stop.load(Ordering::Relaxed) {
                return ended;
            }
            patience *= 4;
            watch.answered.store(0, Ordering::Relaxed);
            watch.failed.store(0, Ordering::Relaxed);
        }
    }

    fn attempt(&mut self, how: Launch<'_>, patience: u64) -> Result<Vec<LoadResult>, EngineError> {
        let Launch { plans, watch, .. } = how;
        self.set_clocks()?;
        let lead_ns = self.deal(plans)? * patience;
        let start_ns = how.start_ns.unwrap_or(clock::monotonic_ns() + lead_ns);
        for (out, member) in self.out.iter().zip(&self.members) {
            let at_ns = start_ns.saturating_add_signed(member.ahead_ns);
            let _ = out.as_ref().map(|out| out.send(&ToAgent::Begin { at_ns }));
        }
        let discard_ns = plans.first().map_or(0, |plan| plan.discard_ns);
        watch.window_start_ns.store(start_ns + discard_ns, Ordering::Relaxed);
        let mut merger = Merger::new(plans, watch, self.members.len() as u32);
        let absent = (0..self.out.len()).map(|place| self.is_lost(place));
        let mut progress: Vec<Progress> =
            absent.map(|is_absent| Progress::of(plans.len(), is_absent)).collect();
        let lost = (0..).zip(&progress).filter(|(_, of_agent)| of_agent.is_absent);
        lost.for_each(|(share, _)| merger.lose(share));
        let ended = self.follow(watch, how.each_second, &mut merger, &mut progress);
        if let Err(error) = ended {
            let offered = watch.answered.load(Ordering::Relaxed) + watch.failed.load(Ordering::Relaxed);
            self.end(&mut progress);
            if matches!(error, EngineError::TooLate { .. }) && self.broken().is_none() {
                return Err(error);
            }
            return Err(EngineError::Share(format!(
                "{error}; the load was ended everywhere after {offered} exchanges, and what they came to is no measurement"
            )));
        }
        let mut results = merger.finish();
        let within_ns = self.clocks_within_ns(clock::monotonic_ns().saturating_sub(start_ns));
        self.enter(&mut results, &progress, within_ns);
        Ok(results)
    }

    /// Enters who carried these loads out, and who did not.
    fn enter(&self, results: &mut [LoadResult], progress: &[Progress], clocks_within_ns: u64) {
        let agents =
            AgentsUse { count: self.members.len() as u32, clocks_within_ns, lost: 0, not_offered: 0 };
        for (stream, result) in results.iter_mut().enumerate() {
            let parts = self.members.iter().zip(progress).map(|(member, of_agent)| Part {
                name: member.name(),
                told: &of_agent.told[stream],
                is_lost: of_agent.is_lost,
                is_absent: of_agent.is_absent,
            });
            losses::enter(result, agents, &parts.collect::<Vec<_>>());
        }
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
            match self.hear(LOOK)? {
                Some((place, Said::Message { message, .. })) => {
                    self.take(place, message, &mut progress[place], merger)?;
                }
                Some((place, Said::Lost)) => {
                    progress[place].lose();
                    merger.lose(place as u32);
                }
                Some((_, Said::Left { .. })) | None => {}
            }
            if merger.collect(&mut told) {
                return Ok(());
            }
            if watch.stop.load(Ordering::Relaxed) && !is_stopped {
                is_stopped = true;
                self.tell_all(&ToAgent::Stop);
            }
        }
    }

    /// What an agent tells, on our axis of time.
    fn take(
        &mut self,
        place: usize,
        message: FromAgent,
        of_agent: &mut Progress,
        merger: &mut Merger<'_>,
    ) -> Result<(), EngineError> {
        let back_ns = self.members[place].ahead_ns.saturating_neg();
        match message {
            FromAgent::Seen { stream, last, mut snapshot } => {
                let window = &mut snapshot.window;
                window.start_ns = window.start_ns.saturating_add_signed(back_ns);
                window.end_ns = window.end_ns.saturating_add_signed(back_ns);
                if let Some(told) = of_agent.told.get_mut(stream) {
                    told.add(&snapshot);
                    merger.add(place as u32, stream, last, &snapshot);
                }
            }
            FromAgent::Ended(Ok(mut shares)) => {
                shares.iter_mut().for_each(|share| share.shift(back_ns));
                of_agent.has_ended = true;
                merger.end(place as u32, shares);
            }
            FromAgent::Ended(Err(failure)) => {
                of_agent.has_ended = true;
                return Err(match failure {
                    Failure::TooLate { late_ns } => EngineError::TooLate { late_ns },
                    Failure::Other(why) => {
                        EngineError::Share(format!("{}: {why}", self.members[place].name()))
                    }
                });
            }
            FromAgent::Alive | FromAgent::Ready | FromAgent::Pong { .. } => {}
        }
        Ok(())
    }

    /// Ends the load everywhere, and waits until it has ended there.
    fn end(&mut self, progress: &mut [Progress]) {
        self.tell_all(&ToAgent::Abandon);
        let ending = Deadline::after(ENDING);
        while !ending.is_over() && self.awaited(progress).is_some() {
            let Ok(Event::Heard { from, heard }) = self.events.recv_timeout(LOOK) else { continue };
            let Some(place) = self.places.get(&from).copied() else { continue };
            match heard {
                Heard::Lost(why) => {
                    let _ = self.lose(place, &why);
                }
                Heard::Frame { bytes, .. } if matches!(message(&bytes), Ok(FromAgent::Ended(_))) => {
                    progress[place].has_ended = true;
                }
                Heard::Frame { .. } | Heard::Left { .. } | Heard::Alive => {}
            }
        }
        // What it says of this load later would be taken for the next one's.
        while let Some(slow) = self.awaited(progress) {
            let _ = self.lose(slow, &format!("it has not ended the load within {} s", ENDING.as_secs()));
        }
    }

    /// The first agent that is still to end a load.
    fn awaited(&self, progress: &[Progress]) -> Option<usize> {
        (0..progress.len()).find(|place| !self.is_lost(*place) && !progress[*place].has_ended)
    }
}
