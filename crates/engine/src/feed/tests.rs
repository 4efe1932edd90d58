use super::*;
use crate::LoadPlan;
use proofload_wire::http1::{RequestPart, RequestSpec, Slot, Template};

fn column(texts: &[&str]) -> Option<Arc<Column>> {
    let mut column = Column::default();
    texts.iter().for_each(|text| column.push(text.as_bytes()));
    Some(Arc::new(column))
}

/// A request whose target holds every draw of the feed, with commas between.
fn request(draws: u16) -> Request {
    let slots = (0..draws).map(|draw| Slot { part: RequestPart::Target, at: 1 + usize::from(draw), draw });
    let target = format!("/{}", ",".repeat(usize::from(draws)));
    let template = Template { slots: slots.collect(), cookies: false, ..Template::default() };
    RequestSpec::get("h", &target).encode_with(&template).unwrap()
}

fn plan(feed: Feed, seed: u64) -> LoadPlan {
    LoadPlan { seed, asking: crate::Asking { feed, ..Default::default() }, ..crate::health::tests::plan() }
}

/// The targets of the first `count` exchanges of share `k` of `n`.
fn targets(plan: &LoadPlan, k: u64, n: u64, count: usize) -> Vec<String> {
    let request = request(plan.asking.feed.draws.len() as u16);
    let mut feeding = Feeding::new(&plan.asking.feed, plan.seed, Share { k, n });
    let mut numbers = vec![0; plan.asking.feed.feeders.len()];
    (0..count)
        .map(|_| {
            feeding.number(&request, 0, &mut numbers, None);
            feeding.draw(&request, &numbers, &[]);
            let mut out = Vec::new();
            request.places.write_stretch(&request.bytes, 0..request.bytes.len(), feeding.values(), &mut out);
            let sent = String::from_utf8(out).unwrap();
            sent.split(' ').nth(1).unwrap().to_owned()
        })
        .collect()
}

fn all_kinds() -> Feed {
    Feed {
        feeders: vec![
            Feeder::Rows { rows: 3, order: Order::Sequential },
            Feeder::Rows { rows: 3, order: Order::Random },
            Feeder::Counter { from: 10, step: 5 },
            Feeder::Number { from: 1, to: 1000 },
            Feeder::Text { length: 16 },
        ],
        draws: vec![
            Draw::Value { feeder: 0, column: column(&["a", "b", "c"]), filter: Filter::Raw },
            Draw::Value { feeder: 0, column: column(&["A", "B", "C"]), filter: Filter::Raw },
            Draw::Value { feeder: 1, column: column(&["x", "y", "z"]), filter: Filter::Raw },
            Draw::Value { feeder: 2, column: None, filter: Filter::Raw },
            Draw::Value { feeder: 3, column: None, filter: Filter::Raw },
            Draw::Value { feeder: 4, column: None, filter: Filter::Raw },
        ],
        ..Feed::default()
    }
}

#[test]
fn a_text_is_put_together_of_the_values_of_its_exchange() {
    let mut feed = all_kinds();
    let fixed = |text: &str| Piece::Fixed(text.to_string());
    let alone = targets(&plan(feed.clone(), 7), 0, 1, 20);
    feed.draws.push(Draw::Text(vec![
        fixed("user-"),
        Piece::Drawn(3),
        fixed("-"),
        Piece::Drawn(5),
        Piece::Drawn(3),
    ]));
    let both = targets(&plan(feed.clone(), 7), 0, 1, 20);
    for (alone, both) in alone.iter().zip(&both) {
        let (before, text) = both.rsplit_once("user-").expect("the text");
        assert_eq!(before.strip_suffix(','), alone.strip_suffix(','), "the values are those without it");
        let values: Vec<&str> = alone[1..].split(',').collect();
        assert_eq!(text, format!("{}-{}{},", values[3], values[5], values[3]));
    }
    // Alone it draws from its sources as well.
    let request = RequestSpec::get("h", "/").encode_with(&Template {
        slots: vec![Slot { part: RequestPart::Target, at: 1, draw: 6 }],
        cookies: false,
        ..Template::default()
    });
    let (request, mut numbers) = (request.unwrap(), vec![0; feed.feeders.len()]);
    let mut feeding = Feeding::new(&feed, 7, Share { k: 0, n: 1 });
    for expected in ["user-10-", "user-15-", "user-20-"] {
        feeding.number(&request, 0, &mut numbers, None);
        feeding.draw(&request, &numbers, &[]);
        let text = std::str::from_utf8(feeding.values().get(0)).unwrap();
        assert!(text.starts_with(expected), "{text}");
    }
}

