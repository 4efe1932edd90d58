//! Commands that a reader would type: those of README.md, the tutorial and the how-tos, page by page, against reference
//! servers, in the full tier, and the tutorial as it is. That commands are accepted and studies are right is checked in
//! the gate, without running them.

mod shape;

use crate::docs::{document, fenced, folder};
use crate::support::{PROOFLOAD, ReferenceProcess, outside, proofload, root, text};
use shape::{missing, output_of};
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Commands that the gate does not run as they are, by how they begin: what it does instead, and why.
const EXCEPTIONS: [(&str, Instead, &str); 18] = [
    ("reference-server ", Instead::Nothing, "the servers of the test run already, with these options"),
    ("capacity ", Instead::Nothing, "searches for minutes; capacity.rs runs it"),
    ("tune ", Instead::Nothing, "takes an hour; noise.rs runs it with short slices"),
    ("replicate ", Instead::Nothing, "takes days; replicate.rs runs it with short pauses"),
    ("doctor --noise", Instead::Nothing, "takes six minutes; noise.rs runs it"),
    ("ui", Instead::Nothing, "goes on until Ctrl-C; ui.rs opens it"),
    ("resume", Instead::Nothing, "nothing was interrupted; the kills of the gate resume"),
    ("rerun runs/STUDY", Instead::Nothing, "names no run; share-a-result.md runs one again"),
    ("diff runs/STUDY", Instead::Nothing, "names no run; share-a-result.md compares two"),
    ("condense runs/STUDY", Instead::Nothing, "names no run; share-a-result.md condenses one"),
    ("reproductions DIR", Instead::Nothing, "names no record; repeat-a-published-experiment.md names one"),
    ("run studies/STUDY", Instead::Nothing, "names no study"),
    ("https://", Instead::Nothing, "needs certificates; tls.rs makes them"),
    ("http://localhost:8080/ -c auto --stage", Instead::Nothing, "takes ten minutes; loads.rs runs stages"),
    ("run soak.yaml", Instead::Explain, "takes two hours; soak.rs runs short ones"),
    ("run studies/tomcat-connectors.yaml", Instead::Explain, "needs a JDK; a step of the gate runs it"),
    (
        "run studies/java-servers.yaml",
        Instead::Explain,
        "needs a JDK and minutes; the full tier starts its servers",
    ),
    (
        "run studies/ajp-direct.yaml",
        Instead::Explain,
        "needs a JDK and minutes; the full tier starts its servers",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instead {
    Nothing,
    Explain,
}

/// Pages with other commands, and why the gate does not run them. The tests of the program itself check that the
/// commands are accepted, docs.rs that their studies are right.
const NOT_RUN: [(&str, &str); 3] = [
    ("docs/how-to/compare-jvm-flags.md", "its one command takes an hour; noise.rs runs it with short slices"),
    ("docs/how-to/find-capacity.md", "searches for minutes; capacity.rs runs both forms"),
    ("docs/how-to/jvm-protocols.md", "needs servers of the JVM; calls.rs loads them in the full tier"),
];

/// A server as a reader may have one: it takes the port in any of the ways that the pages show.
const SERVER: &str = "#!/bin/sh
for word; do case \"$word\" in *[0-9]) port=${word##*[!0-9]};; esac; done
exec proofload reference-server --port \"$port\"
";

/// One page, being followed.
struct Reader {
    folder: tempfile::TempDir,
    servers: BTreeMap<String, ReferenceProcess>,
    path: String,
    is_gate: bool,
}

impl Reader {
    fn of(page: &str, is_gate: bool) -> Reader {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        for name in ["studies", "docs", "subjects"] {
            symlink(root().join(name), at(name)).expect("linked");
        }
        std::fs::create_dir_all(at("runs/ajp-direct")).expect("made");
        symlink(root().join("docs/reproductions/ajp-direct"), at("runs/ajp-direct/latest")).expect("linked");
        std::fs::write(at("token"), "secret").expect("written");
        std::fs::create_dir(at("bin")).expect("made");
        symlink(PROOFLOAD, at("bin/proofload")).expect("linked");
        for name in ["server", "server-a", "server-b"] {
            std::fs::write(at(name), SERVER).expect("written");
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o755)).expect("allowed");
        }
        let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut reader = Reader { folder, servers: BTreeMap::new(), path, is_gate };
        reader.serve(page);
        reader.write_studies(page);
        reader
    }

    /// A server for each port that the page names on this machine, with the options that the page starts it with.
    fn serve(&mut self, page: &str) {
        let hosts = page.split("localhost:").skip(1).chain(page.split("127.0.0.1:").skip(1));
        for rest in hosts {
            let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
            if port.is_empty() || self.servers.contains_key(&port) {
                continue;
            }
            let started = format!("proofload reference-server --port {port}");
            let line = page.lines().find_map(|line| line.strip_prefix(&started)).unwrap_or_default();
            let options: Vec<&str> = line.split_whitespace().collect();
            self.servers.insert(port, ReferenceProcess::start(&options));
        }
    }

    fn here(&self, words: &str) -> String {
        self.servers.iter().fold(words.to_string(), |words, (port, server)| {
            words
                .replace(&format!("localhost:{port}"), &format!("localhost:{}", server.port))
                .replace(&format!("127.0.0.1:{port}"), &format!("127.0.0.1:{}", server.port))
        })
    }

    /// Each study that the page shows, in a file of its name; one that a command of the page writes is left to it.
    fn write_studies(&self, page: &str) {
        for (_, yaml) in fenced(page, "yaml") {
            if let Some(name) = yaml.strip_prefix("study: ").and_then(|rest| rest.split_whitespace().next()) {
                let name = format!("{name}.yaml");
                if !page.contains(&format!("proofload init {name}")) {
                    std::fs::write(self.folder.path().join(name), self.here(&yaml)).expect("written");
                }
            }
        }
    }

    fn run(&self, words: &[String]) -> Output {
        // A command that does not end by itself is reported as one that failed.
        let mut command = Command::new("timeout");
        let seconds = if self.is_gate { "120" } else { "3600" };
        command.args([seconds, PROOFLOAD]).args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        outside(&mut command)
            .env("PATH", &self.path)
            .env_remove("NO_COLOR")
            .output()
            .expect("the executable runs")
    }

    /// Types a command; returns its output and the error found in it.
    fn type_in(&self, call: &str) -> (Option<Output>, Option<String>) {
        let exception = EXCEPTIONS.iter().find(|(start, _, _)| call.starts_with(start));
        let instead = exception.map(|(_, instead, _)| *instead);
        if instead == Some(Instead::Nothing) {
            return (None, None);
        }
        let call = self.here(call);
        let words = shlex::split(&call).expect("quotes are closed");
        let is_cut = words.iter().position(|word| word == ">");
        let words = match (instead, self.is_gate) {
            (Some(_), _) => [&words[..2], &["--explain".to_string()]].concat(),
            (None, true) => shortened(&words[..is_cut.unwrap_or(words.len())]),
            (None, false) => words,
        };
        let output = self.run(&words);
        // No JDK, or no network, and the study was right all the same.
        let may_be = if instead.is_some() { &[0, 3][..] } else { &[0, 10, 11, 12] };
        let is_fine = output.status.code().is_some_and(|code| may_be.contains(&code));
        let wrong = (!is_fine).then(|| format!("{words:?}: {:?}\n{}", output.status, text(&output.stderr)));
        (Some(output), wrong)
    }
}

