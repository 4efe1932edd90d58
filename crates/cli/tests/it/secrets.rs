//! A server that repeats the secret it received, under other names and in other writing: it appears nowhere
//! else.

use crate::support::{command, executable, text};
use data_encoding::{BASE64, BASE64URL_NOPAD};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

/// Beginning of each writing of it but base64.
const MARK: &str = "zQ9";
/// With all that has to be escaped somewhere.
const SECRET: &str = "zQ9t&k\"e<n/é+%41;x";
/// For places that allow less.
const PLAIN: &str = "zQ9tokenz";

fn percent(text: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&#34;").replace('/', "&#x2F;")
}

fn json(text: &str) -> String {
    serde_json::to_string(text)
        .expect("JSON")
        .trim_matches('"')
        .replace('\u{e9}', "\\u00e9")
        .replace('/', "\\/")
}

/// The ways in which a server may write it.
fn writings(secret: &str) -> Vec<String> {
    let shifted = |before: &str| BASE64.encode(format!("{before}{secret} and more").as_bytes());
    vec![
        secret.to_string(),
        percent(secret),
        percent(secret).to_lowercase().replace("zq9", MARK),
        json(secret),
        json(&json(secret)),
        html(secret),
        html(&json(secret)),
        BASE64.encode(secret.as_bytes()),
        BASE64URL_NOPAD.encode(secret.as_bytes()),
        shifted("-"),
        shifted("--"),
        shifted("---"),
    ]
}

/// Answers 500 with all writings of the secret, in the head and the body.
fn echo(secret: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream, secret));
        }
    });
    at
}

fn serve(mut stream: std::net::TcpStream, secret: &str) {
    let _set = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let mut seen = Vec::new();
    let mut some = [0; 65536];
    while let Ok(n @ 1..) = stream.read(&mut some) {
        seen.extend_from_slice(&some[..n]);
        let said = text(&seen);
        let Some((head, body)) = said.split_once("\r\n\r\n") else { continue };
        let length = head
            .to_ascii_lowercase()
            .find("content-length:")
            .map_or(0, |at| head[at + 15..].lines().next().and_then(|n| n.trim().parse().ok()).unwrap_or(0));
        if body.len() < length {
            continue;
        }
        let all = writings(secret);
        let heads: String = all.iter().map(|one| format!("X-Odd: invalid value {one}|\r\n")).collect();
        let body: String = all.iter().map(|one| format!("invalid value: {one}, 12345\n")).collect();
        let row = head.lines().find_map(|line| line.strip_prefix("X-Row: ")).unwrap_or_default();
        let body = format!("{body}row {row}\n");
        let head = format!("HTTP/1.1 500 {secret}\r\nContent-Length: {}\r\n{heads}\r\n{body}", body.len());
        if stream.write_all(head.as_bytes()).is_err() {
            return;
        }
        seen.clear();
    }
}

/// First trace of the secret in a text.
fn found(said: &str, secret: &str) -> Option<String> {
    let coded = writings(secret).split_off(7);
    // What is beside it changes the first and the last letters.
    let coded = coded.iter().map(|one| one[4..one.len().min(16)].to_string());
    coded.chain([MARK.to_string()]).find(|one| said.contains(one))
}

fn leaks(dir: &Path, secret: &str) -> Vec<String> {
    let mut leaks = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            leaks.extend(self::leaks(&path, secret));
        } else if path.is_file() {
            let said = text(&std::fs::read(&path).expect("a file"));
            leaks.extend(found(&said, secret).map(|what| format!("{}: {what}", path.display())));
        }
    }
    leaks
}

/// Sends one request, with `--debug` and recorded, and looks for the secret in all output and all files.
fn holds_its_tongue(at: SocketAddr, target: &str, flags: &[&str], secret: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let kept = dir.path().to_str().expect("a path");
    let (url, page) = (format!("http://{at}{target}"), format!("{kept}/page.html"));
    let recorded = ["-n", "1", "-c", "1", "--no-ceiling", "-v", "--dir", kept, "-o", &page];
    for more in [&recorded[..], &["--debug"]] {
        let args = [&[url.as_str()], flags, more].concat();
        let output = command(&args).env("PROOFLOAD_TEST_ZQ", secret).output().expect("it runs");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(said.contains("[redacted]") || more == &recorded[..], "{flags:?} {more:?}: {said}");
        assert_eq!(found(&said, secret), None, "{flags:?} {more:?}: {said}");
        assert!(!more.contains(&"--debug") || said.contains(", 12345"), "numbers stay: {said}");
    }
    assert_eq!(leaks(dir.path(), secret), Vec::<String>::new(), "{target} {flags:?}");
    assert!(Path::new(&page).is_file(), "a report was written");
}

