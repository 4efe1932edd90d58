//! Settings of a study for all its requests: feeders, credentials, cookies.

use super::bind::check_bind;
use super::encode::FOLLOW_MAX;
use super::feeders::{FeederSpec, Feeders, LETTERS_MAX, Per, checked, feeder_name, payload};
use super::field::{Field, Map, pairs};
use super::keys::{Kind, WHOLE, WORD, keys, kinds};
use super::model::{Journeys, WorkloadEntry};
use super::quantity;
use super::request::{Auth, Body, FormPart, FormValue, within};
use super::suggest::not_one_of;
use super::table::TableKind;
use super::transport;
use super::yaml::Kind as Written;
use proofload_engine::Asking;
use proofload_engine::feed::{Feeder, Order, TimeForm};
use proofload_facts::Mistake;
use std::cell::RefCell;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

keys! {
    /// Rows of a CSV file whose first row names the columns.
    CSV {
        /// The file, in the folder of the study or below.
        required csv: WORD,
        /// Order of the rows; sequential by default.
        optional order: ORDER,
        /// Drawn once for each user, as by default, or for each request; with journeys only.
        optional per: PER,
    }

    /// Lines of a file, each a JSON object.
    JSON_LINES {
        /// The file, in the folder of the study or below.
        required json_lines: WORD,
        /// Order of the lines; sequential by default.
        optional order: ORDER,
        /// Drawn once for each user, as by default, or for each request; with journeys only.
        optional per: PER,
    }

    /// Lines of a file, each a value.
    LINES {
        /// The file, in the folder of the study or below.
        required lines: WORD,
        /// Order of the lines; sequential by default.
        optional order: ORDER,
        /// Drawn once for each user, as by default, or for each request; with journeys only.
        optional per: PER,
    }

    /// A number that no other request of the load has.
    COUNTER {
        /// First number and step.
        required counter: Kind::Map(&[&FROM_STEP]),
        /// Drawn once for each user, as by default, or for each request; with journeys only.
        optional per: PER,
    }

    /// First number and step.
    FROM_STEP {
        /// The first number; 1 by default.
        optional from: Kind::Integer(0, u64::MAX),
        /// From one to the next; 1 by default.
        optional step: Kind::Integer(1, u64::MAX),
    }

    /// A random number.
    RANDOM {
        /// Between which.
        required random: Kind::Map(&[&FROM_TO]),
        /// Drawn once for each user, as by default, or for each request; with journeys only.
        optional per: PER,
    }

    /// Lowest and highest number.
    FROM_TO {
        /// Lowest.
        required from: Kind::Integer(0, u64::MAX),
        /// Highest.
        required to: Kind::Integer(0, u64::MAX),
    }

    /// Random letters, digits, - and _.
    RANDOM_TEXT {
        /// Number of characters, or its distribution.
        required random_text: LETTERS,
        /// Drawn once for each user, as by default, or for each request; with journeys only.
        optional per: PER,
    }

    /// A random identifier.
    UUID {
        /// Its version.
        required uuid: Kind::Words(&[("v4", "Random, by the seed.")]),
        /// Drawn once for each user, as by default, or for each request; with journeys only.
        optional per: PER,
    }

    /// The time at which the request was intended.
    TIME {
        /// Its form.
        required time: TIME_FORM,
        /// Drawn for each request, as by default, or once for each user; with journeys only.
        optional per: PER,
    }

    /// A number of letters that is drawn, and held for a while.
    DRAWN {
        /// A size, or a distribution of them: `uniform:20..200KiB`, `exp:2KiB`, `lognormal:2KiB,p99=64KiB`,
        /// `list:1KiB,50KiB`.
        required size: SIZES,
        /// Time for which a size is held, for all connections alike; each exchange draws its own by default.
        optional redraw: Kind::Text(""),
        /// Largest size; sizes above it are cut to it. Needed where a distribution has no upper end.
        optional most: SIZES,
    }

    /// Credentials.
    AUTH {
        /// HTTP Basic.
        optional basic: Kind::Map(&[&BASIC]),
        /// HTTP Digest: the password is proved where the server asks for that, and never sent.
        optional digest: Kind::Map(&[&BASIC]),
        /// A bearer token; `${env.NAME}` keeps it out of the file.
        optional bearer: WORD,
    }

    /// User and password; `${env.NAME}` keeps them out of the file.
    BASIC {
        /// The user.
        required user: WORD,
        /// The password.
        required password: WORD,
    }

    /// A body from a file.
    BODY_FILE {
        /// The file, in the folder of the study or below.
        required file: WORD,
    }

    /// A part from a file.
    FORM_FILE {
        /// The file, in the folder of the study or below.
        required file: WORD,
        /// Its type; application/octet-stream by default.
        optional type: WORD,
        /// The name that the server receives; that of the file by default.
        optional filename: WORD,
    }
}

