//! TLS, proxy and protocol of connections, as people configure them. Files are read and checked here, before anything
//! is started.

mod certificate;
mod client;
mod keys;
mod proxy;

pub(super) use keys::{TRANSPORT, check_transport, is_proxied};
pub use proxy::{ProxyOptions, proxy};

use super::named::read_named;
use super::problem::shown;
use super::protocol::Speaks;
use data_encoding::HEXLOWER;
use proofload_engine::transport::{ClientCertificate, Proxy, Tls, TlsVersion, Transport, pem};
use proofload_engine::{Addresses, Target};
use proofload_facts::{Expected, Mistake};
use proofload_store::{redact, schema};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The one protocol offered within TLS (ALPN).
pub const ALPN: &str = "http/1.1";

/// Largest file of certificates that is read.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Options of TLS; the default trusts the system's authorities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// File of the authorities to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// File of the client's certificate with its chain.
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// Password of the key's file, or of the certificate's where that has the key too.
    pub password: Option<Password>,
    /// Skip the check of the server's certificate.
    pub insecure: bool,
    /// The only version to use.
    pub version: Option<TlsVersion>,
    pub no_alpn: bool,
    /// Whom the server must be, instead of the host of its address.
    pub server_name: Option<String>,
    /// Make every handshake a full one.
    pub no_resumption: bool,
}

/// A password that no message repeats.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password([redacted])")
    }
}

impl Password {
    /// The password, which is hidden in everything that is written or shown from now on.
    pub fn new(text: String) -> Self {
        redact::know(&text);
        Password(text)
    }
}

/// A mistake: under which option, and `what; remedy`.
pub type KeyMistake = (Key, Mistake);

/// A key of `tls:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Ca,
    Certificate,
    Key,
    Password,
    /// Certificates are not checked.
    Insecure,
    Version,
    Alpn,
    ServerName,
    Resumption,
}

impl Key {
    pub fn in_study(self) -> &'static str {
        match self {
            Key::Ca => "ca",
            Key::Certificate => "cert",
            Key::Key => "key",
            Key::Password => "password",
            Key::Insecure => "insecure",
            Key::Version => "version",
            Key::Alpn => "alpn",
            Key::ServerName => "server_name",
            Key::Resumption => "resumption",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Material {
    roots: Vec<Vec<u8>>,
    trusts: String,
    client: Option<ClientCertificate>,
    digests: BTreeMap<String, String>,
}

/// TLS, proxy and protocol of the connections to one server, ready for the engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
    /// Their protocol.
    pub speaks: Speaks,
    tls: Option<Arc<Tls>>,
    trusts: String,
    digests: BTreeMap<String, String>,
    proxy: Option<ProxyOptions>,
    /// True if the server is one of those that are not reached through the proxy.
    direct: bool,
}

impl TlsOptions {
    /// Reads the files, and checks all that can be checked before the server is contacted.
    ///
    /// # Errors
    /// All mistakes.
    pub fn read(&self) -> Result<Material, Vec<KeyMistake>> {
        let mut mistakes: Vec<KeyMistake> = Vec::new();
        let mut material = Material::default();
        match (&self.ca, self.insecure) {
            (Some(_), true) => mistakes.push((Key::Insecure, Mistake::exclude("ca", "insecure"))),
            (None, true) => {}
            (Some(path), false) => match read(path).and_then(|bytes| authorities(path, &bytes)) {
                Ok((roots, digest)) => {
                    material.trusts = format!("{}, {}", path.display(), counted(roots.len()));
                    material.roots = roots;
                    material.digests.insert(Key::Ca.in_study().to_string(), digest);
                }
                Err(what) => mistakes.push((Key::Ca, what)),
            },
            (None, false) => match system() {
                Ok(roots) => {
                    material.trusts = format!("the system, {}", counted(roots.len()));
                    material.roots = roots;
                }
                Err(what) => mistakes.push((Key::Ca, what)),
            },
        }
        match (&self.certificate, &self.key) {
            (Some(certificate), key) => {
                let files =
                    client::Files { certificate, key: key.as_deref(), password: self.password.as_ref() };
                match files.read() {
                    Ok((client, digest)) => {
                        material.client = Some(client);
                        material.digests.insert(Key::Certificate.in_study().to_string(), digest);
                    }
                    Err(found) => mistakes.extend(found),
                }
            }
            (None, Some(_)) => mistakes.push((Key::Key, without(Key::Certificate))),
            (None, None) if self.password.is_some() => {
                mistakes.push((Key::Password, without(Key::Certificate)));
            }
            (None, None) => {}
        }
        if let Some(name) = &self.server_name
            && let Err(what) = server_name(name)
        {
            mistakes.push((Key::ServerName, what));
        }
        if mistakes.is_empty() { Ok(material) } else { Err(mistakes) }
    }

    /// The settings for one server.
    fn with(&self, material: &Material, host: &str) -> Tls {
        Tls {
            versions: match self.version {
                Some(version) => vec![version],
                None => vec![TlsVersion::V1_2, TlsVersion::V1_3],
            },
            alpn: if self.no_alpn { Vec::new() } else { vec![ALPN.as_bytes().to_vec()] },
            client: material.client.clone(),
            verify: !self.insecure,
            resumption: !self.no_resumption,
            ..Tls::new(self.server_name.as_deref().unwrap_or(host), material.roots.clone())
        }
    }
}

impl Passage {
    /// `tls` are the options with the content of their files, where TLS is used.
    fn new(
        tls: Option<(&TlsOptions, &Material)>,
        proxy: Option<ProxyOptions>,
        host: &str,
        speaks: Speaks,
    ) -> Self {
        let material = tls.map(|(_, material)| material);
        let direct = proxy.as_ref().is_some_and(|proxy| proxy::is_direct(&proxy.no_proxy, host));
        Passage {
            speaks,
            tls: tls.map(|(options, material)| Arc::new(options.with(material, host))),
            trusts: material.map_or(String::new(), |material| material.trusts.clone()),
            digests: material.map_or_else(BTreeMap::new, |material| material.digests.clone()),
            proxy,
            direct,
        }
    }

