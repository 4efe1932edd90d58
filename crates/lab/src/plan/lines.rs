//! The lines of a plan. Credentials never reach them.

use super::Preset;
use crate::messages::plan as messages;
use proofload_engine::Asking;
use proofload_facts::Finding;
use proofload_store::schema::{
    self, Level, PlannedConclusion, PlannedExpectation, PlannedFigure, PlannedReference,
};
use proofload_study::redact;
use proofload_study::{
    Conclusion, ExpectedRow, LoadPoint, Reference, Stream, Study, SubjectSpec, Variant, WorkloadEntry,
};

/// Arguments of a command with credentials replaced, to be entered in a plan.
pub fn redact_arguments(args: &[String]) -> Vec<String> {
    redact::arguments(args)
}

/// Arguments of Proofload itself with credentials replaced, to be entered in a record.
pub fn redact_own_arguments(args: &[String]) -> Vec<String> {
    redact::own_arguments(args)
}

/// A variant, loaded with this workload.
pub(super) fn variant(variant: &Variant, workload: &[WorkloadEntry]) -> schema::Variant {
    let levels = variant.levels.iter();
    let levels =
        levels.map(|(factor, level)| Level { factor: factor.clone(), level: level.clone() }).collect();
    let (kind, description, command) = match &variant.subject {
        SubjectSpec::Catalogue { folder, with } => {
            let mut parts = vec![folder.clone()];
            for (name, value) in with {
                parts.push(format!("{name} {}", proofload_store::redact::named(name, value)));
            }
            ("catalogue", parts.join(", "), Vec::new())
        }
        SubjectSpec::Command { args, port, .. } => {
            let program = args.first().map_or("", String::as_str);
            ("command", messages::command(program, *port), redact_arguments(args))
        }
        SubjectSpec::Url { address, authority } => {
            let url = format!("{}://{authority}", variant.passage.scheme());
            ("url", messages::running(&url, &address.to_string()), Vec::new())
        }
    };
    let others = workload.iter().filter_map(|entry| Some(&entry.at.as_ref()?.passage));
    let unchecked =
        others.clone().find(|passage| passage.is_insecure()).filter(|_| !variant.passage.is_insecure());
    schema::Variant {
        name: variant.name.clone(),
        levels,
        kind: kind.into(),
        description,
        command,
        shares: variant.shares.clone().unwrap_or_default(),
        // A certificate that is not checked is reported, also for another server than the subject.
        transport: unchecked.unwrap_or(&variant.passage).recorded(),
        ..schema::Variant::default()
    }
}

pub(super) fn expectations(study: &Study) -> Vec<PlannedExpectation> {
    let planned = |row: &ExpectedRow| PlannedExpectation {
        quantity: row.quantity.clone(),
        range: row.range.clone(),
        source: row.source.clone(),
    };
    study.expectations.iter().map(planned).collect()
}

pub(super) fn references(study: &Study) -> Vec<PlannedReference> {
    let figure = |(quantity, value): &(String, String)| PlannedFigure {
        quantity: quantity.clone(),
        value: value.clone(),
    };
    let planned = |reference: &Reference| PlannedReference {
        source: reference.source.clone(),
        url: reference.url.clone(),
        figures: reference.figures.iter().map(figure).collect(),
        conclusions: reference.conclusions.iter().map(conclusion).collect(),
    };
    study.references.iter().map(planned).collect()
}

fn conclusion(conclusion: &Conclusion) -> PlannedConclusion {
    let Conclusion { says, claims, was, beware, not_tested } = conclusion.clone();
    PlannedConclusion { says, claims, was, beware, not_tested }
}