kinds! {
    /// A source of values.
    FEEDER = Kind::Map(&[&CSV, &JSON_LINES, &LINES, &COUNTER, &RANDOM, &RANDOM_TEXT, &UUID, &TIME]);
    /// Order of the rows.
    ORDER = Kind::Words(&[
        ("sequential", "One after the other; after the last comes the first."),
        ("random", "Any row at any time, by the seed."),
        ("unique", "One after the other, none twice; a request without one is not sent, and internal."),
    ]);
    /// Scope of a draw from a feeder.
    PER = Kind::Words(&[
        ("user", "Once, for all requests of a user."),
        ("request", "For each request."),
    ]);
    /// Form of a time.
    TIME_FORM = Kind::Words(&[
        ("unix", "Seconds since 1970 (UTC)."),
        ("unix_ms", "Milliseconds since 1970 (UTC)."),
        ("iso", "2026-11-28T18:02:11.123Z (RFC 3339)."),
    ]);
    /// A number of letters.
    LETTERS = Kind::Either(&[&Kind::Integer(1, LETTERS_MAX), &Kind::Map(&[&DRAWN])]);
    /// Bytes.
    SIZES = Kind::Either(&[&Kind::Integer(0, u64::MAX), &Kind::Text("[0-9]")]);
    /// Most redirects that are followed.
    FOLLOW = Kind::Integer(0, FOLLOW_MAX as u64);
    /// Credentials of one entry.
    OWN_AUTH = Kind::Either(&[&Kind::Words(&[("none", "Sends none.")]), &Kind::One(&AUTH)]);
    /// A body: text, or a file.
    BODY = Kind::Either(&[&Kind::Text(""), &Kind::Map(&[&BODY_FILE])]);
    /// Parts of a form; in a list a name may come twice.
    FORM = Kind::Either(&[
        &Kind::Names(&FORM_VALUE, 1, usize::MAX),
        &Kind::List(&Kind::Names(&FORM_VALUE, 1, 1), 1, usize::MAX),
    ]);
    /// Names and values; in a list a name may come twice.
    URLENCODED = Kind::Either(&[
        &Kind::Names(&PLAIN_VALUE, 1, usize::MAX),
        &Kind::List(&Kind::Names(&PLAIN_VALUE, 1, 1), 1, usize::MAX),
    ]);
    /// A value of such a form.
    PLAIN_VALUE = Kind::Either(&[&Kind::Text(""), &WHOLE]);
    /// The value of a part of a form.
    FORM_VALUE = Kind::Either(&[&WORD, &WHOLE, &Kind::Map(&[&FORM_FILE])]);
}

/// Most redirects that a step of a user follows, where nothing else is said.
const FOLLOWED: u32 = 10;

/// State shared by the requests of a study while they are checked.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub feeders: RefCell<Feeders>,
    pub auth: Option<Auth>,
    /// True if connections, or users, keep cookies.
    pub cookies: bool,
    /// True if the requests are steps of users.
    pub has_journeys: bool,
    /// Local addresses that connections leave from.
    pub bind: Vec<IpAddr>,
    /// Most redirects that are followed.
    pub follow: u32,
    /// Directory where paths begin, and which they may not leave.
    pub directory: &'a Path,
}

