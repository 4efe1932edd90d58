//! Settings of exporters: an address to listen on, a collector, and the variables that OpenTelemetry defines.

use percent_encoding::percent_decode_str;
use proofload_language::tr;
use proofload_store::redact;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Default interval of pushes.
const INTERVAL_MS: u64 = 10_000;
/// Shortest interval.
const INTERVAL_MIN_MS: u64 = 1_000;
/// Default time limit of a push.
const TIMEOUT_MS: u64 = 10_000;
/// Keyword in place of an address: the environment has it.
const ENVIRONMENT: &str = "env";
/// Path at which a collector accepts metrics.
const PATH: &str = "/v1/metrics";

/// The attribute that names what the figures are of.
const SERVICE_NAME: &str = "service.name";

/// Reason why a setting cannot be used, a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(pub String);

/// The address of `9464` or `127.0.0.1:9464`: a port alone listens on this machine only.
///
/// # Errors
/// If it is neither.
pub fn address(text: &str) -> Result<SocketAddr, Mistake> {
    let port = text.strip_prefix(':').unwrap_or(text).parse::<u16>();
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    match port {
        Ok(port) => Ok(SocketAddr::new(loopback, port)),
        Err(_) => {
            let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
            let parsed = named.as_deref().unwrap_or(text).parse();
            parsed.map_err(|_| Mistake(tr!("metrics-bad-address", text = format!("{text:?}"))))
        }
    }
}

/// A collector, and the attributes and headers of each push.
#[derive(Clone, PartialEq, Eq)]
pub struct OtlpSettings {
    /// The address that is posted to.
    pub endpoint: String,
    /// Further heads; they may hold secrets.
    pub headers: Vec<(String, String)>,
    pub resource: Vec<(String, String)>,
    pub interval: Duration,
    /// Time limit of a push.
    pub timeout: Duration,
}

impl OtlpSettings {
    /// A collector at that address, or at the one in the environment, with everything else from the environment.
    ///
    /// # Errors
    /// If the address, or a variable, cannot be read.
    pub fn read(given: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<OtlpSettings, Mistake> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let either = |name: &str| {
            variable(&format!("OTEL_EXPORTER_OTLP_METRICS_{name}"))
                .or_else(|| variable(&format!("OTEL_EXPORTER_OTLP_{name}")))
        };
        let endpoint = match (given, variable("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")) {
            (ENVIRONMENT, Some(whole)) => checked(&whole)?,
            (ENVIRONMENT, None) => {
                let base = variable("OTEL_EXPORTER_OTLP_ENDPOINT");
                with_path(&base.ok_or_else(|| Mistake(tr!("metrics-no-endpoint").to_string()))?)?
            }
            (given, _) => with_path(given)?,
        };
        let milliseconds = |name: &str, value: Option<String>, usual: u64| match value {
            None => Ok(usual),
            Some(text) => text.parse().map_err(|_| bad_variable(name, tr!("metrics-milliseconds"))),
        };
        let interval_name = "OTEL_METRIC_EXPORT_INTERVAL";
        let interval_ms = milliseconds(interval_name, variable(interval_name), INTERVAL_MS)?;
        let timeout_ms = milliseconds("OTEL_EXPORTER_OTLP_TIMEOUT", either("TIMEOUT"), TIMEOUT_MS)?;
        let mut resource = pairs("OTEL_RESOURCE_ATTRIBUTES", variable("OTEL_RESOURCE_ATTRIBUTES"))?;
        if let Some(name) = variable("OTEL_SERVICE_NAME") {
            resource.retain(|(key, _)| key.as_str() != SERVICE_NAME);
            resource.push((SERVICE_NAME.to_string(), name));
        }
        let headers = pairs("OTEL_EXPORTER_OTLP_HEADERS", either("HEADERS"))?;
        // A collector may repeat in its refusal what it received.
        headers.iter().for_each(|(_, value)| redact::know_named("authorization", value));
        redact::know_in(&endpoint);
        Ok(OtlpSettings {
            endpoint,
            headers,
            resource,
            interval: Duration::from_millis(interval_ms.max(INTERVAL_MIN_MS)),
            timeout: Duration::from_millis(timeout_ms.max(1)),
        })
    }

    /// The address without what may be a password, to be shown.
    pub fn shown(&self) -> String {
        self.endpoint.split('?').next().unwrap_or_default().to_string()
    }
}

fn checked(text: &str) -> Result<String, Mistake> {
    if text.contains('@') {
        return Err(Mistake(tr!("metrics-with-user").to_string()));
    }
    let is_http = text.starts_with("http://") || text.starts_with("https://");
    let parsed = text.parse::<ureq::http::Uri>().ok().filter(|uri| uri.host().is_some());
    match is_http && parsed.is_some() {
        true => Ok(text.to_string()),
        // A query may hold a key.
        false => {
            let text = text.split(['?', '#']).next().unwrap_or_default();
            Err(Mistake(tr!("metrics-bad-endpoint", text = format!("{text:?}"))))
        }
    }
}

