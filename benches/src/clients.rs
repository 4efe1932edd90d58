//! The load testers that are compared: how each is asked for the same load, and the results that it reports.

use crate::child::{self, Ended};
use crate::{CLIENT_CPU, subject};
use anyhow::{Context, bail, ensure};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Exit code of Proofload when it was itself the limit, which is what is wanted here.
const UNFIT: i32 = 12;

/// A load tester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Ours.
    Proofload,
    /// No load tester: writes and reads the same bytes and looks at nothing. The floor.
    Bare,
    /// <https://github.com/wg/wrk>
    Wrk,
    /// Apache's ab.
    Ab,
    /// nghttp2's h2load, with HTTP/1.1.
    H2load,
    /// <https://github.com/rakyll/hey>
    Hey,
    /// <https://github.com/hatoo/oha>
    Oha,
    /// Grafana k6.
    K6,
    /// Apache JMeter.
    Jmeter,
    /// <https://github.com/tsenart/vegeta>
    Vegeta,
}

/// Load for a client, on one thread and one CPU.
#[derive(Clone, Debug)]
pub struct Load {
    pub url: String,
    /// Connections.
    pub connections: u32,
    pub seconds: u32,
    /// True if connections are kept.
    pub keep_alive: bool,
}

/// Result of a client.
#[derive(Clone, Copy, Debug)]
pub struct Did {
    /// Answered requests, by its own count.
    pub requests: f64,
    /// CPU nanoseconds of the whole process for each of them.
    pub cpu_ns: f64,
    /// User time among them.
    pub user_ns: f64,
    /// Requests in a second, over the time that the client reports: wrk may take a tenth of a second longer than asked.
    pub per_s: f64,
    /// Peak resident memory.
    pub peak_rss_bytes: u64,
}

impl Did {
    fn of(requests: f64, ended: &Ended, seconds: f64) -> Did {
        Did {
            requests,
            cpu_ns: ended.cpu_ns / requests,
            user_ns: ended.user_ns / requests,
            per_s: requests / seconds,
            peak_rss_bytes: ended.peak_rss_bytes,
        }
    }
}

