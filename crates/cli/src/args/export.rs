//! Arguments of what is exported while something runs.

use clap::Args;

/// Export of figures while it runs.
#[derive(Debug, Clone, Default, Args)]
pub struct ExportArgs {
    /// Serve the figures so far to Prometheus: at this port of this machine (9464), or at an address (0.0.0.0:9464)
    #[arg(long, value_name = "PORT|ADDRESS", hide_short_help = true)]
    pub prometheus: Option<String>,
    /// Push the figures so far to an OpenTelemetry collector (http://127.0.0.1:4318), or to the one that
    /// OTEL_EXPORTER_OTLP_ENDPOINT names (env)
    #[arg(long, value_name = "URL|env", hide_short_help = true)]
    pub otlp: Option<String>,
}
