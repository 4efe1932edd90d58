use super::*;
use crate::tests::told;

fn csv(text: &str) -> Result<Table, Mistake> {
    parse_csv("users.csv", text.as_bytes())
}

/// Feeders with that one table, named `users`.
fn with(table: Table) -> Feeders {
    let feeder = Feeder::Rows { rows: table.lines.len() as u64, order: Order::Sequential };
    Feeders {
        names: vec!["users".to_string()],
        feed: Feed { feeders: vec![feeder], draws: Vec::new() },
        tables: vec![Some(table)],
        draws: HashMap::new(),
    }
}

/// The column that a draw takes.
fn of_column(draw: &Draw) -> &Column {
    match draw {
        Draw::Value { column: Some(column), .. } => column,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_value_is_escaped_for_where_it_stands() {
    let mut feeders = with(csv("\u{feff}name,note\n\"a b/ü&\",x\nc,\"two\nlines\"\n").unwrap());
    let target = feeders.draw("users", Some("name"), Context::Target).unwrap();
    let header = feeders.draw("users", Some("name"), Context::Header).unwrap();
    let body = feeders.draw("users", Some("note"), Context::Body).unwrap();
    assert_eq!(feeders.draw("users", Some("name"), Context::Target), Ok(target));
    let refused = told(&feeders.draw("users", Some("note"), Context::Header).unwrap_err());
    assert!(refused.starts_with("users.csv:3: note: holds a line break"), "{refused}");
    let feed = feeders.into_feed();
    let text = |draw: u16, row| {
        let column = of_column(&feed.draws[usize::from(draw)]);
        String::from_utf8(column.get(row).to_vec()).unwrap()
    };
    assert_eq!(text(target, 0), "a%20b%2F%C3%BC%26");
    assert_eq!(text(header, 0), "a b/ü&");
    assert_eq!(text(body, 1), "two\nlines");
    assert_eq!(feed.draws.len(), 3);
}

#[test]
fn what_is_wrong_with_a_table_is_told_with_its_line() {
    for (text, expected) in [
        ("", "users.csv has no rows"),
        ("a,b\n", "users.csv has no rows"),
        ("a,a\n1,2\n", "users.csv:1: the column a is here a second time"),
        ("a,\n1,2\n", "users.csv:1: column 2 has no name"),
        ("a,b\n1,\"2\n3,4\n", "users.csv:2: the quote that begins here does not end"),
        ("a,b\n1,\"2\"\"\n3\",x\n\"\",\"\n", "users.csv:4: the quote that begins here does not end"),
        ("a,b\n1,2\n3\n", "users.csv:3: 1 columns, the first row names 2"),
    ] {
        let found = told(&csv(text).unwrap_err());
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
    let found = told(&parse_csv("x", b"a\n\xff\n").unwrap_err());
    assert!(found.starts_with("x:2: is not UTF-8"), "{found}");
    let lines = |text: &[u8]| told(&parse_json_lines("x", text).unwrap_err());
    assert!(lines(b"{\"a\":1}\n\n[1]\n").starts_with("x:3:"), "{}", lines(b"{\"a\":1}\n\n[1]\n"));
    assert!(lines(b"{\"a\":1}\n{\"b\":1}\n").starts_with("x:2: has no a"));
    assert!(lines(b"{\"a\":1}\n\xff").starts_with("x:2: is not UTF-8"));
    assert!(lines(b"\n").starts_with("x has no rows"));
}

#[test]
fn a_line_of_json_is_taken_whole_or_by_its_keys() {
    let table =
        parse_json_lines("x", b"{\"id\": 7, \"tags\": [1, 2], \"no\": null, \"s\": \"a\\\"b\"}\n").unwrap();
    let mut feeders = with(table);
    let mut text = |column: Option<&str>| {
        let draw = feeders.draw("users", column, Context::Body).unwrap();
        let column = of_column(&feeders.feed.draws[usize::from(draw)]);
        String::from_utf8(column.get(0).to_vec()).unwrap()
    };
    assert_eq!(text(Some("id")), "7");
    assert_eq!(text(Some("tags")), "[1,2]");
    assert_eq!(text(Some("no")), "");
    assert_eq!(text(Some("s")), "a\"b");
    assert_eq!(text(None), "{\"id\": 7, \"tags\": [1, 2], \"no\": null, \"s\": \"a\\\"b\"}");
}

#[test]
fn a_use_that_fits_no_feeder_says_what_there_is() {
    let mut feeders = with(csv("id,name\n1,a\n").unwrap());
    feeders.add("n", &FeederSpec::Made(Feeder::Counter { from: 1, step: 1 })).unwrap();
    for (name, column, expected) in [
        ("user", None, "there is no feeder user; known: users, n"),
        ("users", None, "users has columns; write ${users.COLUMN} with one of id, name"),
        ("users", Some("mail"), "users.csv: there is no column mail; known: id, name"),
        ("n", Some("x"), "n has no columns; write ${n} without .x"),
    ] {
        let found = told(&feeders.draw(name, column, Context::Body).unwrap_err());
        assert!(found.starts_with(expected), "{found}");
    }
}