impl Client {
    /// All peers that a table shows.
    pub const PEERS: [Client; 9] = [
        Client::Bare,
        Client::Wrk,
        Client::Ab,
        Client::H2load,
        Client::Oha,
        Client::Hey,
        Client::Vegeta,
        Client::K6,
        Client::Jmeter,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Client::Proofload => "proofload",
            Client::Bare => "bare_loop",
            Client::Wrk => "wrk",
            Client::Ab => "ab",
            Client::H2load => "h2load",
            Client::Hey => "hey",
            Client::Oha => "oha",
            Client::K6 => "k6",
            Client::Jmeter => "jmeter",
            Client::Vegeta => "vegeta",
        }
    }

    /// Path of the program: beside this one, in the folder that `PEERS` names, or on the path.
    ///
    /// # Errors
    /// If it is in none of these.
    pub fn program(self) -> anyhow::Result<PathBuf> {
        if self == Client::Proofload {
            return subject::proofload();
        }
        let beside = std::env::current_exe()?.parent().map(PathBuf::from);
        let peers = std::env::var_os("PEERS").map(|peers| PathBuf::from(peers).join("bin"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = beside.into_iter().chain(peers).chain(std::env::split_paths(&path));
        let mut programs = folders.map(|folder| folder.join(self.name()));
        programs
            .find(|program| program.is_file())
            .with_context(|| format!("{} is not here; benches/peers.sh says how to get it", self.name()))
    }

    /// Carries the load out.
    ///
    /// # Errors
    /// If it is not here, fails, takes far too long, or did not do what was asked.
    pub fn run(self, load: &Load) -> anyhow::Result<Did> {
        if self == Client::Jmeter {
            return warm_jmeter(load);
        }
        let mut command = child::on_cpu(CLIENT_CPU, &self.program()?);
        self.say(load, &mut command)?;
        let most = Duration::from_secs(u64::from(load.seconds) + 30);
        let ended = child::run_to(command, most, &[0, UNFIT])?;
        let requests = self.requests(&ended.output)?;
        ensure!(requests > 100.0, "{} did only {requests} requests: {}", self.name(), ended.output);
        let seconds = self.seconds(&ended.output)?.unwrap_or(f64::from(load.seconds));
        Ok(Did::of(requests, &ended, seconds))
    }

    /// Seconds of load that it reports; `None` of those that do not report it.
    fn seconds(self, output: &str) -> anyhow::Result<Option<f64>> {
        let seconds = match self {
            Client::Proofload => json(output)?["points"][0]["seconds"].as_f64().context("no seconds")?,
            Client::Wrk => duration_after(output, " requests in ")?,
            Client::Ab => number_after(output, "Time taken for tests:")?,
            Client::H2load => duration_after(output, "finished in ")?,
            Client::Hey => number_after(output, "Total:")?,
            Client::Oha => json(output)?["summary"]["total"].as_f64().context("no total")?,
            Client::Bare | Client::K6 | Client::Jmeter | Client::Vegeta => return Ok(None),
        };
        ensure!(seconds > 0.0, "{} says that it took {seconds} s", self.name());
        Ok(Some(seconds))
    }

    fn say(self, load: &Load, command: &mut Command) -> anyhow::Result<()> {
        let Load { url, connections: c, seconds, keep_alive } = load;
        let (c, d) = (c.to_string(), format!("{seconds}s"));
        let close = ["-H", "Connection: close"];
        match self {
            Client::Proofload => {
                command.args([url, "-c", &c, "-d", &d, "--workers", "1", "--format", "json", "-q"]);
                command.args(if url.starts_with("https") { &["--insecure"][..] } else { &[] });
                command.args(if *keep_alive { &[][..] } else { &["--keep-alive", "off"] });
            }
            Client::Bare => {
                command.args(["--url", url, "--connections", &c, "--seconds", &seconds.to_string()]);
            }
            Client::Wrk => {
                command.args(["-t1", "-c", &c, "-d", &d, url]);
                command.args(if *keep_alive { &[][..] } else { &close });
            }
            Client::Ab => {
                command.args(["-q", "-c", &c, "-t", &seconds.to_string(), "-n", "100000000"]);
                command.args(if *keep_alive { &["-k"][..] } else { &[] }).arg(url);
            }
            Client::H2load => {
                ensure!(*keep_alive, "h2load never ends when connections are closed");
                command.args(["--h1", "-t1", "-c", &c, "-D", &seconds.to_string(), url]);
            }
            Client::Hey => {
                command.args(["-c", &c, "-z", &d]);
                command.args(if *keep_alive { &[][..] } else { &["-disable-keepalive"] }).arg(url);
            }
            Client::Oha => {
                command.args(["--no-tui", "--output-format", "json", "-c", &c, "-z", &d]);
                command.args(if *keep_alive { &[][..] } else { &["--disable-keepalive"] }).arg(url);
            }
            Client::K6 => k6(load, command)?,
            Client::Vegeta => bail!("vegeta cannot be had from a package registry"),
            Client::Jmeter => bail!("JMeter is measured warm"),
        }
        Ok(())
    }

    /// Number of requests answered well that it reports.
    ///
    /// # Errors
    /// If it reports none, or failures.
    pub fn requests(self, output: &str) -> anyhow::Result<f64> {
        match self {
            Client::Proofload => {
                let result = json(output)?;
                let outcomes = result["points"][0]["outcomes"].as_object().context("no outcomes")?;
                // The other clients count nothing that is in flight at the end; anything else is a load that is not comparable.
                let others = ["answered", "unanswered"];
                let bad = outcomes
                    .iter()
                    .find(|(name, n)| !others.contains(&name.as_str()) && n.as_u64() != Some(0));
                ensure!(bad.is_none(), "outcomes: {outcomes:?}");
                outcomes["answered"].as_f64().context("no count of answers")
            }
            Client::Bare => number_before(output, " requests"),
            Client::Wrk => {
                ensure!(!output.contains("Non-2xx"), "{output}");
                number_before(output, " requests in ")
            }
            Client::Ab => {
                ensure!(number_after(output, "Failed requests:")? == 0.0, "{output}");
                number_after(output, "Complete requests:")
            }
            Client::H2load => number_before(output, " succeeded,"),
            Client::Hey => number_before(output, " responses"),
            Client::Oha => {
                let result = json(output)?;
                result["statusCodeDistribution"]["200"].as_f64().context("no count of 200s")
            }
            Client::K6 => number_after(output, "answered:"),
            Client::Jmeter => {
                let mut summaries = output.lines().filter(|line| line.starts_with("summary ="));
                let last = summaries.next_back().with_context(|| format!("no summary: {output}"))?;
                number_after(last, "summary =")
            }
            Client::Vegeta => bail!("vegeta is not run"),
        }
    }
}

/// Use of a run of Proofload, and the point of its result.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The process.
    pub ended: Ended,
    /// The one point of the result.
    pub point: serde_json::Value,
    /// Exchanges that were answered.
    pub answered: f64,
}

