//! Flags of a load, checked: all mistakes at once.

use crate::args::LoadArgs;
use proofload_engine::{Arrival, Expect, Timeouts};
use proofload_harness::study::quantity;
use proofload_harness::study::{Auth, Body, FOLLOW_MAX, feeder, form_part};
use proofload_harness::study::{LoadKind, LoadPoint, RequestOptions};
use std::net::IpAddr;

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

    /// The value, or nothing and a mistake under that flag.
    pub fn keep<T>(&mut self, flag: &str, value: Result<T, String>) -> Option<T> {
        value.map_err(|why| self.0.push(format!("{flag}: {why}"))).ok()
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
    let headers =
        args.headers.iter().filter_map(|text| mistakes.keep("-H", quantity::header(text))).collect();
    let expect = Expect {
        status: args.expect_status,
        bytes: args.expect_bytes.as_deref().map(|text| mistakes.take("--expect-bytes", quantity::size(text))),
        text: args.expect_text.as_ref().map(|text| text.as_bytes().to_vec()),
    };
    let timeouts = Timeouts {
        connect_ns: mistakes.take("--connect-timeout", quantity::duration(&args.connect_timeout)),
        response_ns: mistakes.take("--timeout", quantity::duration(&args.timeout)),
    };
    RequestOptions {
        method: args.method.to_ascii_uppercase(),
        headers,
        body: body(args, mistakes),
        auth: auth(args, mistakes),
        feeders: args.feeders.iter().filter_map(|text| mistakes.keep("--feeder", feeder(text))).collect(),
        cookies: args.cookies,
        bind: args.bind.iter().filter_map(|text| mistakes.keep("--bind", local_address(text))).collect(),
        unix: args.unix.clone(),
        follow: follow(args, mistakes),
        expect,
        timeouts,
    }
}

fn follow(args: &LoadArgs, mistakes: &mut Mistakes) -> u32 {
    if args.follow > FOLLOW_MAX {
        mistakes.add(format!("--follow: {} redirects are too many; write at most {FOLLOW_MAX}", args.follow));
    }
    args.follow
}

fn body(args: &LoadArgs, mistakes: &mut Mistakes) -> Option<Body> {
    if !args.forms.is_empty() {
        let parts = args.forms.iter().filter_map(|text| mistakes.keep("--form", form_part(text)));
        return Some(Body::Form(parts.collect()));
    }
    let text = args.body.as_deref()?;
    Some(text.strip_prefix('@').map_or_else(|| Body::Text(text.to_owned()), |path| Body::File(path.into())))
}

fn auth(args: &LoadArgs, mistakes: &mut Mistakes) -> Option<Auth> {
    if let Some(text) = &args.basic {
        let Some((user, password)) = text.split_once(':') else {
            mistakes.add("--basic: has no colon; write user:password or user:@FILE");
            return None;
        };
        let password = mistakes.keep("--basic", secret(password))?;
        return Some(Auth::Basic(user.to_owned(), password));
    }
    let token = mistakes.keep("--bearer", secret(args.bearer.as_deref()?))?;
    Some(Auth::Bearer(token))
}

/// A secret, or the first line of `@FILE`.
fn secret(text: &str) -> Result<String, String> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {path}: {error}; check the name"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// An address of this machine.
fn local_address(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr =
        text.parse().map_err(|_| format!("{text} is not a numeric address; write one such as 127.0.0.2"))?;
    match proofload_engine::driver::is_local(address) {
        true => Ok(address),
        false => Err(format!("{text} is not an address of this machine; `ip address` lists them")),
    }
}
