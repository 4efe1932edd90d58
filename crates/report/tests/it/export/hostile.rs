//! Texts of strangers as names of variants, streams, load points, series and codes: a file has the rows, lines and names
//! that it has anyway.

use super::{jtl, parquet, result, watched};
use ::parquet::record::RowAccessor;
use proofload_report::formats::hgrm;
use proofload_store::schema::{RunResult, Slice};
use proofload_testkit::HOSTILE;
use std::collections::BTreeMap;

fn poisoned(text: &str) -> (RunResult, Slice) {
    let (mut result, mut slice) = (result(), watched());
    let text = text.to_string();
    (result.study, result.question) = (text.clone(), text.clone());
    result.variants.iter_mut().for_each(|variant| variant.name.clone_from(&text));
    let measured = &mut slice.measured;
    (measured.variant, measured.stream, measured.point) = (text.clone(), text.clone(), text.clone());
    measured.codes = BTreeMap::from([(text.clone(), 20), (format!("{text}2"), 2)]);
    let telemetry = slice.telemetry.as_mut().expect("it");
    telemetry.series = BTreeMap::from([(text, vec![Some(1), None])]);
    (result, slice)
}

#[test]
fn parquet_gives_the_text_back_as_it_was() {
    let (calm, slice) = poisoned("word");
    let rows = parquet::rows(parquet::written(&calm, &[&slice])).len();
    for hostile in HOSTILE {
        let (result, slice) = poisoned(hostile);
        let bytes = parquet::written(&result, &[&slice]);
        let read = parquet::rows(bytes.clone());
        assert_eq!(read.len(), rows, "{hostile:?}");
        for row in &read {
            let names = [4, 5, 6].map(|column| row.get_string(column).expect("a name").clone());
            assert!(names.iter().all(|name| name == hostile), "{hostile:?}: {names:?}");
        }
        assert!(read.iter().any(|row| row.get_string(11).expect("a series") == hostile), "{hostile:?}");
        let reader = parquet::reader(bytes);
        let pairs = ::parquet::file::reader::FileReader::metadata(&reader).file_metadata();
        let study =
            pairs.key_value_metadata().into_iter().flatten().find(|pair| pair.key == "proofload.study");
        assert_eq!(study.and_then(|pair| pair.value.as_deref()), Some(hostile));
    }
}

#[test]
fn jtl_has_a_line_for_each_exchange_and_no_formula() {
    for hostile in HOSTILE {
        let (result, slice) = poisoned(hostile);
        let text = jtl::written(&result, &[&slice]);
        assert_eq!(text.lines().count(), 1 + 23, "{hostile:?}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{hostile:?}");
        for row in jtl::records(&text) {
            assert_eq!(row.len(), 13, "{hostile:?}");
            for cell in row.iter().filter(|cell| cell.parse::<f64>().is_err()) {
                let first = cell.trim_start_matches(' ').chars().next();
                assert!(!first.is_some_and(|c| "=+-@＝＋－＠".contains(c)), "{hostile:?} gives {cell:?}");
            }
        }
    }
}

#[test]
fn hgrm_has_a_name_that_stays_in_its_folder() {
    let (calm, slice) = poisoned("word");
    let calm = hgrm(&calm, &[&slice]).expect("a distribution");
    for hostile in HOSTILE.into_iter().chain(["..", "../../etc/passwd", "/", "连接"]) {
        let (result, slice) = poisoned(hostile);
        let all = hgrm(&result, &[&slice]).expect("a distribution");
        assert_eq!(all[0].text, calm[0].text, "{hostile:?}");
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        assert!(all[0].name.chars().all(plain) && all[0].name.len() < 200, "{hostile:?}: {}", all[0].name);
    }
}