/// Runs Proofload on one thread with those flags besides the address and the time.
///
/// # Errors
/// If it fails, takes far too long, or hardly anything is answered.
pub fn measure(url: &str, seconds: u64, flags: &[&str]) -> anyhow::Result<Measured> {
    let mut command = child::on_cpu(CLIENT_CPU, &subject::proofload()?);
    command.args([url, "-d", &format!("{seconds}s"), "--workers", "1", "--format", "json", "-q"]).args(flags);
    let ended = child::run_to(command, Duration::from_secs(seconds + 60), &[0, UNFIT])?;
    let result: serde_json::Value = serde_json::from_str(&ended.output).context("the client's result")?;
    let point = result["points"][0].clone();
    let answered = point["outcomes"]["answered"].as_f64().context("no count of answers")?;
    ensure!(answered > 100.0, "only {answered} answers: {point}");
    Ok(Measured { ended, point, answered })
}

/// k6 with as many users as connections, each asking again when it is answered.
fn k6(load: &Load, command: &mut Command) -> anyhow::Result<()> {
    let script = std::env::temp_dir().join(format!("proofload-k6-{}.js", std::process::id()));
    let text = format!(
        "import http from 'k6/http';\n\
         export const options = {{ vus: {}, duration: '{}s', discardResponseBodies: true, noConnectionReuse: {}, \
         insecureSkipTLSVerify: true }};\n\
         export default function () {{ http.get('{}'); }}\n\
         export function handleSummary(data) {{\n\
         const m = data.metrics;\n\
         return {{ stdout: 'answered: ' + (m.http_reqs.values.count - (m.http_req_failed.values.passes || 0)) + '\\n' }};\n\
         }}\n",
        load.connections, load.seconds, !load.keep_alive, load.url
    );
    std::fs::write(&script, text)?;
    command.args(["run", "--quiet", "--no-usage-report", "--no-color"]).arg(script);
    Ok(())
}

/// JMeter spends its first seconds on starting and compiling: what counts is what seven seconds more cost.
fn warm_jmeter(load: &Load) -> anyhow::Result<Did> {
    let once = |seconds: u32| -> anyhow::Result<(f64, Ended)> {
        let mut command = child::on_cpu(CLIENT_CPU, &Client::Jmeter.program()?);
        let plan = std::env::temp_dir().join(format!("proofload-jmeter-{}.jmx", std::process::id()));
        std::fs::write(&plan, jmeter_plan(load, seconds)?)?;
        command.args(["-n", "-t"]).arg(plan).args(["-j", "/dev/null"]);
        let ended = child::run(command, Duration::from_secs(u64::from(seconds) + 60))?;
        Ok((Client::Jmeter.requests(&ended.output)?, ended))
    };
    let (short, long) = (load.seconds, load.seconds + 7);
    let ((few, before), (many, mut after)) = (once(short)?, once(long)?);
    ensure!(many > few, "{long} s of JMeter did {many} requests, {short} s did {few}");
    after.cpu_ns -= before.cpu_ns;
    after.user_ns -= before.user_ns;
    Ok(Did::of(many - few, &after, 7.0))
}

/// A plan of JMeter: as many users as connections.
fn jmeter_plan(load: &Load, seconds: u32) -> anyhow::Result<String> {
    let (scheme, rest) = load.url.split_once("://").context("no scheme")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (host, port) = authority.split_once(':').context("no port")?;
    let plan = include_str!("jmeter.xml");
    let values = [
        ("{users}", load.connections.to_string()),
        ("{ramp}", "0".to_owned()),
        ("{path}", format!("/{path}")),
        ("{seconds}", seconds.to_string()),
        ("{scheme}", scheme.to_owned()),
        ("{host}", host.to_owned()),
        ("{port}", port.to_owned()),
        ("{keep_alive}", load.keep_alive.to_string()),
    ];
    Ok(values.iter().fold(plan.to_owned(), |plan, (name, value)| plan.replace(name, value)))
}

