//! `proofload doctor`: is this machine fit to measure?

use crate::args::DoctorArgs;
use crate::exit::Exit;
use crate::output;
use proofload_harness::host::{self, State};
use proofload_harness::subject;

/// The verb.
pub fn doctor(args: &DoctorArgs) -> anyhow::Result<Exit> {
    let mut text = String::new();
    if args.clean {
        let cleaned = subject::clean_leftovers();
        if cleaned.is_empty() {
            text.push_str("clean    nothing was left behind\n");
        }
        for what in cleaned {
            text.push_str(&format!("clean    {what}\n"));
        }
    }
    let findings = host::doctor();
    for finding in &findings {
        let state = match finding.state {
            State::Good => "good",
            State::Warning => "warning",
            State::Bad => "bad",
        };
        text.push_str(&format!("{state:<8} {}: {}\n", finding.subject, finding.what));
        if !finding.remedy.is_empty() && finding.state != State::Good {
            text.push_str(&format!("{:<8} {}\n", "", finding.remedy));
        }
    }
    output::print(&proofload_report::escape::terminal(&text))?;
    let bad = findings.iter().any(|finding| finding.state == State::Bad);
    Ok(if bad { Exit::Unfit } else { Exit::Done })
}
