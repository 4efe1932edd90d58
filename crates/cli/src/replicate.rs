//! `proofload replicate`: a study in several sittings, hours apart, judged by what the sittings have in common.
//!
//! Each sitting is a run of its own, which is read and reported like any other. Between two of them no lock is held:
//! waiting for hours does not keep others from measuring.

use crate::args::{FleetArgs, ListFormat, ReplicateArgs};
use crate::exit::{Exit, leave};
use crate::fleet::{tolerated, with_agents};
use crate::mistakes::wrong;
use crate::noise::output_of_part;
use crate::output;
use crate::run::{self, Request, execute_recorded, exit_of_overall};
use crate::runs::print_json;
use proofload_analysis::compare;
use proofload_host::{clock, signals};
use proofload_lab::plan::{self, Preset};
use proofload_lab::study_run::StudyRun;
use proofload_language::facts::told;
use proofload_language::tr;
use proofload_store::Run;
use proofload_store::schema::{Difference, Plan, PlannedSitting};
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Sittings after which the claims are judged for the first time: fewer are hardly ever enough.
const FIRST_LOOK: u32 = 4;

pub fn replicate(args: &ReplicateArgs) -> anyhow::Result<Exit> {
    match &args.study {
        Some(study) => measure(args, study),
        None => {
            let runs = opened(&args.from)?;
            report(&runs, args)
        }
    }
}

/// Runs as they were named, oldest first, each once.
fn opened(paths: &[PathBuf]) -> anyhow::Result<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for path in paths {
        let run = Run::open(path).map_err(|error| leave(Exit::Usage, error))?;
        if run.is_running() {
            let what = format!("{} is being conducted by another process; wait for it", run.path().display());
            return Err(leave(Exit::Busy, what));
        }
        // runs/STUDY/* names the link to the latest, too.
        if !runs.iter().any(|known| known.path() == run.path()) {
            runs.push(run);
        }
    }
    let began = |run: &Run| run.status().sittings.first().map_or(0, |sitting| sitting.began_unix_ns);
    runs.sort_by(|a, b| (began(a), a.path()).cmp(&(began(b), b.path())));
    of_one_study(&runs)?;
    Ok(runs)
}

/// Runs that are not of one study, with the same servers on the same machine, are refused with all that differs.
fn of_one_study(runs: &[Run]) -> anyhow::Result<()> {
    let Some((first, others)) = runs.split_first() else { return Ok(()) };
    let mut told = Vec::new();
    for run in others {
        let (never, _) =
            compare::sittings((first.plan(), first.environment()), (run.plan(), run.environment()));
        if !never.is_empty() {
            told.push(format!("\n  {}:", run.path().display()));
            told.extend(never.iter().map(|difference| format!("\n    {}", brief(difference))));
        }
    }
    if told.is_empty() {
        return Ok(());
    }
    let what = format!(
        "these are no sittings of one study; what they have differently from {}:{}\nname runs of one study with the same \
         servers on one machine",
        first.path().display(),
        told.concat()
    );
    Err(leave(Exit::Usage, what))
}

/// A difference of values that may be whole studies; `proofload diff` has them in full.
fn brief(difference: &Difference) -> String {
    const VALUE_MAX: usize = 60;
    let side = |value: &Option<String>| {
        let value = value.as_ref()?;
        let is_long = value.chars().count() > VALUE_MAX || value.contains('\n');
        let begins: String = value.lines().next().unwrap_or_default().chars().take(VALUE_MAX).collect();
        Some(if is_long { format!("{begins}…") } else { begins })
    };
    let (left, right) = (side(&difference.left), side(&difference.right));
    told(&Difference { what: difference.what.clone(), left, right }.finding())
}

fn report(runs: &[Run], args: &ReplicateArgs) -> anyhow::Result<Exit> {
    let Some(result) = args.format.language().within(|| proofload_report::sittings(runs))? else {
        let what = "fewer than two sittings have a complete block: there is nothing to compare between sittings; each run \
                    has its own report (proofload report RUN)";
        return Err(leave(Exit::Undecided, what));
    };
    match args.format {
        ListFormat::Json => print_json(&result)?,
        ListFormat::Text => output::print(&proofload_report::sittings_text(&result, &clock::date_text))?,
    }
    Ok(exit_of_overall(proofload_analysis::overall_of_sittings(&result, runs)?))
}

/// After how many sittings the claims are judged.
fn looks(sittings: u32) -> Vec<u32> {
    if sittings > FIRST_LOOK { vec![FIRST_LOOK, sittings] } else { vec![sittings] }
}

