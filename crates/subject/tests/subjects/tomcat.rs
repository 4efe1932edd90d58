//! The catalogue's Tomcat, fetched, built, started, loaded, stopped.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};

use proofload_host::jdk;
use proofload_store::schema::Variant;
use proofload_study::SubjectSpec;
use proofload_subject::{Keeper, Prepared};

use crate::Bench;
use crate::actors::{PREPARER, cast};

pub fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(address: SocketAddr, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
}

/// The head of an answer whose body is not text.
fn head(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut chunk = [0; 512];
    let n = stream.read(&mut chunk).unwrap();
    String::from_utf8_lossy(&chunk[..n]).into_owned()
}

pub fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

fn tomcat(with: &[(&str, &str)]) -> SubjectSpec {
    let with = with.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    SubjectSpec::Catalogue { folder: "tomcat".into(), with }
}

/// Every version with every connector that it has; those of a version share a process, each on a port of its own.
/// Tomcat 6 names its threads by no connector.
pub fn every_tomcat_serves_on_every_connector() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let newer: [&str; 2] = ["nio", "nio2"];
    let older: [&str; 3] = ["nio", "nio2", "apr"];
    for (version, connectors) in [
        ("6.0.53", &["bio", "nio"][..]),
        ("7.0.109", &["bio", "nio", "apr"]),
        ("8.5.100", &older),
        ("9.0.110", &older),
        ("10.1.56", &newer),
        ("11.0.21", &newer),
    ] {
        let specs: Vec<SubjectSpec> = connectors
            .iter()
            .map(|connector| {
                tomcat(&[
                    ("version", version),
                    ("connector", connector),
                    ("compression", "true"),
                    ("uri_encoding", "UTF-8"),
                ])
            })
            .collect();
        let say = |line: &str| println!("  {line}");
        let prepared = Prepared::prepare_shared("it", &specs, &bench.catalogue, &bench.cache, &say).unwrap();
        let log = bench.directory.path().join(version);
        let running = prepared.start(&keeper, &[], &log, &keeper.temp().join(version)).unwrap();
        running.wait_ready(&Default::default()).unwrap();
        running.answers().unwrap();
        assert_eq!(running.addresses().len(), connectors.len());
        for (address, connector) in
            running.addresses().iter().filter_map(proofload_engine::Addresses::tcp).zip(connectors)
        {
            let told = format!("Tomcat {version} {connector}");
            assert_eq!(body(&get(address, "/echo")).len(), 1024, "{told}");
            assert_eq!(body(&get(address, "/echo?t=h%C3%A4")), "hä", "{told}");
            let named = if version == "6.0.53" { "http-127".into() } else { format!("http-{connector}-127") };
            assert!(body(&get(address, "/thread")).starts_with(&named), "{told}");
            assert_eq!(body(&get(address, "/lines")).len(), 98_890, "{told}");
            assert_eq!(body(&get(address, "/test")).len(), 347, "{told}");
            assert_eq!(body(&get(address, "/value?key=k")), "value of k", "{told}");
            assert_eq!(body(&get(address, "/query")).len(), 1024, "{told}");
            let squeezed = "GET /lines HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n";
            assert!(head(address, squeezed).contains("Content-Encoding: gzip"), "{told}");
            assert!(get(address, "/other").starts_with("HTTP/1.1 404"), "{told}");
            let post =
                "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";
            assert_eq!(body(&ask(address, post)), "hello", "{told}");
        }
        running.stop().unwrap();
        let log = std::fs::read_to_string(log).unwrap();
        assert!(log.contains(&format!("Apache Tomcat/{version}")), "{log}");
        assert!(
            !connectors.contains(&"apr") || log.contains("Loaded Apache Tomcat Native library [1.2.35]"),
            "{log}"
        );
    }
}

