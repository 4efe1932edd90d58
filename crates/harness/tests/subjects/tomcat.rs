//! The catalogue's Tomcat, fetched, built, started, asked, stopped.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};

use proofload_harness::host::jdk;
use proofload_harness::study::SubjectSpec;
use proofload_harness::subject::Keeper;
use proofload_store::schema::Variant;

use crate::Bench;
use crate::actors::{PREPARER, cast};

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
    what_cannot_be_had_is_told(&bench);
}

/// What a person sees without Maven, without a network, and when a mirror serves another file.
fn what_cannot_be_had_is_told(bench: &Bench) {
    let catalogue = bench.catalogue.root();
    let runtime = bench.directory.path().join("runtime");
    std::fs::create_dir(&runtime).unwrap();
    let home = jdk::find_all().into_iter().rfind(|jdk| jdk.major == 17 && jdk.has_compiler).unwrap().home;
    let prepare = |catalogue: &Path, cache: &Path, path: &str| {
        let args = [catalogue.to_str().unwrap(), cache.to_str().unwrap()];
        let output =
            cast(PREPARER, &args, &runtime).env("PATH", path).env("JAVA_HOME", &home).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let empty = bench.directory.path().join("empty");
    let told = prepare(catalogue, &empty, "/nonexistent");
    assert!(told.contains("`mvn` is not in PATH") && told.contains("apt install maven"), "{told}");
    assert_eq!(
        prepare(catalogue, bench.cache.root(), "/nonexistent"),
        "prepared\n",
        "what is cached needs no Maven"
    );

    // The same folder, with another digest.
    let other = bench.directory.path().join("other");
    std::fs::create_dir_all(other.join("tomcat/src")).unwrap();
    for file in ["subject.yaml", "lock", "src/TomcatSubject.java"] {
        std::fs::copy(catalogue.join("tomcat").join(file), other.join("tomcat").join(file)).unwrap();
    }
    let lock = std::fs::read_to_string(other.join("tomcat/lock")).unwrap();
    let changed = lock.replace("223d72c6", "00000000");
    assert_ne!(lock, changed);
    std::fs::write(other.join("tomcat/lock"), changed).unwrap();
    let told = prepare(&other, bench.cache.root(), &std::env::var("PATH").unwrap());
    assert!(
        told.contains("tomcat-annotations-api-9.0.110.jar") && told.contains("pinned 00000000"),
        "{told}"
    );
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
