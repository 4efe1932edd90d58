//! TLS and proxies, as a person meets them, against the reference server on a socket.

use crate::support::{Reference, json, proofload, text};
use proofload_testkit::TunnelProxy;
use proofload_testkit::tls::{Authority, Good};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// A reference server that speaks TLS, and where its files are.
struct Secure {
    server: Reference,
    directory: tempfile::TempDir,
}

impl Secure {
    fn start(args: &[&str]) -> Secure {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path().display().to_string();
        let mut all = vec!["--tls-self-signed", &place];
        all.extend(args);
        Secure { server: Reference::start(&all), directory }
    }

    fn file(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    fn url(&self) -> String {
        format!("https://localhost:{}/", self.server.port)
    }

    /// Asks 40 times on 4 connections.
    fn ask(&self, args: &[&str]) -> Output {
        let url = self.url();
        let mut all = vec![url.as_str(), "-n", "40", "-c", "4", "--format", "json", "-q"];
        all.extend(args);
        proofload(&all)
    }
}

/// The point of a result in which everything was answered.
fn answered(output: &Output) -> Value {
    let point = json(output)["points"][0].clone();
    assert_eq!(point["outcomes"]["answered"], 40, "{point}");
    point
}

/// First bad answer of a result in which nothing was answered.
fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(12), "{}", text(&output.stderr));
    let point = json(output)["points"][0].clone();
    assert_eq!(point["outcomes"]["answered"], 0, "{point}");
    point["bad_answers"][0]["what"].as_str().expect("a sentence").to_owned()
}

#[test]
fn a_server_that_can_be_trusted_is_measured_in_either_version() {
    let secure = Secure::start(&[]);
    let ca = secure.file("ca.pem");
    for (flags, version) in [(vec![], "1.3"), (vec!["--tls-version", "1.2"], "1.2")] {
        let mut args = vec!["--cacert", &ca];
        args.extend(flags);
        let point = answered(&secure.ask(&args));
        let settled = &point["handshakes"]["negotiated"][0];
        assert_eq!((&settled["version"], &settled["alpn"]), (&version.into(), &"http/1.1".into()), "{point}");
        assert_eq!(point["transport"]["tls"]["insecure"], false);
        let digest = point["transport"]["tls"]["digests"]["ca"].as_str().expect("a digest");
        assert_eq!(digest.len(), 64);
    }
    let shown = text(&proofload(&[&secure.url(), "-n", "8", "-c", "2", "--cacert", &ca, "-q", "-v"]).stdout);
    assert!(shown.contains("TLS handshakes") && shown.contains("trusts "), "{shown}");
}

#[test]
fn a_server_that_nobody_vouches_for_is_told_with_the_remedy() {
    let secure = Secure::start(&[]);
    let other = Secure::start(&[]);
    let said = complaint(&secure.ask(&["--cacert", &other.file("ca.pem")]));
    assert!(said.contains("localhost") && said.contains("--cacert"), "{said}");
    let said = complaint(&secure.ask(&["--cacert", &secure.file("ca.pem"), "--sni", "example.org"]));
    assert!(said.contains("example.org"), "{said}");
}

#[test]
fn insecure_is_said_aloud_everywhere() {
    let secure = Secure::start(&[]);
    let output = secure.ask(&["-k"]);
    assert_eq!(answered(&output)["transport"]["tls"]["insecure"], true);
    assert!(text(&output.stderr).contains("the TLS certificate was NOT CHECKED"), "{}", text(&output.stderr));
    let url = secure.url();
    for format in ["text", "markdown", "html"] {
        let shown = proofload(&[&url, "-n", "8", "-c", "2", "--insecure", "-q", "--format", format]);
        assert!(
            text(&shown.stdout).contains("the TLS certificate was NOT CHECKED"),
            "{format}: {}",
            text(&shown.stdout)
        );
    }
}

#[test]
fn sessions_are_resumed_unless_they_may_not_be() {
    let secure = Secure::start(&[]);
    let ca = secure.file("ca.pem");
    let count = |args: &[&str]| {
        let mut all = vec!["--cacert", &ca, "--keep-alive", "off", "--workers", "1"];
        all.extend(args);
        let point = answered(&secure.ask(&all));
        let of = |kind: &str| point["handshakes"][kind]["count"].as_u64().expect("a count");
        (of("full"), of("resumed"))
    };
    let (full, resumed) = count(&[]);
    assert_eq!(full + resumed, 40);
    assert!(resumed >= 30, "{full} full, {resumed} resumed");
    let counts = secure.server.counts();
    assert_eq!(
        (counts["handshakes_full"].as_u64(), counts["handshakes_resumed"].as_u64()),
        (Some(full), Some(resumed))
    );
    assert_eq!(count(&["--no-resumption"]), (40, 0));
}

