//! Checks a folder of the catalogue: is it right, and can each of its choices be started?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use proofload_host::clock::monotonic_ns;
use proofload_host::jdk;
use proofload_study::{Parameter, ParameterKind, SubjectSpec, told};

use super::SubjectError;
use super::cache::Cache;
use super::catalogue::{Catalogue, Declaration};
use super::keeper::Keeper;
use super::prepared::Prepared;
use super::running::Running;

/// Parameters of a folder that differ from its defaults.
pub type Choice = BTreeMap<String, String>;

/// Choices of a subject, one parameter at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    pub apply: Vec<Choice>,
    /// Choices that do not apply, with the reason.
    pub rest: Vec<(Choice, String)>,
}

/// The defaults, and each value of each choice with everything else at its default. Choices that do not apply are
/// listed separately, with the reason.
///
/// # Errors
/// There is no such folder.
pub fn choices(catalogue: &Catalogue, folder: &str) -> Result<Choices, SubjectError> {
    let (_, declaration) = catalogue.subject(folder)?;
    let mut found = vec![Choice::new()];
    found.extend(others(declaration).map(|(name, word)| Choice::from([(name, word)])));
    let mut choices = Choices::default();
    for choice in found {
        choices.sort_in(declaration, choice);
    }
    Ok(choices)
}

/// Each version (of a parameter `version` or `…_version`) with each JDK that is installed, where they apply, and each value
/// of every other choice with the first of these with which it applies.
///
/// # Errors
/// There is no such folder.
pub fn every_choice(catalogue: &Catalogue, folder: &str) -> Result<Choices, SubjectError> {
    let (_, declaration) = catalogue.subject(folder)?;
    let mut bases = vec![Choice::new()];
    for parameter in declaration.parameters.iter().filter(|parameter| is_version(parameter)) {
        let ParameterKind::Choice(words) = &parameter.kind else { continue };
        // A default that leaves the parameter out is not among its words.
        let left_out = parameter.default.as_ref().is_none_or(|default| !words.contains(default));
        let levels = words.iter().map(Some).chain(left_out.then_some(None));
        let levels: Vec<Option<&String>> = levels.collect();
        let with = |base: &Choice, word: &Option<&String>| {
            let added = word.map(|word| (parameter.name.clone(), word.clone()));
            base.clone().into_iter().chain(added).collect::<Choice>()
        };
        bases = bases.iter().flat_map(|base| levels.iter().map(move |word| with(base, word))).collect();
    }
    let of_jdk = |parameter: &&Parameter| declaration.jdk == Some(format!("{{{}}}", parameter.name));
    if let Some(parameter) = declaration.parameters.iter().find(of_jdk) {
        let compilers = jdk::find_all().into_iter().filter(|jdk| jdk.has_compiler);
        let majors: BTreeSet<u32> = compilers.map(|jdk| jdk.major).collect();
        let majors = majors.iter().map(u32::to_string);
        let majors: Vec<String> = majors.filter(|major| parameter.check(major).is_ok()).collect();
        let with = |base: &Choice, major: &String| {
            base.clone().into_iter().chain([(parameter.name.clone(), major.clone())]).collect()
        };
        bases = bases.iter().flat_map(|base| majors.iter().map(move |major| with(base, major))).collect();
    }
    let applies =
        |choice: &&Choice| declaration.check_combination(&declaration.values_with_defaults(choice)).is_ok();
    let mut choices = Choices::default();
    // Only some versions of two things go together; the others are not listed as inapplicable.
    let several = declaration.parameters.iter().filter(|parameter| is_version(parameter)).count() > 1;
    for base in bases.iter().filter(|base| !several || applies(base)) {
        choices.sort_in(declaration, base.clone());
    }
    for (name, word) in others(declaration) {
        if choices.apply.iter().any(|choice| choice.get(&name) == Some(&word)) {
            continue;
        }
        let alone = Choice::from([(name.clone(), word.clone())]);
        let with = |base: &Choice| base.clone().into_iter().chain(alone.clone()).collect::<Choice>();
        // The one nearest to the defaults is tried.
        let near = |choice: &Choice| {
            choice.iter().filter(|(name, value)| declaration.default_of(name) != Some(value)).count()
        };
        let mut candidates: Vec<Choice> = bases.iter().map(with).collect();
        candidates.sort_by_key(near);
        let first = candidates.iter().find(applies).cloned();
        choices.sort_in(declaration, first.unwrap_or(alone));
    }
    Ok(choices)
}

/// Each value of each choice that is not the default.
fn others(declaration: &Declaration) -> impl Iterator<Item = (String, String)> {
    let choices = declaration.parameters.iter().filter_map(|parameter| match &parameter.kind {
        ParameterKind::Choice(words) => Some((parameter, words)),
        _ => None,
    });
    choices.flat_map(|(parameter, words)| {
        let others = words.iter().filter(|word| parameter.default.as_ref() != Some(word));
        others.map(|word| (parameter.name.clone(), word.clone()))
    })
}

/// True if its values are tried with every JDK.
fn is_version(parameter: &Parameter) -> bool {
    parameter.name == "version" || parameter.name.ends_with("_version")
}

