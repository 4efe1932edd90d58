use super::*;
use crate::tests::told;
use crate::writing::Context;
use proofload_engine::feed::Filter;

fn of(bytes: &[u8], kind: TableKind) -> Result<Table, Mistake> {
    Table::of("x".to_string(), Ok(bytes.to_vec()), kind)
}

/// The same text as a file that is read again for each column.
fn long(bytes: &[u8], kind: TableKind) -> (tempfile::NamedTempFile, Result<Table, Mistake>) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let table = Table::of("x".to_string(), Err(file.path().to_path_buf()), kind);
    (file, table)
}

fn texts(table: &Table, column: Option<&str>) -> Vec<String> {
    let column = table.column("t", column).unwrap();
    let texts = table.texts("t", column, Context::Body.writing(None).unwrap()).unwrap();
    let text = |row| String::from_utf8(texts.get(row, &mut Vec::new()).unwrap().to_vec()).unwrap();
    (0..texts.rows()).map(text).collect()
}

#[test]
fn what_is_wrong_with_a_table_is_told_with_its_line() {
    for (text, expected) in [
        ("", "x has no rows"),
        ("a,b\n", "x has no rows"),
        ("a,a\n1,2\n", "x:1: the column a is here a second time"),
        ("a,\n1,2\n", "x:1: column 2 has no name"),
        ("a,b\n1,\"2\n3,4\n", "x:2: the quote that begins here does not end"),
        ("a,b\n1,\"2\"\"\n3\",x\n\"\",\"\n", "x:4: the quote that begins here does not end"),
        ("a,b\n1,2\n3\n", "x:3: 1 columns, the first row names 2"),
    ] {
        let found = told(&of(text.as_bytes(), TableKind::Csv).unwrap_err());
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
    let found = told(&of(b"a\n\xff\n", TableKind::Csv).unwrap_err());
    assert!(found.starts_with("x:2: is not UTF-8"), "{found}");
    let lines = |text: &[u8]| told(&of(text, TableKind::JsonLines).unwrap_err());
    assert!(lines(b"{\"a\":1}\n\n[1]\n").starts_with("x:3:"), "{}", lines(b"{\"a\":1}\n\n[1]\n"));
    assert!(lines(b"{\"a\":1}\n{\"b\":1}\n").starts_with("x:2: has no a"));
    assert!(lines(b"{\"a\":1}\n\xff").starts_with("x:2: is not UTF-8"));
    assert!(lines(b"\n").starts_with("x has no rows"));
}

#[test]
fn a_long_table_is_told_and_read_as_a_short_one() {
    for (text, kind, column, expected) in [
        ("\u{feff}a,b\r\n1,\"x,\n\"\"y\"\n\n,é\n", TableKind::Csv, Some("b"), vec!["x,\n\"y", "é"]),
        ("{\"a\": 1}\n\n {\"a\": \"\\\"\", \"b\": 2} \n", TableKind::JsonLines, Some("a"), vec!["1", "\""]),
        ("{\"a\": 1}\n", TableKind::JsonLines, None, vec!["{\"a\": 1}"]),
        ("/a?b=c\r\n\n /d", TableKind::Lines, None, vec!["/a?b=c", "/d"]),
    ] {
        let short = of(text.as_bytes(), kind).unwrap();
        let (_file, long) = long(text.as_bytes(), kind);
        let long = long.unwrap();
        assert_eq!(texts(&short, column), expected);
        assert_eq!(texts(&long, column), expected);
        assert_eq!((short.rows, long.rows), (expected.len() as u64, expected.len() as u64));
    }
    for (text, kind) in [
        ("a\n\"b", TableKind::Csv),
        ("a,b\n1\n", TableKind::Csv),
        ("[]", TableKind::JsonLines),
        ("\n", TableKind::Lines),
    ] {
        let (_file, long) = long(text.as_bytes(), kind);
        assert_eq!(told(&long.unwrap_err()), told(&of(text.as_bytes(), kind).unwrap_err()));
    }
}

#[test]
fn a_line_of_json_is_taken_whole_or_by_its_keys() {
    let text = br#"{"id": 7, "tags": [1, 2], "no": null, "s": "a\"b"}"#;
    let table = of(text, TableKind::JsonLines).unwrap();
    for (column, expected) in [("id", "7"), ("tags", "[1,2]"), ("no", ""), ("s", "a\"b")] {
        assert_eq!(texts(&table, Some(column)), [expected]);
    }
    assert_eq!(texts(&table, None), [std::str::from_utf8(text).unwrap()]);
}

#[test]
fn lines_have_no_columns_and_a_bad_one_is_told_with_its_number() {
    let table = of(b"a\n\nb\tc\nd\x01\n", TableKind::Lines).unwrap();
    assert!(matches!(table.column("t", Some("x")), Err(Mistake::NoColumns { .. })));
    let header = Context::Header.writing(None).unwrap();
    let found = told(&table.texts("t", None, header).unwrap_err());
    assert!(found.starts_with("x:4: holds a line break or another control"), "{found}");
    let coded = table.texts("t", None, Context::Header.writing(Some(Filter::Url)).unwrap()).unwrap();
    assert_eq!(coded.get(2, &mut Vec::new()).unwrap(), b"d%01");
    assert!(told(&of(b"a\n\xff\n", TableKind::Lines).unwrap_err()).starts_with("x:2: is not UTF-8"));
}

#[test]
fn a_file_that_changes_between_its_readings_is_told() {
    let (file, table) = long(b"a\nb\n", TableKind::Lines);
    std::fs::write(file.path(), "a\n").unwrap();
    let found = told(&table.unwrap().texts("t", None, Writing::default()).unwrap_err());
    assert!(found.contains("was changed while it was read"), "{found}");
}

#[test]
fn only_a_long_file_is_read_again() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (bytes, is_kept) in [(KEPT_BYTES, true), (KEPT_BYTES + 1, false)] {
        std::fs::write(file.path(), vec![b'a'; bytes as usize]).unwrap();
        let table = Table::read(file.path(), TableKind::Lines).unwrap();
        assert_eq!((table.bytes.is_ok(), table.rows), (is_kept, 1));
    }
}
