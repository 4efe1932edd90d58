//! An HTTP proxy, as people name it. The environment is ignored: a measurement connects only to servers that the study
//! names.

use super::super::problem::shown;
use super::super::url::{resolve, split_authority};
use data_encoding::BASE64;
use proofload_engine::Address;
use proofload_facts::{Expected, Mistake};
use proofload_store::redact;

/// A proxy used for tunnels (`CONNECT`).
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyOptions {
    pub address: Address,
    /// `host:port`, as written.
    pub authority: String,
    pub user: Option<(String, String)>,
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
    Ok(ProxyOptions { address: Address::Tcp(resolve(host, port)?), authority: authority.to_string(), user })
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
