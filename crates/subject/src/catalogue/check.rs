//! From a declaration as written to one that is right, with every mistake told at its line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde_saphyr::Spanned;

use crate::Mistake;
use crate::contract::Answer;
use proofload_study::{Parameter, ParameterKind, SPEAKS_TEXTS, Speaks, duration, told};

use super::declaration::{Declaration, ProcessDeclaration, memory_bytes};
use super::raw::{
    Raw, RawCondition, RawDerived, RawEachEndpoint, RawKind, RawParameter, RawProcess, RawRange, RawRule,
};
use super::rules::{Condition, Derived, Pattern, Rule};
use super::template::{UNITS, is_process_name, is_word, placeholders};

/// The format that this version reads.
const SUBJECT_FORMAT: u32 = 1;
/// Placeholders that every subject may use.
const BUILT_IN: [&str; 4] = ["address", "port", "temp", "proofload"];
/// Placeholders of subjects that need a JDK.
const OF_JAVA: [&str; 3] = ["java", "java_home", "class_path"];
/// Placeholders of subjects that need Debian packages: their root, and the folder of their libraries.
const OF_DEBIAN: [&str; 2] = ["debian", "debian_lib"];
/// A subject is a handful of processes.
const PROCESSES_MAX: usize = 16;

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
    Check::new(file).finish(raw)
}

struct Check<'a> {
    file: &'a Path,
    mistakes: Vec<Mistake>,
    /// Names that a placeholder may have.
    known: BTreeSet<String>,
}

impl<'a> Check<'a> {
    fn new(file: &'a Path) -> Self {
        let known = BUILT_IN.iter().map(ToString::to_string).collect();
        Check { file, mistakes: Vec::new(), known }
    }

