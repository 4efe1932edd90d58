//! Looks at a folder of the catalogue: is it right, and can each of its choices be started?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use proofload_engine::Address;

use crate::host::clock::monotonic_ns;
use crate::host::jdk;
use crate::study::{Parameter, ParameterKind, SubjectSpec};

use super::SubjectError;
use super::cache::Cache;
use super::catalogue::{Catalogue, Declaration, check_value};
use super::keeper::Keeper;
use super::prepare::Prepared;
use super::running::Running;

/// The parameter whose values are tried with every JDK.
const VERSION: &str = "version";

/// Parameters of a folder that differ from its defaults.
pub type Choice = BTreeMap<String, String>;

/// What can be chosen, one parameter at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// What can be started.
    pub apply: Vec<Choice>,
    /// What cannot, with the reason.
    pub rest: Vec<(Choice, String)>,
}

/// The defaults, and each value of each choice with everything else at its default. What does not apply stands apart,
/// with the reason.
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

/// Each version with each JDK that is installed, and each value of every other choice with the first of these with which
/// it applies.
///
/// # Errors
/// There is no such folder.
pub fn every_choice(catalogue: &Catalogue, folder: &str) -> Result<Choices, SubjectError> {
    let (_, declaration) = catalogue.subject(folder)?;
    let mut bases = vec![Choice::new()];
    let versions = declaration.parameters.iter().find(|parameter| parameter.name == VERSION);
    if let Some(ParameterKind::Choice(words)) = versions.map(|parameter| &parameter.kind) {
        bases = words.iter().map(|word| Choice::from([(VERSION.to_string(), word.clone())])).collect();
    }
    let of_jdk = |parameter: &&Parameter| declaration.jdk == Some(format!("{{{}}}", parameter.name));
    if let Some(parameter) = declaration.parameters.iter().find(of_jdk) {
        let compilers = jdk::find_all().into_iter().filter(|jdk| jdk.has_compiler);
        let majors: BTreeSet<u32> = compilers.map(|jdk| jdk.major).collect();
        let majors = majors.iter().map(u32::to_string);
        let majors: Vec<String> = majors.filter(|major| check_value(parameter, major).is_ok()).collect();
        let with = |base: &Choice, major: &String| {
            base.clone().into_iter().chain([(parameter.name.clone(), major.clone())]).collect()
        };
        bases = bases.iter().flat_map(|base| majors.iter().map(move |major| with(base, major))).collect();
    }
    let mut choices = Choices::default();
    for base in bases.clone() {
        choices.sort_in(declaration, base);
    }
    for (name, word) in others(declaration).filter(|(name, _)| name != VERSION) {
        let alone = Choice::from([(name.clone(), word.clone())]);
        let with = |base: &Choice| base.clone().into_iter().chain(alone.clone()).collect::<Choice>();
        // As it is by default, where that applies.
        let near = |choice: &Choice| {
            choice.iter().filter(|(name, value)| declaration.default_of(name) != Some(value)).count()
        };
        let mut candidates: Vec<Choice> = bases.iter().map(with).collect();
        candidates.sort_by_key(near);
        let fits = |choice: &&Choice| {
            declaration.check_combination(&declaration.values_with_defaults(choice)).is_ok()
        };
        let first = candidates.iter().find(fits).cloned();
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

impl Choices {
    fn sort_in(&mut self, declaration: &Declaration, choice: Choice) {
        match declaration.check_combination(&declaration.values_with_defaults(&choice)) {
            Ok(()) => self.apply.push(choice),
            Err(why) => self.rest.push((choice, why.join("; "))),
        }
    }
}

/// Whether every choice is declared whole: pinned, with its sources and files there. Nothing is fetched or started.
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

/// How a start went that went well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Time from its start until it was ready.
    pub ready_ms: u64,
    /// What it declares to answer, and does.
    pub answers: Vec<&'static str>,
}

/// Prepares, starts, waits until it answers, asks for all that its folder says under `answers`, and stops one choice; so
/// many times in a row. Its log is `log`.
///
/// # Errors
/// Whatever goes wrong first, something that is left behind included.
pub fn try_choice(
    catalogue: &Catalogue,
    (folder, choice, times): (&str, &Choice, u32),
    cache: &Cache,
    (keeper, log): (&Keeper, &Path),
    stop: &AtomicBool,
    say: &dyn Fn(&str),
) -> Result<Vec<Tried>, SubjectError> {
    let spec = SubjectSpec::Catalogue { folder: folder.to_string(), with: choice.clone() };
    let prepared = Prepared::prepare(folder, &spec, catalogue, cache, say)?;
    let temp = keeper.temp().join("check");
    let one = |_| {
        // The next one's log begins empty.
        let _ = std::fs::remove_file(log);
        let begun_ns = monotonic_ns();
        let running = prepared.start(keeper, &[], log, &temp)?;
        let ready = running.wait_ready(stop);
        let ready_ms = monotonic_ns().saturating_sub(begun_ns) / 1_000_000;
        let answered = ready.and_then(|()| running.answers()).and_then(|()| ask(&prepared, &running));
        let stopped = running.stop();
        let answers = answered.and_then(|answers| stopped.map(|_| answers))?;
        match temp.exists() {
            true => Err(SubjectError::UncleanStop {
                subject: folder.to_string(),
                what: format!("{} cannot be removed", temp.display()),
            }),
            false => Ok(Tried { ready_ms, answers }),
        }
    };
    (0..times).map(one).collect()
}

fn ask(prepared: &Prepared, running: &Running) -> Result<Vec<&'static str>, SubjectError> {
    for address in running.addresses() {
        let Address::Tcp(address) = address else { continue };
        for answer in &prepared.answers {
            answer.ask(*address).map_err(|why| SubjectError::Contract {
                subject: prepared.name.clone(),
                word: answer.word(),
                why,
            })?;
        }
    }
    Ok(prepared.answers.iter().map(|answer| answer.word()).collect())
}
