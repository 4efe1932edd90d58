//! Sentences about the generator's self-checks.

use proofload_engine::{CheckKind, Finding};
use proofload_language::{kept, kept_word};

/// Why a check has no figure.
pub fn not_measured(check: CheckKind) -> &'static str {
    match check {
        CheckKind::SendDelay => kept_word!("kept-not-measured-no-send-of-the"),
        CheckKind::Unsent => kept_word!("kept-not-measured-no-open-loop-or"),
        CheckKind::LengthenedMean | CheckKind::LengthenedP99 | CheckKind::LengthenedP999 => {
            kept_word!("kept-not-measured-too-few-exchanges-or")
        }
        CheckKind::LittlesLaw => kept_word!("kept-not-measured-an-open-loop-or"),
        CheckKind::AtWork | CheckKind::Away | CheckKind::Ports | CheckKind::Descriptors => "",
    }
}

/// What a failed self-check says to a person.
pub fn finding(finding: &Finding) -> String {
    let ms = |ns: u64| ns as f64 / 1e6;
    match finding {
        Finding::SendDelay { p90_ns, allowed_ns } => kept!(
            "kept-finding-sends-left-late-p90",
            ms = format!("{:.3}", ms(*p90_ns)),
            ms2 = format!("{:.3}", ms(*allowed_ns))
        ),
        Finding::CpuBound { worker, busy, allowed } => kept!(
            "kept-finding-worker-was-busy-of",
            worker,
            busy = format!("{:.0}", busy * 100.0),
            allowed = format!("{:.0}", allowed * 100.0)
        ),
        Finding::Away { worker, share, allowed } => kept!(
            "kept-finding-worker-was-kept-from",
            worker,
            share = format!("{:.1}", share * 100.0),
            allowed = format!("{:.0}", allowed * 100.0)
        ),
        Finding::LittlesLaw { expected, found } => kept!(
            "kept-finding-littles-law-connections-in",
            expected = format!("{expected:.1}"),
            found = format!("{found:.1}")
        ),
        Finding::Ports { exhausted, opened, available } => {
            kept!("kept-finding-local-ports-connections-found", exhausted, opened, available)
        }
        Finding::NotOffered { intended, behind } => {
            let share = *behind as f64 / (*intended).max(1) as f64 * 100.0;
            kept!("kept-finding-offered-load-of-planned", behind, intended, share = format!("{share:.1}"))
        }
        Finding::AgentLost { agent, told_ns, offered } => agent_lost(agent, *told_ns, *offered),
        Finding::Descriptors { exhausted } => {
            kept!("kept-finding-file-descriptors-connections-found", exhausted)
        }
    }
}

/// An agent was lost, and when.
fn agent_lost(agent: &str, told_ns: Option<u64>, offered: f64) -> String {
    let offered = format!("{:.1}", offered * 100.0);
    let Some(told_ns) = told_ns else { return kept!("kept-finding-agent-lost-before", agent, offered) };
    let seconds = format!("{:.1}", told_ns as f64 / 1e9);
    kept!("kept-finding-agent-lost", agent, seconds, offered)
}