/// An echo by events, answered when it begins and when its body has come, with connections that stay and that do not.
pub fn comet_echoes_on_every_tomcat_and_connector_that_has_it() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    for (version, connector) in [("6.0.53", "nio"), ("7.0.109", "nio"), ("7.0.109", "apr")] {
        let told = format!("Tomcat {version} {connector}");
        let spec = tomcat(&[("version", version), ("connector", connector), ("handler", "comet")]);
        let running = bench
            .prepare(&spec)
            .start(&keeper, &[], &bench.log(), &keeper.temp().join(format!("{version}{connector}")))
            .unwrap();
        running.wait_ready(&Default::default()).unwrap();
        let address = running.address().tcp().unwrap();
        for _ in 0..20 {
            assert_eq!(body(&get(address, "/echo")).len(), 1024, "{told}");
        }
        let three = "GET /echo?t=abc HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2)
            + "GET /echo?t=abc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        assert_eq!(ask(address, &three).matches("\r\n\r\nabc").count(), 3, "{told}: one connection");
        let mut stream = TcpStream::connect(address).unwrap();
        let head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello";
        stream.write_all(head.as_bytes()).unwrap();
        // The rest is another event.
        std::thread::sleep(std::time::Duration::from_millis(200));
        stream.write_all(b"world").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(body(&answer), "helloworld", "{told}");
        assert!(answer.contains("Connection: close"), "{told}: {answer}");
        running.stop().unwrap();
    }
}

/// An action answers as the servlet that it replaces, on the Tomcat of its time and on the oldest one.
pub fn struts_echoes_on_every_tomcat_that_it_is_pinned_with() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let choices: [&[(&str, &str)]; 6] = [
        &[("struts_version", "2.3.37"), ("tomcat_version", "7.0.109")],
        &[("struts_version", "2.3.37")],
        &[("struts_version", "2.5.33")],
        &[("struts_version", "6.10.0")],
        &[("struts_version", "7.1.1")],
        &[("handler", "servlet")],
    ];
    for (number, choice) in choices.into_iter().enumerate() {
        let with = choice.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let spec = SubjectSpec::Catalogue { folder: "struts2".into(), with };
        let temp = keeper.temp().join(number.to_string());
        let running = bench.prepare(&spec).start(&keeper, &[], &bench.log(), &temp).unwrap();
        running.wait_ready(&Default::default()).unwrap();
        let address = running.address().tcp().unwrap();
        assert_eq!(body(&get(address, "/echo")).len(), 1024, "{choice:?}");
        assert_eq!(body(&get(address, "/echo?t=abc")), "abc", "{choice:?}");
        let post = "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(body(&ask(address, post)), "hello", "{choice:?}");
        // The method by its name behind the action's: Struts alone understands it.
        let named = get(address, "/echo!echo?t=abc");
        assert_eq!(body(&named) == "abc", choice != [("handler", "servlet")], "{choice:?}: {named}");
        running.stop().unwrap();
    }
}

/// Only a lower bound: the other work of a JVM has no bound.
pub fn each_answer_of_a_java_server_costs_the_cpu_time_that_it_spins() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    for folder in ["tomcat", "jetty", "undertow", "netty", "spring-boot", "struts2"] {
        let with = [("spin".to_string(), "30ms".to_string())].into();
        let spec = SubjectSpec::Catalogue { folder: folder.into(), with };
        let temp = keeper.temp().join(folder);
        let running = bench.prepare(&spec).start(&keeper, &[], &bench.log(), &temp).unwrap();
        running.wait_ready(&Default::default()).unwrap();
        let (address, pid) = (running.address().tcp().unwrap(), running.pid().unwrap());
        let before = cpu_ticks(pid);
        for _ in 0..50 {
            assert_eq!(body(&get(address, "/echo")).len(), 1024, "{folder}");
        }
        let spent = cpu_ticks(pid) - before;
        assert!(spent >= 149, "{folder}: {spent} hundredths of a second for 50 answers of 30 ms");
        running.stop().unwrap();
    }
}

