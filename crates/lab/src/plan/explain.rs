//! The plan as a person reads it, before anything is started.

use super::{Mode, S, age_seconds, reckoned_warm_up_s};
use proofload_engine::Shortage;
use proofload_store::schema::{
    self, LoadPoint, Plan, PlannedCapacity, Replication, Timing, Transport, Variant,
};
use proofload_study::overflow::overflow;
use proofload_study::{ExpectedRow, OpenTerms, Reference, Study, SubjectSpec};
use std::fmt::Write;

/// The checked plan as text: what is started with which commands, what is asked, what is claimed, how long
/// it takes. The commands are those of the plan's variants, as they were entered there.
pub fn explain(study: &Study, plan: &Plan) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail; the results are dropped in one place.
    let _ = write_all(&mut out, study, plan);
    out
}

fn write_all(out: &mut String, study: &Study, plan: &Plan) -> std::fmt::Result {
    writeln!(out, "Study {}: {}", plan.study, plan.question)?;
    writeln!(out, "\nVariants")?;
    for (variant, checked) in plan.variants.iter().zip(&study.variants) {
        write_variant(out, variant, &checked.subject)?;
    }
    list(out, "Workload", &plan.workload)?;
    list(out, "Load points", &plan.points.iter().map(point).collect::<Vec<_>>())?;
    let seconds = |ns: u64| ns as f64 / S as f64;
    writeln!(
        out,
        "  time-outs: connect {} s, response {} s",
        seconds(study.timeouts.connect_ns),
        seconds(study.timeouts.response_ns)
    )?;
    if let Some(search) = &plan.capacity {
        write_search(out, plan, search)?;
        return write_end(out, plan);
    }
    writeln!(
        out,
        "\nClaims ({} at all load points, error rate {} over all of them)",
        study.claims.len(),
        plan.alpha
    )?;
    for (name, text) in &study.declared_claims {
        writeln!(out, "  {name}: {text}")?;
        let expanded = study.claims.iter().filter(|claim| claim.name == *name && claim.text != *text);
        for claim in expanded {
            writeln!(out, "    {}", claim.text)?;
        }
    }
    if !study.expectations.is_empty() {
        let row = |row: &ExpectedRow| match row.source.as_str() {
            "" => format!("{}: {}", row.quantity, row.range),
            source => format!("{}: {} ({source})", row.quantity, row.range),
        };
        list(out, "Expected", &study.expectations.iter().map(row).collect::<Vec<_>>())?;
    }
    if !study.references.is_empty() {
        list(out, "Published elsewhere", &study.references.iter().flat_map(published).collect::<Vec<_>>())?;
    }
    write_timing(out, study, plan)?;
    write_order(out, plan)?;
    write_end(out, plan)
}

/// A source with what it concluded and which claims test that.
fn published(reference: &Reference) -> Vec<String> {
    let mut lines = vec![format!("{}: {} figures", reference.source, reference.figures.len())];
    for conclusion in &reference.conclusions {
        let was = match conclusion.was.as_str() {
            "" => String::new(),
            was => format!(" (was {was})"),
        };
        let tested = match conclusion.not_tested.as_str() {
            "" => format!("tested by {}", conclusion.claims.join(", ")),
            why => format!("not tested: {why}"),
        };
        lines.push(format!("  {}{was}: {tested}", conclusion.says));
    }
    lines
}

fn write_end(out: &mut String, plan: &Plan) -> std::fmt::Result {
    writeln!(out, "\nCPUs")?;
    writeln!(out, "  generator: {}", cpus(&plan.generator_cpus))?;
    writeln!(out, "  subjects: {}", cpus(&plan.subject_cpus))?;
    list(out, "Not tested", &plan.not_tested)
}

fn write_search(out: &mut String, plan: &Plan, search: &PlannedCapacity) -> std::fmt::Result {
    let seconds = |ns: u64| ns as f64 / S as f64;
    list(out, "Objective", &search.slo)?;
    writeln!(out, "\nTime ({})", plan.preset)?;
    writeln!(
        out,
        "  search: at most {} trials of {} s for each variant ({} s before it are discarded), then the confirmation of both ends",
        search.trials_max,
        seconds(search.trial_ns),
        seconds(plan.timing.discard_ns)
    )?;
    let start = if plan.replication == Replication::Start { "a fresh start" } else { "new connections" };
    writeln!(
        out,
        "  block: {start}, a fixed warm-up of {} s, at most 8 trials",
        seconds(plan.timing.warm_up_ns)
    )?;
    let (most, budget) = (length(plan.estimated_seconds), length(seconds(plan.timing.budget_ns)));
    writeln!(out, "  at most: {most}; budget {budget}")?;
    writeln!(out, "  seed: {}", plan.seed)
}

