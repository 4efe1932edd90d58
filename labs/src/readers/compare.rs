//! Comparison of a record as other programs read it with Proofload's own figures.

use anyhow::{Context, bail, ensure};
use serde_json::{Map, Value};
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

/// Its part of a file's name: `VARIANT-STREAM-POINT`.
pub fn file_name(point: &Value) -> String {
    let parts = ["variant", "stream", "point"].map(|key| text(point, key).replace([':', '/', '+'], "_"));
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
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

/// JMeter's statistics of a JTL, and that JTL, against a result: counts exactly; of times JMeter's are those of the lines,
/// and quantiles of the lines those of the result, to whole milliseconds. How many labels there are.
pub fn statistics(result: &Value, jtl: &str, statistics: &Value) -> anyhow::Result<usize> {
    let mut times = elapsed(jtl)?;
    let mut read = statistics.as_object().context("no statistics")?.clone();
    read.remove("Total");
    let names = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<Vec<_>>();
    let (written, names) = (names(&mut times.keys()), names(&mut read.keys()));
    ensure!(names == written, "labels {written:?}, and read were {names:?}");
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    for point in points(result)? {
        let (ours, label) = (&point["response_time_ns"], label(point));
        let (answered, unended) = (count(&ours["count"]), count(&ours["unended"]));
        let all: u64 = point["outcomes"].as_object().context("no outcomes")?.values().map(count).sum();
        let failed = all - answered - unended;
        counted(&read, &label, answered + unended, unended)?;
        if failed > 0 {
            counted(&read, &format!("{label}/failed"), failed, failed)?;
        }
        let lines = times.get_mut(&label).with_context(|| format!("{label}: no line"))?;
        lines.sort_by(f64::total_cmp);
        let mean = lines.iter().sum::<f64>() / lines.len() as f64;
        let row = &read[&label];
        same(&label, "mean", row["meanResTime"].as_f64(), mean, 1e-6)?;
        same(&label, "mean of the record", ours["mean"].as_f64().map(|ns| ns / 1e6), mean, HALF_MS)?;
        for (name, share, theirs) in
            [("p50", 0.5, "medianResTime"), ("p90", 0.9, "pct1ResTime"), ("p99", 0.99, "pct3ResTime")]
        {
            same(&label, name, row[theirs].as_f64(), between(lines, share), 1e-6)?;
            let rank = (share * lines.len() as f64).ceil().max(1.0) as usize;
            let ms = ours[name].as_f64().map(|ns| ns / 1e6);
            same(&label, &format!("{name} of the record"), ms, lines[rank - 1], HALF_MS)?;
        }
    }
    Ok(written.len())
}

/// Relative width of a bucket of a histogram.
const BUCKET: f64 = 0.001;
/// Largest change by rounding to milliseconds, and a bit.
const HALF_MS: f64 = 0.51;

/// The elapsed times of each label, in milliseconds.
fn elapsed(jtl: &str) -> anyhow::Result<BTreeMap<String, Vec<f64>>> {
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in jtl.lines().skip(1) {
        let mut columns = line.split(',').skip(1);
        let (ms, label) = columns.next().zip(columns.next()).with_context(|| format!("{line:?}"))?;
        times.entry(label.to_string()).or_default().push(ms.parse()?);
    }
    Ok(times)
}

/// A quantile as JMeter has it: between two values where its rank lies between them.
fn between(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() as f64 + 1.0);
    let at = |rank: f64| sorted[(rank as usize).clamp(1, sorted.len()) - 1];
    at(place.floor()) + (place - place.floor()) * (at(place.floor() + 1.0) - at(place.floor()))
}

fn counted(read: &Map<String, Value>, label: &str, samples: u64, errors: u64) -> anyhow::Result<()> {
    let row = read.get(label).with_context(|| format!("{label}: {samples} exchanges, and none was read"))?;
    let found = (row["sampleCount"].as_u64(), row["errorCount"].as_u64());
    ensure!(
        found == (Some(samples), Some(errors)),
        "{label}: {samples} exchanges, {errors} errors, and read was {row}"
    );
    Ok(())
}

/// Checks that two times are the same, up to that and to the width of a bucket.
fn same(label: &str, what: &str, read_ms: Option<f64>, ms: f64, up_to_ms: f64) -> anyhow::Result<()> {
    let Some(read_ms) = read_ms else { bail!("{label}: no {what}") };
    ensure!(
        (read_ms - ms).abs() <= up_to_ms + ms * BUCKET,
        "{label}: {what}: {read_ms} ms, and the lines have {ms} ms"
    );
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
        let (answered, waited) = ([2.0; 6], [3.0, 3.0, 3.0, 3.0, 4.0, 4.0]);
        let line = |ms: &f64| format!("0,{ms},a@2c,200\n");
        let failed = "0,0,a@2c/failed,500\n".repeat(3);
        let jtl = format!("header\n{}{failed}", answered.iter().chain(&waited).map(line).collect::<String>());
        let mut result = result();
        let times = &mut result["points"][0]["response_time_ns"];
        (times["mean"], times["p50"], times["p90"]) = (json!(2.6e6), json!(2e6), json!(4e6));
        let row = json!({ "sampleCount": 12, "errorCount": 2, "meanResTime": 32.0 / 12.0, "medianResTime": 2.5,
            "pct1ResTime": 4.0, "pct3ResTime": 4.0 });
        let read = json!({ "Total": {}, "a@2c": row, "a@2c/failed": { "sampleCount": 3, "errorCount": 3 } });
        assert_eq!(statistics(&result, &jtl, &read).unwrap(), 2);
        for (key, wrong) in
            [("sampleCount", 11.0), ("errorCount", 1.0), ("meanResTime", 2.5), ("pct1ResTime", 4.1)]
        {
            let mut read = read.clone();
            read["a@2c"][key] = json!(wrong);
            assert!(statistics(&result, &jtl, &read).is_err(), "{key}");
        }
        for (key, wrong) in [("count", 9.0), ("mean", 4e6), ("p50", 3e6), ("p99", 3e6)] {
            let mut result = result.clone();
            result["points"][0]["response_time_ns"][key] = json!(wrong);
            assert!(statistics(&result, &jtl, &read).is_err(), "{key}");
        }
        let mut lacks = read.clone();
        lacks.as_object_mut().unwrap().remove("a@2c/failed");
        assert!(statistics(&result, &jtl, &lacks).is_err());
    }
}
