use super::*;
use crate::tests::told;
use proofload_engine::transport::pem;
use std::path::Path;

#[test]
fn a_tunnel_is_asked_for_with_its_port() {
    for (authority, secure, asked) in [
        ("a.test", true, "a.test:443"),
        ("a.test", false, "a.test:80"),
        ("a.test:8443", true, "a.test:8443"),
        ("[::1]", true, "[::1]:443"),
        ("[::1]:8443", true, "[::1]:8443"),
    ] {
        assert_eq!(with_port(authority, secure), asked);
    }
}

#[test]
fn a_proxy_is_taken_apart_and_its_password_never_repeated() {
    let found = proxy("http://me:p%40ss%3A@127.0.0.1:3128/").unwrap();
    assert_eq!(
        (found.authority.as_str(), found.user.as_ref().unwrap().1.as_str()),
        ("127.0.0.1:3128", "p@ss:")
    );
    assert_eq!(found.authorization().unwrap(), "Basic bWU6cEBzczo=");
    assert!(!format!("{found:?}").contains("p@ss"));
    for bad in [
        "127.0.0.1:3128",
        "http://127.0.0.1",
        "http://:1",
        "socks5://127.0.0.1:1",
        "http://hunter2@127.0.0.1:1",
    ] {
        let error = told(&proxy(bad).unwrap_err());
        assert!(error.contains("; ") && !error.contains("hunter2"), "{bad}: {error}");
    }
}

fn of_files(certificate: &str, key: Option<&str>, password: Option<&str>) -> Result<Material, String> {
    let at = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/keys").join(name);
    let options = TlsOptions {
        certificate: Some(at(certificate)),
        key: key.map(at),
        password: password.map(|text| Password::new(text.to_string())),
        insecure: true,
        ..TlsOptions::default()
    };
    options
        .read()
        .map_err(|found| found.iter().map(|(key, what)| format!("{key:?}: {}", told(what))).collect())
}

#[test]
fn keys_are_read_from_pkcs12_and_encrypted_files() {
    let right = Some("correct-horse");
    let mut keys = Vec::new();
    for (certificate, key, length) in [
        ("modern.p12", None, 2),
        ("legacy.p12", None, 2),
        ("without-mac.p12", None, 2),
        ("cert.pem", Some("encrypted.pem"), 1),
        ("cert.pem", Some("encrypted-3des.pem"), 1),
    ] {
        let material = of_files(certificate, key, right).unwrap();
        let client = material.client.unwrap();
        assert_eq!(client.chain.len(), length, "{certificate} {key:?}");
        assert_eq!(pem::check_pair(&client), Ok(()), "{certificate} {key:?}");
        assert!(material.digests.contains_key("cert"));
        keys.push((client.chain[0].clone(), client.key));
    }
    assert!(keys.windows(2).all(|pair| pair[0].0 == pair[1].0), "one certificate, in five ways");
}

#[test]
fn of_several_keys_the_one_with_a_certificate_is_taken() {
    use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12ImportPolicy, PrivateKeyChain};
    let modern = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/keys/modern.p12");
    let bytes = std::fs::read(modern).unwrap();
    let mut store = KeyStore::from_pkcs12(&bytes, "correct-horse", Pkcs12ImportPolicy::Strict).unwrap();
    let key = store.private_key_chain().unwrap().1.key().clone();
    let alone = PrivateKeyChain::new("alone", key, Vec::new());
    store.add_entry("0", KeyStoreEntry::PrivateKeyChain(alone));
    assert!(store.private_key_chain().unwrap().1.certs().is_empty(), "the first by name");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("several.p12");
    std::fs::write(&path, store.writer("correct-horse").encryption_iterations(1).write().unwrap()).unwrap();
    let password = Some(Password::new("correct-horse".to_string()));
    let options = TlsOptions { certificate: Some(path), password, insecure: true, ..Default::default() };
    assert_eq!(options.read().unwrap().client.unwrap().chain.len(), 2);
}

