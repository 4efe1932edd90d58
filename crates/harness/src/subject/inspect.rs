//! Looks at a folder of the catalogue: is it right, and can each of its choices be started?

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::study::{ParameterKind, SubjectSpec};

use super::SubjectError;
use super::cache::Cache;
use super::catalogue::Catalogue;
use super::keeper::Keeper;
use super::prepare::Prepared;

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
    for parameter in &declaration.parameters {
        let ParameterKind::Choice(words) = &parameter.kind else { continue };
        let others = words.iter().filter(|word| parameter.default.as_ref() != Some(word));
        found.extend(others.map(|word| Choice::from([(parameter.name.clone(), word.clone())])));
    }
    let mut choices = Choices::default();
    for choice in found {
        match declaration.check_combination(&declaration.values_with_defaults(&choice)) {
            Ok(()) => choices.apply.push(choice),
            Err(why) => choices.rest.push((choice, why.join("; "))),
        }
    }
    Ok(choices)
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

/// Prepares, starts, waits until it answers, and stops one choice. Its log is `log`.
///
/// # Errors
/// Whatever goes wrong on the way.
pub fn try_choice(
    catalogue: &Catalogue,
    (folder, choice): (&str, &Choice),
    cache: &Cache,
    (keeper, log): (&Keeper, &Path),
    stop: &AtomicBool,
    say: &dyn Fn(&str),
) -> Result<(), SubjectError> {
    let spec = SubjectSpec::Catalogue { folder: folder.to_string(), with: choice.clone() };
    let prepared = Prepared::prepare(folder, &spec, catalogue, cache, say)?;
    let running = prepared.start(keeper, &[], log, &keeper.temp().join("check"))?;
    let ready = running.wait_ready(stop).and_then(|()| running.answers());
    let stopped = running.stop();
    ready.and(stopped.map(|_| ()))
}