/// Result of a sitting.
enum Sat {
    Recorded(PathBuf),
    /// A signal ended it; what it measured is on disk.
    Interrupted(PathBuf),
}

/// Place of the sittings, and the time between them.
trait SittingHost {
    /// Holds a sitting, from 1.
    fn sit(&mut self, number: u32) -> anyhow::Result<Sat>;
    /// True if the records settle every claim, so that no more sittings are needed.
    fn is_settled(&mut self, records: &[PathBuf]) -> anyhow::Result<bool>;
    fn now_ns(&mut self) -> u64;
    /// Waits; `false` when a signal ended that.
    fn wait_until(&mut self, deadline_ns: u64) -> bool;
}

/// Holds the sittings one after the other, each begun so long after the one before it, or at once where that lasted longer.
/// The records, and whether a signal ended it.
fn hold(place: &mut dyn SittingHost, looks: &[u32], every_ns: u64) -> anyhow::Result<(Vec<PathBuf>, bool)> {
    let last = looks.last().copied().unwrap_or(0);
    let mut records = Vec::new();
    for number in 1..=last {
        let begun_ns = place.now_ns();
        match place.sit(number)? {
            Sat::Recorded(record) => records.push(record),
            Sat::Interrupted(record) => {
                records.push(record);
                return Ok((records, true));
            }
        }
        if number == last || (looks.contains(&number) && place.is_settled(&records)?) {
            break;
        }
        if !place.wait_until(begun_ns.saturating_add(every_ns)) {
            return Ok((records, true));
        }
    }
    Ok((records, false))
}

/// Refuses a study whose sittings could not be judged, or that would be held at another place than the study names.
fn check(study: &Study, path: &Path) -> anyhow::Result<()> {
    let why = if study.claims.is_empty() || study.capacity.is_some() {
        "it claims nothing, and sittings are judged by their claims; give it a claim (proofload run measures it without)"
    } else if study.places.is_some() {
        "it names places, and sittings are held on this machine; take them out (proofload run goes there)"
    } else {
        return Ok(());
    };
    Err(leave(Exit::Usage, format!("{}: {why}", path.display())))
}

fn measure(args: &ReplicateArgs, path: &Path) -> anyhow::Result<Exit> {
    let every_ns = match args.every.as_str() {
        "0" | "0s" => 0,
        every => study::quantity::duration(every).map_err(|mistake| wrong("--every", mistake))?,
    };
    tolerated(&args.fleet.tolerance, args.fleet.agents)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(args.offline);
    let catalogue = Catalogue::find(args.catalogue.as_deref(), path.parent())
        .map_err(|error| leave(Exit::Usage, error))?;
    let options = study::Options {
        quick: args.quick,
        set: args.cpus.and(&args.set),
        driver: None,
        only: args.only.clone(),
    };
    let study = study::load(path, &options, &catalogue).map_err(|problems| leave(Exit::Usage, problems))?;
    check(&study, path)?;
    let stop = signals::install()?;
    let seed = args.seed.or(study.seed).unwrap_or_else(clock::unix_ns);
    let looks = looks(args.sittings);
    let mut here =
        Here { args, study: &study, catalogue: &catalogue, cache: &cache, looks: &looks, seed, stop: &stop };
    if args.explain {
        here.sit(1)?;
        return Ok(Exit::Done);
    }
    let (records, interrupted) = hold(&mut here, &looks, every_ns)?;
    let runs = opened(&records)?;
    match (report(&runs, args), interrupted) {
        (_, true) => Ok(Exit::Interrupted),
        (judged, false) => judged,
    }
}

/// This machine, at this time.
struct Here<'a> {
    args: &'a ReplicateArgs,
    study: &'a Study,
    catalogue: &'a Catalogue,
    cache: &'a Cache,
    looks: &'a [u32],
    /// Seed of the first sitting.
    seed: u64,
    stop: &'a AtomicBool,
}

