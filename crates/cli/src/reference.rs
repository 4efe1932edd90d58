//! `proofload reference-server`: flags to the server's configuration.

use crate::args::ReferenceArgs;
use crate::exit::{Exit, leave};
use crate::output;
use proofload_reference::{Config, Faults, ReferenceError, ServiceTime, Size, Stall};

/// The verb. Serves until a signal says stop.
pub fn serve(args: &ReferenceArgs) -> anyhow::Result<Exit> {
    let config = config(args).map_err(|error| leave(Exit::Usage, error))?;
    config.check().map_err(|error| leave(Exit::Usage, error))?;
    let report = proofload_reference::run(&config, |address| {
        // A caller that chose port 0 reads the address from this line.
        let _reader_may_be_gone = output::print(&format!("listening on http://{address}\n"));
    })
    .map_err(|error| leave(Exit::FailedStart, error))?;
    output::print(&format!("{}\n", report.counts.to_json()))?;
    Ok(Exit::Done)
}

fn config(args: &ReferenceArgs) -> Result<Config, anyhow::Error> {
    let service = match &args.spin {
        Some(time) => format!("spin:{time}"),
        None => args.service.clone(),
    };
    Ok(Config {
        bind: args
            .bind
            .parse()
            .map_err(|_| anyhow::anyhow!("--bind: {} is no IP address; write 127.0.0.1", args.bind))?,
        port: args.port,
        workers: args.workers,
        service: ServiceTime::parse(&service)?,
        servers: args.servers,
        size: Size::parse(&args.size)?,
        stall: args.stall.as_deref().map(Stall::parse).transpose()?,
        faults: args.faults.as_deref().map_or(Ok::<_, ReferenceError>(Faults::NONE), Faults::parse)?,
        seed: args.seed,
        null: args.null,
        close_after: args.close_after,
        connections_max: args.connections_max,
        arrivals: args.arrivals.clone(),
        counts: args.counts.clone(),
    })
}
