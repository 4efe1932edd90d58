//! Sentences about the noise of a machine.

/// What an audit leaves untested.
pub const OTHER_SERVERS: &str = "other servers: theirs add to the noise that is the machine's";

/// Two servers that differ in nothing differ in a measure, by the logarithm of a ratio.
pub fn equal_servers_differ(measure: &str, log_ratio: f64) -> String {
    format!(
        "two equal servers differ in {measure} by {:+.2} %: something favours one of them, and every verdict here",
        log_ratio.exp_m1() * 100.0
    )
}

/// The ratio of two servers is another one in long slices, by the logarithm of a ratio.
pub fn slices_move(measure: &str, apart: f64) -> String {
    format!(
        "long slices show a ratio in {measure} that is {:+.2} % from that of short ones: studies here need longer slices \
         (--timing slice=1s,discard=100ms)",
        apart.exp_m1() * 100.0
    )
}

/// An audit that is short.
pub fn few_blocks(blocks: u32, better: u32) -> String {
    format!("{blocks} blocks tell the spread only roughly; an audit of {better} is better")
}

/// Blocks of an audit do not count.
pub fn disturbed(blocks: u32) -> String {
    format!("{blocks} blocks were disturbed by the machine and left out, as they are in any study")
}

/// The generator failed its self-checks.
pub fn unfit(slices: usize) -> String {
    format!("the generator was unfit in {slices} slices: its own noise is in the figures")
}

/// An audit that is old.
pub fn not_of_the_last(days: u64) -> String {
    format!("it is not of the last {days} days")
}

/// An audit of another kernel.
pub fn other_kernel(then: &str) -> String {
    format!("the kernel was {then} then")
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
    let percent = |log: f64| format!("{:.1} %", log.exp_m1() * 100.0);
    let (wanted, can) = match doubt.is_band {
        true => ("a band of", "equal servers are shown to be equal within"),
        false => ("a difference of", "what is found is"),
    };
    let takes = match doubt.takes {
        Some((needed, minutes)) => format!("that takes about {needed} blocks, {minutes} minutes"),
        None => "nobody waits for as many blocks as that takes".to_string(),
    };
    format!(
        "{}: asks for {wanted} {} in {}; in four studies of five with {} blocks here {can} {}; {takes}",
        doubt.claim,
        percent(doubt.asked),
        doubt.noise,
        doubt.blocks,
        percent(doubt.reach),
    )
}
