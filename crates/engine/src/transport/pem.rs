//! Certificates and keys from their usual text form, or from DER as they are.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

/// The certificates in the bytes of a file: PEM with any number of them, or one in DER.
///
/// # Errors
/// A sentence without the file's name: no certificate in it, or a broken one.
pub fn certificates(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    if bytes.first() == Some(&DER_SEQUENCE) {
        return Ok(vec![bytes.to_vec()]);
    }
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(bytes).collect();
    let found = found.map_err(|error| format!("a certificate is broken: {error}"))?;
    if found.is_empty() {
        return Err("no certificate (-----BEGIN CERTIFICATE-----)".to_owned());
    }
    Ok(found.into_iter().map(|certificate| certificate.to_vec()).collect())
}

/// The private key in the bytes of a file: the first one of PEM, or DER.
///
/// # Errors
/// A sentence without the file's name: no key in it, a broken or an encrypted one.
pub fn private_key(bytes: &[u8]) -> Result<Vec<u8>, String> {
    if bytes.first() == Some(&DER_SEQUENCE) {
        return Ok(bytes.to_vec());
    }
    match PrivateKeyDer::from_pem_slice(bytes) {
        Ok(key) => Ok(key.secret_der().to_vec()),
        Err(_) if bytes.windows(ENCRYPTED.len()).any(|part| part == ENCRYPTED) => {
            Err("the private key is encrypted; decrypt it first (openssl pkey)".to_owned())
        }
        Err(rustls::pki_types::pem::Error::NoItemsFound) => {
            Err("no private key (-----BEGIN PRIVATE KEY-----)".to_owned())
        }
        Err(error) => Err(format!("the private key is broken: {error}")),
    }
}

/// First byte of DER; no PEM begins with it.
const DER_SEQUENCE: u8 = 0x30;
const ENCRYPTED: &[u8] = b"ENCRYPTED";

/// Checks that the key is that of the certificate before it.
///
/// # Errors
///
/// The reason, in a few words.
pub fn check_pair(client: &super::ClientCertificate) -> Result<(), String> {
    let chain = client.chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    let key = PrivateKeyDer::try_from(client.key.clone()).map_err(str::to_owned)?;
    let pair = CertifiedKey::from_der(chain, key, &rustls::crypto::ring::default_provider());
    pair.map(drop).map_err(|error| error.to_string())
}
