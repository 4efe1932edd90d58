//! The workload: requests, and the conditions that answers must meet.

use super::answers::{CAPTURES, VALUES, check_captures, check_values};
use super::call::{self, ARGUMENTS_MAX, Typed};
use super::field::{Field, Map, pairs};
use super::keys::{HEADER, Kind, WORD, keys, kinds};
use super::model::{Server, WorkloadEntry};
use super::name::{PLAIN, bad_name};
use super::problem::shown;
use super::quantity::{self, DURATION, SIZE};
use super::request::{Asked, Builder};
use super::request_defaults::{BODY, FOLLOW, FORM, OWN_AUTH, Shared, URLENCODED};
use super::request_defaults::{check_body, check_follow, check_form, check_own_auth, check_urlencoded};
use super::subjects::{URL, check_server};
use super::writing::read_file;
use proofload_engine::Expect;
use proofload_engine::reading::{Capture, Source};
use proofload_extract::Schema;
use proofload_facts::{Expected, Mistake, Thing};
use proofload_wire::Call;
use std::ops::RangeInclusive;

/// Most entries of a mix.
const ENTRIES_MAX: usize = 64;

/// Most headers of a request.
const HEADERS_MAX: usize = 64;

/// Largest weight: a share of one in a million is as rare as a mix needs.
pub(super) const WEIGHT_MAX: u64 = 1_000_000;

/// Bytes of an answer's body that are kept when a text is looked for in it.
pub(crate) const KEEP_BODY: usize = 64 * 1024;

keys! {
    /// One entry of the mix: exactly one method with its path, or a call.
    ENTRY exactly_one(get, post, put, delete, head, patch, options, request, call) {
        /// GET this path.
        optional get: PATH,
        /// POST to this path.
        optional post: PATH,
        /// PUT to this path.
        optional put: PATH,
        /// DELETE this path.
        optional delete: PATH,
        /// HEAD of this path.
        optional head: PATH,
        /// PATCH this path.
        optional patch: PATH,
        /// OPTIONS of this path.
        optional options: PATH,
        /// Another method with its path: `PROPFIND /files`.
        optional request: Kind::Text(r"^\S+ (/|\$\{)[!-~]*$"),
        /// Call this method: `lab.EchoService.echo`.
        optional call: WORD,
        /// Arguments of the call, in YAML: text, numbers, true, null, lists, maps; `{ class: lab.Person, uid: 1, fields: {
        /// name: x } }` is an object, `{ long: 5 }`, `{ date: 0 }` and `{ bytes: aGk= }` what YAML has not, and `{ type:
        /// short, value: 5 }` gives the type.
        optional args: Kind::Any,
        /// Types of the parameters, as Java writes them, where they are not those of the arguments.
        optional types: Kind::List(&WORD, 0, ARGUMENTS_MAX),
        /// Type of the result, which RMI needs; that of the first argument by default.
        optional returns: WORD,
        /// Version of the service (Dubbo).
        optional version: WORD,
        /// Group of the service (Dubbo).
        optional group: WORD,
        /// Further attachments of the call (Dubbo).
        optional attachments: Kind::Names(&HEADER, 1, 64),
        /// Path of the call where HTTP carries it, instead of the server's.
        optional path: Kind::Text(r"^/[!-~]*$"),
        /// Headers. Those that frame the message or the connection are set by Proofload. In a list a name may come twice.
        optional headers: HEADERS,
        /// Credentials of this entry instead of those at the top; none sends none.
        optional auth: OWN_AUTH,
        /// Body.
        optional body: BODY,
        /// Send the body once the server has said that it wants it (Expect: 100-continue), or after a second.
        optional expect_continue: Kind::Switch,
        /// Body as a form of several parts (multipart/form-data), instead of body.
        optional form: FORM,
        /// Body as a form in one line (application/x-www-form-urlencoded), instead of body; values are encoded.
        optional urlencoded: URLENCODED,
        /// Share in the mix; 1 by default.
        optional weight: Kind::Integer(1, WEIGHT_MAX),
        /// Most redirects that are followed, instead of the number at the top.
        optional follow: FOLLOW,
        /// Another server that already runs, to which this is sent instead of the subject.
        optional at: Kind::Map(&[&URL]),
        /// Conditions of an answer that counts; status 200 to 399 by default.
        optional expect: Kind::Map(&[&EXPECT]),
        /// Values of the answer that later steps of a journey use.
        optional capture: CAPTURES,
    }

    /// Conditions that an answer must meet.
    EXPECT {
        /// One of these statuses: `404`, `[200, 404-410]`, `5xx`.
        optional status: STATUSES,
        /// Length of the body in bytes: `1024`, `1KiB`, `100..2KiB`.
        optional bytes: SIZES,
        /// Longest response time: `500ms`.
        optional within: DURATION,
        /// The body contains this text, or each of these.
        optional text: TEXTS,
        /// The body contains this text nowhere, or none of these.
        optional no_text: TEXTS,
        /// Values of a JSON body, or of the reply of a call, by JSONPath: `{ $.ok: true }`, `$.ok == true`; a path alone is there.
        optional json: ANSWER_VALUES,
        /// Regular expressions that match somewhere in the body, or what their first group is.
        optional regex: ANSWER_VALUES,
        /// Elements of a page by CSS selector: their text, or that they are there.
        optional css: ANSWER_VALUES,
        /// Nodes of a page or a document by XPath.
        optional xpath: ANSWER_VALUES,
        /// Headers of the answer.
        optional header: ANSWER_VALUES,
        /// File with the JSON Schema of the body.
        optional schema: WORD,
    }
}

