//! Certificate and key of the client: in two files, or in one of PKCS#12; the key encrypted or not.

use super::{Key, KeyMistake, Password, certificate, digest, not_pem, read, without};
use data_encoding::BASE64;
use p12_keystore::error::Error;
use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12ImportPolicy};
use pkcs8::EncryptedPrivateKeyInfoRef;
use proofload_engine::transport::{ClientCertificate, pem};
use proofload_facts::Mistake;
use proofload_host::clock;
use std::path::Path;

const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
/// Line of a key that is encrypted as OpenSSL did it before PKCS#8, with one round of MD5.
const OLD: &str = "Proc-Type: 4,ENCRYPTED";

/// The files of the client's certificate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Files<'a> {
    pub certificate: &'a Path,
    pub key: Option<&'a Path>,
    pub password: Option<&'a Password>,
}

impl Files<'_> {
    /// The certificate with its chain and key, and a digest of the certificates.
    ///
    /// # Errors
    /// All mistakes.
    pub fn read(self) -> Result<(ClientCertificate, String), Vec<KeyMistake>> {
        match (read(self.certificate), self.key) {
            (Ok(bytes), Some(_)) if is_pkcs12(&bytes) => {
                Err(vec![(Key::Key, Mistake::NoMeaningBeside { beside: "PKCS#12".to_string() })])
            }
            (Ok(bytes), None) if is_pkcs12(&bytes) => {
                let client =
                    self.pkcs12(&bytes).and_then(|client| self.in_time(&client.chain[0]).map(|()| client));
                let client = client.map_err(|what| vec![(Key::Certificate, what)])?;
                let digest = digest(&client.chain.concat());
                Ok((client, digest))
            }
            (bytes, Some(key)) => self.pair(bytes, key),
            (bytes, None) => Err(vec![(Key::Certificate, bytes.err().unwrap_or_else(|| without(Key::Key)))]),
        }
    }

    /// Certificate and key from two files.
    fn pair(
        self,
        bytes: Result<Vec<u8>, Mistake>,
        path: &Path,
    ) -> Result<(ClientCertificate, String), Vec<KeyMistake>> {
        let certificates = bytes.and_then(|bytes| {
            let chain = pem::certificates(&bytes).map_err(|error| not_pem(self.certificate, Some(error)))?;
            self.in_time(&chain[0])?;
            Ok((chain, digest(&bytes)))
        });
        match (certificates, self.private_key(path)) {
            (Ok((chain, digest)), Ok(key)) => {
                let client = ClientCertificate { chain, key };
                pem::check_pair(&client).map_err(|error| {
                    let (key, certificate) =
                        (path.display().to_string(), self.certificate.display().to_string());
                    vec![(Key::Key, Mistake::KeyOfAnother { key, certificate, error })]
                })?;
                // Of a key nothing is kept but the key: its digest would help to find it.
                Ok((client, digest))
            }
            (certificates, key) => {
                let certificates = certificates.err().map(|what| (Key::Certificate, what));
                Err(certificates.into_iter().chain(key.err().map(|what| (Key::Key, what))).collect())
            }
        }
    }

    fn in_time(self, certificate: &[u8]) -> Result<(), Mistake> {
        certificate::check_dates(self.certificate, certificate, clock::unix_ns() / 1_000_000_000)
    }

    fn private_key(self, path: &Path) -> Result<Vec<u8>, Mistake> {
        let bytes = read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let file = || path.display().to_string();
        if text.contains(OLD) {
            return Err(Mistake::OldEncryption { file: file() });
        }
        let encrypted = text.split_once(BEGIN).and_then(|(_, rest)| Some(rest.split_once(END)?.0));
        match (encrypted, self.password) {
            (None, _) => pem::private_key(&bytes).map_err(|error| not_pem(path, Some(error))),
            (Some(_), None) => Err(Mistake::NeedsPassword { file: file() }),
            (Some(text), Some(password)) => {
                let text: String = text.split_whitespace().collect();
                let der = BASE64.decode(text.as_bytes()).map_err(|error| error.to_string());
                decrypted(&der.map_err(|error| not_pem(path, Some(error)))?, password, path)
            }
        }
    }

    fn pkcs12(self, bytes: &[u8]) -> Result<ClientCertificate, Mistake> {
        let file = self.certificate.display().to_string();
        let password = self.password.map_or("", |password| password.0.as_str());
        let found = KeyStore::from_pkcs12(bytes, password, Pkcs12ImportPolicy::Relaxed);
        let store = found.map_err(|error| match error {
            // A file without a MAC shows a wrong password when its key is decrypted.
            Error::MacError(_) | Error::Pkcs5Error(_) | Error::UnpadError => match self.password {
                Some(_) => Mistake::WrongPassword { file: file.clone() },
                None => Mistake::NeedsPassword { file: file.clone() },
            },
            error => Mistake::NotPkcs12 { file: file.clone(), error: error.to_string() },
        })?;
        let chain = store.entries().find_map(|(_, entry)| match entry {
            KeyStoreEntry::PrivateKeyChain(chain) if !chain.certs().is_empty() => Some(chain),
            _ => None,
        });
        let Some(chain) = chain else {
            let error = "no certificate with its key".to_string();
            return Err(Mistake::NotPkcs12 { file, error });
        };
        let certificates = chain.certs().iter().map(|certificate| certificate.as_der().to_vec());
        let client = ClientCertificate { chain: certificates.collect(), key: chain.key().as_der().to_vec() };
        pem::check_pair(&client).map_err(|error| Mistake::NotPkcs12 { file, error })?;
        Ok(client)
    }
}

/// True for a file of PKCS#12: a sequence that begins with its version, where a certificate begins with another sequence.
fn is_pkcs12(bytes: &[u8]) -> bool {
    const VERSION: &[u8] = &[2, 1, 3];
    match bytes {
        [0x30, length @ 0x80..=0xff, rest @ ..] => {
            rest.get(usize::from(length & 0x7f)..).is_some_and(|rest| rest.starts_with(VERSION))
        }
        [0x30, _, rest @ ..] => rest.starts_with(VERSION),
        _ => false,
    }
}

/// The key in an encrypted PKCS#8 structure.
fn decrypted(der: &[u8], password: &Password, path: &Path) -> Result<Vec<u8>, Mistake> {
    use pkcs8::pkcs5::Error::{AlgorithmParametersInvalid, NoPbes1CryptSupport, UnsupportedAlgorithm};
    let file = path.display().to_string();
    // An algorithm that is not known cannot even be parsed.
    let Ok(info) = EncryptedPrivateKeyInfoRef::try_from(der) else {
        return Err(Mistake::OldEncryption { file });
    };
    match info.decrypt(&password.0) {
        Ok(key) => Ok(key.as_bytes().to_vec()),
        Err(pkcs8::Error::EncryptedPrivateKey(
            NoPbes1CryptSupport | UnsupportedAlgorithm { .. } | AlgorithmParametersInvalid { .. },
        )) => Err(Mistake::OldEncryption { file }),
        // With a wrong password the result is not a key.
        Err(_) => Err(Mistake::WrongPassword { file }),
    }
}
