//! A folder of the catalogue, checked.

use proofload_facts::Mistake;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use proofload_study::{Parameter, ParameterKind, Speaks};

use super::rules::{Derived, Rule, Values};
use super::template::{Filled, fill};

/// A folder of the catalogue, checked.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// One line, may hold placeholders.
    pub description: String,
    pub parameters: Vec<Parameter>,
    /// Argument for a switch that is `true`.
    pub(crate) switches: BTreeMap<String, String>,
    /// Placeholders that follow from parameters.
    pub(crate) derived: Vec<Derived>,
    /// Combinations of parameters that it cannot be.
    pub(crate) applies: Vec<Rule>,
    /// The parameter in which variants may differ that share one start.
    pub(crate) shares: Option<String>,
    /// Placeholders whose text is written once for each endpoint, one below the other; templates.
    pub(crate) each_endpoint: BTreeMap<String, String>,
    /// Major version of the JDK, a template.
    pub(crate) jdk: Option<String>,
    /// Maven coordinates, templates; an empty one is left out.
    pub(crate) maven: Vec<String>,
    /// Debian packages, templates; an empty one is left out.
    pub(crate) debian: Vec<String>,
    /// Java sources, relative to the folder; templates, an empty one is left out.
    pub(crate) javac: Vec<String>,
    /// Java sources that several folders use, relative to the folder of the catalogue.
    pub(crate) shared: Vec<PathBuf>,
    /// Texts in the sources, and templates of what replaces them before they are compiled.
    pub(crate) replace: BTreeMap<String, String>,
    /// Maven coordinates of archives that are unpacked rather than put on the class path; templates.
    pub(crate) unpack: Vec<String>,
    /// Path below the temporary directory, and the folder's file that is filled in there at each start.
    pub(crate) files: BTreeMap<PathBuf, PathBuf>,
    /// In the order of their starts.
    pub(crate) processes: Vec<ProcessDeclaration>,
    /// Index of the process that is loaded.
    pub(crate) front: usize,
    /// Most resident memory of all its processes, a template.
    pub(crate) memory_max: Option<String>,
    pub(crate) grace: Duration,
    /// Answers of the contract, templates; an empty one is left out.
    pub(crate) answers: Vec<String>,
    /// Protocol of its port, and attributes that it needs: templates by key.
    pub(crate) speaks: BTreeMap<String, String>,
}

/// One process of a subject.
#[derive(Clone, Debug)]
pub(crate) struct ProcessDeclaration {
    /// Empty for the only process of a subject.
    pub(crate) name: String,
    /// Groups of arguments; a group with an empty placeholder is left out.
    pub(crate) start: Vec<Vec<String>>,
    /// A variable with an empty placeholder is left out.
    pub(crate) environment: BTreeMap<String, String>,
    /// A template; where it is empty, a connection is enough.
    pub(crate) ready_path: Option<String>,
    pub(crate) ready_within: Duration,
}

impl Declaration {
    /// The parameters as in a study.
    pub(crate) fn values_with_defaults(&self, given: &BTreeMap<String, String>) -> Values {
        let value = |parameter: &Parameter| {
            let value = given.get(&parameter.name).or(parameter.default.as_ref())?;
            Some((parameter.name.clone(), value.clone()))
        };
        Values { plain: self.parameters.iter().filter_map(value).collect(), shared: None }
    }

    pub(crate) fn default_of(&self, name: &str) -> Option<&String> {
        self.parameters.iter().find(|parameter| parameter.name == name)?.default.as_ref()
    }

    /// Checks that the combination applies.
    ///
    /// # Errors
    /// One for each rule that does not hold.
    pub(crate) fn check_combination(&self, values: &Values) -> Result<(), Vec<Mistake>> {
        let broken: Vec<Mistake> = self.applies.iter().filter_map(|rule| rule.check(values).err()).collect();
        if broken.is_empty() { Ok(()) } else { Err(broken) }
    }

    /// The description with the defaults filled in.
    pub(crate) fn plain_description(&self) -> String {
        self.with_defaults(&self.description).text
    }

