//! Dependence of an answer on the conditions under which it was measured.

use proofload_analysis::conditions_vary;
use proofload_language::{condition, tr};
use proofload_store::schema::{Plan, PlannedCondition};

/// The conditions of measuring with their levels; nothing where none are recorded.
pub(crate) fn conditions(plan: &Plan) -> Option<String> {
    let words = |of: &PlannedCondition| {
        let levels = of.levels.iter().map(|level| condition(&of.name, level));
        levels.collect::<Vec<_>>().join(tr!("between-choices"))
    };
    let all = plan.conditions.iter().map(words).collect::<Vec<_>>().join(tr!("between-sentences"));
    (!all.is_empty()).then(|| tr!("conditions-how", vary = conditions_vary(plan), all))
}

/// Conditions that a verdict is limited to, where none varied.
pub(crate) fn asked_with(conditions: &[(&str, &str)]) -> String {
    let conditions: Vec<String> = conditions.iter().map(|(name, level)| condition(name, level)).collect();
    tr!("asked-with", conditions = conditions.join(tr!("between-items")))
}

#[cfg(test)]
mod tests {
    use super::*;
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
