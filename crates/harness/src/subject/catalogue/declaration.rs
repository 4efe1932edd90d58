//! `subject.yaml`: as written, then checked.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::study::{Parameter, ParameterKind, duration};
use crate::subject::Mistake;

use super::template::{fill, placeholders};

/// Placeholders that every subject may use.
const BUILT_IN: [&str; 3] = ["port", "temp", "proofload"];
/// Placeholders of subjects that need a JDK.
const OF_JAVA: [&str; 2] = ["java", "class_path"];
/// A declaration is a page of text.
pub(crate) const FILE_BYTES_MAX: u64 = 256 << 10;

/// A folder of the catalogue, checked.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// One line, may hold placeholders.
    pub description: String,
    /// In declared order.
    pub parameters: Vec<Parameter>,
    /// Argument that stands for a switch that is `true`.
    pub(crate) switches: BTreeMap<String, String>,
    /// Major version of the JDK, a template.
    pub(crate) jdk: Option<String>,
    /// Maven coordinates, templates.
    pub(crate) maven: Vec<String>,
    /// Java sources, relative to the folder.
    pub(crate) javac: Vec<PathBuf>,
    /// Groups of arguments; a group with an empty placeholder is left out.
    pub(crate) start: Vec<Vec<String>>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) ready_path: Option<String>,
    pub(crate) ready_within: Duration,
    pub(crate) grace: Duration,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    description: Spanned<String>,
    #[serde(default)]
    parameters: Vec<RawParameter>,
    #[serde(default)]
    needs: RawNeeds,
    #[serde(default)]
    build: RawBuild,
    start: Spanned<Vec<Vec<Spanned<String>>>>,
    #[serde(default)]
    environment: BTreeMap<String, Spanned<String>>,
    ready: RawReady,
    #[serde(default)]
    stop: RawStop,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParameter {
    name: Spanned<String>,
    kind: RawKind,
    default: Option<Spanned<String>>,
    doc: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawKind {
    Choice(Vec<String>),
    Number(RawRange),
    Memory,
    Duration,
    Text,
    Switch(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRange {
    min: u64,
    max: u64,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawNeeds {
    jdk: Option<Spanned<String>>,
    #[serde(default)]
    maven: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBuild {
    #[serde(default)]
    javac: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReady {
    path: Option<Spanned<String>>,
    within: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStop {
    grace: Spanned<String>,
}

impl Default for RawStop {
    fn default() -> Self {
        RawStop {
            grace: Spanned::new(
                "5s".into(),
                serde_saphyr::Location::UNKNOWN,
                serde_saphyr::Location::UNKNOWN,
            ),
        }
    }
}

impl Declaration {
    /// The description with the defaults filled in.
    pub(crate) fn plain_description(&self) -> String {
        self.with_defaults(&self.description)
    }

    fn with_defaults(&self, template: &str) -> String {
        fill(template, |name| self.parameters.iter().find(|p| p.name == name)?.default.clone()).text
    }

    /// Needs and parameters, for a person.
    pub(crate) fn explain(&self) -> String {
        let mut text = String::new();
        for need in self.jdk.iter().map(|jdk| format!("JDK {jdk}")).chain(self.maven.iter().cloned()) {
            text.push_str(&format!("needs      {}\n", self.with_defaults(&need)));
        }
        for parameter in &self.parameters {
            let kind = match &parameter.kind {
                ParameterKind::Choice(words) => words.join(" | "),
                ParameterKind::Integer { min, max } => format!("{min} to {max}"),
                ParameterKind::Memory => "a size such as 256m".into(),
                ParameterKind::Duration => "a duration such as 10s".into(),
                ParameterKind::Text => "text".into(),
            };
            let default = match parameter.default.as_deref() {
                None => "must be given".to_string(),
                Some("") => "left out by default".to_string(),
                Some(default) => format!("{default} by default"),
            };
            text.push_str(&format!(
                "parameter  {}: {kind}; {default}\n           {}\n",
                parameter.name, parameter.doc
            ));
        }
        text
    }
}

/// Reads and checks a declaration.
///
/// # Errors
/// Every mistake: the first one of syntax and shape, or else all of the rest.
pub(crate) fn parse(file: &Path, text: &str) -> Result<Declaration, Vec<Mistake>> {
    let raw: Raw = serde_saphyr::from_str(text).map_err(|why| {
        let line = why.location().map(|place| place.line());
        let message = why.without_snippet().to_string();
        let what = message.lines().next().unwrap_or("not YAML").to_string();
        vec![Mistake {
            file: file.into(),
            line,
            what,
            remedy: "see subjects/README.md for the format".into(),
        }]
    })?;
    let mut check = Check { file, mistakes: Vec::new(), known: BTreeMap::new() };
    let declaration = check.declaration(raw);
    if check.mistakes.is_empty() { Ok(declaration) } else { Err(check.mistakes) }
}

struct Check<'a> {
    file: &'a Path,
    mistakes: Vec<Mistake>,
    /// Names that a placeholder may have.
    known: BTreeMap<String, ()>,
}

impl Check<'_> {
    fn wrong<T>(&mut self, at: &Spanned<T>, what: impl Into<String>, remedy: impl Into<String>) {
        let line = Some(at.referenced.line()).filter(|line| *line > 0);
        self.mistakes.push(Mistake {
            file: self.file.into(),
            line,
            what: what.into(),
            remedy: remedy.into(),
        });
    }

    fn declaration(&mut self, raw: Raw) -> Declaration {
        self.known.extend(BUILT_IN.map(|name| (name.to_string(), ())));
        if raw.needs.jdk.is_some() {
            self.known.extend(OF_JAVA.map(|name| (name.to_string(), ())));
        }
        let mut switches = BTreeMap::new();
        let parameters = raw.parameters.into_iter().map(|raw| self.parameter(raw, &mut switches)).collect();
        if raw.needs.jdk.is_none() && !(raw.build.javac.is_empty() && raw.needs.maven.is_empty()) {
            self.wrong(
                &raw.description,
                "Java sources or archives without needs.jdk",
                "add jdk: under needs",
            );
        }
        if raw.start.value.iter().flatten().next().is_none() {
            self.wrong(
                &raw.start,
                "start has no program",
                "write a list of groups of arguments, the program first",
            );
        }
        let mut start = Vec::new();
        for group in &raw.start.value {
            start.push(group.iter().map(|argument| self.template(argument)).collect());
        }
        if let Some(path) = raw.ready.path.as_ref().filter(|path| !path.value.starts_with('/')) {
            self.wrong(path, format!("ready.path `{}` is no path", path.value), "begin it with /");
        }
        Declaration {
            description: self.template(&raw.description),
            parameters,
            switches,
            jdk: raw.needs.jdk.as_ref().map(|jdk| self.template(jdk)),
            maven: raw.needs.maven.iter().map(|coordinate| self.coordinate(coordinate)).collect(),
            javac: raw.build.javac.iter().map(|source| self.source(source)).collect(),
            start,
            environment: raw
                .environment
                .iter()
                .map(|(name, value)| (name.clone(), self.template(value)))
                .collect(),
            ready_path: raw.ready.path.map(|path| path.value),
            ready_within: self.time(&raw.ready.within),
            grace: self.time(&raw.stop.grace),
        }
    }

    fn parameter(&mut self, raw: RawParameter, switches: &mut BTreeMap<String, String>) -> Parameter {
        let name = raw.name.value.clone();
        if placeholders(&format!("{{{name}}}")).is_empty() {
            self.wrong(
                &raw.name,
                format!("`{name}` cannot name a parameter"),
                "use small letters, digits and _",
            );
        }
        if self.known.insert(name.clone(), ()).is_some() {
            self.wrong(&raw.name, format!("`{name}` is declared twice or built in"), "choose another name");
        }
        let kind = match raw.kind {
            RawKind::Choice(words) => ParameterKind::Choice(words),
            RawKind::Number(RawRange { min, max }) => ParameterKind::Integer { min, max },
            RawKind::Memory => ParameterKind::Memory,
            RawKind::Duration => ParameterKind::Duration,
            RawKind::Text => ParameterKind::Text,
            RawKind::Switch(argument) => {
                switches.insert(name.clone(), argument);
                ParameterKind::Choice(vec!["true".into(), "false".into()])
            }
        };
        let default = raw.default.as_ref().map(|default| default.value.clone());
        let parameter = Parameter { name, kind, default, doc: raw.doc };
        if let (Some(at), Some(value)) = (&raw.default, &parameter.default)
            && let Err(why) = check_value(&parameter, value)
        {
            self.wrong(
                at,
                format!("default of {}: {why}", parameter.name),
                "choose a default that fits its kind",
            );
        }
        parameter
    }

    fn template(&mut self, at: &Spanned<String>) -> String {
        for name in placeholders(&at.value) {
            if !self.known.contains_key(name) {
                let known: Vec<&str> = self.known.keys().map(String::as_str).collect();
                let remedy = format!("declare it as a parameter or use one of {}", known.join(", "));
                self.wrong(at, format!("unknown placeholder {{{name}}}"), remedy);
            }
        }
        at.value.clone()
    }

    fn coordinate(&mut self, at: &Spanned<String>) -> String {
        if at.value.split(':').count() != 3 {
            self.wrong(at, format!("`{}` is no Maven coordinate", at.value), "write group:artifact:version");
        }
        self.template(at)
    }

    fn source(&mut self, at: &Spanned<String>) -> PathBuf {
        let path = PathBuf::from(&at.value);
        if path.components().any(|part| !matches!(part, Component::Normal(_)))
            || path.components().next().is_none()
        {
            self.wrong(
                at,
                format!("`{}` leads out of the folder", at.value),
                "name a file within the folder",
            );
        }
        path
    }

    fn time(&mut self, at: &Spanned<String>) -> Duration {
        match duration(&at.value) {
            Ok(ns) => Duration::from_nanos(ns),
            Err(why) => {
                self.wrong(at, why, "write a duration such as 10s");
                Duration::ZERO
            }
        }
    }
}

/// Whether a value fits a parameter.
///
/// # Errors
/// What it should be.
pub(crate) fn check_value(parameter: &Parameter, value: &str) -> Result<(), String> {
    let shown = value.escape_debug();
    match &parameter.kind {
        ParameterKind::Choice(words) if !words.iter().any(|word| word == value) => {
            Err(format!("`{shown}` is none of {}", words.join(", ")))
        }
        ParameterKind::Integer { min, max }
            if !value.parse::<u64>().is_ok_and(|number| (*min..=*max).contains(&number)) =>
        {
            Err(format!("`{shown}` is no number from {min} to {max}"))
        }
        ParameterKind::Memory if !is_memory(value) => {
            Err(format!("`{shown}` is no size of memory; write one such as 256m"))
        }
        ParameterKind::Duration => duration(value).map(|_| ()),
        ParameterKind::Text if value.chars().any(char::is_control) => {
            Err(format!("`{shown}` holds control characters; write one line of text"))
        }
        _ => Ok(()),
    }
}

/// A size as a JVM takes it: digits and one of `k`, `m`, `g`.
fn is_memory(value: &str) -> bool {
    let digits = value.trim_end_matches(['k', 'm', 'g', 'K', 'M', 'G']);
    value.len() <= digits.len() + 1
        && digits.parse::<u64>().is_ok_and(|number| number > 0)
        && !digits.starts_with('+')
}