kinds! {
    /// Requests, by name.
    WORKLOAD = Kind::Names(&Kind::Map(&[&ENTRY]), 1, ENTRIES_MAX);
    HEADERS = Kind::Either(&[
        &Kind::Names(&HEADER, 1, usize::MAX),
        &Kind::List(&Kind::Names(&HEADER, 1, 1), 1, HEADERS_MAX),
    ]);
    STATUSES = Kind::Either(&[&STATUS, &Kind::List(&STATUS, 1, usize::MAX)]);
    ANSWER_VALUES = Kind::Either(&[&VALUES, &WORD, &Kind::List(&WORD, 1, 64)]);
    TEXTS = Kind::Either(&[&WORD, &Kind::List(&WORD, 1, usize::MAX)]);
    /// A path with its query; a value may be all of it.
    PATH = Kind::Text(r"^(/|\$\{)[!-~]*$");
}

const SIZES: Kind = Kind::Either(&[&SIZE, &Kind::Text(r"^.+\.\..+$")]);

/// A status, a range or a class of them.
const STATUS: Kind =
    Kind::Either(&[&Kind::Integer(200, 599), &Kind::Text(r"^[2-5](xx|XX|\d\d(-[2-5]\d\d)?)$")]);

pub(super) fn check_workload(field: &Field<'_>, shared: &Shared<'_>) -> Option<Vec<WorkloadEntry>> {
    let entries = field.entries("page: { get: / }")?;
    field.at_most(entries.len(), ENTRIES_MAX, Thing::Entry)?;
    let checked: Vec<Option<WorkloadEntry>> = entries
        .iter()
        .map(|(entry, field)| {
            if entry.key.trim().is_empty() || entry.key.chars().any(char::is_control) {
                field.sink.add(entry.place, &field.path, bad_name(Thing::Entry, &entry.key, PLAIN));
            }
            check_entry(&entry.key, field, shared)
        })
        .collect();
    checked.into_iter().collect()
}

pub(super) fn check_entry(name: &str, field: &Field<'_>, shared: &Shared<'_>) -> Option<WorkloadEntry> {
    let map = field.map("{ get: /path }")?;
    let method = map.exactly_one("get: /");
    let mut builder = Builder::default();
    let Asking { call, mut whole } = check_asking(&map, method.as_ref(), shared, &mut builder);
    if let Some(field) = map.optional("headers") {
        whole &= check_headers(&field, shared, &mut builder).is_some();
    }
    whole &= check_parts(&map, field, shared, &mut builder);
    let weight = map.optional("weight").map_or(Some(1), |field| field.integer());
    let follow = map.optional("follow").map(|field| check_follow(&field));
    let method_name = method.as_ref().map(|(method, _)| *method);
    let expect = map
        .optional("expect")
        .map_or(Some(Expect::default()), |field| check_expect(&field, method_name, shared));
    let captures = check_captured(&map, shared);
    let at = map.optional("at").map_or(Some(None), |field| check_at(&field, shared).map(Some));
    map.close();
    let (method, path) = method.filter(|_| whole)?;
    let method = match method {
        "request" => path.written().and_then(|text| text.split_whitespace().next()).unwrap_or_default(),
        method => method,
    };
    let (expect, captures) = (expect?, captures?);
    // Whoever expects a redirect wants to see it.
    let expects_redirect = expect.status.first().is_some_and(|codes| (300..400).contains(codes.start()));
    let follow = follow.unwrap_or(Some(if expects_redirect { 0 } else { shared.follow }));
    let of_body = |source: &Source| matches!(source, Source::Body(_));
    let reads = expect.schema.is_some()
        || expect.values.iter().any(|value| of_body(&value.from))
        || captures.iter().any(|capture| of_body(&capture.from));
    let keep_body = if reads || expect.texts().next().is_some() { KEEP_BODY } else { 0 };
    let asked = match call {
        Some(Called { call, path }) => Ok(builder.call(call, &path, keep_body)),
        None => builder.finish(&method.to_ascii_uppercase(), shared.cookies, keep_body),
    };
    let Asked { request, call, template, digest, shown } = field.take(asked)?;
    let follow = if call.is_some() { Some(0) } else { follow };
    Some(WorkloadEntry {
        name: name.to_string(),
        weight: weight? as u32,
        request,
        call,
        expect,
        follow: follow?,
        template,
        digest,
        shown,
        at: at?,
        captures,
    })
}

