//! Faults of a network and of files: each ends within its time-outs, as a mistake that is reported or an outcome that
//! is counted.

use crate::support::{Reference, executable, json, proofload, text};
use proofload_testkit::ScriptStep::{AwaitRequest, Flood, Send};
use proofload_testkit::tls::{Authority, Good, HttpsPeer, Speaks};
use proofload_testkit::{ScriptStep, ScriptedPeer, TunnelProxy, deaf_address, refusing_address};
use serde_json::Value;
use std::process::Output;

/// Number of requests without an answer.
const COUNT: u64 = 6;

/// Time that six requests may take with time-outs of 300 ms, three one after the other on each connection, on a busy
/// machine. Were the flags ignored, three times the default to connect would take 15 s.
const BOUND_S: f64 = 12.0;

/// Asks six times on two connections, with short time-outs, and returns the point, in which all came to `outcome`.
#[track_caller]
fn all_are(outcome: &str, url: &str, more: &[&str]) -> Value {
    let args = in_vain(url, more);
    all_came_to(outcome, &proofload(&args), &args)
}

fn in_vain<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = [url, "-n", "6", "-c", "2", "--timeout", "300ms", "--connect-timeout", "300ms"];
    [&args[..], &["--format", "json", "-q"], more].concat()
}

#[track_caller]
fn all_came_to(outcome: &str, output: &Output, args: &[&str]) -> Value {
    assert_eq!(output.status.code(), Some(12), "{args:?}: {}", text(&output.stderr));
    let point = json(output)["points"][0].clone();
    let outcomes = point["outcomes"].as_object().expect("outcomes");
    let met: Vec<_> = outcomes.iter().filter(|(_, count)| count.as_u64() != Some(0)).collect();
    assert_eq!(met, [(&outcome.to_string(), &COUNT.into())], "{args:?}: {point}");
    assert!(point["seconds"].as_f64().expect("a length") < BOUND_S, "{args:?}: {point}");
    point
}

/// Text of the first bad answer of a point.
fn said(point: &Value) -> String {
    point["bad_answers"][0]["what"].as_str().unwrap_or_default().to_string()
}

/// The address of a peer that does the same on every connection.
fn peer(script: Vec<ScriptStep>) -> String {
    ScriptedPeer::start_lasting(vec![script]).expect("a peer").address.to_string()
}

/// A mistake of use, reported in these words.
#[track_caller]
fn refused(args: &[&str], words: &[&str]) {
    let output = proofload(args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{word} of {args:?}: {said}");
    }
}

#[test]
fn a_name_that_does_not_resolve_is_a_mistake_of_flags_studies_and_proxies() {
    let url = "http://no-such-host.invalid/";
    let words = ["no-such-host.invalid does not resolve", "check the name"];
    refused(&[url], &words);
    refused(&["http://127.0.0.1:1/", "--proxy", "http://no-such-host.invalid:1"], &words);
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("study.yaml");
    let study = format!(
        "study: s\nquestion: Which?\nsubjects: {{ a: {{ url: \"{url}\" }}, b: {{ use: reference }} }}\n\
         workload: {{ page: {{ get: / }} }}\nload: {{ closed: {{ connections: 1 }} }}\n\
         claims:\n  - b is faster: throughput(b) > throughput(a)\n"
    );
    std::fs::write(&file, study).expect("written");
    refused(&["run", file.to_str().expect("text"), "--explain"], &words);
}

#[test]
fn a_socket_behind_a_proxy_is_a_mistake_of_every_verb() {
    let (a, b) = ("http+unix://%2Frun%2Fa/", "http+unix://%2Frun%2Fb/");
    let said = ["--proxy: a Unix socket is not reached by way of a proxy"];
    refused(&[a, "--proxy", "http://127.0.0.1:1"], &said);
    refused(&["compare", a, b, "--proxy", "http://127.0.0.1:1"], &said);
}

#[test]
fn refused_ports_and_dead_proxies_are_counted() {
    let (dead, _kept) = refusing_address().expect("an address");
    all_are("connect_refused", &format!("http://{dead}/"), &[]);
    all_are("connect_refused", &format!("https://{dead}/"), &["-k"]);
    let server = Reference::start(&[]);
    all_are("connect_refused", &server.url(), &["--proxy", &format!("http://{dead}")]);
    assert_eq!(server.counts()["accepted"], 0);
    // A proxy that lives, to a server that does not.
    let proxy = TunnelProxy::start(None).expect("a proxy");
    let at = format!("http://{}", proxy.address());
    let point = all_are("connect_failed", &format!("http://{dead}/"), &["--proxy-tunnel", "--proxy", &at]);
    assert!(said(&point).contains("the proxy"), "{point}");
}

