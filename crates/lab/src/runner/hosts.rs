//! Processes and the variants that they serve: one each, or one for all variants of a subject that is shared.

use proofload_study::Study;
use proofload_subject::{Cache, Catalogue, Prepared, SubjectError};

/// A process, and the variants that it serves: the endpoint of each is its place in the list.
#[derive(Debug)]
pub struct Host {
    pub prepared: Prepared,
    /// Variants, by index in the study.
    pub variants: Vec<usize>,
}

#[derive(Clone, Copy)]
pub enum Preparing<'a> {
    /// Only facts that need no fetching or building.
    Resolve,
    /// Everything; the function receives the steps that take long.
    Whole(&'a dyn Fn(&str)),
}

/// Processes of a study after their preparation.
#[derive(Debug, Default)]
pub struct Hosts {
    /// Those that can be started.
    pub ready: Vec<Host>,
    /// Variants that cannot be measured on this machine, and why.
    pub missing: Vec<(usize, String)>,
    /// Variants about a setting that their JVM does not have, and its message.
    pub not_applicable: Vec<(usize, String)>,
}

/// Prepares every process of a study. A variant that this machine cannot run is no reason to leave out the others.
///
/// # Errors
/// A mistake in the study or the catalogue; or no variant can be measured, for the reasons of all of them.
pub fn hosts(
    study: &Study,
    catalogue: &Catalogue,
    cache: &Cache,
    how: Preparing<'_>,
) -> Result<Hosts, Unprepared> {
    let mut hosts = Hosts::default();
    let mut failed = Vec::new();
    for variants in groups(study) {
        match prepare(study, &variants, catalogue, cache, how) {
            Ok(prepared) => hosts.ready.push(Host { prepared, variants }),
            Err(error @ SubjectError::NotApplicable { .. }) => {
                hosts.not_applicable.extend(variants.iter().map(|variant| (*variant, error.to_string())));
                failed.push(error);
            }
            Err(error) if error.is_of_this_machine() => {
                hosts.missing.extend(variants.iter().map(|variant| (*variant, error.to_string())));
                failed.push(error);
            }
            Err(error) => return Err(Unprepared(vec![error])),
        }
    }
    if hosts.ready.is_empty() { Err(Unprepared(failed)) } else { Ok(hosts) }
}

/// Reasons why nothing of a study can be started.
#[derive(Debug, thiserror::Error)]
#[error("{}", told(.0))]
pub struct Unprepared(
    /// One error, or that of each process.
    pub Vec<SubjectError>,
);

fn told(errors: &[SubjectError]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in errors.iter().map(ToString::to_string) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

fn prepare(
    study: &Study,
    variants: &[usize],
    catalogue: &Catalogue,
    cache: &Cache,
    how: Preparing<'_>,
) -> Result<Prepared, SubjectError> {
    let first = &study.variants[variants[0]];
    match (&first.shares, how) {
        (None, Preparing::Resolve) => Prepared::resolve(&first.name, &first.subject, catalogue, cache),
        (None, Preparing::Whole(say)) => {
            Prepared::prepare(&first.name, &first.subject, catalogue, cache, say)
        }
        (Some(subject), how) => {
            let specs: Vec<_> = variants.iter().map(|v| study.variants[*v].subject.clone()).collect();
            match how {
                Preparing::Resolve => Prepared::resolve_shared(subject, &specs, catalogue, cache),
                Preparing::Whole(say) => Prepared::prepare_shared(subject, &specs, catalogue, cache, say),
            }
        }
    }
}

/// Variants by process, in the order of the first of each.
fn groups(study: &Study) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
    for (variant, declared) in study.variants.iter().enumerate() {
        let shares = declared.shares.as_deref();
        match groups.iter_mut().find(|(known, _)| shares.is_some() && *known == shares) {
            Some((_, variants)) => variants.push(variant),
            None => groups.push((shares, vec![variant])),
        }
    }
    groups.into_iter().map(|(_, variants)| variants).collect()
}
