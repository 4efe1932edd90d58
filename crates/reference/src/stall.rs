//! Stalls: stretches in which the server answers nothing, on a schedule known to the nanosecond.

use crate::ReferenceError;
use crate::parse::{Text, duration};
use proofload_language::tr;

/// A stall of `length_ns` begins at every whole multiple of `period_ns` after the server's start: at one
/// period, two periods, … (none at the start itself). An answer that is due within a stall, its first
/// instant included and its end excluded, is held to the end. Requests are read and logged meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    length_ns: u64,
    period_ns: u64,
}

impl Stall {
    /// Reads `200ms/2s`: a stall of 200 ms every 2 s.
    ///
    /// # Errors
    /// [`ReferenceError::BadValue`] when the text is not such a pair, when either is zero, or when the stall
    /// is not shorter than its period.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let given = Text { what: tr!("value-stall"), text, expected: tr!("expected-stall") };
        let Some((length, period)) = text.split_once('/') else {
            return Err(given.refuse(tr!("wrong-no-period")));
        };
        let (length_ns, period_ns) = (duration(given.what, length)?, duration(given.what, period)?);
        if length_ns == 0 || period_ns == 0 {
            return Err(given.refuse(tr!("wrong-zero")));
        }
        if length_ns >= period_ns {
            return Err(given.refuse(tr!("wrong-stall")));
        }
        Ok(Stall { length_ns, period_ns })
    }

    /// Instant at which an answer due at `due_ns` may leave; both counted from the server's start.
    pub fn release(&self, due_ns: u64) -> u64 {
        let into = due_ns % self.period_ns;
        if due_ns >= self.period_ns && into < self.length_ns {
            due_ns - into + self.length_ns
        } else {
            due_ns
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_first_stall_begins_after_one_period() {
        let stall = Stall::parse("200ms/2s").unwrap();
        assert_eq!(stall.release(0), 0);
        assert_eq!(stall.release(100 * MS), 100 * MS);
        assert_eq!(stall.release(2000 * MS - 1), 2000 * MS - 1);
        assert_eq!(stall.release(2000 * MS), 2200 * MS);
        assert_eq!(stall.release(2200 * MS - 1), 2200 * MS);
        assert_eq!(stall.release(2200 * MS), 2200 * MS);
        assert_eq!(stall.release(14_050 * MS), 14_200 * MS);
    }

    #[test]
    fn a_tenth_of_the_answers_of_a_200_ms_stall_each_2_s_are_held_100_ms_on_average() {
        let stall = Stall::parse("200ms/2s").unwrap();
        let dues = (2000..22_000).map(|ms| ms * MS);
        let held: Vec<u64> = dues.map(|due| stall.release(due) - due).filter(|&wait| wait > 0).collect();
        assert_eq!(held.len(), 2000);
        assert_eq!(held.iter().sum::<u64>() / held.len() as u64, 100 * MS + MS / 2);
    }

    #[test]
    fn schedules_that_mean_nothing_are_refused() {
        for bad in ["", "200ms", "2s/200ms", "0/2s", "1ms/0", "1ms/1ms", "200/2s", "200ms/2s/1"] {
            assert!(Stall::parse(bad).is_err(), "{bad}");
        }
    }
}
