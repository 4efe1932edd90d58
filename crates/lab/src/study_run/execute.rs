//! Blocks, or the trials of a search, on a bench.

use super::{Begin, Observer, PreparedRun, RunError};
use crate::generator_settings::GeneratorSettings;
use crate::runner::{Behind, Bench, BenchTerms, CapacityRunner, Ending, Progress, Runner};
use crate::spreads;
use proofload_analysis::{RunJudge, counting_blocks, left_out};
use proofload_facts::Finding;
use proofload_host::clock;
use proofload_host::lock::MeasuringLock;
use proofload_language::facts::in_english;
use proofload_store::schema::{PlannedCapacity, RunState};
use proofload_store::{Run, RunWriter, StoreError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A run that has come to its end, for any reason.
pub struct Executed {
    pub record: RunWriter,
    pub ending: Ending,
}

impl PreparedRun<'_> {
    /// Makes the record and carries the plan out. `stop` ends it early.
    ///
    /// # Errors
    /// The record cannot be written, or the keeper not be started; a dead server is an [`Ending`].
    pub fn execute(
        &self,
        right: &MeasuringLock,
        observer: &mut dyn Observer,
        stop: &Arc<AtomicBool>,
    ) -> Result<Executed, RunError> {
        let (mut record, behind) = self.open_record()?;
        let mut heard = RecordingObserver { observer, run: record.path().to_path_buf(), failed: None };
        let mut bench = self.run.benches.open(self.terms(right, stop)).map_err(RunError::Keeper)?;
        let ended = match &self.plan.capacity {
            Some(capacity) => self.trials(capacity, &mut *bench, &mut record, behind, &mut heard, stop),
            None => self.blocks(&mut *bench, &mut record, behind, &mut heard, stop),
        };
        right.keep_awake(true);
        match (ended, heard.failed) {
            (Ok(ending), None) => {
                if let Ok(run) = Run::open(record.path()) {
                    spreads::keep(self.run.cache, &self.study, &run, clock::unix_ns());
                }
                Ok(Executed { record, ending })
            }
            (Ok(_), Some(error)) | (Err(RunError::Record(error)), _) => {
                Err(keep_interrupted(&mut record, error))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The record, new or opened again, and its progress.
    fn open_record(&self) -> Result<(RunWriter, Behind), RunError> {
        let Begin::Resume { run, .. } = self.run.begin else {
            let record = RunWriter::create(self.run.dir, &self.plan, &self.environment, clock::unix_ns());
            return Ok((record.map_err(RunError::Record)?, Behind::default()));
        };
        let (record, run) = RunWriter::reopen(run.path(), clock::unix_ns(), self.accepted.clone())
            .map_err(RunError::Record)?;
        let behind = Behind {
            last_block: run.last_block(),
            complete: counting_blocks(&run).len() as u32,
            disturbed: left_out(&run).len() as u32,
            spent_ns: run.measured_ns(),
        };
        Ok((record, behind))
    }

    fn terms<'b>(&'b self, right: &'b MeasuringLock, stop: &Arc<AtomicBool>) -> BenchTerms<'b> {
        BenchTerms {
            study: &self.study,
            hosts: &self.hosts,
            right,
            generator_cpus: &self.plan.generator_cpus,
            workers: self.run.workers,
            cache: self.run.cache,
            environment: &self.environment,
            stop: Arc::clone(stop),
            generator: self.run.generator,
            address: self.run.address,
            listener: self.run.listener,
        }
    }

    /// Measures the network between agents and servers, where the servers have an address of the network.
    fn measure_network(
        &self,
        bench: &mut dyn Bench,
        record: &mut RunWriter,
        heard: &mut RecordingObserver<'_>,
    ) -> Result<(), RunError> {
        if self.plan.subjects_address.is_empty() {
            return Ok(());
        }
        bench.adopt(&GeneratorSettings::of(&self.plan, 1));
        let network = bench.network();
        heard.step(&Progress::Network { found: &network });
        record.write_network(&network).map_err(RunError::Record)
    }

    /// The trials of a search for a capacity.
    fn trials(
        &self,
        capacity: &PlannedCapacity,
        bench: &mut dyn Bench,
        record: &mut RunWriter,
        behind: Behind,
        heard: &mut RecordingObserver<'_>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Ending, RunError> {
        bench.adopt(&GeneratorSettings::of(&self.plan, 1));
        heard.observer.begun(&self.plan, &[], behind);
        self.measure_network(bench, record, heard)?;
        let ending = CapacityRunner {
            plan: &self.plan,
            capacity,
            bench,
            record,
            progress: &mut |step| heard.step(&step),
            stop,
            last_block: behind.last_block,
            spent_ns: behind.spent_ns,
        }
        .run();
        ending.map_err(RunError::Record)
    }

    /// Blocks, judged after each look.
    fn blocks(
        &self,
        bench: &mut dyn Bench,
        record: &mut RunWriter,
        behind: Behind,
        heard: &mut RecordingObserver<'_>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Ending, RunError> {
        let (_, claims, design) = proofload_analysis::restore(&self.plan)?;
        let judge = RunJudge::of(&self.plan)?;
        heard.observer.begun(&self.plan, &claims, behind);
        self.measure_network(bench, record, heard)?;
        let ending = Runner {
            plan: &self.plan,
            design: &design,
            claims: &judge.claims(),
            bench,
            record,
            look: &mut |path| judge.judge(&Run::open(path)?),
            progress: &mut |step| heard.step(&step),
            stop,
            behind,
            place: behind.complete.max(1),
            wait_for_quiet_ns: self.run.wait_for_quiet_ns,
        }
        .run();
        ending.map_err(RunError::Record)
    }
}

/// Receivers of every step: the observer, and the record of the findings on the way, at once.
struct RecordingObserver<'a> {
    observer: &'a mut dyn Observer,
    run: PathBuf,
    /// Error of the first line that could not be written.
    failed: Option<StoreError>,
}

impl RecordingObserver<'_> {
    fn step(&mut self, step: &Progress<'_>) {
        self.observer.step(step);
        let noticed = match step {
            Progress::Noticed { block, what } => {
                Finding::NoticedInBlock { block: *block, what: Box::new((*what).clone()) }
            }
            Progress::Disturbed { block, causes } => {
                Finding::BlockDisturbedBy { block: *block, causes: causes.to_vec() }
            }
            Progress::Lost { variant, why, .. } => {
                Finding::Lost { variant: variant.to_string(), why: Box::new((*why).clone()) }
            }
            Progress::GivenUp { variant, why, .. } => {
                Finding::DroppedVariant { variant: variant.to_string(), why: Box::new((*why).clone()) }
            }
            _ => return,
        };
        if let Err(error) = proofload_store::note(&self.run, &in_english(&noticed)) {
            self.failed.get_or_insert(error);
        }
    }
}

/// Ends a run whose record could not be written as a signal would: complete parts stay.
pub fn keep_interrupted(record: &mut RunWriter, error: StoreError) -> RunError {
    // Where nothing can be written this cannot be either; a resumed run finds a sitting that was cut off.
    let _perhaps = record.set_status(RunState::Interrupted, Some(&Finding::failed(&error)), clock::unix_ns());
    RunError::Unkept { error, path: record.path().to_path_buf() }
}