#[test]
fn each_way_of_giving_a_credential_keeps_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("kept");
    std::fs::write(&file, SECRET).expect("written");
    let at = echo(SECRET);
    let (coded, in_json, in_html) = (percent(SECRET), json(SECRET), html(SECRET));
    let flags: &[&[&str]] = &[
        &["--bearer", SECRET],
        &["--basic", &format!("me:{SECRET}")],
        &["--basic", &format!("me:@{}", file.display())],
        &["-H", &format!("Authorization: Bearer {SECRET}")],
        &["-H", &format!("Authorization: {SECRET}")],
        &["-H", &format!("X-Vault-Token: {SECRET}")],
        &[&format!("-HX-Api-Key: {SECRET}")],
        &["-H", "X-Plain: ${env.PROOFLOAD_TEST_ZQ}"],
        &["-H", &format!("Referer: http://h/?sig={coded}&x=1")],
        &["--body", &format!("{{\"user\":\"me\",\"password\":\"{in_json}\"}}")],
        &["--body", &format!("{{\"secret\":{{\"value\":\"{in_json}\"}},\"n\":[1]}}")],
        &["--body", &format!("{{\"tokens\":[\"{in_json}\"]}}")],
        &["--body", &format!("user=me&password={coded}&x=1")],
        &["--body", &format!("<login><pwd>{in_html}</pwd></login>")],
        &[&format!(
            "--body=--b\r\nContent-Disposition: form-data; name=\"pass\"\r\n\r\n{SECRET}\r\n--b--\r\n"
        )],
        &["--form", &format!("password={SECRET}")],
    ];
    for flags in flags {
        holds_its_tongue(at, "/", flags, SECRET);
    }
    for target in ["/?token=", "/?x=1&X-Amz-Signature=", "/a;jsessionid="] {
        holds_its_tongue(at, &format!("{target}{coded}"), &[], SECRET);
    }
    let at = echo(PLAIN);
    for header in [
        format!("Cookie: lang=en; id={PLAIN}"),
        format!("Cookie: id=\"{PLAIN}\""),
        format!("Authorization: Token token=\"{PLAIN}\""),
        format!("Authorization: Digest username=\"me\", realm=\"r\", response=\"{PLAIN}\""),
        format!("X-Auth-Token: \"a\" {PLAIN}"),
    ] {
        holds_its_tongue(at, "/", &["-H", &header], PLAIN);
    }
}

#[test]
fn a_study_and_its_subjects_keep_theirs() {
    let at = echo(SECRET);
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    std::fs::write(root.join("users.csv"), format!("name,key\nann,{MARK}-row of-ann\n")).expect("written");
    let in_json = json(SECRET).replace('\\', "\\\\").replace('"', "\\\"");
    let program = crate::support::PROOFLOAD;
    let study = format!(
        "study: echo\nquestion: What is kept?\nsubjects:\n  it: {{ url: \"http://{at}\" }}\n  own:\n    command:\n      - sh\n      \
         - -c\n      - 'echo \"zq-start $DB_PASSWORD $OPTS $2\" >&2; exec {program} reference-server --port $1'\n      - sh\n      \
         - \"{{port}}\"\n      - \"-Dmy.keystorePass={PLAIN}\"\n    env:\n      DB_PASSWORD: \"{in_json}\"\n      \
         OPTS: '{{\"spring\":{{\"password\":\"{PLAIN}\"}}}}'\nworkload:\n  page:\n    get: \"/?u=${{users.name}}\"\n    headers:\n      \
         X-Row: \"${{users.key}}\"\n      Authorization: \"Bearer {in_json}\"\nfeeders:\n  users: {{ csv: users.csv }}\n\
         load: {{ closed: {{ connections: 2 }} }}\nclaims: {{ fails: errors(it) > 0.5 }}\n"
    );
    let file = root.join("study.yaml");
    std::fs::write(&file, study).expect("written");
    let timing = "warm-up=100ms,slice=100ms,discard=10ms,cycles=2";
    let set = format!("subjects.own.env.API_KEY={PLAIN}x");
    let (path, kept) = (file.to_str().expect("a path"), root.join("kept"));
    std::fs::create_dir(&kept).expect("made");
    let args =
        ["run", path, "--smoke", "--timing", timing, "--set", &set, "--dir", kept.to_str().expect("a path")];
    let output = executable(&args).output().expect("it runs");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(kept.join("runs").is_dir(), "{said}");
    for secret in [SECRET, PLAIN] {
        assert_eq!(found(&said, secret), None, "{said}");
        assert_eq!(leaks(&kept, secret), Vec::<String>::new());
    }
    let logs = kept.join("runs/echo/latest/logs");
    let log = std::fs::read_dir(logs)
        .expect("logs")
        .flatten()
        .map(|entry| text(&std::fs::read(entry.path()).expect("a log")));
    let log: String = log.collect();
    assert!(log.contains("zq-start [redacted] {\"spring\":{\"password\":\"[redacted]\"}}"), "{log}");
    let blocks = text(&std::fs::read(kept.join("runs/echo/latest/blocks/0001.jsonl")).expect("a block"));
    assert!(blocks.contains("row [redacted]") && blocks.contains(", 12345"), "{blocks}");
    let plan = std::fs::read_to_string(kept.join("runs/echo/latest/plan.json")).expect("a plan");
    assert!(plan.contains("Authorization: Bearer [redacted]"), "{plan}");
}