impl SittingHost for Here<'_> {
    fn sit(&mut self, number: u32) -> anyhow::Result<Sat> {
        let args = self.args;
        let last = self.looks.last().copied().unwrap_or(number);
        run::say(args.quiet || args.explain, &tr!("replicate-sitting", number, last));
        let held = run::right_to_measure(&self.study.name, args.no_wait, args.quiet)?;
        let sitting = PlannedSitting { number, looks: self.looks.to_vec() };
        let shape = |plan: &mut Plan| {
            let budget_ns = plan.timing.budget_ns;
            plan::reshape(plan, self.study, &[args.blocks], budget_ns);
            plan.sitting = Some(sitting.clone());
        };
        let preset = match args {
            ReplicateArgs { quick: true, .. } => Preset::Quick,
            ReplicateArgs { thorough: true, .. } => Preset::Thorough,
            _ => Preset::Default,
        };
        let output = output_of_part(args.quiet);
        let fleet = if args.explain { &FleetArgs::default() } else { &args.fleet };
        let (exit, record) = with_agents(fleet, args.quiet, |generator| {
            let run = StudyRun {
                preset,
                timing: args.timing.as_deref(),
                no_ceiling: args.no_ceiling,
                // The order of the variants, and all else that is drawn, is another one in each sitting.
                seed: Some(self.seed.wrapping_add(u64::from(number) - 1)),
                shape: Some(&shape),
                generator,
                ..StudyRun::new(self.study, self.catalogue, self.cache, &args.dir)
            };
            execute_recorded(&Request {
                held: Some(&held),
                explain: args.explain,
                ..Request::new(run, &output)
            })
        })?;
        let record = record.unwrap_or_default();
        Ok(if exit == Exit::Interrupted { Sat::Interrupted(record) } else { Sat::Recorded(record) })
    }

    fn is_settled(&mut self, records: &[PathBuf]) -> anyhow::Result<bool> {
        let runs = opened(records)?;
        let judged = proofload_report::sittings(&runs)?;
        let open = |result: &proofload_store::schema::SittingsResult| {
            result.claims.iter().any(|claim| claim.verdict == proofload_store::schema::Verdict::Undecided)
        };
        Ok(judged.is_some_and(|result| !open(&result)))
    }

    fn now_ns(&mut self) -> u64 {
        clock::monotonic_ns()
    }

    fn wait_until(&mut self, deadline_ns: u64) -> bool {
        let left_ns = deadline_ns.saturating_sub(clock::monotonic_ns());
        if left_ns > 0 {
            let when = clock::date_text(clock::unix_ns().saturating_add(left_ns));
            run::say(self.args.quiet, &tr!("replicate-next-sitting", when));
        }
        clock::sleep_until(deadline_ns, self.stop) && !self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sittings of an hour each on a clock of its own.
    struct Made {
        now_ns: u64,
        begun: Vec<u64>,
        settled_after: usize,
        stopped_ns: u64,
    }

    const HOUR_NS: u64 = 3_600_000_000_000;

    impl SittingHost for Made {
        fn sit(&mut self, number: u32) -> anyhow::Result<Sat> {
            self.begun.push(self.now_ns / HOUR_NS);
            self.now_ns += HOUR_NS;
            let record = PathBuf::from(number.to_string());
            Ok(if self.now_ns > self.stopped_ns { Sat::Interrupted(record) } else { Sat::Recorded(record) })
        }

        fn is_settled(&mut self, records: &[PathBuf]) -> anyhow::Result<bool> {
            Ok(records.len() >= self.settled_after)
        }

        fn now_ns(&mut self) -> u64 {
            self.now_ns
        }

        fn wait_until(&mut self, deadline_ns: u64) -> bool {
            self.now_ns = self.now_ns.max(deadline_ns).min(self.stopped_ns);
            self.now_ns >= deadline_ns
        }
    }

    fn held(settled_after: usize, stopped_ns: u64, every_ns: u64) -> (Vec<u64>, usize, bool) {
        let mut place = Made { now_ns: 0, begun: Vec::new(), settled_after, stopped_ns };
        let (records, interrupted) = hold(&mut place, &looks(6), every_ns).expect("nothing fails");
        (place.begun, records.len(), interrupted)
    }

    #[test]
    fn sittings_begin_as_far_apart_as_was_asked_for() {
        assert_eq!(held(99, u64::MAX, 4 * HOUR_NS), (vec![0, 4, 8, 12, 16, 20], 6, false));
        // One that lasts longer than that is followed at once.
        assert_eq!(held(99, u64::MAX, 0), (vec![0, 1, 2, 3, 4, 5], 6, false));
    }

    #[test]
    fn they_end_early_at_a_look_alone() {
        assert_eq!(looks(6), [4, 6]);
        assert_eq!((looks(4), looks(2)), (vec![4], vec![2]));
        // Settled after three, which is not a look: the next one is at four.
        assert_eq!(held(3, u64::MAX, 0), (vec![0, 1, 2, 3], 4, false));
        assert_eq!(held(5, u64::MAX, 0).1, 6);
    }

    #[test]
    fn a_signal_keeps_what_was_measured() {
        assert_eq!(held(99, 9 * HOUR_NS, 4 * HOUR_NS), (vec![0, 4, 8], 3, true), "while it waits");
        assert_eq!(held(99, 4 * HOUR_NS, 4 * HOUR_NS), (vec![0, 4], 2, true), "within a sitting");
    }
}
