//! A subject as its keys declare it, and with the levels of one variant.

use super::model::SubjectSpec;
use super::name::is_plain_name;
use super::placeholder::fill;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A `command:` may use this many times the memory that its study declares. That figure is rough; a command that
/// exceeds it this far takes memory that other variants need.
const MEMORY_MARGIN: u64 = 2;

/// A subject before the levels of a variant are filled in.
pub(super) enum Source {
    Catalogue {
        folder: String,
        with: BTreeMap<String, String>,
        /// Parameters that are sizes of memory, with their defaults.
        memory: Vec<(String, Option<String>)>,
    },
    Command(CommandSource),
    Url {
        address: proofload_engine::Addresses,
        authority: String,
    },
}

/// A `command:` subject.
pub(super) struct CommandSource {
    pub(super) args: Vec<String>,
    pub(super) with: BTreeMap<String, String>,
    pub(super) port: Option<u16>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) directory: Option<PathBuf>,
    pub(super) ready_within_ns: u64,
    pub(super) memory_bytes: u64,
}

impl Source {
    /// Memory set by its parameters with these levels; 0 when they set none.
    pub(super) fn memory_bytes(&self, levels: &[(String, String)]) -> u64 {
        match self {
            Source::Catalogue { with, memory, .. } => memory
                .iter()
                .filter_map(|(name, default)| {
                    let level = levels.iter().find(|(factor, _)| factor == name).map(|(_, level)| level);
                    memory_bytes(level.or_else(|| with.get(name)).or(default.as_ref())?)
                })
                .sum(),
            Source::Command(command) => command.memory_bytes,
            Source::Url { .. } => 0,
        }
    }

    /// The subject with these levels filled in.
    pub(super) fn of(&self, levels: &[(String, String)]) -> SubjectSpec {
        match self {
            Source::Catalogue { folder, with, .. } => {
                let mut with = with.clone();
                with.extend(levels.iter().cloned());
                SubjectSpec::Catalogue { folder: folder.clone(), with }
            }
            Source::Command(command) => {
                let mut values = command.with.clone();
                values.extend(levels.iter().cloned());
                let filled = |text: &String| fill(text, is_plain_name, |name| values.get(name).cloned());
                SubjectSpec::Command {
                    args: command.args.iter().map(filled).collect(),
                    port: command.port,
                    env: command.env.iter().map(|(name, value)| (name.clone(), filled(value))).collect(),
                    directory: command.directory.clone(),
                    ready_within_ns: command.ready_within_ns,
                    memory_max_bytes: (command.memory_bytes > 0)
                        .then(|| command.memory_bytes.saturating_mul(MEMORY_MARGIN)),
                }
            }
            Source::Url { address, authority } => {
                SubjectSpec::Url { address: address.clone(), authority: authority.clone() }
            }
        }
    }
}

/// Bytes of a size as the JVM writes it: digits and perhaps one of `k`, `m`, `g`.
pub fn memory_bytes(text: &str) -> Option<u64> {
    let digits = text.strip_suffix(['k', 'm', 'g', 'K', 'M', 'G']).unwrap_or(text);
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => 0,
    };
    let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u64>().ok())??;
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

/// Memory as the JVM writes it: `256m`.
pub(super) fn is_memory(text: &str) -> bool {
    !text.ends_with(|last: char| last.is_ascii_digit()) && memory_bytes(text).is_some()
}
