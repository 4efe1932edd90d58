//! One load of the real world, with all its observers.

use proofload_engine::{EngineError, Extent, Generator, Launch, LoadPlan, LoadResult, Stretch, Watch};
use proofload_host::clock;
use proofload_host::steady::Steady;
use proofload_store::schema::SubjectUse;
use proofload_telemetry::{Checkpointer, Checkpoints, Sampled, Sampler, TreeSample};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Interval at which the bench checks the stop flag.
const LOAD_POLL: Duration = Duration::from_millis(20);
/// Shortest interval between two reports to a listener of the subject's use.
const HEAR_EVERY_NS: u64 = 1_000_000_000;

/// Listener to loads while they last, on the threads that collect and sample: none of them makes load. It must not keep
/// them waiting.
pub trait Listener: Sync {
    /// A load is about to be made: the variant's name, and the load point's label as the record will have it.
    fn begins(&self, variant: &str, point: &str);

    /// All workers of a stream have handed in a second, or several that could not be separated. The sum of the
    /// stretches is the figure of the load in the record.
    fn second(&self, stretch: &Stretch<'_>);

    /// Use of the subject since the window began, and what it holds now: while the window lasts. The final figures are
    /// in the record, where CPU time is scaled to the window; samples beyond its end have more.
    fn used(&self, used: &SubjectUse);
}

/// Generator and observers of a load.
pub(super) struct Watching<'a> {
    pub generator: &'a dyn Generator,
    pub sampler: Option<Sampler<'a>>,
    pub checkpointer: Option<Checkpointer<'a>>,
    pub listener: Option<&'a dyn Listener>,
}

/// Results of a load, and observations meanwhile.
pub(super) type Observed = (Vec<LoadResult>, Option<Sampled>, Option<Checkpoints>);

/// Runs the engine in a thread of its own, and the observers of the subject in others.
pub(super) fn observed(
    plans: &[LoadPlan],
    watching: &Watching<'_>,
    stop: &AtomicBool,
    steady: &mut Steady<'_>,
) -> Result<Observed, EngineError> {
    let (watch, done) = (Watch::default(), AtomicBool::new(false));
    let (watch, done) = (&watch, &done);
    let Watching { generator, sampler, checkpointer, listener } = watching;
    std::thread::scope(|scope| {
        let (over, ended) = mpsc::channel::<()>();
        let load = scope.spawn(move || {
            // Dropped when the load ends, for any reason.
            let _over = over;
            carried_out(*generator, plans, watch, *listener)
        });
        let sampling = sampler.as_ref().map(|sampler| {
            let hearing = Hearing::of(*listener, length_of(plans));
            scope.spawn(move || sampled(sampler, hearing, &watch.window_start_ns, done))
        });
        let checking = checkpointer.as_ref().map(|it| scope.spawn(|| it.run(&watch.window_start_ns, done)));
        while ended.recv_timeout(LOAD_POLL) == Err(mpsc::RecvTimeoutError::Timeout) {
            if stop.load(Ordering::Relaxed) {
                watch.stop.store(true, Ordering::Relaxed);
            }
            steady.tick(clock::monotonic_ns());
        }
        done.store(true, Ordering::Relaxed);
        let sampled = sampling.map(|sampling| sampling.join().unwrap_or_else(|e| resume_unwind(e)));
        let checked = checking.map(|checking| checking.join().unwrap_or_else(|e| resume_unwind(e)));
        match load.join() {
            Ok(result) => result.map(|result| (result, sampled, checked)),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// The samples, received one by one.
fn sampled(
    sampler: &Sampler<'_>,
    mut hearing: Hearing<'_>,
    start_ns: &AtomicU64,
    done: &AtomicBool,
) -> Sampled {
    sampler.run_heard(start_ns, done, &mut |sample| hearing.hear(sample, start_ns.load(Ordering::Relaxed)))
}

/// The load itself, received second by second.
fn carried_out(
    generator: &dyn Generator,
    plans: &[LoadPlan],
    watch: &Watch,
    listener: Option<&dyn Listener>,
) -> Result<Vec<LoadResult>, EngineError> {
    let Some(listener) = listener else { return generator.launch(Launch::new(plans, watch)) };
    let mut tell = |stretch: &Stretch<'_>| listener.second(stretch);
    generator.launch(Launch { each_second: Some(&mut tell), ..Launch::new(plans, watch) })
}

/// From samples to the reports to a listener.
struct Hearing<'a> {
    listener: Option<&'a dyn Listener>,
    /// Of the window, where the clock ends it.
    length_ns: Option<u64>,
    first: Option<TreeSample>,
    next_ns: u64,
}

impl<'a> Hearing<'a> {
    fn of(listener: Option<&'a dyn Listener>, length_ns: Option<u64>) -> Hearing<'a> {
        Hearing { listener, length_ns, first: None, next_ns: 0 }
    }

    fn hear(&mut self, sample: &TreeSample, start_ns: u64) {
        let Some(listener) = self.listener else { return };
        let first = self.first.get_or_insert_with(|| sample.clone());
        let end_ns = self.length_ns.map_or(u64::MAX, |length_ns| start_ns.saturating_add(length_ns));
        if sample.at_ns >= self.next_ns && sample.at_ns < end_ns {
            self.next_ns = sample.at_ns + HEAR_EVERY_NS;
            listener.used(&sample.since(first));
        }
    }
}

/// Length of the window, where all streams have one by the clock.
pub(super) fn length_of(plans: &[LoadPlan]) -> Option<u64> {
    let lengths = plans.iter().map(|plan| match plan.extent {
        Extent::DurationNs(length_ns) => Some(length_ns),
        _ => None,
    });
    lengths.collect::<Option<Vec<u64>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct UseLog(Mutex<Vec<Option<u64>>>);

    impl Listener for UseLog {
        fn begins(&self, _: &str, _: &str) {}

        fn second(&self, _: &Stretch<'_>) {}

        fn used(&self, used: &SubjectUse) {
            self.0.lock().expect("nobody panics").push(used.cpu_ns);
        }
    }

    /// CPU times that are received for samples at these milliseconds of a window that begins at the hundredth second.
    fn heard(length_ns: Option<u64>, at_ms: &[u64]) -> Vec<u64> {
        let start_ns = 100_000_000_000;
        let listener = UseLog::default();
        let mut hearing = Hearing::of(Some(&listener), length_ns);
        for ms in at_ms {
            let at_ns = start_ns + ms * 1_000_000;
            hearing
                .hear(&TreeSample { at_ns, cpu_ns: 7 + ms, processes: 1, ..TreeSample::default() }, start_ns);
        }
        drop(hearing);
        listener.0.into_inner().expect("nobody panics").into_iter().flatten().collect()
    }

    #[test]
    fn a_subject_is_heard_of_each_second_until_its_window_ends() {
        let at_ms = [0, 500, 1_000, 1_500, 2_000, 3_000];
        assert_eq!(heard(None, &at_ms), [0, 1_000, 2_000, 3_000]);
        assert_eq!(heard(Some(2_000_000_000), &at_ms), [0, 1_000], "what is late has more than the record");
        assert_eq!(heard(Some(2_000_000_001), &at_ms), [0, 1_000, 2_000]);
    }
}
