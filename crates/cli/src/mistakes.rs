//! What is wrong with the flags, all of it at once.

use crate::exit::{Exit, leave};

/// Collects mistakes instead of stopping at the first.
#[derive(Default)]
pub struct Mistakes(Vec<String>);

impl Mistakes {
    /// The value, or the fallback and a mistake under that flag.
    pub fn take<T: Default>(&mut self, flag: &str, value: Result<T, String>) -> T {
        value.unwrap_or_else(|why| {
            self.0.push(format!("{flag}: {why}"));
            T::default()
        })
    }

    /// The value, or nothing and a mistake under that flag.
    pub fn keep<T>(&mut self, flag: &str, value: Result<T, String>) -> Option<T> {
        value.map_err(|why| self.0.push(format!("{flag}: {why}"))).ok()
    }

    /// Notes a mistake.
    pub fn add(&mut self, mistake: impl Into<String>) {
        self.0.push(mistake.into());
    }

    /// Leaves with all of them, if there are any.
    pub fn check(self) -> anyhow::Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(leave(Exit::Usage, self.0.join("\n           "))),
        }
    }
}

/// A secret, or the first line of `@FILE`.
pub fn secret(text: &str) -> Result<String, String> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {path}: {error}; check the name"))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