/// CPU time of a process, in hundredths of a second.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// One pool of two threads is used up by queries, and values wait for them; with two pools they do not.
pub fn queries_keep_values_waiting_in_one_pool_and_not_in_two() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    for (version, pools) in [("7.0.109", "one"), ("9.0.110", "one"), ("9.0.110", "two")] {
        let told = format!("Tomcat {version}, {pools}");
        let spec =
            tomcat(&[("version", version), ("pools", pools), ("pool_threads", "2"), ("query_mean", "60s")]);
        let running = bench
            .prepare(&spec)
            .start(&keeper, &[], &bench.log(), &keeper.temp().join(format!("{version}{pools}")))
            .unwrap();
        running.wait_ready(&Default::default()).unwrap();
        let address = running.address().tcp().unwrap();
        assert_eq!(body(&get(address, "/value?key=k")), "value of k", "{told}");
        // In one pool the value is served when seven of them are over.
        let queries: Vec<TcpStream> = (0..8)
            .map(|_| {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.write_all(b"GET /query HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
                stream
            })
            .collect();
        std::thread::sleep(std::time::Duration::from_millis(500));
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(2))).unwrap();
        stream.write_all(b"GET /value?key=k HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        let answered = stream.read_to_string(&mut answer).is_ok();
        assert_eq!(answered, pools == "two", "{told}: {answer}");
        // Tomcat's own threads are not the ones that wait.
        assert!(body(&get(address, "/echo")).len() == 1024, "{told}");
        drop(queries);
        running.stop().unwrap();
    }
}

/// On JDK 25, where it is installed.
pub fn virtual_threads_serve_on_both_connectors_of_every_newer_tomcat() {
    if jdk::find_all().iter().all(|jdk| jdk.major != 25 || !jdk.has_compiler) {
        println!("  skipped, because no JDK 25 is installed");
        return;
    }
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    for version in ["9.0.110", "10.1.56", "11.0.21"] {
        let with = |connector| {
            tomcat(&[
                ("version", version),
                ("connector", connector),
                ("virtual_threads", "true"),
                ("jdk", "25"),
            ])
        };
        let specs = [with("nio"), with("nio2")];
        let prepared =
            Prepared::prepare_shared("it", &specs, &bench.catalogue, &bench.cache, &|_| {}).unwrap();
        let running = prepared.start(&keeper, &[], &bench.log(), &keeper.temp().join(version)).unwrap();
        running.wait_ready(&Default::default()).unwrap();
        for address in running.addresses().iter().filter_map(proofload_engine::Addresses::tcp) {
            let thread = get(address, "/thread");
            assert!(body(&thread).contains("-virt-"), "{version}: {thread}");
        }
        running.stop().unwrap();
    }
}

/// The distribution as it is published, its three connectors in one process: home page, an example that answers much,
/// and one that counts what it is sent.
pub fn the_full_tomcat_serves_its_examples_on_every_connector_of_one_process() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let connectors = ["nio", "nio2", "apr"];
    let with = |connector: &str| {
        [
            ("connector", connector),
            ("max_threads", "16"),
            ("max_threads_nio2", "200"),
            ("accept_count", "4096"),
            ("max_connections", "22000"),
            ("connection_timeout", "1500ms"),
            ("jvm_flags", "-XX:NewRatio=3 -XX:SurvivorRatio=4"),
        ]
        .map(|(name, value)| (name.to_string(), value.to_string()))
    };
    let spec =
        |connector| SubjectSpec::Catalogue { folder: "tomcat-full".into(), with: with(connector).into() };
    let prepared =
        Prepared::prepare_shared("it", &connectors.map(spec), &bench.catalogue, &bench.cache, &|_| {})
            .unwrap();
    let mut variant = Variant::default();
    prepared.describe(&mut variant);
    assert!(variant.description.contains("16 threads (nio2 200)"), "{}", variant.description);
    assert!(variant.command.contains(&"-XX:SurvivorRatio=4".to_string()), "{:?}", variant.command);
    let temp = keeper.temp().join("it");
    let running = prepared.start(&keeper, &[], &bench.log(), &temp).unwrap();
    running.wait_ready(&Default::default()).unwrap();
    let server = std::fs::read_to_string(temp.join("conf/server.xml")).unwrap();
    assert_eq!(running.addresses().len(), 3);
    for (address, connector) in
        running.addresses().iter().filter_map(proofload_engine::Addresses::tcp).zip(connectors)
    {
        let written =
            server.split("<Connector").find(|part| part.contains(&format!("port=\"{}\"", address.port())));
        let written = written.unwrap_or_else(|| panic!("{connector}: {server}"));
        let threads = if connector == "nio2" { "maxThreads=\"200\"" } else { "maxThreads=\"16\"" };
        for part in
            [threads, "connectionTimeout=\"1500\"", "maxConnections=\"22000\"", "acceptCount=\"4096\""]
        {
            assert!(written.contains(part), "{connector}: {written}");
        }
        // The first two come in chunks.
        let page = get(address, "/");
        assert!(page.len() > 11_410 && page.contains("Apache Tomcat/9.0.104"), "{connector}: {page}");
        let numbers = get(address, "/examples/servlets/nonblocking/numberwriter");
        assert!(numbers.len() > 210_000, "{connector}: {}", numbers.len());
        let post = format!(
            "POST /examples/servlets/nonblocking/bytecounter HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
             Content-Length: 30000\r\n\r\n{}",
            "x".repeat(30_000)
        );
        let counted = ask(address, &post);
        assert!(counted.contains("Total bytes written = [30000]"), "{connector}: {counted}");
    }
    running.stop().unwrap();
    // Tomcat names a connector by its protocol and its threads: each was the one of its parameters.
    let log = std::fs::read_to_string(bench.log()).unwrap();
    for connector in connectors {
        assert!(log.contains(&format!("\"http-{connector}-127.0.0.1-")), "{connector}: {log}");
    }
    // None of the unpacked files was changed.
    Prepared::prepare_shared("it", &connectors.map(spec), &bench.catalogue, &bench.cache, &|_| {}).unwrap();
}

