//! The command line itself: help, completions, the smaller verbs.

use crate::support::{Reference, json, proofload, root, text};

/// Every verb, those of `subjects` among them.
pub const VERBS: [&[&str]; 28] = [
    &[],
    &["capacity"],
    &["compare"],
    &["run"],
    &["coordinator"],
    &["manifest"],
    &["agent"],
    &["replicate"],
    &["resume"],
    &["rerun"],
    &["history"],
    &["diff"],
    &["report"],
    &["condense"],
    &["reproductions"],
    &["subjects"],
    &["subjects", "list"],
    &["subjects", "show"],
    &["subjects", "check"],
    &["subjects", "start"],
    &["subjects", "add"],
    &["reference-server"],
    &["init"],
    &["doctor"],
    &["tune"],
    &["ui"],
    &["schema"],
    &["man"],
];

#[test]
fn the_short_help_of_every_verb_fits_a_terminal() {
    for verb in VERBS {
        let output = proofload(&[verb, &["-h"]].concat());
        assert_eq!(output.status.code(), Some(0), "{verb:?}");
        let said = text(&output.stdout);
        let most = if verb.is_empty() { 24 } else { 45 };
        assert!(said.lines().count() <= most, "{verb:?}: {} lines\n{said}", said.lines().count());
        for line in said.lines() {
            assert!(line.chars().count() <= 80, "{verb:?}: {line}");
        }
        assert!(said.contains("Examples:"), "{said}");
    }
}

#[test]
fn the_long_help_has_every_option_under_a_heading() {
    let said = text(&proofload(&["--help"]).stdout);
    let places: Vec<_> =
        ["Load:", "Requests:", "Connections:", "Measurement:", "Output:", "Examples:", "Exit codes:"]
            .iter()
            .map(|heading| {
                said.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading} in {said}"))
            })
            .collect();
    for option in ["--resolve", "--coalesce", "--github-summary", "--expect-bytes", "-X"] {
        assert!(said.contains(option), "{option}");
    }
    assert!(places.iter().all(|place| *place > said.find("\nOptions:\n").unwrap_or(0)), "{said}");
}

#[test]
fn slips_are_told_with_what_to_write_instead() {
    for (args, says) in [
        (&["rnu", "study.yaml", "--quick"][..], "did you mean run?"),
        (&["nope.yaml", "--smoke"], "`proofload run nope.yaml`"),
        (&["-c", "4", "nope.yml"], "`proofload run nope.yml`"),
        (&["studies/quickstart.yaml"], "`proofload run studies/quickstart.yaml`"),
        (&["compare", "a.yaml", "b.yaml"], "`proofload run a.yaml`"),
        (&["capacity", "a.yaml", "--slo", "p99 < 1s"], "`proofload run a.yaml`"),
    ] {
        let output = proofload(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn an_address_needs_no_scheme_and_a_time_may_have_a_space() {
    let server = Reference::start(&[]);
    let address = format!("127.0.0.1:{}/", server.port);
    let args = [&address, "-X", "POST", "-n", "20", "-c", "2", "--timeout", "5 s", "--fail", "p99 < 20 s"];
    let output = proofload(&[&args[..], &["--format", "json", "-q"]].concat());
    // Twenty answers are few, but they were asked for.
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(json(&output)["points"][0]["outcomes"]["answered"], 20);
}

#[test]
fn schemas_are_printed_as_they_are_committed() {
    for (args, file) in
        [(&["schema"][..], "study"), (&["schema", "result"], "result"), (&["schema", "diff"], "diff")]
    {
        let output = proofload(args);
        let committed = std::fs::read(root().join(format!("schema/{file}.schema.json"))).expect("a schema");
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout == committed, "{file}");
    }
    let unknown = proofload(&["schema", "studdy"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("study, result"), "{}", text(&unknown.stderr));
}

#[test]
fn help_names_every_verb_and_every_exit_code() {
    let output = proofload(&["--help"]);
    assert!(output.status.success());
    let said = text(&output.stdout);
    for part in [
        "compare",
        "run",
        "report",
        "subjects",
        "reference-server",
        "doctor",
        "completions",
        "init",
        "130",
        "undecided",
    ] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(!said.contains("__keeper"));
}

#[test]
fn without_arguments_the_help_is_shown_and_nothing_is_done() {
    let output = proofload(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Usage"));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = proofload(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        assert!(text(&output.stdout).contains("reference-server"), "{shell}");
    }
}

#[test]
fn subjects_are_listed_with_their_parameters() {
    let listed = text(&proofload(&["subjects"]).stdout);
    assert!(listed.contains("tomcat") && listed.contains("reference"), "{listed}");
    let shown = text(&proofload(&["subjects", "tomcat"]).stdout);
    for parameter in ["connector", "max_threads", "heap", "jdk", "nio2"] {
        assert!(shown.contains(parameter), "no {parameter} in {shown}");
    }
    let unknown = proofload(&["subjects", "tomcta"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("tomcat"), "{}", text(&unknown.stderr));
}

#[test]
fn the_doctor_looks_at_everything_it_should() {
    let output = proofload(&["doctor"]);
    let said = text(&output.stdout).to_lowercase();
    for part in ["cores", "descriptors", "ports", "jdk", "maven", "lock", "clock"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(matches!(output.status.code(), Some(0 | 5)));
}

#[test]
fn a_report_of_nothing_is_a_mistake_of_use() {
    let output = proofload(&["report", "runs/no-such-run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no-such-run"));
}

#[test]
fn what_is_asked_by_flags_is_explained_and_saved_as_a_study_without_starting_anything() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("asked.yaml");
    let path = file.to_str().expect("text");
    let (one, two) = ("http://127.0.0.1:1/a", "http://127.0.0.1:2/a");
    let searched = ["capacity", one, "--slo", "p99 < 50ms"];
    for asked in
        [&[one, "-r", "2k/s", "--fail", "p99 < 1s"][..], &["compare", one, two, "-c", "4"], &searched]
    {
        let explained = proofload(&[asked, &["--explain"]].concat());
        assert_eq!(explained.status.code(), Some(0), "{asked:?}: {}", text(&explained.stderr));
        let plan = text(&explained.stdout).to_string();
        assert!(plan.contains("GET /a") && plan.contains("127.0.0.1:1"), "{plan}");
        let credential = ["--bearer", "s3cret-token", "--save", path];
        let saved = proofload(&[asked, &credential].concat());
        assert_eq!(saved.status.code(), Some(0), "{asked:?}: {}", text(&saved.stderr));
        assert!(text(&saved.stderr).contains("BEARER"), "{}", text(&saved.stderr));
        let written = std::fs::read_to_string(&file).expect("a study");
        assert!(written.contains("${env.BEARER}") && !written.contains("s3cret"), "{written}");
        let again = proofload(&[asked, &["--save", path]].concat());
        assert_eq!(again.status.code(), Some(2), "a file that is there stays");
        std::fs::remove_file(&file).expect("it is there");
        assert_eq!(proofload(&[asked, &["--save", path]].concat()).status.code(), Some(0));
        let run = proofload(&["run", path, "--explain"]);
        assert_eq!(run.status.code(), Some(0), "{asked:?}: {}", text(&run.stderr));
        assert!(text(&run.stdout).contains("GET /a"), "{}", text(&run.stdout));
        std::fs::remove_file(&file).expect("it is there");
    }
}
