//! The format as editors see it: raw input types, of which nothing but the JSON Schema is made.
//!
//! The checks work on the tree, since they tell every mistake at once; that both say the same is tested on
//! the corpus of good and broken files.

mod load;
mod reference;

use super::raw_request::{RawAuth, RawBody, RawFeeder, RawFormValue, RawLocalAddress, RawOwnAuth};
use super::raw_transport::{RawProxy, RawTls};
use load::{RawLoad, RawStream};
use reference::RawReference;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The JSON Schema of study files.
pub fn study_schema() -> Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<RawStudy>().to_value();
    forbid_null(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("$id".to_string(), "study.schema.json".into());
        root.insert("title".to_string(), "Proofload study".into());
        allow_parts(root);
    }
    schema
}

/// A study that includes files may leave to them what it must otherwise hold itself: the shape of its own
/// subjects, workload and load can be told only when all are put together.
fn allow_parts(root: &mut serde_json::Map<String, Value>) {
    let required = root.remove("required").unwrap_or_default();
    let one_of = root.remove("oneOf").unwrap_or_default();
    let mut whole = serde_json::Map::new();
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        for key in ["subjects", "workload", "load", "streams"] {
            if let Some(full) = properties.get_mut(key) {
                let part = json!({"description": full["description"], "type": "object"});
                whole.insert(key.to_string(), std::mem::replace(full, part));
            }
        }
    }
    root.insert("if".to_string(), json!({"required": ["include"]}));
    root.insert("then".to_string(), json!({}));
    let searches = json!({"required": ["load"], "properties": {"load": {"required": ["capacity"]}}});
    let tests = json!([{"required": ["claims"]}, {"required": ["expect"]}, searches]);
    root.insert(
        "else".to_string(),
        json!({
            "required": required, "properties": whole, "anyOf": tests, "oneOf": one_of
        }),
    );
}

/// A key that may be left out may still not be left empty: `Option` says so in Rust, but not in JSON Schema.
fn forbid_null(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            if let Some(Value::Array(types)) = keys.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    keys.insert("type".to_string(), only);
                }
            }
            if let Some(Value::Array(choices)) = keys.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    keys.remove("anyOf");
                    // In draft 7 what stands beside a $ref is ignored, but for the description, which editors show.
                    keys.extend(only);
                }
            }
            keys.retain(|key, value| key != "default" || !value.is_null());
            keys.values_mut().for_each(forbid_null);
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_null),
        _ => {}
    }
}

/// One question: subjects, workload, load, claims.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("oneOf" = [
    {"required": ["workload", "load"], "not": {"required": ["streams"]}},
    {"required": ["streams"], "not": {"anyOf": [{"required": ["workload"]}, {"required": ["load"]}]}}
]))]
#[allow(dead_code)]
struct RawStudy {
    /// Name; its runs lie in a folder of this name.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{0,63}$"))]
    study: String,
    /// The question in a sentence.
    #[schemars(regex(pattern = r"\S"))]
    question: String,
    /// Anything worth knowing.
    #[schemars(default, regex(pattern = r"\S"))]
    description: Option<String>,
    /// Files with common parts, relative to this one; the keys of this file win.
    #[schemars(default, length(min = 1, max = 32))]
    include: Option<Vec<RawFile>>,
    /// Servers under test, by name.
    #[schemars(extend("minProperties" = 1))]
    subjects: BTreeMap<String, RawSubject>,
    /// Sources of values for `${name}` and `${name.column}` in path, query, headers and body.
    #[schemars(default, extend("minProperties" = 1))]
    feeders: Option<BTreeMap<String, RawFeeder>>,
    /// Credentials that go with every request; shown nowhere.
    #[schemars(default)]
    auth: Option<RawAuth>,
    /// Whether each connection keeps cookies, as a user of its own, and sends them back; false without.
    #[schemars(default)]
    cookies: Option<bool>,
    /// Local addresses that connections leave from, in turn; the kernel chooses without.
    #[schemars(default, length(min = 1, max = 64))]
    bind: Option<Vec<RawLocalAddress>>,
    /// Most redirects that an exchange follows within the server; 0, which takes the first answer, without.
    #[schemars(default, range(min = 0, max = 20))]
    follow: Option<u32>,
    /// What is asked, by name: one request, or a weighted mix.
    #[schemars(default, extend("minProperties" = 1, "maxProperties" = 64))]
    workload: Option<BTreeMap<String, RawEntry>>,
    /// How much is asked.
    #[schemars(default)]
    load: Option<RawLoad>,
    /// Several loads that run at once, by name, instead of workload and load.
    #[schemars(default, extend("minProperties" = 2, "maxProperties" = 8))]
    streams: Option<BTreeMap<String, RawStream>>,
    /// Whether the requests of the workload are one mix or a load each; mixed without it.
    #[schemars(default)]
    ask: Option<RawAsk>,
    /// How the variants take turns; chosen by load and memory without it.
    #[schemars(default)]
    mode: Option<RawMode>,
    /// What carries the bytes of the load; epoll without it.
    #[schemars(default)]
    driver: Option<RawDriver>,
    /// Time-outs.
    #[schemars(default)]
    timeouts: Option<RawTimeouts>,
    /// What is to be shown, by name: `throughput(nio2) > throughput(nio)`.
    #[schemars(default)]
    claims: Option<RawClaims>,
    /// Ranges in which quantities are expected to lie; the study says whether they do.
    #[schemars(default)]
    expect: Option<RawExpectations>,
    /// Figures published elsewhere; shown beside those found, never judged.
    #[schemars(default, length(min = 1, max = 16))]
    reference: Option<Vec<RawReference>>,
    /// What is left of the study under --smoke and --quick.
    #[schemars(default)]
    quick: Option<RawQuick>,
    /// Seed of everything random; without it each run draws one.
    #[schemars(default)]
    seed: Option<u64>,
}

