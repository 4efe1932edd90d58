//! Flags of a load, checked: all mistakes at once.

use crate::args::LoadArgs;
use anyhow::Context;
use proofload_engine::{Arrival, Expect, Timeouts};
use proofload_harness::study::quantity;
use proofload_harness::study::{LoadKind, LoadPoint, RequestOptions};

/// Connections when none are asked for: enough to keep a small server busy, few enough for every limit.
const CONNECTIONS: u32 = 50;

/// Collects mistakes instead of stopping at the first.
#[derive(Default)]
pub struct Mistakes(Vec<String>);

impl Mistakes {
    /// The value, or the fallback and a mistake under that flag.
    pub fn take<T: Default>(&mut self, flag: &str, value: Result<T, String>) -> T {
        value.unwrap_or_else(|why| {
            self.0.push(format!("{flag}: {why}"));
            T::default()
        })
    }

    /// Notes a mistake.
    pub fn add(&mut self, mistake: impl Into<String>) {
        self.0.push(mistake.into());
    }

    /// Leaves with all of them, if there are any.
    pub fn check(self) -> anyhow::Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(crate::exit::leave(crate::exit::Exit::Usage, self.0.join("\n           "))),
        }
    }
}

/// The load point that the flags ask for.
pub fn point(args: &LoadArgs, mistakes: &mut Mistakes) -> LoadPoint {
    let connections = args.connections.unwrap_or(CONNECTIONS);
    if connections == 0 || u64::from(connections) > quantity::CONNECTIONS_MAX {
        mistakes.add(format!(
            "-c: {connections} connections cannot be; write 1 to {}",
            quantity::CONNECTIONS_MAX
        ));
    }
    let think_ns = args.think.as_deref().map_or(0, |text| mistakes.take("--think", quantity::duration(text)));
    let keep_alive = quantity::keep_alive(&args.keep_alive).unwrap_or_else(|why| {
        mistakes.add(format!("--keep-alive: {why}"));
        proofload_engine::KeepAlive::On
    });
    let (label, kind) = match &args.rate {
        None => (format!("{connections}c"), LoadKind::Closed { think_ns }),
        Some(text) => {
            let rate_per_s = mistakes.take("-r", quantity::rate(text));
            let arrival = if args.poisson { Arrival::Poisson } else { Arrival::Constant };
            (quantity::rate_label(rate_per_s), LoadKind::Open { rate_per_s, arrival })
        }
    };
    LoadPoint { label, connections, kind, keep_alive, streams: Vec::new() }
}

/// The request that the flags ask for.
pub fn request(args: &LoadArgs, mistakes: &mut Mistakes) -> RequestOptions {
    let headers = args.headers.iter().map(|text| mistakes.take("-H", quantity::header(text))).collect();
    let body = match args.body.as_deref() {
        None => Vec::new(),
        Some(text) => mistakes.take("--body", body(text).map_err(|error| format!("{error:#}"))),
    };
    let expect = Expect {
        status: args.expect_status,
        bytes: args.expect_bytes.as_deref().map(|text| mistakes.take("--expect-bytes", quantity::size(text))),
        text: args.expect_text.as_ref().map(|text| text.as_bytes().to_vec()),
    };
    let timeouts = Timeouts {
        connect_ns: mistakes.take("--connect-timeout", quantity::duration(&args.connect_timeout)),
        response_ns: mistakes.take("--timeout", quantity::duration(&args.timeout)),
    };
    RequestOptions { method: args.method.to_ascii_uppercase(), headers, body, expect, timeouts }
}

fn body(text: &str) -> anyhow::Result<Vec<u8>> {
    match text.strip_prefix('@') {
        Some(path) => std::fs::read(path).with_context(|| format!("cannot read {path}; check the name")),
        None => Ok(text.as_bytes().to_vec()),
    }
}
