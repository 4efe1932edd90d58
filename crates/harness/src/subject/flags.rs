//! Flags of a JVM that a study gives: asked of the JVM before anything is planned on them.

use std::path::Path;
use std::time::Duration;

use crate::host::jdk::Jdk;

use super::SubjectError;
use super::keeper::{Exit, Keeper};
use super::logs::last_lines;
use super::tools::{interrupted, tool};

/// A JVM says its version in a tenth of a second.
const ASK_WITHIN: Duration = Duration::from_secs(30);

/// Starts the JVM with these arguments' flags, to say its version and nothing else.
///
/// # Errors
/// It does not start with them, or would pass over one of them.
pub(super) fn check(subject: &str, jdk: &Jdk, args: &[String]) -> Result<(), SubjectError> {
    // A flag that holds what is known at the start only has nothing to do with the version.
    let flags = args.iter().filter(|word| word.starts_with("-X") && !word.contains('{'));
    let java = jdk.home.join("bin/java").to_string_lossy().into_owned();
    let words = std::iter::once(java).chain(flags.cloned()).chain(["-version".to_string()]).collect();
    let keeper = Keeper::start()?;
    let directory = tempfile::tempdir_in(keeper.temp())
        .map_err(SubjectError::files(keeper.temp(), "no directory can be made in it"))?;
    let log = directory.path().join("log");
    let exit = keeper.link().run("java", ask(words, directory.path(), &log), ASK_WITHIN, &interrupted)?;
    match refusal(exit, &last_lines(&log)) {
        None => Ok(()),
        Some(why) => {
            let why = format!(
                "not applicable on JDK {}: {why}; leave the flag out of this variant, or choose a JDK that has it by \
                 `jdk`",
                jdk.major
            );
            Err(SubjectError::Parameter { subject: subject.to_string(), why })
        }
    }
}

fn ask(words: Vec<String>, directory: &Path, log: &Path) -> super::keeper::Spawn {
    let mut spawn = tool(words, directory, log);
    // As at its start: `JAVA_TOOL_OPTIONS` would bring in others.
    spawn.clear_environment = true;
    spawn
}

/// What the JVM has against its flags; an obsolete one is passed over with no more than a warning.
fn refusal(exit: Option<Exit>, lines: &[String]) -> Option<String> {
    let telling = |part: &str| lines.iter().find(|line| line.contains(part));
    if exit == Some(Exit::Code(0)) {
        return telling("Ignoring option ").map(|line| line.trim().to_string());
    }
    let told =
        telling("Unrecognized ").or_else(|| lines.iter().find(|line| !line.starts_with("Error occurred")));
    Some(
        told.map_or_else(
            || "the JVM does not start with its flags".to_string(),
            |line| line.trim().to_string(),
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_is_unknown_ignored_or_contradicts_another_is_told() {
        let told = |code: i32, lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            refusal(Some(Exit::Code(code)), &lines)
        };
        let version = "openjdk version \"17.0.15\"";
        assert_eq!(
            told(0, &["warning: Option UseBiasedLocking was deprecated in version 15.0", version]),
            None
        );
        let ignored = "warning: Ignoring option UseBiasedLocking; support was removed in 18.0";
        assert_eq!(told(0, &[ignored, version]).as_deref(), Some(ignored));
        let unknown =
            ["Unrecognized VM option 'AggressiveOpts'", "Error: Could not create the Java Virtual Machine."];
        assert_eq!(told(1, &unknown).as_deref(), Some(unknown[0]));
        let two = ["Error occurred during initialization of VM", "Multiple garbage collectors selected"];
        assert_eq!(told(1, &two).as_deref(), Some(two[1]));
        assert!(told(1, &[]).is_some());
    }
}
