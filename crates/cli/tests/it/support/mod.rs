//! Running the executable as a person would.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The executable under test.
pub const PROOFLOAD: &str = env!("CARGO_BIN_EXE_proofload");

/// A study of a server and its like.
pub const TWINS: &str = "\
study: twins
question: Is one as fast as the other?
subjects:
  server:
    use: reference
    vary: { seed: [\"1\", \"2\"] }
workload:
  page: { get: / }
load:
  closed: { connections: [4] }
conditions: fixed
claims:
  - alike: throughput(seed=1) ~ throughput(seed=2) within 90%
";

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Runs the executable to its end.
pub fn proofload(args: &[&str]) -> Output {
    command(args).output().expect("the executable runs")
}

/// Runs the executable until the generator was fit, for what is judged on fit measurements only. On a busy machine that
/// takes a few times; where it never comes about nothing was tested, and the test fails.
pub fn fit(args: &[&str]) -> Output {
    const TRIES: u32 = 40;
    for _ in 0..TRIES {
        let output = proofload(args);
        if output.status.code() != Some(12) {
            return output;
        }
    }
    panic!("unfit {TRIES} times over: {args:?}");
}

/// The executable, ready to be started from the root of the repository, where one endpoint leaves no record unless a test names a
/// directory for it. What is live is measured with an optimised one:
/// `cargo xtask truth --live` names it.
pub fn command(args: &[&str]) -> Command {
    let optimised = std::env::var_os("PROOFLOAD_EXECUTABLE");
    let mut command = Command::new(optimised.unwrap_or_else(|| PROOFLOAD.into()));
    command.args(args).current_dir(root()).stdin(Stdio::null()).env_remove("NO_COLOR");
    // English, whatever the locale of whoever runs the tests.
    command.env("LC_ALL", "C");
    let is_endpoint = args.first().is_some_and(|first| first.contains("://"));
    if is_endpoint && !args.contains(&"--dir") && !args.contains(&"--no-record") {
        command.arg("--no-record");
    }
    command
}

/// Standard output as JSON.
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", text(&output.stdout), text(&output.stderr)))
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A running reference server; ended when dropped.
pub struct Reference {
    child: Child,
    /// Where it listens.
    pub port: u16,
}

impl Reference {
    /// Starts one on a port of its own choice.
    pub fn start(args: &[&str]) -> Reference {
        let mut command = command(&["reference-server", "--port", "0"]);
        command.args(args);
        Reference::start_with(command)
    }

    /// Starts what the command says; its first line names the address.
    pub fn start_with(mut command: Command) -> Reference {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the reference server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("the first line names the address");
        let port = line
            .trim_end()
            .rsplit(':')
            .next()
            .and_then(|port| port.trim_end_matches('/').parse().ok())
            .unwrap_or_else(|| panic!("no port in {line:?}"));
        child.stdout = Some(lines.into_inner());
        Reference { child, port }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Its counts so far.
    pub fn counts(&self) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time-out");
        stream
            .write_all(b"GET /__counts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let body = answer.split_once("\r\n\r\n").expect("a head").1;
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Waits until something holds, or panics after `limit`.
pub fn wait_until(limit: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes whose environment or command line contains `needle`, other than this one.
pub fn processes_with(needle: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == std::process::id().to_string() || !name.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let read = |file: &str| std::fs::read(entry.path().join(file)).unwrap_or_default();
        // A process that has ended and was not yet waited for runs nothing and holds nothing.
        if text(&read("stat")).rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')) {
            continue;
        }
        let command = text(&read("cmdline")).replace('\0', " ");
        if command.contains(needle) || text(&read("environ")).contains(needle) {
            found.push(format!("{name}: {command}"));
        }
    }
    found
}
