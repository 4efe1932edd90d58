use super::*;
use crate::tests::told;

fn csv(text: &str) -> Result<Table, Mistake> {
    Table::of("users.csv".to_string(), Ok(text.as_bytes().to_vec()), TableKind::Csv)
}

/// Feeders with that one table, named `users`.
fn with(table: Table) -> Feeders {
    let mut feeders = Feeders::default();
    let feeder = Feeder::Rows { rows: table.rows, order: Order::Sequential };
    feeders.push("users", feeder, Some(table), None);
    feeders
}

/// The text of a row of the column that a draw takes.
fn text_of(draw: &Draw, row: u64) -> String {
    let Draw::Value { column: Some(column), .. } = draw else { panic!("{draw:?}") };
    String::from_utf8(column.get(row, &mut Vec::new()).unwrap().to_vec()).unwrap()
}

#[test]
fn a_value_is_escaped_for_where_it_stands() {
    let mut feeders = with(csv("\u{feff}name,note\n\"a b/ü&\",x\nc,\"two\nlines\"\n").unwrap());
    let target = feeders.draw("users", Some("name"), None, Context::Target).unwrap();
    let header = feeders.draw("users", Some("name"), None, Context::Header).unwrap();
    let body = feeders.draw("users", Some("note"), None, Context::Body).unwrap();
    assert_eq!(feeders.draw("users", Some("name"), None, Context::Target), Ok(target));
    let refused = told(&feeders.draw("users", Some("note"), None, Context::Header).unwrap_err());
    assert!(refused.starts_with("users.csv:3: note: holds a line break"), "{refused}");
    let feed = feeders.into_feed();
    let text = |draw: u16, row| text_of(&feed.draws[usize::from(draw)], row);
    assert_eq!(text(target, 0), "a%20b%2F%C3%BC%26");
    assert_eq!(text(header, 0), "a b/ü&");
    assert_eq!(text(body, 1), "two\nlines");
    assert_eq!(feed.draws.len(), 3);
}

