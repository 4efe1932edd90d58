//! Requests as the engine sends them.

use super::speaks::Speaks;
use proofload_engine::{Expect, Follow, MixEntry};
use proofload_wire::http1::{self, RequestSpec, Template};
use proofload_wire::{Request, ajp};
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
    /// Redirects over another protocol than HTTP.
    #[error("redirects are followed by HTTP alone; leave follow out")]
    Follow,
}

/// A request of the mix, before it is encoded.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its share in the mix.
    pub weight: u32,
    /// What is asked.
    pub request: &'a RequestSpec,
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
            Ok(Arc::new(match speaks {
                Speaks::Http => spec.encode_with(template)?,
                Speaks::Ajp(attributes) => ajp::encode(spec, template, attributes)?,
            }))
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
