//! Mistakes of the flags, all of them at once.

use crate::exit::{Exit, leave};
use proofload_facts::{Expected, Mistake};
use proofload_study::told;

/// A user without a password.
pub fn no_password() -> Mistake {
    Mistake::not("…", Expected::User, "user:password, user:@FILE")
}

/// Leaves with all of what is wrong.
pub fn all(mistakes: Vec<Mistake>) -> anyhow::Error {
    let lines: Vec<String> = mistakes.iter().map(told).collect();
    leave(Exit::Usage, lines.join("\n           "))
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