fn json(output: &str) -> anyhow::Result<serde_json::Value> {
    serde_json::from_str(output).context("no JSON")
}

/// `1.10s`, `985.21ms` or `1.50m` after those words, in seconds.
fn duration_after(text: &str, words: &str) -> anyhow::Result<f64> {
    let after = text.split(words).nth(1).with_context(|| format!("no time after {words:?}: {text}"))?;
    let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
    let number: f64 = after[..end].parse().with_context(|| format!("no time after {words:?}: {text}"))?;
    let units = [("ms", 1e-3), ("us", 1e-6), ("s", 1.0), ("m", 60.0)];
    let unit = units.iter().find(|(unit, _)| after[end..].starts_with(unit));
    let (_, scale) = unit.with_context(|| format!("no unit of the time after {words:?}: {text}"))?;
    Ok(number * scale)
}

fn number_before(text: &str, words: &str) -> anyhow::Result<f64> {
    let before = text.split(words).next().filter(|before| before.len() < text.len());
    let word = before.and_then(|before| before.split_whitespace().last());
    word.and_then(|word| word.parse().ok()).with_context(|| format!("no number before {words:?}: {text}"))
}

fn number_after(text: &str, words: &str) -> anyhow::Result<f64> {
    let word = text.split(words).nth(1).and_then(|after| after.split_whitespace().next());
    word.and_then(|word| word.parse().ok()).with_context(|| format!("no number after {words:?}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_peers_print_is_read() {
        let said = [
            (Client::Wrk, "  1234 requests in 1.00s, 1.2MB read\nRequests/sec: 1.0", 1234.0),
            (Client::Ab, "Complete requests:      77\nFailed requests:        0\n", 77.0),
            (Client::H2load, "requests: 9 total, 9 started, 9 done, 8 succeeded, 0 failed", 8.0),
            (Client::Hey, "Status code distribution:\n  [200]\t4321 responses\n", 4321.0),
            (Client::Oha, "{\"statusCodeDistribution\": {\"200\": 5}}", 5.0),
            (Client::K6, "answered: 12\n", 12.0),
            (Client::Jmeter, "summary +  5 in 1s\nsummary =     10 in 00:00:03 = 3.3/s\n", 10.0),
            (Client::Bare, "99 requests of 100 bytes\n", 99.0),
            (
                Client::Proofload,
                r#"{"points":[{"outcomes":{"answered":6,"unanswered":2,"timeout":0}}]}"#,
                6.0,
            ),
        ];
        for (client, output, requests) in said {
            assert_eq!(client.requests(output).unwrap(), requests, "{client:?}");
        }
        let took = [
            (Client::Wrk, "  1234 requests in 1.10s, 1.2MB read", 1.1),
            (Client::Wrk, "  1234 requests in 985.21ms, 1.2MB read", 0.98521),
            (Client::Wrk, "  1234 requests in 1.50m, 1.2MB read", 90.0),
            (Client::Ab, "Time taken for tests:   1.004 seconds\n", 1.004),
            (Client::H2load, "finished in 1.00s, 132582.00 req/s", 1.0),
            (Client::Hey, "  Total:\t1.0006 secs\n", 1.0006),
            (Client::Oha, "{\"summary\": {\"total\": 1.003}}", 1.003),
            (Client::Proofload, r#"{"points":[{"seconds":0.99}]}"#, 0.99),
        ];
        for (client, output, seconds) in took {
            assert!((client.seconds(output).unwrap().unwrap() - seconds).abs() < 1e-9, "{client:?}");
        }
        assert!(Client::Wrk.seconds("requests").is_err() && Client::Wrk.seconds("1 requests in 5h").is_err());
        assert!(Client::Ab.requests("Complete requests: 7\nFailed requests: 1\n").is_err());
        assert!(Client::Wrk.requests("1 requests in 1s\nNon-2xx or 3xx responses: 1").is_err());
        assert!(
            Client::Proofload.requests(r#"{"points":[{"outcomes":{"answered":6,"timeout":1}}]}"#).is_err()
        );
    }
}
