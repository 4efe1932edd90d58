//! Calls of real servers by their own protocols, and what is said where a call is wrong.

use crate::support::{command, json, proofload, root, text};
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
        let mut child = command(&[&["subjects", "start"], args].concat())
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

/// The result of so many calls, one after the other.
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

/// No call is answered, none is left without an outcome, and this is what became of them.
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

#[test]
#[ignore = "full: starts seven providers"]
fn every_dubbo_answers_in_every_serialization_and_says_what_is_wrong() {
    for (version, serializations) in [
        ("2.0.10", &["hessian2", "dubbo", "java", "fastjson"][..]),
        ("2.5.3", &["hessian2", "dubbo", "java", "fastjson"]),
        ("2.5.10", &["hessian2", "dubbo", "java", "fastjson"]),
        ("2.6.12", &["hessian2", "java", "fastjson"]),
        ("2.7.23", &["hessian2", "java", "fastjson"]),
        ("3.2.19", &["hessian2", "fastjson2"]),
        ("3.3.6", &["hessian2", "fastjson2"]),
    ] {
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
            refused(&of("lab.EchoService?method=echo&version=9"), &["--arg", "x"], "");
            refused(&of("lab.EchoService?method=echo"), &["--arg", "5"], "");
        }
    }
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
    refused(&of("jsonrpc+http", "rpc?method=nope"), &["--arg", "x"], "a fault");
    fails(&of("dubbo", "lab.EchoService?method=echo"), &["--arg", "x"], "malformed");
}

#[test]
#[ignore = "full: kills a provider in the middle of a load"]
fn a_provider_that_goes_away_leaves_no_call_without_an_outcome() {
    let dubbo = Started::new(&["dubbo"]);
    let url = format!("{}/lab.EchoService?method=random", dubbo.url);
    let args = ["--arg", "x", "-d", "4s", "-c", "2", "--in-flight", "8", "--format", "json", "--no-ceiling"];
    let child = command(&[&[url.as_str()], &args[..]].concat())
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
