//! The files of the catalogue, and how a message of it becomes text.

use crate::{Language, Value};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use fluent_syntax::ast::Entry;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};
use unic_langid::LanguageIdentifier;

/// Names of the files and their texts, language by language.
macro_rules! files {
    ($($name:literal)*) => {
        /// The English files: name and text.
        pub const ENGLISH_FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../locales/en/", $name)))),*];
        /// The Chinese files: name and text.
        pub const CHINESE_FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../locales/zh-CN/", $name)))),*];
    };
}

files! {
    "capacity.ftl"
    "changes.ftl"
    "charts.ftl"
    "common.ftl"
    "conclusions.ftl"
    "conditions.ftl"
    "doctor.ftl"
    "errors.ftl"
    "exploratory.ftl"
    "explain.ftl"
    "facts.ftl"
    "factors.ftl"
    "figures.ftl"
    "fitness.ftl"
    "lead.ftl"
    "live.ftl"
    "mistakes.ftl"
    "named.ftl"
    "noise.ftl"
    "places.ftl"
    "report.ftl"
    "reproductions.ftl"
    "runs.ftl"
    "scalability.ftl"
    "screen.ftl"
    "single.ftl"
    "sittings.ftl"
    "steady.ftl"
    "transport.ftl"
    "trends.ftl"
    "ui.ftl"
    "verdict.ftl"
}

/// A language's messages, with the texts of those that have been asked for without variables.
struct Spoken {
    bundle: FluentBundle<FluentResource>,
    texts: HashMap<String, OnceLock<String>>,
}

impl Spoken {
    fn of(language: Language, files: &[(&str, &str)]) -> Spoken {
        let identifier: LanguageIdentifier = language.tag().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![identifier]);
        // Invisible marks around filled-in values would break texts that are copied.
        bundle.set_use_isolating(false);
        let mut texts = HashMap::new();
        for (_, file) in files {
            // Unreadable messages are left out; a test reports them.
            let resource = FluentResource::try_new((*file).to_string()).unwrap_or_else(|(read, _)| read);
            for entry in resource.entries() {
                if let Entry::Message(message) = entry {
                    texts.insert(message.id.name.to_string(), OnceLock::new());
                }
            }
            bundle.add_resource_overriding(resource);
        }
        Spoken { bundle, texts }
    }

    fn formatted(&self, id: &str, arguments: Option<&FluentArgs<'_>>) -> String {
        let pattern = self.bundle.get_message(id).and_then(|message| message.value());
        let Some(pattern) = pattern else { return id.to_string() };
        self.bundle.format_pattern(pattern, arguments, &mut Vec::new()).into_owned()
    }
}

static ENGLISH: LazyLock<Spoken> = LazyLock::new(|| Spoken::of(Language::English, ENGLISH_FILES));
static CHINESE: LazyLock<Spoken> = LazyLock::new(|| Spoken::of(Language::Chinese, CHINESE_FILES));

fn spoken(language: Language) -> &'static Spoken {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

pub(crate) fn formatted(language: Language, id: &str, arguments: &[(&'static str, Value<'_>)]) -> String {
    let arguments: FluentArgs<'_> = arguments.iter().map(|(name, value)| (*name, value.clone())).collect();
    spoken(language).formatted(id, Some(&arguments))
}

pub(crate) fn text(language: Language, id: &'static str) -> &'static str {
    let of = spoken(language);
    of.texts.get(id).map_or(id, |text| text.get_or_init(|| of.formatted(id, None)).as_str())
}

/// The message of a kind for a word: `named-` or `measure-` and the word, where there is one.
pub(crate) fn of_word(language: Language, kind: &str, word: &str) -> Option<&'static str> {
    let of = spoken(language);
    let (id, text) = of.texts.get_key_value(&format!("{kind}-{}", word.replace([' ', '_'], "-")))?;
    Some(text.get_or_init(|| of.formatted(id, None)))
}

/// A message with these variables.
pub(crate) fn filled(
    language: Language,
    id: &str,
    arguments: impl Iterator<Item = (String, Value<'static>)>,
) -> String {
    let arguments: FluentArgs<'_> = arguments.collect();
    spoken(language).formatted(id, Some(&arguments))
}

/// An identifier as the catalogue has it.
pub(crate) fn known(id: &str) -> Option<&'static str> {
    ENGLISH.texts.get_key_value(id).map(|(known, _)| known.as_str())
}