/// A file in the folder of the study, or below it.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawFile(#[schemars(regex(pattern = r"^[^/]"))] String);

/// A server under test.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, clippy::large_enum_variant)]
enum RawSubject {
    Catalogue(RawCatalogue),
    Command(RawCommand),
    Url(RawUrl),
}

/// All requests in one mix by weight, or each of them a load point of its own.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
enum RawAsk {
    Mixed,
    Separately,
}

/// All variants run at once and take turns slice by slice, or one runs after the other.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
enum RawMode {
    Cycles,
    Serial,
}

/// Which of the kernel's interfaces the generator uses.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[allow(dead_code)]
enum RawDriver {
    Epoll,
    IoUring,
}

/// Started by Proofload from its catalogue.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct RawCatalogue {
    /// Folder of the catalogue; `proofload subjects` lists them.
    #[schemars(rename = "use", regex(pattern = r"^[a-z0-9][a-z0-9-]{0,63}$"))]
    folder: String,
    /// Parameters; `proofload subjects NAME` lists them.
    #[schemars(default, extend("minProperties" = 1))]
    with: Option<BTreeMap<String, RawValue>>,
    /// Factors: parameters with their levels. Every combination is a variant.
    #[schemars(default, extend("minProperties" = 1))]
    vary: Option<BTreeMap<String, RawLevels>>,
    /// All variants share one process, which has a port for each; forbids claims about what processes use.
    #[schemars(default)]
    shared: Option<bool>,
    /// Combinations of vary that are no variant; one that names some factors excludes all that fit it.
    #[schemars(default, length(min = 1, max = 256))]
    exclude: Option<Vec<RawCombination>>,
    /// Variants, instead of vary: a list of combinations, or a map that names them.
    #[schemars(default)]
    combinations: Option<RawCombinations>,
}

