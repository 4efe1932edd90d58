//! Files for other programs, read by those: Parquet by DuckDB and pyarrow, percentiles by HdrHistogram's own tools, JTL by
//! JMeter's report generator. Every count must be the record's.

mod compare;

use crate::tools::{LOCK_FILE, run_command, scratch, target_folder};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Packages that pip installs.
const PACKAGES: [&str; 2] = ["duckdb==2.0.1", "pyarrow==26.0.1"];
/// Packages that Maven fetches.
const POM: &str = include_str!("readers/pom.xml");
const READ_PARQUET: &str = include_str!("readers/parquet.py");

/// Two variants, two streams, two loads: several files of percentiles, several labels, and names that have to be escaped.
const STUDY: &str = "study: readers
question: Do other programs read what was measured?
subjects: { server: { use: reference, vary: { service: [\"const:1ms\", \"exp:2ms\"] } } }
streams:
  closed: { workload: { page: { get: / } }, load: { closed: { connections: [2, 6] } } }
  open: { workload: { page: { get: / } }, load: { open: { rate: 200/s, connections: 8 } } }
claims:
  - no errors: errors(const:1ms) == 0
";
const TIMING: &str = "warm-up=500ms,slice=1s,discard=100ms,cycles=2";
/// Faults: refusals, and some answers that never come.
const FAULTS: &str = "status_500=1%,silence=0.1%";
/// Lines that JMeter's percentiles rest on: all.
const JMETER_WINDOW: &str = "-Jjmeter.reportgenerator.statistic_window=1000000";

/// The task.
pub fn run(root: &Path) -> anyhow::Result<()> {
    let place = scratch("readers")?;
    let records = records(root, &place)?;
    let (python, java) = (python(root)?, java(root)?);
    for record in &records {
        record.parquet(&python)?;
        record.hgrm(&java)?;
        record.jtl(&java)?;
    }
    fs::remove_dir_all(&place)?;
    Ok(())
}

/// A record in each format, in files of one name.
struct Record {
    folder: PathBuf,
    name: &'static str,
}

fn records(root: &Path, place: &Path) -> anyhow::Result<[Record; 2]> {
    let study = place.join("study.yaml");
    fs::write(&study, STUDY)?;
    let mut run = proofload(root);
    run.arg("run")
        .arg(&study)
        .args(["--smoke", "--no-ceiling", "--timing", TIMING, "-q", "--dir"])
        .arg(place);
    // The exit code is that of the claims.
    run.stdout(Stdio::null()).status().context("the executable is not built")?;
    let study = Record::of(root, place, "study", &place.join("runs/readers/latest"))?;
    Ok([measured(root, place)?, study])
}

/// One measurement of a server with faults.
fn measured(root: &Path, place: &Path) -> anyhow::Result<Record> {
    let server = Server::start(root)?;
    let mut run = proofload(root);
    run.args([&server.url, "-c", "8", "-d", "2s", "--timeout", "300ms", "--no-ceiling", "-q", "--dir"])
        .arg(place);
    run.stdout(Stdio::null()).status().context("the executable is not built")?;
    Record::of(root, place, "measured", &place.join("runs/url/latest"))
}

fn proofload(root: &Path) -> Command {
    let mut command = Command::new(target_folder(root).join("debug/proofload"));
    // What others measure meanwhile changes times, which are compared with themselves.
    let lock = target_folder(root).join("readers.lock");
    command.current_dir(root).stdin(Stdio::null()).env(LOCK_FILE, lock);
    command
}

/// The reference server, while it is kept.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(root: &Path) -> anyhow::Result<Server> {
        let mut command = proofload(root);
        command.args(["reference-server", "--service", "exp:2ms", "--faults", FAULTS]).stdout(Stdio::piped());
        let mut process = command.spawn().context("the executable is not built")?;
        let mut said = String::new();
        BufReader::new(process.stdout.take().context("a pipe")?).read_line(&mut said)?;
        let url = said.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.with_context(|| format!("no address in {said:?}"))?.to_string();
        Ok(Server { process, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.process.kill().and_then(|()| self.process.wait());
    }
}

impl Record {
    fn of(root: &Path, place: &Path, name: &'static str, run: &Path) -> anyhow::Result<Record> {
        let record = Record { folder: place.to_path_buf(), name };
        let mut report = proofload(root);
        report.arg("report").arg(run).arg("-q");
        for ending in ["json", "hlog", "hgrm", "parquet", "jtl"] {
            report.arg("-o").arg(record.path(ending));
        }
        report.status()?;
        let mut series = proofload(root);
        series
            .arg("report")
            .arg(run)
            .args(["-q", "--format", "csv-series", "-o"])
            .arg(record.path("csv"))
            .status()?;
        Ok(record)
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    fn text(&self, ending: &str) -> anyhow::Result<String> {
        let path = self.path(ending);
        fs::read_to_string(&path).with_context(|| format!("{}", path.display()))
    }

    fn result(&self) -> anyhow::Result<Value> {
        Ok(serde_json::from_str(&self.text("json")?)?)
    }

    fn parquet(&self, python: &Path) -> anyhow::Result<()> {
        let mut read = Command::new(python);
        let output =
            read.args(["-c", READ_PARQUET]).arg(self.path("parquet")).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "{}: Parquet was not read", self.name);
        let output = String::from_utf8(output.stdout)?;
        let (series, sums) = output.trim_end().rsplit_once('\n').context("no series")?;
        let ours = self.text("csv")?;
        let rows = compare::lines(ours.lines().skip(1), series.lines())?;
        let totals = compare::totals(&self.result()?, &serde_json::from_str(sums)?)?;
        println!(
            "{}: DuckDB and pyarrow read {rows} values of series and {totals} totals of Parquet",
            self.name
        );
        Ok(())
    }

    /// Each distribution beside the one that HdrHistogram makes of the histogram log.
    fn hgrm(&self, java: &Path) -> anyhow::Result<()> {
        let result = self.result()?;
        let points = compare::points(&result)?;
        for point in &points {
            let label = compare::label(point);
            let name = match points.len() {
                1 => self.name.to_string(),
                _ => format!("{}-{}", self.name, compare::file_name(point)),
            };
            let ours = self.folder.join(format!("{name}.hgrm"));
            let ours = fs::read_to_string(&ours).with_context(|| format!("{}", ours.display()))?;
            let out = self.folder.join("theirs");
            let mut processor = Command::new("java");
            processor.arg("-cp").arg(java.join("lib/*")).arg("org.HdrHistogram.HistogramLogProcessor");
            processor.args(["-tag", &label, "-i"]).arg(self.path("hlog")).arg("-o").arg(&out);
            run_command(&mut processor)?;
            let theirs = fs::read_to_string(out.with_extension("hgrm"))?;
            // What it was made of, and what HdrHistogram does not know of.
            let is_common = |line: &&str| {
                !["#[Overall", "#[StartTime", "#[Without"].iter().any(|begin| line.starts_with(begin))
            };
            let lines = compare::lines(ours.lines().filter(is_common), theirs.lines().filter(is_common))?;
            println!("{}: {lines} lines of percentiles of {label} are those of HdrHistogram", self.name);
        }
        Ok(())
    }

    fn jtl(&self, java: &Path) -> anyhow::Result<()> {
        let report = self.folder.join(format!("{}-jmeter", self.name));
        let mut jmeter = Command::new("java");
        jmeter.arg(format!("-Djava.util.prefs.userRoot={}", java.display()));
        jmeter.arg("-jar").arg(java.join("bin/ApacheJMeter.jar")).arg("-g").arg(self.path("jtl"));
        jmeter.arg("-o").arg(&report).arg("-j").arg(self.folder.join("jmeter.log")).arg(JMETER_WINDOW);
        let output = jmeter.output().context("java")?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "JMeter made no report:\n{said}");
        let statistics =
            fs::read_to_string(report.join("statistics.json")).with_context(|| format!("{said}"))?;
        let labels =
            compare::statistics(&self.result()?, &self.text("jtl")?, &serde_json::from_str(&statistics)?)?;
        println!("{}: JMeter's report has the counts and times of {labels} labels", self.name);
        Ok(())
    }
}

/// A folder of these tools, made anew where something else than that is in it.
fn installed(
    root: &Path,
    name: &str,
    what: &str,
    install: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<PathBuf> {
    let folder = target_folder(root).join("readers").join(name);
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|there| there == what) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    install(&folder)?;
    fs::write(stamp, what)?;
    Ok(folder)
}

/// Python with the packages.
fn python(root: &Path) -> anyhow::Result<PathBuf> {
    let folder = installed(root, "python", &PACKAGES.join(" "), |folder| {
        // Debian has the module that makes these apart from Python.
        run_command(Command::new("python3").args(["-m", "venv"]).arg(folder))
            .context("on Debian install python3-venv")?;
        run_command(Command::new(folder.join("bin/pip")).args(["install", "-q"]).args(PACKAGES))
    })?;
    Ok(folder.join("bin/python"))
}

/// JMeter as its own launcher starts it, its settings beside it and its parts on the class path, and HdrHistogram.
fn java(root: &Path) -> anyhow::Result<PathBuf> {
    installed(root, "java", POM, |folder| {
        fs::write(folder.join("pom.xml"), POM)?;
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"]).current_dir(folder);
        run_command(&mut maven)?;
        let (lib, bin, parts) = (folder.join("lib"), folder.join("bin"), folder.join("lib/ext"));
        [&bin, &parts].into_iter().try_for_each(fs::create_dir)?;
        for jar in fs::read_dir(&lib)?.flatten() {
            let name = jar.file_name().to_string_lossy().into_owned();
            if name.starts_with("ApacheJMeter_config-") {
                run_command(Command::new("jar").arg("xf").arg(jar.path()).arg("bin").current_dir(folder))?;
            }
            if name.starts_with("ApacheJMeter_") {
                fs::rename(jar.path(), parts.join(&name))?;
            } else if name.starts_with("ApacheJMeter-") {
                fs::rename(jar.path(), bin.join("ApacheJMeter.jar"))?;
            }
        }
        Ok(())
    })
}
