//! What an answer owes to the conditions under which it was asked.

use super::interval;
use crate::estimate::stored;
use proofload_language::{again, say, word};
use proofload_stats::{Estimate, Names, Reason};
use proofload_store::schema::{DependsOn, Plan, PlannedCondition};
use proofload_store::{condition_in_words, conditions_vary};

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
        say!("said-with", interval, condition_in_words = again(&condition_in_words(condition, level)))
    };
    let each = levels.iter().map(at).collect::<Vec<_>>().join(word!("between-items"));
    say!("said-depends-on", each, alike)
}

/// The conditions of measuring with their levels; nothing where none are recorded.
pub(crate) fn conditions(plan: &Plan) -> Option<String> {
    let words = |condition: &PlannedCondition| {
        let levels = condition
            .levels
            .iter()
            .map(|level| again(&condition_in_words(&condition.name, level)).into_owned());
        levels.collect::<Vec<_>>().join(word!("between-choices"))
    };
    let all = plan.conditions.iter().map(words).collect::<Vec<_>>().join(word!("between-sentences"));
    (!all.is_empty()).then(|| say!("conditions-how", vary = conditions_vary(plan), all))
}

/// What a verdict is limited to, where no condition varied.
pub(crate) fn asked_with(conditions: &[String]) -> String {
    say!(
        "asked-with",
        conditions = conditions.iter().map(|it| again(it)).collect::<Vec<_>>().join(word!("between-items"))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_stats::ConditionNames;

    fn estimate(point: f64) -> Estimate {
        Estimate { point, low: point - 0.04, high: point + 0.04, unit: "ratio", hodges_lehmann: point }
    }

    #[test]
    fn a_dependence_says_what_is_found_at_each_level() {
        let condition =
            ConditionNames { name: "cpus_awake".into(), levels: vec!["true".into(), "false".into()] };
        let names = Names { conditions: vec![condition], ..Names::default() };
        let levels = vec![(1, estimate(1.12)), (0, estimate(0.99))];
        let reason = |alike| Reason::DependsOn { condition: 0, levels: levels.clone(), alike };
        let expected =
            "depends on: 1.12 [1.08, 1.16] with CPUs that may sleep, 0.99 [0.95, 1.03] with CPUs kept awake";
        assert_eq!(depends_on(&reason(false), &names), expected);
        let alike = format!("{expected}; the verdict is the same with each");
        assert_eq!(depends_on(&reason(true), &names), alike);
    }

    #[test]
    fn conditions_are_told_with_all_their_levels() {
        let condition = |name: &str, levels: &[&str]| PlannedCondition {
            name: name.into(),
            levels: levels.iter().map(ToString::to_string).collect(),
            ..PlannedCondition::default()
        };
        let mut plan = Plan {
            conditions: vec![condition("cpus_awake", &["true"]), condition("driver", &["epoll", "io_uring"])],
            ..Plan::default()
        };
        let said = "varied over the blocks: CPUs kept awake; epoll or io_uring";
        assert_eq!(conditions(&plan).as_deref(), Some(said));
        plan.conditions[1].levels.pop();
        assert_eq!(conditions(&plan).as_deref(), Some("fixed: CPUs kept awake; epoll"));
        assert_eq!(conditions(&Plan::default()), None);
    }
}
