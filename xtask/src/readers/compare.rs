//! What other programs read of a record against what Proofload says of it.

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;

/// The points of a result that single slices are of: with streams those of the streams, not of all together.
pub fn points(result: &Value) -> anyhow::Result<Vec<&Value>> {
    let all = result["points"].as_array().context("no points")?;
    let of_stream = |point: &&Value| !text(point, "stream").is_empty();
    let has_streams = all.iter().any(|point| of_stream(&point));
    Ok(all.iter().filter(|point| !has_streams || of_stream(point)).collect())
}

fn text<'a>(point: &'a Value, key: &str) -> &'a str {
    point[key].as_str().unwrap_or_default()
}

/// `VARIANT@POINT`, with streams `VARIANT/STREAM@POINT`.
pub fn label(point: &Value) -> String {
    let stream = text(point, "stream");
    let stream = if stream.is_empty() { String::new() } else { format!("/{stream}") };
    format!("{}{stream}@{}", text(point, "variant"), text(point, "point"))
}

/// Lines that must be the same, one by one.
pub fn lines<'a>(
    ours: impl Iterator<Item = &'a str>,
    theirs: impl Iterator<Item = &'a str>,
) -> anyhow::Result<usize> {
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.collect(), theirs.collect());
    ensure!(ours.len() == theirs.len(), "{} lines, and {} were read", ours.len(), theirs.len());
    for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        ensure!(ours == theirs, "line {}: {ours:?}, and read was {theirs:?}", at + 1);
    }
    Ok(ours.len())
}

/// Counts that a table of windows comes to, by variant, stream, point and series, against those of a result; of a single
/// slice its quantiles, too. How many values were compared.
pub fn totals(result: &Value, sums: &Value) -> anyhow::Result<usize> {
    let mut compared = 0;
    let is_single = result["plan"].is_null();
    for point in points(result)? {
        let place = ["variant", "stream", "point"].map(|key| text(point, key)).join("\t");
        let mut expected: BTreeMap<String, &Value> = BTreeMap::new();
        for (group, series) in [("outcomes", "outcome"), ("codes", "code")] {
            let counts = point[group].as_object().context("no counts")?;
            expected.extend(counts.iter().map(|(name, n)| (format!("{series}.{name}"), n)));
        }
        for key in ["bytes_sent", "bytes_received", "intended"] {
            expected.insert(key.to_string(), &point[key]);
        }
        if is_single {
            expected.insert("throughput_per_s".to_string(), &point["throughput_per_s"]);
            for name in ["mean", "p50", "p99", "p999", "max"] {
                expected.insert(format!("response_time_{name}_ns"), &point["response_time_ns"][name]);
            }
        }
        for (series, n) in expected {
            let read = &sums[format!("{place}\t{series}")];
            ensure!(read.as_f64() == n.as_f64(), "{place} {series}: {n}, and read was {read}");
            compared += 1;
        }
    }
    Ok(compared)
}

/// JMeter's statistics against a result: counts exactly, times to JMeter's whole milliseconds. How many labels there are.
pub fn statistics(result: &Value, statistics: &Value) -> anyhow::Result<usize> {
    let mut expected = BTreeMap::new();
    for point in points(result)? {
        let (times, label) = (&point["response_time_ns"], label(point));
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        let (answered, unended) = (count(&times["count"]), count(&times["unended"]));
        let all: u64 = point["outcomes"].as_object().context("no outcomes")?.values().map(count).sum();
        let failed = all - answered - unended;
        expected.insert(label.clone(), (answered + unended, unended, Some(times)));
        if failed > 0 {
            expected.insert(format!("{label}/failed"), (failed, failed, None));
        }
    }
    let mut read = statistics.as_object().context("no statistics")?.clone();
    read.remove("Total");
    let names: Vec<&String> = read.keys().collect();
    ensure!(
        names == expected.keys().collect::<Vec<_>>(),
        "labels {:?}, and read were {names:?}",
        expected.keys()
    );
    for (label, (count, errors, times)) in &expected {
        let row = &read[label];
        ensure!(
            row["sampleCount"].as_u64() == Some(*count),
            "{label}: {count} exchanges, and read were {row}"
        );
        ensure!(row["errorCount"].as_u64() == Some(*errors), "{label}: {errors} errors, and read were {row}");
        let Some(times) = times else { continue };
        let pairs = [
            ("mean", "meanResTime"),
            ("p50", "medianResTime"),
            ("p90", "pct1ResTime"),
            ("p99", "pct3ResTime"),
        ];
        for (ours, theirs) in pairs {
            alike(times[ours].as_f64(), row[theirs].as_f64()).with_context(|| format!("{label}: {ours}"))?;
        }
    }
    Ok(expected.len())
}

