//! Sentences about the noise of a machine.

use proofload_language::{Kept, kept, number, say};

/// What an audit leaves untested.
pub const OTHER_SERVERS: Kept = Kept("kept-other-servers");

/// Two servers that differ in nothing differ in a measure, by the logarithm of a ratio.
pub fn equal_servers_differ(measure: &str, log_ratio: f64) -> String {
    kept!("kept-equal-servers-differ", measure, log_ratio = format!("{:+.2}", log_ratio.exp_m1() * 100.0))
}

/// The ratio of two servers is another one in long slices, by the logarithm of a ratio.
pub fn slices_move(measure: &str, apart: f64) -> String {
    kept!("kept-slices-move", measure, apart = format!("{:+.2}", apart.exp_m1() * 100.0))
}

/// An audit that is short.
pub fn few_blocks(blocks: u32, better: u32) -> String {
    kept!("kept-few-blocks", blocks, better)
}

/// Blocks of an audit do not count.
pub fn disturbed(blocks: u32) -> String {
    kept!("kept-disturbed", blocks)
}

/// The generator failed its self-checks.
pub fn unfit(slices: usize) -> String {
    kept!("kept-unfit", slices)
}

/// An audit that is old.
pub fn not_of_the_last(days: u64) -> String {
    say!("noise-not-of-the-last", days)
}

/// An audit of another kernel.
pub fn other_kernel(then: &str) -> String {
    say!("noise-other-kernel", then)
}

/// A claim that asks for less than a machine resolves. Logarithms of ratios.
pub struct Doubt<'a> {
    pub claim: &'a str,
    /// The difference or the half-width of the band that it asks for.
    pub asked: f64,
    pub is_band: bool,
    /// The measure whose noise it is.
    pub noise: &'a str,
    /// Blocks of the study, and what they resolve.
    pub blocks: u32,
    pub reach: f64,
    /// Blocks that would resolve what is asked for, and their minutes; `None` for more than anybody waits for.
    pub takes: Option<(u32, f64)>,
}

/// The claim with what it asks for, what can be had and what it would take.
pub fn doubt(doubt: &Doubt<'_>) -> String {
    let percent = |log: f64| format!("{:.1}{}", log.exp_m1() * 100.0, number::percent_sign());
    say!(
        "noise-doubt",
        is_band = doubt.is_band,
        claim = doubt.claim,
        asked = percent(doubt.asked),
        noise = doubt.noise,
        blocks = doubt.blocks,
        reach = percent(doubt.reach),
        needed = doubt.takes.map(|(needed, _)| needed),
        minutes = doubt.takes.map(|(_, minutes)| minutes)
    )
}
