//! `subject.yaml` as written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    #[serde(default)]
    pub format: Option<Spanned<u32>>,
    pub description: Spanned<String>,
    #[serde(default)]
    pub parameters: Vec<RawParameter>,
    #[serde(default)]
    pub derived: Vec<RawDerived>,
    #[serde(default)]
    pub applies: Vec<RawRule>,
    #[serde(default)]
    pub shares: Option<Spanned<String>>,
    #[serde(default)]
    pub each_endpoint: Vec<RawEachEndpoint>,
    #[serde(default)]
    pub needs: RawNeeds,
    #[serde(default)]
    pub build: RawBuild,
    #[serde(default)]
    pub files: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    pub start: Option<Spanned<Vec<Vec<Spanned<String>>>>>,
    #[serde(default)]
    pub environment: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    pub ready: Option<RawReady>,
    #[serde(default)]
    pub processes: Vec<RawProcess>,
    #[serde(default)]
    pub front: Option<Spanned<String>>,
    #[serde(default)]
    pub memory_max: Option<Spanned<String>>,
    #[serde(default)]
    pub answers: Vec<Spanned<String>>,
    #[serde(default)]
    pub speaks: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    pub stop: RawStop,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawParameter {
    pub name: Spanned<String>,
    pub kind: RawKind,
    pub default: Option<Spanned<String>>,
    pub doc: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RawKind {
    Choice(Vec<String>),
    Number(RawRange),
    Memory,
    Duration,
    Text,
    Words(Vec<String>),
    Switch(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRange {
    pub min: u64,
    pub max: u64,
}

/// Parameter to the values that fit.
pub(super) type RawCondition = BTreeMap<String, Spanned<Vec<Spanned<String>>>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDerived {
    pub name: Spanned<String>,
    pub cases: Vec<RawCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCase {
    #[serde(default)]
    pub when: RawCondition,
    pub is: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEachEndpoint {
    pub name: Spanned<String>,
    pub is: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRule {
    pub when: RawCondition,
    pub need: RawCondition,
    pub because: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawNeeds {
    pub jdk: Option<Spanned<String>>,
    #[serde(default)]
    pub maven: Vec<Spanned<String>>,
    #[serde(default)]
    pub debian: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBuild {
    #[serde(default)]
    pub javac: Vec<Spanned<String>>,
    #[serde(default)]
    pub shared: Vec<Spanned<String>>,
    #[serde(default)]
    pub replace: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    pub unpack: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawReady {
    pub path: Option<Spanned<String>>,
    pub within: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProcess {
    pub name: Spanned<String>,
    #[serde(default)]
    pub after: Vec<Spanned<String>>,
    pub start: Spanned<Vec<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub environment: BTreeMap<String, Spanned<String>>,
    pub ready: RawReady,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStop {
    pub grace: Spanned<String>,
}

impl Default for RawStop {
    fn default() -> Self {
        RawStop { grace: Spanned::new("5s".into(), Location::UNKNOWN, Location::UNKNOWN) }
    }
}