#[test]
fn garbage_is_malformed_whoever_sends_it() {
    let garbage = || vec![AwaitRequest, Send(b"\x00\xffthis is no HTTP\r\n\r\n".repeat(100))];
    all_are("malformed", &format!("http://{}/", peer(garbage())), &[]);
    // A server may speak first, as those of other protocols do.
    let greeting = vec![AwaitRequest, Send(b"220 mail.example.org ESMTP\r\n".to_vec())];
    all_are("malformed", &format!("http://{}/", peer(greeting)), &[]);
    let point = all_are(
        "connect_failed",
        &format!("http://{}/", peer(garbage())),
        &["--proxy-tunnel", "--proxy", &format!("http://{}", peer(garbage()))],
    );
    assert!(said(&point).contains("is no HTTP proxy"), "{point}");
    let at_once = vec![Send(b"SSH-2.0-OpenSSH_9.9\r\n".repeat(10))];
    let point = all_are("connect_failed", &format!("https://{}/", peer(at_once)), &["-k"]);
    assert!(said(&point).contains("does not speak TLS at this port"), "{point}");
    let of = ["code", "protocol"].map(|field| point["cause"][field].as_str());
    assert_eq!(of, [Some("speaks-other"), Some("SSH")], "{point}");
}

#[test]
fn a_head_without_end_is_cut_off_and_takes_no_memory() {
    // The most memory that a process had is of all that it did.
    let really = |args: &[&str]| executable(args).output().expect("the executable runs");
    // The limit is met as fast as this machine reads; no time-out comes before it.
    let patient = |word: &str| word.replace("300ms", "60s");
    let all_are = |outcome: &str, url: &str, more: &[&str]| {
        let args: Vec<String> = in_vain(url, more).into_iter().map(patient).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        all_came_to(outcome, &really(&args), &args)
    };
    let server = Reference::listening(&[]);
    let args = [&server.url(), "-n", "6", "-c", "2", "--format", "json", "-q"];
    let rss = |point: &Value| point["generator"]["peak_rss_bytes"].as_u64().expect("a number");
    let usual = rss(&json(&really(&args))["points"][0]);
    assert!(usual > 0);
    let line = format!("X-More: {}\r\n", "x".repeat(1000));
    for (begins, again) in [
        ("HTTP/1.1 200 OK\r\n", line.into_bytes().repeat(64)),
        ("HTTP/1.1 200 OK\r\nX-Long: ", vec![b'x'; 1 << 16]),
        ("HTTP/1.1 200 ", vec![b'x'; 1 << 16]),
        ("", b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)),
    ] {
        for more in [&[][..], &["--cookies", "--follow", "3"]] {
            let script = vec![AwaitRequest, Send(begins.into()), Flood(again.clone())];
            let point = all_are("beyond_limit", &format!("http://{}/", peer(script)), more);
            assert!(rss(&point) < usual + (8 << 20), "{} and {usual} usually", rss(&point));
            // It stops at its limit: what a peer sends for as long as it may is gigabytes.
            let received = point["bytes_received"].as_u64().expect("a number");
            assert!(received < COUNT * (2 << 20), "{point}");
        }
    }
    let script = vec![AwaitRequest, Send(b"HTTP/1.1 200 OK\r\n".to_vec()), Flood(b"X: y\r\n".repeat(1000))];
    let at = format!("http://{}", peer(script));
    let point = all_are("connect_failed", &server.url(), &["--proxy-tunnel", "--proxy", &at]);
    assert!(said(&point).contains("a head of more than 1 MiB") && rss(&point) < usual + (8 << 20), "{point}");
}

#[test]
fn silence_ends_with_the_time_out_at_every_step() {
    let (deaf, _kept) = deaf_address().expect("an address");
    all_are("connect_timeout", &format!("http://{deaf}/"), &[]);
    let silent = peer(vec![]);
    all_are("timeout", &format!("http://{silent}/"), &[]);
    let half = vec![AwaitRequest, Send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123".to_vec())];
    all_are("timeout", &format!("http://{}/", peer(half)), &[]);
    let point = all_are("connect_timeout", &format!("https://{silent}/"), &["-k"]);
    assert!(said(&point).contains("the TLS handshake with 127.0.0.1 was not done in time"), "{point}");
    let point = all_are(
        "connect_timeout",
        "http://127.0.0.1:1/",
        &["--proxy-tunnel", "--proxy", &format!("http://{silent}")],
    );
    assert!(said(&point).contains("did not answer in time"), "{point}");
}

#[test]
fn schemes_that_do_not_fit_the_server_are_told() {
    let plain = Reference::listening(&[]);
    let point = all_are("connect_failed", &format!("https://127.0.0.1:{}/", plain.port), &["-k"]);
    assert!(said(&point).contains("does not speak TLS at this port"), "{point}");
    assert_eq!(point["cause"]["code"], "speaks-no-tls", "{point}");
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path().display().to_string();
    let secure = Reference::start(&["--tls-self-signed", &place]);
    let point = all_are("rejected", &secure.url(), &[]);
    assert!(point["bad_answers"][0]["received"].as_str().expect("text").contains("speaks TLS"), "{point}");
    // Most servers answer with an alert of TLS instead.
    let config = Speaks::default().config(&Authority::default().server(&["localhost"], Good::Now));
    let secure = HttpsPeer::saying(config, |_| "200 OK".to_owned()).expect("a server");
    let point = all_are("malformed", &format!("http://{}/", secure.address()), &[]);
    assert_eq!(point["cause"]["code"], "speaks-tls", "{point}");
    assert!(said(&point).contains("it speaks TLS: write https://"), "{point}");
}

#[test]
fn a_bad_line_of_a_feeder_is_told_by_file_and_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("users.csv");
    let feeder = format!("users=csv:{}", file.display());
    for (rows, words) in [
        (&b"id,name\n1,Ann\n2\n"[..], &["users.csv", "3"][..]),
        (b"id,name\n1,Ann,x\n", &["users.csv", "2"]),
        (b"id,name\n1,\"Ann\n", &["users.csv", "2"]),
        (b"id,name\n1,\xff\n", &["users.csv", "2"]),
        (b"id,name\n", &["users.csv"]),
        (b"", &["users.csv"]),
    ] {
        std::fs::write(&file, rows).expect("written");
        refused(&["http://127.0.0.1:1/${users.name}", "--feeder", &feeder], words);
        let study = directory.path().join("study.yaml");
        let text = "study: s\nquestion: Which?\nsubjects: { a: { use: reference, vary: { service: [none, \"spin:1ms\"] } } }\n\
             feeders: { users: { csv: users.csv } }\n\
             workload: { page: { get: \"/${users.name}\" } }\nload: { closed: { connections: 1 } }\n\
             claims:\n  - none is faster: throughput(none) > throughput(spin:1ms)\n";
        std::fs::write(&study, text).expect("written");
        refused(&["run", study.to_str().expect("text"), "--explain"], words);
    }
}

