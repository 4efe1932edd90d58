//! Requests as the engine sends them.

use proofload_engine::{Expect, Follow, MixEntry};
use proofload_wire::http1::{EncodeError, RequestSpec, Template};
use std::sync::Arc;

/// Most redirects that can be followed.
pub const FOLLOW_MAX: u32 = 20;

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
    /// The entry for a target of the plan; `authority` goes into the Host header.
    pub fn encode(&self, target: usize, authority: &str) -> Result<MixEntry, EncodeError> {
        let both = |request: &RequestSpec, template: &Template| -> Result<[_; 2], EncodeError> {
            let mut spec = RequestSpec { authority: authority.to_string(), close: false, ..request.clone() };
            let open = Arc::new(spec.encode_with(template)?);
            spec.close = true;
            Ok([open, Arc::new(spec.encode_with(template)?)])
        };
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
