//! Sentences about the generator's self-checks.

use proofload_engine::{CheckKind, Finding};

/// Why a check has no figure.
pub fn not_measured(check: CheckKind) -> &'static str {
    match check {
        CheckKind::SendDelay => "no send of the generator's own timing, or too few",
        CheckKind::Unsent => "no open loop, or too few requests",
        CheckKind::LengthenedMean | CheckKind::LengthenedP99 | CheckKind::LengthenedP999 => {
            "too few exchanges, or too short a window"
        }
        CheckKind::LittlesLaw => "an open loop, or too few exchanges",
        CheckKind::AtWork | CheckKind::Away | CheckKind::Ports | CheckKind::Descriptors => "",
    }
}

/// What a failed self-check says to a person.
pub fn finding(finding: &Finding) -> String {
    let ms = |ns: u64| ns as f64 / 1e6;
    match finding {
        Finding::SendDelay { p90_ns, allowed_ns } => format!(
            "sends left late: p90 {:.3} ms of the generator's own making, {:.3} ms allowed; use fewer requests or more workers",
            ms(*p90_ns),
            ms(*allowed_ns)
        ),
        Finding::CpuBound { worker, busy, allowed } => format!(
            "worker {worker} was busy {:.0} % of the time, {:.0} % allowed; use more workers or another machine",
            busy * 100.0,
            allowed * 100.0
        ),
        Finding::Away { worker, share, allowed } => format!(
            "worker {worker} was kept from waking for {:.1} % of the time, {:.0} % allowed: something stopped it, or took its \
             CPU; give it one of its own",
            share * 100.0,
            allowed * 100.0
        ),
        Finding::LittlesLaw { expected, found } => format!(
            "Little's law: {expected:.1} connections in use, {found:.1} accounted for by throughput and service time"
        ),
        Finding::Ports { exhausted, opened, available } => format!(
            "local ports: {exhausted} connections found none, {opened} opened, {available} in the range; keep connections alive or widen the range"
        ),
        Finding::NotOffered { intended, behind } => {
            let share = *behind as f64 / (*intended).max(1) as f64 * 100.0;
            format!(
                "offered load: {behind} of {intended} planned requests ({share:.1} %) were never sent though a \
                 connection was free: the generator fell behind; use more workers or lower the rate"
            )
        }
        Finding::Descriptors { exhausted } => {
            format!(
                "file descriptors: {exhausted} connections found none; raise `ulimit -n` or use fewer connections"
            )
        }
    }
}
