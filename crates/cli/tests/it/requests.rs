//! Requests as flags describe them, as a server on a socket receives them.

use crate::support::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::{Command, Output};
use std::sync::mpsc::{Receiver, channel};

fn proofload(arguments: &[&str]) -> Output {
    crate::support::command(arguments)
        .env("PROOFLOAD_TEST_SECRET", "zQ9secret")
        .output()
        .expect("proofload can be started")
}

/// Answers every request on every connection, and hands the requests over.
fn answer(mut stream: impl Read + Write, requests: &std::sync::mpsc::Sender<String>) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let length = length.map_or(0, |length| length.parse::<usize>().expect("a number"));
            if body.len() >= length {
                requests.send(format!("{head}\n\n{}", &body[..length])).ok();
                bytes.drain(..head.len() + 4 + length);
                // `/echo` sends the whole request back, as an error.
                if head.contains(" /echo") {
                    let head = head.replace("\r\n", "|");
                    let reply = format!("HTTP/1.1 500 No\r\nContent-Length: {}\r\n\r\n{head}", head.len());
                    stream.write_all(reply.as_bytes()).ok();
                    continue;
                }
                // `/to?x` leads to x.
                let line = head.lines().next().unwrap_or_default();
                let to = line.split(' ').nth(1).and_then(|target| target.strip_prefix("/to?"));
                let status = to.map_or("200 OK".to_string(), |to| format!("302 Found\r\nLocation: {to}"));
                let reply = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: 9\r\nSet-Cookie: id=zQ9cookie\r\n\r\nhi \x1b[31m!"
                );
                stream.write_all(reply.as_bytes()).ok();
                continue;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
        }
    }
}

/// A server on a free port of that address, and what it is asked.
fn server(address: &str) -> (std::net::SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind((address, 0)).expect("a free port");
    let at = listener.local_addr().expect("it listens");
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || answer(stream, &sender));
        }
    });
    (at, receiver)
}

/// It was measured; whether this machine let the generator be fit is not the subject here.
#[track_caller]
fn measured(output: &Output) {
    assert!(!output.stdout.is_empty(), "{output:?}");
}

#[test]
fn a_load_is_filled_with_rows_counters_and_random_text() {
    let directory = tempfile::tempdir().unwrap();
    let users = directory.path().join("users.csv");
    std::fs::write(&users, "id,name\n1,Ann\n2,\"Bo, C\"\n").unwrap();
    let (at, requests) = server("127.0.0.1");
    let url = format!("http://{at}/${{users.name}}?n=${{n}}");
    let feeder = format!("users=csv:{}", users.display());
    let output = proofload(&[
        &url,
        "-n",
        "3",
        "-c",
        "1",
        "-m",
        "POST",
        "--feeder",
        &feeder,
        "--feeder",
        "n=counter:5",
        "--feeder",
        "t=text:7",
        "--body",
        "{\"t\":\"${t}\",\"id\":${users.id}}",
        "--bearer",
        "${env.PROOFLOAD_TEST_SECRET}",
        "--bind",
        "127.0.0.2",
        "-q",
        "--format",
        "json",
    ]);
    measured(&output);
    let seen: Vec<String> = requests.try_iter().collect();
    let first: Vec<&str> = seen.iter().filter_map(|request| request.lines().next()).collect();
    assert_eq!(first, ["POST /Ann?n=5 HTTP/1.1", "POST /Bo%2C%20C?n=6 HTTP/1.1", "POST /Ann?n=7 HTTP/1.1"]);
    for (request, id) in seen.iter().zip([1, 2, 1]) {
        assert!(request.contains("Authorization: Bearer zQ9secret"), "{request}");
        let body = request.split("\n\n").nth(1).unwrap();
        assert!(body.len() == 22 && body.ends_with(&format!("\",\"id\":{id}}}")), "{body}");
    }
    assert!(!String::from_utf8_lossy(&output.stdout).contains("zQ9secret"));
}

