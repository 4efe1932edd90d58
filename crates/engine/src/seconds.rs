//! Second by second: each worker hands over what it saw of a second, and the thread that waits for the load adds it
//! up. Nothing is counted twice: what is recorded goes into the present second's snapshot, and the whole is the sum of
//! the seconds.
//!
//! The handing over is off the data path: once a second a worker exchanges a full snapshot for an empty one, through
//! queues that have their memory from the beginning and never block. Adding up and emptying is the collector's work.
//! Should it be so late that no empty snapshot is there, the worker goes on in the full one, which then spans several
//! seconds: no count is lost, only those seconds cannot be separated.

use proofload_measure::{Collected, Recorder, SECOND_NS, Series, Snapshot, Stretch, Window};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::Thread;

/// Seconds for which the series of counts has room; later ones are left out of the series alone.
const COUNTS_MAX: u64 = 7 * 86_400;
/// Snapshots of each worker besides the one that it records in.
const SPARES: usize = 2;

/// Report of a worker.
#[derive(Debug)]
struct Batch {
    /// The last second in it.
    last: u64,
    snapshot: Snapshot,
}

/// A worker's end of the queues.
#[derive(Debug)]
pub(crate) struct Giving {
    full: SyncSender<Batch>,
    spare: Receiver<Snapshot>,
    /// Thread to wake when a part is ready.
    collector: Thread,
    /// Wait for an empty snapshot: where time is virtual, it stops meanwhile.
    waits: bool,
}

#[derive(Debug)]
struct Taking {
    full: Receiver<Batch>,
    spare: SyncSender<Snapshot>,
    /// The next second that this worker owes; none when it has ended.
    owes: Option<u64>,
}

fn queues(window: Window, parts: usize, collector: Thread, waits: bool) -> (Giving, Taking) {
    let (full_in, full_out) = mpsc::sync_channel(SPARES + 1);
    let (spare_in, spare_out) = mpsc::sync_channel(SPARES);
    for _ in 0..SPARES {
        // There is room, and its reader is here.
        let _ = spare_in.try_send(Snapshot::new(window).with_parts(parts));
    }
    let taking = Taking { full: full_out, spare: spare_in, owes: Some(0) };
    (Giving { full: full_in, spare: spare_out, collector, waits }, taking)
}

/// The seconds of one worker.
#[derive(Debug)]
pub(crate) struct Seconds {
    window: Window,
    /// The present second, and how many the window has; the one after them is what comes after the window.
    at: u64,
    all: u64,
    /// End of the present second.
    end_ns: u64,
    /// Beginning of the present snapshot.
    since_ns: u64,
    /// Answers in each second, and those that are counted already.
    counts: Vec<u64>,
    counted: u64,
    /// Over all snapshots that were handed over.
    service_sum_ns: u64,
    giving: Giving,
}

impl Seconds {
    /// Has all its memory from the beginning.
    pub fn new(window: Window, giving: Giving) -> Seconds {
        let all = window.end_ns.saturating_sub(window.start_ns).div_ceil(SECOND_NS);
        let mut seconds = Seconds {
            window,
            at: 0,
            all,
            end_ns: u64::MAX,
            since_ns: window.start_ns,
            counts: Vec::with_capacity(all.min(COUNTS_MAX) as usize),
            counted: 0,
            service_sum_ns: 0,
            giving,
        };
        if all > 0 {
            seconds.end_ns = seconds.due_ns();
        }
        seconds
    }

    /// Sets the beginning and end of the window, before anything is recorded; its length stays the same.
    pub fn set_window(&mut self, window: Window) {
        self.window = window;
        self.since_ns = window.start_ns;
        self.end_ns = if self.all > 0 { self.due_ns() } else { u64::MAX };
    }

    /// Goes on to the second of this instant. To be called before something of that instant is recorded.
    #[inline]
    pub fn advance_to(&mut self, now_ns: u64, recorder: &mut Recorder) {
        if now_ns >= self.end_ns {
            self.hand_over_to(now_ns, recorder);
        }
    }

    #[cold]
    fn hand_over_to(&mut self, now_ns: u64, recorder: &mut Recorder) {
        while now_ns >= self.end_ns {
            self.close_second(recorder);
        }
    }

    /// The load ends then, before its window does: so does the series.
    pub fn cut(&mut self, end_ns: u64, recorder: &mut Recorder) {
        if self.at >= self.all {
            return;
        }
        let begun = end_ns > self.since_ns;
        (self.all, self.end_ns) = if begun { (self.at + 1, end_ns) } else { (self.at, u64::MAX) };
        if begun {
            self.close_second(recorder);
        }
    }

    fn close_second(&mut self, recorder: &mut Recorder) {
        if recorder.ended_in_window() > self.counted || self.end_ns == self.due_ns() {
            self.count(recorder);
        }
        self.hand_over(recorder);
        self.at += 1;
        self.end_ns = match self.at < self.all {
            true => self.due_ns(),
            false => u64::MAX,
        };
    }