    fn with_defaults(&self, template: &str) -> Filled {
        self.filled(template, &self.values_with_defaults(&BTreeMap::new()))
    }

    /// Protocol of a subject that has these values.
    ///
    /// # Errors
    /// Values for which there is no protocol.
    pub(crate) fn speaks(&self, given: &BTreeMap<String, String>) -> Result<Speaks, Mistake> {
        let values = self.values_with_defaults(given);
        let filled = self.speaks.iter().map(|(key, text)| (key.clone(), self.filled(text, &values).text));
        Speaks::from_texts(&filled.collect())
    }

    fn filled(&self, template: &str, values: &Values) -> Filled {
        let derived = |name: &str| {
            let derived = self.derived.iter().find(|derived| derived.name == name)?;
            Some(fill(derived.template(values), |name| values.text(name)).text)
        };
        fill(template, |name| values.text(name).or_else(|| derived(name)))
    }

    /// Needs and parameters, for a person.
    pub(crate) fn explain(&self) -> String {
        let mut text = String::new();
        let jdk = self.jdk.iter().map(|jdk| format!("JDK {jdk}"));
        let debian = self.debian.iter().map(|package| format!("Debian package {package}"));
        for need in jdk.chain(self.maven.iter().cloned()).chain(debian) {
            text.push_str(&format!("needs      {}\n", self.need_with_defaults(&need)));
        }
        for process in self.processes.iter().filter(|process| !process.name.is_empty()) {
            text.push_str(&format!("process    {}\n", process.name));
        }
        for parameter in &self.parameters {
            let kind = kind_text(&parameter.kind);
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
        for rule in &self.applies {
            text.push_str(&format!("applies    {}\n", rule.explain()));
        }
        if let Some(shared) = &self.shares {
            text.push_str(&format!("shares     one process for variants that differ in {shared} alone\n"));
        }
        text
    }

    /// Needs and parameters, for a program.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::json;
        let parameter = |parameter: &Parameter| {
            let (kind, values, min, max) = match &parameter.kind {
                ParameterKind::Choice(words) => ("choice", Some(words), None, None),
                ParameterKind::Integer { min, max } => ("number", None, Some(min), Some(max)),
                ParameterKind::Memory => ("memory", None, None, None),
                ParameterKind::Duration => ("duration", None, None, None),
                ParameterKind::Text => ("text", None, None, None),
                ParameterKind::Words(begin) => ("words", Some(begin), None, None),
            };
            json!({
                "name": parameter.name, "kind": kind, "values": values, "min": min, "max": max,
                "default": parameter.default, "doc": parameter.doc,
            })
        };
        json!({
            "description": self.plain_description(),
            "parameters": self.parameters.iter().map(parameter).collect::<Vec<_>>(),
            "applies": self.applies.iter().map(Rule::explain).collect::<Vec<_>>(),
            "shares": self.shares,
            "answers": self.answers,
            "needs": { "jdk": self.jdk, "maven": self.maven, "debian": self.debian },
            "processes": self.processes.iter().map(|process| &process.name).collect::<Vec<_>>(),
        })
    }

    /// The need with defaults; without one, the texts of its cases.
    fn need_with_defaults(&self, need: &str) -> String {
        let filled = self.with_defaults(need);
        if !filled.lacks {
            return filled.text;
        }
        let cases = self.derived.iter().filter(|derived| need.contains(&format!("{{{}}}", derived.name)));
        let mut texts: Vec<&str> =
            cases.flat_map(|derived| &derived.cases).map(|(_, text)| text.as_str()).collect();
        texts.dedup();
        format!("{}{} for some parameters", filled.text, texts.join(", "))
    }
}

/// Values that a parameter takes, for a person.
pub(crate) fn kind_text(kind: &ParameterKind) -> String {
    match kind {
        ParameterKind::Choice(words) => words.join(" | "),
        ParameterKind::Integer { min, max } => format!("{min} to {max}"),
        ParameterKind::Memory => "a size such as 256m".into(),
        ParameterKind::Duration => "a duration such as 10s".into(),
        ParameterKind::Text => "text".into(),
        ParameterKind::Words(begin) => format!("words that begin with {}", begin.join(" or ")),
    }
}