#[test]
fn a_server_that_wants_to_know_who_asks_is_shown_a_certificate() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name).display().to_string();
    // The files are made at the start of a server that gets no request.
    drop(Reference::start(&["--tls-self-signed", &at("")]));
    let args = ["--tls-self-signed", &at(""), "--tls-client-ca", &at("ca.pem")];
    let secure = Secure { server: Reference::start(&args), directory };
    let (ca, cert, key) = (secure.file("ca.pem"), secure.file("client.pem"), secure.file("client-key.pem"));
    let point = answered(&secure.ask(&["--cacert", &ca, "--cert", &cert, "--key", &key]));
    assert_eq!(point["transport"]["tls"]["client_certificate"], true);
    let said = complaint(&secure.ask(&["--cacert", &ca]));
    assert!(said.contains("client certificate"), "{said}");
}

#[test]
fn files_that_cannot_be_used_are_all_told_before_anything_is_asked() {
    let directory = tempfile::tempdir().expect("a directory");
    let put = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.display().to_string()
    };
    let authority = Authority::default();
    let (one, other) = (authority.client(Good::Now), authority.client(Good::Now));
    let old = authority.client(Good::Before);
    let one_cert = put("one.der", &one.chain[0]);
    let other_key = put("other-key.der", &other.key);
    let (old_cert, old_key) = (put("old.der", &old.chain[0]), put("old-key.der", &old.key));
    let (nothing, none) = (put("nothing.pem", b"no PEM"), "/nowhere/at/all.pem");
    let url = "https://127.0.0.1:1/";
    for (args, says) in [
        (vec![url, "--cacert", none], vec!["--cacert", none]),
        (
            vec![url, "--cacert", &nothing, "--cert", &nothing, "--key", &nothing],
            vec!["--cacert", "--cert", "--key"],
        ),
        (vec![url, "-k", "--cert", &one_cert, "--key", &other_key], vec!["--key", "is not the key of"]),
        (vec![url, "-k", "--cert", &old_cert, "--key", &old_key], vec!["--cert", "has expired"]),
        (vec!["http://127.0.0.1:1/", "--cacert", &one_cert], vec!["--cacert", "https://"]),
        (vec![url, "-k", "--tls-version", "1.1"], vec!["--tls-version", "1.2 or 1.3"]),
        (vec![url, "-k", "--alpn", "h2"], vec!["--alpn", "http/1.1"]),
        (vec![url, "-k", "--proxy", "socks5://127.0.0.1:1"], vec!["--proxy", "http://host:port"]),
        (vec![url, "-k", "--resolve", "x"], vec!["--resolve", "example.org:443:127.0.0.1"]),
    ] {
        let output = proofload(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        for part in says {
            assert!(text(&output.stderr).contains(part), "{part} of {args:?}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn a_proxy_makes_tunnels_for_both_schemes() {
    let secure = Secure::start(&[]);
    let plain = Reference::listening(&[]);
    let proxy = TunnelProxy::start(None).expect("a proxy");
    let at = format!("http://{}", proxy.address());
    let point = answered(&secure.ask(&["--cacert", &secure.file("ca.pem"), "--proxy", &at]));
    assert_eq!(point["transport"]["proxy"], proxy.address().to_string());
    let url = plain.url();
    answered(&proofload(&[
        &url,
        "-n",
        "40",
        "-c",
        "4",
        "--format",
        "json",
        "-q",
        "--proxy-tunnel",
        "--proxy",
        &at,
    ]));
    let heads = proxy.heads();
    assert!(heads.len() >= 8, "{heads:?}");
    assert!(heads[0].starts_with(&format!("CONNECT localhost:{} ", secure.server.port)), "{heads:?}");
    assert!(heads.iter().any(|head| head.starts_with(&format!("CONNECT 127.0.0.1:{} ", plain.port))));
}

#[test]
fn a_proxy_that_refuses_is_told_apart_from_the_server() {
    let plain = Reference::listening(&[]);
    let ask = |proxy: &TunnelProxy| {
        let at = format!("http://{}", proxy.address());
        complaint(&proofload(&[
            &plain.url(),
            "-n",
            "4",
            "-c",
            "2",
            "--format",
            "json",
            "-q",
            "--proxy-tunnel",
            "--proxy",
            &at,
        ]))
    };
    let said = ask(&TunnelProxy::refusing("502 Bad Gateway").expect("a proxy"));
    assert!(said.contains("the proxy") && said.contains("502"), "{said}");
    let said = ask(&TunnelProxy::start(Some("Basic eDp5")).expect("a proxy"));
    assert!(said.contains("407") && said.contains("user and a password"), "{said}");
    assert_eq!(plain.counts()["accepted"], 0);
}

/// Contents of all files below a directory.
fn contents(directory: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        match entry.file_type().expect("a type") {
            kind if kind.is_dir() => all.extend(contents(&entry.path())),
            kind if kind.is_file() => all.extend(std::fs::read(entry.path()).expect("a file")),
            _ => {}
        }
    }
    all
}

#[test]
fn a_study_through_a_proxy_records_how_and_no_credentials() {
    let (a, b) = (Secure::start(&[]), Secure::start(&[]));
    // "tls:hunter2hunter2" in base64.
    let coded = "dGxzOmh1bnRlcjJodW50ZXIy";
    let proxy = TunnelProxy::start(Some(&format!("Basic {coded}"))).expect("a proxy");
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("two.yaml");
    let study = format!(
        "study: two\nquestion: Which?\nsubjects:\n\
         \x20 a:\n    url: https://localhost:{0}\n    tls: {{ ca: {1} }}\n\
         \x20   proxy: {{ url: http://{2}, user: tls, password: hunter2hunter2 }}\n\
         \x20 b:\n    url: https://localhost:{3}\n    tls: {{ insecure: true, resumption: false }}\n\
         \x20   proxy: http://tls:hunter2hunter2@{2}\n\
         workload:\n  page: {{ get: / }}\nload:\n  closed: {{ connections: 2 }}\n\
         claims:\n  - b is faster: throughput(b) > throughput(a)\n",
        a.server.port,
        a.file("ca.pem"),
        proxy.address(),
        b.server.port,
    );
    std::fs::write(&file, study).expect("a file");
    let (file, dir) = (file.display().to_string(), place.path().join("out"));
    std::fs::create_dir(&dir).expect("a directory");
    let explained = proofload(&["run", &file, "--explain"]);
    let plan = text(&explained.stdout);
    assert!(
        plan.contains("NOT CHECKED") && plan.contains("proxy: 127.0.0.1:") && plan.contains("trusts "),
        "{plan}"
    );
    let timing = "warm-up=200ms,slice=200ms,discard=50ms,cycles=2";
    let dir_text = dir.display().to_string();
    let output =
        proofload(&["run", &file, "--smoke", "--timing", timing, "--dir", &dir_text, "--format", "json"]);
    assert!(
        text(&output.stderr).contains("b: the TLS certificate was NOT CHECKED"),
        "{}",
        text(&output.stderr)
    );
    let result = json(&output);
    let variants = &result["plan"]["variants"];
    assert_eq!(variants[0]["transport"]["tls"]["insecure"], false);
    assert_eq!(variants[1]["transport"]["tls"]["insecure"], true);
    for point in result["points"].as_array().expect("points") {
        assert!(point["outcomes"]["answered"].as_u64() > Some(0), "{point}");
        assert_eq!(point["handshakes"]["negotiated"][0]["version"], "1.3", "{point}");
    }
    let mut everything = contents(&dir);
    everything.extend([explained.stdout, explained.stderr, output.stdout, output.stderr].concat());
    let kept = String::from_utf8_lossy(&everything);
    for secret in ["hunter2hunter2", coded, "PRIVATE KEY"] {
        assert!(!kept.contains(secret), "{secret} was kept");
    }
}

#[test]
fn another_server_whose_certificate_is_not_checked_is_told_like_a_subject() {
    let secure = Secure::start(&[]);
    let plain = Reference::start(&[]);
    let file = secure.directory.path().join("mixed.yaml");
    let study = format!(
        "study: mixed\nquestion: Does it go?\nsubjects: {{ a: {{ url: \"http://127.0.0.1:{}\" }} }}\nworkload:\n  page: {{ get: / \
         }}\n  other: {{ get: /, at: {{ url: \"https://localhost:{}\", tls: {{ insecure: true }} }} }}\nload: {{ closed: {{ \
         connections: 2 }} }}\nclaims: [ {{ ok: errors(a) == 0 }} ]\n",
        plain.port, secure.server.port
    );
    std::fs::write(&file, study).expect("written");
    let output = proofload(&["run", file.to_str().expect("text"), "--explain"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("other") && text(&output.stderr).contains("certificate"),
        "{}",
        text(&output.stderr)
    );
    let at = format!("at https://localhost:{}", secure.server.port);
    assert!(text(&output.stdout).contains(&at), "{}", text(&output.stdout));
}
