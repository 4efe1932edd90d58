//! The sentences of exporters.

use std::net::SocketAddr;

/// What is at the root of the page.
pub(crate) fn front(path: &str) -> String {
    format!("Proofload serves the figures of a run at {path}\n")
}

/// A request for another host than this machine.
pub(crate) const REFUSED_HOST: &str =
    "the page of figures is for this machine only; ask for it by the address that Proofload said\n";

/// An address that cannot be listened on by its form.
pub(crate) fn bad_address(text: &str) -> String {
    format!("{text:?} is no port and no address; write 9464, or 127.0.0.1:9464")
}

/// An address of a collector that is none.
pub(crate) fn bad_endpoint(text: &str) -> String {
    format!("{text:?} is no address of a collector; write http://127.0.0.1:4318, or env")
}

/// An address of a collector with a user name; it is not repeated.
pub(crate) const WITH_USER: &str = "an address with a user name would be recorded; leave it out, and put the credentials into OTEL_EXPORTER_OTLP_HEADERS";

/// A base address with a query, which may be a secret; it is not repeated.
pub(crate) const WITH_QUERY: &str = "behind an address with a query no path can be added; write env, and put the whole address, with its /v1/metrics, into OTEL_EXPORTER_OTLP_METRICS_ENDPOINT";

/// The environment names no collector.
pub(crate) const NO_ENDPOINT: &str =
    "OTEL_EXPORTER_OTLP_ENDPOINT is not set; set it, or write the address, such as http://127.0.0.1:4318";

/// A variable that cannot be read.
pub(crate) fn bad_variable(name: &str, wanted: &str) -> String {
    format!("{name} cannot be read: it is {wanted}")
}

/// The authorities that the system trusts could not be read.
pub(crate) fn no_authorities(why: &str) -> String {
    format!("cannot read the authorities that this system trusts: {why}")
}

/// A status other than success.
pub(crate) fn status(status: u16, body: &str) -> String {
    match body.is_empty() {
        true => format!("it answered {status}"),
        false => format!("it answered {status}: {body}"),
    }
}

/// A success that cannot be read to its end.
pub(crate) fn unreadable(status: u16, why: &str) -> String {
    format!("it answered {status}, and the rest could not be read: {why}")
}

/// A success with what no collector says; without a type that it gives itself, `kind` is empty.
pub(crate) fn no_answer(status: u16, kind: &str) -> String {
    let what = if kind.is_empty() { "what" } else { &format!("{kind}, which") };
    format!("it answered {status} with {what} is no answer of a collector")
}

/// A collector took only some of the points.
pub(crate) fn rejected(points: u64, why: &str) -> String {
    format!("it rejected {points} of the values: {why}")
}

/// What became of the pushes, where some failed; `latest` says why the latest of them did, `at_end` whether it was the last.
pub(crate) fn pushes_failed(endpoint: &str, failed: u64, all: u64, latest: &str, at_end: bool) -> String {
    let then = match at_end {
        true => "the collector lacks the end, the record does not",
        false => "the next one made up for it",
    };
    format!("{failed} of {all} pushes to {endpoint} failed, the latest of them: {latest}; {then}")
}

/// A collector that answers so slowly that nobody waits for the end of it.
pub(crate) fn push_abandoned(endpoint: &str) -> String {
    format!(
        "the last push to {endpoint} was not over in time; the collector may lack the end, the record does not"
    )
}

/// Where the figures are served.
pub(crate) fn serving(address: SocketAddr) -> String {
    format!("figures for Prometheus at http://{address}/metrics")
}
