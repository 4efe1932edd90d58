//! Memory of a user: values captured from answers, and the rows that feeders gave him.

use crate::LoadPlan;
use crate::reading::VALUE_MAX;

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

    /// Forgets everything but what is given to each user, for the next; keeps the room.
    pub fn begin(&mut self, given: &[(usize, Vec<u8>)]) {
        self.variables.iter_mut().for_each(Vec::clear);
        self.is_set.fill(false);
        for (variable, value) in given {
            self.variables[*variable].extend_from_slice(value);
            self.is_set[*variable] = true;
        }
    }

    /// All values, those that were not captured empty.
    pub fn variables(&self) -> &[Vec<u8>] {
        &self.variables
    }

    /// A captured value.
    pub fn get(&self, variable: usize) -> Option<&[u8]> {
        self.variables.get(variable).filter(|_| self.is_set[variable]).map(Vec::as_slice)
    }

    /// The captured values, with the names of their variables and of their places in the answers.
    pub fn named(&self, plan: &LoadPlan) -> Vec<(String, Vec<u8>)> {
        let mut named: Vec<(String, Vec<u8>)> = Vec::new();
        for capture in plan.asking.captures.iter().flatten() {
            let Some(value) = self.get(capture.variable) else { continue };
            for name in capture.names() {
                if !named.iter().any(|(known, _)| *known == name) {
                    named.push((name, value.to_vec()));
                }
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
        if !is_set {
            text.clear();
            text.shrink_to(VALUE_MAX);
        }
        passed_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_taken_leaves_nothing_to_be_sent() {
        let (variables, is_set) = (vec![Vec::new(); 2].into(), vec![false; 2].into());
        let mut memory = UserMemory { variables, is_set, numbers: Box::default() };
        let mut set = |variable, text: &[u8], is_taken| {
            memory.set(variable, |to| {
                to.extend_from_slice(text);
                (is_taken, text.len())
            })
        };
        assert_eq!((set(0, b"t41", true), set(1, b"", true)), (3, 0));
        assert_eq!((memory.get(0), memory.get(1), memory.get(2)), (Some(&b"t41"[..]), Some(&b""[..]), None));
        memory.set(0, |to| {
            assert_eq!(to, b"", "the value before is gone");
            to.extend_from_slice(b"half a value");
            (false, ())
        });
        assert_eq!((memory.get(0), &memory.variables()[0][..]), (None, &b""[..]));
        memory.begin(&[]);
        assert_eq!((memory.get(1), memory.variables().len()), (None, 2));
    }
}
