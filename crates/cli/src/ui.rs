//! `proofload ui`: the records in a browser.

use crate::args::UiArgs;
use crate::exit::{Exit, leave};
use crate::output;
use proofload_language::tr;
use proofload_serve::ui::{Server, UiError};

/// The verb. Serves until a signal ends the process: nothing is left to be tidied up.
pub fn ui(args: &UiArgs) -> anyhow::Result<Exit> {
    let server = Server::bind(&args.dir, args.port).map_err(|error| match error {
        UiError::Listen { .. } => leave(Exit::Usage, error),
        error => error.into(),
    })?;
    output::print(&format!("{}\n", server.url()))?;
    crate::around::error_line(tr!("ui-open"));
    match server.serve()? {}
}
