//! Other origins that redirects lead to: their addresses, and the connections there.
//!
//! A lane whose exchange is redirected to another origin gets a companion for it: a connection and a lane behind the
//! ordinary ones, which carries the exchange there and stays open for the next. The lane itself waits for it.

use crate::driver::Conn;
use crate::lane::LaneId;
use crate::transport::{self, Proxy, Tls, Transport};
use crate::{Address, Addresses, LoadPlan, Target};
use proofload_measure::Outcome;
use proofload_wire::Protocol;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
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
    pub fn new((secure, host, port): (bool, &[u8], u16)) -> Self {
        Named { secure, host: String::from_utf8_lossy(host).to_ascii_lowercase(), port }
    }

    fn is(&self, (secure, host, port): (bool, &[u8], u16)) -> bool {
        (self.secure, self.port) == (secure, port) && self.host.as_bytes().eq_ignore_ascii_case(host)
    }

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

/// Addresses of a name, or the outcome of exchanges that need them and the reason.
type Found = Result<Vec<IpAddr>, (Outcome, String)>;

/// Time after which a name that could not be resolved is asked for again.
const FAILED_NS: u64 = 1_000_000_000;

/// Names that are resolved while a load runs: each once, by a thread of its own, for no worker may wait for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Arc<Lookups>);

#[derive(Debug, Default)]
struct Lookups {
    of: Mutex<BTreeMap<String, Lookup>>,
    /// Number of those that have ended.
    ended: AtomicUsize,
}

#[derive(Debug, Default)]
struct Lookup {
    /// `None` while it is under way.
    found: Option<Found>,
    /// Instant at which a worker took note first.
    told_ns: Option<u64>,
}

impl Names {
    fn map(&self) -> MutexGuard<'_, BTreeMap<String, Lookup>> {
        // Nothing panics while it is held; and what is in it stays usable.
        self.0.of.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Addresses of a name; `None` while it is being resolved.
    fn look_up(&self, host: &str, now_ns: u64) -> Option<Found> {
        let mut map = self.map();
        if let Some(Lookup { found, told_ns }) = map.get_mut(host) {
            let told_ns = *told_ns.get_or_insert(now_ns);
            if !matches!(found, Some(Err(_)) if now_ns >= told_ns + FAILED_NS) {
                return found.clone();
            }
        }
        map.insert(host.to_owned(), Lookup::default());
        drop(map);
        let (names, name) = (self.clone(), host.to_owned());
        let resolving = move || {
            let found =
                (&*name, 0).to_socket_addrs().map(|found| found.map(|address| address.ip()).collect());
            let failed = |error| (Outcome::ConnectFailed, format!("{name} cannot be resolved: {error}"));
            names.ended(name.clone(), found.map_err(failed));
        };
        let spawned = thread::Builder::new().name("names".to_owned()).spawn(resolving);
        let error = spawned.err()?;
        let failed = Err((Outcome::LocalExhausted, format!("no thread to resolve {host}: {error}")));
        self.ended(host.to_owned(), failed.clone());
        Some(failed)
    }

    fn ended(&self, name: String, found: Found) {
        self.map().insert(name, Lookup { found: Some(found), told_ns: None });
        self.0.ended.fetch_add(1, Ordering::Release);
    }
}

/// Everything outside a worker that its exchanges use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    pub names: Names,
    /// Nanoseconds since 1970 (UTC) at the beginning of the axis of time.
    pub unix_ns: i64,
}

