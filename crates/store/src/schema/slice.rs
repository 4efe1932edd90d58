//! Accessors of a slice.

use super::{Phase, Point, Slice};

impl Slice {
    /// Place in the plan of its block, from 1.
    pub fn place(&self) -> u32 {
        self.place.unwrap_or(self.block)
    }

    pub fn is_of(&self, variant: &str, point: &str) -> bool {
        self.measured.variant == variant && self.measured.point == point
    }

    pub fn ended_unix_ns(&self) -> u64 {
        self.started_unix_ns.saturating_add((self.measured.seconds * 1e9) as u64)
    }

    /// True for slices that figures and verdicts rest on.
    pub fn is_measured(&self) -> bool {
        self.phase == Phase::Measure
    }

    /// Label in histogram logs: `VARIANT@POINT`, with streams `VARIANT/STREAM@POINT`. May contain untrusted text.
    pub fn label(&self) -> String {
        let Point { variant, stream, point, .. } = &self.measured;
        let stream = if stream.is_empty() { String::new() } else { format!("/{stream}") };
        format!("{variant}{stream}@{point}")
    }
}
