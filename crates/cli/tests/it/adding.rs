//! docs/adding-a-subject.md, followed to the letter.

use crate::support::{PROOFLOAD, root, text};
use std::path::Path;
use std::process::Command;

/// A step of the document: a file to be written, or a line for a shell.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    File { path: String, content: String },
    Command(String),
}

/// Files stand in a fence below their path in a line of its own, `` `path`: ``; commands in a fence of `sh`.
fn steps(document: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut named = None;
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(path) = line.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:")) {
            named = Some(path.to_string());
        }
        let Some(language) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match (language, named.take()) {
            ("sh", None) => steps.extend(block.iter().map(|line| Step::Command(line.to_string()))),
            (_, Some(path)) => steps.push(Step::File { path, content: block.join("\n") + "\n" }),
            (_, None) => panic!("a fence of {language:?} that is neither a file nor commands: {block:?}"),
        }
    }
    steps
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("copied")),
        }
    }
}

/// Exit code and what was said; again where a busy machine did not let the generator be fit.
fn shell(line: &str, place: &Path, path: &str) -> (i32, String) {
    const UNFIT: i32 = 12;
    const TRIES: u32 = 5;
    let mut ended = (UNFIT, String::new());
    for _ in 0..TRIES {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(place).env("PATH", path).env_remove("PROOFLOAD_CATALOGUE");
        let output = shell.output().expect("a shell");
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        ended = (output.status.code().expect("no signal"), told);
        if ended.0 != UNFIT {
            break;
        }
    }
    ended
}

#[test]
#[ignore = "full: starts a JVM ten times"]
fn the_document_adds_a_server_when_it_is_followed() {
    let document = std::fs::read_to_string(root().join("docs/adding-a-subject.md")).expect("the document");
    let steps = steps(&document);
    let commands = steps.iter().filter(|step| matches!(step, Step::Command(_))).count();
    assert_eq!((steps.len(), commands), (9, 6), "{steps:?}");
    let place = tempfile::tempdir().expect("a directory");
    copy(&root().join("subjects"), &place.path().join("subjects"));
    let bin = Path::new(PROOFLOAD).parent().expect("a folder").display().to_string();
    let path = format!("{bin}:{}", std::env::var("PATH").expect("a PATH"));
    for step in steps {
        match step {
            Step::File { path, content } => {
                let path = place.path().join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                std::fs::write(path, content).expect("written");
            }
            Step::Command(line) => {
                let (code, told) = shell(&line, place.path(), &path);
                assert_eq!(code, 0, "{line}:\n{told}");
                assert!(!line.contains("--times 5") || told.contains("5 times in a row"), "{told}");
            }
        }
    }
}
