//! Reads the command line, and knows the usual slips.

use super::{Cli, Verb, examples};
use crate::exit::{Exit, leave};
use clap::{CommandFactory, FromArgMatches, Parser};
use proofload_study::nearest;
use std::ffi::OsString;

/// Widest line of the short help: that of a terminal left as it opens.
const SHORT_WIDTH: usize = 80;
/// Widest line of the long help.
const LONG_WIDTH: usize = 100;

/// The command; with `long` its own help is the long one. The verbs have both.
pub fn command(long: bool) -> clap::Command {
    let command = Cli::command();
    match long {
        true => command.max_term_width(LONG_WIDTH),
        false => command.max_term_width(SHORT_WIDTH).override_help(examples::SHORT),
    }
}

/// The command with names and usages of all its verbs, as pages about it are made of.
pub fn built() -> clap::Command {
    let mut command = command(true).disable_help_subcommand(true).subcommand_help_heading("VERBS");
    command.build();
    command
}

/// Lines of the examples at the end of a help.
pub fn examples_in(text: &str) -> Vec<&str> {
    let examples = text.split_once("Examples:\n").map_or("", |(_, examples)| examples);
    examples.lines().map(str::trim_start).filter(|line| line.starts_with("proofload ")).collect()
}

/// The arguments.
///
/// # Errors
/// Clap's message, help that was asked for among it; a verb that is misspelt, or a study where an address
/// belongs.
pub fn read(words: impl Iterator<Item = OsString>) -> anyhow::Result<Cli> {
    let words = behind_verbs(words.collect());
    // What follows a misspelt verb is wrong only because of it.
    if let Some(slip) = first_slip(&words) {
        return Err(leave(Exit::Usage, slip));
    }
    let long = ["--help", "help"].iter().any(|asked| words.contains(&OsString::from(asked)));
    let read = command(long).try_get_matches_from(&words).and_then(|found| Cli::from_arg_matches(&found));
    let cli = read?;
    match study_among_urls(&cli) {
        Some(slip) => Err(leave(Exit::Usage, slip)),
        None => Ok(cli),
    }
}

/// The arguments of a command line that was read before, the program's name first.
///
/// # Errors
/// If this executable does not accept them.
pub fn read_again(words: impl Iterator<Item = OsString>) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(behind_verbs(words.collect()))
}

/// The words with those options behind the verbs that every verb has: before a verb clap takes no option, since what a URL without
/// one is measured with has no meaning there.
fn behind_verbs(mut words: Vec<OsString>) -> Vec<OsString> {
    let root = Cli::command();
    let (mut command, mut at) = (&root, 1);
    loop {
        let verb = behind_global_options(&root, &words, at);
        let Some(found) = words.get(verb).and_then(|word| command.find_subcommand(word)) else {
            return words;
        };
        words[at..=verb].rotate_right(1);
        (command, at) = (found, at + 1);
    }
}

/// Index of the first word from there on that is neither an option of every verb nor the value of one.
fn behind_global_options(root: &clap::Command, words: &[OsString], mut at: usize) -> usize {
    let global: Vec<&str> =
        root.get_arguments().filter(|arg| arg.is_global_set()).filter_map(clap::Arg::get_long).collect();
    while let Some(option) = words.get(at).and_then(|word| word.to_str()?.strip_prefix("--")) {
        at += match option.split_once('=') {
            Some((name, _)) if global.contains(&name) => 1,
            None if global.contains(&option) => 2,
            _ => break,
        };
    }
    at
}

fn first_slip(words: &[OsString]) -> Option<String> {
    slip_of(words.get(behind_global_options(&Cli::command(), words, 1))?.to_str()?)
}

/// Error of a command line that is refused before anything else is looked at.
#[cfg(test)]
pub fn refusal(words: &[String]) -> Option<String> {
    let words = behind_verbs(words.iter().map(OsString::from).collect());
    if let Some(slip) = first_slip(&words) {
        return Some(slip);
    }
    match Cli::try_parse_from(words) {
        Ok(cli) => study_among_urls(&cli),
        Err(error) => Some(error.to_string()).filter(|_| error.use_stderr()),
    }
}

fn study_among_urls(cli: &Cli) -> Option<String> {
    let urls = match &cli.verb {
        None => cli.measure.urls.as_slice(),
        Some(Verb::Compare(args)) => &args.servers,
        Some(Verb::Capacity(args)) => std::slice::from_ref(&args.url),
        Some(_) => &[],
    };
    urls.iter().find_map(|url| study_for_url(url))
}