#[test]
fn one_exchange_is_shown_in_full_without_credentials_or_control_characters() {
    let (at, _requests) = server("127.0.0.1");
    let url = format!("http://{at}/a");
    let output = proofload(&[
        &url,
        "--debug",
        "--basic",
        "me:pw",
        "-H",
        "X-Key: ${env.PROOFLOAD_TEST_SECRET}",
        "--body",
        "ask",
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for shown in [
        "> GET /a HTTP/1.1",
        "> X-Key: [redacted]",
        "> Authorization: Basic [redacted]",
        "> ask",
        "< HTTP/1.1 200 OK",
        "< Set-Cookie: [redacted]",
        "< hi \\u{1b}[31m!",
        "first byte of the answer",
        "* outcome: answered",
    ] {
        assert!(text.contains(shown), "{shown} in {text}");
    }
    for hidden in ["zQ9", "bWU6cHc=", "\x1b"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    let (refused, _kept) = proofload_testkit::refusing_address().unwrap();
    let output = proofload(&[&format!("http://{refused}/"), "--debug"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains(&format!("{refused} refused the connection; start the server")), "{told}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("outcome: connect_refused"));
}

/// Beginning of a study.
const SAID: &str = "study: looked-at\nquestion: What passes?\n";

#[test]
fn a_journey_is_shown_step_by_step_with_what_was_captured_and_without_credentials() {
    let (at, requests) = server("127.0.0.1");
    let directory = tempfile::tempdir().unwrap();
    let study = directory.path().join("shop.yaml");
    let journeys = "
journeys:
  visit:
    - enter:
        get: /enter
        capture: { greeting: { regex: \"h(.)\" }, session_token: { cookie: id } }
    - pause: 20s
    - repeat: { times: 2, steps: [ { look: { get: \"/to?/${greeting}\", headers: { X-Mine: \"${session_token}\" } } } ] }
    - when: { condition: \"${greeting} == o\", steps: [ { never: { get: /never } } ] }
  wrong:
    - one: { get: /one }
    - two: { get: /echo }
    - three: { get: /three }
load: { open: { rate: 7/s } }
claims: { answers: errors(first) == 0 }
";
    let write =
        |subjects: &str| std::fs::write(&study, format!("{SAID}subjects: {subjects}{journeys}")).unwrap();
    let debug = |more: &[&str]| {
        let words = [&["run", study.to_str().unwrap(), "--debug"], more].concat();
        crate::support::executable(&words).output().unwrap()
    };
    let (refused, _kept) = proofload_testkit::refusing_address().unwrap();
    write(&format!("{{ first: {{ url: \"http://{at}\" }}, second: {{ url: \"http://{refused}\" }} }}"));
    let output = debug(&[]);
    assert_eq!(output.status.code(), Some(12), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut rest = text.as_str();
    for shown in [
        "journey visit\n\nenter\n",
        "connected\n> GET /enter HTTP/1.1\n",
        "< Set-Cookie: [redacted]\n",
        "* greeting = i\n* session_token = [redacted]\n* outcome: answered after ",
        "  pause, cut to 100 ms\n",
        "  loop: pass 1 of 2\n\nlook\n",
        "> GET /to?/i HTTP/1.1\n",
        "> X-Mine: [redacted]\n",
        "< Location: /i\n",
        "> GET /i HTTP/1.1\n",
        "* outcome: answered",
        "  loop: pass 2 of 2\n",
        "  loop: over after 2 passes\n",
        "  condition: greeting is \"o\": no\n",
        "  journey visit: completed\n",
        "journey wrong\n\none\n",
        "> GET /echo HTTP/1.1\n",
        "< HTTP/1.1 500 No\n",
        "* outcome: rejected after ",
        "ms: status 500, expected 200 to 399\n",
        "  journey wrong: not completed, rejected\n",
    ] {
        let (_, after) = rest.split_once(shown).unwrap_or_else(|| panic!("{shown:?} in {rest}"));
        rest = after;
    }
    assert!(!text.contains("zQ9") && !text.contains("/three") && !text.contains("/never"), "{text}");
    let asked: Vec<String> = requests.try_iter().collect();
    assert_eq!(asked.len(), 1 + 2 * 2 + 2, "each step once: {asked:?}");
    assert_eq!(asked.iter().filter(|request| request.contains("X-Mine: zQ9cookie")).count(), 4, "{asked:?}");

    let output = debug(&["--only", "second"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing answers at"), "{output:?}");
}

#[test]
fn without_journeys_each_request_of_a_study_is_shown_once_by_the_server_that_it_starts() {
    let directory = tempfile::tempdir().unwrap();
    let study = directory.path().join("pages.yaml");
    let command = format!("{:?}", [env!("CARGO_BIN_EXE_proofload"), "reference-server", "--port", "{port}"]);
    let text = format!(
        "{SAID}subjects: {{ it: {{ command: {command} }} }}\nworkload:\n  first: {{ get: /a, weight: 5 }}\n  second: {{ get: /b }}\n\
         load: {{ closed: {{ connections: 9 }} }}\nclaims: {{ answers: errors(it) == 0 }}\n"
    );
    std::fs::write(&study, text).unwrap();
    let output = crate::support::executable(&["run", study.to_str().unwrap(), "--debug"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let asked: Vec<&str> = text.lines().filter(|line| line.starts_with("> GET ")).collect();
    assert_eq!(asked, ["> GET /a HTTP/1.1", "> GET /b HTTP/1.1"]);
    assert!(text.starts_with("first\n* ") && text.contains("\nsecond\n* "), "{text}");
    assert_eq!(text.matches("* outcome: answered").count(), 2, "{text}");
}

#[test]
fn a_form_goes_over_a_unix_socket_to_a_host_that_need_not_exist() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("app.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || answer(stream, &sender));
        }
    });
    let output = proofload(&[
        "http://app.invalid/up",
        "--unix",
        socket.to_str().unwrap(),
        "-n",
        "2",
        "-c",
        "1",
        "-m",
        "POST",
        "--form",
        "a=b",
        "-q",
    ]);
    measured(&output);
    let seen: Vec<String> = requests.try_iter().collect();
    assert_eq!(seen.len(), 2);
    assert!(seen[0].starts_with(
        "POST /up HTTP/1.1\r\nHost: app.invalid\r\nContent-Type: multipart/form-data; boundary="
    ));
    assert!(
        seen[0].contains("Content-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--proofload-"),
        "{}",
        seen[0]
    );
}

#[test]
fn a_server_on_ipv6_is_reached() {
    let (at, requests) = server("::1");
    measured(&proofload(&[&format!("http://{at}/six"), "-n", "2", "-c", "1", "-q"]));
    assert!(requests.try_iter().all(|request| request.contains(&format!("Host: {at}"))));
}

#[test]
fn a_name_is_reached_at_those_of_its_addresses_that_serve() {
    let (six, asked) = server("::1");
    // Nobody listens there, nor at 127.0.0.1 on that port.
    let pinned = format!("shop.test:{}:127.0.0.77,[::1]", six.port());
    let urls = ["shop.test", "localhost"].map(|name| format!("http://{name}:{}/", six.port()));
    for url in &urls {
        let output = proofload(&[url, "--resolve", &pinned, "-n", "6", "-c", "3", "-q", "--format", "json"]);
        let point = &json(&output)["points"][0];
        assert_eq!(point["outcomes"]["answered"], 6, "{point}");
        let of = |at: &str, what: &str| {
            let mut addresses = point["addresses"].as_array().unwrap().iter();
            addresses.find(|one| one["address"].as_str().unwrap().contains(at)).map(|one| one[what].clone())
        };
        assert_eq!(of("::1", "connections"), Some(3.into()), "{point}");
        assert_eq!(of("::1", "exchanges"), Some(6.into()), "{point}");
        assert!(of("127.0.0", "refused").is_none_or(|refused| refused.as_u64() > Some(0)), "{point}");
    }
    assert_eq!(asked.try_iter().count(), 12);

    let output = proofload(&[&urls[0], "--resolve", &pinned, "-n", "6", "-c", "3"]);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("addresses  127.0.0.77:") && shown.contains(" refused "), "{shown}");
    let output = proofload(&[&urls[0], "--resolve", &pinned, "--debug"]);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("connecting to 127.0.0.77:") && shown.contains("connecting to [::1]:"), "{shown}");

    let directory = tempfile::tempdir().unwrap();
    let subject = format!("{{ url: \"http://shop.test:{}\", resolve: \"127.0.0.77, ::1\" }}", six.port());
    let claims = "claims: { answers: errors(it) == 0 }\n";
    let result = studied(directory.path(), &format!("subjects: {{ it: {subject} }}\n{claims}"));
    all_answered(&result, 1);
    let described = result["plan"]["variants"][0]["description"].as_str().unwrap();
    assert!(described.contains("127.0.0.77:") && described.contains("[::1]:"), "{described}");
}

#[test]
fn every_wrong_flag_is_told_at_once() {
    let output = proofload(&[
        "http://127.0.0.1:1/${nosuchfeeder}",
        "--feeder",
        "x=csv:/no/such.csv",
        "--feeder",
        "y",
        "--basic",
        "me",
        "--form",
        "part",
        "--bind",
        "127.0.0.1,192.0.2.1",
        "-q",
    ]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    for flag in [
        "URL: there is no feeder nosuchfeeder",
        "--feeder x:",
        "--feeder: y",
        "--basic:",
        "--form: part",
        "--bind: 192.0.2.1",
    ] {
        assert!(told.contains(flag), "{flag} in {told}");
    }
}

#[test]
fn each_connection_sends_its_cookies_back_even_after_it_was_made_anew() {
    for keep_alive in ["on", "off"] {
        let (at, requests) = server("127.0.0.1");
        let url = format!("http://{at}/");
        measured(&proofload(&[&url, "-n", "3", "-c", "1", "--cookies", "--keep-alive", keep_alive, "-q"]));
        let seen: Vec<String> = requests.try_iter().collect();
        let sent =
            seen.iter().map(|request| request.contains("\r\nCookie: id=zQ9cookie")).collect::<Vec<_>>();
        assert_eq!(sent, [false, true, true], "{seen:?}");
    }
}

/// The one point of a measurement.
fn point(output: &Output) -> serde_json::Value {
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    result["points"][0].clone()
}

#[test]
fn redirects_are_followed_within_the_server_and_counted() {
    let (at, requests) = server("127.0.0.1");
    let url = format!("http://{at}/to?/to?http://{at}/a/../b#c");
    let load = ["-n", "3", "-c", "1", "-q", "--format", "json", "--cookies"];
    let output =
        proofload(&[&[url.as_str(), "--follow", "2", "-m", "POST", "--body", "x"], &load[..]].concat());
    measured(&output);
    let seen: Vec<String> = requests.try_iter().collect();
    let lines: Vec<&str> = seen.iter().filter_map(|request| request.lines().next()).take(3).collect();
    let first = format!("POST /to?/to?http://{at}/a/../b HTTP/1.1");
    let second = format!("GET /to?http://{at}/a/../b HTTP/1.1");
    assert_eq!(lines, [first.as_str(), second.as_str(), "GET /b HTTP/1.1"]);
    assert!(seen[1].contains("Cookie: id=zQ9cookie") && !seen[1].contains("Content-"), "{}", seen[1]);
    assert_eq!(seen.len(), 9);
    let found = point(&output);
    assert_eq!((&found["redirects"], &found["outcomes"]["answered"]), (&6.into(), &3.into()));
    assert_eq!((&found["codes"]["302"], &found["codes"]["200"]), (&6.into(), &3.into()));

    let output = proofload(&[&[url.as_str(), "--follow", "1"], &load[..]].concat());
    let found = point(&output);
    assert_eq!(found["outcomes"]["rejected"], 3);
    assert_eq!(found["bad_answers"][0]["what"], "more than 1 redirect, the last to /b");

    let output = proofload(&[&url, "-n", "3", "-c", "1", "-q", "-v"]);
    measured(&output);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 answers were redirects; none was followed"), "{text}");
}

/// Runs a study of those subjects, in little time, and returns its result.
fn studied(directory: &std::path::Path, top: &str) -> serde_json::Value {
    let file = directory.join("study.yaml");
    let rest = "workload: { page: { get: /a } }\nload: { closed: { connections: 4 } }\n";
    std::fs::write(&file, format!("study: ways\nquestion: Is it reached?\n{top}{rest}")).unwrap();
    let timing = ["--smoke", "--timing", TIMING, "--format", "json", "-q", "--dir"];
    let run = ["run", file.to_str().unwrap()];
    let output = proofload(&[&run[..], &timing, &[directory.to_str().unwrap()]].concat());
    json(&output)
}

const TIMING: &str = "warm-up=100ms,slice=50ms,discard=10ms,cycles=2";

#[track_caller]
fn all_answered(result: &serde_json::Value, variants: usize) {
    let points = result["points"].as_array().expect("points");
    assert_eq!(points.len(), variants);
    for point in points {
        assert!(point["outcomes"]["answered"].as_u64() > Some(0), "{point}");
        assert_eq!(point["codes"].as_object().map(|codes| codes.len()), Some(1), "{point}");
    }
}

/// A server on a Unix socket, and its address.
fn unix_server(path: &std::path::Path) -> String {
    let listener = UnixListener::bind(path).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream, &channel().0));
        }
    });
    format!("http+unix://{}", path.display().to_string().replace('/', "%2F"))
}

#[test]
fn studies_and_comparisons_reach_ipv6_and_unix_sockets() {
    let directory = tempfile::tempdir().unwrap();
    let (v6, _kept) = server("::1");
    let sockets = ["a.sock", "b.sock"].map(|name| unix_server(&directory.path().join(name)));
    let subjects =
        format!("subjects: {{ v6: {{ url: \"http://{v6}\" }}, sock: {{ url: \"{}\" }} }}\n", sockets[0]);
    let claims = "claims: { answers: errors(sock) == 0 }\n";
    let result = studied(directory.path(), &format!("{subjects}{claims}"));
    all_answered(&result, 2);
    let described = result["plan"]["variants"][1]["description"].as_str().unwrap();
    assert!(described.contains("a.sock), already running"), "{described}");

    let urls = sockets.each_ref().map(|socket| format!("{socket}/a"));
    let place = ["-q", "--format", "json", "--smoke", "--timing", TIMING, "--dir"];
    let dir = directory.path().to_str().unwrap();
    let output = proofload(&[&["compare", &urls[0], &urls[1]], &place[..], &[dir]].concat());
    let result = json(&output);
    all_answered(&result, 2);
    assert_eq!(result["plan"]["variants"][1]["name"], "b.sock");
    measured(&proofload(&[&urls[0], "-n", "3", "-c", "1", "-q"]));

    for wrong in [["--unix", "/x.sock"], ["--bind", "127.0.0.2"]] {
        let output = proofload(&[&["compare", &urls[0], &urls[1]], &wrong[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(wrong[0]), "{output:?}");
    }
}

#[test]
fn a_study_leaves_from_the_addresses_that_it_names() {
    let directory = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (sender, peers) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            sender.send(stream.peer_addr().unwrap().ip().to_string()).ok();
            std::thread::spawn(move || answer(stream, &channel().0));
        }
    });
    let top = format!("subjects: {{ it: {{ url: \"http://{at}\" }} }}\nbind: [127.0.0.2, 127.0.0.3]\n");
    let result = studied(directory.path(), &format!("{top}claims: {{ answers: errors(it) == 0 }}\n"));
    all_answered(&result, 1);
    let planned = result["plan"]["workload"].to_string();
    assert!(planned.contains("leave from 127.0.0.2, 127.0.0.3"), "{planned}");
    let peers: std::collections::BTreeSet<String> = peers.try_iter().collect();
    // The look whether it answers comes from the kernel's own choice.
    let chosen: Vec<&str> = peers.iter().map(String::as_str).filter(|peer| *peer != "127.0.0.1").collect();
    assert_eq!(chosen, ["127.0.0.2", "127.0.0.3"]);
}

/// Whole, for a histogram is text of Base64, in which any three letters occur now and then.
const SECRETS: [&str; 3] = ["zQ9secret", "zQ9literal", "zQ9cookie"];

fn secret_in(text: &str) -> Option<&'static str> {
    SECRETS.into_iter().find(|secret| text.contains(secret))
}

#[test]
fn a_server_that_sends_secrets_back_under_any_name_gets_none_into_the_record() {
    let directory = tempfile::tempdir().unwrap();
    let (at, _kept) = server("127.0.0.1");
    let output = proofload(&[
        &format!("http://{at}/echo?k=${{env.PROOFLOAD_TEST_SECRET}}"),
        "-H",
        "X-Odd: ${env.PROOFLOAD_TEST_SECRET}",
        "--bearer",
        "zQ9literal",
        "-n",
        "2",
        "-c",
        "1",
        "-q",
        "--format",
        "json",
    ]);
    let kept = String::from_utf8(output.stdout).unwrap();
    assert!(kept.contains("X-Odd: [redacted]|") && kept.contains("k=[redacted]"), "{kept}");
    assert_eq!(secret_in(&kept), None, "{kept}");

    let file = directory.path().join("study.yaml");
    let study = format!(
        "study: echo\nquestion: What is kept?\nsubjects: {{ it: {{ url: \"http://{at}\" }} }}\n\
         workload: {{ page: {{ get: /echo, headers: {{ X-Odd: \"a ${{env.PROOFLOAD_TEST_SECRET}} b\" }} }} }}\n\
         load: {{ closed: {{ connections: 2 }} }}\nclaims: {{ fails: errors(it) > 0.5 }}\n"
    );
    std::fs::write(&file, study).unwrap();
    let dir = directory.path().to_str().unwrap();
    let timing = ["--smoke", "--timing", TIMING, "--format", "json", "-q", "--dir", dir];
    let output = proofload(&[&["run", file.to_str().unwrap()], &timing[..]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("X-Odd: a [redacted] b"), "{output:?}");
    let mut folders = vec![directory.path().join("runs")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else if let Ok(bytes) = std::fs::read(entry.path()) {
                files += 1;
                let text = String::from_utf8_lossy(&bytes);
                assert_eq!(secret_in(&text), None, "{}", entry.path().display());
            }
        }
    }
    assert!(files > 3, "{files} files were looked at");
}

/// A whole study whose requests are filled, signed and remembered: the requests that the server received show it.
#[test]
fn a_study_fills_its_requests_and_keeps_its_credentials_to_itself() {
    let (at, requests) = server("127.0.0.1");
    let root = tempfile::tempdir().expect("a directory");
    std::fs::write(root.path().join("users.csv"), "id,name\n7,Anna\n8,Ben Ö\n").expect("it can be written");
    let study = format!(
        "study: filled\nquestion: Are requests filled?\nsubjects:\n  server: {{ url: \"http://{at}\" }}\n\
         feeders:\n  users: {{ csv: users.csv }}\n  seq: {{ counter: {{ from: 1 }} }}\n\
         auth: {{ bearer: \"${{env.PROOFLOAD_TEST_SECRET}}\" }}\ncookies: true\nworkload:\n  order:\n    \
         post: \"/u/${{users.id}}\"\n    headers: {{ X-Name: \"n${{seq}}\" }}\n    body: '{{\"name\":\"${{users.name}}\"}}'\n\
         load: {{ closed: {{ connections: 2, think: 5ms }} }}\nclaims:\n  - none: errors(server) == 0\n"
    );
    let file = root.path().join("filled.yaml");
    std::fs::write(&file, study).expect("it can be written");
    let timing = "warm-up=100ms,slice=200ms,discard=20ms,cycles=2";
    let root_text = root.path().to_str().expect("text");
    let args = ["run", file.to_str().expect("text"), "--smoke", "--timing", timing, "--dir", root_text];
    let output = proofload(&args);
    measured(&output);
    let received: Vec<String> = requests.try_iter().collect();
    assert!(received.len() > 20, "{}", received.len());
    let count = |what: &str| received.iter().filter(|request| request.contains(what)).count();
    assert_eq!(count("POST /u/7 ") + count("POST /u/8 "), received.len());
    assert_eq!(count("{\"name\":\"Anna\"}") + count("{\"name\":\"Ben Ö\"}"), received.len());
    assert!(count("POST /u/7 ").abs_diff(count("POST /u/8 ")) <= received.len() / 4, "rows take turns");
    assert_eq!(count("Authorization: Bearer zQ9secret"), received.len());
    assert!(count("Cookie: id=zQ9cookie") > 0 && count("Cookie: id=zQ9cookie") < received.len());
    assert!(count("X-Name: n1\r") >= 1 && count("X-Name: n2") >= 1);
    let names = format!("({})", SECRETS.join("|"));
    let record = Command::new("grep").args(["-rlE", &names, root_text]).output().expect("grep is there");
    assert_eq!(String::from_utf8_lossy(&record.stdout), "", "credentials are nowhere in the record");
}

#[test]
fn texts_are_looked_for_in_bodies_without_their_content_coding() {
    // gzip -n of {"state":"closed","reason":"E41"}
    const CODED: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\x2a\x2e\x49\x2c\x49\x55\xb2\x52\x4a\xce\xc9\x2f\x4e\x4d\x51\xd2\x51\x2a\x4a\x4d\x2c\xce\xcf\x03\x8a\xb8\x9a\x18\x2a\xd5\x02\x00\x4b\xca\x6c\x53\x21\x00\x00\x00";
    // The path tells the coding, and the bytes of the body that are left out.
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let at = listener.local_addr().expect("it listens");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = stream.read(&mut buffer) {
                let head = String::from_utf8_lossy(&buffer[..n]).into_owned();
                assert!(!head.to_ascii_lowercase().contains("accept-encoding"), "{head}");
                let mut parts = head.split(['/', ' ']).skip(2);
                let (coding, cut) = (parts.next().unwrap(), parts.next().unwrap().parse::<usize>().unwrap());
                let body = &CODED[..CODED.len() - cut];
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                stream.write_all(&[head.as_bytes(), body].concat()).ok();
            }
        }
    });
    let asked = |path: &str, expect: &[&str]| {
        let url = format!("http://{at}/{path}");
        let output =
            proofload(&[&[url.as_str(), "-n", "8", "-c", "1", "--format", "json", "-q"], expect].concat());
        let point = &json(&output)["points"][0];
        let counts = point["outcomes"].as_object().expect("counts").clone();
        let (outcome, _) = counts.iter().find(|(_, n)| *n == 8).expect("one outcome");
        (outcome.clone(), point["bad_answers"][0]["what"].as_str().unwrap_or_default().to_string())
    };
    assert_eq!(asked("gzip/0", &["--expect-text", "\"closed\""]).0, "answered");
    let found = asked("x-gzip/0", &["--expect-no-text", "E41"]);
    assert_eq!(found, ("mismatch".into(), "the body contains \"E41\"".into()));
    let cut = asked("gzip/5", &["--expect-text", "closed"]);
    assert_eq!(
        cut,
        ("mismatch".into(), "the body is not whole in its Content-Encoding: gzip, or no such thing".into())
    );
    let unknown = asked("lzma/0", &["--expect-text", "closed"]);
    assert_eq!(unknown.0, "beyond_limit");
    assert!(unknown.1.contains("Content-Encoding: lzma, which Proofload does not decode"), "{unknown:?}");
    // Without a text nobody looks.
    for path in ["gzip/5", "lzma/0"] {
        assert_eq!(asked(path, &["--expect-status", "2xx"]).0, "answered", "{path}");
    }
}
