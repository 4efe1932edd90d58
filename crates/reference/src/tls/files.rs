//! Certificates and keys out of files in PEM.

use crate::ReferenceError;
use proofload_language::tr;
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fs::File;
use std::io::Read;
use std::path::Path;

const FILE_BYTES_MAX: u64 = 16 << 20;

/// All certificates of a file, in its order; at least one.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ReferenceError> {
    let bytes = read(path)?;
    let found: Result<Vec<_>, Error> = CertificateDer::pem_slice_iter(&bytes).collect();
    let found = found.map_err(|error| ReferenceError::tls(path, error))?;
    match found.is_empty() {
        true => Err(ReferenceError::tls(path, tr!("wrong-no-certificate"))),
        false => Ok(found),
    }
}

/// The first key of a file.
pub(super) fn key(path: &Path) -> Result<PrivateKeyDer<'static>, ReferenceError> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| match error {
        Error::NoItemsFound => ReferenceError::tls(path, tr!("wrong-no-key")),
        error => ReferenceError::tls(path, error),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, ReferenceError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| ReferenceError::tls(path, error))
}
