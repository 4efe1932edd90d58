//! Figures exported while something runs: at the end they are those of the record.

use crate::support::{Reference, TWINS, command, executable, text};
use proofload_measure::LatencyHistogram;
use proofload_testkit::{ScriptStep, ScriptedPeer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A page of figures: each sample's name and labels with its value.
type Page = BTreeMap<String, f64>;

/// Asks as Prometheus would; `None` when nothing listens any more.
fn scrape(address: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    let heads = "Host: localhost\r\nX-Prometheus-Scrape-Timeout-Seconds: 1\r\n";
    write!(stream, "GET /metrics HTTP/1.1\r\n{heads}\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, page) = answer.split_once("\r\n\r\n").map(|(head, page)| (format!("{head}\r\n"), page))?;
    let length = format!("content-length: {}\r\n", page.len());
    assert!(head.starts_with("HTTP/1.1 200") && head.contains(&length), "{} bytes after {head}", page.len());
    Some(page.to_string())
}

fn page(text: &str) -> Page {
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a value");
        (name.to_string(), value.parse().expect("a number"))
    };
    samples.map(sample).collect()
}

/// Runs it and scrapes until it ends: its standard output, its standard error, and all pages.
fn scraped(mut command: Command) -> (String, String, Vec<Page>) {
    command.args(["--prometheus", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut said = BufReader::new(child.stderr.take().expect("piped"));
    let mut all = String::new();
    let address = loop {
        let mut line = String::new();
        assert!(said.read_line(&mut line).expect("text") > 0, "it never listened: {all}");
        all.push_str(&line);
        if let Some((_, rest)) = line.split_once("figures for Prometheus at http://") {
            break rest.trim_end().trim_end_matches("/metrics").to_string();
        }
    };
    let pages = std::thread::spawn(move || {
        let mut pages = Vec::new();
        while let Some(text) = scrape(&address) {
            pages.push(page(&text));
            std::thread::sleep(Duration::from_millis(50));
        }
        pages
    });
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    let output = child.wait_with_output().expect("it ends");
    let pages = pages.join().expect("pages");
    (text(&output.stdout), all + &rest, pages)
}

/// The sum of the samples of a metric that have all these labels.
fn sum(page: &Page, name: &str, labels: &[&str]) -> f64 {
    let named = page.iter().filter(|(sample, _)| {
        sample.split('{').next() == Some(name) && labels.iter().all(|label| sample.contains(label))
    });
    named.map(|(_, value)| value).sum()
}

#[test]
fn the_last_page_of_one_endpoint_is_its_result_and_no_count_ever_shrank() {
    let server = Reference::listening(&[]);
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = executable(&[&server.url(), "-d", "2500ms", "-c", "4", "--format", "json", "--dir"]);
    command.arg(dir.path());
    let (result, said, pages) = scraped(command);
    let result: Value = serde_json::from_str(&result).unwrap_or_else(|error| panic!("{error}: {said}"));
    let point = &result["points"][0];
    let last = pages.last().expect("it was scraped");
    for (outcome, count) in point["outcomes"].as_object().expect("counts") {
        let label = format!("outcome=\"{outcome}\"");
        assert_eq!(sum(last, "proofload_exchanges_total", &[&label]), count.as_f64().expect("a count"));
    }
    let of = |name: &str| sum(last, name, &[]);
    assert_eq!(of("proofload_sent_bytes_total"), point["bytes_sent"].as_f64().expect("a number"));
    assert_eq!(
        of("proofload_response_time_seconds_count"),
        point["response_time_ns"]["count"].as_f64().unwrap()
    );
    assert_eq!(of("proofload_throughput_latest"), point["throughput_per_s"].as_f64().expect("a rate"));
    let p99 = sum(last, "proofload_response_time_latest_seconds", &["percentile=\"99\""]);
    assert_eq!(p99, point["response_time_ns"]["p99"].as_f64().expect("a time") / 1e9);
    assert_eq!(sum(last, "proofload_run_state", &["state=\"finished\""]), 1.0);
    let answered = |page| sum(page, "proofload_exchanges_total", &["outcome=\"answered\""]);
    assert!(pages.iter().any(|page| answered(page) > 0.0 && answered(page) < answered(last)), "while it ran");
    never_shrank(&pages);
}

fn never_shrank(pages: &[Page]) {
    let counts = |name: &str| {
        let name = name.split('{').next().unwrap_or_default();
        ["_total", "_bucket", "_count", "_sum"].iter().any(|ending| name.ends_with(ending))
    };
    // Before the study is read no sample has its name.
    let is_named = |page: &Page| page.keys().any(|sample| sample.contains("study="));
    let unnamed = pages.iter().take_while(|page| !is_named(page)).count();
    let pages = if unnamed < pages.len() { &pages[unnamed..] } else { pages };
    for pair in pages.windows(2) {
        for (name, before) in pair[0].iter().filter(|(name, _)| counts(name)) {
            let after = pair[1].get(name);
            assert!(after.is_some_and(|after| after >= before), "{name}: {before}, then {after:?}");
        }
    }
}

/// Every line of every block of a record.
fn lines(dir: &Path) -> Vec<Value> {
    let blocks = dir.join("runs/twins/latest/blocks");
    let files = fs::read_dir(blocks).expect("blocks").map(|entry| entry.expect("readable").path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("readable");
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
        })
        .collect()
}

#[test]
fn the_last_page_of_a_study_is_the_sum_of_its_record() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("study.yaml"), TWINS).expect("writable");
    let timing = "warm-up=200ms,slice=150ms,discard=50ms,cycles=2";
    let mut command = executable(&["run", "study.yaml", "--timing", timing, "--smoke", "--no-ceiling"]);
    command.current_dir(dir.path()).env("PROOFLOAD_CACHE", dir.path().join("cache"));
    let (_, said, pages) = scraped(command);
    let last = pages.last().expect("it was scraped");
    let lines = lines(dir.path());
    assert!(lines.len() > 4, "{said}");
    let phases = ["warm-up", "measure", "perturbation", "long"];
    for (variant, phase) in ["seed=1", "seed=2"].iter().flat_map(|v| phases.map(|phase| (v, phase))) {
        let own: Vec<&Value> = lines
            .iter()
            .filter(|line| line["measured"]["variant"] == **variant && line["phase"] == phase)
            .collect();
        let labels = [format!("variant=\"{variant}\""), format!("phase=\"{phase}\"")];
        let labels = [labels[0].as_str(), labels[1].as_str()];
        let of = |name: &str| sum(last, name, &labels);
        let total = |pointer: &str| -> f64 {
            own.iter().map(|line| line.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0)).sum()
        };
        assert_eq!(of("proofload_slices_total"), own.len() as f64, "{variant} {phase}");
        assert_eq!(of("proofload_exchanges_total"), total("/measured/intended"));
        assert_eq!(of("proofload_answers_in_window_total"), total("/answered_in_window"));
        let cpu_s = of("proofload_subject_cpu_seconds_total");
        assert!((cpu_s - total("/measured/subject/cpu_ns") / 1e9).abs() < 1e-9, "{cpu_s}");
        let within = own.iter().map(|line| {
            let encoded = line["histograms"]["response_time"].as_str().expect("a histogram");
            LatencyHistogram::decode(encoded).expect("a histogram").counts_between(&[1_000_000])[0] as f64
        });
        let labels = [labels[0], labels[1], "le=\"0.001\""];
        assert_eq!(sum(last, "proofload_response_time_seconds_bucket", &labels), within.sum::<f64>());
    }
    let verdicts = sum(last, "proofload_claim_verdict", &["claim=\"alike\""]);
    assert_eq!(verdicts, 1.0, "one of three");
    never_shrank(&pages);
}

