//! Settings of a study for all its requests: feeders, credentials, cookies.

use super::bind::check_bind;
use super::encode::FOLLOW_MAX;
use super::feeders::{FeederSpec, Feeders, LETTERS_MAX, checked, feeder_name, payload};
use super::field::{Field, Map, pairs};
use super::journeys::Journeys;
use super::keys::{Kind, WHOLE, WORD, keys, kinds};
use super::model::WorkloadEntry;
use super::quantity;
use super::request::{Auth, Body, FormPart, FormValue, within};
use super::suggest::not_one_of;
use super::transport;
use super::yaml::Kind as Written;
use proofload_engine::Asking;
use proofload_engine::feed::{Feeder, Order};
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
    }

    /// Lines of a file, each a JSON object.
    JSON_LINES {
        /// The file, in the folder of the study or below.
        required json_lines: WORD,
        /// Order of the lines; sequential by default.
        optional order: ORDER,
    }

    /// A number that no other request of the load has.
    COUNTER {
        /// First number and step.
        required counter: Kind::Map(&[&FROM_STEP]),
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
    FEEDER = Kind::Map(&[&CSV, &JSON_LINES, &COUNTER, &RANDOM, &RANDOM_TEXT]);
    /// Order of the rows.
    ORDER = Kind::Words(&[
        ("sequential", "One after the other; after the last comes the first."),
        ("random", "Any row at any time, by the seed."),
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
    PLAIN_VALUE = Kind::Either(&[&WORD, &WHOLE]);
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
            check_feeders(&field, directory, &mut feeders);
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

fn check_feeders(field: &Field<'_>, directory: &Path, feeders: &mut Feeders) {
    let Some(entries) = field.entries("users: { csv: users.csv }") else { return };
    for (entry, field) in entries {
        if let Err(mistake) = feeder_name(&entry.key) {
            field.sink.add(entry.place, &field.path, mistake);
        }
        match check_feeder(&field, directory).map(|spec| feeders.add(&entry.key, &spec)) {
            Some(Err(mistake)) => field.problem(mistake),
            Some(Ok(())) => {}
            None => feeders.add_unknown(&entry.key),
        }
    }
}

fn check_feeder(field: &Field<'_>, directory: &Path) -> Option<FeederSpec> {
    let map = field.map("{ csv: users.csv }")?;
    let kind = map.exactly_one("{ csv: users.csv }");
    let order = map.optional("order");
    map.close();
    let (kind, value) = kind?;
    if let (Some(order), "counter" | "random" | "random_text") = (&order, kind) {
        order.problem(Mistake::NoMeaningBeside { beside: kind.to_string() });
        return None;
    }
    let order = order.map_or(Some(Order::Sequential), |order| check_order(&order));
    let made = |feeder: Feeder| Some(FeederSpec::Made(value.take(checked(feeder))?));
    match kind {
        "csv" => Some(FeederSpec::Csv { path: file(&value, directory)?, order: order? }),
        "json_lines" => Some(FeederSpec::JsonLines { path: file(&value, directory)?, order: order? }),
        "counter" => {
            let numbers = numbers(&value, ["from", "step"], [Some(1), Some(1)], "{ from: 1, step: 1 }")?;
            made(Feeder::Counter { from: numbers[0], step: numbers[1] })
        }
        "random" => {
            let numbers = numbers(&value, ["from", "to"], [None, None], "{ from: 1, to: 1000 }")?;
            made(Feeder::Number { from: numbers[0], to: numbers[1] })
        }
        _ if value.written().is_none() => check_payload(&value),
        _ => {
            let length = value.integer()?;
            made(Feeder::Text { length: length as u32 })
        }
    }
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

fn check_order(field: &Field<'_>) -> Option<Order> {
    match field.written() {
        Some("sequential") => Some(Order::Sequential),
        Some("random") => Some(Order::Random),
        _ => {
            field.problem(not_one_of(&field.found(), &["sequential", "random"]));
            None
        }
    }
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
