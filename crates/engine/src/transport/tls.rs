//! From the plain values of a plan to a configuration of rustls, for one worker.

use super::{Tls, TlsVersion};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, NamedGroup, OtherError, RootCertStore,
    SignatureScheme,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Most sessions to resume that a worker keeps for one target; each serves one connection.
const TICKETS_MAX: usize = 1024;

/// Everything that connections to one target need.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub config: Arc<ClientConfig>,
    pub server_name: ServerName<'static>,
}

/// Checks the values and makes settings with sessions of their own.
///
/// # Errors
/// All problems.
pub(super) fn settings(tls: &Tls) -> Result<Settings, Vec<String>> {
    let mut problems = Vec::new();
    let server_name = ServerName::try_from(tls.server_name.clone());
    if server_name.is_err() {
        problems.push(format!("TLS: {:?} is neither a name nor an address of a server", tls.server_name));
    }
    let versions: Vec<_> = tls.versions.iter().map(|version| protocol(*version)).collect();
    if versions.is_empty() {
        problems.push("TLS: no version is allowed; allow 1.2, 1.3 or both".to_owned());
    }
    if tls.alpn.iter().any(|name| name.is_empty() || name.len() > 255) || tls.alpn.len() > 255 {
        problems.push("TLS: a protocol to offer (ALPN) has a name of 1 to 255 bytes".to_owned());
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = verifier(tls, &provider).map_err(|problem| problems.push(problem)).ok();
    let (Ok(server_name), Some(verifier), true) = (server_name, verifier, problems.is_empty()) else {
        return Err(problems);
    };
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&versions);
    let builder = builder.map_err(|error| vec![format!("TLS: {error}")])?;
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = match &tls.client {
        None => builder.with_no_client_auth(),
        Some(client) => {
            let chain = client.chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
            let key = PrivateKeyDer::try_from(client.key.clone())
                .map_err(|error| vec![format!("TLS: the client's private key: {error}")])?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| vec![format!("TLS: the client's certificate and key: {error}")])?
        }
    };
    config.alpn_protocols.clone_from(&tls.alpn);
    config.resumption =
        if tls.resumption { Resumption::store(Arc::<Sessions>::default()) } else { Resumption::disabled() };
    Ok(Settings { config: Arc::new(config), server_name })
}

/// The first bytes of a handshake by these settings: every server of TLS answers them with a record of TLS. `None` where
/// the settings are wrong.
pub fn client_hello(tls: &Tls) -> Option<Vec<u8>> {
    let Settings { config, server_name } = settings(tls).ok()?;
    let mut connection = rustls::ClientConnection::new(config, server_name).ok()?;
    let mut bytes = Vec::new();
    connection.write_tls(&mut bytes).ok()?;
    Some(bytes)
}

fn protocol(version: TlsVersion) -> &'static rustls::SupportedProtocolVersion {
    match version {
        TlsVersion::V1_2 => &rustls::version::TLS12,
        TlsVersion::V1_3 => &rustls::version::TLS13,
    }
}

fn verifier(tls: &Tls, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, String> {
    if !tls.verify {
        return Ok(Arc::new(Anybody(Arc::clone(provider))));
    }
    let mut roots = RootCertStore::empty();
    // A collection may hold a few that this library cannot read; no certificate is trusted because of those.
    let (read, _) =
        roots.add_parsable_certificates(tls.roots.iter().map(|der| CertificateDer::from(der.as_slice())));
    if read == 0 {
        let n = tls.roots.len();
        return Err(format!(
            "TLS: none of {n} certificates of authorities can be trusted: it cannot be read"
        ));
    }
    let strict = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build();
    let strict = strict.map_err(|error| format!("TLS: the certificates of the authorities: {error}"))?;
    Ok(Arc::new(Vouched { strict, roots: tls.roots.clone() }))
}

/// Takes servers that an authority vouches for, and those whose own certificate was named as one: what
/// `openssl req -x509` makes is at once a server's certificate and an authority.
#[derive(Debug)]
struct Vouched {
    strict: Arc<WebPkiServerVerifier>,
    roots: Vec<Vec<u8>>,
}

/// True if the only problem with a server's certificate is that it is an authority's.
fn is_authority(why: &OtherError) -> bool {
    matches!(why.0.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}

impl ServerCertVerifier for Vouched {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let strict =
            self.strict.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match strict {
            // Its times were checked before; only that it is an authority was wrong.
            Err(Error::InvalidCertificate(CertificateError::Other(why)))
                if is_authority(&why) && self.roots.iter().any(|root| root == end_entity.as_ref()) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.strict.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.strict.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.strict.supported_verify_schemes()
    }
}

/// Accepts every server. Its signature is still checked, or a handshake would cost less than it does.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

/// Certificates too odd to be read are accepted too.
fn unless_wrong(judged: Result<HandshakeSignatureValid, Error>) -> Result<HandshakeSignatureValid, Error> {
    match judged {
        Err(Error::InvalidCertificate(CertificateError::BadSignature)) | Ok(_) => judged,
        Err(Error::InvalidCertificate(_)) => Ok(HandshakeSignatureValid::assertion()),
        Err(_) => judged,
    }
}

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        unless_wrong(verify_tls12_signature(message, certificate, signed, algorithms))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        unless_wrong(verify_tls13_signature(message, certificate, signed, algorithms))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Sessions that one worker may resume with one target. The library's own store keeps eight tickets, too few for
/// as many connections as begin at once here.
#[derive(Debug, Default)]
struct Sessions(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tls13: VecDeque<Tls13ClientSessionValue>,
}

impl Sessions {
    fn with<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> T {
        // Nothing panics while it is held; and what is in it stays usable.
        act(&mut self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, _server_name: ServerName<'static>, group: NamedGroup) {
        self.with(|kept| kept.group = Some(group));
    }

    fn kx_hint(&self, _server_name: &ServerName<'_>) -> Option<NamedGroup> {
        self.with(|kept| kept.group)
    }

    fn set_tls12_session(&self, _server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.with(|kept| kept.tls12 = Some(value));
    }

    fn tls12_session(&self, _server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.with(|kept| kept.tls12.clone())
    }

    fn remove_tls12_session(&self, _server_name: &ServerName<'static>) {
        self.with(|kept| kept.tls12 = None);
    }

    fn insert_tls13_ticket(&self, _server_name: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.with(|kept| {
            if kept.tls13.len() >= TICKETS_MAX {
                kept.tls13.pop_front();
            }
            kept.tls13.push_back(value);
        });
    }

    fn take_tls13_ticket(&self, _server_name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.with(|kept| kept.tls13.pop_back())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_that_a_certificate_is_an_authoritys_is_overlooked() {
        let other = |why: webpki::Error| OtherError(Arc::new(why));
        assert!(is_authority(&other(webpki::Error::CaUsedAsEndEntity)));
        assert!(!is_authority(&other(webpki::Error::PathLenConstraintViolated)));
        assert!(!is_authority(&OtherError(Arc::new(std::fmt::Error))));
    }
}
