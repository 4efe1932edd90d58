//! `proofload subjects`: what the catalogue offers.

use crate::args::SubjectsArgs;
use crate::exit::{Exit, leave};
use crate::output;
use proofload_harness::subject::Catalogue;

/// The verb.
pub fn subjects(args: &SubjectsArgs) -> anyhow::Result<Exit> {
    let catalogue =
        Catalogue::find(args.catalogue.as_deref(), None).map_err(|error| leave(Exit::Usage, error))?;
    let text = match &args.subject {
        None => catalogue.list(),
        Some(folder) => catalogue.show(folder).map_err(|error| leave(Exit::Usage, error))?,
    };
    output::print(&proofload_report::escape::terminal(&text))?;
    Ok(Exit::Done)
}