fn write_variant(out: &mut String, variant: &Variant, subject: &SubjectSpec) -> std::fmt::Result {
    writeln!(out, "  {}: {}", variant.name, variant.description)?;
    if !variant.command.is_empty() {
        writeln!(out, "    command: {}", command_line(&super::redact_arguments(&variant.command)))?;
    }
    match subject {
        SubjectSpec::Url { .. } => {}
        SubjectSpec::Command { port: Some(port), .. } => writeln!(out, "    address: 127.0.0.1:{port}")?,
        _ => writeln!(out, "    address: 127.0.0.1, a free port chosen at each start ({{port}})")?,
    }
    if let Some(transport) = &variant.transport {
        write_transport(out, transport)?;
    }
    for (name, digest) in &variant.digests {
        writeln!(out, "    {name}: sha256 {digest}")?;
    }
    Ok(())
}

fn write_transport(out: &mut String, transport: &Transport) -> std::fmt::Result {
    if !transport.proxy.is_empty() {
        writeln!(out, "    proxy: {}, asked for a tunnel (CONNECT)", transport.proxy)?;
    }
    let Some(tls) = &transport.tls else { return Ok(()) };
    let offers = if tls.alpn.is_empty() { "nothing".to_string() } else { tls.alpn.join(", ") };
    let sessions = if tls.resumption { "resumed" } else { "never resumed" };
    writeln!(
        out,
        "    TLS: {} with {}, offers {offers}, sessions {sessions}",
        tls.versions.join(" or "),
        tls.server_name
    )?;
    match tls.insecure {
        true => writeln!(out, "    TLS: NOT CHECKED: anybody may be the server (insecure)")?,
        false => writeln!(out, "    TLS: trusts {}", tls.trusts)?,
    }
    if tls.client_certificate {
        writeln!(out, "    TLS: has a client certificate")?;
    }
    for (file, digest) in &tls.digests {
        writeln!(out, "    TLS: {file}: sha256 {digest}")?;
    }
    Ok(())
}

/// Arguments as a shell would need them quoted; none is asked, but that is how they are read.
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

fn point(point: &LoadPoint) -> String {
    let base = match point.rate_per_s {
        Some(rate) => format!(
            "{}: open, {rate} requests a second, {} arrivals, {}",
            point.label,
            point.arrival.as_deref().unwrap_or("constant"),
            sending(point)
        ),
        None if !point.streams.is_empty() => {
            let streams = point.streams.iter().map(|load| format!("{} {}", load.stream, load.profile));
            return format!("{}: {}", point.label, streams.collect::<Vec<_>>().join("; "));
        }
        None => format!("{}: {}, {}", point.label, point.model, sending(point)),
    };
    let base = match point.profile.as_str() {
        "" => base,
        shape if point.whole => format!("{base}, {shape}, carried out whole"),
        shape => format!("{base}, {shape}"),
    };
    let think = match point.think.as_str() {
        "" if point.think_ns > 0 => format!(", think time {} s", point.think_ns as f64 / S as f64),
        "" => String::new(),
        think => format!(", think time {think}"),
    };
    format!("{base}{think}, keep-alive {}", point.keep_alive)
}

/// Over how many connections, and what is done when none is free.
fn sending(point: &LoadPoint) -> String {
    let shortage = Shortage {
        overflow: overflow(&point.overflow).unwrap_or_default(),
        most_connections: Some(point.most_connections),
    };
    let terms = OpenTerms { shortage, auto: false };
    terms.in_words(point.connections, point.coalesce_ns).join(", ")
}

