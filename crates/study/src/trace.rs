//! Recorded arrivals: a file with a time on each line, read whole before anything starts.

use super::field::Field;
use super::keys::{Kind, WORD, keys, kinds};
use super::named::read_named;
use super::problem::shown;
use super::quantity::{self, DURATION};
use data_encoding::HEXLOWER;
use proofload_engine::Trace;
use proofload_facts::{Expected, Mistake, Thing};
use sha2::{Digest, Sha256};
use std::fmt;
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

/// Duration of a round of a single arrival.
const LONE_NS: u64 = 1_000_000_000;

keys! {
    /// Recorded arrivals, and how they are played.
    PLAYED {
        /// The file, in the folder of the study or below.
        required file: WORD,
        /// Factor of the recorded speed; 1x by default.
        optional speed: SPEED,
        /// Number of rounds; one by default.
        optional repeat: Kind::Integer(1, ROUNDS_MAX),
        /// Length that is played; all by default.
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
    /// Factor of the recorded speed.
    pub speed: f64,
    /// Arrivals that were at or behind the one after them once times were rounded; each was moved on to the nanosecond
    /// behind the one before it.
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
/// The mistake in the file, or in up to 20 of its lines, each with its number.
pub fn read_trace(path: &Path, name: &str, speed: f64, rounds: u32) -> Result<Recorded, Mistake> {
    let bytes = read_named(path, name, FILE_MAX, "512 MiB")?;
    let sha256 = HEXLOWER.encode(&Sha256::digest(&bytes));
    let times_ns = parse(&bytes, name)?;
    let (offsets_ns, moved) = offsets(&times_ns, speed);
    let last_ns = offsets_ns.last().copied().unwrap_or(0);
    // The next round begins a mean gap behind the last arrival, so that the rate goes on.
    let gap_ns = last_ns.checked_div(offsets_ns.len() as u64 - 1).unwrap_or(LONE_NS).max(1);
    let trace = Trace { offsets_ns: offsets_ns.into(), round_ns: last_ns.saturating_add(gap_ns), rounds };
    if trace.length_ns() > LENGTH_MAX_NS {
        let length = format!("{}s", trace.length_ns() / 1_000_000_000);
        return Err(Mistake::beyond(length, "0s", "168h").at(name));
    }
    Ok(Recorded { file: name.to_string(), sha256, speed, moved, trace })
}

/// The time of each line in nanoseconds.
fn parse(bytes: &[u8], name: &str) -> Result<Vec<u64>, Mistake> {
    let mut times_ns: Vec<u64> = Vec::new();
    let mut bad = Vec::new();
    for (number, line) in (1u64..).zip(bytes.split(|byte| *byte == b'\n')) {
        let first = line.split(|byte| *byte == b',').next().unwrap_or_default().trim_ascii();
        if first.starts_with(b"#") || line.trim_ascii().is_empty() {
            continue;
        }
        match nanoseconds(first) {
            Some(ns) if times_ns.last().is_some_and(|before| *before > ns) => {
                bad.push(Mistake::TimeGoesBack.at(format!("{name}:{number}")));
            }
            Some(ns) => times_ns.push(ns),
            None => {
                let text = String::from_utf8_lossy(&first[..first.len().min(40)]).into_owned();
                let mistake = Mistake::not(shown(&text), Expected::Seconds, "12.345");
                bad.push(mistake.at(format!("{name}:{number}")));
            }
        }
        if times_ns.len() > ARRIVALS_MAX {
            let mistake = Mistake::too_many(Thing::Row, times_ns.len(), ARRIVALS_MAX);
            return Err(mistake.at(name));
        }
    }
    if !bad.is_empty() {
        let more = bad.len().saturating_sub(TOLD_MAX) as u64;
        bad.truncate(TOLD_MAX);
        return Err(Mistake::BadLines { lines: bad, more });
    }
    if times_ns.is_empty() {
        return Err(Mistake::NoRows { file: name.to_string() });
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

/// Offsets from the first time at that speed, strictly increasing, and the number of those moved for it.
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

/// Factor of the recorded speed: `2x`, `0.5`.
///
/// # Errors
/// The mistake, and what to write instead.
pub fn speed(text: &str) -> Result<f64, Mistake> {
    let number = text.trim().strip_suffix('x').unwrap_or(text.trim()).trim();
    match number.parse::<f64>() {
        Ok(speed) if (0.001..=1_000.0).contains(&speed) => Ok(speed),
        _ => Err(Mistake::beyond(shown(text), "0.001x", "1000x")),
    }
}

/// The length that is played: all of it, or the requested length.
///
/// # Errors
/// A trace that is shorter.
pub fn played_ns(recorded: &Recorded, asked_ns: Option<u64>) -> Result<u64, Mistake> {
    let length_ns = recorded.trace.length_ns();
    match asked_ns {
        Some(0) => Err(Mistake::TakesNoTime),
        Some(ns) if ns > length_ns => Err(Mistake::TraceOver { length_s: length_ns as f64 / 1e9 }),
        Some(ns) => Ok(ns),
        None => Ok(length_ns),
    }
}

/// A trace in a study: the file's name, or `{ file: arrivals.txt, speed: 2x, repeat: 3, for: 10m }`.
pub(super) fn check_trace(
    field: &Field<'_>,
    file: impl Fn(&Field<'_>) -> Option<std::path::PathBuf>,
) -> Option<(Recorded, u64)> {
    if let Some(name) = field.written() {
        let recorded = field.take(read_trace(&file(field)?, name, 1.0, 1))?;
        let length_ns = recorded.trace.length_ns();
        return Some((recorded, length_ns));
    }
    let map = field.map("trace: arrivals.txt, trace: { file: arrivals.txt, speed: 2x }")?;
    let named = map.required("file", "file: arrivals.txt");
    let rate = map.optional("speed").map_or(Some(1.0), |field| field.quantity(speed, "2x"));
    let rounds = map.optional("repeat").map_or(Some(1), |field| field.integer());
    let asked_ns =
        map.optional("for").map_or(Some(None), |field| field.quantity(quantity::duration, "10m").map(Some));
    map.close();
    let named = named?;
    let path = file(&named);
    let name = named.written().unwrap_or_default();
    // A mistake in the file is reported beside those in its keys.
    let recorded = read_trace(&path?, name, rate.unwrap_or(1.0), rounds.unwrap_or(1) as u32);
    let recorded = named.take(recorded)?;
    rate.and(rounds)?;
    let length_ns = field.take(played_ns(&recorded, asked_ns?))?;
    Some((recorded, length_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::told;

    fn read(text: &str, speed: f64, rounds: u32) -> Result<Recorded, Mistake> {
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
        let wrong = |text: &str| told(&read(text, 1.0, 1).expect_err("wrong"));
        let message = wrong("1\nsoon\n3\n2\n-4\n1e9\n");
        for what in ["t.txt:2: soon is not a time", "t.txt:4: is before", "t.txt:5: -4", "t.txt:6: 1e9"] {
            assert!(message.contains(what), "{what}: {message}");
        }
        let message = wrong(&"x\n".repeat(50));
        assert!(message.contains("t.txt:20:") && !message.contains("t.txt:21:"), "{message}");
        assert!(message.contains("and 30 more lines"), "{message}");
        assert!(wrong("# nothing\n\n").contains("has no rows"));
        assert!(wrong("0\n99999999999999999999\n").contains("t.txt:2"));
        assert!(wrong("0\n700000\n").contains("to 168h"));
        let missing = read_trace(Path::new("/nowhere"), "nowhere", 1.0, 1);
        assert!(matches!(missing, Err(Mistake::CannotRead { .. })), "{missing:?}");
    }

    #[test]
    fn speeds_are_numbers_of_times() {
        assert_eq!((speed("2x"), speed(" 0.5 ")), (Ok(2.0), Ok(0.5)));
        for wrong in ["", "x", "0x", "-1", "nan", "fast", "1e9"] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }
}
