//! Figures for others while something runs.

use crate::args::ExportArgs;
use crate::exit::{Exit, leave};
use proofload_engine::Stretch;
use proofload_lab::manner::Manner;
use proofload_lab::runner::{Behind, Listener, Progress};
use proofload_metrics::{Doing, Hub, OtlpSettings, Push, Server, State, address};
use proofload_stats::Claim;
use proofload_store::schema::{Phase, Plan, Slice, SubjectUse};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exporters at work. Dropped, they say the last word: what is known by then is pushed, and a scraper that came before gets
/// the time to come once more.
pub struct Exports {
    hub: Arc<Hub>,
    server: Option<Server>,
    push: Option<Push>,
    stop: Arc<AtomicBool>,
    quiet: bool,
}

impl Exports {
    /// Begins to export, if anything is asked for.
    ///
    /// # Errors
    /// When an address cannot be read or listened on.
    pub fn start(args: &ExportArgs, stop: &Arc<AtomicBool>, quiet: bool) -> anyhow::Result<Option<Exports>> {
        if args.prometheus.is_none() && args.otlp.is_none() {
            return Ok(None);
        }
        let hub = Arc::new(Hub::default());
        let wrong = |flag: &str, why: &dyn std::fmt::Display| leave(Exit::Usage, format!("{flag}: {why}"));
        let mut exports =
            Exports { hub: Arc::clone(&hub), server: None, push: None, stop: Arc::clone(stop), quiet };
        if let Some(text) = &args.otlp {
            let variable = |name: &str| std::env::var(name).ok();
            let settings =
                OtlpSettings::read(text, &variable).and_then(|it| Push::start(it, Arc::clone(&hub)));
            exports.push = Some(settings.map_err(|why| wrong("--otlp", &why))?);
        }
        if let Some(text) = &args.prometheus {
            let address = address(text).map_err(|why| wrong("--prometheus", &why))?;
            let server = Server::start(address, hub)
                .map_err(|why| wrong("--prometheus", &format!("cannot listen on {address}: {why}")))?;
            exports.say(&server.announcement());
            exports.server = Some(server);
        }
        Ok(Some(exports))
    }

    /// One endpoint is about to be measured.
    pub fn endpoint(&self, name: &str, point: &str, seed: u64) {
        self.hub.tell(|state| state.begun_alone(name, point, seed));
    }

    /// It was measured, or stopped before its time.
    pub fn measured(&self, slice: &Slice, stopped: bool) {
        self.hub.tell(|state| {
            state.slice(slice);
            state.ends(if stopped { Doing::Interrupted } else { Doing::Finished });
        });
    }

    /// Tells of anything.
    pub fn tell(&self, step: impl FnOnce(&mut State)) {
        self.hub.tell(step);
    }

    /// A study's plan is made.
    pub fn begun(&self, plan: &Plan, claims: &[Claim], behind: Behind) {
        self.hub.keep_off(&plan.generator_cpus);
        self.hub.tell(|state| state.begun(plan, claims, behind.complete));
    }

    /// A step of a study, and how much of it is done, 0 to 1.
    pub fn step(&self, plan: &Plan, step: &Progress<'_>, done: f64) {
        if let Progress::Block { block, .. } = step {
            self.hub.keep_off(&Manner::of(plan, *block).generator_cpus);
        }
        self.hub.tell(|state| {
            state.progress(done);
            match step {
                Progress::Block { block, of } => state.block(*block, *of),
                Progress::Starting { .. } => state.does(Doing::Starting),
                Progress::WarmUp { .. } => state.does(Doing::WarmingUp),
                Progress::Slice { cycle, of, .. } => state.cycle(*cycle, *of),
                Progress::Trying { .. } => state.does(Doing::Measuring),
                Progress::Measured { slice } => state.slice(slice),
                Progress::Perturbing { .. } => state.checks(Phase::Perturbation),
                Progress::LongSlices { .. } => state.checks(Phase::Long),
                Progress::Ceiling { found: None, .. } => state.does(Doing::Checking),
                Progress::Look { blocks, judgement } => state.look(*blocks, judgement),
                Progress::Lost { variant, .. } => state.lost(variant),
                Progress::Disturbed { .. } => state.disturbed(),
                _ => {}
            }
        });
    }

    fn say(&self, line: &str) {
        if !self.quiet {
            eprintln!("{}", proofload_report::escape::terminal(line));
        }
    }
}

impl Listener for Exports {
    fn begins(&self, variant: &str, point: &str) {
        self.hub.tell(|state| state.begins(variant, point));
    }

    fn second(&self, stretch: &Stretch<'_>) {
        self.hub.second(stretch.stream, stretch.snapshot);
    }

    fn used(&self, used: &SubjectUse) {
        self.hub.used(used);
    }
}

impl Drop for Exports {
    fn drop(&mut self) {
        self.hub.tell(|state| state.ends(Doing::Failed));
        if let Some(failed) = self.push.take().and_then(Push::end) {
            eprintln!("{}", proofload_report::escape::terminal(&failed));
        }
        let Some(server) = &self.server else { return };
        if let Some(within_ns) = server.scraper_within_ns() {
            let seconds = within_ns.div_ceil(1_000_000_000);
            self.say(&format!("waiting at most {seconds} s for the last scrape; Ctrl-C leaves at once"));
            server.wait_for_scrape(within_ns, &self.stop);
        }
    }
}