/// Whether nanoseconds are these milliseconds: within half of one, what a bucket is wide, and a little for JMeter's
/// interpolation between two values.
fn alike(ns: Option<f64>, ms: Option<f64>) -> anyhow::Result<()> {
    let (Some(ns), Some(read_ms)) = (ns, ms) else { bail!("{ns:?} ns, and read was {ms:?} ms") };
    let ms = ns / 1e6;
    ensure!((ms - read_ms).abs() <= 0.6 + ms * 0.002, "{ms} ms, and read was {read_ms} ms");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result() -> Value {
        json!({ "plan": null, "points": [{
            "variant": "a", "stream": "", "point": "2c", "throughput_per_s": 7.5, "bytes_sent": 1, "bytes_received": 2,
            "intended": 15, "outcomes": { "answered": 10, "timeout": 2, "rejected": 3 }, "codes": { "200": 10 },
            "response_time_ns": { "count": 10, "unended": 2, "mean": 2.4e6, "p50": 2_000_000, "p90": 3_000_000,
                "p99": 4_000_000, "p999": 5_000_000, "max": 5_000_000 }
        }]})
    }

    #[test]
    fn a_line_that_differs_or_lacks_is_noticed() {
        assert_eq!(lines("a\nb".lines(), "a\nb".lines()).unwrap(), 2);
        assert!(lines("a\nb".lines(), "a\nc".lines()).unwrap_err().to_string().contains("line 2"));
        assert!(lines("a\nb".lines(), "a".lines()).is_err());
    }

    #[test]
    fn a_count_that_differs_by_one_is_noticed() {
        let place = "a\t\t2c\t";
        let mut sums = json!({});
        let known = [
            ("outcome.answered", 10.0),
            ("outcome.timeout", 2.0),
            ("outcome.rejected", 3.0),
            ("code.200", 10.0),
            ("bytes_sent", 1.0),
            ("bytes_received", 2.0),
            ("intended", 15.0),
            ("throughput_per_s", 7.5),
            ("response_time_mean_ns", 2.4e6),
            ("response_time_p50_ns", 2e6),
            ("response_time_p99_ns", 4e6),
            ("response_time_p999_ns", 5e6),
            ("response_time_max_ns", 5e6),
        ];
        known.iter().for_each(|(series, n)| sums[format!("{place}{series}")] = json!(n));
        assert_eq!(totals(&result(), &sums).unwrap(), known.len());
        for (series, n) in known {
            let mut wrong = sums.clone();
            wrong[format!("{place}{series}")] = json!(n + 1.0);
            assert!(totals(&result(), &wrong).is_err(), "{series}");
        }
    }

    #[test]
    fn statistics_that_differ_are_noticed() {
        let row = json!({ "sampleCount": 12, "errorCount": 2, "meanResTime": 2.0, "medianResTime": 2.0,
            "pct1ResTime": 3.0, "pct3ResTime": 4.0 });
        let read = json!({ "Total": {}, "a@2c": row, "a@2c/failed": { "sampleCount": 3, "errorCount": 3 } });
        assert_eq!(statistics(&result(), &read).unwrap(), 2);
        for (key, wrong) in
            [("sampleCount", 11.0), ("errorCount", 1.0), ("meanResTime", 1.0), ("pct3ResTime", 5.0)]
        {
            let mut read = read.clone();
            read["a@2c"][key] = json!(wrong);
            assert!(statistics(&result(), &read).is_err(), "{key}");
        }
        let mut lacks = read.clone();
        lacks.as_object_mut().unwrap().remove("a@2c/failed");
        assert!(statistics(&result(), &lacks).is_err());
    }
}
