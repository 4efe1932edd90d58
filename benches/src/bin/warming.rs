//! Predicted rest of warm-ups that end at a cap, against the change that followed: the table of docs/truth.md.
//!
//! ```text
//! cargo build --release && cd benches
//! cargo run --release --bin warming -- [--starts 16] [--seconds 24] [--save FILE]
//! cargo run --release --bin warming -- --from FILE         # the table once more, of starts that were saved
//! ```
//!
//! A Tomcat on CPU 1 is started `--starts` times, and loaded from CPU 0 by 8 connections in a closed loop, from its
//! first answer on, in turns of 20 ms. At each cut-off turns are put together to those of a study, a quarter of a
//! second or shorter if there are no forty yet, which two windows take; the rule of warm-ups estimates the speed at
//! which it still became faster, and so the change still possible. The actual change is the last five seconds against
//! the second after the cut-off. With `--smoke` it is one start of the reference server, which needs no Java.

use anyhow::ensure;
use proofload_benches::CLIENT_CPU;
use proofload_benches::flags::Flags;
use proofload_benches::fleet::{self, SECOND_NS, address};
use proofload_benches::subject::Subject;
use proofload_benches::usage::process_cpu_ns;
use proofload_engine::{Extent, LoadPlan, Profile, Launch, Watch as Watched, launch};
use proofload_host::clock;
use proofload_stats::steady::{Pace, Turn, Watch, rest_of_warm_up};
use proofload_wire::http1::RequestSpec;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Seconds after which a warm-up had to end.
const CUTS_S: [u64; 5] = [1, 2, 4, 8, 16];
const TURN_NS: u64 = SECOND_NS / 50;
/// Turns of two windows of one variant that compiles, and the length of a turn in a study.
const TURNS: usize = 40;
const STUDY_TURN_NS: u64 = SECOND_NS / 4;
/// Cut-offs of the last part of the table, and the predicted change below which they are in it.
const LATE_CUTS_NS: std::ops::Range<u64> = 12 * SECOND_NS..18 * SECOND_NS;
const LITTLE: f64 = 0.5;
/// Length of the end that counts as warm.
const LATE_NS: u64 = 5 * SECOND_NS;
const CONNECTIONS: u32 = 8;
/// Share of the starts that a bound must hold.
const HELD: f64 = 0.95;

/// A turn of load.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Seen {
    /// Since the load began.
    ended_ns: u64,
    took_ns: u64,
    answered: u64,
    cpu_ns: u64,
}

/// Estimates of one start at one cut-off, as logarithms.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// `None` without an estimate.
    rest: Option<f64>,
    throughput: f64,
    cpu: f64,
}

const MEASURES: [(&str, fn(&Cut) -> f64); 2] =
    [("throughput", |cut| cut.throughput), ("cpu_per_request", |cut| cut.cpu)];

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--starts", "--seconds", "--save", "--from"])?;
    if let Some(from) = flags.text("--from") {
        let text = std::fs::read_to_string(from)?;
        return table(&text.lines().map(serde_json::from_str).collect::<Result<Vec<Vec<Seen>>, _>>()?);
    }
    let starts: usize = flags.or_smoke("--starts", 16, 1)?;
    let seconds: u64 = flags.or_smoke("--seconds", 24, 9)?;
    ensure!(
        (1..=100).contains(&starts) && (7..=120).contains(&seconds),
        "--starts: 1 to 100; --seconds: 7 to 120"
    );
    let mut all = Vec::new();
    for start in 0..starts {
        let subject = match flags.smoke {
            true => Subject::start(&["--service", "spin:30us"])?,
            false => Subject::of_catalogue("tomcat", &["heap=128m"])?,
        };
        all.push(loaded(&subject, seconds * SECOND_NS)?);
        eprintln!("start {}", start + 1);
    }
    if let Some(to) = flags.text("--save") {
        let lines: Vec<String> = all.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        std::fs::write(to, lines.join("\n") + "\n")?;
    }
    table(&all)
}

fn plan(subject: &Subject) -> anyhow::Result<LoadPlan> {
    let mut plan = fleet::plan(address(&subject.url)?, 1.0, CONNECTIONS, 1)?;
    let spec = RequestSpec::get("localhost", "/echo");
    plan.mix[0].request = Arc::new(spec.encode()?);
    plan.profile = Profile::Closed { think_ns: 0.into() };
    plan.extent = Extent::DurationNs(TURN_NS);
    plan.cpus = vec![CLIENT_CPU];
    Ok(plan)
}

/// Turns of one start.
fn loaded(subject: &Subject, for_ns: u64) -> anyhow::Result<Vec<Seen>> {
    let (plan, pid) = (plan(subject)?, subject.pid()?);
    let begun_ns = clock::monotonic_ns();
    let mut turns = Vec::new();
    let mut cpu_ns = process_cpu_ns(pid)?;
    loop {
        let result = launch(Launch::new(std::slice::from_ref(&plan), &Watched::default()))?.remove(0);
        let (ended_ns, now_cpu_ns) = (clock::monotonic_ns() - begun_ns, process_cpu_ns(pid)?);
        let answered = result.snapshot.answered_in_window;
        turns.push(Seen { ended_ns, took_ns: TURN_NS, answered, cpu_ns: now_cpu_ns - cpu_ns });
        cpu_ns = now_cpu_ns;
        if ended_ns >= for_ns {
            return Ok(turns);
        }
    }
}

