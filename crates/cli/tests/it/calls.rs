//! Calls of real servers by their own protocols, and the messages about wrong calls.

use crate::support::{executable, json, proofload, root, text};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A subject of the catalogue, until it is dropped.
struct Started {
    child: Child,
    /// Its address, with the scheme of what it speaks.
    url: String,
}

impl Started {
    fn new(args: &[&str]) -> Started {
        let mut child = executable(&[&["subjects", "start"], args].concat())
            .stdout(Stdio::piped())
            .spawn()
            .expect("proofload starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        let url =
            line.trim_end().strip_prefix("listening on ").unwrap_or_else(|| panic!("{args:?}: {line:?}"));
        Started { url: url.to_string(), child }
    }

    /// Host and port.
    fn authority(&self) -> &str {
        self.url.split_once("://").expect("a scheme").1
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _gone_already = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ended = self.child.wait();
    }
}

/// The result of 50 calls, one after the other.
fn called(url: &str, further: &[&str]) -> Value {
    let args = ["-n", "50", "-c", "1", "--format", "json", "--no-ceiling", "--timeout", "10s"];
    json(&proofload(&[&[url], &args[..], further].concat()))
}

fn answered(result: &Value) -> u64 {
    result["points"][0]["outcomes"]["answered"].as_u64().unwrap_or(0)
}

/// All calls are refused, and the sentences about them have these words. A server that cannot read a call may close the
/// connection behind its refusal, while the next call is on its way.
fn refused(url: &str, further: &[&str], words: &str) {
    let result = called(url, further);
    let outcomes = &result["points"][0]["outcomes"];
    let of = |outcome: &str| outcomes[outcome].as_u64().unwrap_or(0);
    let (rejected, closed) = (of("rejected"), of("closed_early") + of("reset_reused"));
    assert!(rejected + closed == 50 && rejected >= 25, "{url}: {outcomes}");
    let told = result["points"][0]["bad_answers"].to_string();
    assert!(told.contains(words), "{url}: no {words} in {told}");
}

/// No call is answered; every one has this outcome.
fn fails(url: &str, further: &[&str], outcome: &str) {
    let result = called(url, further);
    let outcomes = &result["points"][0]["outcomes"];
    assert_eq!(outcomes[outcome], 50, "{url}: {outcomes}");
}

#[test]
fn java_rmi_is_called_and_says_what_is_wrong() {
    let rmi = Started::new(&["rmi"]);
    let echo = format!("{}/echo?method=echo", rmi.url);
    assert_eq!(answered(&called(&echo, &["--arg", "hello"])), 50);
    refused(&echo, &["--arg", "5"], "unrecognized method hash");
    refused(&format!("{}/echo?method=nope", rmi.url), &["--arg", "x"], "unrecognized method hash");
    let nobody = proofload(&[&format!("{}/nobody?method=echo", rmi.url), "--arg", "x", "-n", "1"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(text(&nobody.stderr).contains("NotBoundException: nobody"), "{}", text(&nobody.stderr));
    // Servers of another protocol.
    for scheme in ["dubbo", "ajp"] {
        let url = format!("{scheme}://{}/x?method=echo", rmi.authority());
        let args: &[&str] = if scheme == "ajp" { &[] } else { &["--arg", "x"] };
        let result = called(&url, args);
        assert_eq!(answered(&result), 0, "{url}");
        let ended: u64 = result["points"][0]["outcomes"]
            .as_object()
            .expect("outcomes")
            .values()
            .filter_map(Value::as_u64)
            .sum();
        assert_eq!(ended, 50, "{url}: {}", result["points"][0]["outcomes"]);
    }
    let debug = proofload(&[&echo, "--arg", "hello", "--debug"]);
    let shown = text(&debug.stdout);
    assert!(shown.contains("call of object") && shown.contains("<   \"hello\""), "{shown}");
}

const PERSON: &str = "{ class: lab.Person, uid: 1, fields: { active: true, age: 36, name: Ann, home: { class: lab.FullAddress, \
                      uid: 1, fields: { city: Zug } } } }";

/// A provider of this version answers in each serialization, and reports errors.
fn dubbo_answers(version: &str, serializations: &[&str]) {
    for serialization in serializations {
        let with = [format!("version={version}"), format!("serialization={serialization}")];
        let dubbo = Started::new(&["dubbo", "--with", &with[0], "--with", &with[1]]);
        let speaks = format!("serialization={serialization}");
        let of = |rest: &str| format!("{}/{rest}", dubbo.url);
        let echo = of("lab.EchoService?method=echo");
        let result = called(&echo, &["--arg", "hello", "--speaks", &speaks]);
        assert_eq!(answered(&result), 50, "{version} {serialization}: {}", result["points"][0]);
        // By several at once on one connection.
        let several = called(&echo, &["--arg", "hello", "--speaks", &speaks, "--in-flight", "10"]);
        assert_eq!(answered(&several), 50, "{version} {serialization}: {}", several["points"][0]);
        if *serialization != "hessian2" {
            continue;
        }
        let person = called(&of("lab.EchoService?method=echoPerson"), &["--arg", PERSON]);
        assert_eq!(answered(&person), 50, "{version}: {}", person["points"][0]);
        refused(&of("lab.EchoService?method=nope"), &["--arg", "x"], "nope");
        // 3.x names the method alone.
        let named = if version.starts_with('3') { "methodName=echo" } else { "lab.Nobody" };
        refused(&of("lab.Nobody?method=echo"), &["--arg", "x"], named);
        let (of_version, of_types) = match version.split_at(2).0 {
            "3." => ("Fail to decode request", "Fail to decode request"),
            _ if version == "2.7.23" => ("lab.EchoService:9", "Service not found:lab.EchoService, echo"),
            _ => ("lab.EchoService:9", "Integer cannot be cast to class java.lang.String"),
        };
        refused(&of("lab.EchoService?method=echo&version=9"), &["--arg", "x"], of_version);
        refused(&of("lab.EchoService?method=echo"), &["--arg", "5"], of_types);
    }
}

#[test]
#[ignore = "full: starts providers"]
fn dubbo_2_0_10_answers() {
    dubbo_answers("2.0.10", &["hessian2", "dubbo", "java", "fastjson"]);
}

#[test]
#[ignore = "full: starts providers"]
fn dubbo_2_5_3_answers() {
    dubbo_answers("2.5.3", &["hessian2", "dubbo", "java", "fastjson"]);
}

#[test]
#[ignore = "full: starts providers"]
fn dubbo_2_5_10_answers() {
    dubbo_answers("2.5.10", &["hessian2", "dubbo", "java", "fastjson"]);
}

#[test]
#[ignore = "full: starts providers"]
fn dubbo_2_6_12_answers() {
    dubbo_answers("2.6.12", &["hessian2", "java", "fastjson"]);
}

#[test]
#[ignore = "full: starts providers"]
fn dubbo_2_7_23_answers() {
    dubbo_answers("2.7.23", &["hessian2", "java", "fastjson"]);
}

#[test]
#[ignore = "full: starts providers"]
fn dubbo_3_2_19_answers() {
    dubbo_answers("3.2.19", &["hessian2", "fastjson2"]);
}

#[test]
#[ignore = "full: starts providers"]
fn dubbo_3_3_6_answers() {
    dubbo_answers("3.3.6", &["hessian2", "fastjson2"]);
}

#[test]
#[ignore = "full: starts Tomcats with and without a secret"]
fn tomcat_by_ajp_wants_its_secret() {
    for (version, connector) in [
        ("6.0.53", "ajp-bio"),
        ("7.0.109", "ajp-nio"),
        ("8.5.100", "ajp-nio2"),
        ("9.0.110", "ajp-nio"),
        ("10.1.56", "ajp-nio"),
        ("11.0.21", "ajp-nio2"),
    ] {
        let (version, connector) = (format!("version={version}"), format!("connector={connector}"));
        let with = ["tomcat", "--with", &version, "--with", &connector];
        let open = Started::new(&with);
        let echo = format!("{}/echo?t=hello", open.url);
        assert_eq!(answered(&called(&echo, &[])), 50, "{version}");
        let long = "x".repeat(100_000);
        let posted = called(&format!("{}/echo", open.url), &["-m", "POST", "--body", &long]);
        assert_eq!(answered(&posted), 50, "{version}: {}", posted["points"][0]);
        let closed = Started::new(&[&with[..], &["--with", "ajp_secret=abc"]].concat());
        let echo = format!("{}/echo?t=hello", closed.url);
        assert_eq!(answered(&called(&echo, &["--speaks", "secret=abc"])), 50, "{version}");
        refused(&echo, &[], "403");
        refused(&echo, &["--speaks", "secret=abd"], "403");
    }
}

#[test]
#[ignore = "full: starts Tomcats with Hessian and JSON"]
fn hessian_and_json_answer_and_say_what_is_wrong() {
    let hessian = Started::new(&["hessian"]);
    for scheme in ["hessian+http", "hessian1+http"] {
        let of = |rest: &str| format!("{scheme}://{}/{rest}", hessian.authority());
        assert_eq!(answered(&called(&of("hessian?method=echo"), &["--arg", "hello"])), 50);
        let person = called(&of("hessian?method=echoPerson"), &["--arg", PERSON]);
        assert_eq!(answered(&person), 50, "{scheme}: {}", person["points"][0]);
        refused(&of("hessian?method=nope"), &["--arg", "x"], "NoSuchMethod");
        refused(&of("nowhere?method=echo"), &["--arg", "x"], "404");
    }
    let http = Started::new(&["http-json"]);
    let of = |scheme: &str, rest: &str| format!("{scheme}://{}/{rest}", http.authority());
    assert_eq!(answered(&called(&of("json+http", "echo?method=echo"), &["--arg", "hello"])), 50);
    assert_eq!(answered(&called(&of("jsonrpc+http", "rpc?method=echo"), &["--arg", "hello"])), 50);
    refused(&of("jsonrpc+http", "rpc?method=nope"), &["--arg", "x"], "-32601: no method nope");
    fails(&of("dubbo", "lab.EchoService?method=echo"), &["--arg", "x"], "malformed");
}

/// Checks an attribute of a request that a servlet gets by AJP: it has to answer exactly this, or the exchange counts
/// as refused.
fn told(url: &str, speaks: &str, attribute: &str, expected: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let study = folder.path().join("front.yaml");
    let text = format!(
        "study: front\nquestion: What does the servlet see?\n\
         subjects: {{ tomcat: {{ url: '{url}', speaks: {{ protocol: ajp{speaks} }} }} }}\n\
         workload: {{ front: {{ get: '/front?attribute={attribute}', expect: {{ text: '{expected}', bytes: {} }} }} }}\n\
         load: {{ closed: {{ connections: 1 }} }}\nclaims: [ {{ told: errors(tomcat) == 0 }} ]\n",
        expected.len()
    );
    std::fs::write(&study, text).expect("a file");
    let (study, dir) = (study.display().to_string(), folder.path().display().to_string());
    let run = proofload(&["run", &study, "--smoke", "--dir", &dir, "--format", "json", "-q"]);
    let result = json(&run);
    let outcomes = result["points"][0]["outcomes"].clone();
    assert!(outcomes["answered"].as_u64() > Some(0), "{expected}: {result}");
    let all = outcomes.as_object().expect("counts").values().filter_map(Value::as_u64).sum::<u64>();
    assert_eq!(Some(all), outcomes["answered"].as_u64(), "{expected}: {outcomes}");
}

#[test]
#[ignore = "full: starts three Tomcats"]
fn a_servlet_sees_what_ajp_says_of_its_request() {
    for (version, connector) in [("6.0.53", "ajp-bio"), ("9.0.110", "ajp-nio"), ("11.0.21", "ajp-nio2")] {
        let (version, connector) = (format!("version={version}"), format!("connector={connector}"));
        let with = ["--with", &version, "--with", &connector, "--with", "ajp_front=true"];
        let tomcat = Started::new(&[&["tomcat"], &with[..]].concat());
        let all = ", is_ssl: true, remote_user: ann, route: node1, attributes: { lab.note: 'hello there' }";
        told(&tomcat.url, all, "lab.note", "https ann hello there");
        told(&tomcat.url, "", "lab.note", "http null null");
    }
}

#[test]
#[ignore = "full: starts a provider"]
fn a_provider_sends_nothing_back_where_no_answer_is_wanted() {
    let dubbo = Started::new(&["dubbo"]);
    let echo = format!("{}/lab.EchoService?method=echo", dubbo.url);
    let bytes = |further: &[&str]| {
        let result = called(&echo, &[&["--arg", "hello"], further].concat());
        let point = &result["points"][0];
        assert_eq!(answered(&result), 50, "{point}");
        (point["bytes_sent"].as_u64().expect("bytes"), point["bytes_received"].as_u64().expect("bytes"))
    };
    let (asked, replied) = bytes(&[]);
    assert!(asked > 0 && replied > 50 * 16, "{asked} {replied}");
    // The same calls but for a bit.
    assert_eq!(bytes(&["--speaks", "one_way=true"]), (asked, 0));
    assert_eq!(bytes(&[]), (asked, replied), "the provider goes on");
}

#[test]
#[ignore = "full: starts a provider"]
fn each_driver_has_several_calls_in_flight() {
    let dubbo = Started::new(&["dubbo"]);
    let echo = format!("{}/lab.EchoService?method=echo", dubbo.url);
    for driver in ["epoll", "io_uring"] {
        let args = [
            "-n",
            "5000",
            "-c",
            "1",
            "--in-flight",
            "10",
            "--format",
            "json",
            "--no-ceiling",
            "--driver",
            driver,
        ];
        let output = proofload(&[&[echo.as_str(), "--arg", "hello"], &args[..]].concat());
        if driver == "io_uring" && text(&output.stderr).contains("cannot use the io_uring driver") {
            eprintln!("skipped, because this machine: {}", text(&output.stderr));
            continue;
        }
        let result = json(&output);
        assert_eq!(answered(&result), 5000, "{driver}: {}", result["points"][0]);
        assert_eq!(result["points"][0]["generator"]["driver"], driver);
    }
}

/// An argument that is put together of a text and a number anew for each call is right in every form: the provider reads
/// it whole, and answers it.
#[test]
#[ignore = "full: starts providers and a Tomcat"]
fn texts_with_values_within_them_are_read_by_servers() {
    let mixed = ["--arg", "user-${n}-x", "--feeder", "n=counter:95"];
    for (version, serialization) in [
        ("2.5.3", "dubbo"),
        ("2.7.23", "java"),
        ("2.7.23", "fastjson"),
        ("2.7.23", "hessian2"),
        ("3.3.6", "fastjson2"),
    ] {
        let (version, with) = (format!("version={version}"), format!("serialization={serialization}"));
        let dubbo = Started::new(&["dubbo", "--with", &version, "--with", &with]);
        let echo = format!("{}/lab.EchoService?method=echo", dubbo.url);
        let result = called(&echo, &[&mixed[..], &["--speaks", &with]].concat());
        assert_eq!(answered(&result), 50, "{version} {with}: {}", result["points"][0]);
        let debug = proofload(&[&[echo.as_str(), "--speaks", &with, "--debug"], &mixed[..]].concat());
        let shown = text(&debug.stdout);
        // Dubbo's own serialization is shown as bytes.
        let bytes = "75 73 65 72 2d 39 35 2d 78";
        let is_it = |line: &str| line.contains("user-95-x") || line.ends_with(bytes);
        let received = shown.lines().filter(|line| line.starts_with('<')).any(is_it);
        assert!(received, "{version} {with}: {shown}");
    }
    let hessian = Started::new(&["hessian"]);
    for scheme in ["hessian+http", "hessian1+http"] {
        let echo = format!("{scheme}://{}/hessian?method=echo", hessian.authority());
        assert_eq!(answered(&called(&echo, &mixed)), 50, "{scheme}");
    }
    let derived = "{ class: lab.Person, uid: 1, fields: { active: true, age: 36 }, extends: { class: lab.Named, fields: { name: Ann } } }";
    let person = format!("{}/hessian?method=echoPerson", hessian.url);
    assert_eq!(answered(&called(&person, &["--arg", derived])), 50, "fields of all classes are flattened");
}

#[test]
#[ignore = "full: kills a provider in the middle of a load"]
fn a_provider_that_goes_away_leaves_no_call_without_an_outcome() {
    let dubbo = Started::new(&["dubbo"]);
    let url = format!("{}/lab.EchoService?method=random", dubbo.url);
    let args = ["--arg", "x", "-d", "4s", "-c", "2", "--in-flight", "8", "--format", "json", "--no-ceiling"];
    let child = executable(&[&[url.as_str()], &args[..]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .current_dir(root())
        .spawn()
        .expect("proofload starts");
    std::thread::sleep(std::time::Duration::from_secs(2));
    drop(dubbo);
    let result = json(&child.wait_with_output().expect("it ends"));
    let point = &result["points"][0];
    assert!(answered(&result) > 0, "{point}");
    let refused = point["outcomes"]["connect_refused"].as_u64().unwrap_or(0);
    assert!(refused > 0, "{}", point["outcomes"]);
}
