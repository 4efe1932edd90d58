//! A journey in lines: its steps as they end, each with what passed for it, and pauses, loops and choices in between.

use super::lines::{Lines, told};
use proofload_engine::debug::{Conn, Ended, Heard, Notes, PAUSE_MAX_NS, TapEvent};
use proofload_engine::journey::Step;
use proofload_engine::{Distribution, LoadPlan};
use proofload_measure::Outcome;
use proofload_report::escape;
use proofload_store::redact;
use proofload_study::Study;
use std::collections::BTreeMap;

/// Most letters that are shown of a captured value.
const VALUE_MAX: usize = 200;

/// The outcome; `None` of one that had not ended when it was given up.
pub fn outcome(notes: &Notes) -> Option<Outcome> {
    notes
        .heard
        .iter()
        .find_map(|heard| if let TapEvent::Left(outcome) = heard.what { Some(outcome) } else { None })
}

/// The lines of a journey, `at` among those of the study.
pub fn text(study: &Study, plan: &LoadPlan, at: usize, notes: &Notes) -> String {
    know_captured(notes);
    let name = study.journeys.iter().flat_map(|journeys| journeys.names.get(at)).next();
    let name = escape::line(name.map_or("", String::as_str));
    let journeys = plan.asking.journeys.as_ref();
    let start_ns = notes.heard.first().map_or(0, |heard| heard.at_ns);
    let mut teller = Teller {
        study,
        plan,
        steps: journeys.and_then(|all| all.journeys.get(at)).map_or(&[][..], |journey| &journey.steps),
        start_ns,
        text: format!("journey {name}\n"),
        lines: BTreeMap::new(),
        homes: BTreeMap::new(),
        passes: BTreeMap::new(),
    };
    notes.heard.iter().for_each(|heard| teller.hear(heard));
    for (_, (entry, lines)) in std::mem::take(&mut teller.lines) {
        teller.step(entry, lines);
    }
    let mut end = Lines::new(None, start_ns);
    end.left_out(notes);
    let end_ns = notes.heard.last().map_or(0, |heard| heard.at_ns);
    end.note(
        end_ns,
        &match outcome(notes) {
            Some(Outcome::Answered) => format!("journey {name}: completed"),
            Some(outcome) => format!("journey {name}: not completed, {}", outcome.name()),
            None => format!("journey {name}: given up before its end"),
        },
    );
    teller.text + &end.take() + "\n"
}

/// Hides credentials wherever they come back, by the names of their variables.
fn know_captured(notes: &Notes) {
    for heard in &notes.heard {
        let TapEvent::Ended(ended) = &heard.what else { continue };
        for (name, value) in &ended.captured {
            redact::know_named(name, &String::from_utf8_lossy(value));
        }
    }
}

struct Teller<'a> {
    study: &'a Study,
    plan: &'a LoadPlan,
    steps: &'a [Step],
    start_ns: u64,
    text: String,
    /// Requests that have not ended, by their own connection: entries of the mix, and lines so far.
    lines: BTreeMap<Conn, (Option<usize>, Lines<'a>)>,
    /// Own connections of requests by those that redirects led them to.
    homes: BTreeMap<Conn, Conn>,
    /// Passes of loops so far, by their step.
    passes: BTreeMap<usize, u32>,
}

impl<'a> Teller<'a> {
    fn hear(&mut self, heard: &Heard) {
        let home = self.homes.get(&heard.conn).copied().unwrap_or(heard.conn);
        match &heard.what {
            TapEvent::Asks(entry) => {
                let target = self.plan.mix.get(*entry).and_then(|entry| self.plan.targets.get(entry.target));
                let (of, lines) = self.lines_of(heard.conn);
                *of = Some(*entry);
                lines.target = target;
                lines.note(heard.at_ns, "begins");
            }
            TapEvent::Moves(to) => drop(self.homes.insert(*to, home)),
            TapEvent::Ended(ended) => {
                self.homes.retain(|_, to| *to != heard.conn);
                if let Some((_, lines)) = self.lines.remove(&heard.conn) {
                    self.step(Some(ended.entry), lines);
                }
                self.end(ended);
            }
            TapEvent::Took { step, to } => self.took(heard.at_ns, *step, *to),
            TapEvent::Cut => self.say(heard.at_ns, "there is more, and it is not shown"),
            TapEvent::Left(_) => {}
            _ => self.lines_of(home).1.hear(heard),
        }
    }

    fn lines_of(&mut self, conn: Conn) -> &mut (Option<usize>, Lines<'a>) {
        self.lines.entry(conn).or_insert_with(|| (None, Lines::new(None, self.start_ns)))
    }

    fn say(&mut self, at_ns: u64, what: &str) {
        let mut lines = Lines::new(None, self.start_ns);
        lines.note(at_ns, what);
        self.text.push_str(&lines.take());
    }

    fn step(&mut self, entry: Option<usize>, lines: Lines<'_>) {
        let entry = entry.and_then(|entry| self.study.workload.get(entry));
        let name = entry.map_or("between requests", |entry| &entry.name);
        self.text.push_str(&format!("\n{}\n{}", escape::line(name), lines.take()));
    }

    fn end(&mut self, ended: &Ended) {
        let mut lines = Lines::new(None, self.start_ns);
        for (name, value) in &ended.captured {
            let shown = redact::named(name, &String::from_utf8_lossy(value));
            let cut = shown.char_indices().nth(VALUE_MAX).map(|(at, _)| at);
            let shown = cut.map_or(shown.clone(), |at| format!("{}…", &shown[..at]));
            lines.say(&format!("{name} = {}", escape::line(&shown)));
        }
        let (outcome, ms) = (ended.outcome.name(), ended.took_ns as f64 / 1e6);
        lines.say(&format!("outcome: {outcome} after {ms:.3} ms{}", told(ended.why.as_deref())));
        self.text.push_str(&lines.take());
    }

    /// A step that asks nothing was taken, and it goes on at `to`.
    fn took(&mut self, at_ns: u64, step: usize, to: usize) {
        let what = match self.steps.get(step) {
            Some(Step::Pause(time)) => format!("pause{}", cut(time)),
            Some(Step::Pace(time)) => format!("pace{}", cut(time)),
            Some(Step::Repeat { .. }) if to != step + 1 => {
                let passes = self.passes.remove(&step).unwrap_or(0);
                format!("loop: over after {passes} passes")
            }
            Some(Step::Repeat { times, .. }) => {
                let passes = self.passes.entry(step).or_default();
                *passes += 1;
                format!("loop: pass {passes} of {times}")
            }
            Some(Step::Unless { condition, .. }) => {
                let holds = if to == step + 1 { "yes" } else { "no" };
                let captures = self.plan.asking.captures.iter().flatten();
                let named = captures.into_iter().find(|capture| capture.variable == condition.variable);
                let name = named.map_or("", |capture| &capture.name);
                let test = redact::named(name, &condition.test.to_string());
                format!("condition: {name} is {test}: {holds}", test = escape::line(&test))
            }
            Some(Step::Choose(ways)) => {
                let way = ways.iter().position(|(_, way)| *way == to).map_or(0, |way| way + 1);
                format!("choice: way {way} of {}", ways.len())
            }
            Some(Step::Exit) => "exit".to_owned(),
            _ => return,
        };
        self.say(at_ns, &what);
    }
}

/// Note on a wait that is shorter than in a load.
fn cut(time: &Distribution) -> String {
    match time.most() {
        Some(most_ns) if most_ns <= PAUSE_MAX_NS => String::new(),
        _ => format!(", cut to {} ms", PAUSE_MAX_NS / 1_000_000),
    }
}
