//! The agents of a coordinator at work: every load is dealt to all of them, begins at one instant, and is merged while it lasts.

use crate::agents::link::{Incoming, Sender};
use crate::agents::member::{Event, Member};
use crate::agents::members::{LOOK, Members};
use crate::agents::message::Message;
use crate::agents::progress::{self, Progress};
use crate::agents::runtime::Runtime;
use crate::deadline::Deadline;
use crate::launch::Launched;
use proofload_engine::{
    AGENT_BODIES_MAX, AgentPlace, EngineError, Generator, Launch, LoadPlan, LoadResult, Merger, Stretch,
    Watch,
};
use proofload_host::clock;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longest time for the others to end when one is lost.
const ENDING: Duration = Duration::from_secs(3);
/// Most times longer than usual that agents may take to be ready.
const PATIENCE_MAX: u64 = 64;

/// All agents of a coordinator. They receive a goodbye when it is dropped, and those that were started for it end.
#[derive(Debug)]
pub struct AgentPool {
    members: Mutex<Members>,
    // Dropped in this order: goodbye has left before any agent is waited for.
    _runtime: Runtime,
    pub(crate) launched: Launched,
}

impl AgentPool {
    /// A pool of agents in the order of their numbers, each with its connection; that many of them may be lost.
    pub(crate) fn new(
        dealt: Vec<(u64, Sender, Member)>,
        tolerated: u32,
        runtime: Runtime,
        events: Receiver<Event>,
    ) -> AgentPool {
        let agents = dealt.len() as u32;
        let indices = dealt.iter().zip(0..).map(|((connection, ..), index)| (*connection, index)).collect();
        let (out, all): (Vec<_>, Vec<_>) =
            dealt.into_iter().map(|(_, out, member)| (Some(out), member)).unzip();
        let members = Members { all, indices, out, events, lost: Vec::new(), tolerated };
        for (out, index) in members.out.iter().flatten().zip(0..) {
            let _ = out.send(&Message::Welcome { index, agents });
        }
        AgentPool { members: Mutex::new(members), _runtime: runtime, launched: Launched::default() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agents that were lost, and why, where they are more than are tolerated: no load is carried out any more.
    pub fn lost(&self) -> Option<String> {
        self.lock().broken()
    }

    /// Every agent that was lost, and why, tolerated or not.
    pub fn losses(&self) -> Vec<String> {
        self.lock().lost.clone()
    }

    /// The agents, by their numbers; their clocks as they were when the last load began.
    pub fn members(&self) -> Vec<Member> {
        self.lock().all.clone()
    }

    /// Processes of the agents that were started for this pool, or of what brought them elsewhere.
    pub fn pids(&self) -> Vec<u32> {
        self.launched.pids()
    }
}

impl Drop for AgentPool {
    fn drop(&mut self) {
        self.lock().tell_all(&Message::Bye);
    }
}

impl Generator for AgentPool {
    /// A load for which an agent's workers were not ready in time is begun again, later: nothing of it was counted.
    fn launch(&self, how: Launch<'_>) -> Result<Vec<LoadResult>, EngineError> {
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
            let ended = self.lock().attempt(how, patience);
            let is_late = matches!(ended, Err(EngineError::TooLate { .. })) && start_ns.is_none();
            if !is_late || patience >= PATIENCE_MAX || watch.stop.load(Ordering::Relaxed) {
                return ended;
            }
            patience *= 4;
            watch.answered.store(0, Ordering::Relaxed);
            watch.failed.store(0, Ordering::Relaxed);
        }
    }

    fn agents(&self) -> Vec<AgentPlace> {
        let place =
            |member: Member| AgentPlace { host: member.host, is_here: member.is_here, cpus: member.cpus };
        self.members().into_iter().map(place).collect()
    }
}

impl Members {
    fn attempt(&mut self, how: Launch<'_>, patience: u64) -> Result<Vec<LoadResult>, EngineError> {
        let Launch { plans, watch, .. } = how;
        self.set_clocks()?;
        let lead_ns = self.deal(plans)? * patience;
        let start_ns = how.start_ns.unwrap_or(clock::monotonic_ns() + lead_ns);
        for (out, member) in self.out.iter().zip(&self.all) {
            let at_ns = start_ns.saturating_add_signed(member.clock.ahead_ns);
            let _ = out.as_ref().map(|out| out.send(&Message::Begin { at_ns }));
        }
        let discard_ns = plans.first().map_or(0, |plan| plan.discard_ns);
        watch.window_start_ns.store(start_ns + discard_ns, Ordering::Relaxed);
        let mut merger = Merger::new(plans, watch, self.all.len() as u32);
        let mut progress = Vec::new();
        for index in 0..self.out.len() {
            progress.push(Progress::of(plans.len(), self.is_lost(index)));
            if self.is_lost(index) {
                merger.lose(index as u32);
            }
        }
        if let Err(error) = self.follow(watch, how.each_second, &mut merger, &mut progress) {
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
        for (stream, result) in results.iter_mut().enumerate() {
            progress::enter(result, stream, &self.all, &progress, within_ns);
        }
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
            match self.next(LOOK)? {
                Some((index, Incoming::Message { message, .. })) => {
                    self.take(index, message, &mut progress[index], merger)?;
                }
                Some((index, Incoming::Lost(_))) => {
                    progress[index].lose();
                    merger.lose(index as u32);
                }
                Some((_, Incoming::PingLeft { .. })) | None => {}
            }
            if merger.collect(&mut told) {
                return Ok(());
            }
            if watch.stop.load(Ordering::Relaxed) && !is_stopped {
                is_stopped = true;
                self.tell_all(&Message::Stop);
            }
        }
    }

