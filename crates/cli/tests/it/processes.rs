//! A subject of several processes, through the executable: what any of them uses is the subject's.

use crate::support::{PROOFLOAD, executable, json};

/// A back that burns 5 ms of CPU for each message and sends 1,000 bytes; or a front that asks it for each request.
const SERVER: &str = r#"
import socket, sys, threading, time
how, port = sys.argv[1], int(sys.argv[2])
def back(connection):
    while connection.recv(64):
        until = time.thread_time() + 0.005
        while time.thread_time() < until:
            pass
        connection.sendall(b"x" * 1000)
def front(connection):
    behind = socket.create_connection(("127.0.0.1", int(sys.argv[3])))
    while connection.recv(4096):
        behind.sendall(b"go")
        left = 1000
        while left:
            left -= len(behind.recv(left))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
listener = socket.create_server(("127.0.0.1", port), backlog=64)
while True:
    served = listener.accept()[0]
    threading.Thread(target=back if how == "back" else front, args=(served,), daemon=True).start()
"#;

#[test]
fn what_the_back_end_burns_and_is_sent_is_counted() {
    let directory = tempfile::tempdir().expect("a directory");
    let (server, folder) = (directory.path().join("server.py"), directory.path().join("subjects/pair"));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(&server, SERVER).expect("written");
    let python = |how: &str, rest: &str| format!("[[python3, {server:?}, {how}, \"{{port}}\"{rest}]]");
    let declaration = format!(
        "description: a front and its back
processes:
  - name: back
    start: {}
    ready: {{ within: 20s }}
  - name: front
    after: [back]
    start: {}
    ready: {{ within: 20s }}
stop: {{ grace: 2s }}
",
        python("back", ""),
        python("front", ", \"{port.back}\""),
    );
    std::fs::write(folder.join("subject.yaml"), declaration).expect("written");
    let study = "study: pair
question: Who burns the CPU?
subjects: { pair: { use: pair } }
workload: { page: { get: / } }
load: { closed: { connections: 1 } }
claims: { costly: 'cpu_per_request(pair) > 4ms' }
";
    let file = directory.path().join("pair.yaml");
    std::fs::write(&file, study).expect("written");
    let dir = directory.path().to_str().expect("a path in UTF-8");
    let timing = "warm-up=100ms,slice=1s,discard=100ms,cycles=2";
    let file = file.to_str().expect("a path in UTF-8");
    let args = ["run", file, "--smoke", "--timing", timing, "--format", "json", "--dir", dir, "-q"];
    let result = json(&executable(&args).output().expect("the executable runs"));
    let point = &result["points"][0];
    let answered = point["outcomes"]["answered"].as_f64().expect("answers");
    assert!(answered > 0.0, "{point}");
    let cpu_ms = point["subject"]["cpu_ns"].as_f64().expect("CPU time") / 1e6 / answered;
    // The back end burns 5 ms, the front a tenth of one.
    assert!(cpu_ms > 2.0, "{cpu_ms} ms for each answer: {point}");
    // If the looks at the back end come too late for a figure, that is reported.
    let is_late = result["limits"].to_string().contains("the looks at the connections came too late");
    let moved = point["subject"]["backend_bytes"].as_f64();
    assert!(moved > Some(0.0) || moved.is_none() && is_late, "{point}");
}

/// The process that watches the servers wakes up now and then; on the generator's CPUs that would make sends late.
#[test]
fn who_starts_the_servers_stays_off_the_generators_cpus() {
    let directory = tempfile::tempdir().expect("a directory");
    let seen = directory.path().join("seen");
    let study = format!(
        "study: apart
question: Where does the starter run?
subjects:
  one:
    command: [sh, -c, 'cat /proc/$PPID/status > {seen:?}; exec {PROOFLOAD:?} reference-server --service const:5ms --port $0', '{{port}}']
workload: {{ page: {{ get: / }} }}
load: {{ closed: {{ connections: 1 }} }}
claims: {{ served: 'throughput(one) > 1/s' }}
"
    );
    let file = directory.path().join("apart.yaml");
    std::fs::write(&file, study).expect("written");
    let (dir, file) = (directory.path().to_str().expect("UTF-8"), file.to_str().expect("UTF-8"));
    let timing = "warm-up=100ms,slice=100ms,discard=10ms,cycles=2";
    let args = ["run", file, "--smoke", "--timing", timing, "--dir", dir, "-q"];
    executable(&args).output().expect("the executable runs");
    let status = std::fs::read_to_string(&seen).expect("the server told who started it");
    let value =
        |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).expect(key).trim().to_string();
    assert!(value("Name:").starts_with("proofload"), "{status}");
    let allowed = cpus(&value("Cpus_allowed_list:"));
    let plan = std::fs::read(directory.path().join("runs/apart/latest/plan.json")).expect("a plan");
    let plan: serde_json::Value = serde_json::from_slice(&plan).expect("JSON");
    let generator = plan["generator_cpus"].as_array().expect("CPUs");
    let generator: Vec<u64> = generator.iter().filter_map(serde_json::Value::as_u64).collect();
    let own = std::fs::read_to_string("/proc/self/status").expect("readable");
    let own =
        cpus(own.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("CPUs").trim());
    let others: Vec<u64> = own.iter().copied().filter(|cpu| !generator.contains(cpu)).collect();
    // On a single CPU there is nowhere else to go.
    assert_eq!(allowed, if others.is_empty() { own } else { others }, "the generator is on {generator:?}");
}

/// The CPUs of a list like `0-2,5`.
fn cpus(list: &str) -> Vec<u64> {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let range = |part: &str| match part.split_once('-') {
        Some((first, last)) => number(first)..=number(last),
        None => number(part)..=number(part),
    };
    list.split(',').flat_map(range).collect()
}
