//! What others published, as editors see it.

use super::RawArgument;
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// Figures published elsewhere, and what was concluded from them; at least one of the two.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    extend("anyOf" = [{ "required": ["figures"] }, { "required": ["conclusions"] }])
)]
#[allow(dead_code)]
pub(super) struct RawReference {
    /// Who published it, and when.
    #[schemars(regex(pattern = r"\S"))]
    source: String,
    /// Its address.
    #[schemars(default, regex(pattern = r"^https?://\S+$"))]
    url: Option<String>,
    /// `p99(a) @ 64c: 101ms`.
    #[schemars(default, extend("minProperties" = 1, "maxProperties" = 200))]
    figures: Option<BTreeMap<String, RawArgument>>,
    /// What was concluded, each with the claims that test it.
    #[schemars(default)]
    conclusions: Option<RawConclusions>,
}

/// Conclusions by their sentence.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawConclusions {
    Map(#[schemars(extend("minProperties" = 1, "maxProperties" = 50))] BTreeMap<String, RawConclusion>),
    List(#[schemars(length(min = 1, max = 50))] Vec<RawNamedConclusion>),
}

/// One conclusion with what tests it.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct RawNamedConclusion(
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))] BTreeMap<String, RawConclusion>,
);

/// What tests a conclusion, or why nothing does.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    extend("oneOf" = [{ "required": ["claim"] }, { "required": ["not_tested"] }])
)]
#[allow(dead_code)]
struct RawConclusion {
    /// Name of a claim of this study, or several.
    #[schemars(default)]
    claim: Option<RawNames>,
    /// The figure that it rested on: `1.10`, `+11 %`.
    #[schemars(default)]
    was: Option<RawWas>,
    /// Why that figure is no evidence, or less than it seems.
    #[schemars(default, regex(pattern = r"\S"))]
    beware: Option<String>,
    /// Why this study does not test it.
    #[schemars(default, regex(pattern = r"\S"))]
    not_tested: Option<String>,
}

/// A name, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawNames {
    One(#[schemars(regex(pattern = r"\S"))] String),
    Many(#[schemars(length(min = 1))] Vec<String>),
}

/// A figure as it was written.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
enum RawWas {
    Text(#[schemars(regex(pattern = r"\S"))] String),
    Number(f64),
}
