//! Examples of the documents, which the program must accept: studies, measures, flags, exit codes.

use crate::command_line::VERBS;
use crate::support::{command, proofload, root, text};
use proofload_measure::Outcome;
use std::collections::BTreeSet;
use std::path::Path;

pub fn document(name: &str) -> String {
    let path = root().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Code in fences of that language, each with the line on which it begins.
pub fn fenced(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut inside = None;
    for (number, line) in text.lines().enumerate() {
        match (inside, line.strip_prefix("```")) {
            (None, Some(of)) => {
                inside = Some(of == language);
                found.extend((of == language).then(|| (number + 2, String::new())));
            }
            (Some(_), Some(_)) => inside = None,
            (Some(true), None) => {
                let block = &mut found.last_mut().expect("a block was opened").1;
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    found
}

/// Key and text of each key at the left margin.
fn sections(yaml: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in yaml.lines().filter(|line| !line.trim().is_empty()) {
        if !line.starts_with([' ', '#']) {
            let key = line.split(':').next().expect("a first piece").to_string();
            found.push((key, String::new()));
        }
        if let Some((_, text)) = found.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

const REST: &str = "study: shown\nquestion: Is it right?\nworkload: { page: { get: / } }\n";
const LOAD: &str = "load: { closed: { connections: [10, 25, 100, 400] } }\n";
const COMMAND: &str = "command: [./server, '{port}', '{variant}']";

/// Studies around a fragment. It must be right within one of them.
fn frames() -> Vec<String> {
    let named = |names: &[&str]| {
        let rows: String = names.iter().map(|name| format!("{name}: {{ variant: {name} }}, ")).collect();
        let first = names[0];
        format!(
            "{REST}{LOAD}subjects: {{ own: {{ {COMMAND}, combinations: {{ {rows} }} }} }}\nclaims: [{{ it works: errors({first}) == 0 }}]\n"
        )
    };
    let tomcat = |claimed: &str| {
        format!(
            "{REST}{LOAD}subjects: {{ tomcat: {{ use: tomcat, vary: {{ connector: [nio, nio2], heap: [512m, 1g] }} }} }}\nclaims: [{{ it works: 'errors({claimed}) == 0' }}]\n"
        )
    };
    vec![
        named(&["http", "ajp"]),
        named(&["nio", "ajp", "dubbo1", "dubbo2"]),
        named(&["own", "other"]),
        tomcat("connector=nio2,heap=1g"),
        tomcat("nio2"),
        tomcat("plain"),
        tomcat("running"),
        format!(
            "{REST}{LOAD}subjects: {{ own: {{ command: [./server, '{{port}}', '{{pool}}'], vary: {{ pool: [one, two] }} }} }}\nclaims: [{{ it works: errors(one) == 0 }}]\n"
        ),
        format!(
            "{REST}{LOAD}subjects: {{ tomcat: {{ use: tomcat, vary: {{ connector: [nio, nio2], heap: [512m, 1g] }} }} }}\nclaims: [{{ AJP is faster: 'errors(connector=nio,heap=1g) == 0' }}]\n"
        ),
    ]
}

/// The fragment within a frame: its keys replace those of the frame. An indented one belongs to a subject.
fn within(frame: &str, fragment: &str) -> String {
    let fragment = match fragment.starts_with(' ') {
        true => format!("subjects:\n  tomcat:\n    use: tomcat\n{fragment}"),
        false => fragment.to_string(),
    };
    let own = sections(&fragment);
    let has = |key: &str| own.iter().any(|(name, _)| name == key);
    let gone = |key: &str| {
        has(key)
            || (has("streams") && ["workload", "load"].contains(&key))
            || (has("journeys") && key == "workload")
    };
    let kept = sections(frame).into_iter().filter(|(key, _)| !gone(key));
    kept.chain(own.clone()).map(|(_, text)| text).collect()
}

/// A folder with every file that an example names.
pub fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let files = [
        ("users.csv", "id,token,name,password\n1,a,ann,no-secret\n"),
        ("urls.txt", "/a\n"),
        ("items.jsonl", "{\"id\": 1}\n"),
        ("order.json", "{}"),
        ("arrivals.txt", "0\n1000\n2000\n"),
        ("cat.png", "png"),
        ("parts/jvm.yaml", "timeouts: { connect: 5s }\n"),
        ("parts/timeouts.yaml", "timeouts: { response: 30s }\n"),
        ("build/server", ""),
    ];
    for (name, content) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, content).expect("written");
    }
    dir
}

fn mistakes(dir: &Path, study: &str) -> Option<String> {
    let file = dir.join("shown.yaml");
    std::fs::write(&file, study).expect("written");
    let file = file.to_str().expect("a path in UTF-8");
    let catalogue = root().join("subjects");
    let mut command = command(&["run", file, "--explain", "--quick", "--catalogue"]);
    let output = command.arg(catalogue).env("PASSWORD", "a-password").env("TOKEN", "a-token");
    let output = output.output().expect("the executable runs");
    // A machine without a JDK or a network cannot prepare Tomcat; the study was right all the same.
    (output.status.code() == Some(2)).then(|| text(&output.stderr))
}

/// YAML that is not a study, by how it begins, and where that is checked.
const NO_STUDIES: [(&str, &str); 5] = [
    ("format: 1\n", "a server's folder; adding.rs adds it"),
    ("study: jdk-http\n", "a study of that server; adding.rs runs it"),
    ("processes:\n", "a part of a server's folder; those of the catalogue are checked"),
    ("- run: ", "a step of a workflow"),
    ("scrape_configs:\n", "a file of Prometheus"),
];

/// README.md and its like, and every page of docs/.
pub fn documents() -> Vec<String> {
    let mut found: Vec<String> =
        ["README.md", "README.zh-CN.md", "subjects/README.md", "subjects/CONTRACT.md"]
            .map(str::to_string)
            .into();
    let mut folders = vec!["docs".to_string()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder").flatten() {
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => folders.push(name),
                false => found.extend(name.ends_with(".md").then_some(name)),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_study_and_fragment_of_the_documents_is_right() {
    let dir = folder();
    let mut wrong = Vec::new();
    let mut seen = 0;
    let mut left_out: BTreeSet<&str> = BTreeSet::new();
    for name in documents() {
        for (line, yaml) in fenced(&document(&name), "yaml") {
            if let Some((start, _)) = NO_STUDIES.iter().find(|(start, _)| yaml.starts_with(start)) {
                left_out.insert(start);
                continue;
            }
            seen += 1;
            let is_whole = yaml.contains("\nclaims:") || yaml.contains("\n  capacity:");
            let frames = if yaml.starts_with("study:") && is_whole { vec![String::new()] } else { frames() };
            let told: Vec<String> =
                frames.iter().map_while(|frame| mistakes(dir.path(), &within(frame, &yaml))).collect();
            if told.len() == frames.len() {
                wrong.push(format!("{name}:{line}\n{}", told.join("or\n")));
            }
        }
    }
    assert!(seen >= 30, "only {seen} examples were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(left_out.len(), NO_STUDIES.len(), "an exception that no document needs: take it off the list");
}

#[test]
fn a_fragment_with_a_mistake_is_refused_in_every_frame() {
    let dir = folder();
    for fragment in ["workloads: { page: { get: / } }\n", "claims:\n  - no variant: p99(nobody) < 1ms\n"] {
        for frame in frames() {
            assert!(mistakes(dir.path(), &within(&frame, fragment)).is_some(), "{fragment} in {frame}");
        }
    }
}

/// Code in the cells of a column, for the tables that have a column of that name.
fn column(text: &str, name: &str) -> Vec<(usize, String)> {
    let mut place = None;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match (line.starts_with('|'), place) {
            (false, _) => place = None,
            (true, None) => place = Some(cells.iter().position(|cell| cell.starts_with(name))),
            (true, Some(at)) => {
                let cell = at.and_then(|at| cells.get(at)).unwrap_or(&"");
                found.extend(cell.split('`').skip(1).step_by(2).map(|code| (number + 1, code.to_string())));
            }
        }
    }
    found
}

#[test]
fn every_study_key_in_a_table_of_the_documents_is_right() {
    let dir = folder();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for name in ["docs/loads.md", "docs/requests.md"] {
        for (line, code) in column(&document(name), "study") {
            seen += 1;
            let code = code.replace('…', "items.jsonl");
            let places = [
                format!("load: {{ {code} }}\n"),
                format!(
                    "feeders: {{ {code} }}\nworkload: {{ page: {{ get: '/?${{{}}}' }} }}\n",
                    feeder(&code)
                ),
                format!(
                    "feeders: {{ users: {{ csv: users.csv }} }}\nworkload:\n  page:\n    post: /\n    {code}\n"
                ),
                format!("{code}\n"),
            ];
            let frame = &frames()[7];
            let told: Vec<String> =
                places.iter().map_while(|place| mistakes(dir.path(), &within(frame, place))).collect();
            if told.len() == places.len() {
                wrong.push(format!("{name}:{line} {code}\n{}", told.join("or\n")));
            }
        }
    }
    assert!(seen >= 15, "only {seen} were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Placeholder for a value of that feeder in a request.
fn feeder(code: &str) -> String {
    let name = code.split(':').next().expect("a first piece");
    if code.contains("csv") { format!("{name}.id") } else { name.to_string() }
}

#[test]
fn every_measure_of_the_documents_can_be_claimed() {
    let dir = folder();
    let text = document("docs/measures.md");
    let measures: Vec<String> = column(&text, "measure").into_iter().map(|(_, code)| code).collect();
    assert!(measures.len() > 30, "{measures:?}");
    let claims: Vec<String> =
        measures.iter().map(|name| format!("  - {name}: {name}(one) <= {name}(two) @ 10c\n")).collect();
    for part in claims.chunks(20) {
        let study = within(&frames()[7], &format!("claims:\n{}", part.concat()));
        assert_eq!(mistakes(dir.path(), &study), None);
    }
}

#[test]
fn every_outcome_is_in_the_table_of_the_documents() {
    let text = document("docs/outcomes.md");
    let listed: Vec<String> = column(&text, "outcome").into_iter().map(|(_, code)| code).collect();
    let known: Vec<&str> = Outcome::ALL.into_iter().map(Outcome::name).collect();
    assert_eq!(listed[..known.len()], known, "docs/outcomes.md and measure/outcome.rs name others");
}

#[test]
fn every_format_is_in_the_table_of_the_documents() {
    let text = document("docs/outputs.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<&str> = rows.collect();
    for format in proofload_report::FORMATS {
        assert!(listed.contains(format.name), "docs/outputs.md: {}", format.name);
        for ending in format.endings {
            assert!(text.contains(&format!("`.{ending}`")), "docs/outputs.md: .{ending}");
        }
    }
}

/// Options of other programs that the documents speak of.
const OF_OTHERS: [&str; 21] = [
    "--release",
    "--locked",
    "--target",
    "--binary",
    "--workspace",
    "--all-targets",
    "--listen",
    "--test",
    "--nocapture",
    "--check",
    "--flag",
    "--path",
    "--pairs",
    "--rounds",
    "--seconds",
    "--warm",
    "--read-only",
    "--rm",
    "--tmpfs",
    "--user",
    "--userns",
];

fn options(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
    let starts =
        text.match_indices("--").filter(|(at, _)| !text[..*at].ends_with(|c: char| is_part(c) || c == '|'));
    let named =
        starts.map(|(at, _)| text[at..].split(|c| !is_part(c)).next().unwrap_or_default().to_string());
    named.filter(|name| name.len() > 3 && !name.starts_with("---")).collect()
}

#[test]
fn the_documents_name_no_option_that_is_not_there() {
    let mut known: BTreeSet<String> = OF_OTHERS.iter().map(ToString::to_string).collect();
    for verb in VERBS {
        let output = proofload(&[verb, &["--help"]].concat());
        assert_eq!(output.status.code(), Some(0), "{verb:?}");
        known.extend(options(&text(&output.stdout)));
    }
    let mut unknown = Vec::new();
    for file in documents() {
        let named = options(&document(&file));
        unknown.extend(named.difference(&known).map(|option| format!("{file}: {option}")));
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}