    /// The proxy on the way, and true if it is asked for a tunnel.
    fn by_way(&self) -> Option<(&ProxyOptions, bool)> {
        let proxy = self.proxy.as_ref().filter(|_| !self.direct)?;
        Some((proxy, proxy.tunnel || self.tls.is_some() || !self.speaks.is_http()))
    }

    pub fn scheme(&self) -> &'static str {
        match (self.speaks.scheme(), self.tls.is_some()) {
            ("http", true) => "https",
            (scheme, _) => scheme,
        }
    }

    /// True if the server's certificate is not checked.
    pub fn is_insecure(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| !tls.verify)
    }

    /// Target of the engine: the server at these addresses, named by `authority` where a proxy is used.
    pub fn target(&self, addresses: &Addresses, authority: &str) -> Target {
        let proxy = self.by_way().map(|(proxy, tunnels)| Proxy {
            authority: with_port(authority, self.tls.is_some()),
            tunnels,
            authorization: proxy.authorization().map(String::into_bytes),
        });
        let proxied = self.by_way().map(|(proxy, _)| &proxy.address);
        Target {
            addresses: proxied.unwrap_or(addresses).clone(),
            transport: Transport { proxy, tls: self.tls.clone() },
            protocol: self.speaks.protocol(),
        }
    }

    /// For the record; nothing when connections are plain.
    pub fn recorded(&self) -> Option<schema::Transport> {
        let protocol = self.speaks.recorded();
        if self.tls.is_none() && self.proxy.is_none() && protocol.is_empty() {
            return None;
        }
        let tls = self.tls.as_ref().map(|tls| schema::TlsTerms {
            server_name: tls.server_name.clone(),
            versions: tls.versions.iter().map(|version| version.number().to_string()).collect(),
            alpn: tls.alpn.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
            insecure: !tls.verify,
            resumption: tls.resumption,
            trusts: self.trusts.clone(),
            client_certificate: tls.client.is_some(),
            digests: self.digests.clone(),
        });
        let by_way = self.by_way();
        Some(schema::Transport {
            tls,
            proxy: by_way.map_or(String::new(), |(proxy, _)| proxy.authority.clone()),
            forwards: by_way.is_some_and(|(_, tunnels)| !tunnels),
            no_proxy: self.proxy.as_ref().map_or(String::new(), |proxy| proxy.no_proxy.clone()),
            protocol,
        })
    }
}

/// `host:port`, for `CONNECT` has no default.
fn with_port(authority: &str, secure: bool) -> String {
    let ends_in_port =
        authority.rsplit_once(':').is_some_and(|(host, _)| !host.contains(':') || host.ends_with(']'));
    let bare = !ends_in_port || authority.ends_with(']');
    if bare { format!("{authority}:{}", if secure { 443 } else { 80 }) } else { authority.to_string() }
}

fn counted(n: usize) -> String {
    if n == 1 { "1 certificate".to_string() } else { format!("{n} certificates") }
}

fn read(path: &Path) -> Result<Vec<u8>, Mistake> {
    read_named(path, &path.display().to_string(), FILE_BYTES_MAX, "16 MiB")
}

fn not_pem(path: &Path, error: Option<String>) -> Mistake {
    Mistake::NotPem { file: path.display().to_string(), error }
}

fn without(needed: Key) -> Mistake {
    Mistake::NoMeaningWithout { needs: needed.in_study().to_string() }
}

fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Certificates of authorities, and the digest of their file.
fn authorities(path: &Path, bytes: &[u8]) -> Result<(Vec<Vec<u8>>, String), Mistake> {
    let found = pem::certificates(bytes);
    let found = found.map_err(|error| not_pem(path, Some(error.to_string())))?;
    if !found.iter().any(|der| certificate::is_readable(der)) {
        return Err(not_pem(path, None));
    }
    Ok((found, digest(bytes)))
}

/// The authorities that this system trusts.
fn system() -> Result<Vec<Vec<u8>>, Mistake> {
    let loaded = rustls_native_certs::load_native_certs();
    if loaded.certs.is_empty() {
        return Err(Mistake::NoAuthorities { error: loaded.errors.first().map(ToString::to_string) });
    }
    Ok(loaded.certs.iter().map(|certificate| certificate.to_vec()).collect())
}

/// TLS with origins that redirects lead to, where the load itself uses none. Without authorities of the system there is
/// none.
pub(super) fn elsewhere() -> Option<Arc<Tls>> {
    system().ok().map(|roots| Arc::new(Tls::new("localhost", roots)))
}

/// A name that a certificate can be for.
fn server_name(name: &str) -> Result<(), Mistake> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-._:".contains(&b);
    match !name.is_empty() && name.len() <= 253 && name.bytes().all(fits) {
        true => Ok(()),
        false => Err(Mistake::not(shown(name), Expected::Server, "example.org")),
    }
}

#[cfg(test)]
mod tests;
