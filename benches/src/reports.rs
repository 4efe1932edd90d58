//! What load testers say of the same work, in their own words made into one row: how many, how long, what went wrong.

use crate::child;
use crate::clients::{Client, Load, duration_after, jmeter_plan, json, number_after, number_before};
use crate::{CLIENT_CPU, clients};
use anyhow::{Context, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What ab ends with when a connection was reset, or it ran out of descriptors, or a time-out struck: the numbers of Linux.
const AB_GIVES_UP: [i32; 4] = [0, 104, 24, 110];

/// One client's figures, as it reports them; `None` where it does not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Answered requests.
    pub requests: f64,
    /// Answered requests in a second.
    pub per_s: Option<f64>,
    /// Mean, p50, p90, p99 and maximum of the times, in milliseconds.
    pub times_ms: [Option<f64>; 5],
    /// What went wrong, in its words; empty when nothing did.
    pub errors: String,
}

/// A client's report of a load with so many seconds of ramp, where it knows ramps.
///
/// # Errors
/// When it is not here, does not end, or says nothing that can be read.
pub fn report(client: Client, load: &Load, ramp: u32) -> anyhow::Result<Told> {
    let program = client.program()?;
    let mut command = child::on_cpu(CLIENT_CPU, &program);
    let most = Duration::from_secs(u64::from(load.seconds + ramp) * 2 + 120);
    let (c, d) = (load.connections.to_string(), format!("{}s", load.seconds));
    let files = Files::new()?;
    match client {
        Client::Proofload => proofload(load, ramp, &mut command),
        Client::Ab => {
            command.args(["-q", "-c", &c, "-t", &load.seconds.to_string(), "-n", "100000000", "-s", "120"]);
            command.args(if load.keep_alive { &["-k"][..] } else { &[] }).arg(&load.url);
        }
        Client::Wrk => {
            command.args(["-t1", "--latency", "-c", &c, "-d", &d, &load.url]);
            command.args(if load.keep_alive { &[][..] } else { &["-H", "Connection: close"] });
        }
        Client::K6 => k6(load, &files.path("k6.js"), &mut command)?,
        Client::Jmeter => {
            let (plan, samples) = (files.path("plan.jmx"), files.path("samples.csv"));
            std::fs::write(&plan, jmeter_plan(load, load.seconds, ramp)?)?;
            command.args(["-n", "-t"]).arg(plan).arg("-l").arg(&samples).args(["-j", "/dev/null"]);
            command.args(["-Jjmeter.save.saveservice.connect_time=true", "-Jsummariser.interval=3600"]);
        }
        other => bail!("{} is not asked here", other.name()),
    }
    let good: &[i32] = match client {
        Client::Proofload => &clients::PROOFLOAD_ENDS,
        Client::Ab => &AB_GIVES_UP,
        // Its own thresholds.
        Client::K6 => &[0, 99],
        _ => &[0],
    };
    let ended = child::run_to(command, most, good)?;
    match client {
        Client::Proofload => of_proofload(&ended.output),
        Client::Ab => of_ab(&ended.output),
        Client::Wrk => of_wrk(&ended.output),
        Client::K6 => of_k6(&ended.output),
        _ => of_jmeter(&std::fs::read_to_string(files.path("samples.csv"))?),
    }
}

/// A folder of its own, removed when dropped.
struct Files(PathBuf);

