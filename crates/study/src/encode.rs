//! Requests as the engine sends them.

use super::problem::shown;
use super::protocol::Speaks;
use super::url::not_in_paths;
use proofload_engine::transport::Proxy;
use proofload_engine::{Expect, Follow, MixEntry};
use proofload_facts::{Expected, Mistake, Thing};
use proofload_wire::http1::{self, Credentials, Origin, RequestSpec, Scheme, Template};
use proofload_wire::{Call, Request, ajp, dubbo, hessian, json, rmi};
use std::sync::Arc;

/// Most redirects that can be followed.
pub const FOLLOW_MAX: u32 = 20;

/// The mistake when a request cannot be sent by HTTP.
pub(super) fn of_http(error: &http1::EncodeError) -> Mistake {
    use http1::EncodeError as E;
    match error {
        E::Method(found) => Mistake::not(shown(found), Expected::Method, "GET"),
        E::Connect => Mistake::not("CONNECT", Expected::Method, "GET"),
        E::TargetForm(found) => Mistake::not(shown(found), Expected::Path, "/path"),
        E::TargetByte { byte, .. } => not_in_paths(*byte),
        E::Authority(found) => Mistake::not(shown(found), Expected::HostAndPort, "host, host:port"),
        E::HeaderName(found) => Mistake::not(shown(found), Expected::HeaderName, "X-Name"),
        E::HeaderValue { name, .. } => Mistake::ControlCharacter.at(shown(name)),
        E::Repeated(name) => Mistake::twice(Thing::Header, *name),
        E::ContentLength { .. } => Mistake::own_header("Content-Length"),
        E::TransferEncoding => Mistake::own_header("Transfer-Encoding"),
        E::Upgrade => Mistake::own_header("Upgrade"),
        E::Connection(_) => Mistake::own_header("Connection"),
        E::SlotInFraming(name) => Mistake::FramingValue { name: shown(name) },
        E::SlotPlace => Mistake::not("${…}", Expected::Path, "/${…}"),
        E::Cookies => Mistake::exclude("headers.Cookie", "cookies"),
        other => Mistake::CannotWrite { error: other.to_string() },
    }
}

fn uncounted(types: usize, arguments: usize) -> Mistake {
    Mistake::TypesAndArguments { types: types as u64, arguments: arguments as u64 }
}

fn of_ajp(error: &ajp::EncodeError) -> Mistake {
    match error {
        ajp::EncodeError::Request(error) => of_http(error),
        ajp::EncodeError::Port(found) => Mistake::not(shown(found), Expected::HostAndPort, "host:8009"),
        ajp::EncodeError::HeadTooLong { bytes, most } => {
            Mistake::TooLong { length: *bytes as u64, most: most.to_string() }
        }
        ajp::EncodeError::PacketBytes(bytes) => {
            Mistake::beyond(bytes, ajp::PACKET_BYTES_MIN, ajp::PACKET_BYTES_MAX)
        }
        ajp::EncodeError::Attribute(name) => Mistake::Nul.at(shown(name)),
        _ => Mistake::NoMeaningBeside { beside: "ajp".to_string() }.at("cookies"),
    }
}

/// A request, and the same as the last of its connection.
type Both = [Arc<Request>; 2];

/// A request of the mix, before it is encoded.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its share in the mix.
    pub weight: u32,
    pub request: &'a RequestSpec,
    /// The method that is called, where it is that.
    pub call: Option<&'a Call>,
    /// Parts that change with each exchange.
    pub template: &'a Template,
    /// Condition that the answer must meet.
    pub expect: &'a Expect,
    /// Most redirects that are followed.
    pub follow: u32,
    /// Who answers the server's challenge.
    pub digest: Option<&'a Arc<Credentials>>,
}

