//! Kills a live study at random moments, again and again, and lets it go on: nothing may stay behind, the record
//! must be readable after each kill, and the verdict at the end must be the one that the record yields.

use crate::processes;
use crate::tools;
use anyhow::{Context, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Kills when nothing else is asked for.
const COUNT: u32 = 100;

/// Kills of one run before it may end by itself.
const KILLS_OF_A_RUN: u32 = 6;

/// Latest moment of a kill after the start: two blocks of the short study.
const SPAN_MS: u64 = 3_500;

/// Time limit for the end of a process that was started.
const END_WITHIN: Duration = Duration::from_secs(20);

/// Two servers that are asked for little, so that ten kills cost little, and a claim that the first look settles.
const STUDY: &str = "study: kills
question: Is a record whole whatever ended its run?
subjects: { server: { use: reference, vary: { service: [\"const:1ms\", \"const:2ms\"] } } }
workload: { page: { get: / } }
load: { open: { rate: 200/s, connections: 4 } }
claims:
  - no errors: errors(const:1ms) == 0
";

/// Lengths with which a block takes under two seconds.
const LENGTHS: [&str; 5] =
    ["--quick", "--no-ceiling", "--budget=60m", "--timing", "warm-up=100ms,slice=50ms,discard=10ms,cycles=2"];

/// The task: builds the executable, and kills. `--count N` and `--seed N`.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    tools::cargo(root, &tools::AS_TESTED, &[])?;
    kill(root, args)
}

/// The same of the executable that is there.
pub fn kill(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let (mut count, mut seed) = (COUNT, 2_026);
    for pair in args.chunks(2) {
        let [name, value] = pair else { bail!("{}: has no value", pair[0]) };
        match name.as_str() {
            "--count" => count = value.parse().with_context(|| format!("--count {value}"))?,
            "--seed" => seed = value.parse().with_context(|| format!("--seed {value}"))?,
            _ => bail!("{name}: is neither --count nor --seed"),
        }
    }
    let mut session = Session::begin(root, seed)?;
    let ended = session.kill_all(count);
    match ended {
        // What failed is left to be looked at.
        Ok(()) => fs::remove_dir_all(&session.place).context("the temporary directory cannot be removed")?,
        Err(error) => bail!("seed {seed}, in {}: {error:#}", session.place.display()),
    }
    println!(
        "kills: {count}, of {} runs; {} killed before there was a record; {} resumes; {} cut blocks; all verdicts are \
         those of their records",
        session.finished, session.early, session.resumes, session.cut
    );
    Ok(())
}

struct Session {
    root: PathBuf,
    executable: PathBuf,
    place: PathBuf,
    random: u64,
    runs: u32,
    finished: u32,
    early: u32,
    resumes: u32,
    cut: usize,
}

impl Session {
    fn begin(root: &Path, seed: u64) -> anyhow::Result<Session> {
        let place = tools::scratch("kills")?;
        fs::create_dir(place.join("temp"))?;
        fs::write(place.join("study.yaml"), STUDY)?;
        Ok(Session {
            root: root.to_path_buf(),
            executable: tools::target_folder(root).join("debug/proofload"),
            place,
            random: seed,
            runs: 0,
            finished: 0,
            early: 0,
            resumes: 0,
            cut: 0,
        })
    }

    fn kill_all(&mut self, count: u32) -> anyhow::Result<()> {
        let (mut kills, mut of_this_run) = (0, 0);
        self.runs = 1;
        while kills < count {
            let at = Duration::from_millis(self.next() % SPAN_MS);
            let told = format!("kill {}, {} ms after the start", kills + 1, at.as_millis());
            let mut child = self.start()?;
            if of_this_run < KILLS_OF_A_RUN {
                std::thread::sleep(at);
                if child.try_wait()?.is_none() {
                    child.kill().context("cannot be killed")?;
                    kills += 1;
                    of_this_run += 1;
                }
            }
            let output = child.wait_with_output()?;
            self.nothing_left().with_context(|| told.clone())?;
            if output.status.code().is_some() {
                self.verdict(&output).with_context(|| told.clone())?;
                self.runs += 1;
                of_this_run = 0;
            } else {
                self.readable().with_context(|| told.clone())?;
            }
        }
        if of_this_run > 0 {
            let output = self.start()?.wait_with_output()?;
            self.nothing_left()?;
            self.verdict(&output)?;
        }
        Ok(())
    }

    fn next(&mut self) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }

    fn dir(&self) -> PathBuf {
        self.place.join(format!("run-{}", self.runs))
    }

    /// The record of this run, if it had come so far.
    fn record(&self) -> Option<PathBuf> {
        let runs = fs::read_dir(self.dir().join("runs/kills")).ok()?;
        let mut found = runs.flatten().map(|entry| entry.path());
        found.find(|path| path.join("plan.json").is_file() && !path.is_symlink())
    }

    /// Begins the run, or goes on with it.
    fn start(&mut self) -> anyhow::Result<Child> {
        let mut command = Command::new(&self.executable);
        match self.record() {
            Some(record) => {
                self.resumes += 1;
                command.arg("resume").arg(record);
            }
            None => {
                command
                    .arg("run")
                    .arg(self.place.join("study.yaml"))
                    .args(LENGTHS)
                    .arg("--dir")
                    .arg(self.dir());
            }
        }
        command.args(["-q", "--format", "json"]).current_dir(&self.root);
        let temp = self.place.join("temp");
        command.env("TMPDIR", &temp).env("XDG_RUNTIME_DIR", &temp);
        command.env(tools::LOCK_FILE, self.place.join("measuring.lock"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().with_context(|| format!("{}", self.executable.display()))
    }

    /// No process, and so no port; no temporary file.
    fn nothing_left(&self) -> anyhow::Result<()> {
        let temp = self.place.join("temp");
        let deadline = Instant::now() + END_WITHIN;
        loop {
            let processes = processes::marked(&temp.display().to_string())?;
            let files = fs::read_dir(&temp)?.flatten().count();
            if processes.is_empty() && files == 0 {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!("left after {END_WITHIN:?}: processes {processes:?}, {files} temporary files");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn report(&self, record: &Path) -> anyhow::Result<Output> {
        let mut command = Command::new(&self.executable);
        command.arg("report").arg(record).args(["--format", "json"]).current_dir(&self.root);
        let output = command.output()?;
        let readable = matches!(output.status.code(), Some(0 | 10..=13));
        ensure!(readable, "the record cannot be read: {}", String::from_utf8_lossy(&output.stderr));
        Ok(output)
    }

    fn readable(&mut self) -> anyhow::Result<()> {
        match self.record() {
            Some(record) => self.report(&record).map(|_| ()),
            None => {
                self.early += 1;
                Ok(())
            }
        }
    }

    /// The output of the run at its end agrees with its record.
    fn verdict(&mut self, said: &Output) -> anyhow::Result<()> {
        let record = self.record().context("a run ended and left no record")?;
        let told = String::from_utf8_lossy(&said.stderr);
        ensure!(matches!(said.status.code(), Some(0 | 10..=13)), "it ended with {}: {told}", said.status);
        let recomputed = self.report(&record)?;
        ensure!(recomputed.status == said.status, "exit {} and {}", said.status, recomputed.status);
        ensure!(recomputed.stdout == said.stdout, "the verdict is not that of the record");
        let blocks = fs::read_dir(record.join("blocks"))?.flatten();
        let partial = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().contains(".partial.");
        self.cut += blocks.filter(partial).count();
        self.finished += 1;
        fs::remove_dir_all(self.dir())?;
        Ok(())
    }
}
