//! What the titles of commits look like.

use std::path::Path;
use std::process::Command;

/// The last commit that this rule is too late for.
const BASE: &str = "dd4fd3f8";
/// Characters of a title.
const TITLE_MAX: usize = 72;

/// A commit, as `git log` prints it.
struct Commit<'a> {
    hash: &'a str,
    parents: usize,
    title: &'a str,
}

/// Checks every commit since the rule began.
///
/// # Errors
///
/// Why the commits could not be listed: a shallow clone lacks them, an archive has none.
pub fn check(root: &Path) -> Result<Vec<String>, String> {
    let range = format!("{BASE}..HEAD");
    let log = Command::new("git").current_dir(root).args(["log", "--format=%h\t%p\t%s", &range]).output();
    let log = log.map_err(|error| format!("commit titles are not checked: git: {error}"))?;
    if !log.status.success() {
        let why = String::from_utf8_lossy(&log.stderr);
        return Err(format!(
            "commit titles are not checked: {}",
            why.lines().next().unwrap_or("git log failed")
        ));
    }
    let log = String::from_utf8_lossy(&log.stdout);
    Ok(log.lines().filter_map(parse).filter_map(|commit| problem(&commit)).collect())
}

fn parse(line: &str) -> Option<Commit<'_>> {
    let mut fields = line.splitn(3, '\t');
    let (hash, parents) = (fields.next()?, fields.next()?.split_whitespace().count());
    Some(Commit { hash, parents, title: fields.next()? })
}

fn problem(commit: &Commit) -> Option<String> {
    let length = commit.title.chars().count();
    let is_unfinished =
        commit.title.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("wip"));
    let why = if commit.parents > 1 {
        "a merge; rebase instead".to_owned()
    } else if is_unfinished {
        "unfinished work; squash it into what it became".to_owned()
    } else if length > TITLE_MAX {
        format!("a title of {length} characters, at most {TITLE_MAX}")
    } else {
        return None;
    };
    Some(format!("commit {}: `{}`: {why}", commit.hash, commit.title))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(line: &str) -> Option<String> {
        problem(&parse(line).unwrap())
    }

    #[test]
    fn a_long_title_a_merge_and_unfinished_work_are_found() {
        assert_eq!(why("abc\t123\tSay what changed"), None);
        assert_eq!(why(&format!("abc\t123\t{}", "x".repeat(72))), None);
        assert!(why(&format!("abc\t123\t{}", "x".repeat(73))).is_some());
        assert!(why("abc\t123 456\tMerge").is_some_and(|why| why.contains("rebase")));
        assert!(why("abc\t123\tWIP: parts").is_some_and(|why| why.contains("squash")));
        assert_eq!(why("abc\t123\tAdd wiping"), None);
    }

    #[test]
    fn what_git_cannot_list_is_said() {
        let nowhere = std::env::temp_dir();
        assert!(check(&nowhere).is_err_and(|why| why.starts_with("commit titles are not checked")));
    }
}
