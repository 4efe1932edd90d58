//! The plan as a person reads it, before anything is started.

use super::reckon::Reckoning;
use crate::messages::explain as messages;
use proofload_engine::Overflow;
use proofload_language::facts::told;
use proofload_language::{number, tr};
use proofload_store::schema::{self, LoadPoint, Plan, PlannedCapacity, Variant};
use proofload_study::overflow::overflow;
use proofload_study::{ExpectedRow, Reference, Study, SubjectSpec};

/// Lines, of which some are headings and some belong to the line above.
#[derive(Default)]
struct Text(Vec<String>);

impl Text {
    fn heading(&mut self, heading: &str) {
        self.0.extend([String::new(), heading.to_string()]);
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.0.push(format!("  {}", line.as_ref()));
    }

    fn detail(&mut self, line: impl AsRef<str>) {
        self.0.push(format!("    {}", line.as_ref()));
    }

    fn list(&mut self, heading: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        self.heading(heading);
        lines.into_iter().for_each(|line| self.line(line));
    }
}

/// The checked plan as text: the commands, the requests, the claims, and the time. The commands are those of the plan's
/// variants, as they were entered there.
pub fn explain(study: &Study, plan: &Plan) -> String {
    let mut out = Text(vec![messages::study(plan)]);
    out.heading(tr!("explain-variants"));
    for (variant, checked) in plan.variants.iter().zip(&study.variants) {
        add_variant(&mut out, variant, &checked.subject);
    }
    out.list(tr!("explain-workload"), &plan.workload);
    out.list(
        tr!("explain-load-points"),
        plan.points.iter().map(|load| point(load, study.journeys.is_some())),
    );
    out.line(messages::time_outs(study.timeouts.connect_ns, study.timeouts.response_ns));
    match &plan.capacity {
        Some(search) => add_search(&mut out, plan, search),
        None => add_experiment(&mut out, study, plan),
    }
    out.list(tr!("explain-cpus"), messages::cpus(&plan.generator_cpus, &plan.subject_cpus));
    out.list(tr!("explain-conditions"), plan.conditions.iter().map(messages::condition));
    out.line(messages::conditions_vary(plan));
    out.list(tr!("explain-not-tested"), plan.not_tested.iter().map(told));
    out.0.join("\n") + "\n"
}

fn add_experiment(out: &mut Text, study: &Study, plan: &Plan) {
    out.heading(&messages::claims(study.claims.len(), plan.alpha));
    for (name, text) in &study.declared_claims {
        out.line(format!("{name}: {text}"));
        let expanded = study.claims.iter().filter(|claim| claim.name == *name && claim.text != *text);
        expanded.for_each(|claim| out.detail(&claim.text));
    }
    if !study.expectations.is_empty() {
        let row = |row: &ExpectedRow| match row.source.as_str() {
            "" => format!("{}: {}", row.quantity, row.range),
            source => format!("{}: {} ({source})", row.quantity, row.range),
        };
        out.list(tr!("explain-expected"), study.expectations.iter().map(row));
    }
    if !study.references.is_empty() {
        out.heading(tr!("explain-published"));
        study.references.iter().for_each(|reference| add_published(out, reference));
    }
    add_timing(out, study, plan);
    add_order(out, plan);
}

/// A source with its conclusions and the claims that test them.
fn add_published(out: &mut Text, reference: &Reference) {
    out.line(messages::figures(&reference.source, reference.figures.len()));
    reference.conclusions.iter().for_each(|conclusion| out.detail(messages::conclusion(conclusion)));
}

fn add_search(out: &mut Text, plan: &Plan, search: &PlannedCapacity) {
    out.list(tr!("explain-objective"), &search.slo);
    out.heading(&messages::time(plan));
    out.line(messages::search(search, plan.timing.discard_ns));
    out.line(messages::search_block(plan));
    out.line(messages::search_length(plan));
    out.line(messages::seed(plan.seed));
}

fn add_variant(out: &mut Text, variant: &Variant, subject: &SubjectSpec) {
    out.line(format!("{}: {}", variant.name, variant.description));
    if !variant.command.is_empty() {
        out.detail(messages::command(&command_line(&super::redact_arguments(&variant.command))));
    }
    match subject {
        SubjectSpec::Url { .. } => {}
        SubjectSpec::Command { port: Some(port), .. } => out.detail(messages::address(*port)),
        _ => out.detail(tr!("explain-free-port")),
    }
    if let Some(transport) = &variant.transport {
        messages::transport(transport).iter().for_each(|line| out.detail(line));
    }
    for (name, digest) in &variant.digests {
        out.detail(messages::digest(name, digest));
    }
}

/// Arguments quoted as for a shell; none is started, but that is how they are read.
fn command_line(args: &[String]) -> String {
    let quoted = |arg: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+%{}".contains(c);
        if !arg.is_empty() && arg.chars().all(plain) {
            arg.clone()
        } else {
            format!("'{}'", arg.replace('\'', "'\\''"))
        }
    };
    args.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn point(point: &LoadPoint, of_users: bool) -> String {
    messages::load_point(point, &sending(point, of_users), of_users)
}

/// Number of connections, and the handling of requests when none is free.
fn sending(point: &LoadPoint, of_users: bool) -> String {
    let (connections, most) = (point.connections, point.most_connections);
    let mut parts = vec![match most > connections {
        _ if of_users => tr!("explain-users", users = connections),
        true => tr!("explain-connections-up-to", connections, most),
        false => tr!("explain-connections", connections),
    }];
    if overflow(&point.overflow) == Ok(Overflow::Drop) {
        parts.push(tr!("explain-dropped").to_string());
    }
    if point.coalesce_ns > 0 {
        parts.push(tr!("explain-sent-together", coalesce = number::duration(point.coalesce_ns as f64)));
    }
    parts.join(tr!("between-items"))
}

fn add_timing(out: &mut Text, study: &Study, plan: &Plan) {
    let timing = &plan.timing;
    let serial = plan.mode == schema::Mode::Serial;
    let last = timing.looks.last().copied().unwrap_or(1);
    out.heading(&messages::time(plan));
    out.line(messages::mode(plan));
    out.line(messages::block(plan, serial, Reckoning::of(study, plan).warm_up_s(timing)));
    let whole = study.points.iter().any(proofload_study::LoadPoint::is_whole);
    out.detail(messages::cycles(timing, serial, whole));
    if timing.cycles_adapt && timing.warm_up_cap_ns > 0 && !serial {
        out.detail(tr!("explain-slices-adapt"));
    }
    if timing.cycles_adapt {
        out.detail(tr!("explain-cycles-adapt"));
    }
    messages::looks(timing).iter().for_each(|looks| out.line(looks));
    if timing.futility {
        out.detail(tr!("explain-futility"));
    }
    if last > 1 {
        out.detail(tr!("explain-skipping"));
    }
    out.line(messages::blocks(plan, last));
    out.line(messages::seed(plan.seed));
}

fn add_order(out: &mut Text, plan: &Plan) {
    let cycles = plan.order.first().map_or(&[][..], Vec::as_slice);
    let names = |cycle: &Vec<usize>| -> Vec<&str> {
        cycle.iter().map(|variant| plan.variants[*variant].name.as_str()).collect()
    };
    let lines = cycles.iter().enumerate().map(|(at, cycle)| messages::cycle(at + 1, &names(cycle)));
    out.list(tr!("explain-first-order"), lines);
}