#[derive(Debug)]
struct Other {
    named: Named,
    /// Target of the plan whose transport its connections have.
    from: usize,
    /// The origin as a target, or the reason for which it is none; `None` before its name is resolved.
    way: Option<Result<Target, String>>,
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
    /// Number of names that had been resolved when it was looked last.
    seen: usize,
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
            seen: 0,
        }
    }

    /// True if companions wait for a name and one was resolved meanwhile.
    pub fn has_news(&mut self) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let seen = self.names.0.ended.load(Ordering::Acquire);
        std::mem::replace(&mut self.seen, seen) != seen
    }

    /// Index of an origin (TLS, host, port) that may be new, for an exchange that began at the target `from`; `None` if there
    /// are too many already.
    pub fn index_of(&mut self, origin: (bool, &[u8], u16), from: usize) -> Option<usize> {
        let transport = |target: usize| &self.plan.targets[target].transport;
        let is_like = |target: usize| target == from || transport(target) == transport(from);
        let mut others = self.others.iter();
        let known = others.position(|other| other.named.is(origin) && is_like(other.from));
        if known.is_some() || self.others.len() >= ORIGINS_MAX {
            return known;
        }
        let named = Named::new(origin);
        let authority = named.authority();
        self.others.push(Other { named, from, way: None, authority, redirects: 0 });
        Some(self.others.len() - 1)
    }

    /// True if it is asked through TLS, and what stands in the Host header.
    pub fn authority(&self, other: usize) -> (bool, &str) {
        let Other { named, authority, .. } = &self.others[other];
        (named.secure, authority)
    }

    /// The proxy that takes requests to another origin as they are, if there is one on the way.
    pub fn forwards(&self, other: usize) -> Option<&Proxy> {
        let target = self.others[other].way.as_ref()?.as_ref().ok()?;
        target.transport.proxy.as_ref().filter(|proxy| !proxy.tunnels)
    }

    /// The target with that index: of the plan, or of another origin to which a connection was made.
    pub fn target(&self, at: u32) -> Option<&Target> {
        let at = at as usize;
        let other = || self.others.get(at - self.plan.targets.len())?.way.as_ref()?.as_ref().ok();
        self.plan.targets.get(at).or_else(other)
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
        let led = self.others.iter().filter(|other| other.redirects > 0);
        led.map(|other| (other.named.url(), other.redirects)).collect()
    }

    pub fn companions(&self) -> usize {
        self.homes.len()
    }

    /// The companions of a lane.
    pub fn companions_of(&self, home: LaneId) -> Vec<LaneId> {
        self.companions.range((home, 0)..=(home, usize::MAX)).map(|(_, companion)| *companion).collect()
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

    /// The other origin that is the target with that index; `None` while its name is being resolved.
    ///
    /// # Errors
    /// The outcome of an exchange that is led there, and the reason.
    pub fn way(&mut self, at: u32, now_ns: u64) -> Result<Option<&Target>, (Outcome, String)> {
        let at = at as usize - self.plan.targets.len();
        if self.others[at].way.is_none() {
            self.others[at].way = self.find_way(&self.others[at], now_ns)?;
        }
        match &self.others[at].way {
            Some(Err(why)) => Err((Outcome::ConnectFailed, why.clone())),
            Some(Ok(target)) => Ok(Some(target)),
            None => Ok(None),
        }
    }

    /// A proxy is on the way if one is on that of the exchange's own server, and TLS is as there; where that is asked in plain
    /// text, as the plan says.
    fn find_way(
        &self,
        other: &Other,
        now_ns: u64,
    ) -> Result<Option<Result<Target, String>>, (Outcome, String)> {
        let Other { named, from, .. } = other;
        let (host, from) = (named.bare_host(), &self.plan.targets[*from]);
        let proxy = from.transport.proxy.as_ref().map(|proxy| Proxy {
            authority: format!("{}:{}", named.host, named.port),
            tunnels: proxy.tunnels || named.secure,
            ..proxy.clone()
        });
        let addresses = match &proxy {
            Some(_) => Some(from.addresses.clone()),
            None => {
                let Some(found) = self.ips_of(host, now_ns)? else { return Ok(None) };
                Addresses::of(found.into_iter().map(|ip| Address::Tcp(SocketAddr::new(ip, named.port))))
            }
        };
        let Some(addresses) = addresses else { return Ok(Some(Err(format!("{host} has no address")))) };
        let settings = from.transport.tls.as_deref().or(self.plan.asking.elsewhere_tls.as_deref());
        let tls = settings.filter(|_| named.secure);
        if named.secure && tls.is_none() {
            return Ok(Some(Err(format!("{} cannot be trusted: no authority is known", named.url()))));
        }
        let tls = tls.map(|tls| Arc::new(Tls { server_name: host.to_owned(), ..tls.clone() }));
        let target = Target { addresses, transport: Transport { proxy, tls }, protocol: Protocol::Http1 };
        let problems = transport::problems(&target);
        Ok(Some(if problems.is_empty() { Ok(target) } else { Err(problems.join("; ")) }))
    }

    /// A host of the plan is where the plan says that it is, at any port.
    fn ips_of(&self, host: &str, now_ns: u64) -> Result<Option<Vec<IpAddr>>, (Outcome, String)> {
        let known = || {
            let (_, at) = self.hosts.iter().find(|(name, _)| name.eq_ignore_ascii_case(host))?;
            let Target { addresses, transport, .. } = &self.plan.targets[*at];
            let ips = addresses.iter().filter_map(|address| Some(address.tcp()?.ip()));
            Some(ips.collect::<Vec<_>>()).filter(|ips| !ips.is_empty() && transport.proxy.is_none())
        };
        match host.parse().ok().map(|ip| vec![ip]).or_else(known) {
            Some(ips) => Ok(Some(ips)),
            None => self.names.look_up(host, now_ns).transpose(),
        }
    }
}
