//! A certification authority and certificates of our own making, for loopback.

use crate::ReferenceError;
use proofload_language::tr;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PublicKeyData, date_time_ymd,
};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Names and addresses in the server's certificate.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Files of our own making in one directory: a CA, a certificate of it for this server, and one for a client.
///
/// The CA's key is thrown away once both are signed, so no further certificates can be signed with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// `ca.pem`, what a client must trust.
    pub ca: PathBuf,
    /// `cert.pem`, for `localhost`, 127.0.0.1 and `::1`.
    pub certificate: PathBuf,
    /// `key.pem`.
    pub key: PathBuf,
    /// `client.pem`, for a server that asks clients for a certificate of the same CA.
    pub client: PathBuf,
    /// `client-key.pem`.
    pub client_key: PathBuf,
}

impl Made {
    /// The files in this directory: those that are there, or new ones if none is. They stay across restarts,
    /// for clients read the CA before a server starts.
    ///
    /// # Errors
    /// [`ReferenceError::Tls`] when only some are there, [`ReferenceError::File`] when they cannot be written.
    pub fn ensure(directory: &Path) -> Result<Self, ReferenceError> {
        let made = Made {
            ca: directory.join("ca.pem"),
            certificate: directory.join("cert.pem"),
            key: directory.join("key.pem"),
            client: directory.join("client.pem"),
            client_key: directory.join("client-key.pem"),
        };
        let all = [&made.ca, &made.certificate, &made.key, &made.client, &made.client_key];
        let missing: Vec<_> = all.iter().filter(|path| !path.exists()).collect();
        match missing.len() {
            0 => Ok(made),
            5 => made.write(directory).map(|()| made),
            _ => Err(ReferenceError::tls(missing[0], tr!("wrong-one-missing"))),
        }
    }

    fn write(&self, directory: &Path) -> Result<(), ReferenceError> {
        std::fs::create_dir_all(directory).map_err(|error| file(directory, error))?;
        let refuse = |error: rcgen::Error| ReferenceError::tls(directory, error);
        let (ca, issuer) = authority().map_err(refuse)?;
        let (server, server_key) =
            signed(&issuer, "reference server", &NAMES, ExtendedKeyUsagePurpose::ServerAuth)
                .map_err(refuse)?;
        let (client, client_key) =
            signed(&issuer, "client", &["client.localhost"], ExtendedKeyUsagePurpose::ClientAuth)
                .map_err(refuse)?;
        create(&self.key, &server_key, 0o600)?;
        create(&self.client_key, &client_key, 0o600)?;
        create(&self.certificate, &server, 0o644)?;
        create(&self.client, &client, 0o644)?;
        // Last: who waits for the CA finds the rest.
        create(&self.ca, &ca, 0o644)
    }
}

fn authority() -> Result<(String, Issuer<'static, KeyPair>), rcgen::Error> {
    let key = KeyPair::generate()?;
    // Authorities of one name would be taken for each other, up to the signature.
    let mark: String =
        key.subject_public_key_info().iter().rev().take(4).map(|byte| format!("{byte:02x}")).collect();
    let mut params = named(&format!("Proofload reference server CA {mark}"));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), Issuer::new(params, key)))
}

/// A certificate and its key, both in PEM.
fn signed(
    issuer: &Issuer<'static, KeyPair>,
    name: &str,
    names: &[&str],
    purpose: ExtendedKeyUsagePurpose,
) -> Result<(String, String), rcgen::Error> {
    let mut params = named(name);
    for name in names {
        params.subject_alt_names.push(match name.parse() {
            Ok(address) => rcgen::SanType::IpAddress(address),
            Err(_) => rcgen::SanType::DnsName((*name).try_into()?),
        });
    }
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![purpose];
    let key = KeyPair::generate()?;
    Ok((params.signed_by(&key, issuer)?.pem(), key.serialize_pem()))
}

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    // For tests on one machine: a certificate that expires would be a test that fails one day.
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2100, 1, 1);
    params
}

fn create(path: &Path, text: &str, mode: u32) -> Result<(), ReferenceError> {
    let mut options = OpenOptions::new();
    let written = options
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| file(path, error))
}

fn file(path: &Path, source: std::io::Error) -> ReferenceError {
    ReferenceError::File { path: path.to_owned(), source }
}
