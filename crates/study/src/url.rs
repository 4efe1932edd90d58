//! Addresses of servers that already run.

use super::problem::shown;
use super::template::{self, TextPart};
use proofload_engine::{Address, Addresses};
use proofload_facts::{Expected, Mistake};
use proofload_wire::http1::first_wrong;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

struct Scheme {
    name: &'static str,
    /// As in [`ParsedUrl::protocol`].
    protocol: &'static str,
    secure: bool,
    /// The port without one.
    port: u16,
}

const fn scheme(name: &'static str, protocol: &'static str, secure: bool, port: u16) -> Scheme {
    Scheme { name, protocol, secure, port }
}

const SCHEMES: [Scheme; 14] = [
    scheme("http", "http", false, 80),
    scheme("https", "http", true, 443),
    scheme("http+unix", "http", false, 80),
    scheme("ajp", "ajp", false, 8009),
    scheme("dubbo", "dubbo", false, 20880),
    scheme("hessian+http", "hessian", false, 80),
    scheme("hessian+https", "hessian", true, 443),
    scheme("hessian1+http", "hessian1", false, 80),
    scheme("hessian1+https", "hessian1", true, 443),
    scheme("json+http", "json", false, 80),
    scheme("json+https", "json", true, 443),
    scheme("jsonrpc+http", "jsonrpc", false, 80),
    scheme("jsonrpc+https", "jsonrpc", true, 443),
    scheme("rmi", "rmi", false, 1099),
];

/// Longest path of a Unix socket that the kernel takes.
const SOCKET_BYTES_MAX: usize = 107;

/// An address taken apart, its name resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedUrl {
    /// Addresses to connect to: all that the name has.
    pub address: Addresses,
    /// `host:port` as written, for the Host header; the port is left out when it was. `localhost` for a Unix socket.
    pub authority: String,
    /// Name that tells it from others: the authority, or the name of the socket's file.
    pub name: String,
    /// Path and query; `/` when there is none.
    pub target: String,
    /// Protocol: `http`, `ajp`, `dubbo`, `hessian`, `hessian1`, `json`, `jsonrpc` or `rmi`.
    pub protocol: &'static str,
    /// True if spoken within TLS (`https`).
    pub secure: bool,
    /// Host, without brackets, and port; `None` for a Unix socket.
    pub host: Option<(String, u16)>,
}

impl ParsedUrl {
    /// True for the address of a method, named in the query.
    pub fn carries_calls(&self) -> bool {
        !matches!(self.protocol, "http" | "ajp")
    }

    /// Resolves the host, unless its addresses are given.
    ///
    /// # Errors
    /// A name that does not resolve.
    pub fn resolved(mut self, given: &[IpAddr]) -> Result<Self, Mistake> {
        if let Some((host, port)) = &self.host {
            let given = given.iter().map(|address| SocketAddr::new(*address, *port).into());
            self.address = Addresses::of(given).map_or_else(|| resolve(host, *port), Ok)?;
        }
        Ok(self)
    }
}

/// Takes `http://host:port/path?query` (or `https://`) apart and resolves the host; or `http+unix://%2Fpath%2Fof.sock/path`.
///
/// # Errors
/// The mistake, and what to write instead, when it is not an http address or its name does not resolve.
pub fn parse_url(text: &str) -> Result<ParsedUrl, Mistake> {
    parse_url_unresolved(text)?.resolved(&[])
}

/// The same without asking for the host, which need not exist where a Unix socket is connected to.
///
/// # Errors
/// As [`parse_url`].
pub fn parse_url_unresolved(text: &str) -> Result<ParsedUrl, Mistake> {
    let shown_text = shown(text);
    let (scheme, rest) = match text.split_once("://") {
        Some(parts) => parts,
        None if lacks_only_a_scheme(text) => ("http", text),
        None => return Err(Mistake::not(shown_text, Expected::Address, "http://host:port/path")),
    };
    let Some(spoken) = SCHEMES.iter().find(|known| known.name.eq_ignore_ascii_case(scheme)) else {
        let known =
            "http://, https://, ajp://, dubbo://, hessian+http://, json+http://, jsonrpc+http://, rmi://";
        return Err(Mistake::UnknownProtocol { found: shown(scheme), known: known.to_string() });
    };
    let Scheme { protocol, secure, .. } = *spoken;
    let end = rest.find(['/', '?', '#', '$']).unwrap_or(rest.len());
    let (authority, target) = rest.split_at(end);
    // A fragment never leaves the client (RFC 9110, 7.1).
    let target = target.split('#').next().unwrap_or("");
    // A value may be all of the path.
    let is_whole = target.starts_with('/') || target.starts_with("${");
    let target = if is_whole { target.to_string() } else { format!("/{target}") };
    if authority.contains('@') {
        return Err(Mistake::UserInAddress);
    }
    // Values are encoded where they are filled in.
    let own = template::parts(&target)?.into_iter().filter_map(|part| match part {
        TextPart::Text(text) => Some(text),
        TextPart::Value { .. } | TextPart::Variable { .. } => None,
    });
    let slash = if target.starts_with('/') { "" } else { "/" };
    check_target(&own.fold(slash.to_string(), |own, text| own + text))?;
    if scheme.eq_ignore_ascii_case("http+unix") {
        let path = socket_path(authority, shown_text)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let address = Address::Unix(path).into();
        let authority = "localhost".to_string();
        return Ok(ParsedUrl { address, authority, name, target, protocol, secure: false, host: None });
    }
    let (host, port) = split_authority(authority, spoken.port)
        .ok_or_else(|| Mistake::not(shown(authority), Expected::HostAndPort, "http://host:port"))?;
    let address = SocketAddr::from(([0, 0, 0, 0], port)).into();
    let (authority, name) = (authority.to_string(), authority.to_string());
    let host = Some((host.to_string(), port));
    Ok(ParsedUrl { address, authority, name, target, protocol, secure, host })
}