impl<'a> Shared<'a> {
    /// Reads the keys; feeders' files are read whole.
    pub fn check(map: &Map<'_>, directory: &'a Path) -> Self {
        let mut feeders = Feeders::default();
        if let Some(field) = map.optional("feeders") {
            check_feeders(&field, directory, map.has("journeys"), &mut feeders);
        }
        let auth = map.optional("auth").and_then(|field| check_auth(&field));
        // Users do as browsers do, unless it is said otherwise.
        let has_journeys = map.has("journeys");
        let cookies = map.optional("cookies").and_then(|field| field.boolean()).unwrap_or(has_journeys);
        let follow = map.optional("follow").and_then(|field| check_follow(&field));
        let follow = follow.unwrap_or(if has_journeys { FOLLOWED } else { 0 });
        let bind = map.optional("bind").and_then(|field| check_bind(&field)).unwrap_or_default();
        Shared { feeders: RefCell::new(feeders), auth, cookies, has_journeys, bind, follow, directory }
    }

    /// Values and cookies of requests, for the engine, and journeys; where some follow redirects, also TLS with other servers.
    pub fn into_asking(self, workload: &[WorkloadEntry], journeys: Option<&Journeys>) -> Asking {
        let follow = workload.iter().any(|entry| entry.follow > 0);
        let elsewhere_tls = if follow { transport::elsewhere() } else { None };
        let mut feeders = self.feeders.into_inner();
        if journeys.is_some() {
            feeders.draw_per_user();
        }
        let variables = feeders.variables().len();
        let captures = journeys.map(|_| workload.iter().map(|entry| entry.captures.clone()).collect());
        let journeys = journeys.map(|journeys| Arc::new(journeys.program(variables)));
        let feed = feeders.into_feed();
        Asking {
            feed,
            cookies: self.cookies,
            bind: self.bind,
            elsewhere_tls,
            captures: captures.unwrap_or_default(),
            journeys,
            ..Asking::default()
        }
    }

    /// The file that a key names.
    pub fn file(&self, field: &Field<'_>) -> Option<PathBuf> {
        file(field, self.directory)
    }
}

fn file(field: &Field<'_>, directory: &Path) -> Option<PathBuf> {
    let text = field.text("users.csv")?;
    let path = match field.sink.is_of_flags() {
        true => PathBuf::from(text),
        false => field.take(within(directory, text))?,
    };
    field.sink.names(&path);
    Some(path)
}

fn check_feeders(field: &Field<'_>, directory: &Path, has_users: bool, feeders: &mut Feeders) {
    let Some(entries) = field.entries("users: { csv: users.csv }") else { return };
    for (entry, field) in entries {
        if let Err(mistake) = feeder_name(&entry.key) {
            field.sink.add(entry.place, &field.path, mistake);
        }
        let spec = check_feeder(&field, directory, has_users);
        match spec.map(|(spec, per)| feeders.add(&entry.key, &spec, per)) {
            Some(Err(mistake)) => field.problem(mistake),
            Some(Ok(())) => {}
            None => feeders.add_unknown(&entry.key),
        }
    }
    if has_users {
        feeders.draw_per_user();
    }
}

