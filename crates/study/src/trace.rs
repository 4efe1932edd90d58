//! Recorded arrivals: a file with a time on each line, read whole before anything starts.

use super::field::Field;
use super::keys::{Kind, WORD, keys, kinds};
use super::problem::shown;
use super::quantity::{self, DURATION};
use data_encoding::HEXLOWER;
use proofload_engine::Trace;
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::Read;
use std::path::Path;

/// Largest file that is read.
const FILE_MAX: u64 = 512 * 1024 * 1024;

/// Most arrivals of a trace.
const ARRIVALS_MAX: usize = 20_000_000;

/// Most bad lines that are reported.
const TOLD_MAX: usize = 20;

/// Longest trace, all rounds together.
const LENGTH_MAX_NS: u64 = 7 * 86_400 * 1_000_000_000;

/// Most rounds.
const ROUNDS_MAX: u64 = 1_000_000;

/// How long a round of a single arrival is.
const LONE_NS: u64 = 1_000_000_000;

keys! {
    /// Recorded arrivals, and how they are played.
    PLAYED {
        /// The file, in the folder of the study or below.
        required file: WORD,
        /// How many times as fast; 1x without.
        optional speed: SPEED,
        /// How often; once without.
        optional repeat: Kind::Integer(1, ROUNDS_MAX),
        /// How much of it; all without.
        optional for: DURATION,
    }
}

kinds! {
    /// Recorded arrivals: a file in the folder of the study, with a time in seconds on each line.
    TRACE = Kind::Either(&[&WORD, &Kind::Map(&[&PLAYED])]);
    /// `2x`, `0.5`.
    SPEED = Kind::Either(&[
        &Kind::Number(r#"{"type": "number"}"#),
        &Kind::Text(r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*x\s*$"),
    ]);
}

/// A trace with where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The file, as it was named.
    pub file: String,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// How many times as fast as it was recorded it is played.
    pub speed: f64,
    /// Arrivals that stood at or behind the one after them once times were rounded; each was moved on to the
    /// nanosecond behind the one before it.
    pub moved: u64,
    /// The arrivals.
    pub trace: Trace,
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recorded { file, sha256, speed, moved, trace } = self;
        let each = trace.offsets_ns.len();
        let round_s = trace.round_ns as f64 / 1e9;
        write!(
            f,
            "trace {file} (sha256 {sha256}), {each} arrivals in {round_s} s at {speed} times its speed"
        )?;
        match trace.rounds {
            1 => {}
            rounds => write!(f, ", {rounds} rounds")?,
        }
        match moved {
            0 => Ok(()),
            moved => write!(f, ", {moved} of them at the same instant as another and moved on by 1 ns"),
        }
    }
}

/// Reads a trace: on each line the seconds since any instant, as a decimal number that does not fall, perhaps with
/// more columns behind a comma. Times count from the first line. Empty lines and those that begin with `#` are passed
/// over.
///
/// # Errors
/// What is wrong with the file, or with up to 20 of its lines, each with its number.
pub fn read_trace(path: &Path, name: &str, speed: f64, rounds: u32) -> Result<Recorded, String> {
    let cannot =
        |error: std::io::Error| format!("{name} cannot be read: {error}; check the path and its permissions");
    let file = std::fs::File::open(path).map_err(cannot)?;
    if !file.metadata().map_err(cannot)?.is_file() {
        return Err(format!("{name} is not a file; name a file"));
    }
    let mut bytes = Vec::new();
    file.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(format!("{name} is larger than 512 MiB; use a shorter trace"));
    }
    let sha256 = HEXLOWER.encode(&Sha256::digest(&bytes));
    let times_ns = parse(&bytes, name)?;
    let (offsets_ns, moved) = offsets(&times_ns, speed);
    let last_ns = offsets_ns.last().copied().unwrap_or(0);
    // The next round begins a mean gap behind the last arrival, so that the rate goes on.
    let gap_ns = last_ns.checked_div(offsets_ns.len() as u64 - 1).unwrap_or(LONE_NS).max(1);
    let trace = Trace { offsets_ns: offsets_ns.into(), round_ns: last_ns.saturating_add(gap_ns), rounds };
    if trace.length_ns() > LENGTH_MAX_NS {
        return Err(format!("{name} takes longer than a week; play it faster, or fewer times"));
    }
    Ok(Recorded { file: name.to_string(), sha256, speed, moved, trace })
}