/// Started by Proofload from a list of arguments; no shell is asked.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct RawCommand {
    /// Program and arguments. `{port}` and the names under with and vary are filled in.
    #[schemars(length(min = 1, max = 256))]
    command: Vec<RawArgument>,
    /// Values for placeholders.
    #[schemars(default, extend("minProperties" = 1))]
    with: Option<BTreeMap<String, RawValue>>,
    /// Factors: placeholders with their levels.
    #[schemars(default, extend("minProperties" = 1))]
    vary: Option<BTreeMap<String, RawLevels>>,
    /// Memory that it takes; variants that do not fit together run one after the other.
    #[schemars(default)]
    memory: Option<RawSize>,
    /// Combinations of vary that are no variant; one that names some factors excludes all that fit it.
    #[schemars(default, length(min = 1, max = 256))]
    exclude: Option<Vec<RawCombination>>,
    /// Variants, instead of vary: a list of combinations, or a map that names them.
    #[schemars(default)]
    combinations: Option<RawCombinations>,
    /// How long it may take to get ready; 60s without.
    #[schemars(default)]
    ready_within: Option<RawDuration>,
    /// Environment variables.
    #[schemars(default, extend("minProperties" = 1))]
    env: Option<BTreeMap<String, RawArgument>>,
    /// Working directory, relative to the study file.
    #[schemars(default, regex(pattern = r"\S"))]
    directory: Option<String>,
    /// Port it listens on; without it Proofload chooses one and fills it in for `{port}`.
    #[schemars(default, range(min = 1, max = 65535))]
    port: Option<u16>,
    /// It speaks TLS; `{}` trusts the system's authorities.
    #[schemars(default)]
    tls: Option<RawTls>,
    /// An HTTP proxy that is asked for tunnels.
    #[schemars(default)]
    proxy: Option<RawProxy>,
}

/// A server that already runs.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct RawUrl {
    /// Its address, without a path.
    #[schemars(regex(pattern = r"^[hH][tT][tT][pP]([sS]|\+[uU][nN][iI][xX])?://[^/@]+/?$"))]
    url: String,
    /// TLS, of https addresses; without it the system's authorities are trusted.
    #[schemars(default)]
    tls: Option<RawTls>,
    /// An HTTP proxy that is asked for tunnels.
    #[schemars(default)]
    proxy: Option<RawProxy>,
}

/// A word, a whole number, or true or false where the parameter is a switch. What YAML would read otherwise
/// stands in quotes.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawValue {
    Text(#[schemars(regex(pattern = r"\S"))] String),
    Number(i64),
    Switch(bool),
}

/// One line of text, or a whole number.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawHeader {
    Text(#[schemars(regex(pattern = r"\S"))] String),
    Number(i64),
}

/// Text, or a whole number.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawArgument {
    Text(String),
    Number(i64),
}

/// Levels of a factor.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawLevels(#[schemars(length(min = 1), extend("uniqueItems" = true))] Vec<RawLevel>);

/// A level of each factor.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawCombination(#[schemars(extend("minProperties" = 1))] BTreeMap<String, RawLevel>);

/// Combinations without names, which all say the same factors, or with names, which say what they change.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawCombinations {
    List(#[schemars(length(min = 1, max = 32))] Vec<RawCombination>),
    Named(
        #[schemars(extend("minProperties" = 1, "maxProperties" = 32))]
        BTreeMap<String, BTreeMap<String, RawValue>>,
    ),
}

/// A level: letters, digits and . _ - : + %.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawLevel {
    Text(#[schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._:+%-]{0,63}$"))] String),
    Number(u64),
    Switch(bool),
}

/// A duration such as `10s`, `250ms` or `1m30s`.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawDuration(
    #[schemars(regex(pattern = r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*(ns|us|µs|μs|ms|s|m|min|h)"))] String,
);

/// One entry of the mix: exactly one method with its path.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("oneOf" = [
    {"required": ["get"]}, {"required": ["post"]}, {"required": ["put"]}, {"required": ["delete"]},
    {"required": ["head"]}, {"required": ["patch"]}, {"required": ["options"]}
]))]
#[allow(dead_code)]
struct RawEntry {
    /// GET this path.
    #[schemars(default)]
    get: Option<RawPath>,
    /// POST to this path.
    #[schemars(default)]
    post: Option<RawPath>,
    /// PUT to this path.
    #[schemars(default)]
    put: Option<RawPath>,
    /// DELETE this path.
    #[schemars(default)]
    delete: Option<RawPath>,
    /// HEAD of this path.
    #[schemars(default)]
    head: Option<RawPath>,
    /// PATCH this path.
    #[schemars(default)]
    patch: Option<RawPath>,
    /// OPTIONS of this path.
    #[schemars(default)]
    options: Option<RawPath>,
    /// Headers. Those that frame the message or the connection are set by Proofload.
    #[schemars(default, extend("minProperties" = 1))]
    headers: Option<BTreeMap<String, RawHeader>>,
    /// Credentials of this entry instead of those at the top; none sends none.
    #[schemars(default)]
    auth: Option<RawOwnAuth>,
    /// Body.
    #[schemars(default)]
    body: Option<RawBody>,
    /// Body as a form of several parts (multipart/form-data), instead of body.
    #[schemars(default, extend("minProperties" = 1))]
    form: Option<BTreeMap<String, RawFormValue>>,
    /// Share in the mix; 1 without.
    #[schemars(default, range(min = 1, max = 1_000_000))]
    weight: Option<u32>,
    /// Most redirects that are followed, instead of what stands at the top.
    #[schemars(default, range(min = 0, max = 20))]
    follow: Option<u32>,
    /// What an answer must be to count; without it status 200 to 399.
    #[schemars(default)]
    expect: Option<RawExpect>,
}

