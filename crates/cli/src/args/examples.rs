//! Three examples at the end of each help. Every line parses: a test reads them all.

pub const COMPARE: &str = "\
Examples:
  proofload compare localhost:8080 localhost:8081 -c 64
  proofload compare localhost:8080/a localhost:8081/a -r 2k/s --budget 5m
  proofload compare localhost:8080 localhost:8081 --format html -o report.html";

pub const CAPACITY: &str = "\
Examples:
  proofload capacity localhost:8080 --slo 'p99 < 50ms'
  proofload capacity localhost:8080 --slo 'p99 < 50ms, errors < 0.1%' --to 5k/s
  proofload capacity localhost:8080/api --slo 'p999 < 1s' --budget 10m";

pub const RUN: &str = "\
Examples:
  proofload run study.yaml --explain       # what it would start, and how long
  proofload run study.yaml --quick
  proofload run study.yaml --subjects-on lab1      # the servers, by your ssh";

pub const COORDINATOR: &str = "\
Examples:
  proofload coordinator study.yaml --agents 4 --listen 0.0.0.0:7600 --token-file t
  proofload coordinator study.yaml --agents 4 --listen 10.0.0.1:7600 --token-file t
  proofload coordinator study.yaml --agents 4 --listen 0.0.0.0:7600 --token-file t --quick";

pub const AGENT: &str = "\
Examples:
  proofload agent --join lab1:7600 --token-file token
  proofload agent --join lab1:7600 --token-file token --index 3
  proofload agent --join lab1:7600 --token-file token --wait 10m";

pub const REPLICATE: &str = "\
Examples:
  proofload replicate study.yaml           # six sittings, four hours apart
  proofload replicate study.yaml --sittings 4 --every 1d --blocks 3
  proofload replicate --from runs/STUDY/ID1 runs/STUDY/ID2";

pub const RESUME: &str = "\
Examples:
  proofload resume
  proofload resume runs/STUDY/latest
  proofload resume runs/STUDY/latest --anyway   # although a server has changed";

pub const RERUN: &str = "\
Examples:
  proofload rerun runs/STUDY/latest
  proofload rerun runs/STUDY/ID --dir elsewhere
  proofload rerun runs/STUDY/ID --format html -o report.html";

pub const HISTORY: &str = "\
Examples:
  proofload history
  proofload history quickstart
  proofload history quickstart --least-change 5% --format json";

pub const DIFF: &str = "\
Examples:
  proofload diff runs/STUDY/ID1 runs/STUDY/ID2
  proofload diff runs/STUDY/ID1 runs/STUDY/latest
  proofload diff runs/STUDY/ID1 runs/STUDY/latest --format json";

pub const MANIFEST: &str = "\
Examples:
  proofload manifest study.yaml --agents 20 --image registry/lab:1 > lab.yaml
  proofload manifest study.yaml --agents 20 --image lab:1 --quick
  proofload manifest study.yaml --agents 2 --image lab:1 --namespace perf";

pub const UI: &str = "\
Examples:
  proofload ui                             # prints the address to open
  proofload ui --dir measurements
  proofload ui --port 8800                 # for ssh -L 8800:127.0.0.1:8800 HOST";

pub const TUNE: &str = "\
Examples:
  proofload tune study.yaml
  proofload tune study.yaml --minimize 'p99 @ 64c' --budget 2h
  proofload tune study.yaml --maximize throughput --default connector=nio";

pub const REPORT: &str = "\
Examples:
  proofload report runs/STUDY/latest
  proofload report runs/STUDY/latest --format html -o report.html
  proofload report runs/STUDY/latest --fail 'p99 < 50ms' --format junit";

pub const CONDENSE: &str = "\
Examples:
  proofload condense runs/STUDY/latest records/study
  proofload condense runs/STUDY/ID /tmp/record
  proofload condense docs/reproductions/isolation /tmp/isolation";

pub const REPRODUCTIONS: &str = "\
Examples:
  proofload reproductions runs/STUDY/latest
  proofload reproductions docs/reproductions -o reproductions.md
  proofload reproductions runs/STUDY/ID1 runs/STUDY/ID2";

