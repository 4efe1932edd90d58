//! The setting of a load: all that its ceiling depends on.

use super::build;
use crate::generator_settings::GeneratorSettings;
use proofload_engine::feed::{Draw, Feeder, Piece};
use proofload_engine::transport::{Tls, Transport};
use proofload_engine::{Address, Distribution, Expect, Extent, Follow, KeepAlive, LoadPlan, MixEntry};
use proofload_engine::{Profile, Shortage, Target};
use proofload_facts::Finding;
use proofload_store::schema::Environment;
use proofload_wire::Protocol;
use std::net::SocketAddr;
use std::sync::Arc;

/// Load that is not counted: connections are made and caches filled.
const DISCARD_NS: u64 = 150_000_000;
/// Measured window.
const WINDOW_NS: u64 = 500_000_000;
/// Longest wait for requests in flight: against a server that does nothing they end in no time.
const DRAIN_NS: u64 = 200_000_000;
/// Shorter requests cost what these do.
const REQUEST_BYTES_MIN: u64 = 256;

/// A load whose ceiling is requested.
pub struct Setting {
    /// Its plans, one for each stream, against any address.
    pub(super) plans: Vec<LoadPlan>,
    /// Largest answer of the class, in bytes, head included.
    pub(super) answer_bytes: u64,
}

impl Setting {
    /// The setting of these plans. A load that opens connections while it goes on counts with those that it came to
    /// (`peaks`, one for each plan), up to the next power of two: the ceiling of those that it began with would be
    /// another's.
    pub fn new(mut plans: Vec<LoadPlan>, answer_bytes: u64, peaks: &[u32]) -> Self {
        for (at, plan) in plans.iter_mut().enumerate() {
            let most = plan.most_connections();
            if most > plan.connections {
                let peak = peaks.get(at).copied().unwrap_or(0).max(plan.connections);
                plan.connections = peak.checked_next_power_of_two().unwrap_or(peak).min(most);
            }
            plan.shortage = Shortage::default();
        }
        Setting { plans, answer_bytes }
    }

    /// Connections, of all streams together.
    pub fn connections(&self) -> u32 {
        self.plans.iter().map(|plan| plan.connections).fold(0, u32::saturating_add)
    }

    fn targets(&self) -> impl Iterator<Item = &Target> {
        self.plans.iter().flat_map(|plan| &plan.targets)
    }

    /// The reason why the null server cannot replace the load's servers, if it cannot.
    pub(super) fn refusal(&self) -> Option<Finding> {
        let every = self.plans.iter().any(|plan| matches!(plan.keep_alive, KeepAlive::Every(_)));
        let first = self.targets().next().map(passage);
        let certificate = |tls: &Tls| tls.client.is_some();
        if self.targets().any(|target| target.protocol != Protocol::Http1) {
            Some(Finding::CeilingProtocol)
        } else if every {
            Some(Finding::CeilingEndsAfterSome)
        } else if self.targets().any(|target| matches!(target.addresses.first, Address::Unix(_))) {
            Some(Finding::CeilingUnixSocket)
        } else if self.targets().any(|target| target.transport.proxy.is_some()) {
            Some(Finding::CeilingProxy)
        } else if self.targets().any(|target| Some(passage(target)) != first) {
            Some(Finding::CeilingPassages)
        } else if self.tls().is_some_and(certificate) {
            Some(Finding::CeilingClientCertificate)
        } else {
            None
        }
    }

    /// TLS of the load, if it has any.
    pub(super) fn tls(&self) -> Option<&Tls> {
        self.targets().find_map(|target| target.transport.tls.as_deref())
    }

    pub(super) fn keeps_alive(&self) -> bool {
        !self.plans.iter().any(|plan| plan.keep_alive == KeepAlive::Off)
    }

    /// All that a ceiling depends on, a line each.
    pub(super) fn lines(&self, environment: &Environment, settings: &GeneratorSettings) -> Vec<String> {
        let mut lines = vec![
            format!("machine {}", environment.machine),
            format!("kernel {}", environment.kernel),
            format!("CPU model {}", environment.cpu_model),
            format!("sleep {}", environment.facts.get("cpu_sleep").map_or("", String::as_str)),
            format!("proofload {} {}", environment.proofload, build()),
            format!("CPUs of the process {:?}", environment.cpus),
            format!("CPUs of the server {:?}", settings.subject_cpus),
            format!("CPUs awake {}, {:?}", settings.awake, settings.engine),
            format!("answers up to {} bytes", self.answer_bytes),
        ];
        for plan in &self.plans {
            lines.push(format!(
                "{} connections, {} threads on CPUs {:?}, keep-alive {:?}, driver {}",
                plan.connections,
                plan.workers,
                plan.cpus,
                plan.keep_alive,
                plan.driver.name()
            ));
            let mut through: Vec<String> = plan.targets.iter().map(passage).collect();
            through.sort_unstable();
            through.dedup();
            lines.push(format!("through {}", through.join(" and ")));
            lines.extend(requests(plan));
        }
        lines
    }

