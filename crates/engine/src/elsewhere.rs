//! Other origins that redirects lead to: their addresses, and the connections there.
//!
//! A lane whose exchange is redirected to another origin gets a companion for it: a connection and a lane behind the
//! ordinary ones, which carries the exchange there and stays open for the next. The lane itself waits for it.

use crate::driver::Conn;
use crate::lane::LaneId;
use crate::transport::{self, Proxy, Tls, Transport};
use crate::{Address, Addresses, LoadPlan, Target};
use proofload_wire::Protocol;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// Most other origins that a worker goes to.
pub(crate) const ORIGINS_MAX: usize = 8;

/// Server that a redirect names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub secure: bool,
    /// In small letters; IPv6 in brackets.
    pub host: String,
    pub port: u16,
}

impl Named {
    /// For the Host header: the scheme's own port is left out.
    pub fn authority(&self) -> String {
        let own = if self.secure { 443 } else { 80 };
        if self.port == own { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }

    /// `https://example.org:8443`.
    pub fn url(&self) -> String {
        format!("{}://{}", if self.secure { "https" } else { "http" }, self.authority())
    }

    fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }
}

/// Names that are resolved while a load runs: each once, by a thread of its own, for no worker may wait for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Arc<Mutex<BTreeMap<String, Lookup>>>);

#[derive(Clone, Debug)]
enum Lookup {
    UnderWay,
    Found(Vec<IpAddr>),
    Failed(String),
}

impl Names {
    fn map(&self) -> MutexGuard<'_, BTreeMap<String, Lookup>> {
        // Nothing panics while it is held; and what is in it stays usable.
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn look_up(&self, host: &str) -> Lookup {
        if let Some(known) = self.map().get(host) {
            return known.clone();
        }
        self.map().insert(host.to_owned(), Lookup::UnderWay);
        let (names, name) = (self.clone(), host.to_owned());
        let spawned = thread::Builder::new().name("names".to_owned()).spawn(move || {
            let found = resolve(&name);
            names.map().insert(name, found);
        });
        match spawned {
            Ok(_) => Lookup::UnderWay,
            Err(error) => Lookup::Failed(error.to_string()),
        }
    }
}

/// Asks the system, which may take seconds.
fn resolve(host: &str) -> Lookup {
    let found: Vec<IpAddr> = match (host, 0).to_socket_addrs() {
        Ok(found) => found.map(|address| address.ip()).collect(),
        Err(error) => return Lookup::Failed(error.to_string()),
    };
    match found.is_empty() {
        true => Lookup::Failed("it has no address".to_owned()),
        false => Lookup::Found(found),
    }
}

/// Everything outside a worker that its exchanges use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    pub names: Names,
    /// Nanoseconds since 1970 (UTC) at the beginning of the axis of time.
    pub unix_ns: i64,
}

/// Way to another origin.
#[derive(Debug)]
pub(crate) enum Way {
    /// Not asked for yet, or its name is being resolved.
    Unknown,
    Known(Target),
    /// There is none, for this reason.
    None(String),
}

#[derive(Debug)]
struct Other {
    named: Named,
    way: Way,
    authority: String,
    /// Redirects of the window that led there.
    redirects: u64,
}

/// The other origins of one worker, and its companions.
#[derive(Debug)]
pub(crate) struct Elsewhere<'a> {
    plan: &'a LoadPlan,
    /// Hosts of the plan, each with its target.
    hosts: Vec<(String, usize)>,
    names: Names,
    others: Vec<Other>,
    /// Number of ordinary lanes; companions are behind them.
    own: u32,
    /// Lane of each companion.
    homes: Vec<LaneId>,
    /// Companions by lane and other origin.
    companions: BTreeMap<(LaneId, usize), LaneId>,
    /// Companions that wait for a name.
    pub waiting: Vec<Conn>,
}

impl<'a> Elsewhere<'a> {
    /// For a worker with `own` lanes; each host of the plan is at the target with its index.
    pub fn new(plan: &'a LoadPlan, hosts: Vec<(String, usize)>, names: Names, own: usize) -> Self {
        Elsewhere {
            plan,
            hosts,
            names,
            others: Vec::new(),
            own: own as u32,
            homes: Vec::new(),
            companions: BTreeMap::new(),
            waiting: Vec::new(),
        }
    }

    /// Index of an origin that may be new; `None` if there are too many already.
    pub fn index_of(&mut self, named: Named) -> Option<usize> {
        let known = self.others.iter().position(|other| other.named == named);
        if known.is_some() || self.others.len() >= ORIGINS_MAX {
            return known;
        }
        let authority = named.authority();
        self.others.push(Other { named, way: Way::Unknown, authority, redirects: 0 });
        Some(self.others.len() - 1)
    }

    /// True if it is spoken to by TLS, and its name in the Host header.
    pub fn authority(&self, other: usize) -> (bool, &str) {
        let Other { named, authority, .. } = &self.others[other];
        (named.secure, authority)
    }

