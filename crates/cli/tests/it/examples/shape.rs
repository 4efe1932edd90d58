//! Comparison of a command's output with that on a page, whatever the numbers are.

use crate::support::text;
use std::collections::BTreeSet;
use std::process::Output;

/// Text shown to the user.
pub fn output_of(output: &Output) -> String {
    text(&output.stdout)
}

/// Words that stay from run to run. Numbers, units, names of runs and drawings do not, nor does which verdict it is, or
/// whether the generator is fit, which is in capitals where it is not.
fn words(line: &str) -> BTreeSet<String> {
    const VERDICTS: [&str; 6] = ["supported", "refuted", "undecided", "checked", "faster", "alike"];
    let is_word = |word: &str| word.len() >= 4 && word.chars().all(|c| c.is_ascii_alphabetic());
    let words =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| is_word(word) && !VERDICTS.contains(word));
    words.map(str::to_lowercase).collect()
}

/// Lines that the machine decides, not the program: bars, warnings, whether time was enough, and lines that go on from the one above.
fn is_of_the_moment(line: &str) -> bool {
    line.contains('█')
        || line.starts_with('⚠')
        || line.starts_with("the budget")
        || line.starts_with("  ")
        || line.contains("all checks")
}

/// Lines of what is shown for which nothing alike was printed. At the first warning the rest is of the moment.
pub fn missing(shown: &str, printed: &str) -> Vec<String> {
    let printed: Vec<BTreeSet<String>> = printed.lines().map(words).collect();
    let lines =
        shown.lines().take_while(|line| !line.starts_with('⚠')).filter(|line| !is_of_the_moment(line));
    let is_there = |line: &&str| {
        let needed = words(line);
        needed.is_empty() || printed.iter().any(|found| needed.is_subset(found))
    };
    lines.filter(|line| !is_there(line)).map(str::to_string).collect()
}

#[test]
fn numbers_and_verdicts_may_differ_and_lines_may_not_be_missing() {
    let shown = "✔ supported  less work, more served  ×1.19 [1.11, 1.28]  ··●·\n             a sentence\n16 connections, closed loop\n⚠ busy\n";
    assert!(
        missing(shown, "? undecided  less work, more served  ×1 [0, 2]\n8 connections, closed loop\n")
            .is_empty()
    );
    assert_eq!(missing(shown, "? undecided  less work, more served  ×1\n"), ["16 connections, closed loop"]);
    assert_eq!(missing("the answers  5\n", "answered  5"), ["the answers  5"]);
}
