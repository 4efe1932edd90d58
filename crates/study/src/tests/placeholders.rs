//! A request with a placeholder is, once it is filled, the request with the value in its place: in every part, wherever in its
//! text, in every protocol whose requests carry texts.

use super::*;
use proofload_engine::feed::{Draw, Piece};
use proofload_wire::{ExchangeId, Filling, Outbox, Session, State, Values};

/// Texts with blanks at their ends and within; the placeholder goes before every character, and to the end.
const TEXTS: [&str; 6] = ["", " ", "a", " a", "a ", " a  b "];
const VALUE: &str = "7";

/// Requests, with `@` for the text. Targets take no blanks.
const HTTP: [(&str, bool); 9] = [
    ("get: \"/a@\"", false),
    ("get: \"/a?b=@&c=@\"", false),
    ("get: \"/\", headers: { X-A: \"@\" }", true),
    ("get: \"/\", headers: { X-A: \"@\", X-B: \"b@b\" }", true),
    ("get: \"/\", auth: { bearer: \"@x\" }", false),
    ("post: \"/\", body: \"@\"", true),
    ("post: \"/\", body: \"{@\\\"@\\\"}\", headers: { X-A: \"@\" }", true),
    ("post: \"/\", form: { f: \"@\", g: { file: data/users.csv } }", true),
    ("post: \"/\", urlencoded: { f: \"@\", g: \"x@y\" }", true),
];
const CALLS: [(&str, bool); 2] = [
    ("call: lab.Echo.echo, args: [\"@\", { a: [\"x@\"] }]", true),
    ("call: lab.Echo.echo, args: [\"@\"], headers: { X-A: \"@\" }", true),
];

fn study(url: &str, entry: &str) -> String {
    format!(
        "study: s\nquestion: q?\nsubjects: {{ s: {{ url: '{url}' }} }}\n\
         feeders: {{ t: {{ counter: {{ from: 7, step: 1 }} }} }}\nworkload: {{ r: {{ {entry} }} }}\n\
         load: {{ closed: {{ connections: 1 }} }}\nclaims: {{ c: errors(s) == 0 }}\n"
    )
}

/// Bytes that a session sends for the study's only request, every placeholder filled with [`VALUE`].
#[track_caller]
fn sent(url: &str, entry: &str) -> Vec<u8> {
    let text = study(url, entry);
    let study = parse(&text, "s.yaml", &testdata("good"), &Options::default(), &TestCatalogue)
        .unwrap_or_else(|problems| panic!("{text}\n{problems}"));
    let speaks = &study.variants[0].passage.speaks;
    let entry = study.workload[0].encode(0, "host:9", speaks, None).unwrap();
    let mut values = Values::default();
    for draw in entry.request.places.draws() {
        match &study.asking.feed.draws[usize::from(*draw)] {
            Draw::Value { .. } | Draw::Variable { .. } => values.append(VALUE.as_bytes()),
            Draw::Text(pieces) => pieces.iter().for_each(|piece| match piece {
                Piece::Fixed(text) => values.append(text.as_bytes()),
                Piece::Drawn(_) => values.append(VALUE.as_bytes()),
            }),
        }
        values.end();
    }
    let mut out = Outbox::new(1 << 20);
    let mut session = Session::new(speaks.protocol(), 1);
    session.open(0, &mut out);
    assert!(matches!(session.state(), State::Ready(_)));
    out.clear();
    session.start(&entry.request, &Filling::of(&values), ExchangeId(0), &mut out).unwrap();
    out.pending().to_vec()
}

/// The text without the boundary of a form, which its content decides.
fn shown(bytes: &[u8]) -> String {
    let text = bytes.escape_ascii().to_string();
    let Some(at) = text.find("proofload-") else { return text };
    let boundary = text[at..at + "proofload-".len() + 32].to_owned();
    text.replace(&boundary, "BOUNDARY")
}

#[test]
fn a_filled_placeholder_is_the_value_in_its_place() {
    let protocols: [(&str, &[(&str, bool)]); 6] = [
        ("http://127.0.0.1:9", &HTTP),
        ("ajp://127.0.0.1:9", &HTTP[..7]),
        ("hessian+http://127.0.0.1:9", &CALLS),
        ("hessian1+http://127.0.0.1:9", &CALLS),
        ("jsonrpc+http://127.0.0.1:9", &CALLS),
        ("dubbo://127.0.0.1:9", &CALLS[..1]),
    ];
    for (url, entries) in protocols {
        for (entry, blanks) in entries {
            for text in TEXTS.iter().filter(|text| *blanks || !text.contains(' ')) {
                for at in 0..=text.len() {
                    let (before, after) = text.split_at(at);
                    let with = |value| entry.replace('@', &format!("{before}{value}{after}"));
                    let filled = shown(&sent(url, &with("${t}")));
                    assert_eq!(filled, shown(&sent(url, &with(VALUE))), "{url}: {}", with("${t}"));
                }
            }
        }
    }
}
