//! The catalogue's Tomcat, fetched, built, started, asked, stopped.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;

use proofload_harness::study::SubjectSpec;
use proofload_harness::subject::Keeper;
use proofload_store::schema::Variant;

use crate::Bench;

fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(address: SocketAddr, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

pub fn tomcat_serves_on_both_connectors() {
    if std::env::var_os("PROOFLOAD_SLOW_TESTS").is_none() {
        println!("  skipped, because it fetches Tomcat and needs a JDK: set PROOFLOAD_SLOW_TESTS=1");
        return;
    }
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let spec = |connector: &str| SubjectSpec::Catalogue {
        folder: "tomcat".into(),
        with: [("connector".to_string(), connector.to_string())].into(),
    };
    for connector in ["nio", "nio2"] {
        let prepared = bench.prepare(&spec(connector));
        let mut variant = Variant::default();
        prepared.describe(&mut variant);
        assert!(variant.description.contains(connector), "{}", variant.description);
        let running = prepared.start(&keeper, &[], &bench.log(), &keeper.temp().join(connector)).unwrap();
        running.wait_ready(&Default::default()).unwrap();
        let (address, pid) = (running.address(), running.pid().unwrap());
        assert_eq!(body(&get(address, "/echo")).len(), 1024);
        assert_eq!(body(&get(address, "/echo?t=h%C3%A4")), "hä");
        assert!(get(address, "/other").starts_with("HTTP/1.1 404"));
        let post = "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(body(&ask(address, post)), "hello");
        let counters = counters_of(pid);
        assert!(counters.is_some(), "the JVM's counters can be read from outside");
        running.stop().unwrap();
        assert!(TcpStream::connect(address).is_err());
        assert!(counters.is_some_and(|path| !path.exists()), "and are removed");
    }
    // Offline now: everything is in the cache.
    bench.prepare(&spec("nio"));
    let log = std::fs::read_to_string(bench.log()).unwrap();
    assert!(log.contains("Http11NioProtocol") && log.contains("Http11Nio2Protocol"), "{log}");
    assert!(log.contains("processors ") && log.contains("MarkSweepCompact"), "{log}");
    a_killed_jvm_leaves_no_counters(&bench, &keeper, &spec("nio"));
}

fn counters_of(pid: u32) -> Option<PathBuf> {
    let folders = std::fs::read_dir("/tmp").unwrap().flatten();
    let named = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with("hsperfdata_"));
    named.map(|entry| entry.path().join(pid.to_string())).find(|path| path.is_file())
}

fn a_killed_jvm_leaves_no_counters(bench: &Bench, keeper: &Keeper, spec: &SubjectSpec) {
    let running =
        bench.prepare(spec).start(keeper, &[], &bench.log(), &keeper.temp().join("killed")).unwrap();
    running.wait_ready(&Default::default()).unwrap();
    let pid = running.pid().unwrap();
    let counters = counters_of(pid).unwrap();
    let process = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    running.stop().unwrap();
    assert!(!counters.exists());
}
