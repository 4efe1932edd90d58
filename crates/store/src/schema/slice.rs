//! What a slice says of itself.

use super::{Phase, Point, Slice};

impl Slice {
    /// Place in the plan of its block, from 1.
    pub fn place(&self) -> u32 {
        self.place.unwrap_or(self.block)
    }

    /// Whether figures and verdicts rest on it.
    pub fn is_measured(&self) -> bool {
        self.phase == Phase::Measure
    }

    /// What it is of, as histogram logs call it: `VARIANT@POINT`, with streams `VARIANT/STREAM@POINT`. Strangers' text.
    pub fn label(&self) -> String {
        let Point { variant, stream, point, .. } = &self.measured;
        let stream = if stream.is_empty() { String::new() } else { format!("/{stream}") };
        format!("{variant}{stream}@{point}")
    }
}
