//! Requests as the engine sends them.

use super::speaks::Speaks;
use proofload_engine::{Expect, Follow, MixEntry};
use proofload_wire::http1::{self, RequestSpec, Template};
use proofload_wire::{Call, Request, ajp, dubbo, hessian, json, rmi};
use std::sync::Arc;

/// Most redirects that can be followed.
pub const FOLLOW_MAX: u32 = 20;

/// Why a request cannot be sent to a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// By HTTP.
    #[error(transparent)]
    Http(#[from] http1::EncodeError),
    /// By AJP.
    #[error(transparent)]
    Ajp(#[from] ajp::EncodeError),
    /// By Dubbo.
    #[error(transparent)]
    Dubbo(#[from] dubbo::EncodeError),
    /// By RMI.
    #[error(transparent)]
    Rmi(#[from] rmi::CallError),
    /// More arguments than a body of plain JSON has room for.
    #[error(
        "json sends one argument, and the call has {0}; speak jsonrpc, or put them into one object or list"
    )]
    OneArgument(usize),
    /// Headers where no HTTP carries the call.
    #[error("a call by {0} has no headers; leave headers and auth out")]
    Headers(&'static str),
    /// Redirects over another protocol than HTTP.
    #[error("redirects are followed by HTTP alone; leave follow out")]
    Follow,
    /// A request of HTTP to a server of another protocol.
    #[error("a server that speaks {0} is called, not asked for a path; write call: interface.method")]
    NoCall(&'static str),
    /// A call to a server of HTTP or AJP.
    #[error(
        "a method cannot be called by {0}; say what the server speaks, as in speaks: {{ protocol: dubbo }} or dubbo://"
    )]
    Called(&'static str),
}

/// A request of the mix, before it is encoded.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its share in the mix.
    pub weight: u32,
    /// What is asked.
    pub request: &'a RequestSpec,
    /// The method that is called, where it is that.
    pub call: Option<&'a Call>,
    /// What changes with each exchange.
    pub template: &'a Template,
    /// What the answer must be.
    pub expect: &'a Expect,
    /// Most redirects that are followed.
    pub follow: u32,
}

impl Entry<'_> {
    /// The entry for a target of the plan, with which this is spoken; `authority` goes into the Host header.
    ///
    /// # Errors
    /// When it cannot be sent so.
    pub fn encode(&self, target: usize, authority: &str, speaks: &Speaks) -> Result<MixEntry, EncodeError> {
        let encode = |spec: &RequestSpec, template: &Template| -> Result<Arc<Request>, EncodeError> {
            let request = match self.call {
                Some(call) => called(call, spec, speaks)?,
                None => asked(spec, template, speaks)?,
            };
            Ok(Arc::new(request))
        };
        let both = |request: &RequestSpec, template: &Template| -> Result<[_; 2], EncodeError> {
            let mut spec = RequestSpec { authority: authority.to_string(), close: false, ..request.clone() };
            let open = encode(&spec, template)?;
            spec.close = true;
            Ok([open, encode(&spec, template)?])
        };
        if self.follow > 0 && *speaks != Speaks::Http {
            return Err(EncodeError::Follow);
        }
        let [request, closing_request] = both(self.request, self.template)?;
        let as_get = match self.follow > 0 && !matches!(self.request.method.as_str(), "GET" | "HEAD") {
            true => {
                let (get, template) = self.request.as_get(self.template);
                Some(both(&get, &template)?)
            }
            false => None,
        };
        let follow = Follow { most: self.follow, as_get };
        Ok(MixEntry {
            weight: self.weight,
            target,
            request,
            closing_request,
            expect: self.expect.clone(),
            follow,
        })
    }
}

/// A request of HTTP, by what carries such requests.
fn asked(spec: &RequestSpec, template: &Template, speaks: &Speaks) -> Result<Request, EncodeError> {
    match speaks {
        Speaks::Http => Ok(spec.encode_with(template)?),
        Speaks::Ajp(attributes) => Ok(ajp::encode(spec, template, attributes)?),
        other => Err(EncodeError::NoCall(other.name())),
    }
}

/// A call, by what carries calls. By those that HTTP carries it goes to the path of the protocol, unless the entry has
/// one of its own.
fn called(call: &Call, spec: &RequestSpec, speaks: &Speaks) -> Result<Request, EncodeError> {
    let at = |path: &str| match spec.target.as_str() {
        "" => RequestSpec { target: Speaks::filled(path, call), ..spec.clone() },
        _ => spec.clone(),
    };
    // Those that are no HTTP have no words for the last request of a connection: this side closes it.
    let closing = |request: Request| Request { closes: spec.close, keep_body: spec.keep_body, ..request };
    match speaks {
        Speaks::Dubbo(_) | Speaks::Rmi(..) if !spec.headers.is_empty() => {
            Err(EncodeError::Headers(speaks.name()))
        }
        Speaks::Dubbo(options) => Ok(closing(dubbo::encode(call, options)?)),
        Speaks::Hessian(version, path) => Ok(hessian::encode(*version, call, &at(path))?),
        Speaks::Json(json::Body::Argument, _) if call.arguments.len() > 1 => {
            Err(EncodeError::OneArgument(call.arguments.len()))
        }
        Speaks::Json(body, path) => Ok(json::encode(*body, call, &at(path))?),
        Speaks::Rmi(_, object) => Ok(closing(rmi::encode(call, &object.unwrap_or_default())?)),
        Speaks::Http | Speaks::Ajp(_) => Err(EncodeError::Called(speaks.name())),
    }
}