/// Values that a user takes from the answer, for the later steps of his journey.
fn check_captured(map: &Map<'_>, shared: &Shared<'_>) -> Option<Vec<Capture>> {
    let Some(field) = map.optional("capture") else { return Some(Vec::new()) };
    if !shared.has_journeys {
        field.problem(Mistake::NoMeaningWithout { needs: "journeys".to_string() });
        return None;
    }
    check_captures(&field, shared)
}

/// Expectation, credentials and body; false after a mistake.
fn check_parts(map: &Map<'_>, field: &Field<'_>, shared: &Shared<'_>, builder: &mut Builder) -> bool {
    let mut whole = true;
    let feeders = || shared.feeders.borrow_mut();
    if let Some(field) = map.optional("expect_continue") {
        let expects = field.boolean();
        // Of a call it was told already.
        let has_body = ["body", "form", "urlencoded", "call"].iter().any(|key| map.has(key));
        let asked = match expects {
            Some(true) if !has_body => Err(Mistake::NoMeaningWithout { needs: "body".to_string() }),
            Some(true) if builder.has("expect") => Err(Mistake::exclude("expect_continue", "headers.Expect")),
            Some(true) => builder.header(&mut feeders(), "Expect", "100-continue"),
            _ => Ok(()),
        };
        whole &= expects.is_some() && field.take(asked).is_some();
    }
    let own = map.optional("auth");
    let auth = own.as_ref().map_or(Some(shared.auth.clone()), check_own_auth);
    whole &= auth.is_some();
    if let Some(auth) = auth.flatten()
        && let Err(mistake) = builder.auth(&mut feeders(), &auth)
    {
        own.as_ref().unwrap_or(field).problem(mistake);
        whole = false;
    }
    let mut first = None;
    for key in ["body", "form", "urlencoded"] {
        let Some(field) = map.optional(key) else { continue };
        if let Some(first) = first.replace(key) {
            field.problem(Mistake::exclude(first, key));
            whole = false;
        }
        let body = match key {
            "body" => check_body(&field, shared),
            "form" => check_form(&field, shared),
            _ => check_urlencoded(&field),
        };
        let taken = body.and_then(|body| field.take(builder.body(&mut feeders(), &body)));
        whole &= taken.is_some();
    }
    whole
}

/// Another server than the subject.
fn check_at(field: &Field<'_>, shared: &Shared<'_>) -> Option<Server> {
    let form = "at: { url: http://host:port }";
    let map = field.map(form)?;
    let server = map.required("url", form).and_then(|url| check_server(&map, &url, shared.directory));
    map.close();
    server
}

/// A call, or the path that the builder has taken.
struct Asking {
    call: Option<Called>,
    whole: bool,
}

