//! `proofload reference-server`: flags to the server's configuration.

use crate::args::{self, ReferenceArgs, ReferenceTlsArgs, Verb};
use crate::exit::{Exit, leave};
use crate::output;
use proofload_reference::{Config, Faults, ReferenceError, ServiceTime, Size, Stall};
use proofload_reference::{Identity, TlsConfig, TlsFaults, TlsVersion};
use std::ffi::OsString;

/// The verb. Serves until a signal stops it.
pub fn serve(args: &ReferenceArgs) -> anyhow::Result<Exit> {
    let config = config(args).map_err(|error| leave(Exit::Usage, error))?;
    config.check().map_err(|error| leave(Exit::Usage, error))?;
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let report = proofload_reference::run(&config, |address| {
        // A caller that chose port 0 reads the address from this line.
        let _reader_may_be_gone = output::print(&format!("listening on {scheme}://{address}\n"));
    })
    .map_err(|error| leave(Exit::FailedStart, error))?;
    output::print(&format!("{}\n", report.counts.to_json()))?;
    Ok(Exit::Done)
}

/// Settings of a command line of `proofload reference-server`; `words` follow the verb.
///
/// # Errors
/// A flag that it does not have, or a value that cannot be read.
pub fn reference_server(words: &[String]) -> anyhow::Result<Config> {
    let whole = ["proofload", "reference-server"].map(str::to_owned).into_iter().chain(words.iter().cloned());
    match args::read_again(whole.map(OsString::from))?.verb {
        Some(Verb::ReferenceServer(args)) => config(&args),
        _ => anyhow::bail!("{words:?} is no reference server"),
    }
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
        tls: tls(&args.tls)?,
        connections_max: args.connections_max,
        arrivals: args.arrivals.clone(),
        counts: args.counts.clone(),
    })
}

fn tls(args: &ReferenceTlsArgs) -> Result<Option<TlsConfig>, anyhow::Error> {
    let identity = match (&args.tls_self_signed, &args.tls_cert, &args.tls_key) {
        (Some(directory), ..) => Identity::SelfSigned(directory.clone()),
        (None, Some(certificate), Some(key)) => {
            Identity::Files { certificate: certificate.clone(), key: key.clone() }
        }
        _ => {
            let given = [
                ("--tls-version", args.tls_version.is_some()),
                ("--tls-client-ca", args.tls_client_ca.is_some()),
                ("--tls-no-resumption", args.tls_no_resumption),
                ("--tls-faults", args.tls_faults.is_some()),
            ];
            return match given.iter().find(|(_, given)| *given) {
                Some((flag, _)) => anyhow::bail!(
                    "{flag}: there is no TLS without a certificate; add --tls-self-signed DIR, or --tls-cert \
                     with --tls-key"
                ),
                None => Ok(None),
            };
        }
    };
    Ok(Some(TlsConfig {
        identity,
        version: args.tls_version.as_deref().map(TlsVersion::parse).transpose()?,
        client_ca: args.tls_client_ca.clone(),
        resumption: !args.tls_no_resumption,
        faults: args.tls_faults.as_deref().map_or(Ok(TlsFaults::NONE), TlsFaults::parse)?,
    }))
}
