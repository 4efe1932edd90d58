//! An HTTP proxy, as people name it. No variable of the environment makes a measurement use one: it goes only where the study
//! says. Where the study names a proxy, `NO_PROXY` can take hosts away from it.

use super::super::problem::shown;
use super::super::url::{resolve, split_authority};
use data_encoding::BASE64;
use proofload_engine::Addresses;
use proofload_facts::{Expected, Mistake};
use proofload_store::redact;
use std::net::IpAddr;

/// A proxy, and the servers that are reached through it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyOptions {
    pub address: Addresses,
    /// `host:port`, as written.
    pub authority: String,
    pub user: Option<(String, String)>,
    /// True to ask for a tunnel (`CONNECT`) for plain HTTP too, which needs none.
    pub tunnel: bool,
    /// Hosts that are reached without it, as in the variable `NO_PROXY`.
    pub no_proxy: String,
}

impl std::fmt::Debug for ProxyOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let user = self.user.as_ref().map(|_| "[redacted]");
        f.debug_struct("ProxyOptions").field("authority", &self.authority).field("user", &user).finish()
    }
}

impl ProxyOptions {
    /// The value of `Proxy-Authorization`.
    pub(super) fn authorization(&self) -> Option<String> {
        self.coded().map(|coded| format!("Basic {coded}"))
    }

    fn coded(&self) -> Option<String> {
        let (user, password) = self.user.as_ref()?;
        let coded = BASE64.encode(format!("{user}:{password}").as_bytes());
        redact::know(password);
        redact::know(&coded);
        Some(coded)
    }
}

/// Takes `http://[user:password@]host:port` apart and resolves the host.
///
/// # Errors
/// The mistake, and what to write instead; never the password.
pub fn proxy(text: &str) -> Result<ProxyOptions, Mistake> {
    const FORM: &str = "http://host:port";
    let Some((scheme, rest)) = text.split_once("://") else {
        return Err(Mistake::not("…", Expected::Proxy, FORM));
    };
    if !scheme.eq_ignore_ascii_case("http") {
        return Err(Mistake::ProxyScheme { scheme: shown(scheme) });
    }
    let (user, authority) = match rest.rsplit_once('@') {
        Some((user, authority)) => (Some(credentials(user)?), authority),
        None => (None, rest),
    };
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    let has_port = authority.rsplit(']').next().is_some_and(|end| end.contains(':'));
    let Some((host, port)) = split_authority(authority, 80).filter(|_| has_port) else {
        return Err(Mistake::not(shown(authority), Expected::HostAndPort, FORM));
    };
    let (address, authority) = (resolve(host, port)?, authority.to_string());
    Ok(ProxyOptions { address, authority, user, tunnel: false, no_proxy: String::new() })
}

/// The variable of the environment that names hosts to be reached without a proxy, as curl reads it; empty without one.
pub(super) fn no_proxy_variable() -> String {
    ["no_proxy", "NO_PROXY"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default()
}

/// True if the list names this host: by its name, or one that it is below, by its address or a network (`10.0.0.0/8`), or as
/// `*`. Names are separated by commas or blanks.
pub(super) fn is_direct(list: &str, host: &str) -> bool {
    let bare = |name: &str| name.trim_matches(['.', '[', ']']).to_ascii_lowercase();
    let host = bare(host);
    let address = host.parse::<IpAddr>().ok();
    list.split([',', ' ']).filter(|entry| !entry.is_empty()).any(|entry| {
        let (net, bits) = entry.split_once('/').map_or((entry, None), |(net, bits)| (net, Some(bits)));
        match (address, bare(net)) {
            _ if entry == "*" => true,
            (Some(host), net) => net.parse().is_ok_and(|net| shares_prefix(host, net, bits)),
            (None, name) => host.strip_suffix(&name).is_some_and(|rest| {
                !name.is_empty() && bits.is_none() && (rest.is_empty() || rest.ends_with('.'))
            }),
        }
    })
}

/// True if the first bits of both addresses are the same; all of them without a number.
fn shares_prefix(host: IpAddr, net: IpAddr, bits: Option<&str>) -> bool {
    let (host, net, width) = match (host, net) {
        (IpAddr::V4(host), IpAddr::V4(net)) => (u128::from(host.to_bits()), u128::from(net.to_bits()), 32),
        (IpAddr::V6(host), IpAddr::V6(net)) => (host.to_bits(), net.to_bits(), 128),
        _ => return false,
    };
    let bits = bits.map_or(Some(width), |bits| bits.parse::<u32>().ok().filter(|bits| *bits <= width));
    bits.is_some_and(|bits| (host ^ net).checked_shr(width - bits).unwrap_or(0) == 0)
}

/// `user:password`, percent-encoded where that is needed.
fn credentials(text: &str) -> Result<(String, String), Mistake> {
    let wrong = || Mistake::not("…", Expected::User, "user:password, user:p%40ss");
    let (user, password) = text.split_once(':').ok_or_else(wrong)?;
    let decoded = |text: &str| decode(text).ok_or_else(wrong);
    Ok((decoded(user)?, decoded(password)?))
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        bytes.push(match byte {
            b'%' => (digit(rest.next())? * 16 + digit(rest.next())?) as u8,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}
