//! Under which conditions a block is measured.

use proofload_store::schema::Plan;

/// The level of each condition of the plan in a block with that place, counted from 1; nothing where conditions are not recorded.
pub fn levels_of(plan: &Plan, place: u32) -> &[usize] {
    let planned = plan.condition_order.len().max(1);
    let order = plan.condition_order.get((place.max(1) as usize - 1) % planned);
    order.map_or(&[][..], Vec::as_slice)
}

/// The level that a condition has in a block with that place; `None` where the plan does not know it.
pub fn level_of<'a>(plan: &'a Plan, place: u32, name: &str) -> Option<&'a str> {
    let at = plan.conditions.iter().position(|condition| condition.name == name)?;
    let level = levels_of(plan, place).get(at).copied().unwrap_or(0);
    plan.conditions[at].levels.get(level).map(String::as_str)
}

/// True if any condition varies over the blocks.
pub fn conditions_vary(plan: &Plan) -> bool {
    plan.conditions.iter().any(|condition| condition.levels.len() > 1)
}

/// The fixed conditions of a plan and their levels, for what its verdicts are limited to; empty where something varies or
/// nothing is recorded.
pub fn fixed_conditions(plan: &Plan) -> Vec<(&str, &str)> {
    if conditions_vary(plan) {
        return Vec::new();
    }
    let levels = plan.conditions.iter().filter_map(|condition| Some((condition, condition.levels.first()?)));
    levels.map(|(condition, level)| (condition.name.as_str(), level.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::PlannedCondition;

    fn plan() -> Plan {
        let condition = |name: &str, levels: &[&str]| PlannedCondition {
            name: name.into(),
            levels: levels.iter().map(ToString::to_string).collect(),
            ..PlannedCondition::default()
        };
        Plan {
            conditions: vec![condition("driver", &["epoll", "io_uring"]), condition("events", &["64"])],
            condition_order: vec![vec![0, 0], vec![1, 0]],
            ..Plan::default()
        }
    }

    #[test]
    fn blocks_beyond_the_order_begin_it_anew() {
        let drivers = (1..=5).map(|block| level_of(&plan(), block, "driver").unwrap().to_string());
        assert_eq!(drivers.collect::<Vec<_>>(), ["epoll", "io_uring", "epoll", "io_uring", "epoll"]);
        assert_eq!(level_of(&plan(), 2, "events"), Some("64"));
        assert_eq!(level_of(&plan(), 2, "answers"), None);
        assert!(levels_of(&Plan::default(), 3).is_empty());
    }

    #[test]
    fn only_what_does_not_vary_limits_a_verdict() {
        assert!(fixed_conditions(&plan()).is_empty());
        let mut fixed = plan();
        fixed.conditions[0].levels.pop();
        assert_eq!(fixed_conditions(&fixed), [("driver", "epoll"), ("events", "64")]);
    }
}
