//! The keys of `subject.yaml`, and the declaration made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use proofload_facts::{Expected, Mistake, Thing};
use proofload_study::field::{Field, Map};
use proofload_study::keys::{Kind, WORD};
use proofload_study::problem::{Problems, Sink};
use proofload_study::yaml::{self, Value};
use proofload_study::{
    Parameter, ParameterKind, SPEAKS_TEXTS, Speaks, duration, keys, memory_bytes, not_one_of, unknown,
};

use super::declaration::{Declaration, ProcessDeclaration};
use super::rules::{Condition, Derived, Pattern, Rule};
use super::template::{UNITS, is_process_name, is_word, placeholders};
use crate::contract::Answer;

/// The format that this version reads.
const SUBJECT_FORMAT: u64 = 1;
/// Placeholders that every subject may use.
const BUILT_IN: [&str; 4] = ["address", "port", "temp", "proofload"];
/// Placeholders of subjects that need a JDK.
const OF_JAVA: [&str; 3] = ["java", "java_home", "class_path"];
/// Placeholders of subjects that need Debian packages: their root, and the folder of their libraries.
const OF_DEBIAN: [&str; 2] = ["debian", "debian_lib"];
/// A subject is a handful of processes.
const PROCESSES_MAX: usize = 16;
/// Default time for a subject to end.
const GRACE: Duration = Duration::from_secs(5);

const TEXTS: Kind = Kind::List(&Kind::Text(""), 0, usize::MAX);
const NAMED_TEXTS: Kind = Kind::Names(&Kind::Text(""), 1, usize::MAX);
const GROUPS: Kind = Kind::List(&TEXTS, 1, usize::MAX);
const CONDITION: Kind = Kind::Names(&TEXTS, 1, usize::MAX);
const FILE: Kind = Kind::Map(&[&SUBJECT]);

