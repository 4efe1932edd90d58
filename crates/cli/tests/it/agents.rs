//! One load by several processes: agents of this machine and of a coordinator, and their ends.

use crate::support::{Reference, TWINS, executable, json, processes_with, proofload, text, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time that an end may take anywhere.
const END: Duration = Duration::from_secs(10);

/// A command whose processes can be distinguished from all others.
fn marked(args: &[&str], mark: &str) -> Command {
    let mut command = executable(args);
    command.env("PROOFLOAD_TEST_MARK", mark).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn mark(of: &str) -> String {
    format!("{of}-{}", std::process::id())
}

/// The agents among the processes of that mark.
fn agents(mark: &str) -> Vec<Pid> {
    let found = processes_with(mark);
    let found = found.iter().filter(|line| line.contains(" agent --join "));
    found.filter_map(|line| Pid::from_raw(line.split(':').next()?.parse().ok()?)).collect()
}

/// A load of a minute by three agents, under way.
fn under_way(server: &Reference, mark: &str) -> (Child, Vec<Pid>) {
    under_way_for("60s", &[], server, mark)
}

fn under_way_for(length: &str, more: &[&str], server: &Reference, mark: &str) -> (Child, Vec<Pid>) {
    let url = server.url();
    let args = [&url, "-r", "300", "-d", length, "-c", "9", "--agents", "3"];
    let child = marked(&[&args[..], more].concat(), mark);
    let child = { child }.spawn().expect("it starts");
    wait_until(Duration::from_secs(60), "requests", || server.counts()["requests"].as_u64() > Some(50));
    let agents = agents(mark);
    assert_eq!(agents.len(), 3);
    (child, agents)
}

#[test]
fn what_several_processes_count_is_what_the_server_counts() {
    let server = Reference::listening(&["--faults", "reset_before=0.01,status_500=0.02", "--seed", "7"]);
    let mark = mark("counted");
    let url = server.url();
    let args = [&url, "-n", "5003", "-c", "11", "--agents", "4", "--format", "json", "-q"];
    let output = marked(&args, &mark).output().expect("it runs");
    let (point, counts) = (json(&output)["points"][0].clone(), server.counts());
    assert_eq!((point["intended"].as_u64(), counts["requests"].as_u64()), (Some(5003), Some(5003)));
    for (kind, n) in point["outcomes"].as_object().expect("counts") {
        assert_eq!(n, &counts["expected_outcomes"][kind], "{kind}: {counts}");
    }
    assert_eq!(point["generator"]["threads"], 4);
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn an_agent_that_is_killed_makes_the_run_invalid_and_leaves_no_process() {
    let server = Reference::listening(&[]);
    let mark = mark("killed");
    let (child, agents) = under_way(&server, &mark);
    kill_process(agents[1], Signal::KILL).expect("killed");
    let began = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(began.elapsed() < END, "{:?}", began.elapsed());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(12), "{said}");
    assert!(said.contains("is lost: ") && said.contains("is no measurement"), "{said}");
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn a_load_that_tolerates_it_goes_on_without_an_agent_that_is_killed() {
    let server = Reference::listening(&[]);
    let mark = mark("tolerated");
    let more = ["--tolerate-lost", "1", "--format", "json"];
    let (child, agents) = under_way_for("6s", &more, &server, &mark);
    kill_process(agents[1], Signal::KILL).expect("killed");
    let began = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(began.elapsed() < 2 * END, "{:?}", began.elapsed());
    let said = text(&output.stderr);
    assert!(said.contains("is lost: ") && said.contains("the others went on"), "{said}");
    let point = json(&output)["points"][0].clone();
    let used = &point["generator"]["agents"];
    assert_eq!((used["count"].as_u64(), used["lost"].as_u64()), (Some(3), Some(1)), "{used}");
    let (intended, lacking) = (point["intended"].as_u64(), used["not_offered"].as_u64());
    assert_eq!(intended.zip(lacking).map(|(intended, lacking)| intended + lacking), Some(1_800));
    assert!((1_200..1_800).contains(&intended.expect("a count")), "{point}");
    assert_eq!((&point["outcomes"]["answered"], &point["unsent"]), (&point["intended"], &Value::from(0)));
    let found = point["generator"]["findings"][0]["sentence"].as_str().expect("a finding");
    let is_named = found.starts_with("agent ") && found.contains("was lost during this load");
    assert!(is_named && found.contains("% of the intended load was offered"), "{found}");
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
#[ignore = "full: waits for a silence"]
fn an_agent_that_is_paused_is_lost_and_leaves_no_process() {
    let server = Reference::listening(&[]);
    let mark = mark("paused");
    let (child, agents) = under_way(&server, &mark);
    kill_process(agents[0], Signal::STOP).expect("paused");
    let began = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(began.elapsed() < 2 * END, "{:?}", began.elapsed());
    assert!(text(&output.stderr).contains("nothing was heard for"), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(12));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn agents_end_when_their_coordinator_is_killed() {
    let server = Reference::listening(&[]);
    let mark = mark("orphans");
    let (mut child, _agents) = under_way(&server, &mark);
    child.kill().expect("killed");
    child.wait().expect("it ends");
    wait_until(END, "their end", || processes_with(&mark).is_empty());
}

#[test]
fn a_coordinator_runs_a_study_whose_load_comes_from_agents() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("a path").to_owned();
    std::fs::write(path("twins.yaml"), TWINS).expect("written");
    std::fs::write(path("token"), "0123456789abcdef".repeat(4)).expect("written");
    let mark = mark("coordinated");
    let (study, token, folder) = (path("twins.yaml"), path("token"), path("."));
    let mut args =
        vec!["coordinator", &study, "--agents", "2", "--listen", "127.0.0.1:0", "--token-file", &token];
    args.extend(["--smoke", "--dir", &folder, "--format", "json"]);
    let mut coordinator = marked(&args, &mark).spawn().expect("it starts");
    let mut lines = BufReader::new(coordinator.stderr.take().expect("piped"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("where it listens");
    let at = line.trim().rsplit(' ').next().expect("an address");
    // One gets its number as Kubernetes gives it, the other is dealt what is left.
    let join = ["agent", "--join", at, "--token-file", &token];
    let numbered = marked(&join, &mark).env("JOB_COMPLETION_INDEX", "1").spawn().expect("it starts");
    let dealt = marked(&join, &mark).spawn().expect("it starts");
    let said = std::thread::spawn(move || lines.lines().map_while(Result::ok).collect::<Vec<_>>().join("\n"));
    let output = coordinator.wait_with_output().expect("it ends");
    let said = said.join().expect("no panic");
    let result: Value = json(&output);
    let points = result["points"].as_array().expect("points");
    assert!(points.iter().all(|point| point["outcomes"]["answered"].as_u64() > Some(0)), "{points:?}");
    assert!(points.iter().all(|point| point["generator"]["threads"].as_u64() >= Some(2)), "{points:?}");
    assert!(said.contains("agent 0 (") && said.contains("its clock was"), "{said}");
    for (agent, number) in [(numbered, "agent 1 of 2"), (dealt, "agent 0 of 2")] {
        let output = agent.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains(number) && said.contains("says goodbye after"), "{said}");
    }
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

/// A coordinator that waits for one agent, with so few descriptors, and where it listens.
fn coordinator(
    dir: &Path,
    mark: &str,
    more: &[&str],
) -> (std::process::Child, BufReader<std::process::ChildStderr>, String) {
    std::fs::write(dir.join("twins.yaml"), TWINS).expect("written");
    std::fs::write(dir.join("token"), "0f1e2d3c4b5a69788796a5b4c3d2e1f0").expect("written");
    let words =
        ["coordinator", "twins.yaml", "--agents", "1", "--listen", "127.0.0.1:0", "--token-file", "token"];
    let few = "ulimit -n 80; exec \"$0\" \"$@\"";
    let program = marked(&[], mark).get_program().to_owned();
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", few])
        .arg(program)
        .args(words)
        .args(more)
        .current_dir(dir)
        .env("PROOFLOAD_TEST_MARK", mark);
    command.env("PROOFLOAD_TEST_LOCK_FILE", dir.join("lock"));
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("where it listens");
    let at = line.trim().rsplit(' ').next().expect("an address").to_owned();
    (child, lines, at)
}

#[test]
fn a_crowd_of_strangers_takes_no_descriptors_and_no_agents_place() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most.map(|most| most.min(4096)), maximum: most })
        .expect("raised");
    let (dir, mark) = (tempfile::tempdir().expect("a directory"), mark("crowd"));
    let (child, lines, at) = coordinator(dir.path(), &mark, &["--smoke", "--no-ceiling"]);
    let strangers: Vec<_> = (0..1200)
        .filter_map(|_| std::net::TcpStream::connect_timeout(&at.parse().expect("an address"), END).ok())
        .collect();
    let said = std::thread::spawn(move || lines.lines().map_while(Result::ok).collect::<Vec<_>>().join("\n"));
    let token = dir.path().join("token").display().to_string();
    let agent = marked(&["agent", "--join", &at, "--token-file", &token], &mark).spawn().expect("it starts");
    let (output, agent) = (child.wait_with_output(), agent.wait_with_output());
    let (said, agent) = (said.join().expect("no panic"), agent.expect("it ends"));
    assert_eq!(agent.status.code(), Some(0), "{}", text(&agent.stderr));
    assert!(said.contains("joined, 1 of 1") && said.contains("kept in "), "{said}");
    // Everybody may read the file of the token, and both sides report it.
    assert!(
        said.contains("may read the token") && text(&agent.stderr).contains("may read the token"),
        "{said}"
    );
    assert!(strangers.len() > 100 && output.is_ok());
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn what_is_wrong_with_a_plan_is_told_before_agents_are_waited_for() {
    for (args, why) in [
        (["--timing", "cycles=3"], "even"),
        (["--timing", "slice=0s"], "slice"),
        (["--timing", "sliced=1s"], "slice"),
        (["--budget", "1x"], "--budget"),
    ] {
        let (dir, mark) = (tempfile::tempdir().expect("a directory"), mark("foreseen"));
        let (child, mut lines, first) = coordinator(dir.path(), &mark, &args);
        let output = child.wait_with_output().expect("it ends");
        let mut said = first.clone();
        std::io::Read::read_to_string(&mut lines, &mut said).expect("text");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(!said.contains("waiting for") && !said.contains("its clock was"), "{args:?} {why}: {said}");
    }
}

#[test]
fn what_a_manifest_sets_is_read_from_a_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("a path").to_owned();
    std::fs::write(path("twins.yaml"), TWINS).expect("written");
    std::fs::write(path("settings"), "[\"load.closed.connections=[7]\"]").expect("written");
    let explained = |settings: &str| {
        let mut command = marked(&["coordinator", &path("twins.yaml"), "--explain"], "settings");
        command.args(["--agents", "1", "--listen", "127.0.0.1:0", "--token-file", "none"]);
        command.env("PROOFLOAD_SETTINGS", path(settings)).output().expect("it runs")
    };
    assert!(text(&explained("settings").stdout).contains("7c"), "{}", text(&explained("settings").stderr));
    assert!(text(&explained("absent").stderr).contains("absent"));
}

/// The number of runs of that name; all their slices were loaded by two agents.
fn by_two_agents(dir: &Path, study: &str) -> usize {
    let entries = |folder: &Path| std::fs::read_dir(folder).expect("a folder").flatten();
    let runs = entries(&dir.join("runs").join(study));
    let runs = runs.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let of_run = |run: &Path| {
        let files = entries(&run.join("blocks")).map(|file| file.path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        let texts: Vec<String> = files.map(|path| std::fs::read_to_string(path).expect("text")).collect();
        let slices = texts.iter().flat_map(|text| text.lines());
        let slices = slices.map(|line| serde_json::from_str::<Value>(line).expect("a slice"));
        slices.map(|slice| slice["measured"]["generator"]["agents"]["count"].clone()).collect()
    };
    let runs: Vec<Vec<Value>> = runs.map(|entry| of_run(&entry.path())).collect();
    for slices in &runs {
        assert!(!slices.is_empty() && slices.iter().all(|agents| agents == 2), "{slices:?}");
    }
    runs.len()
}

/// Lengths under which a block takes a second.
const SHORT: &str = "warm-up=100ms,slice=50ms,discard=10ms,cycles=2";

#[test]
fn every_sitting_has_agents_of_its_own() {
    let dir = tempfile::tempdir().expect("a directory");
    let (study, folder) = (dir.path().join("twins.yaml"), dir.path().to_str().expect("a path"));
    std::fs::write(&study, TWINS).expect("written");
    let mark = mark("sittings");
    let mut args = vec!["replicate", study.to_str().expect("a path"), "--agents", "2", "--dir", folder];
    args.extend(["--sittings", "2", "--every", "0s", "--blocks", "1", "-q"]);
    args.extend(["--quick", "--no-ceiling", "--timing", SHORT]);
    let output = marked(&args, &mark).output().expect("it runs");
    assert_eq!(by_two_agents(dir.path(), "twins"), 2, "{}", text(&output.stderr));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn agents_that_a_study_asks_for_carry_it_out_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let (study, folder) = (dir.path().join("twins.yaml"), dir.path().to_str().expect("a path"));
    std::fs::write(&study, format!("{TWINS}places: {{ agents: 2 }}\n")).expect("written");
    let (mark, record) = (mark("again"), dir.path().join("runs/twins/latest"));
    let run = ["run", study.to_str().expect("a path"), "--smoke", "--no-ceiling", "--timing", SHORT];
    let rerun = ["rerun", record.to_str().expect("a path")];
    for verb in [&run[..], &rerun] {
        let output = marked(&[verb, &["--dir", folder, "-q"]].concat(), &mark).output().expect("it runs");
        assert!(record.join("result.json").exists(), "{verb:?}: {}", text(&output.stderr));
    }
    assert_eq!(by_two_agents(dir.path(), "twins"), 2);
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

/// Twice the threads of two agents are four.
#[test]
fn slices_with_more_threads_are_only_tried_where_each_has_a_connection() {
    let dir = tempfile::tempdir().expect("a directory");
    let (study, folder) = (dir.path().join("twins.yaml"), dir.path().to_str().expect("a path"));
    std::fs::write(&study, TWINS).expect("written");
    for (connections, tried) in [("3", false), ("4", true)] {
        let setting = format!("load.closed.connections={connections}");
        let mut args = vec!["run", study.to_str().expect("a path"), "--agents", "2", "--set", &setting];
        // The checks are in every block of this preset: one is enough, however slow the machine is.
        args.extend(["--thorough", "--budget", "1s", "--no-ceiling", "--timing", SHORT, "--dir", folder]);
        let output = marked(&args, &mark(connections)).output().expect("it runs");
        let said = text(&output.stderr);
        assert!(!said.contains("with other threads"), "{said}");
        let blocks = std::fs::read_dir(dir.path().join("runs/twins/latest/blocks")).expect("blocks");
        let is_tried = blocks.flatten().any(|block| {
            std::fs::read_to_string(block.path()).expect("text").contains("\"phase\":\"perturbation\"")
        });
        assert_eq!(is_tried, tried, "{said}");
    }
}

#[test]
fn servers_are_compared_by_agents() {
    let (a, b, dir) =
        (Reference::listening(&[]), Reference::listening(&[]), tempfile::tempdir().expect("a directory"));
    let (urls, folder, mark) = ([a.url(), b.url()], dir.path().to_str().expect("a path"), mark("compared"));
    let mut args = vec!["compare", &urls[0], &urls[1], "-c", "4", "--agents", "2", "--dir", folder];
    args.extend(["--smoke", "--no-ceiling", "--timing", SHORT, "--format", "json", "-q"]);
    let output = marked(&args, &mark).output().expect("it runs");
    let result = json(&output);
    assert_eq!(result["plan"]["agents"].as_array().map(Vec::len), Some(2), "{}", result["plan"]);
    let points = result["points"].as_array().expect("points");
    let counts = points.iter().map(|point| &point["generator"]["agents"]["count"]);
    assert_eq!(counts.collect::<Vec<_>>(), [2, 2], "{points:?}");
    by_two_agents(dir.path(), "compare");
    assert!([a, b].iter().all(|server| server.counts()["requests"].as_u64() > Some(0)));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn a_capacity_is_searched_by_agents() {
    let (server, dir) = (Reference::listening(&[]), tempfile::tempdir().expect("a directory"));
    let (url, folder, mark) = (server.url(), dir.path().to_str().expect("a path"), mark("searched"));
    let mut args = vec!["capacity", &url, "--slo", "p50 < 1s", "--from", "100/s", "--to", "200/s"];
    args.extend(["--trial", "200ms", "--no-ceiling", "--agents", "2", "--dir", folder, "-q"]);
    let output = marked(&args, &mark).output().expect("it runs");
    assert!(text(&output.stderr).is_empty(), "{}", text(&output.stderr));
    by_two_agents(dir.path(), "capacity");
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
#[ignore = "full: half a minute of blocks"]
fn the_best_variant_is_searched_by_agents() {
    let dir = tempfile::tempdir().expect("a directory");
    let (study, folder) = (dir.path().join("twins.yaml"), dir.path().to_str().expect("a path"));
    let twins = TWINS.replace("    with: { service: const:5ms }\n", "");
    let twins = twins.replace("seed: [\"1\", \"2\"]", "service: ['spin:800us', 'spin:200us']");
    let claim = "throughput(service=spin:200us) > throughput(service=spin:800us)";
    let (before, _) = twins.split_once("  - alike").expect("a claim");
    std::fs::write(&study, format!("{before}  - faster: '{claim}'\n")).expect("written");
    let mark = mark("tuned");
    let mut args = vec!["tune", study.to_str().expect("a path"), "--budget", "300s", "--timing", SHORT];
    args.extend(["--no-ceiling", "--agents", "2", "--dir", folder, "-q"]);
    let output = marked(&args, &mark).output().expect("it runs");
    let said = text(&output.stderr);
    assert!(by_two_agents(dir.path(), "twins-tune") > 0, "{said}");
    assert_eq!(by_two_agents(dir.path(), "twins-tuned"), 1);
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

/// A command that did not need its agents would not miss them.
#[test]
fn a_comparison_and_a_search_end_without_their_agents() {
    let (server, dir) = (Reference::listening(&[]), tempfile::tempdir().expect("a directory"));
    let (url, folder) = (server.url(), dir.path().to_str().expect("a path"));
    let compared = ["compare", &url, &url, "-c", "4", "--smoke", "--timing", "warm-up=20s,slice=1s,cycles=2"];
    let searched = ["capacity", &url, "--slo", "p50 < 1s", "--to", "200/s", "--trial", "20s"];
    for verb in [&compared[..], &searched] {
        let (mark, before) = (mark(verb[0]), server.counts()["requests"].as_u64().expect("a count"));
        let more = ["--no-ceiling", "--agents", "2", "--dir", folder];
        let child = marked(&[verb, &more].concat(), &mark).spawn().expect("it starts");
        wait_until(Duration::from_secs(180), "requests", || {
            server.counts()["requests"].as_u64() > Some(before + 50)
        });
        let agents = agents(&mark);
        assert_eq!(agents.len(), 2, "{verb:?}");
        kill_process(agents[0], Signal::KILL).expect("killed");
        let began = Instant::now();
        let output = child.wait_with_output().expect("it ends");
        assert!(began.elapsed() < 2 * END, "{:?}", began.elapsed());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(12) && said.contains("is lost: "), "{verb:?}: {said}");
        assert_eq!(processes_with(&mark), Vec::<String>::new());
    }
}

#[test]
fn sittings_that_agents_cannot_hold_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let (study, folder) = (dir.path().join("twins.yaml"), dir.path().to_str().expect("a path"));
    std::fs::write(&study, TWINS).expect("written");
    let study = study.to_str().expect("a path");
    let of = |args: &[&str]| proofload(&[&["replicate", "-q", "--dir", folder], args].concat());
    for (args, says) in [
        (&[study, "--agents", "2", "--tolerate-lost", "2"][..], "write 0 to 1"),
        (&[study, "--tolerate-lost", "1"], "has no meaning without --agents"),
        (&["--agents", "2", "--from", folder], "--from"),
        (&["--from", folder, "--tolerate-lost", "1"], "--from"),
        // They would be on this machine, which is not what the study names.
        (&[study, "--agents", "2", "--set", "places.subjects_on=lab1"], "it names places"),
    ] {
        let refused = of(args);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(says), "{args:?}: {said}");
    }
    assert!(!dir.path().join("runs").exists());
}

#[test]
fn mistakes_of_agents_and_coordinators_are_refused_with_what_to_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let token = dir.path().join("token");
    let file = token.to_str().expect("a path");
    let agent = |more: &[&str]| {
        proofload(&[&["agent", "--join", "127.0.0.1:1", "--token-file", file], more].concat())
    };
    let missing = agent(&[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("--token-file"), "{}", text(&missing.stderr));
    std::fs::write(&token, "short").expect("written");
    assert!(text(&agent(&[]).stderr).contains("openssl rand -hex 32"));
    std::fs::write(&token, "0123456789abcdef".repeat(4)).expect("written");
    let nobody = agent(&["--wait", "0s"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(text(&nobody.stderr).contains("nobody answers at 127.0.0.1:1"), "{}", text(&nobody.stderr));
    let unheard = agent(&["--wait", "soon"]);
    assert!(text(&unheard.stderr).contains("--wait"), "{}", text(&unheard.stderr));
    let args = [
        "coordinator",
        "studies/quickstart.yaml",
        "--agents",
        "2",
        "--listen",
        "127.0.0.1:0",
        "--token-file",
    ];
    let nobody_left = proofload(&[&args[..], &[file, "--tolerate-lost", "2"]].concat());
    assert_eq!(nobody_left.status.code(), Some(2));
    assert!(text(&nobody_left.stderr).contains("write 0 to 1"), "{}", text(&nobody_left.stderr));
    for verb in [&["http://127.0.0.1:1"][..], &["run", "studies/quickstart.yaml"]] {
        let without_agents = proofload(&[verb, &["--tolerate-lost", "1"]].concat());
        assert_eq!(without_agents.status.code(), Some(2));
        assert!(
            text(&without_agents.stderr).contains("has no meaning without --agents"),
            "{}",
            text(&without_agents.stderr)
        );
    }
    let alone = proofload(&[&args[..], &[file, "--wait", "200ms"]].concat());
    assert_eq!(alone.status.code(), Some(3));
    assert!(text(&alone.stderr).contains("missing: number 0, 1"), "{}", text(&alone.stderr));
    let few = ["run", "studies/quickstart.yaml", "--set", "load.closed.connections=1", "--agents", "2"];
    let few = executable(&few).output().expect("the executable runs");
    assert_eq!(few.status.code(), Some(2));
    let why = "load: 1c: fewer connections than the 2 agents";
    assert!(text(&few.stderr).contains(why), "{}", text(&few.stderr));
    // No agent is waited for, or started, for a study that cannot be run.
    let study = dir.path().join("wrong.yaml");
    std::fs::write(&study, "study: wrong\n").expect("written");
    let study = study.to_str().expect("a path");
    let rest = ["--agents", "1000", "--listen", "127.0.0.1:0", "--token-file", file];
    for verb in [&[&["coordinator", study], &rest[..]].concat()[..], &["run", study, "--agents", "2"]] {
        let refused = proofload(verb);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("wrong.yaml") && !said.contains("waiting for"), "{said}");
    }
}
