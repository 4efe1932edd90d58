//! Parquet, read back; `cargo xtask readers` has DuckDB and pyarrow read it.

use super::{result, small, watched};
use crate::made::SECOND;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Row, RowAccessor};
use proofload_report::formats::parquet;
use proofload_store::schema::{Phase, RunResult, Slice};

pub fn written(result: &RunResult, slices: &[&Slice]) -> Vec<u8> {
    let mut bytes = Vec::new();
    parquet(result, slices, &mut bytes).expect("written to memory");
    bytes
}

pub fn reader(bytes: Vec<u8>) -> SerializedFileReader<bytes::Bytes> {
    SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("Parquet")
}

pub fn rows(bytes: Vec<u8>) -> Vec<Row> {
    let reader = reader(bytes);
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

#[test]
fn each_value_of_a_slice_is_a_row() {
    let slice = watched();
    let bytes = written(&result(), &[&slice]);
    assert_eq!(bytes, written(&result(), &[&slice]), "the same record, the same bytes");
    let read = reader(bytes.clone());
    let metadata = read.metadata().file_metadata();
    let mut shown: Vec<String> = rows(bytes).iter().map(|row| row.to_string()).collect();
    let known = metadata.key_value_metadata().into_iter().flatten();
    shown.extend(known.map(|pair| format!("{} = {}", pair.key, pair.value.clone().unwrap_or_default())));
    insta::assert_snapshot!("slice.parquet", shown.join("\n"));
}

/// The value of a series at the beginning, and whether it is a lower end.
fn value(rows: &[Row], series: &str) -> (f64, bool) {
    let row = rows.iter().find(|row| row.get_string(11).expect("a series") == series).expect("its row");
    (row.get_double(12).expect("a value"), row.get_bool(13).expect("a mark"))
}

#[test]
fn counts_are_exact_and_lower_ends_are_marked() {
    let slice = small(0, 1);
    let rows = rows(written(&result(), &[&slice]));
    assert_eq!(value(&rows, "outcome.rejected"), (2.0, false));
    assert!(value(&rows, "response_time_max_ns").1, "a time-out may have taken any time");
    assert_eq!(
        value(&rows, "response_time_p50_ns"),
        (slice.measured.response_time_ns.p50.unwrap() as f64, false)
    );
    assert_eq!(value(&rows, "subject.cpu_ns"), (700_000_000.0, false));
    assert!(
        !rows.iter().any(|row| row.get_string(11).unwrap().starts_with("send_delay")),
        "of a closed loop"
    );
}

#[test]
fn what_figures_rest_on_is_marked() {
    let slices = [small(0, 1), small(0, 2), Slice { phase: Phase::WarmUp, ..small(0, 2) }];
    let slices: Vec<&Slice> = slices.iter().collect();
    let in_figures = |disturbed: &[u32]| {
        let blocks = 2 - disturbed.len() as u32;
        let result = RunResult { blocks, disturbed_blocks: disturbed.to_vec(), ..result() };
        let rows = rows(written(&result, &slices));
        let first = |row: &&Row| row.get_string(11).unwrap() == "seconds";
        rows.iter().filter(first).map(|row| row.get_bool(7).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(in_figures(&[]), [true, true, false]);
    assert_eq!(in_figures(&[1]), [false, true, false]);
    assert_eq!(in_figures(&[1, 2]), [true, true, false], "without any block that counts, all are shown");
}

#[test]
fn a_lost_variant_has_no_window() {
    let lost = Slice { phase: Phase::Lost, ..Slice::default() };
    assert!(rows(written(&result(), &[&lost])).is_empty());
}

#[test]
fn a_long_series_is_written_in_parts() {
    let mut slice = watched();
    let telemetry = slice.telemetry.as_mut().expect("it");
    telemetry.at_ns = (0..140_000).map(|n| n * SECOND / 10).collect();
    telemetry.series.insert("rss_bytes".into(), (0..140_000).map(Some).collect());
    let read = reader(written(&result(), &[&slice]));
    assert_eq!(read.num_row_groups(), 2);
    let rows = |part: usize| read.metadata().row_group(part).num_rows() as usize;
    // What goes before the samples is in the first part, and the second goes on where it ends.
    let second = read.get_row_group(1).expect("a part");
    let mut n = 140_000 - rows(1) as i32;
    assert!(rows(0) == 131_072 && n > 131_000, "{n}");
    for row in second.get_row_iter(None).expect("rows").map(|row| row.expect("a row")) {
        let told = (row.get_double(12).unwrap(), row.get_long(10).unwrap());
        assert_eq!(
            (row.get_string(9).unwrap().as_str(), told),
            ("sample", (f64::from(n), i64::from(n) * 100_000_000))
        );
        n += 1;
    }
    assert_eq!(n, 140_000);
}