/// One line for each entry: `page: GET /test, Accept: text/html, expects status 200 and 347 bytes, 1 of 3`; with
/// streams the stream's name precedes it.
pub(super) fn workload(study: &Study) -> Vec<String> {
    if study.points.iter().any(|point| point.asks.is_some()) {
        let alone = study.workload.iter().map(|entry| entry_line(entry, entry.weight.into()));
        return alone.chain(shared_lines(&study.asking)).collect();
    }
    if let Some(journeys) = &study.journeys {
        let steps = study.workload.iter().map(|entry| entry_line(entry, entry.weight.into()));
        let total: u64 = journeys.programs.iter().map(|journey| u64::from(journey.weight)).sum();
        let walks = journeys.names.iter().zip(&journeys.lines).zip(&journeys.programs);
        let walks = walks.map(|((name, line), program)| messages::journey(name, line, program.weight, total));
        return walks.chain(steps).chain(shared_lines(&study.asking)).collect();
    }
    if study.streams.is_empty() {
        return workload_of(&study.workload, &study.asking);
    }
    let of_stream = |stream: &Stream| {
        let entries = entry_lines(&study.workload[stream.entries.clone()]);
        entries.into_iter().map(|line| format!("{} {line}", stream.name)).collect::<Vec<_>>()
    };
    study.streams.iter().flat_map(of_stream).chain(shared_lines(&study.asking)).collect()
}

/// A load point with its requests, where those are not the whole workload.
pub(super) fn point(study: &Study, point: &LoadPoint) -> schema::LoadPoint {
    let asks = point.asks.and_then(|entry| study.workload.get(entry)).map(|entry| entry.name.clone());
    schema::LoadPoint { asks: asks.unwrap_or_default(), ..super::planned_point(&study.streams, point) }
}

/// The same of entries without streams.
pub(crate) fn workload_of(entries: &[WorkloadEntry], asking: &Asking) -> Vec<String> {
    [entry_lines(entries), shared_lines(asking)].concat()
}

fn entry_lines(entries: &[WorkloadEntry]) -> Vec<String> {
    let total: u64 = entries.iter().map(|entry| u64::from(entry.weight)).sum();
    entries.iter().map(|entry| entry_line(entry, total)).collect()
}

/// Settings of all connections.
fn shared_lines(asking: &Asking) -> Vec<String> {
    let mut shared = Vec::new();
    if asking.cookies {
        let of_users = asking.journeys.is_some();
        shared
            .push(if of_users { messages::USERS_KEEP_COOKIES } else { messages::KEEPS_COOKIES }.to_string());
    }
    if !asking.bind.is_empty() {
        let from: Vec<String> = asking.bind.iter().map(ToString::to_string).collect();
        shared.push(messages::leave_from(&from));
    }
    shared
}

fn entry_line(entry: &WorkloadEntry, total: u64) -> String {
    let shown = &entry.shown;
    let mut parts = vec![format!(
        "{}: {} {}",
        entry.name,
        entry.request.method,
        proofload_store::redact::word(&shown.target)
    )];
    if let Some(server) = &entry.at {
        parts.push(messages::of_server(server.passage.scheme(), &server.authority));
    }
    for (name, value) in &shown.headers {
        parts.push(format!("{name}: {}", proofload_store::redact::named(name, value)));
    }
    if !shown.body.is_empty() {
        parts.push(shown.body.clone());
    }
    if entry.follow > 0 {
        parts.push(messages::follows(entry.follow));
    }
    let expect = &entry.expect;
    parts.push(messages::expects(entry.call.is_some(), expect));
    parts.extend(entry.captures.iter().map(messages::captures));
    if u64::from(entry.weight) != total {
        parts.push(messages::weight(entry.weight, total));
    }
    parts.join(", ")
}

/// Parts that the preset, the study's `quick:` block and the kind of subjects leave untested.
pub(super) fn not_tested(study: &Study, preset: Preset, warm_up_cap_ns: u64) -> Vec<Finding> {
    let mut out = study.not_tested.clone();
    let runs = super::has_url(study);
    match preset {
        Preset::Smoke => out.push(Finding::NoVerdict),
        // A server that already runs has its own age, which is unknown.
        Preset::Quick if runs => {}
        Preset::Quick => out.push(Finding::OlderServers { warm_up_cap_ns }),
        // They check longer that the servers are steady.
        Preset::Default | Preset::Thorough => {}
    }
    if runs {
        out.push(Finding::NotRestarted);
    }
    out
}
