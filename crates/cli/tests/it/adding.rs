//! docs/adding-a-subject.md and docs/adding-a-protocol.md, followed to the letter.

use crate::support::{PROOFLOAD, outside, root, text};
use std::path::Path;
use std::process::Command;

/// A step of a document: lines for a file, or one for a shell.
#[derive(Debug, PartialEq, Eq)]
enum DocumentStep {
    Lines { path: String, at: At, content: String },
    Command(String),
}

/// Place in a file where lines go.
#[derive(Debug, PartialEq, Eq)]
enum At {
    /// They are all of it.
    Whole,
    /// Below the one line with this text, however far it is indented.
    Below(String),
    End,
}

/// Reads the steps of a document. The content of a file is in a fence below a line of its own, `` `path`: ``, ``
/// `path`, below `line`: `` or `` `path`, at its end: ``; commands are in a fence of `sh`, one a line, which goes on
/// behind a backslash.
fn steps(document: &str) -> Vec<DocumentStep> {
    let mut steps = Vec::new();
    let mut named = None;
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        named = place(line).or(named);
        let Some(language) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match (language, named.take()) {
            ("sh", None) => {
                let commands = block.join("\n").replace("\\\n", "");
                steps.extend(commands.lines().map(|line| DocumentStep::Command(line.to_string())));
            }
            (_, Some((path, at))) => {
                steps.push(DocumentStep::Lines { path, at, content: block.join("\n") + "\n" });
            }
            (_, None) => panic!("a fence of {language:?} that is neither a file nor commands: {block:?}"),
        }
    }
    steps
}

/// File that a line names, and the place in it.
fn place(line: &str) -> Option<(String, At)> {
    let (path, at) = line.strip_prefix('`')?.split_once('`')?;
    let below = || at.strip_prefix(", below `")?.strip_suffix("`:");
    let at = match at {
        ":" => At::Whole,
        ", at its end:" => At::End,
        _ => At::Below(below()?.to_string()),
    };
    Some((path.to_string(), at))
}

/// Writes `content` into the file, which must be there unless it is all of it.
fn write(path: &Path, at: &At, content: &str) {
    let before =
        || std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let whole = match at {
        At::Whole => content.to_string(),
        At::End => before() + content,
        At::Below(anchor) => {
            let before = before();
            let lines: Vec<&str> = before.split_inclusive('\n').collect();
            let found: Vec<usize> = (0..lines.len()).filter(|line| lines[*line].trim() == anchor).collect();
            let [line] = found[..] else {
                panic!("{} lines of {} are {anchor:?}", found.len(), path.display());
            };
            [lines[..=line].concat(), content.to_string(), lines[line + 1..].concat()].concat()
        }
    };
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, whole).expect("written");
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

/// Exit code and output.
fn shell(line: &str, place: &Path, path: &str) -> (i32, String) {
    let mut shell = Command::new("sh");
    outside(&mut shell)
        .args(["-c", line])
        .current_dir(place)
        .env("PATH", path)
        .env_remove("PROOFLOAD_CATALOGUE");
    let output = shell.output().expect("a shell");
    let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
    (output.status.code().expect("no signal"), told)
}

#[test]
#[ignore = "full: starts a JVM ten times"]
fn the_document_adds_a_server_when_it_is_followed() {
    let document = std::fs::read_to_string(root().join("docs/adding-a-subject.md")).expect("the document");
    let steps = steps(&document);
    let commands = steps.iter().filter(|step| matches!(step, DocumentStep::Command(_))).count();
    assert_eq!((steps.len(), commands), (9, 6), "{steps:?}");
    let place = tempfile::tempdir().expect("a directory");
    copy(&root().join("subjects"), &place.path().join("subjects"));
    let bin = Path::new(PROOFLOAD).parent().expect("a folder").display().to_string();
    let path = format!("{bin}:{}", std::env::var("PATH").expect("a PATH"));
    for step in steps {
        match step {
            DocumentStep::Lines { path, at, content } => write(&place.path().join(path), &at, &content),
            DocumentStep::Command(line) => {
                let (code, told) = shell(&line, place.path(), &path);
                // Whether this machine lets the generator be fit is not what the document is about.
                assert!(matches!(code, 0 | 12), "{code}: {line}:\n{told}");
                assert!(!line.contains("--times 5") || told.contains("5 times in a row"), "{told}");
            }
        }
    }
}

/// Workspace that a protocol is added to, in a folder of its own: the crate `wire` as its only member, and the fuzz
/// targets.
fn workspace(place: &Path) {
    for folder in ["crates/wire", "fuzz/src", "fuzz/targets", "fuzz/seeds"] {
        copy(&root().join(folder), &place.join(folder));
    }
    for file in ["Cargo.lock", "rustfmt.toml", "fuzz/Cargo.toml"] {
        std::fs::copy(root().join(file), place.join(file)).expect("copied");
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let members = |line: &&str| !line.starts_with("default-members");
    let lines = manifest.lines().filter(members).map(|line| match line.starts_with("members") {
        true => "members = [\"crates/wire\"]\n".to_string(),
        false => format!("{line}\n"),
    });
    std::fs::write(place.join("Cargo.toml"), lines.collect::<String>()).expect("written");
}

/// The document's steps, those for files done; its commands are left.
fn protocol_added(place: &Path) -> Vec<String> {
    let document = std::fs::read_to_string(root().join("docs/adding-a-protocol.md")).expect("the document");
    let mut commands = Vec::new();
    for step in steps(&document) {
        match step {
            DocumentStep::Lines { path, at, content } => {
                let path = place.join(path);
                assert!(at != At::Whole || !path.exists(), "{} is there already", path.display());
                write(&path, &at, &content);
            }
            DocumentStep::Command(line) => commands.push(line),
        }
    }
    commands
}

#[test]
fn the_places_in_which_a_protocol_is_added_are_there() {
    let place = tempfile::tempdir().expect("a directory");
    workspace(place.path());
    let commands = protocol_added(place.path());
    assert_eq!(commands.len(), 6, "{commands:?}");
    for file in ["crates/wire/src/session.rs", "fuzz/Cargo.toml", "fuzz/targets/redis.rs"] {
        let text = std::fs::read_to_string(place.path().join(file)).expect("a file");
        assert!(text.contains("redis"), "{file}");
    }
}

#[test]
#[ignore = "full: compiles a crate, its lints and its tests"]
fn the_document_adds_a_protocol_when_it_is_followed() {
    // The same folders each time, so that only the crate is compiled again. Not the target folder of this workspace: cargo
    // knows a crate by its path within a workspace, and would take the one in the copy for that here.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (place, target) = (folder.join("adding-a-protocol"), folder.join("adding-a-protocol-target"));
    if place.exists() {
        std::fs::remove_dir_all(&place).expect("removed");
    }
    workspace(&place);
    let commands = protocol_added(&place);
    for line in commands {
        let mut shell = Command::new("sh");
        outside(&mut shell).args(["-ec", &line]).current_dir(&place);
        shell.env("CARGO_TARGET_DIR", &target).env("CARGO_NET_OFFLINE", "true");
        let output = shell.output().expect("a shell");
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{line}:\n{told}");
        assert!(!line.ends_with(" redis") || told.contains("test result: ok. 9 passed"), "{told}");
    }
}