    /// The proxy that takes requests to another origin as they are, if there is one on the way.
    pub fn forwards(&self, other: usize) -> Option<&Proxy> {
        match &self.others[other].way {
            Way::Known(target) => target.transport.proxy.as_ref().filter(|proxy| !proxy.tunnels),
            Way::Unknown | Way::None(_) => None,
        }
    }

    /// The target with that index: of the plan, or of another origin to which a connection was made.
    pub fn target(&self, at: u32) -> Option<&Target> {
        let at = at as usize;
        self.plan.targets.get(at).or_else(|| match &self.others.get(at - self.plan.targets.len())?.way {
            Way::Known(target) => Some(target),
            Way::Unknown | Way::None(_) => None,
        })
    }

    /// URL of the other origin that is the target with that index.
    pub fn url(&self, at: u32) -> String {
        self.others[at as usize - self.plan.targets.len()].named.url()
    }

    pub fn count(&mut self, other: usize) {
        self.others[other].redirects += 1;
    }

    /// Redirects of the window to each other origin.
    pub fn counts(&self) -> Vec<(String, u64)> {
        self.others.iter().map(|other| (other.named.url(), other.redirects)).collect()
    }

    pub fn companions(&self) -> usize {
        self.homes.len()
    }

    /// The lane that this one is a companion of; itself if it is none.
    #[inline]
    pub fn home(&self, lane: LaneId) -> LaneId {
        match lane.checked_sub(self.own) {
            None => lane,
            Some(at) => self.homes[at as usize],
        }
    }

    /// The companion of a lane for another origin, and true if it is new and has to be added behind the others.
    pub fn companion(&mut self, home: LaneId, other: usize) -> (LaneId, bool) {
        let next = self.own + self.homes.len() as u32;
        let companion = *self.companions.entry((home, other)).or_insert(next);
        if companion == next {
            self.homes.push(home);
        }
        (companion, companion == next)
    }

    /// Way to the other origin that is the target with that index, for an exchange that began at the target `from`.
    pub fn way(&mut self, at: u32, from: u32) -> &Way {
        let plan = self.plan;
        let at = at as usize - plan.targets.len();
        if matches!(self.others[at].way, Way::Unknown) {
            self.others[at].way = self.find_way(&self.others[at].named, &plan.targets[from as usize]);
        }
        &self.others[at].way
    }

    fn find_way(&self, named: &Named, from: &'a Target) -> Way {
        let host = named.bare_host();
        let proxy = from.transport.proxy.as_ref().map(|proxy| Proxy {
            authority: format!("{}:{}", named.host, named.port),
            tunnels: proxy.tunnels || named.secure,
            ..proxy.clone()
        });
        let addresses = match &proxy {
            Some(_) => from.addresses.clone(),
            None => match self.ip_of(host) {
                Lookup::UnderWay => return Way::Unknown,
                Lookup::Found(found) => {
                    let at = |ip| Address::Tcp(SocketAddr::new(ip, named.port));
                    match Addresses::of(found.into_iter().map(at)) {
                        Some(addresses) => addresses,
                        None => return Way::None(format!("{host} has no address")),
                    }
                }
                Lookup::Failed(error) => return Way::None(format!("{host} cannot be resolved: {error}")),
            },
        };
        let tls = match self.tls(from).filter(|_| named.secure) {
            Some(tls) => Some(Arc::new(Tls { server_name: host.to_owned(), ..tls.clone() })),
            None if named.secure => {
                return Way::None(format!("{} cannot be trusted: no authority is known", named.url()));
            }
            None => None,
        };
        let target = Target { addresses, transport: Transport { proxy, tls }, protocol: Protocol::Http1 };
        match transport::problems(&target) {
            problems if problems.is_empty() => Way::Known(target),
            problems => Way::None(problems.join("; ")),
        }
    }

    /// TLS as the load speaks it.
    fn tls(&self, from: &'a Target) -> Option<&'a Tls> {
        let of_targets = || self.plan.targets.iter().find_map(|target| target.transport.tls.as_deref());
        from.transport.tls.as_deref().or_else(of_targets).or(self.plan.asking.elsewhere_tls.as_deref())
    }

    /// A host of the plan is where the plan says that it is, at any port.
    fn ip_of(&self, host: &str) -> Lookup {
        let known = || {
            let (_, at) = self.hosts.iter().find(|(name, _)| name.eq_ignore_ascii_case(host))?;
            let Target { addresses, transport, .. } = &self.plan.targets[*at];
            let ips = addresses.iter().filter_map(|address| Some(address.tcp()?.ip()));
            Some(ips.collect::<Vec<_>>()).filter(|ips| !ips.is_empty() && transport.proxy.is_none())
        };
        match host.parse().ok().map(|ip| vec![ip]).or_else(known) {
            Some(ips) => Lookup::Found(ips),
            None => self.names.look_up(host),
        }
    }
}