/// The same command, done within seconds.
fn shortened(words: &[String]) -> Vec<String> {
    const TIMES: [&str; 3] = ["--quick", "--thorough", "--keep-going"];
    let mut made: Vec<String> = Vec::new();
    let mut rest = words.iter().filter(|word| !TIMES.contains(&word.as_str()));
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-d" | "--budget" => drop(rest.next()),
            _ => made.push(word.clone()),
        }
    }
    let more: &[&str] = match words[0].as_str() {
        "run" | "compare" if words.iter().any(|word| word == "--explain" || word == "--smoke") => &[],
        "run" | "compare" => &["--smoke", "--no-ceiling"],
        first if first.contains("localhost") && words.iter().any(|word| word == "--debug") => &[],
        first if first.contains("localhost") => &["-d", "300ms", "--no-ceiling"],
        _ => &[],
    };
    made.extend(more.iter().map(ToString::to_string));
    made
}

/// A command, and the output that the page shows.
struct Example {
    line: usize,
    call: String,
    prints: Option<String>,
}

/// Commands of a page. A fence of `text` after a fence of commands is the output of the last of them.
fn examples(page: &str) -> Vec<Example> {
    let prints: BTreeMap<usize, String> = fenced(page, "text").into_iter().collect();
    let mut found: Vec<Example> = Vec::new();
    for (first, block) in fenced(page, "") {
        let end = first + block.lines().count();
        for (at, line) in block.lines().enumerate() {
            let call =
                ["proofload ", "cargo run --release -- "].iter().find_map(|start| line.strip_prefix(start));
            found.extend(call.map(|call| Example { line: first + at, call: call.to_string(), prints: None }));
        }
        let next = fenced_after(page, end);
        if let (Some(example), Some(text)) = (found.last_mut(), next.and_then(|at| prints.get(&at))) {
            example.prints = Some(text.clone());
        }
    }
    found
}