/// Turns as one: answers a second, and CPU time for each.
fn rates(turns: &[Seen]) -> (f64, f64) {
    let sum = |of: fn(&Seen) -> u64| turns.iter().map(of).sum::<u64>() as f64;
    let answered = sum(|turn| turn.answered);
    (answered * 1e9 / sum(|turn| turn.took_ns), sum(|turn| turn.cpu_ns) / answered)
}

fn cut(turns: &[Seen], at_ns: u64) -> Option<Cut> {
    let so_far = turns.iter().take_while(|turn| turn.ended_ns <= at_ns).count();
    let taken_ns = turns.get(so_far.checked_sub(1)?)?.ended_ns / so_far as u64;
    let together = (so_far / TURNS).clamp(1, STUDY_TURN_NS.div_ceil(taken_ns) as usize);
    let pace = Pace { turn_ns: TURN_NS * together as u64, plain: false };
    let mut watch = Watch::new(1, 1, pace);
    for some in turns[so_far % together..so_far].chunks(together) {
        let (per_s, cpu_ns) = rates(some);
        let ended_ns = some.last()?.ended_ns;
        let (cpu_ns_per_exchange, answered_per_s) = (Some(cpu_ns), Some(per_s));
        watch.enter(0, Turn { ended_ns, cpu_ns_per_exchange, answered_per_s, jit_ns: None });
    }
    let found = watch.found(false).into_iter().next()??;
    let whole_ns = turns.last().map(|turn| turn.ended_ns).filter(|whole_ns| *whole_ns > at_ns + SECOND_NS)?;
    let between = |from_ns: u64, to_ns: u64| {
        let some = turns.iter().filter(|turn| turn.ended_ns > from_ns && turn.ended_ns <= to_ns);
        rates(&some.copied().collect::<Vec<_>>())
    };
    let (then, warm) = (between(at_ns, at_ns + SECOND_NS), between(whole_ns - LATE_NS, whole_ns));
    Some(Cut {
        rest: found.slope.map(|slope| rest_of_warm_up(slope.own)),
        throughput: (warm.0 / then.0).ln(),
        cpu: (warm.1 / then.1).ln(),
    })
}

fn table(all: &[Vec<Seen>]) -> anyhow::Result<()> {
    println!(
        "| cut off after | told | rest as told | measure | changed by (5 to 95 %) | held | least that holds 95 % |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for cut_s in CUTS_S {
        let cuts: Vec<Cut> = all.iter().filter_map(|turns| cut(turns, cut_s * SECOND_NS)).collect();
        rows(&format!("{cut_s} s"), &cuts);
    }
    let late = || LATE_CUTS_NS.step_by(SECOND_NS as usize / 2);
    let cuts = all.iter().flat_map(|turns| late().filter_map(|at_ns| cut(turns, at_ns)));
    let little = |cut: &Cut| cut.rest.is_some_and(|rest| rest < LITTLE.ln_1p());
    rows("12 to 18 s, where less than 50 % is told", &cuts.filter(little).collect::<Vec<_>>());
    Ok(())
}

fn rows(head: &str, cuts: &[Cut]) {
    for (name, of) in MEASURES {
        let told: Vec<(f64, f64)> = cuts.iter().filter_map(|cut| Some((cut.rest?, of(cut)))).collect();
        let held = |(rest, changed): &&(f64, f64)| changed.abs() <= *rest;
        let mut needs: Vec<f64> =
            told.iter().map(|some| if held(&some) { 0.0 } else { some.1.abs() }).collect();
        needs.sort_by(f64::total_cmp);
        let place = (needs.len() as f64 * HELD).ceil() as usize;
        let least = needs.get(place.saturating_sub(1)).copied();
        println!(
            "| {head} | {} of {} | {} | {name} | {} | {} | {} |",
            told.len(),
            cuts.len(),
            shares(told.iter().map(|(rest, _)| *rest)),
            shares(told.iter().map(|(_, changed)| *changed)),
            told.iter().filter(held).count(),
            least.map_or("–".to_owned(), share),
        );
    }
}

/// Logarithms of ratios as shares: the median, and from 5 to 95 %.
fn shares(logs: impl Iterator<Item = f64>) -> String {
    let logs: Vec<f64> = logs.collect();
    if logs.is_empty() {
        return "–".to_owned();
    }
    let [middle, low, high] = [0.5, 0.05, 0.95].map(|part| share(at(&logs, part)));
    format!("{middle} ({low} to {high})")
}

/// A logarithm of a ratio as a share.
fn share(log: f64) -> String {
    if log > 10.0_f64.ln() { "> tenfold".to_owned() } else { format!("{:.1} %", log.exp_m1() * 100.0) }
}

fn at(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() as f64 * share) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
