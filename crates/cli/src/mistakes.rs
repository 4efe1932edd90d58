//! What is wrong with the flags, all of it at once.

use crate::exit::{Exit, leave};
use proofload_facts::{Expected, Mistake};
use proofload_study::told;

/// A user without a password.
pub fn no_password() -> Mistake {
    Mistake::not("…", Expected::User, "user:password, user:@FILE")
}

/// Collects mistakes instead of stopping at the first.
#[derive(Default)]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// The value, or the fallback and a mistake under that flag.
    pub fn take<T: Default>(&mut self, flag: &str, value: Result<T, Mistake>) -> T {
        self.keep(flag, value).unwrap_or_default()
    }

    /// The value, or nothing and a mistake under that flag.
    pub fn keep<T>(&mut self, flag: &str, value: Result<T, Mistake>) -> Option<T> {
        value.map_err(|mistake| self.add(flag, mistake)).ok()
    }

    /// Notes a mistake under a flag.
    pub fn add(&mut self, flag: &str, mistake: Mistake) {
        self.0.push(mistake.at(flag));
    }

    /// The value, or nothing and mistakes that say themselves where they are.
    pub fn all<T>(&mut self, value: Result<T, Vec<Mistake>>) -> Option<T> {
        value.map_err(|found| self.0.extend(found)).ok()
    }

    /// Leaves with all of them, if there are any.
    pub fn check(self) -> anyhow::Result<()> {
        let lines: Vec<String> = self.0.iter().map(told).collect();
        match lines.is_empty() {
            true => Ok(()),
            false => Err(leave(Exit::Usage, lines.join("\n           "))),
        }
    }
}

/// Leaves with what is wrong with one flag.
pub fn wrong(flag: &str, mistake: Mistake) -> anyhow::Error {
    leave(Exit::Usage, told(&mistake.at(flag)))
}

const SECRET_BYTES_MAX: u64 = 64 << 10;

/// A secret, or the first line of `@FILE`.
pub fn secret(text: &str) -> Result<String, Mistake> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    let bytes = proofload_study::read_named(std::path::Path::new(path), path, SECRET_BYTES_MAX, "64 KiB")?;
    let text = String::from_utf8(bytes).map_err(|_| Mistake::NotUtf8.at(path))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}
