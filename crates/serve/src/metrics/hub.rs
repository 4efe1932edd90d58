//! Shared state of a run: threads of the run write it, exporters read it.

use crate::metrics::figures::{Cost, Own};
use crate::metrics::load::Second;
use crate::metrics::sheet::Figures;
use crate::metrics::state::State;
use proofload_host::cpus::KeptOff;
use proofload_host::{clock, process};
use proofload_measure::Snapshot;
use proofload_store::schema::SubjectUse;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An update by a thread beside the runner, about a load that goes on.
type Update = Box<dyn FnOnce(&mut State) + Send>;

/// State of a run, written by some threads and read by others.
#[derive(Default)]
pub struct Hub {
    state: Mutex<State>,
    /// Only writers lock it, for a moment: a thread that reports a second does not wait for readers.
    pending: Mutex<Vec<Update>>,
    costs: Mutex<Vec<(&'static str, Cost)>>,
    generator_cpus: Mutex<Vec<usize>>,
}

/// A thread that panicked while it held the lock left whole values behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// Enters a step, on a thread that may wait for a moment.
    pub fn tell(&self, step: impl FnOnce(&mut State)) {
        let mut state = lock(&self.state);
        // Not held while the step is entered, and not while a reader is waited for.
        let pending = std::mem::take(&mut *lock(&self.pending));
        pending.into_iter().for_each(|step| step(&mut state));
        step(&mut state);
    }

    /// Enters a second of the load that goes on. Does not wait for readers.
    pub fn second(&self, stream: usize, seen: &Snapshot) {
        let second = Second::of(seen);
        self.hear(Box::new(move |state| state.enter_second(stream, second)));
    }

    /// Enters the subject's use of the window that goes on. Does not wait for readers.
    pub fn used(&self, used: &SubjectUse) {
        let used = used.clone();
        self.hear(Box::new(move |state| state.used(&used)));
    }

    fn hear(&self, step: Update) {
        let mut pending = lock(&self.pending);
        pending.push(step);
        // A reader holds it: it is entered with the next second, or with the record of the slice.
        if let Ok(mut state) = self.state.try_lock() {
            pending.drain(..).for_each(|step| step(&mut state));
        }
    }

    /// Sets the CPUs of the generator, which exporters keep off.
    pub fn keep_off(&self, generator_cpus: &[usize]) {
        *lock(&self.generator_cpus) = generator_cpus.to_vec();
    }

    /// The figures as they are now.
    pub(crate) fn figures(&self) -> Figures {
        let own = Own {
            cpu_ns: clock::process_cpu_ns(),
            memory_bytes: process::rss_bytes(std::process::id()),
            exporters: lock(&self.costs).clone(),
        };
        lock(&self.state).figures(&own)
    }

    /// Number of changes, and true if there will be no more.
    pub(crate) fn version(&self) -> (u64, bool) {
        let state = lock(&self.state);
        (state.version, state.doing.is_over())
    }

    /// Notes what an exporter took so far.
    pub(crate) fn spent(&self, exporter: &'static str, cost: Cost) {
        let mut costs = lock(&self.costs);
        match costs.iter_mut().find(|(name, _)| *name == exporter) {
            Some((_, known)) => *known = cost,
            None => costs.push((exporter, cost)),
        }
    }

    /// Cost of an exporter so far.
    pub fn cost(&self, exporter: &str) -> Option<Cost> {
        lock(&self.costs).iter().find(|(name, _)| *name == exporter).map(|(_, cost)| *cost)
    }
}

/// Nice value of exporters: where they share a CPU with another thread, they have a tenth of it.
const MEEK: i32 = 10;

/// Keeps the thread of an exporter out of the way.
#[derive(Default)]
pub(crate) struct OutOfTheWay {
    cpus: Vec<usize>,
    kept: Option<KeptOff>,
}

impl OutOfTheWay {
    /// From the beginning of the thread on.
    pub fn begin() -> OutOfTheWay {
        // Of processes the kernel means the calling thread alone. Refused: it runs as others do.
        let _ = rustix::process::setpriority_process(None, MEEK);
        OutOfTheWay::default()
    }

    /// Moves the calling thread if the generator has other CPUs now.
    pub fn follow(&mut self, hub: &Hub) {
        let cpus = lock(&hub.generator_cpus).clone();
        if cpus != self.cpus {
            // First back to where it was: what is kept off narrows what is allowed.
            self.kept = None;
            self.kept = Some(KeptOff::these(&cpus));
            self.cpus = cpus;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_measure::{Recorder, Window};

    #[test]
    fn whoever_tells_of_a_second_does_not_wait_for_whoever_enters_a_step() {
        let hub = Hub::default();
        let seen = Recorder::new(Window { start_ns: 1, end_ns: 2 }).finish();
        hub.tell(|state| {
            state.begun_alone("a", "1c", 1);
            // Another thread would wait here; this one would for ever.
            hub.second(0, &seen);
        });
        assert_eq!(lock(&hub.pending).len(), 1);
        hub.tell(|_| {});
        assert!(lock(&hub.pending).is_empty() && lock(&hub.state).so_far().len() == 1);
    }
}
