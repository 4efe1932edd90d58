//! Which process serves which variant: one each, or one for all variants of a subject that is shared.

use crate::study::Study;
use crate::subject::{Cache, Catalogue, Prepared, SubjectError};

/// What is started once, and the variants that it serves: the endpoint of each is its place in the list.
#[derive(Debug)]
pub struct Host {
    /// What is started.
    pub prepared: Prepared,
    /// Variants, by index in the study.
    pub variants: Vec<usize>,
}

/// How far to prepare.
#[derive(Clone, Copy)]
pub enum Preparing<'a> {
    /// Only what can be told without fetching or building.
    Resolve,
    /// Everything; the function hears of what takes long.
    Whole(&'a dyn Fn(&str)),
}

/// Prepares every process of a study.
///
/// # Errors
/// The first subject that cannot be.
pub fn hosts(
    study: &Study,
    catalogue: &Catalogue,
    cache: &Cache,
    how: Preparing<'_>,
) -> Result<Vec<Host>, SubjectError> {
    let mut hosts = Vec::new();
    for variants in groups(study) {
        let first = &study.variants[variants[0]];
        let prepared = match (&first.shares, how) {
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
        };
        hosts.push(Host { prepared: prepared?, variants });
    }
    Ok(hosts)
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
