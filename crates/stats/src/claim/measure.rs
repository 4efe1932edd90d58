//! The measures that claims speak of, and how they are written.

/// A measure that a trial yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// Answered exchanges per second.
    Throughput,
    /// Quantile of the response time in nanoseconds, in units of 1/10000 (p99 = 9900, p999 = 9990).
    ResponseQuantile(u16),
    /// Mean response time in nanoseconds.
    ResponseMean,
    /// Largest response time in nanoseconds.
    ResponseMax,
    /// Errors among the finished, 0 to 1.
    ErrorShare,
    /// Errors, a count.
    Errors,
    /// CPU time of the subject per answered exchange in nanoseconds.
    CpuPerRequest,
    /// Resident memory of the subject in bytes.
    Rss,
}

/// The measures as they are written in claims; quantiles by their usual members.
pub(super) const KNOWN: [&str; 12] = [
    "throughput",
    "p50",
    "p90",
    "p99",
    "p999",
    "p9999",
    "mean",
    "max",
    "errors",
    "error_share",
    "cpu_per_request",
    "rss",
];

impl Measure {
    /// Reads the name used in claims; any quantile from `p01` to `p9999` is understood.
    pub fn parse(text: &str) -> Option<Measure> {
        match text {
            "throughput" => Some(Measure::Throughput),
            "mean" => Some(Measure::ResponseMean),
            "max" => Some(Measure::ResponseMax),
            "errors" => Some(Measure::Errors),
            "error_share" => Some(Measure::ErrorShare),
            "cpu_per_request" => Some(Measure::CpuPerRequest),
            "rss" => Some(Measure::Rss),
            _ => quantile(text),
        }
    }

    /// The name used in claims: `throughput`, `p99`, `cpu_per_request`.
    pub fn name(self) -> String {
        match self {
            Measure::Throughput => "throughput".to_string(),
            Measure::ResponseQuantile(share) => {
                let digits = format!("{share:04}");
                let kept = digits.trim_end_matches('0').len().max(2);
                format!("p{}", &digits[..kept.min(digits.len())])
            }
            Measure::ResponseMean => "mean".to_string(),
            Measure::ResponseMax => "max".to_string(),
            Measure::ErrorShare => "error_share".to_string(),
            Measure::Errors => "errors".to_string(),
            Measure::CpuPerRequest => "cpu_per_request".to_string(),
            Measure::Rss => "rss".to_string(),
        }
    }

    /// The base unit of its values: `per_s`, `ns`, `share`, `count` or `bytes`.
    pub const fn unit(self) -> &'static str {
        match self {
            Measure::Throughput => "per_s",
            Measure::ResponseQuantile(_)
            | Measure::ResponseMean
            | Measure::ResponseMax
            | Measure::CpuPerRequest => "ns",
            Measure::ErrorShare => "share",
            Measure::Errors => "count",
            Measure::Rss => "bytes",
        }
    }

    /// Whether it says how fast something is. No claim on such a measure is decided while errors are many,
    /// because a fast error page is not throughput.
    pub const fn is_speed(self) -> bool {
        matches!(
            self,
            Measure::Throughput
                | Measure::ResponseQuantile(_)
                | Measure::ResponseMean
                | Measure::ResponseMax
                | Measure::CpuPerRequest
        )
    }

    /// Whether it can be told for one of several streams that run at once. What a process used is used for all
    /// of them.
    pub const fn is_of_exchanges(self) -> bool {
        matches!(
            self,
            Measure::Throughput
                | Measure::ResponseQuantile(_)
                | Measure::ResponseMean
                | Measure::ResponseMax
                | Measure::ErrorShare
                | Measure::Errors
        )
    }

    /// Whether zero is a value like any other; a throughput or a time of zero means that nothing was
    /// measured.
    pub(crate) const fn may_be_zero(self) -> bool {
        matches!(self, Measure::Errors | Measure::ErrorShare)
    }

    /// Whether slices of one cycle are compared with each other. A quantile of a short slice is biased and
    /// rough, so quantiles are taken from the merged slices of a block; so are counts.
    pub(crate) const fn pairs_by_cycle(self) -> bool {
        matches!(self, Measure::Throughput | Measure::CpuPerRequest | Measure::Rss)
    }
}

/// `p50` to `p99`, and longer ones that begin with 9: `p999`, `p9995`.
fn quantile(text: &str) -> Option<Measure> {
    let digits = text.strip_prefix('p')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let usual = digits.len() == 2 || (matches!(digits.len(), 3 | 4) && digits.starts_with('9'));
    let value: u16 = digits.parse().ok().filter(|&value| usual && value > 0)?;
    let scale = 10_u16.pow(4 - digits.len() as u32);
    Some(Measure::ResponseQuantile(value * scale))
}