    /// End of the present second by the clock.
    fn due_ns(&self) -> u64 {
        self.window.end_ns.min(self.window.start_ns + (self.at + 1) * SECOND_NS)
    }

    fn count(&mut self, recorder: &Recorder) {
        let answered = recorder.ended_in_window();
        if self.counts.len() < self.counts.capacity() {
            self.counts.push(answered - self.counted);
        }
        self.counted = answered;
    }

    fn hand_over(&mut self, recorder: &mut Recorder) {
        let spare = match self.giving.waits {
            true => self.giving.spare.recv().ok(),
            false => self.giving.spare.try_recv().ok(),
        };
        let Some(mut spare) = spare else { return };
        let over_ns = self.end_ns.min(self.window.end_ns);
        spare.window = Window { start_ns: over_ns, end_ns: over_ns };
        self.give(recorder.exchange(spare), over_ns);
    }

    fn give(&mut self, mut snapshot: Snapshot, over_ns: u64) {
        snapshot.window = Window { start_ns: self.since_ns, end_ns: over_ns.max(self.since_ns) };
        self.since_ns = snapshot.window.end_ns;
        self.service_sum_ns += snapshot.service_sum_ns;
        // There is room for every snapshot that there is. A collector that is gone has panicked, and the load with it.
        let _ = self.giving.full.try_send(Batch { last: self.at, snapshot });
        self.giving.collector.unpark();
    }

    /// The end: hands over what is left, and returns the answers of each second and the sum of all service times. A
    /// second that was begun and saw answers counts.
    pub fn finish(mut self, end_ns: u64, mut recorder: Recorder) -> (Vec<u64>, u64) {
        self.advance_to(end_ns, &mut recorder);
        if recorder.ended_in_window() > self.counted {
            self.count(&recorder);
        }
        self.give(recorder.finish(), end_ns.min(self.window.end_ns));
        (self.counts, self.service_sum_ns)
    }
}

/// Adds up the seconds of one load's workers.
#[derive(Debug)]
pub(crate) struct Collector {
    window: Window,
    workers: Vec<Taking>,
    /// The stretch that is being added up, and the second with which it ends so far.
    stretch: Snapshot,
    last: u64,
    begun: bool,
    series: Series,
}

impl Collector {
    /// A collector for the workers of a load with so many named parts, and their ends of the queues. The window of the workers is that
    /// of the load, beginning at any instant.
    pub fn new(
        stream: usize,
        window: Window,
        (workers, parts): (u32, usize),
        collector: &Thread,
        waits: bool,
    ) -> (Collector, Vec<Giving>) {
        let (giving, workers) = (0..workers).map(|_| queues(window, parts, collector.clone(), waits)).unzip();
        let series = Series::new(stream, window).with_parts(parts);
        let stretch = Snapshot::new(window).with_parts(parts);
        (Collector { window, workers, stretch, last: 0, begun: false, series }, giving)
    }

    /// Takes all available parts, and reports each complete stretch. Returns true once all workers have ended.
    pub fn collect(&mut self, tell: &mut dyn FnMut(&Stretch<'_>)) -> bool {
        loop {
            let last = self.last;
            self.take();
            let owed = self.workers.iter().filter_map(|worker| worker.owes).min();
            match owed {
                // One of them gave several seconds at once: those that were collected before it may have more of them.
                _ if self.last > last => {}
                Some(owed) if owed <= self.last => return false,
                _ if self.begun => self.close(tell),
                Some(_) => {}
                None => return true,
            }
        }
    }

    /// Takes the parts of the present stretch.
    fn take(&mut self) {
        for worker in &mut self.workers {
            while let Some(owed) = worker.owes
                && owed <= self.last
            {
                match worker.full.try_recv() {
                    Ok(Batch { last, mut snapshot }) => {
                        worker.owes = Some(last + 1);
                        self.last = self.last.max(last);
                        match self.begun {
                            true => self.stretch.merge(&snapshot),
                            false => std::mem::swap(&mut self.stretch, &mut snapshot),
                        }
                        self.begun = true;
                        snapshot.clear(self.window);
                        // There is room; the worker may have ended.
                        let _ = worker.spare.try_send(snapshot);
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => worker.owes = None,
                }
            }
        }
    }

    fn close(&mut self, tell: &mut dyn FnMut(&Stretch<'_>)) {
        self.series.add(self.last, &self.stretch, tell);
        self.stretch.clear(self.window);
        self.last = self.series.next();
        self.begun = false;
    }

    /// The result.
    pub fn finish(self) -> Collected {
        self.series.finish()
    }
}

/// Adds the counts of another worker.
pub(crate) fn add_counts(sums: &mut Vec<u64>, counts: &[u64]) {
    sums.resize(sums.len().max(counts.len()), 0);
    sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum = sum.saturating_add(*n));
}

#[cfg(test)]
mod tests;
