//! State of a study while it runs, as the live view shows it. Every step of the runner goes in, with the time.

use super::rows::{Away, ClaimRow, Server};
use proofload_lab::runner::Progress;
use proofload_language::{named, tr};
use proofload_report::{Left, number};
use proofload_stats::{Claim, Judgement};
use proofload_store::schema::{Plan, Replication, Slice};

/// A study on its way.
#[derive(Clone, Debug)]
pub struct Board {
    pub study: String,
    pub question: String,
    /// Kind of a block: a fresh start of the servers, or a round of servers that run anyway.
    pub round: Round,
    /// The number of the present block, and of the last one.
    pub block: Option<(u32, u32)>,
    /// Complete blocks, and those of the first look.
    pub complete: u32,
    pub first_look: u32,
    pub step: String,
    pub claims: Vec<ClaimRow>,
    pub servers: Vec<Server>,
    /// The load point that was measured last.
    pub point: String,
    left: Left,
    block_begun_ns: u64,
    in_block: bool,
    now_ns: u64,
}

/// Kind of a block, as the view names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// The servers are started anew.
    Restart,
    Round,
}

impl Round {
    pub fn counted(self, n: u32) -> String {
        tr!("live-counted", n, restart = self.is_restart())
    }

    pub fn is_restart(self) -> bool {
        self == Round::Restart
    }
}

impl Board {
    /// A study before its first step, of whose budget `spent_ns` is spent already.
    pub fn new(plan: &Plan, claims: &[Claim], spent_ns: u64, now_ns: u64) -> Board {
        let point = plan.points.first().map(|point| point.label.clone()).unwrap_or_default();
        let of_point = |label: &String| {
            plan.variants.iter().map(|variant| Server::new(&variant.name, label)).collect::<Vec<_>>()
        };
        Board {
            study: plan.study.clone(),
            question: plan.question.clone(),
            round: if plan.replication == Replication::Process { Round::Round } else { Round::Restart },
            block: None,
            complete: 0,
            first_look: plan.timing.looks.first().copied().unwrap_or(1),
            step: tr!("live-preparing").to_string(),
            claims: claims.iter().map(ClaimRow::new).collect(),
            servers: plan.points.iter().flat_map(|point| of_point(&point.label)).collect(),
            point,
            left: Left::new(plan, spent_ns as f64 / 1e9),
            block_begun_ns: now_ns,
            in_block: false,
            now_ns,
        }
    }

    pub fn step(&mut self, progress: &Progress<'_>, now_ns: u64) {
        self.now_ns = now_ns;
        match progress {
            Progress::Block { block, of, .. } => {
                self.close_block(false);
                self.in_block = true;
                self.block = Some((*block, *of));
                // Who was lost gets another chance.
                self.set_away(None, |server| server.away == Some(Away::Lost));
                self.step = tr!("live-step-starting").to_string();
            }
            Progress::Starting { variant } => self.step = tr!("live-step-starting-one", variant),
            Progress::WarmUp { done } => {
                self.step = tr!("live-step-warm-up", done = format!("{:.0}", done * 100.0))
            }
            Progress::Slice { cycle, of, variant, point } => {
                self.step = tr!("live-step-turn-of", cycle, of, variant, point);
            }
            Progress::Measured { slice } if slice.is_measured() || slice.trial.is_some() => {
                self.measured(slice)
            }
            Progress::Perturbing { variant, point } => {
                self.step = tr!("live-step-with-once-and-twice", variant, point);
            }
            Progress::LongSlices { point } => self.step = tr!("live-step-longer-turns-to-check", point),
            Progress::Ceiling { point, found: None } => {
                self.step = tr!("live-step-how-much-the-generator", point);
            }
            Progress::Trying { variant, rate_per_s, stage } => {
                let rate = number::with_unit(*rate_per_s, "per_s");
                self.step = format!("{variant} @ {rate}{}{}", tr!("between-parts"), named(stage.name()));
            }
            Progress::Look { blocks, judgement } => self.look(*blocks, judgement),
            _ => self.who_is_away(progress),
        }
    }

    fn who_is_away(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Skipped { skipped } => {
                let skipped =
                    |server: &Server| skipped.contains(&format!("{} @ {}", server.name, server.point));
                self.set_away(Some(Away::Settled), skipped);
            }
            Progress::Lost { variant, .. } => {
                self.set_away(Some(Away::Lost), |server| server.name == *variant)
            }
            Progress::GivenUp { variant, .. } => {
                self.set_away(Some(Away::GivenUp), |server| server.name == *variant)
            }
            _ => {}
        }
    }

    fn set_away(&mut self, away: Option<Away>, of: impl Fn(&Server) -> bool) {
        self.servers.iter_mut().filter(|server| of(server)).for_each(|server| server.away = away);
    }

    fn measured(&mut self, slice: &Slice) {
        let Slice { measured, .. } = slice;
        let is_it = |server: &&mut Server| server.name == measured.variant && server.point == measured.point;
        match self.servers.iter_mut().find(is_it) {
            Some(server) => server.measured(slice),
            None => {
                let mut server = Server::new(&measured.variant, &measured.point);
                server.measured(slice);
                self.servers.push(server);
            }
        }
        self.point.clone_from(&measured.point);
    }

    fn look(&mut self, blocks: u32, judgement: &Judgement) {
        self.close_block(true);
        self.complete = blocks;
        self.left.look(blocks, judgement.left);
        self.claims.iter_mut().zip(&judgement.claims).for_each(|(row, judged)| row.judged(judged));
    }

    /// Closes the time since the last block was closed; that of a `whole` block predicts the length of the next.
    fn close_block(&mut self, whole: bool) {
        let took_s = self.in_block_s();
        self.left.block_took(took_s, whole && self.in_block);
        (self.block_begun_ns, self.in_block) = (self.now_ns, false);
    }

    fn in_block_s(&self) -> f64 {
        self.now_ns.saturating_sub(self.block_begun_ns) as f64 / 1e9
    }

    /// Time left, in words.
    pub fn time_left(&self) -> String {
        self.left.in_words(self.in_block_s())
    }

    /// Share of its time that is over, at the most likely length.
    pub fn share_done(&self) -> f64 {
        self.left.share_done(self.in_block_s())
    }

    /// The servers at the load point that was measured last.
    pub fn here(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter(|server| server.point == self.point)
    }

    /// `restart 3 of at most 12`.
    pub fn round_in_words(&self) -> String {
        self.block.map_or(String::new(), |(block, of)| {
            tr!("live-round-in-words", restart = self.round.is_restart(), block, of)
        })
    }
}
