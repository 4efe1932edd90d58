//! A subject of several processes, through the executable: what any of them uses is the subject's.

mod support;

use support::{json, proofload, text};

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
    let output =
        proofload(&["run", file, "--smoke", "--timing", timing, "--format", "json", "--dir", dir, "-q"]);
    assert!(matches!(output.status.code(), Some(11 | 12)), "{}: {}", output.status, text(&output.stderr));
    let result = json(&output);
    let point = &result["points"][0];
    let answered = point["outcomes"]["answered"].as_f64().expect("answers");
    assert!(answered >= 10.0, "{point}");
    let cpu_ms = point["subject"]["cpu_ns"].as_f64().expect("CPU time") / 1e6 / answered;
    // 5 ms in the back end alone; Python takes a little more, and the front has a share.
    assert!((4.5..12.0).contains(&cpu_ms), "{cpu_ms} ms for each answer: {point}");
    let moved = point["subject"]["backend_bytes"].as_f64().expect("bytes between the two") / answered;
    assert!((950.0..1_200.0).contains(&moved), "{moved} bytes for each answer: {point}");
}