keys! {
    /// A subject of the catalogue.
    SUBJECT exactly_one(start, processes) {
        /// Version of the format.
        optional format: Kind::Integer(0, u64::MAX),
        /// Description, in one line.
        required description: Kind::Text(""),
        /// Parameters that may differ between variants.
        optional parameters: Kind::List(&Kind::Map(&[&PARAMETER]), 0, usize::MAX),
        /// Placeholders that follow from parameters.
        optional derived: Kind::List(&Kind::Map(&[&DERIVED]), 0, usize::MAX),
        /// Combinations of parameters that it can be.
        optional applies: Kind::List(&Kind::Map(&[&RULE]), 0, usize::MAX),
        /// The parameter in which variants may differ that share one start.
        optional shares: WORD,
        /// Placeholders whose text is written once for each endpoint.
        optional each_endpoint: Kind::List(&Kind::Map(&[&EACH_ENDPOINT]), 0, usize::MAX),
        /// Artifacts that are fetched.
        optional needs: Kind::Map(&[&NEEDS]),
        /// Sources that are compiled and archives that are unpacked.
        optional build: Kind::Map(&[&BUILD]),
        /// Paths below the temporary directory, with the files of the folder that are filled in there.
        optional files: NAMED_TEXTS,
        /// Groups of arguments, the program first; a group with an empty placeholder is left out.
        optional start: GROUPS,
        /// Environment variables.
        optional environment: NAMED_TEXTS,
        /// Condition of readiness.
        optional ready: Kind::Map(&[&READY]),
        /// Several processes instead of one.
        optional processes: Kind::List(&Kind::Map(&[&PROCESS]), 1, PROCESSES_MAX),
        /// The process that is loaded; the last one by default.
        optional front: WORD,
        /// Most resident memory of all its processes.
        optional memory_max: WORD,
        /// Parts of the contract that it answers.
        optional answers: TEXTS,
        /// Protocol of its port.
        optional speaks: NAMED_TEXTS,
        /// Way to stop it.
        optional stop: Kind::Map(&[&STOP]),
    }

    /// A parameter.
    PARAMETER {
        /// Its key under `with` and `vary`, and its placeholder.
        required name: WORD,
        /// Values that it takes.
        required kind: Kind::Either(&[&Kind::Text("^(memory|duration|text)$"), &Kind::One(&KINDS)]),
        /// Its default value; empty to leave out its argument.
        optional default: Kind::Text(""),
        /// Purpose, in one line.
        required doc: WORD,
    }

    /// Kinds of parameters that need more than their name.
    KINDS {
        /// One of these words.
        optional choice: TEXTS,
        /// A whole number in a range.
        optional number: Kind::Map(&[&RANGE]),
        /// Words that begin with one of these.
        optional words: TEXTS,
        /// `true` or `false`; the argument for `true`.
        optional switch: WORD,
    }

    /// A range, both ends included.
    RANGE {
        /// Least.
        required min: Kind::Integer(0, u64::MAX),
        /// Most.
        required max: Kind::Integer(0, u64::MAX),
    }

    /// A placeholder that follows from parameters.
    DERIVED {
        /// Its name.
        required name: WORD,
        /// The first that holds gives its text.
        required cases: Kind::List(&Kind::Map(&[&CASE]), 1, usize::MAX),
    }

    /// A case of a derived placeholder.
    CASE {
        /// Parameters with the values for which it holds.
        optional when: CONDITION,
        /// The text.
        required is: Kind::Text(""),
    }

    /// A rule: where `when` holds, `need` must.
    RULE {
        /// Parameters with the values for which it holds.
        required when: CONDITION,
        /// Parameters with the values that they must have then.
        required need: CONDITION,
        /// Reason.
        required because: WORD,
    }

    /// A placeholder that is written once for each endpoint.
    EACH_ENDPOINT {
        /// Its name.
        required name: WORD,
        /// The text of one.
        required is: Kind::Text(""),
    }

    /// Artifacts that are fetched.
    NEEDS {
        /// Major version of the JDK.
        optional jdk: WORD,
        /// Maven coordinates.
        optional maven: TEXTS,
        /// Debian packages.
        optional debian: TEXTS,
    }

    /// Sources that are compiled and archives that are unpacked.
    BUILD {
        /// Java sources, relative to the folder.
        optional javac: TEXTS,
        /// Java sources, relative to the catalogue.
        optional shared: TEXTS,
        /// Texts in the sources, and what replaces them.
        optional replace: NAMED_TEXTS,
        /// Maven coordinates of archives that are unpacked.
        optional unpack: TEXTS,
    }

    /// Condition of readiness of a process.
    READY {
        /// A path that is answered; a connection is enough by default.
        optional path: WORD,
        /// Longest time to get ready.
        required within: WORD,
    }

    /// One of several processes.
    PROCESS {
        /// Its name; its port is `{port.NAME}`.
        required name: WORD,
        /// Processes that must be ready before it starts.
        optional after: TEXTS,
        /// Groups of arguments, the program first.
        required start: GROUPS,
        /// Environment variables.
        optional environment: NAMED_TEXTS,
        /// Condition of readiness.
        required ready: Kind::Map(&[&READY]),
    }

    /// Way to stop a subject.
    STOP {
        /// Time to end before it is killed; 5s by default.
        required grace: WORD,
    }
}

/// Reads and checks a declaration.
///
/// # Errors
/// All mistakes at once, in the order of their lines.
pub(crate) fn parse(file: &Path, text: &str) -> Result<Declaration, Problems> {
    let sink = Sink::new(&file.display().to_string());
    let tree = yaml::parse(text, &sink);
    let declaration = tree.and_then(|tree| read(&Field::new(&tree, "", &sink, &FILE)));
    match declaration {
        Some(declaration) if sink.is_empty() => Ok(declaration),
        _ => Err(sink.into_problems()),
    }
}