impl Choices {
    fn sort_in(&mut self, declaration: &Declaration, choice: Choice) {
        match declaration.check_combination(&declaration.values_with_defaults(&choice)) {
            Ok(()) => self.apply.push(choice),
            Err(why) => self.rest.push((choice, why.iter().map(told).collect::<Vec<_>>().join(", "))),
        }
    }
}

/// Checks that every choice is declared completely: pinned, with its sources and files. Nothing is fetched or started.
///
/// # Errors
/// All mistakes, a sentence each.
pub fn check(catalogue: &Catalogue, folder: &str, cache: &Cache) -> Result<(), Vec<String>> {
    let found = choices(catalogue, folder).map_err(|error| vec![error.to_string()])?;
    let mut mistakes: Vec<String> = Vec::new();
    for choice in found.apply {
        let spec = SubjectSpec::Catalogue { folder: folder.to_string(), with: choice };
        match Prepared::resolve(folder, &spec, catalogue, cache) {
            // The folder is right; the machine lacks something.
            Ok(_) | Err(SubjectError::NoJdk { .. }) => {}
            Err(error) => {
                let what = error.to_string();
                if !mistakes.contains(&what) {
                    mistakes.push(what);
                }
            }
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Time from its start until it was ready.
    pub ready_ms: u64,
    /// Answers that it declares and gives; empty when they were not requested.
    pub answers: Vec<&'static str>,
}

/// Starts a subject, waits until it answers, and stops it, `times` times in a row. The first time and the last,
/// everything that its folder lists under `answers` is requested. `log` holds the last start's log.
///
/// # Errors
/// The first error; something that is left behind is one.
pub fn try_starts(
    prepared: &Prepared,
    times: u32,
    keeper: &Keeper,
    log: &Path,
    stop: &AtomicBool,
) -> Result<Vec<Tried>, SubjectError> {
    let temp = keeper.temp().join("check");
    let one = |number| {
        let whole = number == 0 || number + 1 == times;
        // The next one's log begins empty.
        let _ = std::fs::remove_file(log);
        let begun_ns = monotonic_ns();
        let running = prepared.start(keeper, &[], log, &temp)?;
        let ready = running.wait_ready(stop);
        let ready_ms = monotonic_ns().saturating_sub(begun_ns) / 1_000_000;
        let answered = ready.and_then(|()| running.answers());
        let answered = answered.and_then(|()| if whole { ask(prepared, &running) } else { Ok(Vec::new()) });
        let stopped = running.stop();
        let answers = answered.and_then(|answers| stopped.map(|_| answers))?;
        match temp.exists() {
            true => Err(SubjectError::UncleanStop {
                subject: prepared.name.clone(),
                what: format!("{} cannot be removed", temp.display()),
            }),
            false => Ok(Tried { ready_ms, answers }),
        }
    };
    (0..times).map(one).collect()
}

fn ask(prepared: &Prepared, running: &Running) -> Result<Vec<&'static str>, SubjectError> {
    for address in running.addresses() {
        let Some(address) = address.tcp() else { continue };
        for answer in &prepared.answers {
            answer.ask(address).map_err(|why| SubjectError::Contract {
                subject: prepared.name.clone(),
                word: answer.word(),
                why,
            })?;
        }
    }
    Ok(prepared.answers.iter().map(|answer| answer.word()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(parameters: &str, applies: &str) -> (Vec<String>, Vec<String>) {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("one");
        std::fs::create_dir(&folder).unwrap();
        let text = format!(
            "description: one\nparameters:\n{parameters}\napplies:\n{applies}\n\
             start: [[./one]]\nready: {{ within: 1s }}\n"
        );
        std::fs::write(folder.join("subject.yaml"), text).unwrap();
        let Choices { apply, rest } = every_choice(&Catalogue::read(place.path()).unwrap(), "one").unwrap();
        let shown = |choice: &Choice| {
            choice.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        (apply.iter().map(shown).collect(), rest.iter().map(|(choice, _)| shown(choice)).collect())
    }

    #[test]
    fn a_choice_that_excludes_the_default_is_tried_with_what_it_allows() {
        let parameters = "  - { name: version, kind: { choice: ['1', '2'] }, default: '2', doc: which }\n  \
            - { name: io, kind: { choice: [new, old, odd] }, default: new, doc: how }";
        let applies = "  - { when: { io: [old] }, need: { version: ['1'] }, because: it went }\n  \
            - { when: { io: [odd] }, need: { io: [new] }, because: nothing takes it }";
        let (apply, rest) = every(parameters, applies);
        assert_eq!(apply, ["version=1", "version=2", "io=old version=1"]);
        assert_eq!(rest, ["io=odd"]);
    }

    #[test]
    fn versions_of_two_things_are_tried_in_every_combination_that_applies() {
        let parameters = "  - { name: a_version, kind: { choice: ['1', '2'] }, default: '1', doc: which }\n  \
            - { name: b_version, kind: { choice: ['8', '9'] }, default: '', doc: which }";
        let applies =
            "  - { when: { a_version: ['2'] }, need: { b_version: ['9', ''] }, because: it is old }";
        let (apply, rest) = every(parameters, applies);
        let wanted = [
            "a_version=1 b_version=8",
            "a_version=1 b_version=9",
            "a_version=1",
            "a_version=2 b_version=9",
            "a_version=2",
        ];
        assert_eq!(apply, wanted);
        assert_eq!(rest, Vec::<String>::new());
    }
}
