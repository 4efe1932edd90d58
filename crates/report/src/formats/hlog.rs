//! The log of interval histograms, version 1.3, that HdrHistogram's tools read.

use crate::escape::tag;
use proofload_measure::LatencyHistogram;
use proofload_store::schema::Slice;

/// Divisor of Interval_Max: milliseconds, as the tools of Java write it.
const MAX_DIVISOR: f64 = 1e6;

/// Two tagged lines for each measured slice: response times under `VARIANT@POINT`, service times under
/// `VARIANT@POINT/service_time`; with streams `VARIANT/STREAM@POINT`. Values are nanoseconds.
pub fn hlog(slices: &[&Slice]) -> String {
    let mut slices: Vec<&Slice> = slices.iter().copied().filter(|slice| slice.is_measured()).collect();
    slices.sort_by_key(|slice| slice.started_unix_ns);
    let base_ns = slices.first().map_or(0, |slice| slice.started_unix_ns);
    let base = base_ns as f64 / 1e9;
    let mut out = format!(
        "#[Histogram log format version 1.3]\n#[StartTime: {base:.3} (seconds since epoch)]\n\
         #[BaseTime: {base:.3} (seconds since epoch)]\n#[MaxValueDivisor: {MAX_DIVISOR:.1}]\n\
         \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    );
    for slice in slices {
        let start = (slice.started_unix_ns - base_ns) as f64 / 1e9;
        let name = tag(&slice.label());
        let pairs = [
            (name.clone(), &slice.histograms.response_time, &slice.measured.response_time_ns),
            (format!("{name}/service_time"), &slice.histograms.service_time, &slice.measured.service_time_ns),
        ];
        for (name, histogram, durations) in pairs {
            let max = durations.max.unwrap_or(0) as f64 / MAX_DIVISOR;
            // A slice without an answer is an interval all the same.
            let empty = LatencyHistogram::new().encode();
            let histogram = if histogram.is_empty() { &empty } else { histogram };
            out.push_str(&format!(
                "Tag={name},{start:.3},{:.3},{max:.3},{histogram}\n",
                slice.measured.seconds
            ));
        }
    }
    out
}