/// The first line within the next fence, if no other command precedes it.
fn fenced_after(page: &str, line: usize) -> Option<usize> {
    let next = page.lines().enumerate().skip(line).find(|(_, text)| text.starts_with("```"));
    next.map(|(at, _)| at + 2)
}

fn follow(name: &str, is_gate: bool) {
    let page = document(name);
    let reader = Reader::of(&page, is_gate);
    let examples = examples(&page);
    // A page about a run that it does not make has one.
    if page.contains("runs/quickstart/latest")
        && !examples.iter().any(|example| example.call.contains("quickstart.yaml"))
    {
        let (_, wrong) = reader.type_in("run studies/quickstart.yaml");
        assert_eq!(wrong, None);
    }
    let mut wrong = Vec::new();
    for Example { line, call, prints } in &examples {
        let (output, problem) = reader.type_in(call);
        wrong.extend(problem.map(|problem| format!("{name}:{line}: {problem}")));
        // A study that is only checked prints no verdicts.
        let is_whole = !is_gate || !["run ", "compare "].iter().any(|verb| call.starts_with(verb));
        if let (Some(prints), Some(output), true) = (prints, output, is_whole) {
            let lines = missing(prints, &output_of(&output));
            wrong.extend(lines.iter().map(|shown| {
                format!("{name}:{line}: prints no line like {shown:?}:\n{}", text(&output.stdout))
            }));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pages whose commands a reader is meant to type.
fn pages() -> Vec<PathBuf> {
    let how_to = std::fs::read_dir(root().join("docs/how-to")).expect("the how-tos");
    let mut pages: Vec<PathBuf> =
        how_to.map(|entry| Path::new("docs/how-to").join(entry.expect("a page").file_name())).collect();
    pages.extend(["README.md", "docs/tutorial.md"].map(PathBuf::from));
    pages.sort();
    pages
}

/// Pages that are followed.
const FOLLOWED: [&str; 8] = [
    "README.md",
    "docs/tutorial.md",
    "docs/how-to/compare-two-servers.md",
    "docs/how-to/load-one-url.md",
    "docs/how-to/read-a-result.md",
    "docs/how-to/repeat-a-published-experiment.md",
    "docs/how-to/share-a-result.md",
    "docs/how-to/soak.md",
];

#[test]
#[ignore = "full: types every command of every page"]
fn every_page_runs() {
    FOLLOWED.iter().for_each(|page| follow(page, true));
}

/// First commands of README.md: study.rs runs the first command, the second needs a JDK.
#[test]
fn the_studies_that_the_readme_runs_are_those_of_the_repository() {
    let readme = document("README.md");
    let typed = readme.lines().filter_map(|line| line.strip_prefix("cargo run --release -- "));
    let typed: Vec<&str> = typed.collect();
    assert_eq!(typed, ["run studies/quickstart.yaml", "run studies/tomcat-connectors.yaml --quick"]);
    for command in typed {
        let words: Vec<&str> = command.split(' ').chain(["--explain"]).collect();
        let output = proofload(&words);
        // No JDK, or no network, and the study was right all the same.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{command}: {}", text(&output.stderr));
    }
}

#[test]
fn every_page_is_followed_or_it_is_said_why_not() {
    let known = |page: &PathBuf| {
        let page = page.to_str().expect("UTF-8");
        FOLLOWED.contains(&page) || NOT_RUN.iter().any(|(name, _)| *name == page)
    };
    let forgotten: Vec<PathBuf> = pages().into_iter().filter(|page| !known(page)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}: enter it in FOLLOWED");
}

#[test]
#[ignore = "full: the tutorial as it stands takes a quarter of an hour"]
fn the_tutorial_runs_as_it_stands_and_prints_what_it_shows() {
    follow("docs/tutorial.md", false);
}

#[test]
fn every_exception_is_needed() {
    let texts: Vec<String> = pages().iter().map(|page| document(page.to_str().expect("UTF-8"))).collect();
    for (start, _, why) in EXCEPTIONS {
        assert!(!why.is_empty());
        let is_used =
            texts.iter().any(|text| examples(text).iter().any(|example| example.call.starts_with(start)));
        assert!(is_used, "no page has a command that begins with {start:?}: take it off the list");
    }
    for (page, _) in NOT_RUN {
        assert!(pages().contains(&PathBuf::from(page)), "{page} is gone");
    }
}