#[test]
fn a_text_of_what_is_no_value_is_refused() {
    let text = |draw| Draw::Text(vec![Piece::Drawn(draw)]);
    for draw in [1, 9] {
        let feed = Feed {
            feeders: vec![Feeder::Counter { from: 1, step: 1 }],
            draws: vec![Draw::Value { feeder: 0, column: None, filter: Filter::Raw }, text(draw)],
            ..Feed::default()
        };
        let mut problems = Vec::new();
        feed.problems(std::iter::empty(), &mut problems);
        assert_eq!(problems, ["draws[1]: has a piece that is no value"]);
    }
}

#[test]
fn columns_of_a_row_go_together_and_rows_come_in_order() {
    let seen = targets(&plan(all_kinds(), 1), 0, 1, 4);
    let first: Vec<&str> = seen.iter().map(|target| target.split_at(4).0).collect();
    assert_eq!(first, ["/a,A", "/b,B", "/c,C", "/a,A"]);
    assert!(seen[0].split(',').nth_back(1).unwrap().len() == 16, "{seen:?}");
}

#[test]
fn the_same_seed_gives_the_same_values_and_another_gives_others() {
    let once = targets(&plan(all_kinds(), 7), 1, 3, 50);
    assert_eq!(once, targets(&plan(all_kinds(), 7), 1, 3, 50));
    assert_ne!(once, targets(&plan(all_kinds(), 8), 1, 3, 50));
}

#[test]
fn a_counter_gives_no_number_twice_over_all_shares_and_leaves_none_out() {
    let feed = Feed {
        feeders: vec![Feeder::Counter { from: 5, step: 2 }],
        draws: vec![Draw::Value { feeder: 0, column: None, filter: Filter::Raw }],
        ..Feed::default()
    };
    let plan = plan(feed, 1);
    let mut seen: Vec<u64> = (0..4)
        .flat_map(|k| targets(&plan, k, 4, 25))
        .map(|target| target.trim_matches(['/', ',']).parse().unwrap())
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..100).map(|number| 5 + 2 * number).collect::<Vec<u64>>());
}

#[test]
fn random_numbers_keep_within_their_bounds_and_reach_both() {
    let feed = Feed {
        feeders: vec![Feeder::Number { from: 3, to: 5 }],
        draws: vec![Draw::Value { feeder: 0, column: None, filter: Filter::Raw }],
        ..Feed::default()
    };
    let mut seen = targets(&plan(feed, 1), 0, 1, 200);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, ["/3,", "/4,", "/5,"]);
}

#[test]
fn what_does_not_fit_together_is_told() {
    let feed = Feed {
        feeders: vec![
            Feeder::Rows { rows: 2, order: Order::Random },
            Feeder::Counter { from: 1, step: 0 },
            Feeder::Number { from: 2, to: 1 },
            Feeder::Rows { rows: 0, order: Order::Random },
            Feeder::Text { length: 0 },
        ],
        draws: vec![
            Draw::Value { feeder: 0, column: column(&["a"]), filter: Filter::Raw },
            Draw::Value { feeder: 9, column: None, filter: Filter::Raw },
        ],
        ..Feed::default()
    };
    let mut problems = Vec::new();
    feed.problems([&request(3)].into_iter(), &mut problems);
    assert_eq!(problems.len(), 7, "{problems:#?}");
}

/// The lengths of the payload of exchanges intended at those instants, of share `k` of 3, and the text of the last.
fn payload(redraw_ns: u64, seed: u64, k: u64, intended_ns: &[u64]) -> (Vec<usize>, Vec<u8>) {
    let sizes = Distribution::Uniform { low: 20, high: 200_000 };
    let feeder = Feeder::Payload { sizes, most_bytes: 100_000, redraw_ns };
    let draws = vec![Draw::Value { feeder: 0, column: None, filter: Filter::Raw }];
    let feed = Feed { feeders: vec![feeder], draws, ..Feed::default() };
    let plan = plan(feed, seed);
    let template = Template {
        slots: vec![Slot { part: RequestPart::Body, at: 0, draw: 0 }],
        cookies: false,
        ..Template::default()
    };
    let request = RequestSpec { method: "POST".into(), ..RequestSpec::get("h", "/") };
    let request = request.encode_with(&template).unwrap();
    let mut feeding = Feeding::new(&plan.asking.feed, plan.seed, Share { k, n: 3 });
    feeding.begin_at(1_000, 0);
    let mut numbers = [0];
    let lengths = intended_ns.iter().map(|intended_ns| {
        feeding.number(&request, 1_000 + intended_ns, &mut numbers, None);
        feeding.draw(&request, &numbers, &[]);
        feeding.values().get(0).len()
    });
    let lengths = lengths.collect();
    (lengths, feeding.values().get(0).to_vec())
}

