//! What editors see of requests: feeders, credentials, bodies and forms.

use schemars::JsonSchema;

/// A source of values.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawFeeder {
    Csv(RawCsv),
    JsonLines(RawJsonLines),
    Counter(RawCounter),
    Random(RawRandom),
    RandomText(RawRandomText),
}

/// Rows of a CSV file whose first row names the columns.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawCsv {
    /// The file, in the folder of the study or below.
    #[schemars(regex(pattern = r"\S"))]
    csv: String,
    /// Which row comes when; sequential without.
    #[schemars(default)]
    order: Option<RawOrder>,
}

/// Lines of a file, each a JSON object.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawJsonLines {
    /// The file, in the folder of the study or below.
    #[schemars(regex(pattern = r"\S"))]
    json_lines: String,
    /// Which line comes when; sequential without.
    #[schemars(default)]
    order: Option<RawOrder>,
}

/// Which row comes when.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
pub(super) enum RawOrder {
    /// One after the other; after the last comes the first.
    Sequential,
    /// Any row at any time, by the seed.
    Random,
}

/// A number that no other request of the load has.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawCounter {
    /// From where, and by how much.
    counter: RawFromStep,
}

/// First number and step.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawFromStep {
    /// The first number; 1 without.
    #[schemars(default)]
    from: Option<u64>,
    /// From one to the next; 1 without.
    #[schemars(default, range(min = 1))]
    step: Option<u64>,
}

/// A random number.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawRandom {
    /// Between which.
    random: RawFromTo,
}

/// Lowest and highest number.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawFromTo {
    /// Lowest.
    from: u64,
    /// Highest.
    to: u64,
}

/// Random letters, digits, - and _.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawRandomText {
    /// How many, or how their number is drawn.
    random_text: RawLetters,
}

/// A number of letters.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawLetters {
    Number(#[schemars(range(min = 1, max = 65536))] u32),
    Drawn(RawDrawn),
}

/// A number of letters that is drawn, and held for a while.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawDrawn {
    /// A size, or a distribution of them: `uniform:20..200KiB`, `exp:2KiB`, `lognormal:2KiB,p99=64KiB`,
    /// `list:1KiB,50KiB`.
    size: RawSizes,
    /// For how long a size is held, for all connections alike; each exchange draws its own without.
    #[schemars(default)]
    redraw: Option<String>,
    /// Largest size; sizes above it are cut to it. Needed where a distribution has no upper end.
    #[schemars(default)]
    most: Option<RawSizes>,
}

/// Bytes.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawSizes {
    Bytes(u64),
    Text(#[schemars(regex(pattern = r"[0-9]"))] String),
}

/// Credentials.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
pub(super) enum RawAuth {
    /// HTTP Basic.
    Basic(RawBasic),
    /// A bearer token; `${env.NAME}` keeps it out of the file.
    Bearer(#[schemars(regex(pattern = r"\S"))] String),
}

/// Credentials of one entry.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawOwnAuth {
    None(RawNone),
    Some(RawAuth),
}

/// No credentials.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
pub(super) enum RawNone {
    /// Sends none.
    None,
}

/// User and password; `${env.NAME}` keeps them out of the file.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawBasic {
    /// The user.
    #[schemars(regex(pattern = r"\S"))]
    user: String,
    /// The password.
    #[schemars(regex(pattern = r"\S"))]
    password: String,
}

/// A body: text, or a file.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawBody {
    Text(String),
    File(RawBodyFile),
}

/// A body from a file.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawBodyFile {
    /// The file, in the folder of the study or below.
    #[schemars(regex(pattern = r"\S"))]
    file: String,
}

/// The value of a part of a form.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawFormValue {
    Text(#[schemars(regex(pattern = r"\S"))] String),
    Number(i64),
    File(RawFormFile),
}

/// A part from a file.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawFormFile {
    /// The file, in the folder of the study or below.
    #[schemars(regex(pattern = r"\S"))]
    file: String,
    /// Its type; application/octet-stream without.
    #[schemars(default, rename = "type", regex(pattern = r"\S"))]
    content_type: Option<String>,
    /// The name that the server is told; that of the file without.
    #[schemars(default, regex(pattern = r"\S"))]
    filename: Option<String>,
}

/// A numeric address of this machine.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub(super) struct RawLocalAddress(#[schemars(regex(pattern = r"^[0-9A-Fa-f.:]+$"))] String);
