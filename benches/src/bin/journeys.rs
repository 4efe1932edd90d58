//! The cost of journeys: against k6 and JMeter, against the same requests without one, and in memory.
//!
//! ```text
//! benches/peers.sh /tmp/peers && cargo build --release && cd benches
//! PEERS=/tmp/peers cargo run --release --bin journeys -- [k6|jmeter|plain|users|urls ...] [--pairs 5] [--seconds 10] [--smoke]
//! ```
//!
//! The journey: a login with a JSON body whose answer has a token and a cookie, and 25 times eight requests with both. 16 users at
//! once, each followed by another one with connections of his own; no pauses. The server is nginx.

use anyhow::{Context, bail, ensure};
use proofload_benches::child::{self, Ended};
use proofload_benches::clients::Client;
use proofload_benches::flags::Flags;
use proofload_benches::pairs::{Ratio, in_pairs, median};
use proofload_benches::series::undisturbed;
use proofload_benches::{CLIENT_CPU, SUBJECT_CPU, subject};
use serde_json::Value;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

const SERIES: [&str; 5] = ["k6", "jmeter", "plain", "users", "urls"];
const STEPS_EACH: u64 = 1 + 25 * 8;
/// Steps in a second, some: for how many journeys a round has.
const STEPS_PER_S: u64 = 120_000;
/// Exit code of Proofload when it was itself the limit.
const UNFIT: i32 = 12;
const TOKEN: &str = "eyJhbGciOiJIUzI1NiJ9.c3ViamVjdA";
const COOKIE: &str = "SID=31d4d96e407aad42";

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--pairs", "--seconds"])?;
    let pairs: usize = flags.or_smoke("--pairs", 5, 1)?;
    let seconds: u64 = flags.or_smoke("--seconds", 10, 1)?;
    ensure!((1..=50).contains(&pairs) && (1..=60).contains(&seconds), "at most 50 pairs of 60 s");
    if let Some(unknown) = flags.words.iter().find(|word| !SERIES.contains(&word.as_str())) {
        bail!("no such series: {unknown}; there are {}", SERIES.join(", "));
    }
    if flags.smoke && Command::new("nginx").arg("-v").output().is_err() {
        println!("not run: nginx is not here");
        return Ok(());
    }
    let place = Place::start()?;
    let wanted = |name: &&&str| match flags.words.is_empty() {
        // The others need clients that may not be here.
        true => !flags.smoke || !["k6", "jmeter"].contains(*name),
        false => flags.words.iter().any(|word| word == **name),
    };
    for name in SERIES.iter().filter(wanted) {
        match *name {
            // Memory does not depend on the machine's speed.
            "users" => place.users(if flags.smoke { 500 } else { 10_000 })?,
            "urls" => place.urls(if flags.smoke { 10_000 } else { 1_000_000 })?,
            _ => undisturbed(name, flags.smoke, || place.compare(name, pairs, seconds))?,
        }
    }
    Ok(())
}

/// A folder, and the server whose files are in it; both end with it.
struct Place {
    folder: PathBuf,
    port: u16,
    server: Child,
}