fn write_timing(out: &mut String, study: &Study, plan: &Plan) -> std::fmt::Result {
    let timing = &plan.timing;
    let seconds = |ns: u64| ns as f64 / S as f64;
    let blocks = timing.looks.last().copied().unwrap_or(1);
    writeln!(out, "\nTime ({})", plan.preset)?;
    writeln!(out, "  mode: {}, {}", plan.mode, plan.mode_reason)?;
    let serial = plan.mode == schema::Mode::Serial;
    let block = if plan.replication == Replication::Start {
        "fresh start of every variant"
    } else {
        "a stretch of time"
    };
    let turns = if serial { "one after the other, each with its share" } else { "that they share in turns" };
    let warm_up = match timing.warm_up_cap_ns {
        0 => format!("a fixed warm-up of {} s", seconds(timing.warm_up_ns)),
        cap_ns => format!(
            "a warm-up until they are steady, {} to {} s (reckoned with {:.0} s)",
            seconds(timing.warm_up_ns),
            seconds(cap_ns),
            reckoned_warm_up_s(study, timing)
        ),
    };
    writeln!(out, "  block: {block}, {warm_up} {turns},")?;
    let whole = study.points.iter().any(|point| point.is_whole());
    let each = if serial { "for it" } else { "on every variant" };
    let slices = match whole {
        true => format!("every load point {each} as long as it takes"),
        false => format!(
            "for every load point, {} s {each} ({} s before it are discarded)",
            seconds(timing.slice_ns),
            seconds(timing.discard_ns)
        ),
    };
    writeln!(out, "    then {} {}; in each, {slices}", timing.cycles, counted(timing.cycles, "cycle"))?;
    if timing.cycles_adapt {
        writeln!(
            out,
            "    after the first look as many cycles as the spread between slices and between starts makes \
             worthwhile, 2 to 24"
        )?;
    }
    if plan.preset == schema::Preset::Quick && plan.replication == Replication::Start {
        let mode = if serial { Mode::Serial } else { Mode::Cycles };
        let (from, to) = age_seconds(study, timing, mode);
        writeln!(out, "  label: young servers, {from} to {to} s after start")?;
    }
    write_looks(out, timing)?;
    writeln!(
        out,
        "  {}: {} of about {:.0} s, {}; budget {}",
        if timing.warm_up_cap_ns > 0 { "up to the last look" } else { "at most" },
        if blocks == 1 { "1 block".to_string() } else { format!("{blocks} blocks") },
        plan.estimated_seconds / f64::from(blocks.max(1)),
        length(plan.estimated_seconds),
        length(seconds(timing.budget_ns))
    )?;
    writeln!(out, "  seed: {}", plan.seed)
}

fn write_looks(out: &mut String, timing: &Timing) -> std::fmt::Result {
    let (first, last) =
        (timing.looks.first().copied().unwrap_or(1), timing.looks.last().copied().unwrap_or(1));
    if timing.looking == schema::Looking::Anytime {
        writeln!(
            out,
            "  looks: after every block from {first} to {last} (--keep-going); bounds that hold at all of them"
        )?;
    } else if last > 1 {
        let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
        let looks = looks.join(", ");
        writeln!(out, "  looks: after {looks} blocks; it ends early when every claim is settled")?;
    }
    if timing.futility {
        writeln!(out, "    a claim that the last look would hardly settle is closed as undecided before it")?;
    }
    if last > 1 {
        writeln!(out, "    what no open claim needs is not measured any more")?;
    }
    Ok(())
}

fn counted(n: u32, thing: &str) -> String {
    if n == 1 { thing.to_string() } else { format!("{thing}s") }
}

fn write_order(out: &mut String, plan: &Plan) -> std::fmt::Result {
    writeln!(out, "\nOrder in block 1")?;
    let cycles = plan.order.first().map_or(&[][..], Vec::as_slice);
    for (index, cycle) in cycles.iter().enumerate() {
        let names: Vec<&str> = cycle.iter().map(|variant| plan.variants[*variant].name.as_str()).collect();
        writeln!(out, "  cycle {}: {}", index + 1, names.join(", "))?;
    }
    Ok(())
}

fn list(out: &mut String, title: &str, lines: &[String]) -> std::fmt::Result {
    writeln!(out, "\n{title}")?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn length(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.1} min", seconds / 60.0) }
}

fn cpus(cpus: &[usize]) -> String {
    if cpus.is_empty() {
        return "not pinned".to_string();
    }
    cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