#[test]
fn a_key_that_cannot_be_opened_is_told_with_what_to_do() {
    for (certificate, key, password, expected) in [
        ("modern.p12", None, None, "Certificate: …modern.p12 is encrypted; give its password"),
        (
            "modern.p12",
            None,
            Some("Correct-horse"),
            "Certificate: …modern.p12: the password does not open it",
        ),
        ("legacy.p12", None, Some(""), "Certificate: …legacy.p12: the password does not open it"),
        ("certificates.p12", None, Some("correct-horse"), "PKCS#12 (no certificate with its key)"),
        ("modern.p12", Some("encrypted.pem"), Some("correct-horse"), "Key: has no meaning beside PKCS#12"),
        ("cert.pem", None, Some("x"), "Certificate: has no meaning without key"),
        ("cert.pem", Some("encrypted.pem"), None, "Key: …encrypted.pem is encrypted; give its password"),
        (
            "cert.pem",
            Some("encrypted.pem"),
            Some("wrong"),
            "Key: …encrypted.pem: the password does not open it",
        ),
        (
            "cert.pem",
            Some("old.pem"),
            Some("correct-horse"),
            "openssl pkcs8 -topk8 -in …old.pem -out key.pem",
        ),
        (
            "cert.pem",
            Some("encrypted-pbe.pem"),
            Some("correct-horse"),
            "openssl pkcs8 -topk8 -in …encrypted-pbe.pem -out key.pem",
        ),
        ("without-mac.p12", None, None, "Certificate: …without-mac.p12 is encrypted; give its password"),
        (
            "without-mac.p12",
            None,
            Some("wrong"),
            "Certificate: …without-mac.p12: the password does not open it",
        ),
        ("none.pem", Some("encrypted.pem"), None, "encrypted.pem is encrypted; give its password"),
    ] {
        let found = of_files(certificate, key, password).unwrap_err();
        let folder = format!("{}/testdata/keys/", env!("CARGO_MANIFEST_DIR"));
        assert!(found.replace(&folder, "…").contains(expected), "{found}");
        assert!(password.is_none_or(|password| password.len() < 4 || !found.contains(password)), "{found}");
    }
}

#[test]
fn what_is_cut_or_changed_is_a_mistake_and_no_panic() {
    let whole =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/keys/modern.p12")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for at in (0..whole.len()).step_by(41) {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        for (name, bytes) in [("cut.p12", &whole[..at]), ("changed.p12", &changed[..])] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let password = Some(Password::new("correct-horse".to_string()));
            let options =
                TlsOptions { certificate: Some(path), password, insecure: true, ..Default::default() };
            assert!(options.read().is_err(), "{name} at {at}");
        }
    }
}

#[test]
fn hosts_without_the_proxy_are_named_as_for_curl() {
    for (list, host, direct) in [
        ("*", "a.test", true),
        ("b.test, a.test", "A.test", true),
        (".test", "a.test", true),
        ("a.test", "x.a.test", true),
        ("a.test", "xa.test", false),
        ("x.a.test", "a.test", false),
        ("10.0.0.0/8 192.0.2.7", "10.200.0.1", true),
        ("10.0.0.0/8,192.0.2.7", "192.0.2.7", true),
        ("10.0.0.0/8", "11.0.0.1", false),
        ("0.0.0.0/0", "11.0.0.1", true),
        ("10.0.0.0/33,10.0.0.0/x", "10.0.0.0", false),
        ("[::1], 2001:db8::/32", "::1", true),
        ("2001:db8::/32", "2001:db8:1::7", true),
        ("::/0", "127.0.0.1", false),
        ("a.test/8", "a.test", false),
        ("", "a.test", false),
        (".", "a.test", false),
    ] {
        assert_eq!(proxy::is_direct(list, host), direct, "{list} {host}");
    }
}
