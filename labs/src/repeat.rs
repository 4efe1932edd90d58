//! The gate's tests again and again beside a loop that takes a share of all CPUs: none may fail.

use crate::tests::nextest;
use anyhow::{Context, bail, ensure};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Runs when nothing else is asked for.
const TIMES: u32 = 200;
/// Share of each CPU that the loop takes when nothing else is asked for.
const BUSY: f64 = 0.5;
/// The loop works and rests within this time.
const PERIOD: Duration = Duration::from_millis(50);

/// The task. `--times N`, `--busy SHARE`; other words choose the tests whose title holds one of them.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let (mut times, mut busy, mut words) = (TIMES, BUSY, Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{arg}: has no value"));
        match arg.as_str() {
            "--times" => times = value()?.parse().context("--times")?,
            "--busy" => busy = value()?.parse().context("--busy")?,
            flag if flag.starts_with('-') => bail!("{flag}: is neither --times nor --busy"),
            word => words.push(word.to_string()),
        }
    }
    ensure!(times > 0, "--times 0: runs nothing");
    ensure!((0.0..1.0).contains(&busy), "--busy {busy}: write a share from 0 to below 1");
    nextest(root, &["--workspace", "--no-run"])?;
    let words = words.iter().map(String::as_str);
    let tests: Vec<&str> = ["--workspace", "--no-fail-fast"].into_iter().chain(words).collect();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| load(busy, &stop));
        }
        // All are run whatever fails: the number of failures tells more than a single one.
        let mut failed = 0;
        for time in 1..=times {
            println!("\n== run {time} of {times}, {failed} of them failed so far");
            failed += u32::from(nextest(root, &tests).is_err());
        }
        stop.store(true, Ordering::Relaxed);
        ensure!(failed == 0, "{failed} of {times} runs failed; each names its tests above");
        println!("{times} runs, none failed");
        Ok(())
    })
}

/// Takes a share of a CPU until it is stopped.
fn load(share: f64, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        while begun.elapsed() < PERIOD.mul_f64(share) {
            std::hint::spin_loop();
        }
        thread::sleep(PERIOD.mul_f64(1.0 - share));
    }
}
