//! The exchanges of one slice, laid out over its window.

use proofload_store::schema::Slice;
use std::io::{self, Write};

const SECOND_NS: u64 = 1_000_000_000;
const MS_NS: u64 = 1_000_000;

/// Exchanges that took equally long and ended alike.
pub struct Share {
    pub n: u64,
    pub ns: u64,
    /// Fields that their lines share, separated by commas.
    pub text: String,
}

/// The lines of a slice.
pub struct Lines<'a> {
    slice: &'a Slice,
    shares: Vec<Share>,
    /// Number of exchanges up to and including each share.
    until: Vec<u64>,
}

impl Lines<'_> {
    /// The lines of these exchanges.
    pub fn of(slice: &Slice, shares: Vec<Share>) -> Lines<'_> {
        let sums = shares.iter().scan(0_u64, |sum, share| {
            *sum = sum.saturating_add(share.n);
            Some(*sum)
        });
        let until = sums.collect();
        Lines { slice, shares, until }
    }

    /// Writes them in the order of their beginnings. Long ones and failures are dealt evenly over the window: no trend is
    /// made up. Bytes are divided evenly, and add up to what crossed.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let n = self.until.last().copied().unwrap_or(0);
        let measured = &self.slice.measured;
        let share_of = |total: u64, i: u64| {
            let up_to = |i: u64| (u128::from(total) * u128::from(i) / u128::from(n)) as u64;
            up_to(i + 1) - up_to(i)
        };
        let (step, threads) = (coprime(n), measured.connections);
        let mut begins = Begins::of(self.slice, n);
        let mut rank = step / 2;
        for i in 0..n {
            let share = &self.shares[self.until.partition_point(|until| *until <= rank)];
            let elapsed_ms = (share.ns + MS_NS / 2) / MS_NS;
            let began_ms = begins.next_ns(i) / MS_NS;
            let (received, sent) = (share_of(measured.bytes_received, i), share_of(measured.bytes_sent, i));
            writeln!(to, "{began_ms},{elapsed_ms},{},{received},{sent},{threads},{threads},0", share.text)?;
            rank = (rank + step) % n;
        }
        Ok(())
    }
}

/// About 0.618 of `n` and without a common divisor: steps of this length visit each of `n` places once, and any stretch
/// of them all parts alike.
fn coprime(n: u64) -> u64 {
    let near = ((u128::from(n) * 618_033_989) / 1_000_000_000) as u64;
    (near.max(1)..).find(|step| divisor(*step, n) == 1).unwrap_or(1)
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Start times of exchanges: within the window, for each second the share that was answered in it, evenly spread
/// within.
struct Begins {
    started_unix_ns: u64,
    window_ns: u64,
    exchanges: u64,
    /// Weights of the seconds, and their sum.
    seconds: Vec<u64>,
    all: u64,
    /// The present second, and the weights before it.
    second: usize,
    before: u64,
}

impl Begins {
    fn of(slice: &Slice, exchanges: u64) -> Begins {
        let window_ns = (slice.measured.seconds.clamp(0.0, 1e9) * 1e9) as u64;
        let seconds = slice.measured.per_second.clone();
        let all = seconds.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
        // Where nothing is known of single seconds the window is one.
        let (seconds, all) = if all == 0 { (Vec::new(), 1) } else { (seconds, all) };
        Begins {
            started_unix_ns: slice.started_unix_ns,
            window_ns,
            exchanges,
            seconds,
            all,
            second: 0,
            before: 0,
        }
    }

    /// The beginning of exchange `i`; asked for each in turn.
    fn next_ns(&mut self, i: u64) -> u64 {
        // In half exchanges, so that the first and the last keep the same distance from the window's ends.
        let (place, of) = (u128::from(2 * i + 1) * u128::from(self.all), 2 * u128::from(self.exchanges));
        while self.second + 1 < self.seconds.len()
            && place >= of * u128::from(self.before.saturating_add(self.seconds[self.second]))
        {
            self.before = self.before.saturating_add(self.seconds[self.second]);
            self.second += 1;
        }
        let begun_ns = self.second as u64 * SECOND_NS;
        let (weight, length_ns) = match self.seconds.get(self.second) {
            None => (1, self.window_ns),
            Some(weight) => (*weight.max(&1), SECOND_NS.min(self.window_ns.saturating_sub(begun_ns).max(1))),
        };
        let within = place.saturating_sub(of * u128::from(self.before)) * u128::from(length_ns);
        let within_ns = (within / (of * u128::from(weight))).min(u128::from(length_ns)) as u64;
        self.started_unix_ns.saturating_add(begun_ns).saturating_add(within_ns)
    }
}