    fn finish(mut self, raw: Raw) -> Result<Declaration, Vec<Mistake>> {
        let declaration = self.declaration(raw);
        if self.mistakes.is_empty() { Ok(declaration) } else { Err(self.mistakes) }
    }

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
        self.needs(&raw);
        let mut switches = BTreeMap::new();
        let parameters: Vec<Parameter> =
            raw.parameters.into_iter().map(|raw| self.parameter(raw, &mut switches)).collect();
        self.processes_are_named(&raw.processes);
        let derived: Vec<Derived> =
            raw.derived.into_iter().map(|raw| self.derived(raw, &parameters)).collect();
        let each_endpoint = raw.each_endpoint.iter().map(|raw| self.each_endpoint(raw)).collect();
        let applies = raw.applies.iter().map(|raw| self.rule(raw, &parameters)).collect();
        let shares = raw.shares.map(|name| self.shared(&name, &parameters));
        let (processes, front) = match (&raw.start, &raw.ready) {
            (None, None) if !raw.processes.is_empty() => self.processes(&raw.processes, raw.front.as_ref()),
            (Some(start), Some(ready)) if raw.processes.is_empty() => {
                let alone = ProcessDeclaration {
                    name: String::new(),
                    start: self.start(start),
                    environment: self.templates(&raw.environment),
                    ready_path: self.ready_path(ready.path.as_ref()),
                    ready_within: self.time(&ready.within),
                };
                (vec![alone], 0)
            }
            _ => {
                let what = "needs either start and ready, or processes";
                self.wrong(&raw.description, what, "write start: and ready:, or a list processes:");
                (Vec::new(), 0)
            }
        };
        Declaration {
            description: self.template(&raw.description),
            parameters,
            switches,
            derived,
            applies,
            shares,
            each_endpoint,
            jdk: raw.needs.jdk.as_ref().map(|jdk| self.template(jdk)),
            maven: raw.needs.maven.iter().map(|coordinate| self.coordinate(coordinate)).collect(),
            debian: raw.needs.debian.iter().map(|package| self.template(package)).collect(),
            javac: raw.build.javac.iter().map(|source| self.source(source)).collect(),
            shared: raw.build.shared.iter().map(|source| self.path_within(source)).collect(),
            replace: self.templates(&raw.build.replace),
            unpack: raw.build.unpack.iter().map(|coordinate| self.coordinate(coordinate)).collect(),
            files: raw
                .files
                .iter()
                .map(|(target, source)| (self.target(target, source), self.path_within(source)))
                .collect(),
            processes,
            front,
            memory_max: raw.memory_max.as_ref().map(|size| self.memory(size)),
            grace: self.time(&raw.stop.grace),
            answers: raw.answers.iter().map(|answer| self.answer(answer)).collect(),
            speaks: self.speaks(&raw.speaks),
        }
    }

    /// What is spoken on its port, and what it must be told.
    fn speaks(&mut self, raw: &BTreeMap<String, Spanned<String>>) -> BTreeMap<String, String> {
        for (key, at) in raw.iter().filter(|(key, _)| !SPEAKS_TEXTS.contains(&key.as_str())) {
            self.wrong(
                at,
                format!("speaks has no key {key}"),
                format!("write some of {}", SPEAKS_TEXTS.join(", ")),
            );
        }
        let speaks = self.templates(raw);
        let fixed = speaks.values().all(|text| placeholders(text).is_empty());
        if let (Some(at), true, Err(what)) = (raw.get("protocol"), fixed, Speaks::from_texts(&speaks)) {
            self.wrong(at, told(&what), "or leave it out");
        }
        speaks
    }

    fn answer(&mut self, at: &Spanned<String>) -> String {
        if placeholders(&at.value).is_empty() && Answer::parse(&at.value).is_none() {
            let what = format!("`{}` is nothing that a contract knows", at.value);
            self.wrong(at, what, format!("write some of {}", Answer::words()));
        }
        self.template(at)
    }

    /// What the folder needs decides which placeholders there are.
    fn needs(&mut self, raw: &Raw) {
        let (needs, build) = (&raw.needs, &raw.build);
        if let Some(format) = raw.format.as_ref().filter(|format| format.value != SUBJECT_FORMAT) {
            let what = format!("format {} is not known to this version", format.value);
            self.wrong(format, what, format!("write format: {SUBJECT_FORMAT}, or use a newer Proofload"));
        }
        if needs.jdk.is_some() {
            self.known.extend(OF_JAVA.map(String::from));
        }
        if !needs.debian.is_empty() {
            self.known.extend(OF_DEBIAN.map(String::from));
        }
        if !build.unpack.is_empty() {
            self.known.insert("unpacked".into());
        }
        if raw.shares.is_some() {
            self.known.insert("endpoints".into());
        }
        let sources = build.javac.is_empty() && build.shared.is_empty();
        let java = [sources, needs.maven.is_empty(), build.unpack.is_empty()].contains(&false);
        if needs.jdk.is_none() && java {
            let what = "Java sources or archives without needs.jdk";
            self.wrong(&raw.description, what, "add jdk: under needs");
        }
    }

    fn name(&mut self, at: &Spanned<String>) -> String {
        if !is_word(&at.value) {
            let what = format!("`{}` cannot name a parameter", at.value);
            self.wrong(at, what, "use small letters, digits and _");
        }
        if !self.known.insert(at.value.clone()) {
            let what = format!("`{}` is declared twice or built in", at.value);
            self.wrong(at, what, "choose another name");
        }
        at.value.clone()
    }

    fn parameter(&mut self, raw: RawParameter, switches: &mut BTreeMap<String, String>) -> Parameter {
        let name = self.name(&raw.name);
        let kind = match raw.kind {
            RawKind::Choice(words) => ParameterKind::Choice(words),
            RawKind::Number(RawRange { min, max }) => ParameterKind::Integer { min, max },
            RawKind::Memory => ParameterKind::Memory,
            RawKind::Duration => ParameterKind::Duration,
            RawKind::Text => ParameterKind::Text,
            RawKind::Words(begin) => ParameterKind::Words(begin),
            RawKind::Switch(argument) => {
                switches.insert(name.clone(), argument);
                ParameterKind::Choice(vec!["true".into(), "false".into()])
            }
        };
        if kind == ParameterKind::Duration {
            self.known.extend(UNITS.map(|(unit, _)| format!("{name}{unit}")));
        }
        let default = raw.default.as_ref().map(|default| default.value.clone());
        let parameter = Parameter { name, kind, default, doc: raw.doc };
        if let (Some(at), Some(value)) = (&raw.default, &parameter.default)
            && !value.is_empty()
            && let Err(why) = parameter.check(value)
        {
            self.wrong(
                at,
                format!("default of {}: {}", parameter.name, told(&why)),
                "choose a default that fits its kind",
            );
        }
        parameter
    }

    fn derived(&mut self, raw: RawDerived, parameters: &[Parameter]) -> Derived {
        // Before its own name is known, so that it cannot stand in itself.
        let cases = raw.cases.iter().map(|case| {
            let when = self.condition(&case.when, &case.is, parameters);
            (when, self.template(&case.is))
        });
        let cases = cases.collect();
        Derived { name: self.name(&raw.name), cases }
    }

    fn each_endpoint(&mut self, raw: &RawEachEndpoint) -> (String, String) {
        let text = self.template(&raw.is);
        (self.name(&raw.name), text)
    }

    fn rule(&mut self, raw: &RawRule, parameters: &[Parameter]) -> Rule {
        let at = raw.when.values().chain(raw.need.values()).next();
        let at = at.map_or_else(nowhere, |at| Spanned::new(String::new(), at.referenced, at.defined));
        if raw.when.is_empty() || raw.need.is_empty() {
            self.wrong(&at, "a rule of applies is empty", "write when: and need: with parameters");
        }
        Rule {
            when: self.condition(&raw.when, &at, parameters),
            need: self.condition(&raw.need, &at, parameters),
            because: raw.because.clone(),
        }
    }

    fn condition(&mut self, raw: &RawCondition, at: &Spanned<String>, parameters: &[Parameter]) -> Condition {
        let mut parts = Vec::new();
        for (name, values) in raw {
            let Some(parameter) = parameters.iter().find(|parameter| parameter.name == *name) else {
                self.wrong(at, format!("`{name}` is no parameter"), "name one that is declared above");
                continue;
            };
            let patterns: Vec<Pattern> =
                values.value.iter().map(|word| Pattern::parse(&word.value)).collect();
            for (word, pattern) in values.value.iter().zip(&patterns) {
                // An option that is not given is empty.
                let left_out = word.value.is_empty() && parameter.default.as_deref() == Some("");
                let wrong = match pattern {
                    Pattern::Word(value) if !left_out => parameter.check(value).err().map(|why| told(&why)),
                    Pattern::Range(..) if !matches!(parameter.kind, ParameterKind::Integer { .. }) => {
                        Some(format!("{name} is no number, so it has no range"))
                    }
                    _ => None,
                };
                if let Some(why) = wrong {
                    self.wrong(word, format!("{name}: {why}"), "write values that the parameter takes");
                }
            }
            parts.push((name.clone(), patterns));
        }
        Condition(parts)
    }

    fn shared(&mut self, at: &Spanned<String>, parameters: &[Parameter]) -> String {
        let choice = |parameter: &Parameter| matches!(parameter.kind, ParameterKind::Choice(_));
        if !parameters.iter().any(|parameter| parameter.name == at.value && choice(parameter)) {
            let what = format!("shares `{}`, which is no parameter with a choice of values", at.value);
            self.wrong(at, what, "name one, and start a port for each of {endpoints}");
        }
        at.value.clone()
    }

    fn processes_are_named(&mut self, raw: &[RawProcess]) {
        for process in raw {
            let name = &process.name;
            if !is_process_name(&name.value) {
                let what = format!("`{}` cannot name a process", name.value);
                self.wrong(name, what, "use small letters, digits, _ and -");
            }
            if !self.known.insert(format!("port.{}", name.value)) {
                self.wrong(name, format!("process {} is declared twice", name.value), "choose another name");
            }
        }
        if let Some(beyond) = raw.get(PROCESSES_MAX) {
            self.wrong(&beyond.name, format!("more than {PROCESSES_MAX} processes"), "start fewer");
        }
    }

    /// The processes in an order in which each comes after those that it names.
    fn processes(
        &mut self,
        raw: &[RawProcess],
        front: Option<&Spanned<String>>,
    ) -> (Vec<ProcessDeclaration>, usize) {
        let mut order: Vec<usize> = Vec::new();
        for _ in raw {
            let placed = |order: &[usize], name: &str| order.iter().any(|at| raw[*at].name.value == name);
            let next = (0..raw.len()).find(|at| {
                !order.contains(at) && raw[*at].after.iter().all(|before| placed(&order, &before.value))
            });
            order.extend(next);
        }
        for (_, process) in raw.iter().enumerate().filter(|(at, _)| !order.contains(at)) {
            let what =
                format!("process {} comes after one that is not there or comes after it", process.name.value);
            self.wrong(&process.name, what, "name processes under after that can start before it");
        }
        let front = match front {
            Some(name) => {
                order.iter().position(|at| raw[*at].name.value == name.value).unwrap_or_else(|| {
                    self.wrong(
                        name,
                        format!("front `{}` is no process", name.value),
                        "name one of processes",
                    );
                    0
                })
            }
            None => order.len().saturating_sub(1),
        };
        let declared = order.iter().map(|at| {
            let process = &raw[*at];
            ProcessDeclaration {
                name: process.name.value.clone(),
                start: self.start(&process.start),
                environment: self.templates(&process.environment),
                ready_path: self.ready_path(process.ready.path.as_ref()),
                ready_within: self.time(&process.ready.within),
            }
        });
        (declared.collect(), front)
    }

    fn start(&mut self, raw: &Spanned<Vec<Vec<Spanned<String>>>>) -> Vec<Vec<String>> {
        if raw.value.iter().flatten().next().is_none() {
            let remedy = "write a list of groups of arguments, the program first";
            self.wrong(raw, "start has no program", remedy);
        }
        let group =
            |group: &Vec<Spanned<String>>| group.iter().map(|argument| self.template(argument)).collect();
        raw.value.iter().map(group).collect()
    }

    fn ready_path(&mut self, path: Option<&Spanned<String>>) -> Option<String> {
        let path = path?;
        if !path.value.starts_with(['/', '{']) {
            self.wrong(path, format!("ready.path `{}` is no path", path.value), "begin it with /");
        }
        Some(self.template(path))
    }

    fn templates(&mut self, raw: &BTreeMap<String, Spanned<String>>) -> BTreeMap<String, String> {
        raw.iter().map(|(name, value)| (name.clone(), self.template(value))).collect()
    }

    fn template(&mut self, at: &Spanned<String>) -> String {
        for name in placeholders(&at.value) {
            if !self.known.contains(name) {
                let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
                let remedy = format!("declare it as a parameter or use one of {}", known.join(", "));
                self.wrong(at, format!("unknown placeholder {{{name}}}"), remedy);
            }
        }
        at.value.clone()
    }

    fn coordinate(&mut self, at: &Spanned<String>) -> String {
        let alone = at.value.starts_with('{') && at.value.ends_with('}') && !at.value.contains(':');
        if !alone && !matches!(at.value.split(':').count(), 3..=5) {
            let what = format!("`{}` is no Maven coordinate", at.value);
            self.wrong(at, what, "write group:artifact:version, and :zip for another kind of file");
        }
        self.template(at)
    }

    fn memory(&mut self, at: &Spanned<String>) -> String {
        if placeholders(&at.value).is_empty() && memory_bytes(&at.value).is_none() {
            let what = format!("memory_max `{}` is no size of memory", at.value);
            self.wrong(at, what, "write one such as 2g");
        }
        self.template(at)
    }

    fn target(&mut self, target: &str, at: &Spanned<String>) -> PathBuf {
        if !is_within(Path::new(target)) {
            let what = format!("`{target}` leads out of the temporary directory");
            self.wrong(at, what, "name a path below {temp}");
        }
        PathBuf::from(target)
    }

    /// A path whose placeholders are filled in later, and may then not lead out of the folder either.
    fn source(&mut self, at: &Spanned<String>) -> String {
        self.path_within(at);
        self.template(at)
    }

    fn path_within(&mut self, at: &Spanned<String>) -> PathBuf {
        if !is_within(Path::new(&at.value)) {
            let what = format!("`{}` leads out of the folder", at.value);
            self.wrong(at, what, "name a file within the folder");
        }
        PathBuf::from(&at.value)
    }

    fn time(&mut self, at: &Spanned<String>) -> Duration {
        match duration(&at.value) {
            Ok(ns) => Duration::from_nanos(ns),
            Err(why) => {
                self.wrong(at, told(&why), "10s is one");
                Duration::ZERO
            }
        }
    }
}

fn nowhere() -> Spanned<String> {
    Spanned::new(String::new(), serde_saphyr::Location::UNKNOWN, serde_saphyr::Location::UNKNOWN)
}

/// Whether a path stays below where it begins.
pub(crate) fn is_within(path: &Path) -> bool {
    path.components().next().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}