pub const SUBJECTS: &str = "\
Examples:
  proofload subjects
  proofload subjects tomcat                # its parameters
  proofload subjects start nginx";

pub const SUBJECTS_LIST: &str = "\
Examples:
  proofload subjects list
  proofload subjects list --format json
  proofload subjects list --catalogue my-subjects";

pub const SUBJECTS_SHOW: &str = "\
Examples:
  proofload subjects show tomcat
  proofload subjects show reference
  proofload subjects show nginx --format json";

pub const SUBJECTS_CHECK: &str = "\
Examples:
  proofload subjects check
  proofload subjects check tomcat --start
  proofload subjects check tomcat --start --with connector=nio2 --times 5";

pub const SUBJECTS_START: &str = "\
Examples:
  proofload subjects start reference
  proofload subjects start tomcat --with connector=nio2 --with heap=512m
  proofload subjects start nginx --offline";

pub const SUBJECTS_ADD: &str = "\
Examples:
  proofload subjects add org.eclipse.jetty:jetty-server:12.0.16 --to jetty
  proofload subjects add debian:nginx --to nginx
  proofload subjects add debian:nginx --to nginx --catalogue my-subjects";

pub const REFERENCE: &str = "\
Examples:
  proofload reference-server --port 8181
  proofload reference-server --port 8181 --service exp:2ms --servers 4
  proofload reference-server --port 8181 --stall 200ms/2s --faults status_500=1%";

pub const INIT: &str = "\
Examples:
  proofload init
  proofload init connectors.yaml --from tomcat
  proofload init release.yaml --from command";

pub const DOCTOR: &str = "\
Examples:
  proofload doctor
  proofload doctor --noise --budget 2m
  proofload doctor --ceiling -c 64";

pub const SCHEMA: &str = "\
Examples:
  proofload schema > study.schema.json
  proofload schema result
  proofload schema history";

pub const COMPLETIONS: &str = "\
Examples:
  proofload completions bash > ~/.local/share/bash-completion/completions/proofload
  proofload completions zsh > ~/.zfunc/_proofload
  proofload completions fish > ~/.config/fish/completions/proofload.fish";

pub const MAN: &str = "\
Examples:
  proofload man ~/.local/share/man/man1
  proofload man /usr/local/share/man/man1
  proofload man pages";

/// Examples without a verb.
const MEASURE: &str = "\
Examples:
  proofload localhost:8080/path -c 64 -d 30s        # closed loop: 64 connections
  proofload localhost:8080 -r 2k/s -c auto          # open loop: 2,000 requests a second
  proofload localhost:8080 -X POST --body @order.json -H 'Content-Type: application/json' --fail 'p99 < 50ms'";

/// The end of the long help.
pub fn of_all() -> String {
    format!("{MEASURE}\n\n{}", crate::exit::HELP)
}

/// `proofload -h`.
pub const SHORT: &str = "\
Proofload loads servers and says which is faster, by how much, and how sure.

Usage: proofload URL [OPTIONS]
       proofload VERB [OPTIONS]

  URL              measure a running server
  compare URL URL  which of two running servers is faster
  capacity URL     the highest rate at which an objective holds
  run STUDY        start servers, load them in turn, judge claims
  more verbs       init replicate tune resume rerun report history diff ui
                   coordinator agent manifest condense reproductions
                   subjects reference-server doctor schema completions man

  -c, --connections N   [default: 50]     -r, --rate RATE   open loop: 500, 2k/s
  -d, --duration TIME   [default: 10s]    -H, --header 'Name: value'
  -n, --requests N      instead of -d     -X, --method METHOD
      --fail 'p99 < 50ms'                 -o, --output FILE

Examples:
  proofload localhost:8080/path -c 64 -d 30s
  proofload compare localhost:8080 localhost:8081
  proofload run study.yaml
See `proofload --help` for everything, `proofload VERB -h` for one verb.
";
