//! Reports that were made, so that one is made once for each change of its record, and seldom while a study runs.

use crate::ui::records::Seen;
use hyper::body::Bytes;
use std::path::{Path, PathBuf};

/// Reports that are kept; each may take megabytes.
const KEPT_MAX: usize = 8;

/// A running study's report is made again after this many times the CPU time that making it took: a twentieth of one CPU at most.
const REST: u64 = 20;

/// A report that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The record as it was; `None` where it could not be read while its run went on, and is tried again.
    pub fingerprint: Option<u64>,
    pub page: Bytes,
    /// Entity tag by which a browser names its copy.
    pub etag: String,
    /// CPU time that it took.
    pub cost_ns: u64,
    /// Time when it was done, on the monotonic clock.
    pub done_ns: u64,
}

impl Made {
    /// True if it can still be served: the record is the same, or grows and the last making is too short ago.
    fn serves(&self, seen: Seen, now_ns: u64) -> bool {
        let rest_ns = self.cost_ns.saturating_mul(REST);
        self.fingerprint == Some(seen.fingerprint)
            || (seen.goes_on && now_ns.saturating_sub(self.done_ns) < rest_ns)
    }
}

/// The reports that were made last, the latest used one at the end.
#[derive(Debug, Default)]
pub struct Kept {
    made: Vec<(PathBuf, Made)>,
}

impl Kept {
    /// The report of a record, if one serves.
    pub fn get(&mut self, record: &Path, seen: Seen, now_ns: u64) -> Option<Made> {
        let at = self.made.iter().position(|(path, _)| path == record)?;
        let found = self.made.remove(at);
        if !found.1.serves(seen, now_ns) {
            return None;
        }
        let made = found.1.clone();
        self.made.push(found);
        Some(made)
    }

    /// Keeps a report, and drops the one that was not asked for for longest.
    pub fn put(&mut self, record: &Path, made: Made) {
        if self.made.len() >= KEPT_MAX {
            self.made.remove(0);
        }
        self.made.push((record.to_path_buf(), made));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(fingerprint: impl Into<Option<u64>>) -> Made {
        let fingerprint = fingerprint.into();
        Made { fingerprint, page: Bytes::new(), etag: String::new(), cost_ns: 100, done_ns: 1_100 }
    }

    const SAME: Seen = Seen { fingerprint: 7, goes_on: false };

    #[test]
    fn a_report_is_made_once_for_each_change_and_rests_while_the_study_runs() {
        let path = Path::new("a");
        let serves = |goes_on, fingerprint, now_ns| {
            let mut kept = Kept::default();
            kept.put(path, made(7));
            kept.get(path, Seen { fingerprint, goes_on }, now_ns).is_some()
        };
        assert!(serves(false, 7, u64::MAX) && serves(true, 7, u64::MAX), "unchanged");
        assert!(!serves(false, 8, 1_101), "ended: what is new is shown at once");
        assert!(serves(true, 8, 3_099) && !serves(true, 8, 3_100), "twenty times what making it took");
    }

    #[test]
    fn what_could_not_be_read_while_the_study_runs_is_tried_again_after_its_rest() {
        let mut kept = Kept::default();
        let path = Path::new("a");
        kept.put(path, made(None));
        let seen = Seen { fingerprint: 7, goes_on: true };
        assert!(kept.get(path, seen, 3_099).is_some() && kept.get(path, seen, 3_100).is_none());
    }

    #[test]
    fn the_one_not_asked_for_for_longest_goes() {
        let mut kept = Kept::default();
        for at in 0..KEPT_MAX {
            kept.put(Path::new(&at.to_string()), made(7));
        }
        assert!(kept.get(Path::new("0"), SAME, 0).is_some());
        kept.put(Path::new("new"), made(7));
        assert!(kept.get(Path::new("0"), SAME, 0).is_some() && kept.get(Path::new("1"), SAME, 0).is_none());
        assert_eq!(kept.made.len(), KEPT_MAX);
    }
}
