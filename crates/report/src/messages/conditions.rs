//! What an answer owes to the conditions under which it was asked.

use super::interval;
use crate::estimate::stored;
use proofload_stats::{Estimate, Names, Reason};
use proofload_store::condition_in_words;
use proofload_store::schema::DependsOn;

/// `depends on: 1.12 [1.08, 1.16] with CPUs that may sleep, 0.99 [0.96, 1.02] with CPUs kept awake`.
pub(crate) fn depends_on(reason: &Reason, names: &Names) -> String {
    let Reason::DependsOn { condition, levels, alike } = reason else { return String::new() };
    let known = names.conditions.get(*condition);
    let at = |(level, estimate): &(usize, Estimate)| {
        let level = known.and_then(|known| known.levels.get(*level)).map_or("?", String::as_str);
        (level.to_string(), interval(&stored(*estimate)))
    };
    said(known.map_or("?", |known| known.name.as_str()), &levels.iter().map(at).collect::<Vec<_>>(), *alike)
}

/// The same of a result.
pub(crate) fn depends_on_stored(found: &DependsOn) -> String {
    let levels = found.levels.iter().map(|at| (at.level.clone(), interval(&at.estimate)));
    said(&found.condition, &levels.collect::<Vec<_>>(), found.alike)
}

fn said(condition: &str, levels: &[(String, String)], alike: bool) -> String {
    let at = |(level, interval): &(String, String)| {
        format!("{interval} with {}", condition_in_words(condition, level))
    };
    let each = levels.iter().map(at).collect::<Vec<_>>().join(", ");
    let same = if alike { "; the verdict is the same with each" } else { "" };
    format!("depends on: {each}{same}")
}

/// What a verdict is limited to, where no condition varied.
pub(crate) fn asked_with(conditions: &[String]) -> String {
    format!("asked only with {}", conditions.join(", "))
}
