//! Sentences about the noise of a machine.

use proofload_language::{number, say};

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
