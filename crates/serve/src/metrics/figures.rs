//! From what is known of a run to metrics with values.

use crate::metrics::catalogue as about;
use crate::metrics::sheet::{Figures, Sheet};
use crate::metrics::state::{Doing, State};
use proofload_stats::Verdict;

/// Cost of exporting so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// CPU time of its thread.
    pub cpu_ns: u64,
    /// Bytes handed out.
    pub bytes: u64,
    pub done: u64,
    /// Times that it could not.
    pub failed: u64,
}

/// Proofload's own use of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// CPU time of the process.
    pub cpu_ns: u64,
    pub memory_bytes: Option<u64>,
    /// By name of the exporter.
    pub exporters: Vec<(&'static str, Cost)>,
}

const VERDICTS: [Verdict; 3] = [Verdict::Supported, Verdict::Refuted, Verdict::Undecided];

impl State {
    /// All figures as they are now.
    pub fn figures(&self, own: &Own) -> Figures {
        let (mut run, so_far) = (self.of_run(), self.so_far());
        own.enter(&mut run);
        let sheets = so_far.iter().chain(&self.latest).map(|(labels, sheet)| (labels.as_slice(), sheet));
        Figures::of(&self.study, [(&[][..], &run)].into_iter().chain(sheets))
    }

    /// Figures of the run as a whole, and of its claims.
    fn of_run(&self) -> Sheet {
        let mut to = Sheet::default();
        let seed = self.seed.to_string();
        to.set(&about::RUN, &[env!("CARGO_PKG_VERSION"), &self.preset, &seed], Some(1_u64));
        for (doing, name) in Doing::ALL {
            to.set(&about::RUN_STATE, &[name], Some(u64::from(doing == self.doing)));
        }
        to.set(&about::RUN_PROGRESS, &[], self.progress);
        if let Some((block, last)) = self.block {
            to.set_all(&[
                (&about::BLOCK, u64::from(block)),
                (&about::BLOCKS_LAST, u64::from(last)),
                (&about::BLOCKS_COMPLETE, u64::from(self.complete)),
                (&about::BLOCKS_DISTURBED, self.disturbed),
            ]);
        }
        if let Some((cycle, of)) = self.cycle {
            to.set_all(&[(&about::CYCLE, u64::from(cycle)), (&about::CYCLES, u64::from(of))]);
        }
        self.lost.iter().for_each(|(variant, times)| to.set(&about::LOST, &[variant], Some(*times)));
        for claim in &self.claims {
            for verdict in VERDICTS {
                let is_it = u64::from(verdict == claim.verdict);
                to.set(&about::CLAIM_VERDICT, &[&claim.name, verdict.name()], Some(is_it));
            }
            to.set(&about::CLAIM_SETTLED, &[&claim.name], Some(u64::from(claim.settled)));
            to.set(&about::CLAIM_BLOCKS, &[&claim.name], Some(u64::from(claim.blocks)));
            if let Some(estimate) = &claim.estimate {
                let labels = [claim.name.as_str(), estimate.unit];
                to.set(&about::CLAIM_ESTIMATE, &labels, Some(estimate.point));
                to.set(&about::CLAIM_LOW, &labels, Some(estimate.low));
                to.set(&about::CLAIM_HIGH, &labels, Some(estimate.high));
            }
        }
        to
    }
}

impl Own {
    fn enter(&self, to: &mut Sheet) {
        to.set(&about::PROCESS_CPU, &[], Some(self.cpu_ns));
        to.set(&about::PROCESS_MEMORY, &[], self.memory_bytes);
        for (exporter, cost) in &self.exporters {
            to.set(&about::EXPORTER_CPU, &[exporter], Some(cost.cpu_ns));
            to.set(&about::EXPORTER_SENT, &[exporter], Some(cost.bytes));
            to.set(&about::EXPORTER_DONE, &[exporter, "done"], Some(cost.done));
            to.set(&about::EXPORTER_DONE, &[exporter, "failed"], Some(cost.failed));
        }
    }
}
