//! Checks of exports with other software while a run goes on: the parsers of Prometheus, the collector's types of OTLP,
//! the schemas of Grafana, GitHub and GitLab; and a comparison of another JSON validator with the test kit's.

use crate::tools::{self, run_command};
use std::path::Path;
use std::process::Command;

/// The linter that has the schema of GitLab's files, and Python's `jsonschema`.
const SCHEMA_CHECKER: &str = "check-jsonschema==0.39.0";

/// Folder to which the test kit's validator writes its questions.
const SCHEMA_CASES: &str = "PROOFLOAD_SCHEMA_CASES";

/// The task. The module of Go in `labs/scrape` reads; go and python3 fetch what they need.
pub fn run(root: &Path) -> anyhow::Result<()> {
    let place = tools::scratch("scrape")?;
    let read = within(root, &place);
    // What failed is worth a look.
    if read.is_ok() {
        std::fs::remove_dir_all(&place)?;
    }
    read
}

fn within(root: &Path, place: &Path) -> anyhow::Result<()> {
    tools::cargo(root, &["build", "--locked", "--quiet", "-p", "proofload-cli"], &[])?;
    let (hostile, work, reader) = (place.join("hostile"), place.join("work"), place.join("scrape"));
    std::fs::create_dir_all(&hostile)?;
    std::fs::create_dir_all(&work)?;
    let example = ["run", "--locked", "--quiet", "-p", "proofload-serve", "--example", "hostile", "--"];
    run_command(tools::cargo_command(root).args(example).arg(&hostile))?;
    run_command(
        Command::new("go").args(["build", "-o"]).arg(&reader).arg(".").current_dir(root.join("labs/scrape")),
    )?;
    let proofload = tools::target_folder(root).join("debug/proofload");
    let lock = work.join("lock");
    let measured = |command: &mut Command| run_command(command.env(tools::LOCK_FILE, &lock));
    measured(Command::new(&reader).arg("figures").args([&hostile, &proofload, &work]))?;
    run_command(Command::new(&reader).arg("dashboard").arg(root.join("docs/grafana/proofload.json")))?;
    run_command(Command::new(&reader).arg("workflow").arg(root.join("docs/ci/github.yml")))?;
    let venv = place.join("venv");
    run_command(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let pip = ["install", "--quiet", "--disable-pip-version-check", SCHEMA_CHECKER];
    run_command(Command::new(venv.join("bin/pip")).args(pip))?;
    workflows(root, &venv)?;
    schemas(root, &venv, &place.join("cases"))
}

/// Both workflows against the schemas of SchemaStore, which the checker brings.
fn workflows(root: &Path, venv: &Path) -> anyhow::Result<()> {
    for (schema, file) in [("vendor.github-workflows", "github.yml"), ("vendor.gitlab-ci", "gitlab.yml")] {
        let mut check = Command::new(venv.join("bin/check-jsonschema"));
        check.args(["--builtin-schema", schema]).arg(root.join("docs/ci").join(file));
        run_command(&mut check)?;
    }
    Ok(())
}

/// Compares the test kit's validator with Python's on the questions of the tests of schemas.
fn schemas(root: &Path, venv: &Path, cases: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(cases)?;
    let mut tests = tools::cargo_command(root);
    tests.args(["test", "--locked", "--quiet"]);
    tests.args(["testkit", "study", "report", "places"].map(|name| format!("--package=proofload-{name}")));
    run_command(tests.args(["--", "schema"]).env(SCHEMA_CASES, cases))?;
    run_command(Command::new(venv.join("bin/python")).arg(root.join("xtask/scrape/schemas.py")).arg(cases))
}