/// A path with its query.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawPath(#[schemars(regex(pattern = r"^/[!-~]*$"))] String);

/// What an answer must be.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct RawExpect {
    /// Exactly this status.
    #[schemars(default, range(min = 200, max = 599))]
    status: Option<u16>,
    /// Exactly so many bytes of body: `1024`, `1KiB`.
    #[schemars(default)]
    bytes: Option<RawSize>,
    /// The body contains this text.
    #[schemars(default, regex(pattern = r"\S"))]
    text: Option<String>,
}

/// A number of bytes, with or without a unit.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawSize {
    Bytes(u64),
    WithUnit(
        #[schemars(regex(pattern = r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*(|B|KiB|MiB|GiB|kB|MB|GB)\s*$"))]
        String,
    ),
}

/// Time-outs.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct RawTimeouts {
    /// To connect; 5s without.
    #[schemars(default)]
    connect: Option<RawDuration>,
    /// From sending to the end of the answer; 30s without.
    #[schemars(default)]
    response: Option<RawDuration>,
}

/// Claims by name.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawClaims {
    Map(#[schemars(extend("minProperties" = 1))] BTreeMap<String, RawClaim>),
    List(#[schemars(length(min = 1))] Vec<RawNamedClaim>),
}

/// One claim with its name.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawNamedClaim(
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))] BTreeMap<String, RawClaim>,
);

/// `throughput(a) > 1.1 * throughput(b) @ 64c`.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawClaim(#[schemars(regex(pattern = r"\S"))] String);

/// Ranges by quantity.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawExpectations {
    Map(#[schemars(extend("minProperties" = 1))] BTreeMap<String, RawRange>),
    List(#[schemars(length(min = 1))] Vec<RawExpectation>),
}

/// `throughput(a) @ 64c: 8000/s..14000/s`.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawExpectation(
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))] BTreeMap<String, RawRange>,
);

/// `8000/s..14000/s`, `8000/s..` or `..50ms`; with its source in a map.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawRange {
    Range(#[schemars(regex(pattern = r"\.\."))] String),
    WithSource(RawRangeOfSource),
}

/// A range, and who expected it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct RawRangeOfSource {
    /// `8000/s..14000/s`, `8000/s..` or `..50ms`.
    #[schemars(regex(pattern = r"\.\."))]
    range: String,
    /// Who expected it, and why.
    #[schemars(default, regex(pattern = r"\S"))]
    source: Option<String>,
}

/// What is left of the study under --smoke and --quick; what it drops is listed as not tested.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
struct RawQuick {
    /// Labels of the load points that are left.
    #[schemars(default, length(min = 1))]
    points: Option<Vec<String>>,
    /// Names of the claims that are left.
    #[schemars(default, length(min = 1))]
    claims: Option<Vec<String>>,
    /// Variants that are left: `heap=1g` keeps all with this level.
    #[schemars(default, length(min = 1))]
    variants: Option<Vec<RawLevelOrVariant>>,
    /// How long connections stay that join and stay (`for:` of a closed load).
    #[schemars(default)]
    r#for: Option<RawDuration>,
}

/// `heap=1g`, `connector=nio,heap=1g`, or a level.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawLevelOrVariant {
    Text(#[schemars(regex(pattern = r"\S"))] String),
    Number(u64),
    Switch(bool),
}