pub fn a_tomcat_is_described_counted_and_cleaned_up() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let spec =
        tomcat(&[("connector", "nio2"), ("keep_alive_requests", "1"), ("connection_timeout", "1500ms")]);
    let prepared = bench.prepare(&spec);
    let mut variant = Variant::default();
    prepared.describe(&mut variant);
    assert!(variant.description.contains("nio2"), "{}", variant.description);
    let running = prepared.start(&keeper, &[], &bench.log(), &keeper.temp().join("it")).unwrap();
    running.wait_ready(&Default::default()).unwrap();
    let (address, pid) = (running.address().tcp().unwrap(), running.pid().unwrap());
    let closed = ask(address, "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(closed.contains("Connection: close"), "one request on a connection: {closed}");
    let counters = counters_of(pid);
    assert!(counters.is_some(), "the JVM's counters can be read from outside");
    running.stop().unwrap();
    assert!(TcpStream::connect(address).is_err());
    assert!(counters.is_some_and(|path| !path.exists()), "and are removed");
    // Offline now: everything is in the cache.
    let cache = bench.cache.clone().offline(true);
    Prepared::prepare("it", &spec, &bench.catalogue, &cache, &|_| panic!("nothing takes long")).unwrap();
    let log = std::fs::read_to_string(bench.log()).unwrap();
    assert!(log.contains("processors ") && log.contains("MarkSweepCompact"), "{log}");
    a_killed_jvm_leaves_no_counters(&bench, &keeper, &spec);
    what_cannot_be_had_is_told(&bench);
}

/// Messages to a person without Maven, without a network, and when a mirror serves another file.
fn what_cannot_be_had_is_told(bench: &Bench) {
    let catalogue = bench.catalogue.root();
    let runtime = bench.directory.path().join("runtime");
    std::fs::create_dir(&runtime).unwrap();
    let home = jdk::find_all().into_iter().rfind(|jdk| jdk.major == 17 && jdk.has_compiler).unwrap().home;
    let prepare = |catalogue: &Path, cache: &Path, path: &str| {
        let args = [catalogue.to_str().unwrap(), cache.to_str().unwrap(), "tomcat", "connector=nio2"];
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
    for folder in ["tomcat", "tomcat/src", "java"] {
        std::fs::create_dir_all(other.join(folder)).unwrap();
        let entries = std::fs::read_dir(catalogue.join(folder)).unwrap().flatten();
        for file in entries.filter(|entry| entry.path().is_file()) {
            std::fs::copy(file.path(), other.join(folder).join(file.file_name())).unwrap();
        }
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
