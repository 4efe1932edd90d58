//! Flags of a JVM that a study gives: checked by the JVM before anything is planned on them.

use std::path::Path;
use std::time::Duration;

use proofload_host::jdk::Jdk;

use super::SubjectError;
use super::keeper::{Exit, Keeper};
use super::logs::last_lines;
use super::tools::{interrupted, tool};

/// A JVM prints its version in a tenth of a second.
const ASK_WITHIN: Duration = Duration::from_secs(30);

/// Starts the JVM with these arguments' flags, only to print its version.
///
/// # Errors
/// It does not start with them, or would pass over one of them.
pub(super) fn check(subject: &str, jdk: &Jdk, args: &[String]) -> Result<(), SubjectError> {
    // A flag with a value that is known only at the start has nothing to do with the version.
    let asked = ["-X", "-client", "-server"];
    let flags =
        args.iter().filter(|word| asked.iter().any(|begin| word.starts_with(begin)) && !word.contains('{'));
    let java = jdk.home.join("bin/java").to_string_lossy().into_owned();
    let words = std::iter::once(java).chain(flags.cloned()).chain(["-version".to_string()]).collect();
    let keeper = Keeper::start()?;
    let directory =
        tempfile::tempdir_in(keeper.temp()).map_err(SubjectError::files(keeper.temp(), "make-in"))?;
    let log = directory.path().join("log");
    let exit = keeper.link().run("java", ask(words, directory.path(), &log), ASK_WITHIN, &interrupted)?;
    match refusal(exit, &last_lines(&log)) {
        None => Ok(()),
        Some(Refusal { lacks: true, why }) => {
            Err(SubjectError::NotApplicable { subject: subject.to_string(), jdk: jdk.major, why })
        }
        Some(Refusal { lacks: false, why }) => {
            let why = format!("JDK {} does not start with its flags: {why}; correct them", jdk.major);
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

/// Objection of a JVM to its flags.
#[derive(Debug, PartialEq, Eq)]
struct Refusal {
    /// It does not have one of them, or not any more; else they contradict each other or have no sense.
    lacks: bool,
    why: String,
}

/// Objection of the JVM to its flags; an obsolete one is ignored by the JVM with no more than a warning.
fn refusal(exit: Option<Exit>, lines: &[String]) -> Option<Refusal> {
    let telling = |part: &str| lines.iter().find(|line| line.contains(part));
    let lacks = |line: &String| Some(Refusal { lacks: true, why: line.trim().to_string() });
    if exit == Some(Exit::Code(0)) {
        return telling("Ignoring option ").and_then(lacks);
    }
    if let Some(line) = telling("Unrecognized ") {
        return lacks(line);
    }
    let told = lines.iter().find(|line| !line.starts_with("Error occurred"));
    let why = told.map_or("the JVM says nothing", |line| line.trim()).to_string();
    Some(Refusal { lacks: false, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_is_unknown_ignored_or_contradicts_another_is_told() {
        let told = |code: i32, lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            refusal(Some(Exit::Code(code)), &lines).map(|refusal| (refusal.lacks, refusal.why))
        };
        let told_as = |lacks: bool, line: &str| Some((lacks, line.to_string()));
        let version = "openjdk version \"17.0.15\"";
        assert_eq!(
            told(0, &["warning: Option UseBiasedLocking was deprecated in version 15.0", version]),
            None
        );
        let ignored = "warning: Ignoring option UseBiasedLocking; support was removed in 18.0";
        assert_eq!(told(0, &[ignored, version]), told_as(true, ignored));
        let unknown =
            ["Unrecognized VM option 'AggressiveOpts'", "Error: Could not create the Java Virtual Machine."];
        assert_eq!(told(1, &unknown), told_as(true, unknown[0]));
        let two = ["Error occurred during initialization of VM", "Multiple garbage collectors selected"];
        assert_eq!(told(1, &two), told_as(false, two[1]));
        assert!(told(1, &[]).is_some());
    }
}