#[test]
fn a_size_is_held_for_its_time_for_all_alike_and_then_drawn_anew() {
    let times: Vec<u64> = (0..60).map(|at| at * 100).collect();
    let (lengths, text) = payload(1_000, 7, 0, &times);
    for period in lengths.chunks(10) {
        assert!(period.iter().all(|length| *length == period[0]), "{period:?}");
    }
    let drawn: std::collections::BTreeSet<usize> = lengths.iter().copied().collect();
    assert!(drawn.len() >= 3 && drawn.iter().all(|length| (20..=100_000).contains(length)), "{drawn:?}");
    assert_eq!(payload(1_000, 7, 2, &times), (lengths.clone(), text), "whoever asks");
    assert_ne!(payload(1_000, 8, 0, &times).0, lengths, "another seed");
    let each = payload(0, 7, 0, &times).0;
    assert!(each.iter().collect::<std::collections::BTreeSet<_>>().len() > 20, "one for each exchange");
}

/// A draw of a feeder without columns.
fn made(feeder: usize, filter: Filter) -> Draw {
    Draw::Value { feeder, column: None, filter }
}

#[test]
fn values_and_variables_take_the_form_of_their_place() {
    let variable = |variable, filter| Draw::Variable { variable, filter };
    let feed = Feed {
        feeders: vec![Feeder::Counter { from: 41, step: 1 }],
        draws: vec![
            made(0, Filter::Json),
            variable(1, Filter::Url),
            variable(0, Filter::JsonText),
            variable(9, Filter::Json),
            Draw::Text(vec![Piece::Drawn(0), Piece::Fixed("&".into()), Piece::Drawn(2)]),
        ],
        ..Feed::default()
    };
    let mut problems = Vec::new();
    let request = request(5);
    feed.problems([&request].into_iter(), &mut problems);
    assert_eq!(problems, Vec::<String>::new());
    let mut feeding = Feeding::new(&feed, 1, Share { k: 0, n: 1 });
    let mut numbers = [0];
    let variables = [b"\"".to_vec(), b"a/b".to_vec()];
    feeding.number(&request, 0, &mut numbers, None);
    for (variables, expected) in [
        (&variables[..], ["\"41\"", "a%2Fb", "\\\"", "\"\"", "\"41\"&\\\""]),
        (&[], ["\"41\"", "", "", "\"\"", "\"41\"&"]),
    ] {
        feeding.draw(&request, &numbers, variables);
        let values: Vec<&str> =
            (0..5).map(|at| std::str::from_utf8(feeding.values().get(at)).unwrap()).collect();
        assert_eq!(values, expected);
    }
}

#[test]
fn a_user_keeps_the_values_of_feeders_that_users_draw_from() {
    let feed = Feed {
        feeders: vec![Feeder::Counter { from: 0, step: 1 }, Feeder::Counter { from: 100, step: 1 }],
        per_user: vec![1],
        draws: vec![made(0, Filter::Raw), made(1, Filter::Raw)],
    };
    let request = request(2);
    let mut feeding = Feeding::new(&feed, 1, Share { k: 1, n: 2 });
    let drawn = |user: Option<&[u64]>, feeding: &mut Feeding<'_>| {
        let mut numbers = [0; 2];
        feeding.number(&request, 0, &mut numbers, user);
        feeding.draw(&request, &numbers, &[]);
        [0, 1].map(|at| String::from_utf8(feeding.values().get(at).to_vec()).unwrap())
    };
    let mut users = [[7; 2]; 2];
    users.iter_mut().for_each(|numbers| feeding.number_user(0, numbers));
    assert_eq!(users.map(|numbers| numbers[0]), [7, 7], "the number of the other feeder is no one's");
    assert_eq!(drawn(Some(&users[0]), &mut feeding), ["1", "101"]);
    assert_eq!(drawn(Some(&users[1]), &mut feeding), ["3", "103"]);
    assert_eq!(drawn(Some(&users[0]), &mut feeding), ["5", "101"]);
    assert_eq!(drawn(None, &mut feeding), ["7", "105"], "without a user each exchange has its own");
}