fn check_feeder(field: &Field<'_>, directory: &Path, has_users: bool) -> Option<(FeederSpec, Option<Per>)> {
    let map = field.map("{ csv: users.csv }")?;
    let kind = map.exactly_one("{ csv: users.csv }");
    let (order, per) = (map.optional("order"), map.optional("per"));
    map.close();
    let (kind, value) = kind?;
    let table = match kind {
        "csv" => Some(TableKind::Csv),
        "json_lines" => Some(TableKind::JsonLines),
        "lines" => Some(TableKind::Lines),
        _ => None,
    };
    if let (Some(order), None) = (&order, table) {
        order.problem(Mistake::NoMeaningBeside { beside: kind.to_string() });
        return None;
    }
    if let (Some(per), false) = (&per, has_users) {
        per.problem(Mistake::NoMeaningWithout { needs: "journeys".to_string() });
        return None;
    }
    let per = per.map(|per| one_of(&per, &[("user", Per::User), ("request", Per::Request)]));
    let spec = match table {
        Some(kind) => {
            let order = order.map_or(Some(Order::Sequential), |order| one_of(&order, &ORDERS));
            FeederSpec::Table { kind, path: file(&value, directory)?, order: order? }
        }
        None => check_made(kind, &value)?,
    };
    Some((spec, per.map_or(Some(None), |per| per.map(Some))?))
}

const ORDERS: [(&str, Order); 3] =
    [("sequential", Order::Sequential), ("random", Order::Random), ("unique", Order::Unique)];

const TIMES: [(&str, TimeForm); 3] =
    [("unix", TimeForm::Unix), ("unix_ms", TimeForm::UnixMs), ("iso", TimeForm::Iso)];

fn check_made(kind: &str, value: &Field<'_>) -> Option<FeederSpec> {
    let made = |feeder: Feeder| Some(FeederSpec::Made(value.take(checked(feeder))?));
    match kind {
        "counter" => {
            let numbers = numbers(value, ["from", "step"], [Some(1), Some(1)], "{ from: 1, step: 1 }")?;
            made(Feeder::Counter { from: numbers[0], step: numbers[1] })
        }
        "random" => {
            let numbers = numbers(value, ["from", "to"], [None, None], "{ from: 1, to: 1000 }")?;
            made(Feeder::Number { from: numbers[0], to: numbers[1] })
        }
        "uuid" => made(one_of(value, &[("v4", Feeder::Uuid)])?),
        "time" => made(Feeder::Time(one_of(value, &TIMES)?)),
        _ if value.written().is_none() => check_payload(value),
        _ => {
            let length = value.integer()?;
            made(Feeder::Text { length: length as u32 })
        }
    }
}

/// The value of the word that is written.
fn one_of<T: Clone>(field: &Field<'_>, words: &[(&str, T)]) -> Option<T> {
    let found = field.written().and_then(|text| words.iter().find(|(word, _)| *word == text));
    if found.is_none() {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        field.problem(not_one_of(&field.found(), &words));
    }
    found.map(|(_, value)| value.clone())
}

/// Random text of a drawn size: `{ size: uniform:20..200KiB, redraw: 10m }`.
fn check_payload(field: &Field<'_>) -> Option<FeederSpec> {
    let map = field.map("{ size: uniform:20..200KiB, redraw: 10m }")?;
    let sizes = map.required("size", "size: uniform:20..200KiB");
    let redraw_ns = map.optional("redraw").map_or(Some(0), |field| field.quantity(quantity::duration, "10m"));
    let most = map.optional("most").map(|field| field.written().map(str::to_string));
    map.close();
    let sizes = sizes?;
    let made = payload(sizes.written().unwrap_or_default(), most.flatten().as_deref(), redraw_ns?);
    sizes.take(made).map(FeederSpec::Made)
}

/// Two whole numbers with their names.
fn numbers(field: &Field<'_>, names: [&str; 2], without: [Option<u64>; 2], form: &str) -> Option<[u64; 2]> {
    let map = field.map(form)?;
    let read = |at: usize| match (map.optional(names[at]), without[at]) {
        (Some(field), _) => field.integer(),
        (None, Some(number)) => Some(number),
        (None, None) => {
            map.missing(names[at], form);
            None
        }
    };
    let numbers = [read(0), read(1)];
    map.close();
    Some([numbers[0]?, numbers[1]?])
}