impl Entry<'_> {
    /// The entry for a target of the plan that speaks this protocol by way of this proxy; `authority` goes into the Host
    /// header.
    ///
    /// # Errors
    /// A request that cannot be sent by this protocol.
    pub fn encode(
        &self,
        target: usize,
        authority: &str,
        speaks: &Speaks,
        proxy: Option<&Proxy>,
    ) -> Result<MixEntry, Mistake> {
        let without = |needs: &str| Mistake::NoMeaningWithout { needs: needs.to_string() };
        if *speaks != Speaks::Http
            && let Some(key) = self.key_of_http()
        {
            return Err(without("http://").at(key));
        }
        let forwards = proxy.filter(|proxy| !proxy.tunnels);
        if forwards.is_some() && self.has_other_host(authority) {
            return Err(without("proxy.tunnel: true").at("headers.Host"));
        }
        let encode = |spec: &RequestSpec, template: &Template, forwards: Option<&Proxy>| {
            let request = match self.call {
                Some(call) => called(call, spec, template, speaks)?,
                None => asked(spec, template, speaks)?,
            };
            Ok(Arc::new(match forwards {
                Some(proxy) => http1::through_proxy(request, authority, proxy.authorization.as_deref()),
                None => request,
            }))
        };
        let by_way_of = |forwards: Option<&Proxy>, request: &RequestSpec, template: &Template| {
            let mut spec = RequestSpec { authority: authority.to_string(), close: false, ..request.clone() };
            let open = encode(&spec, template, forwards)?;
            spec.close = true;
            Ok::<Both, Mistake>([open, encode(&spec, template, forwards)?])
        };
        let both = |request: &RequestSpec, template: &Template| by_way_of(forwards, request, template);
        let [request, closing_request] = both(self.request, self.template)?;
        let as_get = match self.follow > 0 && !matches!(self.request.method.as_str(), "GET" | "HEAD") {
            true => {
                let (get, template) = self.request.as_get(self.template);
                Some(both(&get, &template)?)
            }
            false => None,
        };
        // The engine adds the other origin once a redirect names it.
        let bare = |request: &RequestSpec, template: &Template| by_way_of(None, request, template);
        let elsewhere = match self.follow {
            0 => None,
            _ => self.elsewhere(forwards.is_some(), as_get.is_some(), bare)?,
        };
        let follow = Follow { most: self.follow, as_get, elsewhere };
        Ok(MixEntry {
            weight: self.weight,
            target,
            request,
            closing_request,
            expect: self.expect.clone(),
            follow,
            digest: self.digest.cloned(),
        })
    }

    /// The requests for other origins, as they are and as GET; `None` where they are those of the first.
    fn elsewhere(
        &self,
        forwards: bool,
        gets: bool,
        both: impl Fn(&RequestSpec, &Template) -> Result<Both, Mistake>,
    ) -> Result<Option<[Both; 2]>, Mistake> {
        let unchanged = || forwards.then(|| (self.request.clone(), self.template.clone()));
        let Some((request, template)) = self.request.as_stranger(self.template).or_else(unchanged) else {
            return Ok(None);
        };
        let as_it_is = both(&request, &template)?;
        let (get, template) = if gets { request.as_get(&template) } else { (request, template) };
        Ok(Some([as_it_is, both(&get, &template)?]))
    }

    /// A key of the entry that means nothing in another protocol than HTTP.
    fn key_of_http(&self) -> Option<&'static str> {
        let keys = [
            (self.follow > 0, "follow"),
            (self.digest.is_some(), "auth.digest"),
            (self.call.is_none() && self.request.expects_continue(), "expect_continue"),
        ];
        keys.into_iter().find(|(has, _)| *has).map(|(_, key)| key)
    }

    /// True if its own Host header names another server than the address: a proxy without a tunnel replaces it (RFC 9112
    /// section 3.2.2).
    fn has_other_host(&self, authority: &str) -> bool {
        fn origin(authority: &str) -> Origin<'_> {
            Origin { scheme: Scheme::Http, authority: authority.as_bytes() }
        }
        let is_other = |host: &str| origin(host.trim()) != origin(authority);
        self.request.headers.iter().any(|(name, host)| name.eq_ignore_ascii_case("host") && is_other(host))
    }
}

/// A request of HTTP, by what carries such requests.
fn asked(spec: &RequestSpec, template: &Template, speaks: &Speaks) -> Result<Request, Mistake> {
    match speaks {
        Speaks::Http => spec.encode_with(template).map_err(|error| of_http(&error)),
        Speaks::Ajp(attributes) => ajp::encode(spec, template, attributes).map_err(|error| of_ajp(&error)),
        other => Err(Mistake::NotCarried { protocol: other.name(), calls: true }),
    }
}

/// A call, encoded for the protocol. Over HTTP it goes to the path of the protocol, unless the entry has one of its
/// own.
fn called(call: &Call, spec: &RequestSpec, template: &Template, speaks: &Speaks) -> Result<Request, Mistake> {
    let at = |path: &str| match spec.target.as_str() {
        "" => RequestSpec { target: Speaks::filled(path, call), ..spec.clone() },
        _ => spec.clone(),
    };
    // Protocols other than HTTP have no marker for the last request of a connection: this side closes it.
    let closing = |request: Request| Request { closes: spec.close, keep_body: spec.keep_body, ..request };
    match speaks {
        Speaks::Dubbo(_) | Speaks::Rmi(..) if !spec.headers.is_empty() => {
            Err(Mistake::NoMeaningBeside { beside: speaks.name().to_string() }.at("headers, auth"))
        }
        Speaks::Dubbo(options) => dubbo::encode(call, options).map(closing).map_err(|error| match error {
            dubbo::EncodeError::Arguments { types, arguments } => uncounted(types, arguments),
            error => Mistake::CannotWrite { error: error.to_string() },
        }),
        Speaks::Hessian(version, path) => {
            hessian::encode(*version, call, &at(path), template).map_err(|error| of_http(&error))
        }
        Speaks::Json(json::Body::Argument, _) if call.arguments.len() > 1 => {
            Err(Mistake::OneArgument { arguments: call.arguments.len() as u64 })
        }
        Speaks::Json(body, path) => {
            json::encode(*body, call, &at(path), template).map_err(|error| of_http(&error))
        }
        Speaks::Rmi(_, object) => {
            let encoded = rmi::encode(call, &object.unwrap_or_default());
            encoded.map(closing).map_err(|error| match error {
                rmi::CallError::Count { parameters, arguments } => uncounted(parameters, arguments),
                error => Mistake::CannotWrite { error: error.to_string() },
            })
        }
        Speaks::Http | Speaks::Ajp(_) => Err(Mistake::NotCarried { protocol: speaks.name(), calls: false }),
    }
}