impl Place {
    fn start() -> anyhow::Result<Place> {
        let folder = std::env::temp_dir().join(format!("proofload-journeys-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let settings = folder.join("nginx.conf");
        fs::write(&settings, nginx(&folder, port))?;
        let mut command = child::on_cpu(SUBJECT_CPU, Path::new("nginx"));
        command.arg("-c").arg(settings);
        child::ends_with_us(&mut command);
        let place = Place { folder, port, server: command.spawn().context("taskset could not be started")? };
        for _ in 0..100 {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return Ok(place);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("nginx does not listen; benches/peers.sh installs it")
    }

    /// Proofload's journeys, in pairs with what the series names.
    fn compare(&self, name: &str, pairs: usize, seconds: u64) -> anyhow::Result<()> {
        let journeys = seconds * STEPS_PER_S / STEPS_EACH;
        let load = |count: u64| format!("load: {{ closed: {{ connections: 16, requests: {count} }} }}\n");
        let ours = || self.proofload(&format!("{}{}", journey(), load(journeys)), journeys * STEPS_EACH);
        let found = in_pairs(pairs, ours, || match name {
            "plain" => {
                let steps = journeys * STEPS_EACH;
                self.proofload(&format!("{}{}", workload(), load(steps)), steps)
            }
            "k6" => self.warm(Client::K6, seconds),
            _ => self.warm(Client::Jmeter, seconds),
        })?;
        let ratios: Vec<f64> = found.iter().map(|(ours, theirs)| ours / theirs).collect();
        let of = |side: fn(&(f64, f64)) -> f64| median(&found.iter().map(side).collect::<Vec<f64>>()) / 1e3;
        println!("CPU per step over {name}: {}", Ratio::of(&ratios));
        println!("{:.2} us per step, {name} {:.2} us", of(|pair| pair.0), of(|pair| pair.1));
        Ok(())
    }

    /// CPU time of the generator for each of so many steps, in nanoseconds.
    fn proofload(&self, study: &str, steps: u64) -> anyhow::Result<f64> {
        let (_, point) = self.run(study)?;
        let answered = point["outcomes"]["answered"].as_u64();
        ensure!(
            answered == Some(steps),
            "{answered:?} of {steps} steps were answered: {}",
            point["outcomes"]
        );
        Ok(point["generator"]["cpu_ns"].as_f64().context("no CPU time")? / steps as f64)
    }

    /// Runs the rest of a study once, on one CPU.
    fn run(&self, study: &str) -> anyhow::Result<(Ended, Value)> {
        let path = self.folder.join("study.yaml");
        let head = "study: journeys\nquestion: What does a step cost?\nclaims: { right: errors == 0 }\n";
        fs::write(
            &path,
            format!("{head}subjects: {{ server: {{ url: \"http://127.0.0.1:{}\" }} }}\n{study}", self.port),
        )?;
        let mut command = child::on_cpu(CLIENT_CPU, &subject::proofload()?);
        command.arg("run").arg(path).args(["--smoke", "--format", "json", "-q", "--dir"]).arg(&self.folder);
        let ended = child::run_to(command, Duration::from_secs(200), &[0, UNFIT])?;
        let result: Value = serde_json::from_str(&ended.output).context("the client's result")?;
        Ok((ended, result["points"][0].clone()))
    }

    /// CPU time of another client for each step, in nanoseconds: what so many seconds more cost than it takes to get warm.
    fn warm(&self, client: Client, seconds: u64) -> anyhow::Result<f64> {
        // On one CPU JMeter has compiled what it needs after a minute.
        let warm_s = if client == Client::Jmeter { 60 } else { 5 };
        let once = |seconds: u64| {
            let mut command = child::on_cpu(CLIENT_CPU, &client.program()?);
            match client {
                Client::K6 => {
                    let script = self.folder.join("journey.js");
                    fs::write(&script, k6(self.port, seconds))?;
                    command.args(["run", "--quiet", "--no-usage-report", "--no-color"]).arg(script);
                }
                _ => {
                    let plan = self.folder.join("journey.jmx");
                    fs::write(&plan, jmeter(self.port, seconds))?;
                    command.arg("-n").arg("-t").arg(plan).args(["-j", "/dev/null"]);
                }
            }
            let ended = child::run(command, Duration::from_secs(seconds + 60))?;
            let steps = client.requests(&ended.output)?;
            ensure!(steps > 100.0 && !failed(&ended.output), "{}: {}", client.name(), ended.output);
            Ok::<_, anyhow::Error>((steps, ended.cpu_ns))
        };
        let ((few, before), (many, after)) = (once(warm_s)?, once(warm_s + seconds)?);
        ensure!(many > few, "{}: no more steps in a longer run", client.name());
        Ok((after - before) / (many - few))
    }

    /// Peak memory of so many users at once, each with a cookie and five variables.
    fn users(&self, count: u64) -> anyhow::Result<()> {
        let study = format!(
            "journeys:\n  visit:\n    - login:\n        post: /login\n        body: '{{\"user\": \"ada\"}}'\n        \
             capture: {{ token: $.token, id: $.user.id, name: $.user.name, group: $.user.group, city: $.user.city }}\n    \
             - pause: 20s\n    - one: {{ get: \"/one?city=${{city}}\", auth: {{ bearer: \"${{token}}\" }} }}\n\
             load: {{ closed: {{ connections: {count}, requests: {count} }} }}\n"
        );
        let (ended, point) = self.run(&study)?;
        let answered = point["outcomes"]["answered"].as_u64();
        ensure!(answered == Some(2 * count), "{}", point["outcomes"]);
        println!("{count} users: peak {:.1} MiB", mib(&ended));
        Ok(())
    }

    /// Peak memory with that many URLs in a file, and with a thousand.
    fn urls(&self, many: usize) -> anyhow::Result<()> {
        for count in [1_000, many] {
            let file = self.folder.join("urls.txt");
            let line = |at: usize| format!("http://127.0.0.1:{}/items/{at:07}?page={}\n", self.port, at % 97);
            fs::write(&file, (0..count).map(line).collect::<String>())?;
            let mut command = child::on_cpu(CLIENT_CPU, &subject::proofload()?);
            command.arg(format!("http://127.0.0.1:{}", self.port)).arg("--urls").arg(&file).args([
                "-c",
                "16",
                "-d",
                "5s",
                "--workers",
                "1",
                "-q",
            ]);
            let ended = child::run_to(command, Duration::from_secs(100), &[0, UNFIT])?;
            println!("{count} URLs ({} bytes): peak {:.1} MiB", fs::metadata(&file)?.len(), mib(&ended));
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: the child has not been waited for, so the number is still its own; SIGTERM ends its worker, too.
        unsafe { libc::kill(self.server.id() as libc::pid_t, libc::SIGTERM) };
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn mib(ended: &Ended) -> f64 {
    ended.peak_rss_bytes as f64 / 1048576.0
}

/// True if JMeter or k6 say that a request failed.
fn failed(output: &str) -> bool {
    let of_jmeter = output.lines().rfind(|line| line.starts_with("summary ="));
    of_jmeter.is_some_and(|line| !line.contains("Err:     0 ")) || output.contains("failed: ")
}

fn nginx(folder: &Path, port: u16) -> String {
    format!(
        r#"daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 20000; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    default_type application/json;
    server {{
        listen 127.0.0.1:{port} backlog=16384;
        location = /login {{
            add_header Set-Cookie "{COOKIE}; Path=/";
            return 200 '{{"user": {{"id": 7, "name": "Ada", "group": "press", "city": "Ulm"}}, "token": "{TOKEN}"}}';
        }}
        location / {{ return 200 '{{"items": [{{"id": 1}}, {{"id": 2}}]}}'; }}
    }}
}}
"#,
        folder = folder.display()
    )
}

const LOGIN: &str = r#"{"user": "ada", "password": "lovelace"}"#;

fn journey() -> String {
    let get = |at| {
        format!(
            "        - item{at}: {{ get: /items/{at}, auth: {{ bearer: \"${{token}}\" }}, expect: {{ status: 200 }} }}\n"
        )
    };
    let gets: String = (1..=8).map(get).collect();
    format!(
        "journeys:\n  visit:\n    - login:\n        post: /login\n        headers: {{ Content-Type: application/json }}\n        \
         body: '{LOGIN}'\n        expect: {{ status: 200 }}\n        capture: {{ token: $.token }}\n    \
         - repeat:\n        times: 25\n        steps:\n{gets}"
    )
}

/// The requests of the journey, alone: what a user would have learnt is in the study.
fn workload() -> String {
    let get = |at| {
        format!(
            "  item{at}: {{ get: /items/{at}, weight: 25, headers: {{ Authorization: Bearer {TOKEN}, Cookie: {COOKIE} }}, expect: {{ status: 200 }} }}\n"
        )
    };
    let gets: String = (1..=8).map(get).collect();
    format!(
        "workload:\n  login: {{ post: /login, headers: {{ Content-Type: application/json }}, body: '{LOGIN}', expect: {{ status: 200 }} }}\n{gets}"
    )
}

/// Users that begin anew with each iteration, as those of Proofload: cookies and connections go.
fn k6(port: u16, seconds: u64) -> String {
    format!(
        r#"import http from 'k6/http';
import {{ check }} from 'k6';
export const options = {{ vus: 16, duration: '{seconds}s', noVUConnectionReuse: true, discardResponseBodies: true }};
const at = 'http://127.0.0.1:{port}';
const right = {{ 'status is 200': (answer) => answer.status === 200 }};
export default function () {{
  const login = http.post(at + '/login', '{LOGIN}', {{ headers: {{ 'Content-Type': 'application/json' }}, responseType: 'text' }});
  check(login, right);
  const params = {{ headers: {{ Authorization: 'Bearer ' + login.json('token') }} }};
  for (let pass = 0; pass < 25; pass++) {{
    for (let item = 1; item <= 8; item++) check(http.get(at + '/items/' + item, params), right);
  }}
}}
export function handleSummary(data) {{
  const failed = data.metrics.checks.values.fails;
  return {{ stdout: 'answered: ' + data.metrics.http_reqs.values.count + (failed ? ' failed: ' + failed : '') + '\n' }};
}}
"#
    )
}

fn jmeter(port: u16, seconds: u64) -> String {
    let text = |name: &str, value: &str| format!("<stringProp name=\"{name}\">{value}</stringProp>");
    let header = |name: &str, value: &str| {
        format!(
            "<HeaderManager guiclass=\"HeaderPanel\" testclass=\"HeaderManager\" testname=\"headers\"><collectionProp name=\"HeaderManager.headers\"><elementProp name=\"\" elementType=\"Header\">{}{}</elementProp></collectionProp></HeaderManager><hashTree/>",
            text("Header.name", name),
            text("Header.value", value)
        )
    };
    let request = |method: &str, path: &str, body: &str, children: &str| {
        let body = match body {
            "" => String::new(),
            body => format!(
                "<elementProp name=\"\" elementType=\"HTTPArgument\"><boolProp name=\"HTTPArgument.always_encode\">false</boolProp>{}{}</elementProp>",
                text("Argument.value", &body.replace('"', "&quot;")),
                text("Argument.metadata", "=")
            ),
        };
        format!(
            "<HTTPSamplerProxy guiclass=\"HttpTestSampleGui\" testclass=\"HTTPSamplerProxy\" testname=\"{path}\"><boolProp name=\"HTTPSampler.postBodyRaw\">{}</boolProp><elementProp name=\"HTTPsampler.Arguments\" elementType=\"Arguments\"><collectionProp name=\"Arguments.arguments\">{body}</collectionProp></elementProp>{}{}{}{}{}{}<boolProp name=\"HTTPSampler.use_keepalive\">true</boolProp></HTTPSamplerProxy><hashTree>{children}</hashTree>",
            !body.is_empty(),
            text("HTTPSampler.protocol", "http"),
            text("HTTPSampler.domain", "127.0.0.1"),
            text("HTTPSampler.port", &port.to_string()),
            text("HTTPSampler.path", path),
            text("HTTPSampler.method", method),
            text("HTTPSampler.implementation", "HttpClient4")
        )
    };
    let capture = format!(
        "<JSONPostProcessor guiclass=\"JSONPostProcessorGui\" testclass=\"JSONPostProcessor\" testname=\"token\">{}{}{}</JSONPostProcessor><hashTree/>",
        text("JSONPostProcessor.referenceNames", "token"),
        text("JSONPostProcessor.jsonPathExprs", "$.token"),
        text("JSONPostProcessor.match_numbers", "1")
    );
    let login = request("POST", "/login", LOGIN, &(header("Content-Type", "application/json") + &capture));
    let gets: String = (1..=8).map(|at| request("GET", &format!("/items/{at}"), "", "")).collect();
    let passes = |element: &str, attributes: &str, loops: i32| {
        format!(
            "<{element} {attributes} guiclass=\"LoopControlPanel\" testclass=\"LoopController\" testname=\"loop\"><boolProp name=\"LoopController.continue_forever\">false</boolProp><intProp name=\"LoopController.loops\">{loops}</intProp></{element}>"
        )
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jmeterTestPlan version=\"1.2\" properties=\"5.0\" jmeter=\"5.6.3\"><hashTree>\
         <TestPlan guiclass=\"TestPlanGui\" testclass=\"TestPlan\" testname=\"plan\"/><hashTree>\
         <ThreadGroup guiclass=\"ThreadGroupGui\" testclass=\"ThreadGroup\" testname=\"users\">{}{}{}{}{}<boolProp name=\"ThreadGroup.scheduler\">true</boolProp><boolProp name=\"ThreadGroup.same_user_on_next_iteration\">false</boolProp></ThreadGroup><hashTree>\
         <CookieManager guiclass=\"CookiePanel\" testclass=\"CookieManager\" testname=\"cookies\"><boolProp name=\"CookieManager.clearEachIteration\">true</boolProp><boolProp name=\"CookieManager.controlledByThreadGroup\">true</boolProp></CookieManager><hashTree/>\
         <ResponseAssertion guiclass=\"AssertionGui\" testclass=\"ResponseAssertion\" testname=\"status\"><collectionProp name=\"Asserion.test_strings\">{}</collectionProp>{}<intProp name=\"Assertion.test_type\">8</intProp></ResponseAssertion><hashTree/>\
         {login}{}<hashTree>{}{gets}</hashTree></hashTree></hashTree></hashTree></jmeterTestPlan>\n",
        text("ThreadGroup.on_sample_error", "continue"),
        passes("elementProp", "name=\"ThreadGroup.main_controller\" elementType=\"LoopController\"", -1),
        text("ThreadGroup.num_threads", "16"),
        text("ThreadGroup.ramp_time", "0"),
        text("ThreadGroup.duration", &seconds.to_string()),
        text("49586", "200"),
        text("Assertion.test_field", "Assertion.response_code"),
        passes("LoopController", "", 25),
        header("Authorization", "Bearer ${token}"),
    )
}