#[test]
fn a_collector_that_refuses_changes_neither_the_exit_code_nor_the_result() {
    let server = Reference::start(&[]);
    let refusal = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
    let script = vec![ScriptStep::AwaitRequest, ScriptStep::Send(refusal), ScriptStep::Close];
    let collector = ScriptedPeer::start_lasting(vec![script]).expect("a port");
    let endpoint = format!("http://{}", collector.address);
    let output = command(&[&server.url(), "-n", "500", "-c", "4", "--format", "json", "--otlp", "env"])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)
        .output()
        .expect("it runs");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("pushes to").count(), 1, "{said}");
    assert!(said.contains(&format!(" pushes to {endpoint}/v1/metrics failed")), "{said}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["points"][0]["outcomes"]["answered"], 500);
}

#[test]
fn what_cannot_be_exported_to_is_told_before_anything_starts() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    for (args, why) in [
        (["--prometheus", "nowhere"], "--prometheus: \"nowhere\" is no port and no address"),
        (["--prometheus", &port], "cannot listen on 127.0.0.1"),
        (["--otlp", "collector"], "--otlp: \"collector\" is no address of a collector"),
        (["--otlp", "env"], "OTEL_EXPORTER_OTLP_ENDPOINT is not set"),
    ] {
        let mut command = command(&["http://127.0.0.1:1/", "-d", "60s"]);
        let output = command.args(args).env_remove("OTEL_EXPORTER_OTLP_ENDPOINT").output().expect("it runs");
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{args:?}: {said}");
    }
    let collector =
        ScriptedPeer::start_lasting(vec![vec![ScriptStep::AwaitRequest, ScriptStep::Close]]).expect("a port");
    let endpoint = format!("http://{}", collector.address);
    for port in [port.as_str(), "nowhere"] {
        let args = ["http://127.0.0.1:1/", "-d", "60s", "--otlp", &endpoint, "--prometheus", port];
        let output = command(&args).output().expect("it runs");
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("--prometheus: "), "{said}");
        assert!(collector.accepted() == 0 && !said.contains("pushes to"), "nobody hears of it: {said}");
    }
}