/// The time of each line in nanoseconds.
fn parse(bytes: &[u8], name: &str) -> Result<Vec<u64>, String> {
    let mut times_ns: Vec<u64> = Vec::new();
    let mut bad = Vec::new();
    for (number, line) in (1u64..).zip(bytes.split(|byte| *byte == b'\n')) {
        let first = line.split(|byte| *byte == b',').next().unwrap_or_default().trim_ascii();
        if first.starts_with(b"#") || line.trim_ascii().is_empty() {
            continue;
        }
        match nanoseconds(first) {
            Some(ns) if times_ns.last().is_some_and(|before| *before > ns) => {
                bad.push(format!("{name}:{number}: is before the line above it"));
            }
            Some(ns) => times_ns.push(ns),
            None => {
                let text = String::from_utf8_lossy(&first[..first.len().min(40)]).into_owned();
                bad.push(format!(
                    "{name}:{number}: {} is not a time in seconds such as 12.345",
                    shown(&text)
                ));
            }
        }
        if times_ns.len() > ARRIVALS_MAX {
            return Err(format!("{name} has more than 20 million arrivals; use a shorter trace"));
        }
    }
    if !bad.is_empty() {
        let more = bad.len().saturating_sub(TOLD_MAX);
        bad.truncate(TOLD_MAX);
        let more = if more > 0 { format!(", and {more} more lines like these") } else { String::new() };
        let rule = "write one time in seconds on each line, none before the one above it";
        return Err(format!("{}{more}; {rule}", bad.join(", ")));
    }
    if times_ns.is_empty() {
        return Err(format!("{name} has no arrival; write one time in seconds on each line"));
    }
    Ok(times_ns)
}

/// `12.345` in nanoseconds, exactly; digits behind the ninth are dropped.
fn nanoseconds(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !digits(whole) || !digits(part) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let part = format!("{:0<9}", &part[..part.len().min(9)]);
    whole.checked_mul(1_000_000_000)?.checked_add(part.parse().ok()?)
}

/// Offsets from the first time at that speed, strictly increasing, and how many had to be moved for it.
fn offsets(times_ns: &[u64], speed: f64) -> (Vec<u64>, u64) {
    let first_ns = times_ns.first().copied().unwrap_or(0);
    let mut moved = 0;
    let mut next_ns = 0;
    let offset = |time_ns: &u64| {
        let offset_ns = time_ns - first_ns;
        let ideal_ns = if speed == 1.0 { offset_ns } else { (offset_ns as f64 / speed) as u64 };
        moved += u64::from(ideal_ns < next_ns);
        let offset_ns = ideal_ns.max(next_ns);
        next_ns = offset_ns + 1;
        offset_ns
    };
    let offsets_ns = times_ns.iter().map(offset).collect();
    (offsets_ns, moved)
}

/// How many times as fast: `2x`, `0.5`.
///
/// # Errors
/// What is wrong and what to write.
pub fn speed(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('x').unwrap_or(text.trim()).trim();
    match number.parse::<f64>() {
        Ok(speed) if (0.001..=1_000.0).contains(&speed) => Ok(speed),
        _ => {
            Err(format!("{} is not a speed; write one such as 2x or 0.5x, from 0.001x to 1000x", shown(text)))
        }
    }
}

/// The length that is played: all of it, or what was asked for.
///
/// # Errors
/// When the trace is shorter.
pub fn played_ns(recorded: &Recorded, asked_ns: Option<u64>) -> Result<u64, String> {
    let length_ns = recorded.trace.length_ns();
    match asked_ns {
        Some(0) => Err("a trace of which nothing is played asks nothing; write more than 0s".to_string()),
        Some(ns) if ns > length_ns => {
            let seconds = length_ns as f64 / 1e9;
            Err(format!("the trace is over after {seconds} s; write less, or repeat it"))
        }
        Some(ns) => Ok(ns),
        None => Ok(length_ns),
    }
}