    /// Takes an agent's message, on our axis of time.
    fn take(
        &mut self,
        index: usize,
        message: Message,
        of_agent: &mut Progress,
        merger: &mut Merger<'_>,
    ) -> Result<(), EngineError> {
        let back_ns = self.all[index].clock.ahead_ns.saturating_neg();
        of_agent.has_ended |= is_end(&message);
        match message {
            Message::Seen { stream, last, mut snapshot } => {
                let window = &mut snapshot.window;
                window.start_ns = window.start_ns.saturating_add_signed(back_ns);
                window.end_ns = window.end_ns.saturating_add_signed(back_ns);
                if let Some(sum) = of_agent.streams.get_mut(stream) {
                    sum.add(&snapshot);
                    merger.add(index as u32, stream, last, &snapshot);
                }
            }
            Message::Ended(mut shares) => {
                shares.iter_mut().for_each(|share| share.shift(back_ns));
                merger.end(index as u32, shares);
            }
            Message::TooLate { late_ns } => return Err(EngineError::TooLate { late_ns }),
            Message::Failed(why) => {
                return Err(EngineError::Share(format!("{}: {why}", self.all[index].name())));
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the load everywhere, and waits until it has ended there.
    fn end(&mut self, progress: &mut [Progress]) {
        self.tell_all(&Message::Abandon);
        let ending = Deadline::after(ENDING);
        while !ending.is_over() && self.awaited(progress).is_some() {
            if let Some((index, Incoming::Message { message, .. })) = self.receive(LOOK) {
                progress[index].has_ended |= is_end(&message);
            }
        }
        // Its later reports of this load would be taken for the next one's.
        while let Some(slow) = self.awaited(progress) {
            self.lose(slow, &format!("it has not ended the load within {} s", ENDING.as_secs()));
        }
    }

    /// The first agent that is still to end a load.
    fn awaited(&self, progress: &[Progress]) -> Option<usize> {
        (0..progress.len()).find(|index| !self.is_lost(*index) && !progress[*index].has_ended)
    }
}

fn is_end(message: &Message) -> bool {
    matches!(message, Message::Ended(_) | Message::TooLate { .. } | Message::Failed(_))
}
