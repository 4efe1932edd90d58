//! The generator's self-checks, as records have them.

use proofload_engine::{CheckKind, Finding as Found};
use proofload_facts::Finding;

/// Reason why a check has no figure.
pub fn not_measured(check: CheckKind) -> Option<Finding> {
    match check {
        CheckKind::SendDelay => Some(Finding::TooFewSends),
        CheckKind::Unsent => Some(Finding::TooFewDue),
        CheckKind::LengthenedMean | CheckKind::LengthenedP99 | CheckKind::LengthenedP999 => {
            Some(Finding::TooFewExchanges)
        }
        CheckKind::LittlesLaw => Some(Finding::NotClosedLoop),
        CheckKind::AtWork | CheckKind::Away | CheckKind::Ports | CheckKind::Descriptors => None,
    }
}

/// Finding of a failed self-check.
pub fn finding(found: &Found) -> Finding {
    match *found {
        Found::SendDelay { p90_ns, allowed_ns } => Finding::SendsLate { p90_ns, allowed_ns },
        Found::CpuBound { worker, busy, allowed } => {
            Finding::WorkerBusy { worker, busy_share: busy, allowed_share: allowed }
        }
        Found::Away { worker, share, allowed } => {
            Finding::WorkerHeldUp { worker, away_share: share, allowed_share: allowed }
        }
        Found::LittlesLaw { expected, found } => Finding::ConnectionsUnaccounted { expected, found },
        Found::Ports { exhausted, opened, available } => {
            Finding::NoLocalPort { connections: exhausted, opened, available }
        }
        Found::NotOffered { intended, behind } => Finding::LoadNotOffered {
            unsent: behind,
            intended,
            unsent_share: behind as f64 / intended.max(1) as f64,
        },
        Found::AgentLost { ref agent, told_ns, offered } => match told_ns {
            Some(told_ns) => Finding::AgentLost {
                agent: agent.clone(),
                reported_s: told_ns as f64 / 1e9,
                offered_share: offered,
            },
            None => Finding::AgentLostBefore { agent: agent.clone(), offered_share: offered },
        },
        Found::BeyondLimit { exchanges } => Finding::AnswersBeyondLimit { exchanges },
        Found::Descriptors { exhausted } => Finding::NoDescriptor { connections: exhausted },
    }
}
