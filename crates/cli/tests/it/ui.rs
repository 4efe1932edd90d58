//! `proofload ui`, as far as it is the executable's: what it prints, what it needs, and how it ends.

use crate::support::{executable, proofload, text};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

#[test]
fn it_prints_its_address_serves_and_ends_at_a_signal() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = executable(&["ui", "--dir", dir.path().to_str().expect("a path")]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("an address");
    let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line:?}"));
    let (host, path) = address.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("No runs yet"), "{answer}");
    // Who runs the tests in the background has SIGINT ignored.
    kill_process(Pid::from_child(&child), Signal::TERM).expect("sent");
    assert_eq!(child.wait().expect("it ends").signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 0, "it leaves nothing");
}

#[test]
fn a_port_that_is_taken_is_refused_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let output = proofload(&["ui", "--port", &port]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains(&format!("127.0.0.1:{port}")) && said.contains("choose another --port"), "{said}");
}
