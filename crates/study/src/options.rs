//! The request as the flags of the command line describe it.

use super::call::{Reader, Typed};
use super::feeders::{FeederSpec, Feeders};
use super::field::Field;
use super::keys::Kind;
use super::mix::KEEP_BODY;
use super::model::WorkloadEntry;
use super::problem::Sink;
use super::request::{Asked, Auth, Body, Builder};
use super::transport::TransportOptions;
use super::url::{ParsedUrl, Pinned};
use super::yaml;
use proofload_engine::{Address, Asking, Expect, Timeouts};
use proofload_facts::Mistake;
use proofload_wire::Call;
use std::net::IpAddr;
use std::path::PathBuf;

/// What is asked, apart from the address.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestOptions {
    /// Method, in capitals.
    pub method: String,
    /// Headers, as they were written.
    pub headers: Vec<(String, String)>,
    pub body: Option<Body>,
    /// Arguments of a call, in YAML.
    pub args: Vec<String>,
    pub auth: Option<Auth>,
    /// Sources of values, by name.
    pub feeders: Vec<(String, FeederSpec)>,
    /// Whether each connection keeps cookies and sends them back.
    pub cookies: bool,
    /// Local addresses that connections leave from, in turn.
    pub bind: Vec<IpAddr>,
    /// Addresses of names that are not asked for.
    pub pinned: Vec<Pinned>,
    pub transport: TransportOptions,
    /// A Unix socket to connect to instead of the address's host.
    pub unix: Option<PathBuf>,
    /// Most redirects that are followed within the server; 0 follows none.
    pub follow: u32,
    /// What the answer must be.
    pub expect: Expect,
    pub timeouts: Timeouts,
}

impl Default for RequestOptions {
    fn default() -> Self {
        RequestOptions {
            method: "GET".to_string(),
            headers: Vec::new(),
            body: None,
            args: Vec::new(),
            auth: None,
            feeders: Vec::new(),
            cookies: false,
            bind: Vec::new(),
            pinned: Vec::new(),
            transport: TransportOptions::default(),
            unix: None,
            follow: 0,
            expect: Expect::default(),
            timeouts: Timeouts::default(),
        }
    }
}

impl RequestOptions {
    /// The feeders, their files read; what is wrong is reported with the flag.
    pub fn feeders(&self, mistakes: &mut Vec<Mistake>) -> Feeders {
        let mut feeders = Feeders::default();
        for (name, spec) in &self.feeders {
            if let Err(mistake) = feeders.add(name, spec) {
                mistakes.push(mistake.at(format!("--feeder {name}")));
            }
        }
        feeders
    }

