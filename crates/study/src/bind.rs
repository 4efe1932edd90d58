//! Local addresses that connections leave from.

use super::field::Field;
use super::keys::{Kind, kinds};
use super::model::{SubjectSpec, Variant};
use super::problem::shown;
use proofload_engine::{Address, Addresses};
use proofload_facts::{Expected, Mistake, Thing};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

kinds! {
    /// A numeric address of this machine.
    LOCAL_ADDRESS = Kind::Text(r"^[0-9A-Fa-f.:]+$");
    /// Numeric addresses, `,` between them.
    PINNED = Kind::Text(r"^[0-9A-Fa-f.:, ]+$");
}

/// Most local addresses.
pub(super) const BIND_MAX: usize = 64;

/// An address of this machine.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn local_address(text: &str) -> Result<IpAddr, Mistake> {
    let address: IpAddr =
        text.parse().map_err(|_| Mistake::not(shown(text), Expected::NumericAddress, "127.0.0.2"))?;
    match proofload_engine::driver::is_local(address) {
        true => Ok(address),
        false => Err(Mistake::NotLocal { address: text.to_string() }),
    }
}

/// The mistake when a server cannot be reached from these addresses.
pub(super) fn cannot_bind(from: &[IpAddr], to: &Addresses) -> Option<Mistake> {
    let other = |to: SocketAddr| from.iter().find(|from| from.is_ipv4() != to.is_ipv4());
    match &to.first {
        _ if from.is_empty() => None,
        Address::Unix(_) => Some(Mistake::SocketBound { to: to.to_string() }),
        Address::Tcp(_) if to.iter().filter_map(Address::tcp).any(|to| other(to).is_none()) => None,
        Address::Tcp(to) => Some(Mistake::OtherFamily { from: other(*to)?.to_string(), to: to.to_string() }),
    }
}

/// `bind: [127.0.0.2, 127.0.0.3]`
pub(super) fn check_bind(field: &Field<'_>) -> Option<Vec<IpAddr>> {
    let remedy = "write a list: [127.0.0.2, 127.0.0.3]";
    let items = field.items(remedy)?;
    field.at_most(items.len(), BIND_MAX, Thing::Address)?;
    let check = |item: &Field<'_>| {
        let text = item.text("an address such as 127.0.0.2")?;
        local_address(text).map_err(|mistake| item.problem(mistake)).ok()
    };
    let checked: Vec<Option<IpAddr>> = items.iter().map(check).collect();
    checked.into_iter().collect()
}

/// Every server must be within reach; those that are started listen on 127.0.0.1.
pub(super) fn check_reach(field: &Field<'_>, from: &[IpAddr], variants: &[Variant]) {
    let started = SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into();
    let reached = |variant: &Variant| {
        let to = match &variant.subject {
            SubjectSpec::Url { address, .. } => address,
            _ => &started,
        };
        cannot_bind(from, to).map(|mistake| mistake.at(&variant.name))
    };
    if let Some(mistake) = variants.iter().find_map(reached) {
        field.problem(mistake);
    }
}