/// Error in the first word, where it is neither a verb nor an option nor an address.
fn slip_of(word: &str) -> Option<String> {
    let command = Cli::command();
    let verbs: Vec<&str> =
        command.get_subcommands().map(clap::Command::get_name).chain(["help", "localhost"]).collect();
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    if !is_word || verbs.contains(&word) {
        return study_for_url(word);
    }
    let meant = nearest(word, verbs)?;
    Some(format!(
        "{word} is neither a verb nor an address; did you mean {meant}? `proofload -h` lists the verbs"
    ))
}

/// The remedy where a study was given as an address.
fn study_for_url(word: &str) -> Option<String> {
    let is_study = !word.contains("://")
        && [".yaml", ".yml"].iter().any(|end| word.to_ascii_lowercase().ends_with(end))
        && !word.starts_with('-');
    is_study.then(|| format!("{word} is a study, not an address; run it with `proofload run {word}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// Every command with the words that lead to it.
    fn commands(of: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
        found.push((path.to_string(), of.clone()));
        for verb in of.get_subcommands().filter(|verb| verb.get_name() != "help") {
            commands(verb, &format!("{path} {}", verb.get_name()), found);
        }
    }

    fn all() -> Vec<(String, clap::Command)> {
        let mut found = Vec::new();
        commands(&command(true), "proofload", &mut found);
        found
    }

    #[test]
    fn every_help_ends_with_three_examples_that_are_read() {
        for (path, command) in all() {
            let after = command.get_after_help().or(command.get_after_long_help());
            let after = after.map(ToString::to_string).unwrap_or_default();
            let mut examples = examples_in(&after);
            assert_eq!(examples.len(), 3, "{path}");
            assert!(examples.iter().all(|line| line.starts_with(&path)), "{path}: {examples:?}");
            if command.has_subcommands() && command.get_name() == path {
                let short = examples_in(examples::SHORT);
                assert_eq!(short.len(), 3);
                examples.extend(short);
            }
            for example in examples {
                let line = example.split(" > ").next().unwrap_or_default();
                let words = shlex::split(line).expect("quotes are closed");
                let read = Cli::try_parse_from(&words);
                assert!(read.is_ok(), "{example}: {}", read.err().map(|e| e.to_string()).unwrap_or_default());
            }
        }
    }

    #[test]
    fn the_short_help_names_every_verb_and_only_options_that_exist() {
        let whole = command(true);
        let names: Vec<&str> = examples::SHORT.split_whitespace().collect();
        for verb in whole.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help") {
            assert!(names.contains(&verb), "{verb}");
        }
        for option in names.iter().filter_map(|name| name.strip_prefix("--")).filter(|name| *name != "help`")
        {
            assert!(whole.get_arguments().any(|arg| arg.get_long() == Some(option)), "--{option}");
        }
        for line in examples::SHORT.lines() {
            assert!(line.chars().count() <= SHORT_WIDTH, "{line}");
        }
        assert!(examples::SHORT.lines().count() <= 24);
    }

    #[test]
    fn options_of_all_verbs_are_put_behind_them() {
        for (line, put) in [
            ("proofload --lang zh-CN ui", "proofload ui --lang zh-CN"),
            (
                "proofload --lang=en subjects --lang zh-CN show jetty",
                "proofload subjects show --lang=en --lang zh-CN jetty",
            ),
            (
                "proofload --lang en --lang zh-CN run a.yaml -q",
                "proofload run --lang en --lang zh-CN a.yaml -q",
            ),
        ] {
            let put_behind = behind_verbs(line.split(' ').map(OsString::from).collect());
            assert_eq!(put_behind, put.split(' ').map(OsString::from).collect::<Vec<_>>());
        }
        for as_it_is in [
            "proofload",
            "proofload --lang",
            "proofload --lang zh-CN",
            "proofload --lang zh-CN localhost:80 -c 4",
            "proofload -c 4 --lang zh-CN run a.yaml",
            "proofload report --format json ui",
            "proofload compare --lang zh-CN ui run",
        ] {
            let words: Vec<OsString> = as_it_is.split(' ').map(OsString::from).collect();
            assert_eq!(behind_verbs(words.clone()), words);
        }
    }

    #[test]
    fn slips_are_told_from_addresses() {
        for (word, says) in [
            ("rnu", "did you mean run?"),
            ("comapre", "did you mean compare?"),
            ("reference-sever", "did you mean reference-server?"),
            ("nope.yaml", "`proofload run nope.yaml`"),
            ("studies/a.YML", "`proofload run studies/a.YML`"),
        ] {
            assert!(slip_of(word).is_some_and(|slip| slip.contains(says)), "{word}: {:?}", slip_of(word));
        }
        for fine in
            ["run", "help", "localhost", "localhost:80", "http://h/a.yaml", "-c", "--rnu", "127.0.0.1"]
        {
            assert_eq!(slip_of(fine), None, "{fine}");
        }
    }
}
