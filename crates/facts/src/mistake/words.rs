//! Words of mistakes: things, what was expected, and where to look.

use serde::Serialize;

/// Something that a mistake names: what is unknown, there twice, too many, or badly named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thing {
    Address,
    Argument,
    Captured,
    Claim,
    Column,
    Combination,
    Conclusion,
    Condition,
    Entry,
    Factor,
    Feeder,
    Figure,
    File,
    Folder,
    Header,
    Journey,
    Level,
    Measure,
    Parameter,
    Part,
    Point,
    PointOrVariant,
    Process,
    Quantity,
    Redirect,
    Reference,
    Row,
    Setting,
    Stage,
    Stream,
    Study,
    Subject,
    Value,
    Variable,
    Variant,
}

/// Expected kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    Address,
    Arguments,
    Bytes,
    Condition,
    Coordinate,
    CoresNumber,
    CpuList,
    CssSelector,
    Csv,
    Distribution,
    Duration,
    EvenNumber,
    Factor,
    Feeder,
    Header,
    HeaderName,
    HostAndPort,
    JavaValue,
    JsonObject,
    JsonPath,
    JsonSchema,
    KeepAlive,
    Key,
    Ladder,
    List,
    Machine,
    Map,
    MeasureAtPoint,
    Memory,
    Method,
    Number,
    NumericAddress,
    Objective,
    Pair,
    Part,
    Path,
    Percentage,
    Pin,
    Pinned,
    PlainNumber,
    Proxy,
    Quantity,
    Range,
    Rate,
    Regex,
    Seconds,
    Server,
    Share,
    Sine,
    Size,
    Span,
    Spike,
    Stage,
    Status,
    Text,
    TrueOrFalse,
    Unit,
    User,
    WebAddress,
    Weight,
    Whole,
    Words,
    Xpath,
}

/// Reason why a word without quotes is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unquoted {
    /// `true`.
    Boolean,
    /// `yes`.
    OldBoolean,
    /// `1.5`.
    Number,
}

/// Place to look at where a text is not YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    Quote,
    Bracket,
    Depth,
    Directive,
    Colon,
    Indentation,
}