impl Files {
    fn new() -> anyhow::Result<Files> {
        let path = std::env::temp_dir().join(format!("proofload-reports-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Files(path))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

fn proofload(load: &Load, ramp: u32, command: &mut Command) {
    let (c, d) = (load.connections.to_string(), format!("{}s", load.seconds));
    command.args([&load.url, "--workers", "1", "--format", "json", "-q"]);
    match ramp {
        0 => command.args(["-c", &c, "-d", &d]),
        ramp => {
            command.args(["--stage", &format!("ramp 0..{c} {ramp}s"), "--stage", &format!("hold {c} {d}")])
        }
    };
    command.args(["--timeout", "120s"]);
    command.args(if load.keep_alive { &[][..] } else { &["--keep-alive", "off"] });
}

fn of_proofload(output: &str) -> anyhow::Result<Told> {
    let result = json(output)?;
    let point = &result["points"][0];
    let time = |name: &str| point["response_time_ns"][name].as_f64().map(|ns| ns / 1e6);
    let outcomes = point["outcomes"].as_object().context("no outcomes")?;
    let wrong = outcomes.iter().filter(|(name, n)| *name != "answered" && n.as_u64() != Some(0));
    let wrong: Vec<String> = wrong.map(|(name, n)| format!("{n} {name}")).collect();
    Ok(Told {
        requests: outcomes["answered"].as_f64().context("no count of answers")?,
        per_s: point["throughput_per_s"].as_f64(),
        times_ms: ["mean", "p50", "p90", "p99", "max"].map(time),
        errors: wrong.join(", "),
    })
}

fn of_ab(output: &str) -> anyhow::Result<Told> {
    let Ok(requests) = number_after(output, "Complete requests:") else {
        // It gave up, and all that it has measured is lost.
        return Ok(Told { errors: "gave up; no figures".to_string(), ..Told::default() });
    };
    let served = |share: &str| number_after(output, &format!("\n  {share}%")).ok();
    let total = output.lines().find(|line| line.starts_with("Total: "));
    let total = |column: usize| total.and_then(|line| line.split_whitespace().nth(column)?.parse().ok());
    let failed = number_after(output, "Failed requests:")?;
    let others = number_after(output, "Non-2xx responses:").unwrap_or(0.0);
    let errors = [(failed, "failed"), (others, "not 2xx")];
    let errors: Vec<String> =
        errors.iter().filter(|(n, _)| *n > 0.0).map(|(n, what)| format!("{n} {what}")).collect();
    Ok(Told {
        requests: requests - failed,
        per_s: number_after(output, "Requests per second:").ok(),
        times_ms: [total(2), served("50"), served("90"), served("99"), total(5)],
        errors: errors.join(", "),
    })
}

fn of_wrk(output: &str) -> anyhow::Result<Told> {
    let time = |word: &str| duration_after(&format!(" {word}"), " ").ok().map(|seconds| seconds * 1e3);
    let line = |first: &str| output.lines().map(str::trim).find(|line| line.starts_with(first));
    let column = |at: usize| time(line("Latency  ")?.split_whitespace().nth(at)?);
    let share = |share: &str| time(line(share)?.split_whitespace().nth(1)?);
    let errors = output.lines().find_map(|line| line.trim().strip_prefix("Socket errors: "));
    let others = output.lines().find(|line| line.contains("Non-2xx"));
    Ok(Told {
        requests: number_before(output, " requests in ")?,
        per_s: number_after(output, "Requests/sec:").ok(),
        times_ms: [column(1), share("50%"), share("90%"), share("99%"), column(3)],
        errors: errors.into_iter().chain(others.map(str::trim)).collect::<Vec<_>>().join("; "),
    })
}

fn k6(load: &Load, script: &Path, command: &mut Command) -> anyhow::Result<()> {
    let text = format!(
        "import http from 'k6/http';\n\
         export const options = {{ vus: {}, duration: '{}s', discardResponseBodies: true, noConnectionReuse: {}, \
         summaryTrendStats: ['avg', 'p(50)', 'p(90)', 'p(99)', 'max'] }};\n\
         export default function () {{ http.get('{}', {{ timeout: '120s' }}); }}\n\
         export function handleSummary(data) {{ return {{ stdout: JSON.stringify(data.metrics) }}; }}\n",
        load.connections, load.seconds, !load.keep_alive, load.url
    );
    std::fs::write(script, text)?;
    command.args(["run", "--quiet", "--no-usage-report", "--no-color"]).arg(script);
    Ok(())
}

fn of_k6(output: &str) -> anyhow::Result<Told> {
    let metrics = json(output)?;
    let number = |metric: &str, value: &str| metrics[metric]["values"][value].as_f64();
    let failed = number("http_req_failed", "passes").unwrap_or(0.0);
    let all = number("http_reqs", "count").context("no count of requests")?;
    let time = |name: &str| metrics["http_req_duration"]["values"].get(name).and_then(Value::as_f64);
    Ok(Told {
        requests: all - failed,
        per_s: number("http_reqs", "rate"),
        times_ms: ["avg", "p(50)", "p(90)", "p(99)", "max"].map(time),
        errors: if failed > 0.0 { format!("{failed} failed") } else { String::new() },
    })
}

/// Of JMeter's samples, since what it prints holds no quantiles: begin, elapsed time and success of each. It goes on until the
/// last answer has come, however many seconds were asked for, so its rate is over the time from the first begin to the last end.
fn of_jmeter(samples: &str) -> anyhow::Result<Told> {
    let mut lines = samples.lines();
    let names: Vec<&str> = lines.next().context("no samples")?.split(',').collect();
    let place =
        |name: &str| names.iter().position(|other| *other == name).with_context(|| format!("no {name}"));
    let (begin, elapsed) = (place("timeStamp")?, place("elapsed")?);
    let (success, message) = (place("success")?, place("responseMessage")?);
    let (mut first_ms, mut last_ms) = (f64::INFINITY, 0.0_f64);
    let (mut times, mut wrong) = (Vec::new(), std::collections::BTreeMap::<String, u32>::new());
    for line in lines {
        let columns: Vec<&str> = line.split(',').collect();
        let number = |at: usize| columns.get(at).and_then(|text| text.parse::<f64>().ok());
        if let Some((begin, elapsed)) = number(begin).zip(number(elapsed)) {
            first_ms = first_ms.min(begin);
            last_ms = last_ms.max(begin + elapsed);
        }
        match columns.get(success) {
            Some(&"true") => times.extend(number(elapsed)),
            _ => *wrong.entry(columns.get(message).unwrap_or(&"").to_string()).or_default() += 1,
        }
    }
    times.sort_by(f64::total_cmp);
    let quantile = |q: f64| times.get(((times.len() as f64 * q).ceil() as usize).saturating_sub(1)).copied();
    let mean = (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
    let errors: Vec<String> = wrong.iter().map(|(what, n)| format!("{n} {what}")).collect();
    Ok(Told {
        requests: times.len() as f64,
        per_s: (last_ms > first_ms).then(|| times.len() as f64 * 1e3 / (last_ms - first_ms)),
        times_ms: [mean, quantile(0.5), quantile(0.9), quantile(0.99), times.last().copied()],
        errors: errors.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AB: &str = "Complete requests:      3000\nFailed requests:        2\n\
        Requests per second:    1500.25 [#/sec] (mean)\n\
        Total:         10   20   3.0     19      90\n\nPercentage of the requests served within a certain time (ms)\n  \
        50%     19\n  66%     21\n  90%     30\n  99%     60\n 100%     90 (longest request)\n";
    const WRK: &str = "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency    12.50ms   3.00ms   1.20s    91%\n  \
        Latency Distribution\n     50%   10.00ms\n     75%   12.00ms\n     90%   20.00ms\n     99%   40.00ms\n  \
        1200 requests in 10.01s, 1.0MB read\n  Socket errors: connect 0, read 3, write 0, timeout 4\nRequests/sec:    119.88\n";

    #[test]
    fn what_each_client_prints_becomes_a_row() {
        let ab = of_ab(AB).unwrap();
        assert_eq!((ab.requests, ab.per_s, ab.errors.as_str()), (2998.0, Some(1500.25), "2 failed"));
        assert_eq!(ab.times_ms, [20.0, 19.0, 30.0, 60.0, 90.0].map(Some));
        let wrk = of_wrk(WRK).unwrap();
        assert_eq!((wrk.requests, wrk.per_s), (1200.0, Some(119.88)));
        let ms: Vec<f64> = wrk.times_ms.iter().map(|ms| ms.unwrap().round()).collect();
        assert_eq!(ms, [13.0, 10.0, 20.0, 40.0, 1200.0]);
        assert_eq!(wrk.errors, "connect 0, read 3, write 0, timeout 4");
        let k6 = of_k6(
            "{\"http_reqs\":{\"values\":{\"count\":10,\"rate\":5}},\"http_req_failed\":{\"values\":{\"passes\":1}},\
             \"http_req_duration\":{\"values\":{\"avg\":1,\"p(50)\":2,\"p(90)\":3,\"p(99)\":4,\"max\":5}}}",
        )
        .unwrap();
        assert_eq!((k6.requests, k6.times_ms[3], k6.errors.as_str()), (9.0, Some(4.0), "1 failed"));
        let samples = "timeStamp,elapsed,label,responseCode,responseMessage,success\n1000,10,get,200,OK,true\n\
                       1470,30,get,200,OK,true\n1002,5,get,,Connection reset,false\n";
        let jmeter = of_jmeter(samples).unwrap();
        assert_eq!(
            (jmeter.requests, jmeter.per_s, jmeter.errors.as_str()),
            (2.0, Some(4.0), "1 Connection reset")
        );
        assert_eq!(jmeter.times_ms, [Some(20.0), Some(10.0), Some(30.0), Some(30.0), Some(30.0)]);
    }

    #[test]
    fn an_ab_that_gave_up_has_no_figures() {
        let told = of_ab("Benchmarking 127.0.0.1 (be patient)...Total of 2300 requests completed\n").unwrap();
        assert_eq!((told.per_s, told.errors.as_str()), (None, "gave up; no figures"));
    }
}