#[test]
fn a_user_of_a_feeder_that_is_not_there_is_told() {
    let mut problems = Vec::new();
    Feed { per_user: vec![0], ..Feed::default() }.problems(std::iter::empty(), &mut problems);
    assert_eq!(problems, ["per_user: names a feeder that does not exist"]);
}

/// Rows that come once: `count` of them.
fn unique(count: u64) -> Feed {
    let mut column = Column::default();
    (0..count).for_each(|row| column.push(format!("r{row}").as_bytes()));
    let draws = vec![Draw::Value { feeder: 0, column: Some(Arc::new(column)), filter: Filter::Raw }];
    Feed { feeders: vec![Feeder::Rows { rows: count, order: Order::Unique }], draws, ..Feed::default() }
}

#[test]
fn a_row_that_comes_once_is_missing_behind_the_last() {
    let feed = unique(5);
    let request = request(1);
    let mut seen = Vec::new();
    for k in 0..2 {
        let mut feeding = Feeding::new(&feed, 1, Share { k, n: 2 });
        let mut numbers = [0];
        for taken in 0..4 {
            feeding.number(&request, 0, &mut numbers, None);
            feeding.draw(&request, &numbers, &[]);
            let lack = feeding.lack();
            assert_eq!(lack.is_none(), k + 2 * taken < 5, "{lack:?}");
            match lack {
                Some(lack) => {
                    assert!(lack.contains("all 5 rows"), "{lack}");
                    assert_eq!(feeding.rows(&request, &numbers), Vec::<Vec<u8>>::new());
                }
                None => seen.push(String::from_utf8(feeding.values().get(0).to_vec()).unwrap()),
            }
            assert_eq!(feeding.lack(), None, "it is told once");
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, ["r0", "r1", "r2", "r3", "r4"]);
}

#[test]
fn more_requests_than_rows_that_come_once_are_refused() {
    let [with, without] = [request(1), request(0)];
    for (feed, requests, rows) in [
        (unique(5), vec![&with, &with], Some(5)),
        (unique(5), vec![&with, &without], None),
        (Feed { per_user: vec![0], ..unique(5) }, vec![&with], None),
        (all_kinds(), vec![&with], None),
    ] {
        assert_eq!(feed.unique_rows(requests.into_iter()), rows);
    }
}

#[test]
fn a_text_that_cannot_be_read_is_missing() {
    let ends = proofload_wire::Streamed::new(9_u64.to_le_bytes().to_vec());
    let texts = proofload_wire::Streamed::new(Vec::new());
    let column: Column = ReadColumn { texts, ends, longest: 9 }.into();
    let draws = vec![Draw::Value { feeder: 0, column: Some(Arc::new(column)), filter: Filter::Raw }];
    let feeders = vec![Feeder::Rows { rows: 1, order: Order::Random }];
    let feed = Feed { feeders, draws, ..Feed::default() };
    let mut feeding = Feeding::new(&feed, 1, Share { k: 0, n: 1 });
    feeding.draw(&request(1), &[0], &[]);
    assert!(feeding.lack().is_some());
}

#[test]
fn a_time_is_that_at_which_the_exchange_was_intended() {
    let feed = Feed {
        feeders: vec![Feeder::Time(TimeForm::UnixMs), Feeder::Uuid],
        draws: vec![made(0, Filter::Raw), made(1, Filter::Raw), made(1, Filter::Raw)],
        ..Feed::default()
    };
    let request = request(3);
    let mut feeding = Feeding::new(&feed, 1, Share { k: 3, n: 4 });
    feeding.begin_at(5_000_000, 1_700_000_000_000_000_000);
    let mut numbers = [0; 2];
    let mut ids = Vec::new();
    for (intended_ns, expected) in [(5_000_000, "1700000000005"), (7_999_999, "1700000000007")] {
        feeding.number(&request, intended_ns, &mut numbers, None);
        feeding.draw(&request, &numbers, &[]);
        let value = |at| String::from_utf8(feeding.values().get(at).to_vec()).unwrap();
        assert_eq!(value(0), expected);
        assert_eq!(value(1), value(2), "one identifier for the exchange");
        ids.push(value(1));
    }
    assert_ne!(ids[0], ids[1]);
}