fn read(field: &Field<'_>) -> Option<Declaration> {
    let map = field.map("description: …")?;
    let [needs, build, stop] = ["needs", "build", "stop"].map(|key| within(&map, key));
    let (needs, build) = (needs.as_ref(), build.as_ref());
    let mut reader = Reader::new(&map, needs, build);
    let parameters = list(Some(&map), "parameters");
    reader.parameters = parameters.iter().filter_map(|field| reader.parameter(field)).collect();
    let processes: Vec<Map<'_>> = list(Some(&map), "processes")
        .iter()
        .filter_map(|field| field.map("- { name, start, ready }"))
        .collect();
    processes.iter().for_each(Map::close);
    let names: Vec<String> = processes.iter().map(|map| reader.name(map, Thing::Process)).collect();
    let derived = list(Some(&map), "derived");
    let derived = derived.iter().filter_map(|field| reader.derived(field)).collect();
    let each_endpoint = list(Some(&map), "each_endpoint");
    let each_endpoint = each_endpoint.iter().filter_map(|field| reader.each_endpoint(field)).collect();
    let applies = list(Some(&map), "applies");
    let shares = map.optional("shares");
    let (processes, front) = match map.exactly_one("start: [[./server, \"{port}\"]]") {
        Some(("start", _)) => {
            map.forbid(&["front"], "start");
            (vec![reader.process(&map, String::new())], 0)
        }
        Some((beside, field)) => {
            map.forbid(&["environment", "ready"], beside);
            field.at_most(names.len(), PROCESSES_MAX, Thing::Process);
            reader.processes(&processes, &names, map.optional("front").as_ref())
        }
        None => (Vec::new(), 0),
    };
    let files = map.optional("files").and_then(|field| field.entries("files: { conf: conf }"));
    let files = files.unwrap_or_default();
    let declaration = Declaration {
        description: map
            .required("description", "description: …")
            .map_or_else(String::new, |it| reader.template(&it)),
        shares: shares.map(|field| reader.shared(&field)),
        derived,
        each_endpoint,
        applies: applies.iter().filter_map(|field| reader.rule(field)).collect(),
        jdk: needs.and_then(|map| map.optional("jdk")).map(|jdk| reader.template(&jdk)),
        maven: reader.all(needs, "maven", Reader::coordinate),
        debian: reader.all(needs, "debian", Reader::template),
        javac: reader.all(build, "javac", |reader, source| {
            // Text that is filled in later may not lead out of the folder either.
            path_within(source);
            reader.template(source)
        }),
        shared: reader.all(build, "shared", |_, source| path_within(source)),
        replace: build.map_or_else(BTreeMap::new, |build| reader.named(build, "replace")),
        unpack: reader.all(build, "unpack", Reader::coordinate),
        files: files
            .iter()
            .map(|(entry, source)| (checked_path(source, &entry.key), path_within(source)))
            .collect(),
        processes,
        front,
        memory_max: map.optional("memory_max").map(|size| reader.memory(&size)),
        grace: stop.map_or(GRACE, |stop| time(&stop, "grace")),
        answers: reader.all(Some(&map), "answers", Reader::answer),
        speaks: reader.speaks(&map),
        parameters: reader.parameters,
        switches: reader.switches,
    };
    map.close();
    Some(declaration)
}

/// A map that may be missing; its unknown keys are reported.
fn within<'a>(map: &Map<'a>, key: &str) -> Option<Map<'a>> {
    let within = map.optional(key)?.map("{ … }")?;
    within.close();
    Some(within)
}

/// The items of a list, which may be missing or empty.
fn list<'a>(map: Option<&Map<'a>>, key: &str) -> Vec<Field<'a>> {
    let Some(field) = map.and_then(|map| map.optional(key)) else { return Vec::new() };
    match &field.node.value {
        Value::List(items) if items.is_empty() => Vec::new(),
        _ => field.items("[…]").unwrap_or_default(),
    }
}

/// A scalar as it is written: numbers need no quotes here.
fn text<'a>(field: &Field<'a>) -> &'a str {
    match field.written() {
        Some(text) if field.node.kind() != Some(yaml::Kind::Null) => text,
        _ => {
            field.wrong(Expected::Text, "text");
            ""
        }
    }
}

fn required_text<'a>(map: &Map<'a>, key: &str) -> &'a str {
    map.required(key, &format!("{key}: …")).map_or("", |field| text(&field))
}

fn texts(map: &Map<'_>, key: &str) -> Vec<String> {
    list(Some(map), key).iter().map(|field| text(field).to_string()).collect()
}

fn time(map: &Map<'_>, key: &str) -> Duration {
    let field = map.required(key, &format!("{key}: 10s"));
    Duration::from_nanos(field.and_then(|field| field.quantity(duration, "10s")).unwrap_or_default())
}

fn path_within(field: &Field<'_>) -> PathBuf {
    checked_path(field, text(field))
}

fn checked_path(field: &Field<'_>, path: &str) -> PathBuf {
    if !is_within(Path::new(path)) {
        field.problem(Mistake::LeadsOut { path: path.to_string() });
    }
    PathBuf::from(path)
}