    /// The request for an address. The authority is filled in when the load is planned.
    pub fn asked(
        &self,
        feeders: &mut Feeders,
        url: &ParsedUrl,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<Asked> {
        let before = mistakes.len();
        if url.carries_calls() {
            let called = self.called(feeders, url, mistakes);
            return called.filter(|_| mistakes.len() == before);
        }
        if !self.args.is_empty() {
            mistakes.push(Mistake::NoMeaningWithout { needs: "dubbo://, rmi://".to_string() }.at("--arg"));
        }
        let mut builder = Builder::default();
        let mut note = |flag: &str, taken: Result<(), Mistake>| {
            mistakes.extend(taken.err().map(|mistake| mistake.at(flag)));
        };
        note("URL", builder.target(feeders, &url.target));
        for (name, value) in &self.headers {
            note(&format!("-H {name}"), builder.header(feeders, name, value));
        }
        if let Some(auth) = &self.auth {
            let flag = if matches!(auth, Auth::Basic(..)) { "--basic" } else { "--bearer" };
            note(flag, builder.auth(feeders, auth));
        }
        if let Some(body) = &self.body {
            let flag = if matches!(body, Body::Form(_)) { "--form" } else { "--body" };
            note(flag, builder.body(feeders, body));
        }
        if mistakes.len() > before {
            return None;
        }
        let keep_body = if self.expect.text.is_some() { KEEP_BODY } else { 0 };
        let asked = builder.finish(&self.method, self.cookies, keep_body);
        asked.map_err(|mistake| mistakes.push(mistake)).ok()
    }

    /// The call of the method that the query names: `?method=echo`.
    fn called(&self, feeders: &mut Feeders, url: &ParsedUrl, mistakes: &mut Vec<Mistake>) -> Option<Asked> {
        let (path, query) = url.target.split_once('?').unwrap_or((&url.target, ""));
        let get = |key: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(name, _)| *name == key).map(|(_, value)| value.to_string())
        };
        let Some(method) = get("method") else {
            mistakes.push(Mistake::NoMethod { path: path.to_string() }.at("URL"));
            return None;
        };
        if self.body.is_some() || self.follow > 0 {
            let beside = format!("{}://", url.protocol);
            mistakes.push(Mistake::NoMeaningBeside { beside }.at("--body, --follow"));
        }
        if self.expect.status.is_some() {
            mistakes.push(Mistake::CallStatus.at("--expect-status"));
        }
        let mut call = Call {
            interface: get("interface").unwrap_or_else(|| path.trim_start_matches('/').to_string()),
            method,
            version: get("version").unwrap_or_default(),
            group: get("group").unwrap_or_default(),
            ..Call::default()
        };
        for text in &self.args {
            let sink = Sink::new("--arg");
            let typed = yaml::parse(text, &sink).and_then(|node| {
                let field = Field::new(&node, "", &sink, &Kind::Any);
                Reader { field: &field, feeders }.value(&node)
            });
            if let Some(Typed { ty, value }) = typed {
                call.parameter_types.push(ty);
                call.arguments.push(value);
            }
            let problems = sink.into_problems().0.into_iter();
            mistakes.extend(problems.map(|problem| problem.mistake.at("--arg")));
        }
        if let Some(types) = get("types") {
            call.parameter_types = types.split(',').map(str::to_string).collect();
        }
        let first = call.parameter_types.first().cloned().unwrap_or_else(|| "void".to_string());
        call.return_type = get("returns").unwrap_or(first);
        let mut builder = Builder::default();
        for (name, value) in &self.headers {
            let taken = builder.header(feeders, name, value);
            mistakes.extend(taken.err().map(|mistake| mistake.at(format!("-H {name}"))));
        }
        if let Some(auth) = &self.auth {
            let taken = builder.auth(feeders, auth);
            mistakes.extend(taken.err().map(|mistake| mistake.at("--bearer, --basic")));
        }
        let keep_body = if self.expect.text.is_some() { KEEP_BODY } else { 0 };
        Some(builder.call(call, "", keep_body))
    }

    /// A workload's request of this name and weight, as it was asked for.
    #[must_use]
    pub fn entry(&self, name: String, weight: u32, asked: Asked) -> WorkloadEntry {
        WorkloadEntry {
            name,
            weight,
            request: asked.request,
            call: asked.call,
            expect: self.expect.clone(),
            follow: self.follow,
            template: asked.template,
            shown: asked.shown,
        }
    }

    /// The address with where to connect to: the server, its Unix socket, or the proxy before it.
    pub fn reached(&self, url: ParsedUrl) -> Result<ParsedUrl, Mistake> {
        match (&self.unix, &self.transport.proxy, url.host.is_some()) {
            (Some(_), _, false) => Err(Mistake::exclude("--unix", "http+unix://")),
            (Some(_), Some(_), _) | (None, Some(_), false) => Err(Mistake::SocketBehindProxy.at("--proxy")),
            (Some(path), None, _) => Ok(ParsedUrl { address: Address::Unix(path.clone()), ..url }),
            (None, Some(proxy), _) => Ok(ParsedUrl { address: proxy.address.clone(), ..url }),
            (None, None, _) => url.resolved(&self.pinned),
        }
    }

    /// How the engine is to ask.
    pub fn asking(&self, feeders: Feeders) -> Asking {
        Asking { feed: feeders.into_feed(), cookies: self.cookies, bind: self.bind.clone() }
    }
}
