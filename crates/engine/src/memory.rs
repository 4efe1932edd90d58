//! Memory of a user: values captured from answers, and the rows that feeders gave him.

use crate::LoadPlan;

/// Values that a user carries from step to step.
#[derive(Debug, Default)]
pub(crate) struct UserMemory {
    /// Captured values, by the index of their variable; empty before.
    variables: Box<[Vec<u8>]>,
    is_set: Box<[bool]>,
    /// His number in each feeder.
    pub numbers: Box<[u64]>,
}

impl UserMemory {
    pub fn new(plan: &LoadPlan) -> Self {
        let variables = plan.asking.journeys.as_ref().map_or(0, |journeys| journeys.variables);
        UserMemory {
            variables: vec![Vec::new(); variables].into(),
            is_set: vec![false; variables].into(),
            numbers: vec![0; plan.asking.feed.feeders.len()].into(),
        }
    }

    /// Forgets everything, for the next user; keeps the room.
    pub fn clear(&mut self) {
        self.variables.iter_mut().for_each(Vec::clear);
        self.is_set.fill(false);
    }

    /// All values, those that were not captured empty.
    pub fn variables(&self) -> &[Vec<u8>] {
        &self.variables
    }

    /// A captured value.
    pub fn get(&self, variable: usize) -> Option<&[u8]> {
        self.variables.get(variable).filter(|_| self.is_set[variable]).map(Vec::as_slice)
    }

    /// The captured values, with the names of their variables.
    pub fn named(&self, plan: &LoadPlan) -> Vec<(String, Vec<u8>)> {
        let mut named = Vec::new();
        for capture in plan.asking.captures.iter().flatten() {
            if let Some(value) = self.get(capture.variable)
                && !named.iter().any(|(name, _)| *name == capture.name)
            {
                named.push((capture.name.clone(), value.to_vec()));
            }
        }
        named
    }

    /// Gives a variable the value that `write` appends to an empty text; what it returns is passed on. Without a value the
    /// variable is unset.
    pub fn set<T>(&mut self, variable: usize, write: impl FnOnce(&mut Vec<u8>) -> (bool, T)) -> T {
        let text = &mut self.variables[variable];
        text.clear();
        let (is_set, passed_on) = write(text);
        self.is_set[variable] = is_set;
        passed_on
    }
}