    /// The same load without pauses, against the null server, whose certificate `authority` vouches for.
    pub(super) fn against(&self, address: SocketAddr, authority: Option<&[u8]>) -> Vec<LoadPlan> {
        let tls = self.tls().map(|tls| {
            let roots = authority.map(<[u8]>::to_vec).into_iter().collect();
            Arc::new(Tls { server_name: "localhost".to_string(), roots, ..tls.clone() })
        });
        let plans = self.plans.iter().cloned().map(|mut plan| {
            plan.targets =
                vec![Target { transport: Transport { proxy: None, tls: tls.clone() }, ..address.into() }];
            for entry in &mut plan.mix {
                (entry.target, entry.expect, entry.follow) = (0, Expect::default(), Follow::default());
            }
            for feeder in &mut plan.asking.feed.feeders {
                // A length that is held for minutes would be the only one of the window.
                if let Feeder::Payload { redraw_ns, .. } = feeder {
                    *redraw_ns = 0;
                }
            }
            // The null server gives nothing to capture, and users who wait cost the generator nothing.
            plan.asking.captures = Vec::new();
            plan.asking.journeys = plan.asking.journeys.map(|journeys| Arc::new(journeys.without_pauses()));
            plan.asking.bind = Vec::new();
            plan.shortage = Shortage::default();
            plan.profile = Profile::Closed { think_ns: Distribution::Constant(0) };
            (plan.discard_ns, plan.drain_ns) = (DISCARD_NS, DRAIN_NS);
            plan.extent = Extent::DurationNs(WINDOW_NS);
            plan
        });
        plans.collect()
    }
}

/// TLS and proxy of connections to a target, without its identity.
fn passage(target: &Target) -> String {
    let socket = if target.addresses.tcp().is_some() { "TCP" } else { "a Unix socket" };
    let tunnel = if target.transport.proxy.is_some() { ", a proxy" } else { "" };
    let tls = target.transport.tls.as_ref().map_or(String::new(), |tls| {
        let versions: Vec<&str> = tls.versions.iter().map(|version| version.number()).collect();
        format!(
            ", TLS {} (protocols {}, verified {}, resumed {}, client certificate {})",
            versions.join(" or "),
            tls.alpn.len(),
            tls.verify,
            tls.resumption,
            tls.client.is_some()
        )
    });
    format!("{socket}{tunnel}{tls}")
}

/// Requests, as far as they cost the generator anything: methods, size, and the values filled in.
fn requests(plan: &LoadPlan) -> Vec<String> {
    let weights: u64 = plan.mix.iter().map(|entry| u64::from(entry.weight)).sum();
    let length = |entry: &MixEntry| entry.request.bytes.len() as u64 + entry.request.places.streamed_bytes();
    let fixed = |entry: &MixEntry| u64::from(entry.weight).saturating_mul(length(entry));
    let bytes = plan.mix.iter().map(fixed).fold(0, u64::saturating_add);
    let most = (bytes / weights.max(1)).max(REQUEST_BYTES_MIN).next_power_of_two();
    let mut methods: Vec<String> = plan.mix.iter().map(method).collect();
    methods.sort_unstable();
    methods.dedup();
    let kept = plan.mix.iter().map(|entry| entry.request.keep_body).max().unwrap_or(0);
    let cookies = if plan.asking.cookies { ", cookies" } else { "" };
    let body = if kept > 0 { format!(", {kept} bytes of answers looked at") } else { String::new() };
    let mut lines = vec![format!("{} of up to {most} bytes{cookies}{body}", methods.join(" and "))];
    for entry in &plan.mix {
        let filled: Vec<String> = entry.request.places.filled().map(|draw| filled(plan, draw)).collect();
        if !filled.is_empty() {
            lines.push(format!("filled in {} of {weights} times: {}", entry.weight, filled.join(", ")));
        }
    }
    lines
}

fn method(entry: &MixEntry) -> String {
    let end = entry.request.bytes.iter().position(|byte| *byte == b' ').unwrap_or(0);
    String::from_utf8_lossy(&entry.request.bytes[..end]).into_owned()
}

/// A value that is filled in, by its kind and size.
fn filled(plan: &LoadPlan, draw: u16) -> String {
    let feed = &plan.asking.feed;
    let (feeder, column) = match feed.draws.get(usize::from(draw)) {
        Some(Draw::Value { feeder, column, .. }) => (feeder, column),
        Some(Draw::Variable { .. }) => return "what was captured".to_string(),
        Some(Draw::Text(pieces)) => {
            let piece = |piece: &Piece| match piece {
                Piece::Fixed(_) => "a text".to_string(),
                Piece::Drawn(draw) => filled(plan, *draw),
            };
            return pieces.iter().map(piece).collect::<Vec<_>>().join(" and ");
        }
        None => return "nothing".to_string(),
    };
    match (feed.feeders.get(*feeder), column) {
        (Some(Feeder::Payload { sizes, most_bytes, .. }), _) => {
            format!("text of {sizes:?} up to {most_bytes} bytes")
        }
        (Some(Feeder::Text { length }), _) => format!("text of {length} bytes"),
        (Some(Feeder::Counter { .. }), _) => "a counter".to_string(),
        (Some(Feeder::Number { .. }), _) => "a number".to_string(),
        (Some(Feeder::Uuid), _) => "an identifier".to_string(),
        (Some(Feeder::Time(_)), _) => "a time".to_string(),
        (Some(Feeder::Rows { .. }), Some(column)) => {
            let bytes = column.bytes() / column.rows().max(1);
            format!("a row of up to {} bytes", bytes.next_power_of_two())
        }
        (Some(Feeder::Rows { .. }), None) | (None, _) => "nothing".to_string(),
    }
}
