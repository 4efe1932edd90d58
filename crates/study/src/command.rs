//! `command:` — a subject that Proofload starts from a list of arguments.

use super::combinations::{LEVELS, VALUE, VARIED, Varied, assignments};
use super::field::{Field, Map};
use super::keys::{ARGUMENT, Kind, WORD, keys};
use super::name::{bad_name, is_plain_name};
use super::placeholder::placeholders_of;
use super::problem::shown;
use super::quantity::{self, DURATION, SIZE};
use super::source::CommandSource;
use super::transport::TRANSPORT;
use super::yaml::Kind as Written;
use proofload_facts::{Expected, Mistake, Thing};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Most arguments of a command.
const ARGUMENTS_MAX: usize = 256;

/// Default limit of the start-up of a `command:` subject: a large JVM application on a small machine needs half of it.
pub(super) const READY_WITHIN_NS: u64 = 60_000_000_000;

keys! {
    /// Started by Proofload from a list of arguments, without a shell.
    COMMAND with(VARIED, TRANSPORT) {
        /// Program and arguments. `{port}` and the names under with and vary are filled in.
        required command: Kind::List(&ARGUMENT, 1, ARGUMENTS_MAX),
        /// Values for placeholders.
        optional with: Kind::Names(&VALUE, 1, usize::MAX),
        /// Factors: placeholders with their levels.
        optional vary: Kind::Names(&LEVELS, 1, usize::MAX),
        /// Memory that it takes; variants that do not fit together run one after the other.
        optional memory: SIZE,
        /// Longest time to get ready; 60s by default.
        optional ready_within: DURATION,
        /// Environment variables.
        optional env: Kind::Names(&ARGUMENT, 1, usize::MAX),
        /// Working directory, relative to the study file.
        optional directory: WORD,
        /// Port it listens on; without it Proofload chooses one and fills it in for `{port}`.
        optional port: Kind::Integer(1, 65_535),
    }
}

/// Reads the command with its values.
pub(super) fn check_command(
    map: &Map<'_>,
    field: &Field<'_>,
    varied: &Varied<'_>,
    directory: &Path,
) -> Option<CommandSource> {
    let with = map.optional("with").and_then(|field| assignments(&field, &|_| false)).unwrap_or_default();
    let args = arguments(field);
    let env = map.optional("env").map_or(Some(BTreeMap::new()), |field| environment(&field));
    let port = map.optional("port").map(|field| field.integer());
    let ready_within_ns = map.optional("ready_within").map_or(Some(READY_WITHIN_NS), |field| {
        field.quantity(quantity::duration, "60s").filter(|ns| {
            if *ns == 0 {
                field.problem(Mistake::TakesNoTime);
            }
            *ns > 0
        })
    });
    let working = map.optional("directory").map(|field| working_directory(&field, directory));
    let memory_bytes = map.optional("memory").and_then(|field| field.quantity(quantity::size, "512MiB"));
    let memory_bytes = memory_bytes.unwrap_or(0);
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for (name, value, at) in with {
        if varied.gives(&name) {
            at.problem(Mistake::exclude("with", "vary"));
        }
        values.insert(name, value);
    }
    varied.check_gaps(&|name| values.contains_key(name));
    let factors: Vec<&str> = varied.factors.iter().map(|factor| factor.name.as_str()).collect();
    if let (Some(args), Some(env)) = (&args, &env) {
        let known = values.keys().map(String::as_str).chain(factors.iter().copied());
        let known: Vec<&str> = known.chain(["port", "address"]).collect();
        placeholders(field, args.iter().chain(env.values()), &known, &factors, port.is_some());
    }
    Some(CommandSource {
        args: args?,
        with: values,
        port: port.map_or(Some(None), |port| port.map(Some))?.map(|port| port as u16),
        env: env?,
        directory: working.map_or(Some(None), |working| working.map(Some))?,
        ready_within_ns: ready_within_ns?,
        memory_bytes,
    })
}

fn arguments(field: &Field<'_>) -> Option<Vec<String>> {
    const FORM: &str = "[java, -jar, server.jar, \"{port}\"]";
    if field.written().is_some() {
        field.wrong(Expected::Arguments, FORM);
        return None;
    }
    let items = field.items(FORM)?;
    field.at_most(items.len(), ARGUMENTS_MAX, Thing::Argument)?;
    let args: Vec<Option<String>> = items.iter().map(|item| argument(item).map(str::to_string)).collect();
    args.into_iter().collect()
}

/// Every placeholder is known, every factor is used, and the port reaches the command.
fn placeholders<'t>(
    field: &Field<'_>,
    texts: impl Iterator<Item = &'t String>,
    known: &[&str],
    factors: &[&str],
    port_given: bool,
) {
    let mut used = Vec::new();
    for text in texts {
        for name in placeholders_of(text, is_plain_name) {
            if !known.contains(&name) {
                let known = format!("{{{}}}", known.join("}, {"));
                field.problem(Mistake::UnknownPlaceholder { name: shown(name), known });
            }
            used.push(name.to_string());
        }
    }
    if !port_given && !used.iter().any(|name| name == "port") {
        field.problem(Mistake::NoPort);
    }
    for factor in factors.iter().filter(|factor| !used.iter().any(|name| name == **factor)) {
        field.problem(Mistake::UnusedFactor { factor: (*factor).to_string() });
    }
}

fn working_directory(field: &Field<'_>, directory: &Path) -> Option<PathBuf> {
    let text = field.text("server")?;
    let path = directory.join(text);
    if !path.is_dir() {
        field.problem(Mistake::NoFolder { found: shown(text) });
        return None;
    }
    Some(path)
}

fn environment(field: &Field<'_>) -> Option<BTreeMap<String, String>> {
    let entries = field.entries("env: { NAME: value }")?;
    let mut env = Some(BTreeMap::new());
    for (entry, field) in entries {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if entry.key.is_empty() || !entry.key.bytes().all(fits) || entry.key.as_bytes()[0].is_ascii_digit() {
            let mistake = bad_name(Thing::Variable, &entry.key, "A-Z a-z 0-9 _");
            field.sink.add(entry.place, &field.path, mistake);
        }
        match argument(&field) {
            Some(value) => {
                env.as_mut().map(|env| env.insert(entry.key.clone(), value.to_string()));
            }
            None => env = None,
        }
    }
    env
}

/// Text for a command: anything but NUL, which the kernel ends texts with.
fn argument<'a>(field: &Field<'a>) -> Option<&'a str> {
    let text = match field.written() {
        Some("") if field.node.kind() == Some(Written::Text) => "",
        _ => field.parameter_value(false)?,
    };
    if text.contains('\0') {
        field.problem(Mistake::Nul);
        return None;
    }
    Some(text)
}