/// A trace in a study: the file's name, or `{ file: arrivals.txt, speed: 2x, repeat: 3, for: 10m }`.
pub(super) fn check_trace(
    field: &Field<'_>,
    file: impl Fn(&Field<'_>) -> Option<std::path::PathBuf>,
) -> Option<(Recorded, u64)> {
    let told = |message: String| field.joined_problem(&message);
    if let Some(name) = field.written() {
        let recorded = read_trace(&file(field)?, name, 1.0, 1).map_err(told).ok()?;
        let length_ns = recorded.trace.length_ns();
        return Some((recorded, length_ns));
    }
    let map = field.map("write trace: arrivals.txt, or trace: { file: arrivals.txt, speed: 2x }")?;
    let named = map.required("file", "name a file in the folder of the study");
    let rate =
        map.optional("speed").map_or(Some(1.0), |field| field.quantity(speed, "write a speed such as 2x"));
    let rounds = map.optional("repeat").map_or(Some(1), |field| field.integer("a number of rounds"));
    let asked_ns = map.optional("for").map_or(Some(None), |field| {
        field.quantity(quantity::duration, "write a duration such as 10m").map(Some)
    });
    map.close();
    let named = named?;
    let path = file(&named);
    let name = named.written().unwrap_or_default();
    let recorded = read_trace(&path?, name, rate?, rounds? as u32);
    let recorded = recorded.map_err(|message| named.joined_problem(&message)).ok()?;
    let length_ns = played_ns(&recorded, asked_ns?).map_err(told).ok()?;
    Some((recorded, length_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, speed: f64, rounds: u32) -> Result<Recorded, String> {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("t.txt");
        std::fs::write(&path, text).expect("written");
        read_trace(&path, "t.txt", speed, rounds)
    }

    #[test]
    fn times_count_from_the_first_line_to_the_nanosecond() {
        let text =
            "# recorded on a Monday\n1700000000.000000001, GET /\n\n1700000000.5\r\n1700000002.000000001\n";
        let recorded = read(text, 1.0, 3).expect("a trace");
        assert_eq!(*recorded.trace.offsets_ns, [0, 499_999_999, 2_000_000_000]);
        // A mean gap behind the last.
        assert_eq!((recorded.trace.round_ns, recorded.trace.count(), recorded.moved), (3_000_000_000, 9, 0));
        assert_eq!(recorded.sha256.len(), 64);
        let words = recorded.to_string();
        assert!(words.contains("3 arrivals in 3 s at 1 times its speed, 3 rounds"), "{words}");
        let fast = read("0\n1\n2\n", 2.0, 1).expect("a trace");
        assert_eq!(*fast.trace.offsets_ns, [0, 500_000_000, 1_000_000_000]);
        assert_eq!(read("7", 1.0, 1).expect("one").trace.round_ns, 1_000_000_000);
    }

    #[test]
    fn what_stands_at_one_instant_is_moved_on_and_counted() {
        let recorded = read("1\n1\n1\n1.000000001\n2\n", 1.0, 1).expect("a trace");
        assert_eq!(*recorded.trace.offsets_ns, [0, 1, 2, 3, 1_000_000_000]);
        assert_eq!(recorded.moved, 3);
        assert!(recorded.to_string().contains("3 of them at the same instant"));
        let fast = read("0\n0.000000001\n0.000000002\n", 1000.0, 1).expect("a trace");
        assert_eq!((fast.trace.offsets_ns.to_vec(), fast.moved), (vec![0, 1, 2], 2));
    }

    #[test]
    fn bad_lines_are_told_with_their_numbers_up_to_twenty() {
        let message = read("1\nsoon\n3\n2\n-4\n1e9\n", 1.0, 1).expect_err("bad");
        for what in ["t.txt:2: soon is not a time", "t.txt:4: is before", "t.txt:5: -4", "t.txt:6: 1e9"] {
            assert!(message.contains(what), "{what}: {message}");
        }
        let message = read(&"x\n".repeat(50), 1.0, 1).expect_err("bad");
        assert!(message.contains("t.txt:20:") && !message.contains("t.txt:21:"), "{message}");
        assert!(message.contains("and 30 more lines"), "{message}");
        assert!(read("# nothing\n\n", 1.0, 1).expect_err("empty").contains("no arrival"));
        assert!(read("0\n99999999999999999999\n", 1.0, 1).expect_err("too large").contains("t.txt:2"));
        assert!(read("0\n700000\n", 1.0, 1).expect_err("long").contains("longer than a week"));
        assert!(
            read_trace(Path::new("/nowhere"), "nowhere", 1.0, 1)
                .expect_err("none")
                .contains("cannot be read")
        );
    }

    #[test]
    fn speeds_are_numbers_of_times() {
        assert_eq!((speed("2x"), speed(" 0.5 ")), (Ok(2.0), Ok(0.5)));
        for wrong in ["", "x", "0x", "-1", "nan", "fast", "1e9"] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }
}