/// True if this can only be an address that is written without its scheme: `localhost`, `127.0.0.1/path`, or any host
/// with a port.
fn lacks_only_a_scheme(text: &str) -> bool {
    let authority = text.split(['/', '?', '#', '$']).next().unwrap_or_default();
    // A user before the host is refused by name, without being repeated.
    let authority = authority.rsplit('@').next().unwrap_or_default();
    // A port out of range is reported as that.
    let digits = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let Some((host, _)) = split_authority(authority, 80) else {
        return authority.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && digits(port));
    };
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok() || authority.contains(':')
}

/// The path of a socket, percent-encoded, in place of an authority.
fn socket_path(authority: &str, address: String) -> Result<PathBuf, Mistake> {
    let mut bytes = Vec::with_capacity(authority.len());
    let mut rest = authority.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match byte {
            b'%' => match (digit(rest.next()), digit(rest.next())) {
                (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
                _ => return Err(Mistake::NoSocketPath { address }),
            },
            byte => bytes.push(byte),
        }
    }
    if !bytes.starts_with(b"/") || bytes.ends_with(b"/") || bytes.contains(&0) {
        return Err(Mistake::NoSocketPath { address });
    }
    if bytes.len() > SOCKET_BYTES_MAX {
        let (length, most) = (bytes.len() as u64, SOCKET_BYTES_MAX as u64);
        return Err(Mistake::SocketPathTooLong { address, length, most });
    }
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}

/// Checks a path with its query, as it goes into the request line.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn check_target(target: &str) -> Result<(), Mistake> {
    if !target.starts_with('/') {
        return Err(Mistake::not(shown(target), Expected::Path, "/path"));
    }
    if let Some((_, bad)) = first_wrong(target) {
        return Err(not_in_paths(bad));
    }
    if target.len() > 8 * 1024 {
        return Err(Mistake::TooLong { length: target.len() as u64, most: "8 KiB".to_string() });
    }
    Ok(())
}

/// A character that a path cannot have.
pub(super) fn not_in_paths(bad: char) -> Mistake {
    let encoded: String = bad.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    Mistake::NotInPaths { character: shown(&bad.to_string()), encoded }
}

/// Host without brackets and port, which may be left out.
pub(super) fn split_authority(authority: &str, default_port: u16) -> Option<(&str, u16)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(inner) => {
            let (host, after) = inner.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            (host, after)
        }
        None => {
            let at = authority.find(':').unwrap_or(authority.len());
            authority.split_at(at)
        }
    };
    let port = match port {
        "" => default_port,
        port => {
            let digits = port.strip_prefix(':')?;
            digits.parse().ok().filter(|p| *p > 0 && digits.bytes().all(|b| b.is_ascii_digit()))?
        }
    };
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-._:".contains(&b);
    (!host.is_empty() && host.len() <= 253 && host.bytes().all(fits)).then_some((host, port))
}

/// All addresses of a host in the system's order (RFC 6724). A name of this machine has both loopback addresses,
/// whatever the system knows of it (RFC 6761, section 6.3): a server may listen on either.
pub(super) fn resolve(host: &str, port: u16) -> Result<Addresses, Mistake> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(SocketAddr::new(address, port).into());
    }
    let not_resolved = |error: String| Mistake::NotResolved { host: shown(host), error };
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let is_here = name == "localhost" || name.ends_with(".localhost");
    let mut found: Vec<SocketAddr> = match (host, port).to_socket_addrs() {
        Ok(found) => found.collect(),
        Err(_) if is_here => Vec::new(),
        Err(error) => return Err(not_resolved(error.to_string())),
    };
    if is_here {
        found.extend([SocketAddr::from((Ipv4Addr::LOCALHOST, port)), (Ipv6Addr::LOCALHOST, port).into()]);
    }
    let turns = in_turns(&found).into_iter().map(Address::from);
    Addresses::of(turns).ok_or_else(|| not_resolved("0".to_string()))
}

/// The addresses, so that families take turns from that of the first on (RFC 8305, section 4).
fn in_turns(found: &[SocketAddr]) -> Vec<SocketAddr> {
    let is_first = |address: &&SocketAddr| address.is_ipv4() == found[0].is_ipv4();
    let (of_first, others): (Vec<&SocketAddr>, Vec<_>) = found.iter().partition(is_first);
    let turns = (0..found.len()).flat_map(|at| [of_first.get(at), others.get(at)]);
    turns.flatten().map(|address| **address).collect()
}

#[cfg(test)]
mod tests;