#[test]
fn a_redirect_to_the_same_secure_origin_is_followed_and_secure_cookies_go_along() {
    let authority = Authority::default();
    let directory = tempfile::tempdir().expect("a directory");
    let ca = directory.path().join("ca.der");
    std::fs::write(&ca, &authority.certificate).expect("written");
    let config = Speaks::default().config(&authority.server(&["localhost"], Good::Now));
    let server = HttpsPeer::saying(config, |head| {
        let host = head.lines().find_map(|line| line.strip_prefix("Host: ")).unwrap_or_default();
        match head.split(' ').nth(1) {
            Some("/end") if head.contains("\r\nCookie: id=1\r\n") => "200 OK".to_owned(),
            Some("/end") => "403 Forbidden".to_owned(),
            Some("/plain") => format!("302 Found\r\nLocation: http://{host}/end"),
            _ => format!("302 Found\r\nLocation: https://{host}/end\r\nSet-Cookie: id=1; Secure; Path=/"),
        }
    })
    .expect("a server");
    let ca = ca.display().to_string();
    let url = format!("https://localhost:{}/", server.address().port());
    let ask = |url: &str| {
        let args =
            [url, "-n", "6", "-c", "2", "--cacert", &ca, "--follow", "2", "--cookies", "--format", "json"];
        let output = proofload(&args);
        json(&output)["points"][0].clone()
    };
    let point = ask(&url);
    assert_eq!(
        (&point["outcomes"]["answered"], &point["redirects"]),
        (&COUNT.into(), &COUNT.into()),
        "{point}"
    );
    assert_eq!((&point["codes"]["302"], &point["codes"]["200"]), (&COUNT.into(), &COUNT.into()), "{point}");
    // To the same place without TLS is elsewhere.
    let point = ask(&format!("{url}plain"));
    assert_eq!((&point["codes"]["302"], point["codes"].get("200")), (&COUNT.into(), None), "{point}");
}

#[test]
fn every_mistake_in_what_is_said_of_the_protocol_is_told_at_once() {
    let words = ["secret=@/nowhere/secret", "nonsense", "colour=blue", "packet_size=many"];
    let speaks = words.iter().flat_map(|word| ["--speaks", word]);
    let args: Vec<&str> = ["ajp://127.0.0.1:1/", "-n", "1"].into_iter().chain(speaks).collect();
    let output = proofload(&args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in
        ["/nowhere/secret cannot be read", "nonsense is not known", "colour=blue is not known", "packet_size"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn what_a_call_cannot_carry_is_refused() {
    let dubbo = "dubbo://127.0.0.1:1/lab.Echo?method=echo";
    for (args, words) in [
        (&[dubbo, "--arg", "x", "-H", "A: b"][..], "has no meaning beside dubbo"),
        (&[dubbo, "--arg", "x", "--bearer", "token"], "has no meaning beside dubbo"),
        (&[dubbo, "--arg", "x", "--expect-status", "200"], "a call has no status"),
        (&["json+http://127.0.0.1:1/e?method=e", "--arg", "1", "--arg", "2"], "json sends one argument"),
        (&["rmi://127.0.0.1:1?method=echo", "--arg", "x"], "write name: NAME"),
        (&["rmi://127.0.0.1:1/e?method=e", "--proxy", "http://127.0.0.1:1"], "a proxy or a Unix socket"),
        (&["rmi://127.0.0.1:1/e?method=e", "--unix", "/nowhere/socket"], "a proxy or a Unix socket"),
    ] {
        refused(args, &[words]);
    }
}
