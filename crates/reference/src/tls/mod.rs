//! TLS in front of everything else the server does: certificates, versions, resumption, and what goes wrong
//! before the first request.

mod faults;
mod files;
mod line;
mod made;

pub use faults::{TlsFault, TlsFaults};
pub(crate) use line::{CIPHER, Line, Received, Receiving, receive_some};
pub use made::Made;

use crate::ReferenceError;
use proofload_language::tr;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::path::PathBuf;
use std::sync::Arc;

/// Sessions of TLS 1.2 that are remembered for clients that take no tickets.
const SESSIONS: usize = 4096;

/// Whose certificate the server shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Files in PEM: the certificate with its chain, and its key.
    Files {
        /// The certificate, then those that lead to the CA.
        certificate: PathBuf,
        key: PathBuf,
    },
    /// Of its own making, kept in this directory; see [`Made`].
    SelfSigned(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsVersion {
    /// TLS 1.2.
    V1_2,
    /// TLS 1.3.
    V1_3,
}

impl TlsVersion {
    /// Reads `1.2` or `1.3`.
    ///
    /// # Errors
    /// [`ReferenceError::BadValue`] when it is neither.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        match text {
            "1.2" => Ok(TlsVersion::V1_2),
            "1.3" => Ok(TlsVersion::V1_3),
            _ => Err(crate::parse::refuse(
                tr!("value-tls-version"),
                text,
                tr!("wrong-tls-version"),
                "1.2 or 1.3",
            )),
        }
    }

    fn of_rustls(self) -> &'static SupportedProtocolVersion {
        match self {
            TlsVersion::V1_2 => &rustls::version::TLS12,
            TlsVersion::V1_3 => &rustls::version::TLS13,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TlsConfig {
    pub identity: Identity,
    /// The only version spoken; `None` for both, the newer where the client can.
    pub version: Option<TlsVersion>,
    /// A file in PEM with CAs: clients must show a certificate of one of them.
    pub client_ca: Option<PathBuf>,
    /// True if clients may resume a session.
    pub resumption: bool,
    /// Faults of a connection before, or around, its requests.
    pub faults: TlsFaults,
}

impl TlsConfig {
    /// Both versions, resumption, no client certificates, no faults.
    pub fn new(identity: Identity) -> Self {
        TlsConfig { identity, version: None, client_ca: None, resumption: true, faults: TlsFaults::NONE }
    }

    /// Reads, or makes, the files and checks that they fit each other.
    ///
    /// # Errors
    /// [`ReferenceError::Tls`] with the file and what is wrong with it, [`ReferenceError::File`] when a
    /// certificate cannot be written.
    pub(crate) fn build(&self) -> Result<Arc<ServerConfig>, ReferenceError> {
        let (chain, key, shown) = self.identity()?;
        let versions = match self.version {
            Some(version) => vec![version.of_rustls()],
            None => rustls::ALL_VERSIONS.to_vec(),
        };
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(|error| ReferenceError::tls(&shown, error))?;
        let builder = match &self.client_ca {
            None => builder.with_no_client_auth(),
            Some(path) => builder.with_client_cert_verifier(client_verifier(path)?),
        };
        let mut config =
            builder.with_single_cert(chain, key).map_err(|error| ReferenceError::tls(&shown, error))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        if self.resumption {
            config.ticketer = ring::Ticketer::new().map_err(|error| ReferenceError::tls(&shown, error))?;
            config.session_storage = ServerSessionMemoryCache::new(SESSIONS);
        } else {
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        Ok(Arc::new(config))
    }

    /// Chain, key, and the file that a complaint about them names.
    fn identity(
        &self,
    ) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>, PathBuf), ReferenceError> {
        let (certificate, key) = match &self.identity {
            Identity::Files { certificate, key } => (certificate.clone(), key.clone()),
            Identity::SelfSigned(directory) => {
                let made = Made::ensure(directory)?;
                (made.certificate, made.key)
            }
        };
        Ok((files::certificates(&certificate)?, files::key(&key)?, certificate))
    }
}

fn client_verifier(path: &std::path::Path) -> Result<Arc<dyn ClientCertVerifier>, ReferenceError> {
    let mut roots = RootCertStore::empty();
    for certificate in files::certificates(path)? {
        roots.add(certificate).map_err(|error| ReferenceError::tls(path, error))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::new(ring::default_provider()))
        .build()
        .map_err(|error| ReferenceError::tls(path, error))
}

#[cfg(test)]
mod tests;