#[test]
fn a_use_that_fits_no_feeder_says_what_there_is() {
    let mut feeders = with(csv("id,name\n1,a\n").unwrap());
    feeders.add("n", &FeederSpec::Made(Feeder::Counter { from: 1, step: 1 }), None).unwrap();
    for (name, column, expected) in [
        ("user", None, "there is no feeder user; known: users, n"),
        ("users", None, "users has columns; write ${users.COLUMN} with one of id, name"),
        ("users", Some("mail"), "users.csv: there is no column mail; known: id, name"),
        ("n", Some("x"), "n has no columns; write ${n} without .x"),
    ] {
        let found = told(&feeders.draw(name, column, None, Context::Body).unwrap_err());
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn a_value_in_json_is_escaped_within_a_string_and_must_be_json_outside() {
    let mut feeders = with(csv("name,age,more\n\"a\"\"b\",7,\"[1, {}]\"\nc,-1.5e3,null\nd,,x\n").unwrap());
    feeders.add("n", &FeederSpec::Made(Feeder::Counter { from: 1, step: 1 }), None).unwrap();
    feeders.add("t", &FeederSpec::Made(Feeder::Text { length: 3 }), None).unwrap();
    let mut text = |column: &str, filter, context| {
        let draw = feeders.draw("users", Some(column), filter, context).map_err(|mistake| told(&mistake))?;
        Ok::<_, String>(text_of(&feeders.feed.draws[usize::from(draw)], 0))
    };
    let (within, outside) = (Context::JsonString, Context::JsonValue);
    for (context, filter, expected) in [
        (within, None, r#"a\"b"#),
        (within, Some(Filter::Json), r#"a\"b"#),
        (within, Some(Filter::Raw), r#"a"b"#),
        (outside, Some(Filter::Json), r#""a\"b""#),
        (outside, Some(Filter::Raw), r#"a"b"#),
        (Context::Body, Some(Filter::Json), r#""a\"b""#),
        (Context::Body, Some(Filter::Base64), "YSJi"),
        (Context::Urlencoded, None, "a%22b"),
    ] {
        assert_eq!(text("name", filter, context).as_deref(), Ok(expected), "{context:?} {filter:?}");
    }
    let refused = text("name", None, outside).unwrap_err();
    assert!(refused.starts_with("users.csv:2: name: is not JSON"), "{refused}");
    assert!(refused.contains("${users.name|json}"), "{refused}");
    assert!(text("age", None, outside).unwrap_err().starts_with("users.csv:4: age: "), "nothing is no JSON");
    assert!(text("more", None, outside).unwrap_err().starts_with("users.csv:4: more: "));
    assert!(feeders.draw("n", None, None, outside).is_ok(), "a number is JSON");
    assert!(told(&feeders.draw("t", None, None, outside).unwrap_err()).contains("${t|json}"));
}

#[test]
fn forms_that_a_path_or_a_form_cannot_have_are_refused_there() {
    let mut feeders = with(csv("path,bad\n/a?b=%20,é| x\n").unwrap());
    for context in [Context::Target, Context::WholeTarget, Context::Urlencoded] {
        for filter in [Filter::Json, Filter::Base64] {
            let refused = told(&feeders.draw("users", Some("bad"), Some(filter), context).unwrap_err());
            assert!(
                refused.contains("form, url, raw or sha256") || refused.contains("form, url, raw, sha256"),
                "{refused}"
            );
        }
    }
    let mut text = |column, filter, context| {
        let draw = feeders.draw("users", Some(column), filter, context).unwrap();
        text_of(&feeders.feed.draws[usize::from(draw)], 0)
    };
    assert_eq!(text("path", None, Context::WholeTarget), "a?b=%20");
    assert_eq!(text("path", Some(Filter::Raw), Context::Target), "/a?b=%20");
    assert_eq!(text("bad", Some(Filter::Raw), Context::Target), "%C3%A9%7C%20x");
}

#[test]
fn what_users_capture_has_the_form_of_its_place_and_names_of_its_own() {
    let mut feeders = with(csv("id\n1\n").unwrap());
    assert_eq!(feeders.add_variable("token"), Ok(0));
    assert_eq!(feeders.add_variable("next"), Ok(1));
    assert_eq!(feeders.add_variable("token"), Ok(0));
    assert!(matches!(feeders.add_variable("users"), Err(Mistake::Twice { .. })));
    for name in ["env", "", "a.b", "a b"] {
        assert!(feeders.add_variable(name).is_err(), "{name}");
    }
    for (context, filter, expected) in [
        (Context::Target, None, Filter::Url),
        (Context::WholeTarget, None, Filter::Target),
        (Context::Header, None, Filter::Line),
        (Context::Header, Some(Filter::Raw), Filter::Line),
        (Context::Header, Some(Filter::Base64), Filter::Base64),
        (Context::Body, None, Filter::Raw),
        (Context::JsonString, None, Filter::JsonText),
        (Context::JsonValue, None, Filter::Raw),
        (Context::JsonValue, Some(Filter::Json), Filter::Json),
        (Context::Urlencoded, None, Filter::Form),
    ] {
        let draw = feeders.draw("next", None, filter, context).unwrap();
        let drawn = &feeders.feed.draws[usize::from(draw)];
        assert_eq!(*drawn, Draw::Variable { variable: 1, filter: expected }, "{context:?}");
    }
    let found = told(&feeders.draw("tokn", None, None, Context::Body).unwrap_err());
    assert!(found.contains("known: users, token, next"), "{found}");
    let found = told(&feeders.draw("token", Some("x"), None, Context::Body).unwrap_err());
    assert!(found.starts_with("token has no columns"), "{found}");
}

#[test]
fn users_draw_once_from_a_feeder_unless_it_is_of_the_request() {
    let mut feeders = with(csv("id\n1\n").unwrap());
    let held = Feeder::Payload { sizes: 5.into(), most_bytes: 5, redraw_ns: 1 };
    for (name, feeder, per) in [
        ("a", Feeder::Uuid, None),
        ("b", Feeder::Uuid, Some(Per::Request)),
        ("c", Feeder::Time(TimeForm::Unix), None),
        ("d", Feeder::Time(TimeForm::Unix), Some(Per::User)),
        ("e", held, None),
    ] {
        feeders.add(name, &FeederSpec::Made(feeder), per).unwrap();
    }
    feeders.draw_per_user();
    assert_eq!(feeders.into_feed().per_user, [0, 1, 4]);
}

#[test]
fn a_time_is_encoded_where_its_colons_need_that() {
    let mut feeders = Feeders::default();
    feeders.add("t", &FeederSpec::Made(Feeder::Time(TimeForm::Iso)), None).unwrap();
    feeders.add("u", &FeederSpec::Made(Feeder::Time(TimeForm::UnixMs)), None).unwrap();
    for (name, context, expected) in [
        ("t", Context::Target, Filter::Url),
        ("t", Context::JsonString, Filter::JsonText),
        ("u", Context::Target, Filter::Raw),
        ("u", Context::JsonValue, Filter::Raw),
    ] {
        let draw = feeders.draw(name, None, None, context).unwrap();
        let drawn = &feeders.feed.draws[usize::from(draw)];
        assert!(matches!(drawn, Draw::Value { filter, .. } if *filter == expected), "{name}: {drawn:?}");
    }
    assert!(matches!(feeders.draw("t", None, None, Context::JsonValue), Err(Mistake::NotJson { .. })));
}
