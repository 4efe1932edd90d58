//! The catalogue as a person asks for it, and messages about what is not available.

use crate::support::{Call, command, executable, json, proofload, text};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// An empty cache, and programs that are first in `PATH`.
struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let place = Fixture { directory: tempfile::tempdir().expect("a directory") };
        std::fs::create_dir(place.path("bin")).expect("a directory");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A program that writes down that it was called, and fails with these words.
    fn failing(&self, program: &str, words: &str) {
        let path = self.path("bin").join(program);
        let called = self.path("called");
        let script = format!("#!/bin/sh\necho {program} >> {called:?}\necho '{words}' >&2\nexit 1\n");
        std::fs::write(&path, script).expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("executable");
    }

    fn command(&self, args: &[&str]) -> Call {
        let mut command = command(args);
        command.env("PATH", self.own_path()).env("PROOFLOAD_CACHE", self.path("cache"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("it runs")
    }

    /// With a keeper of what is started, which is a process.
    fn really_run(&self, args: &[&str]) -> Output {
        let mut command = executable(args);
        command.env("PATH", self.own_path()).env("PROOFLOAD_CACHE", self.path("cache"));
        command.output().expect("the executable runs")
    }

    fn own_path(&self) -> String {
        format!("{}:{}", self.path("bin").display(), std::env::var("PATH").expect("a PATH"))
    }

    /// Whole files of the cache; an entry that is half made would be one too.
    fn cached(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for kind in ["files", "builds", "unpacked", "debian", "tmp"] {
            let entries = std::fs::read_dir(self.path("cache").join(kind));
            found.extend(entries.into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        found
    }
}

/// The folders that hold a declaration, in order.
fn families() -> Vec<String> {
    let entries =
        std::fs::read_dir(crate::support::root().join("subjects")).expect("the catalogue").flatten();
    let with = entries.filter(|entry| entry.path().join("subject.yaml").is_file());
    let mut names: Vec<String> = with.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn has_jdk_17() -> bool {
    let found = text(&proofload(&["doctor"]).stdout).contains("17.");
    if !found {
        eprintln!("skipped, because no JDK 17 is installed");
    }
    found
}

#[test]
fn the_catalogue_is_listed_and_shown_for_people_and_programs() {
    let listed = text(&proofload(&["subjects", "list"]).stdout);
    let names = families();
    assert!(names.iter().all(|name| listed.lines().any(|line| line.starts_with(name))), "{listed}");
    let listed = json(&proofload(&["subjects", "list", "--format", "json"]));
    let found: Vec<&str> = listed["subjects"]
        .as_array()
        .expect("subjects")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(found, names);
    let shown = text(&proofload(&["subjects", "show", "tomcat-full"]).stdout);
    for part in
        ["max_connections: 1 to 1000000", "words that begin with -X or -D", "differ in connector alone"]
    {
        assert!(shown.contains(part), "no {part} in {shown}");
    }
    let shown = json(&proofload(&["subjects", "show", "tomcat-full", "--format", "json"]));
    assert_eq!((&shown["name"], &shown["shares"]), (&"tomcat-full".into(), &"connector".into()));
    let unknown = proofload(&["subjects", "show", "tomkat"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("tomcat"), "{}", text(&unknown.stderr));
}

#[test]
fn all_mistakes_of_a_folder_are_told_at_once() {
    let place = Fixture::new();
    let folder = place.path("subjects/wrong");
    std::fs::create_dir_all(&folder).expect("a folder");
    let declaration =
        "description: \"a {thing}\"\nstart: [[./server, \"{prot}\"]]\nready: { path: x, within: soon }\n";
    std::fs::write(folder.join("subject.yaml"), declaration).expect("written");
    let catalogue = place.path("subjects");
    let output = place.run(&[
        "subjects",
        "check",
        "wrong",
        "--catalogue",
        catalogue.to_str().expect("a path in UTF-8"),
    ]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let told = text(&output.stderr);
    for part in [
        "subject.yaml:1: description: {thing} stands for nothing",
        "yaml:2: start[0][1]: {prot} stands for nothing",
        "x is not a path",
        "soon",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
}

#[test]
fn the_reference_server_starts_answers_and_ends() {
    let output = Fixture::new().really_run(&["subjects", "check", "reference", "--start"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("reference with its defaults: starts, answers, ends"), "{told}");
}

#[test]
fn a_subject_is_started_for_a_look_and_ends_when_it_is_told_to() {
    let mut child = executable(&["subjects", "start", "reference", "--with", "size=17"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("proofload starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
    let url = line.trim_end().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line:?}")).to_string();
    let asked = proofload(&[&format!("{url}/"), "-n", "3", "-c", "1", "--format", "json", "--no-ceiling"]);
    let received = json(&asked)["points"][0]["bytes_received"].as_u64().expect("a count");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    let status = child.wait().expect("it ends");
    assert!(status.success(), "{status}");
    assert!((3 * 17..3 * 400).contains(&received), "{received}");
    let address = url.trim_start_matches("http://");
    assert!(std::net::TcpStream::connect(address).is_err(), "nothing listens any more at {address}");
}

#[test]
fn a_start_with_a_parameter_that_is_none_says_which_there_are() {
    for (with, told) in [
        ("sise=17", "no parameter `sise`; there are: service"),
        ("size", "size is not a name with a value; write --with jdk=17"),
    ] {
        let output = proofload(&["subjects", "start", "reference", "--with", with]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
}

#[test]
fn offline_with_an_empty_cache_lists_what_is_missing_and_calls_nobody() {
    if !has_jdk_17() {
        return;
    }
    let place = Fixture::new();
    ["mvn", "apt-get", "dpkg-deb"].iter().for_each(|program| place.failing(program, "no"));
    let output = place.really_run(&["subjects", "check", "tomcat", "--start", "--offline"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("tomcat-embed-core:9.0.110") && told.contains("debian:libtcnative-1"), "{told}");
    assert!(told.contains("run once without --offline"), "{told}");
    assert!(!place.path("called").exists(), "nobody was called");
    assert_eq!(place.cached(), Vec::<PathBuf>::new());
}

#[test]
fn a_registry_that_cannot_be_reached_is_told_and_leaves_nothing_half_made() {
    if !has_jdk_17() {
        return;
    }
    let place = Fixture::new();
    place.failing("mvn", "Connect to 127.0.0.1:9 failed: Connection refused");
    let output = place.really_run(&["subjects", "check", "tomcat", "--start"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("Maven could not fetch") && told.contains("check the network"), "{told}");
    assert!(told.contains("Connection refused"), "the tool's own words: {told}");
    assert!(Path::new(&place.path("called")).exists(), "it was called");
    assert_eq!(place.cached(), Vec::<PathBuf>::new());
}