/// True if a path stays below its start.
pub(crate) fn is_within(path: &Path) -> bool {
    path.components().next().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

struct Reader {
    /// Names that a placeholder may have.
    known: BTreeSet<String>,
    parameters: Vec<Parameter>,
    switches: BTreeMap<String, String>,
}

impl Reader {
    /// The artifacts that the folder needs decide which placeholders there are.
    fn new(map: &Map<'_>, needs: Option<&Map<'_>>, build: Option<&Map<'_>>) -> Reader {
        if let Some(field) = map.optional("format")
            && field.integer().is_some_and(|format| format != SUBJECT_FORMAT)
        {
            field.problem(Mistake::UnknownFormat { found: field.found(), known: SUBJECT_FORMAT });
        }
        let has = |map: Option<&Map<'_>>, key: &str| map.is_some_and(|map| map.has(key));
        let java = [(build, "javac"), (build, "shared"), (build, "unpack"), (needs, "maven")];
        let jdk = has(needs, "jdk");
        for field in java.iter().filter(|_| !jdk).filter_map(|(map, key)| map.as_ref()?.optional(key)) {
            field.problem(Mistake::NoMeaningWithout { needs: "needs.jdk".to_string() });
        }
        let known = BUILT_IN.iter().chain(OF_JAVA.iter().filter(|_| jdk));
        let known = known.chain(OF_DEBIAN.iter().filter(|_| has(needs, "debian")));
        let known = known.chain(["unpacked"].iter().filter(|_| has(build, "unpack")));
        let known = known.chain(["endpoints"].iter().filter(|_| map.has("shares")));
        let known = known.map(ToString::to_string).collect();
        Reader { known, parameters: Vec::new(), switches: BTreeMap::new() }
    }

    fn template(&self, field: &Field<'_>) -> String {
        let text = text(field);
        for name in placeholders(text).into_iter().filter(|name| !self.known.contains(*name)) {
            let known = self.known.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            field.problem(Mistake::UnknownPlaceholder { name: name.to_string(), known });
        }
        text.to_string()
    }

    fn all<T, C: FromIterator<T>>(
        &self,
        map: Option<&Map<'_>>,
        key: &str,
        read: impl Fn(&Reader, &Field<'_>) -> T,
    ) -> C {
        list(map, key).iter().map(|field| read(self, field)).collect()
    }

    fn named(&self, map: &Map<'_>, key: &str) -> BTreeMap<String, String> {
        let entries = map.optional(key).and_then(|field| field.entries("{ name: text }"));
        let entries = entries.unwrap_or_default();
        entries.iter().map(|(entry, field)| (entry.key.clone(), self.template(field))).collect()
    }

    /// A new placeholder.
    fn name(&mut self, map: &Map<'_>, what: Thing) -> String {
        let Some(field) = map.required("name", "name: threads") else { return String::new() };
        let name = text(&field).to_string();
        let (fits, letters, placeholder) = match what {
            Thing::Process => (is_process_name(&name), "a-z 0-9 _ -", format!("port.{name}")),
            _ => (is_word(&name), "a-z 0-9 _", name.clone()),
        };
        if !fits {
            field.problem(Mistake::BadName { what, found: field.found(), letters });
        }
        if !self.known.insert(placeholder) {
            field.problem(Mistake::twice(what, &name));
        }
        name
    }

    fn parameter(&mut self, field: &Field<'_>) -> Option<Parameter> {
        let map = field.map("- { name: threads, kind: text, doc: Threads. }")?;
        let name = self.name(&map, Thing::Parameter);
        let kind = map.required("kind", "kind: text");
        let default = map.optional("default");
        let doc = required_text(&map, "doc").to_string();
        map.close();
        let kind = self.kind(&kind?, &name)?;
        if kind == ParameterKind::Duration {
            self.known.extend(UNITS.map(|(unit, _)| format!("{name}{unit}")));
        }
        let value = default.as_ref().map(|field| text(field).to_string());
        let parameter = Parameter { name, kind, default: value, doc };
        if let (Some(field), Some(value)) = (default, parameter.default.as_ref())
            && !value.is_empty()
        {
            field.take(parameter.check(value));
        }
        Some(parameter)
    }

    fn kind(&mut self, field: &Field<'_>, name: &str) -> Option<ParameterKind> {
        const WORDS: [&str; 7] = ["choice", "number", "memory", "duration", "text", "words", "switch"];
        match field.written() {
            Some("memory") => return Some(ParameterKind::Memory),
            Some("duration") => return Some(ParameterKind::Duration),
            Some("text") => return Some(ParameterKind::Text),
            Some(other) => return field.take(Err(not_one_of(other, &WORDS))),
            None => {}
        }
        let map = field.map("kind: { choice: [a, b] }")?;
        let (key, value) = map.exactly_one("kind: { choice: [a, b] }")?;
        map.close();
        Some(match key {
            "choice" => ParameterKind::Choice(texts(&map, key)),
            "words" => ParameterKind::Words(texts(&map, key)),
            "number" => {
                let range = value.map("{ min: 1, max: 100 }")?;
                range.close();
                let [min, max] = ["min", "max"].map(|end| range.required(end, "1")?.integer());
                ParameterKind::Integer { min: min?, max: max? }
            }
            _ => {
                self.switches.insert(name.to_string(), text(&value).to_string());
                ParameterKind::Choice(vec!["true".into(), "false".into()])
            }
        })
    }

    fn derived(&mut self, field: &Field<'_>) -> Option<Derived> {
        let map = field.map("- { name: mode, cases: [{ is: text }] }")?;
        map.required("cases", "cases: [{ is: text }]");
        // Before its own name is known, so that it cannot contain itself.
        let cases = list(Some(&map), "cases");
        let cases = cases.iter().filter_map(|field| {
            let map = field.map("- { is: text }")?;
            map.close();
            let when = map.optional("when").map_or_else(Condition::default, |when| self.condition(&when));
            Some((when, self.template(&map.required("is", "is: text")?)))
        });
        let cases = cases.collect();
        map.close();
        Some(Derived { name: self.name(&map, Thing::Parameter), cases })
    }

    fn each_endpoint(&mut self, field: &Field<'_>) -> Option<(String, String)> {
        let map = field.map("- { name: ports, is: \"{port}\" }")?;
        map.close();
        let text = map.required("is", "is: text").map(|text| self.template(&text));
        Some((self.name(&map, Thing::Parameter), text?))
    }

    fn rule(&self, field: &Field<'_>) -> Option<Rule> {
        const FORM: &str = "{ when: { mode: [a] }, need: { jdk: [\"21..\"] }, because: … }";
        let map = field.map(FORM)?;
        map.close();
        let [when, need] = ["when", "need"].map(|key| Some(self.condition(&map.required(key, FORM)?)));
        Some(Rule { because: required_text(&map, "because").to_string(), when: when?, need: need? })
    }

    fn condition(&self, field: &Field<'_>) -> Condition {
        let entries = field.entries("{ mode: [a] }").unwrap_or_default();
        let parts = entries.iter().filter_map(|(entry, values)| {
            let Some(parameter) = self.parameters.iter().find(|known| known.name == entry.key) else {
                let known: Vec<&str> = self.parameters.iter().map(|known| known.name.as_str()).collect();
                return values.take(Err(unknown(Thing::Parameter, &entry.key, &known)));
            };
            let patterns = values.items("[a]")?.iter().map(|word| pattern(word, parameter)).collect();
            Some((entry.key.clone(), patterns))
        });
        Condition(parts.collect())
    }

    fn shared(&self, field: &Field<'_>) -> String {
        let choices = self.parameters.iter().filter(|known| matches!(known.kind, ParameterKind::Choice(_)));
        let choices: Vec<&str> = choices.map(|known| known.name.as_str()).collect();
        let name = text(field);
        if !choices.contains(&name) {
            field.problem(not_one_of(name, &choices));
        }
        name.to_string()
    }

    /// The processes in an order in which each comes after those that it names.
    fn processes(
        &self,
        maps: &[Map<'_>],
        names: &[String],
        front: Option<&Field<'_>>,
    ) -> (Vec<ProcessDeclaration>, usize) {
        let after: Vec<Vec<String>> = maps.iter().map(|map| texts(map, "after")).collect();
        let mut order: Vec<usize> = Vec::new();
        for _ in maps {
            let placed = |order: &[usize], name: &String| order.iter().any(|at| names[*at] == *name);
            let fits = |at: &usize| !order.contains(at) && after[*at].iter().all(|name| placed(&order, name));
            let next = (0..maps.len()).find(fits);
            order.extend(next);
        }
        for (at, map) in maps.iter().enumerate().filter(|(at, _)| !order.contains(at)) {
            map.field.problem(Mistake::NeverStarts { process: names[at].clone() });
        }
        let front = front.and_then(|field| {
            let name = text(field);
            let found = order.iter().position(|at| names[*at] == name);
            found.or_else(|| field.take(Err(unknown(Thing::Process, name, names))))
        });
        let front = front.unwrap_or(order.len().saturating_sub(1));
        (order.iter().map(|at| self.process(&maps[*at], names[*at].clone())).collect(), front)
    }

    fn process(&self, map: &Map<'_>, name: String) -> ProcessDeclaration {
        const START: &str = "[[./server, \"{port}\"]]";
        let groups = map.required("start", START).and_then(|field| field.items(START)).unwrap_or_default();
        let group = |group: &Field<'_>| {
            let arguments = group.items("[./server]").unwrap_or_default();
            arguments.iter().map(|argument| self.template(argument)).collect()
        };
        let ready = map.required("ready", "ready: { within: 30s }");
        let ready = ready.and_then(|field| field.map("{ within: 30s }"));
        let path = ready.as_ref().and_then(|ready| ready.optional("path"));
        if let Some(field) = path.as_ref().filter(|field| !text(field).starts_with(['/', '{'])) {
            field.wrong(Expected::Path, "/echo");
        }
        ready.iter().for_each(Map::close);
        ProcessDeclaration {
            name,
            start: groups.iter().map(group).collect(),
            environment: self.named(map, "environment"),
            ready_path: path.map(|path| self.template(&path)),
            ready_within: ready.map_or(Duration::ZERO, |ready| time(&ready, "within")),
        }
    }

    /// A template that must be right where it has no placeholders.
    fn fixed(
        &self,
        field: &Field<'_>,
        fits: impl Fn(&str) -> bool,
        mistake: impl Fn(&str) -> Mistake,
    ) -> String {
        let template = self.template(field);
        if placeholders(&template).is_empty() && !fits(&template) {
            field.problem(mistake(&template));
        }
        template
    }

    fn coordinate(&self, field: &Field<'_>) -> String {
        let alone = |text: &str| text.starts_with('{') && text.ends_with('}') && !text.contains(':');
        let template = self.template(field);
        if !alone(&template) && !matches!(template.split(':').count(), 3..=5) {
            field.wrong(Expected::Coordinate, "group:artifact:version, and :zip for another kind of file");
        }
        template
    }

    fn memory(&self, field: &Field<'_>) -> String {
        self.fixed(
            field,
            |size| memory_bytes(size).is_some(),
            |size| Mistake::not(size, Expected::Memory, "2g"),
        )
    }

    fn answer(&self, field: &Field<'_>) -> String {
        self.fixed(field, |word| Answer::parse(word).is_some(), |word| not_one_of(word, &Answer::words()))
    }

    /// Protocol of its port, and attributes that it needs.
    fn speaks(&self, map: &Map<'_>) -> BTreeMap<String, String> {
        let speaks = self.named(map, "speaks");
        let Some(field) = map.optional("speaks") else { return speaks };
        for key in speaks.keys().filter(|key| !SPEAKS_TEXTS.contains(&key.as_str())) {
            field.problem(not_one_of(key, &SPEAKS_TEXTS));
        }
        if speaks.values().all(|text| placeholders(text).is_empty()) {
            field.take(Speaks::from_texts(&speaks));
        }
        speaks
    }
}

/// A value, or with numbers a range of them.
fn pattern(field: &Field<'_>, parameter: &Parameter) -> Pattern {
    let word = text(field);
    let pattern = match parameter.kind {
        ParameterKind::Integer { .. } => Pattern::parse(word),
        _ => Pattern::Word(word.to_string()),
    };
    // An option that is not given is empty.
    let left_out = word.is_empty() && parameter.default.as_deref() == Some("");
    if matches!(pattern, Pattern::Word(_)) && !left_out {
        field.take(parameter.check(word));
    }
    pattern
}
