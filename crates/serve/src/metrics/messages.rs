//! The sentences of exporters.

use proofload_language::{Phrase, say};
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
    say!("metrics-bad-address", text = format!("{text:?}"))
}

/// An address of a collector that is none.
pub(crate) fn bad_endpoint(text: &str) -> String {
    say!("metrics-bad-endpoint", text = format!("{text:?}"))
}

/// An address of a collector with a user name; it is not repeated.
pub(crate) const WITH_USER: Phrase = Phrase("metrics-with-user");

/// A base address with a query, which may be a secret; it is not repeated.
pub(crate) const WITH_QUERY: Phrase = Phrase("metrics-with-query");

/// The environment names no collector.
pub(crate) const NO_ENDPOINT: Phrase = Phrase("metrics-no-endpoint");

/// A variable that cannot be read.
pub(crate) fn bad_variable(name: &str, wanted: &str) -> String {
    say!("metrics-bad-variable", name, wanted)
}

/// The authorities that the system trusts could not be read.
pub(crate) fn no_authorities(why: &str) -> String {
    say!("metrics-no-authorities", why)
}

/// A status other than success.
pub(crate) fn status(status: u16, body: &str) -> String {
    say!("metrics-status", status = status.to_string(), body = (!body.is_empty()).then_some(body))
}

/// A success that cannot be read to its end.
pub(crate) fn unreadable(status: u16, why: &str) -> String {
    say!("metrics-unreadable", status = status.to_string(), why)
}

/// A success with what no collector says; without a type that it gives itself, `kind` is empty.
pub(crate) fn no_answer(status: u16, kind: &str) -> String {
    say!("metrics-no-answer", status = status.to_string(), kind = (!kind.is_empty()).then_some(kind))
}

/// A collector took only some of the points.
pub(crate) fn rejected(points: u64, why: &str) -> String {
    say!("metrics-rejected", points, why)
}

/// What became of the pushes, where some failed; `latest` says why the latest of them did, `at_end` whether it was the last.
pub(crate) fn pushes_failed(endpoint: &str, failed: u64, all: u64, latest: &str, at_end: bool) -> String {
    say!("metrics-pushes-failed", endpoint, failed, all, latest, at_end)
}

/// A collector that answers so slowly that nobody waits for the end of it.
pub(crate) fn push_abandoned(endpoint: &str) -> String {
    say!("metrics-push-abandoned", endpoint)
}

/// Where the figures are served.
pub(crate) fn serving(address: SocketAddr) -> String {
    say!("metrics-serving", address = address.to_string())
}
