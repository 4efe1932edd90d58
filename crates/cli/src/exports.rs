//! Figures for others while something runs.

use crate::args::ExportArgs;
use crate::exit::{Exit, leave};
use proofload_engine::Stretch;
use proofload_lab::generator_settings::GeneratorSettings;
use proofload_lab::runner::{Behind, Listener, Progress};
use proofload_serve::metrics::{Doing, Hub, OtlpSettings, Push, Server, State, address};
use proofload_stats::Claim;
use proofload_store::schema::{Phase, Plan, Slice, SubjectUse};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exporters at work. Dropped, they export once more: the figures so far are pushed, and a scraper that came before
/// gets the time to come once more.
pub struct Exports {
    hub: Arc<Hub>,
    server: Option<Server>,
    push: Option<Push>,
    stop: Arc<AtomicBool>,
    quiet: bool,
}

impl Exports {
    /// Begins to export, if an export is asked for.
    ///
    /// # Errors
    /// If an address cannot be read or listened on.
    pub fn start(args: &ExportArgs, stop: &Arc<AtomicBool>, quiet: bool) -> anyhow::Result<Option<Exports>> {
        if args.prometheus.is_none() && args.otlp.is_none() {
            return Ok(None);
        }
        let hub = Arc::new(Hub::default());
        let wrong = |flag: &str, why: &dyn std::fmt::Display| leave(Exit::Usage, format!("{flag}: {why}"));
        // Both are read before a port is listened on, and a collector is the last to be told.
        let variable = |name: &str| std::env::var(name).ok();
        let settings = args.otlp.as_deref().map(|text| OtlpSettings::read(text, &variable));
        let settings = settings.transpose().map_err(|why| wrong("--otlp", &why))?;
        let address = args.prometheus.as_deref().map(address).transpose();
        let address = address.map_err(|why| wrong("--prometheus", &why))?;
        let listening = |address| {
            Server::start(address, Arc::clone(&hub))
                .map_err(|why| wrong("--prometheus", &format!("cannot listen on {address}: {why}")))
        };
        let server = address.map(listening).transpose()?;
        let pushing = |settings| Push::start(settings, Arc::clone(&hub), Arc::clone(stop));
        let push = settings.map(pushing).transpose().map_err(|why| wrong("--otlp", &why))?;
        let exports = Exports { hub, server, push, stop: Arc::clone(stop), quiet };
        exports.server.iter().for_each(|server| exports.say(&server.announcement()));
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
        if let Progress::Block { place, .. } = step {
            self.hub.keep_off(&GeneratorSettings::of(plan, *place).generator_cpus);
        }
        self.hub.tell(|state| {
            state.progress(done);
            match step {
                Progress::Block { block, of, .. } => state.block(*block, *of),
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
            crate::around::error_line(line);
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
            crate::around::error_line(failed);
        }
        let Some(server) = &self.server else { return };
        let stopped = self.stop.load(Ordering::Relaxed);
        if let Some(within_ns) = server.scraper_within_ns().filter(|_| !stopped) {
            let seconds = within_ns.div_ceil(1_000_000_000);
            self.say(&format!("waiting at most {seconds} s for the last scrape; Ctrl-C leaves at once"));
            server.wait_for_scrape(within_ns, &self.stop);
        }
    }
}