fn check_asking(
    map: &Map<'_>,
    method: Option<&(&'static str, Field<'_>)>,
    shared: &Shared<'_>,
    builder: &mut Builder,
) -> Asking {
    let Some((name, field)) = method else { return Asking { call: None, whole: false } };
    let is_call = *name == "call";
    let call = if is_call { check_call(field, map, shared) } else { None };
    let taken = if is_call { call.is_some() } else { check_path(field, shared, builder).is_some() };
    let strange: &[&str] = match is_call {
        true => &["body", "form", "urlencoded", "follow", "expect_continue"],
        false => &["args", "types", "returns", "version", "group", "attachments", "path"],
    };
    let found: Vec<Field<'_>> = strange.iter().filter_map(|key| map.optional(key)).collect();
    let mistake = Mistake::NoMeaningBeside { beside: (*name).to_string() };
    found.iter().for_each(|field| field.problem(mistake.clone()));
    Asking { call, whole: taken && found.is_empty() }
}

/// A call, and the path that HTTP carries it to; empty for the server's.
struct Called {
    call: Call,
    path: String,
}

fn check_call(field: &Field<'_>, map: &Map<'_>, shared: &Shared<'_>) -> Option<Called> {
    let text = field.text("lab.EchoService.echo")?;
    let mut call = call::method(text).map_err(|mistake| field.problem(mistake)).ok()?;
    let mut whole = true;
    if let Some(field) = map.optional("args") {
        let mut feeders = shared.feeders.borrow_mut();
        let mut reader = call::Reader { field: &field, feeders: &mut feeders };
        for argument in field.items("[hello, 5]")? {
            match reader.value(argument.node) {
                Some(Typed { ty, value }) => {
                    call.parameter_types.push(ty);
                    call.arguments.push(value);
                }
                None => whole = false,
            }
        }
    }
    if let Some(field) = map.optional("types") {
        let items = field.items("[java.lang.String, int]")?;
        let types: Vec<Option<String>> =
            items.iter().map(|item| item.text("java.lang.String").map(str::to_string)).collect();
        let types = types.into_iter().collect::<Option<Vec<String>>>()?;
        let (given, arguments) = (types.len(), call.arguments.len());
        if given != arguments {
            let (types, arguments) = (given as u64, arguments as u64);
            field.problem(Mistake::TypesAndArguments { types, arguments });
            whole = false;
        }
        call.parameter_types = types;
    }
    let first = call.parameter_types.first().cloned().unwrap_or_else(|| "void".to_string());
    let word = |key: &str, without: String| match map.optional(key) {
        Some(field) => field.text("\"1.0\"").map(str::to_string),
        None => Some(without),
    };
    call.return_type = word("returns", first)?;
    call.version = word("version", String::new())?;
    call.group = word("group", String::new())?;
    let path = word("path", String::new())?;
    if let Some(field) = map.optional("attachments") {
        for (entry, field) in field.entries("attachments: { name: value }")? {
            call.attachments.push((entry.key.clone(), field.parameter_value(false)?.to_string()));
        }
    }
    whole.then_some(Called { call, path })
}

fn check_path(field: &Field<'_>, shared: &Shared<'_>, builder: &mut Builder) -> Option<()> {
    let text = field.text("/path")?;
    // The method precedes the path where no key gives it.
    let text = match text.split_once(' ') {
        Some((_, path)) if !text.starts_with('/') => path.trim_start(),
        _ => text,
    };
    if text.contains("://") && !text.starts_with('/') {
        field.problem(Mistake::WholeAddress);
        return None;
    }
    field.take(builder.target(&mut shared.feeders.borrow_mut(), text))
}

fn check_headers(field: &Field<'_>, shared: &Shared<'_>, builder: &mut Builder) -> Option<()> {
    let entries = pairs(field, "headers: { Accept: text/html }")?;
    let is_list = !field.is_map();
    let _ = field.at_most(entries.len(), HEADERS_MAX, Thing::Header);
    let mut names: Vec<&str> = Vec::new();
    let mut whole = true;
    for (entry, field) in entries {
        let name = &entry.key;
        if !is_list && names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            field.problem(Mistake::twice(Thing::Header, shown(name)));
        }
        names.push(name);
        if let Err(mistake) = quantity::header_name(name) {
            field.sink.add(entry.place, &field.path, mistake);
            whole = false;
            continue;
        }
        let taken = field
            .parameter_value(false)
            .map(|value| field.take(builder.header(&mut shared.feeders.borrow_mut(), name, value)).is_some());
        whole &= taken == Some(true);
    }
    whole.then_some(())
}

