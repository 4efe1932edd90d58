//! A run that goes on.

use proofload_measure::{ExchangeTimes, Outcome, Recorder, Snapshot, Window};
use proofload_serve::metrics::{Doing, Family, Figures, Own, State, Value};
use proofload_store::schema::{
    CheckName, CheckOutcome, FitnessCheck, Generator, Phase, Plan, Point, Slice, SubjectUse,
};
use proofload_store::{histograms_of, point_of};

pub const SECOND: u64 = 1_000_000_000;

/// A second of a load, the `number`th, with these durations and outcomes.
pub fn second(number: u64, ends: &[(u64, Outcome)]) -> Snapshot {
    let window = Window { start_ns: SECOND * (number + 1), end_ns: SECOND * (number + 2) };
    let mut recorder = Recorder::new(window);
    for (took_ns, outcome) in ends {
        let begun = window.start_ns;
        let end_ns = begun + took_ns;
        let times = ExchangeTimes {
            intended_ns: begun,
            sent_ns: Some(begun + took_ns / 10),
            first_byte_ns: Some(end_ns),
            end_ns,
        };
        recorder.record(&times, *outcome);
        if *outcome == Outcome::Answered {
            recorder.record_code(begun, 200);
        }
    }
    recorder.finish()
}

/// The record of a slice that came to that.
pub fn slice(variant: &str, point: &str, stream: &str, seen: &Snapshot) -> Slice {
    let check = FitnessCheck {
        check: CheckName::Away,
        outcome: CheckOutcome::Passed,
        found: Some(0.01),
        limit: Some(0.1),
        unit: "share".to_string(),
        note: None,
    };
    Slice {
        block: 1,
        phase: Phase::Measure,
        cycle: 1,
        measured: Point {
            variant: variant.to_string(),
            point: point.to_string(),
            stream: stream.to_string(),
            connections_peak: 8,
            generator: Generator {
                cpu_ns: SECOND / 4,
                threads: 1,
                checks: vec![check],
                ..Generator::default()
            },
            subject: Some(SubjectUse {
                cpu_ns: Some(3 * SECOND),
                rss_bytes: Some(1 << 20),
                ..SubjectUse::default()
            }),
            ..point_of(seen)
        },
        histograms: histograms_of(seen),
        answered_in_window: seen.answered_in_window,
        ..Slice::default()
    }
}

/// A study of that name that measures.
pub fn begun(study: &str) -> State {
    let mut state = State::default();
    state.begun(&Plan { study: study.to_string(), ..Plan::default() }, &[], 0);
    state.block(1, 4);
    state.does(Doing::Measuring);
    state
}

pub fn figures(state: &State) -> Figures {
    let own = Own { cpu_ns: SECOND, memory_bytes: Some(1 << 20), exporters: Vec::new() };
    state.figures(&own)
}

pub fn family<'a>(figures: &'a Figures, name: &str) -> &'a Family {
    let found = figures.families.iter().find(|family| family.about.in_prometheus() == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// The sum of the samples of a metric that have that among their labels.
pub fn count(figures: &Figures, name: &str, label: &str) -> u64 {
    let samples = family(figures, name).samples.iter();
    let these = samples.filter(|sample| sample.labels.iter().any(|value| value == label));
    let values = these.map(|sample| match &sample.value {
        Value::Count(count) => *count,
        Value::Times(times) => times.count(),
        Value::Number(number) => panic!("{number} is no count"),
    });
    values.sum()
}

/// Values of a protobuf message at a path of field numbers: texts, messages and numbers of eight bytes.
pub fn parts_of<'a>(message: &'a [u8], path: &[u64]) -> Vec<&'a [u8]> {
    let Some((field, deeper)) = path.split_first() else { return vec![message] };
    let (mut rest, mut found) = (message, Vec::new());
    let take = |rest: &mut &'a [u8], length: usize| rest.split_off(..length).expect("so many bytes");
    while !rest.is_empty() {
        let key = varint(&mut rest);
        let part = match key & 7 {
            0 => {
                varint(&mut rest);
                continue;
            }
            1 => take(&mut rest, 8),
            2 => {
                let length = varint(&mut rest);
                take(&mut rest, length as usize)
            }
            kind => panic!("no kind of a field: {kind}"),
        };
        if key >> 3 == *field {
            found.extend(parts_of(part, deeper));
        }
    }
    found
}

fn varint(rest: &mut &[u8]) -> u64 {
    let length = rest.iter().position(|byte| *byte < 0x80).expect("an end") + 1;
    let bytes = rest.split_off(..length).expect("so many bytes");
    bytes.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
}

/// The metric of that name of a request of OTLP.
pub fn metric<'a>(request: &'a [u8], name: &str) -> &'a [u8] {
    let all = parts_of(request, &[1, 2, 2]);
    let found = all.into_iter().find(|metric| parts_of(metric, &[1]) == [name.as_bytes()]);
    found.unwrap_or_else(|| panic!("no {name}"))
}