/// With the path of metrics behind it, if it has none.
fn with_path(base: &str) -> Result<String, Mistake> {
    let base = checked(base)?;
    if base.contains(['?', '#']) {
        return Err(Mistake(tr!("metrics-with-query").to_string()));
    }
    let base = base.trim_end_matches('/');
    Ok(if base.ends_with(PATH) { base.to_string() } else { format!("{base}{PATH}") })
}

fn bad_variable(name: &str, wanted: &str) -> Mistake {
    Mistake(tr!("metrics-bad-variable", name, wanted))
}

/// `key=value,key=value`, values percent-encoded.
fn pairs(name: &str, text: Option<String>) -> Result<Vec<(String, String)>, Mistake> {
    let text = text.unwrap_or_default();
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (key, value) = part.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        Some((key.trim().to_string(), value.into_owned())).filter(|(key, _)| !key.is_empty())
    };
    let read: Option<Vec<_>> = parts.map(pair).collect();
    read.ok_or_else(|| bad_variable(name, tr!("metrics-pairs")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(given: &str, variables: &[(&str, &str)]) -> Result<OtlpSettings, Mistake> {
        let of = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string());
        OtlpSettings::read(given, &of)
    }

    #[test]
    fn a_port_alone_listens_on_this_machine_only() {
        let at = |text| address(text).map(|address| address.to_string());
        assert_eq!(at("9464").unwrap(), "127.0.0.1:9464");
        assert_eq!(at(":9464").unwrap(), "127.0.0.1:9464");
        assert_eq!(at("localhost:9464").unwrap(), "127.0.0.1:9464");
        assert_eq!(at("0.0.0.0:9464").unwrap(), "0.0.0.0:9464");
        assert_eq!(at("[::1]:0").unwrap(), "[::1]:0");
        for wrong in ["", "host", "70000", "host:9464", "127.0.0.1"] {
            assert!(at(wrong).unwrap_err().0.contains("write 9464"), "{wrong}");
        }
    }

    #[test]
    fn the_address_that_is_given_counts_and_the_rest_is_from_the_environment() {
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://elsewhere:4318"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=se%20cret, other=1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=ci,service.name=x"),
            ("OTEL_SERVICE_NAME", "y"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "10"),
            ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "250"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "9"),
        ];
        let settings = read("http://127.0.0.1:4318/", &variables).unwrap();
        assert_eq!(settings.endpoint, "http://127.0.0.1:4318/v1/metrics");
        let header = |key: &str, value: &str| (key.to_string(), value.to_string());
        assert_eq!(settings.headers, [header("api-key", "se cret"), header("other", "1")]);
        assert_eq!(settings.resource, [header("deployment.environment", "ci"), header("service.name", "y")]);
        assert_eq!((settings.interval.as_millis(), settings.timeout.as_millis()), (1_000, 250));
        let of_environment = |variables| read("env", variables).map(|settings| settings.endpoint);
        assert_eq!(of_environment(&variables).unwrap(), "http://elsewhere:4318/v1/metrics");
        let whole = [("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://a.b/otlp")];
        assert_eq!(of_environment(&whole).unwrap(), "https://a.b/otlp", "as it is");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let why = |given, variables: &[_]| read(given, variables).err().map(|mistake| mistake.0).unwrap();
        assert!(why("env", &[]).contains("OTEL_EXPORTER_OTLP_ENDPOINT is not set"));
        assert!(why("localhost:4318", &[]).contains("no address of a collector"));
        let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a:4318/?token=secret")];
        for with_query in [why("http://a:4318/otlp?token=secret", &[]), why("env", &variables)] {
            let said = with_query.contains("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
            assert!(said && !with_query.contains("secret"), "{with_query}");
        }
        assert!(why("http://", &[]).contains("no address of a collector"));
        assert!(why("http://a", &[("OTEL_EXPORTER_OTLP_HEADERS", "secret")]).contains("key=value"));
        assert!(!why("http://a", &[("OTEL_EXPORTER_OTLP_HEADERS", "secret")]).contains("secret"));
        assert!(why("http://a", &[("OTEL_EXPORTER_OTLP_TIMEOUT", "1s")]).contains("milliseconds"));
    }

    #[test]
    fn a_password_in_an_address_is_refused_or_not_shown() {
        let whole = [("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://collector:4318/a?token=secret")];
        assert_eq!(read("env", &whole).unwrap().shown(), "http://collector:4318/a");
        for wrong in ["collector:4318/v1?api_key=secret", "http://?secret", "ftp://a/#secret", "a?b=c#secret"]
        {
            let variables = [("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", wrong)];
            let said =
                [read("env", &variables), read(wrong, &[])].map(|read| read.err().map(|why| why.0).unwrap());
            assert!(said.iter().all(|said| !said.contains("secret")), "{said:?}");
        }
        let refused = read("http://user:secret@collector:4318", &[]).err().map(|mistake| mistake.0).unwrap();
        assert!(refused.contains("user name") && !refused.contains("secret"), "{refused}");
    }
}