fn check_expect(field: &Field<'_>, method: Option<&str>, shared: &Shared<'_>) -> Option<Expect> {
    let map = field.map("expect: { status: 200, bytes: 1024 }")?;
    if method == Some("call")
        && let Some(field) = map.optional("status")
    {
        field.problem(Mistake::CallStatus);
    }
    let status = map
        .optional("status")
        .map_or(Some(Vec::new()), |field| check_each(&field, "[200, 4xx]", check_status));
    let bytes = map.optional("bytes").map(|field| field.quantity(sizes, "1024, 1KiB, 100..2KiB"));
    let within_ns = map.optional("within").map(|field| field.quantity(quantity::duration, "500ms"));
    let texts = |key| {
        map.optional(key).map_or(Some(Vec::new()), |field| check_each(&field, "[one, other]", check_text))
    };
    let (text, no_text) = (texts("text"), texts("no_text"));
    let values = ["json", "regex", "css", "xpath", "header"]
        .map(|key| map.optional(key).map_or(Some(Vec::new()), |field| check_values(&field, key)));
    let schema = map.optional("schema").map(|field| check_schema(&field, shared));
    map.close();
    if method == Some("head") {
        forbid_body(&map, &bytes);
    }
    Some(Expect {
        status: status?,
        bytes: bytes.map_or(Some(None), |bytes| bytes.map(Some))?,
        within_ns: within_ns.map_or(Some(None), |ns| ns.map(Some))?,
        text: text?,
        no_text: no_text?,
        values: values.into_iter().collect::<Option<Vec<_>>>()?.concat(),
        schema: schema.map_or(Some(None), |schema| schema.map(Some))?,
    })
}

/// `1024`, `100..2KiB`.
fn sizes(text: &str) -> Result<RangeInclusive<u64>, Mistake> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let sizes = quantity::size(least)?..=quantity::size(most)?;
    if sizes.is_empty() {
        return Err(Mistake::EndsBeforeItBegins { found: shown(text) });
    }
    Ok(sizes)
}

/// A JSON Schema, read from its file.
fn check_schema(field: &Field<'_>, shared: &Shared<'_>) -> Option<String> {
    let path = shared.file(field)?;
    let text = String::from_utf8_lossy(&field.take(read_file(&path))?).into_owned();
    let wrong = |error: proofload_extract::SelectorError| {
        let mistake = Mistake::BadFormat { expected: Expected::JsonSchema, error: error.to_string() };
        mistake.at(path.display().to_string())
    };
    field.take(Schema::new(&text).map_err(wrong))?;
    Some(text)
}

/// The one value, or those of a list.
fn check_each<T>(field: &Field<'_>, form: &str, check: fn(&Field<'_>) -> Option<T>) -> Option<Vec<T>> {
    let items = field.one_or_many(form)?;
    let checked: Vec<Option<T>> = items.iter().map(check).collect();
    checked.into_iter().collect()
}

fn check_status(field: &Field<'_>) -> Option<RangeInclusive<u16>> {
    let codes = field.written().and_then(codes);
    if codes.is_none() {
        field.wrong(Expected::Status, "200, 404-410, 5xx");
    }
    codes
}

/// `404`, `404-410`, `4xx`.
fn codes(text: &str) -> Option<RangeInclusive<u16>> {
    let number = |digits: &str| {
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u16>().ok())?
    };
    if let Some(class) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
        let first = number(class).filter(|class| (2..=5).contains(class))? * 100;
        return Some(first..=first + 99);
    }
    let code = |digits| number(digits).filter(|code| (200..=599).contains(code));
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let codes = code(first)?..=code(last)?;
    (!codes.is_empty()).then_some(codes)
}

fn check_text(field: &Field<'_>) -> Option<Vec<u8>> {
    let text = field.text("Welcome")?;
    if text.len() > KEEP_BODY {
        field.problem(Mistake::TooLong { length: text.len() as u64, most: "64 KiB".to_string() });
        return None;
    }
    Some(text.as_bytes().to_vec())
}

fn forbid_body(map: &Map<'_>, bytes: &Option<Option<RangeInclusive<u64>>>) {
    let wrong = [
        ("bytes", bytes.iter().flatten().any(|bytes| *bytes.start() > 0)),
        ("text", map.has("text")),
        ("no_text", map.has("no_text")),
        ("json", map.has("json")),
        ("regex", map.has("regex")),
        ("css", map.has("css")),
        ("xpath", map.has("xpath")),
        ("schema", map.has("schema")),
    ];
    for (key, _) in wrong.iter().filter(|(_, wrong)| *wrong) {
        if let Some(field) = map.optional(key) {
            field.problem(Mistake::HeadBody);
        }
    }
}
