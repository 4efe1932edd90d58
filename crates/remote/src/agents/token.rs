//! The token that agents and coordinator share, and TLS with it as the key.
//!
//! TLS 1.3 has keys that both sides have beforehand, but rustls does not offer them. So each side derives two Ed25519
//! keys from the token, one for each role, makes the certificates of both, and trusts the other one alone: a peer that
//! proves to have the private key has the token. A peer without it sees a certificate at most, by which a token could
//! be guessed offline; so it has at least 32 characters, and each guess costs one slow function of it. A token that
//! this program made is a key already, and is used as it is.

use crate::error::RemoteError;
use ::ring::pbkdf2;
use data_encoding::HEXLOWER;
use proofload_facts::Finding;
use proofload_language::tr;
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::version::TLS13;
use rustls::{ClientConfig, Error, RootCertStore, ServerConfig};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::Read as _;
use std::num::NonZeroU32;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

/// Fewer characters could be guessed.
const LEAST: usize = 32;
const MOST: usize = 4096;
/// The head of an Ed25519 private key in PKCS #8 (RFC 8410).
const PKCS8_HEAD: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// A token that begins so is a key in hexadecimal digits.
const KEY: &str = "proofload-key-";
/// Cost of a guess: rounds of PBKDF2 with SHA-256, a tenth of a second or more.
const ROUNDS: NonZeroU32 = NonZeroU32::new(600_000).unwrap();
const SALT: &[u8] = b"proofload token of agents and their coordinator";
/// A token with fewer different characters was typed, not drawn.
const DISTINCT_LEAST: usize = 10;

/// A secret that only agents and their coordinator have.
#[derive(Clone)]
pub struct Token {
    text: String,
    /// Secret of all derived keys.
    pub(crate) secret: [u8; 32],
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

#[derive(Clone, Copy, Debug)]
enum Role {
    Coordinator,
    Agent,
}

impl Token {
    /// The first line of a file, spaces around it aside, and objections to it.
    ///
    /// # Errors
    /// A file that cannot be read, or too short a token.
    pub fn read(path: &Path) -> Result<(Token, Vec<Finding>), RemoteError> {
        let read = File::open(path).and_then(|file| {
            let mut text = String::new();
            let is_readable = is_readable(&file.metadata()?);
            file.take(MOST as u64 + 2).read_to_string(&mut text).map(|_| (text, is_readable))
        });
        let (text, is_readable) = read.map_err(|error| {
            let label = format!("--token-file {}", path.display());
            RemoteError::Usage(tr!("labelled", label, what = error.to_string()))
        })?;
        let text = text.lines().next().unwrap_or_default().trim();
        let token = Token::new(text)
            .ok_or_else(|| RemoteError::Usage(tr!("agents-token-file", path, least = LEAST, most = MOST)))?;
        let path = path.display().to_string();
        let mut doubts = Vec::new();
        if is_guessable(text) {
            doubts.push(Finding::TokenGuessable { path: path.clone() });
        }
        if is_readable {
            doubts.push(Finding::TokenReadable { path });
        }
        Ok((token, doubts))
    }

    /// The text as a token; `None` where it is too short, or too long. It takes a while.
    pub fn new(text: &str) -> Option<Token> {
        let is_fit = (LEAST..=MOST).contains(&text.len());
        let key = text.strip_prefix(KEY).and_then(|digits| HEXLOWER.decode(digits.as_bytes()).ok());
        let secret = match key.and_then(|key| key.try_into().ok()) {
            Some(key) => key,
            None if is_fit => {
                let mut secret = [0; 32];
                pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, ROUNDS, SALT, text.as_bytes(), &mut secret);
                secret
            }
            None => return None,
        };
        Some(Token { text: text.to_owned(), secret })
    }

    /// A new random token.
    ///
    /// # Errors
    /// An operating system without random numbers.
    pub fn fresh() -> Result<Token, RemoteError> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(RemoteError::usage)?;
        Ok(Token { text: format!("{KEY}{}", HEXLOWER.encode(&secret)), secret })
    }

    /// The first digits of one that was made here, for names: they give nothing away that helps to guess the others.
    pub fn own_name(&self, digits: usize) -> String {
        self.text.chars().skip(KEY.len()).take(digits).collect()
    }

    /// As in a file.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn key(&self, role: Role) -> Result<KeyPair, Error> {
        let mut hash = Sha256::new();
        hash.update(match role {
            Role::Coordinator => &b"proofload token, coordinator's key\0"[..],
            Role::Agent => b"proofload token, agents' key\0",
        });
        hash.update(self.secret);
        let der = PrivatePkcs8KeyDer::from([&PKCS8_HEAD[..], &hash.finalize()[..]].concat());
        KeyPair::from_pkcs8_der_and_sign_algo(&der, &PKCS_ED25519).map_err(other)
    }

    fn certificate(&self, role: Role) -> Result<CertificateDer<'static>, Error> {
        let params = CertificateParams::new(vec![NAME.to_owned()]).map_err(other)?;
        Ok(params.self_signed(&self.key(role)?).map_err(other)?.der().clone())
    }

    fn private(&self, role: Role) -> Result<PrivateKeyDer<'static>, Error> {
        Ok(PrivatePkcs8KeyDer::from(self.key(role)?.serialize_der()).into())
    }

    /// The one certificate that a peer of this role may show.
    fn roots(&self, role: Role) -> Result<Arc<RootCertStore>, Error> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate(role)?)?;
        Ok(Arc::new(roots))
    }

    pub(crate) fn of_agent(&self) -> Result<ClientConfig, Error> {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13])?
            .with_root_certificates(self.roots(Role::Coordinator)?)
            .with_client_auth_cert(vec![self.certificate(Role::Agent)?], self.private(Role::Agent)?)
    }

    pub(crate) fn of_coordinator(&self) -> Result<ServerConfig, Error> {
        let provider = Arc::new(ring::default_provider());
        let agents =
            WebPkiClientVerifier::builder_with_provider(self.roots(Role::Agent)?, Arc::clone(&provider));
        ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(agents.build().map_err(|error| Error::General(error.to_string()))?)
            .with_single_cert(vec![self.certificate(Role::Coordinator)?], self.private(Role::Coordinator)?)
    }
}

/// Made by hand: of few characters, or a word again and again.
fn is_guessable(text: &str) -> bool {
    let text = text.as_bytes();
    let distinct = text.iter().collect::<BTreeSet<_>>().len();
    distinct < DISTINCT_LEAST
        || (1..=text.len() / 2).any(|period| text[period..] == text[..text.len() - period])
}

/// Readable by other users. In a cluster its group is whom it is given to.
fn is_readable(file: &fs::Metadata) -> bool {
    let own = rustix::process::geteuid().as_raw() == file.uid();
    file.is_file() && file.mode() & if own { 0o044 } else { 0o004 } != 0
}

/// Name in the certificates; it is not used in a lookup.
pub(crate) const NAME: &str = "proofload";

fn other(error: rcgen::Error) -> Error {
    Error::General(error.to_string())
}
