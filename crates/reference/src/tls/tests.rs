use super::*;

fn refused(config: &TlsConfig) -> String {
    config.build().expect_err("it cannot be used").to_string()
}

#[test]
fn made_files_are_made_once_and_fit_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let config = TlsConfig::new(Identity::SelfSigned(directory.path().join("new")));
    config.build().unwrap();
    let made = Made::ensure(&directory.path().join("new")).unwrap();
    let before = std::fs::read(&made.ca).unwrap();
    config.build().unwrap();
    assert_eq!(std::fs::read(&made.ca).unwrap(), before, "a restart keeps what clients trust");
    use std::os::unix::fs::PermissionsExt;
    for key in [&made.key, &made.client_key] {
        assert_eq!(std::fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    std::fs::remove_file(&made.key).unwrap();
    let error = refused(&config);
    assert!(error.contains("key.pem") && error.contains("delete"), "{error}");
}

#[test]
fn files_that_cannot_be_used_are_named_with_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let one = Made::ensure(&at("one")).unwrap();
    let other = Made::ensure(&at("other")).unwrap();
    std::fs::write(at("empty"), "no PEM at all").unwrap();
    std::fs::write(at("broken"), "-----BEGIN CERTIFICATE-----\nMIIB").unwrap();
    let files = |certificate: &std::path::Path, key: &std::path::Path| {
        TlsConfig::new(Identity::Files { certificate: certificate.to_owned(), key: key.to_owned() })
    };
    let cases = [
        (files(&at("none"), &one.key), "none cannot be used", "No such file"),
        (files(&at("empty"), &one.key), "empty cannot be used", "no certificate"),
        (files(&at("broken"), &one.key), "broken cannot be used", "missing section end"),
        (files(&one.certificate, &one.certificate), "cert.pem cannot be used", "no unencrypted key"),
        (files(&one.certificate, &other.key), "cert.pem cannot be used", "KeyMismatch"),
        (
            TlsConfig { client_ca: Some(at("empty")), ..files(&one.certificate, &one.key) },
            "empty cannot be used",
            "no certificate",
        ),
    ];
    for (config, file, wrong) in cases {
        let error = refused(&config);
        assert!(error.contains(file) && error.contains(wrong), "{error}");
    }
}

#[test]
fn lists_of_faults_are_read_or_refused() {
    let faults = TlsFaults::parse("garbage=0.5,stall=50%").unwrap();
    let drawn: Vec<_> = (1..=1000).filter_map(|number| faults.draw(1, number)).collect();
    assert_eq!(drawn.len(), 1000);
    assert!((400..600).contains(&drawn.iter().filter(|&&fault| fault == TlsFault::Stall).count()));
    assert!((1..1000).all(|number| TlsFaults::NONE.draw(1, number).is_none()));
    for bad in ["", "garbage", "what=1", "stall=2", "stall=0.1,stall=0.1", "stall=0.6,garbage=0.6"] {
        assert!(TlsFaults::parse(bad).is_err(), "{bad}");
    }
    assert!(TlsVersion::parse("1.1").unwrap_err().to_string().contains("1.2 or 1.3"));
}