/// Redirects that are followed.
pub(super) fn check_follow(field: &Field<'_>) -> Option<u32> {
    let most = field.integer()?;
    Some(most as u32)
}

/// Credentials of one entry; `none` sends none.
pub(super) fn check_own_auth(field: &Field<'_>) -> Option<Option<Auth>> {
    if field.written() == Some("none") {
        return Some(None);
    }
    check_auth(field).map(Some)
}

fn check_auth(field: &Field<'_>) -> Option<Auth> {
    let form =
        "auth: { basic: { user: me, password: \"${env.PASSWORD}\" } }, auth: { bearer: \"${env.TOKEN}\" }";
    let map = field.map(form)?;
    let kind = map.exactly_one(form);
    map.close();
    let (kind, value) = kind?;
    if kind == "bearer" {
        return Some(Auth::Bearer(value.text("\"${env.TOKEN}\"")?.trim().to_string()));
    }
    let map = value.map("{ user: me, password: \"${env.PASSWORD}\" }")?;
    let user = map.required("user", "user: me").and_then(|field| field.text("me"));
    let password = map
        .required("password", "password: \"${env.PASSWORD}\"")
        .and_then(|field| field.text("\"${env.PASSWORD}\""));
    map.close();
    let (user, password) = (user?.to_string(), password?.to_string());
    Some(if kind == "digest" { Auth::Digest(user, password) } else { Auth::Basic(user, password) })
}

/// A body: text, or `{ file: order.json }`.
pub(super) fn check_body(field: &Field<'_>, shared: &Shared<'_>) -> Option<Body> {
    if field.has("file") {
        let map = field.map("{ file: order.json }")?;
        let path = map.optional("file").and_then(|file| shared.file(&file));
        map.close();
        return Some(Body::File(path?));
    }
    let text = match field.written() {
        Some("") if field.node.kind() == Some(Written::Text) => Some(""),
        _ => field.text("\"{…}\", { file: order.json }"),
    };
    Some(Body::Text(text?.to_string()))
}

/// A form: `{ field: value, picture: { file: cat.png, type: image/png } }`.
pub(super) fn check_form(field: &Field<'_>, shared: &Shared<'_>) -> Option<Body> {
    let entries = pairs(field, "form: { field: value, picture: { file: cat.png } }")?;
    let parts: Vec<Option<FormPart>> = entries
        .iter()
        .map(|(entry, field)| Some(FormPart { name: entry.key.clone(), value: form_value(field, shared)? }))
        .collect();
    Some(Body::Form(parts.into_iter().collect::<Option<_>>()?))
}

/// A form in one line: `{ user: me, mail: "${u.mail}" }`.
pub(super) fn check_urlencoded(field: &Field<'_>) -> Option<Body> {
    let entries = pairs(field, "urlencoded: { field: value }")?;
    let pairs: Vec<Option<(String, String)>> = entries
        .iter()
        .map(|(entry, field)| {
            let value = match field.written() {
                Some("") if field.node.kind() == Some(Written::Text) => "",
                _ => field.parameter_value(false)?,
            };
            Some((entry.key.clone(), value.to_string()))
        })
        .collect();
    Some(Body::Urlencoded(pairs.into_iter().collect::<Option<_>>()?))
}

fn form_value(field: &Field<'_>, shared: &Shared<'_>) -> Option<FormValue> {
    if field.node.kind().is_some() {
        return Some(FormValue::Text(field.parameter_value(false)?.to_string()));
    }
    let map = field.map("value, { file: cat.png, type: image/png }")?;
    let path = map.required("file", "file: cat.png").and_then(|file| shared.file(&file));
    let line = |key: &str| {
        map.optional(key).map_or(Some(None), |field| {
            let text = field.text("image/png")?;
            field.take(quantity::header_value(text))?;
            Some(Some(text.to_string()))
        })
    };
    let (content_type, filename) = (line("type"), line("filename"));
    map.close();
    Some(FormValue::File { path: path?, content_type: content_type?, filename: filename? })
}
