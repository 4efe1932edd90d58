//! Promises of docs/security.md.

use crate::support::{PROOFLOAD, Reference, executable, json, proofload, text};
use std::path::Path;
use std::time::{Duration, Instant};

/// Part of every credential below; nothing else contains it.
const TOKEN: &str = "zQ9tokenZ";

/// Every file below a directory whose text has the token in it.
fn leaks(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![dir.to_path_buf()];
    while let Some(path) = pending.pop() {
        for entry in std::fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry")) {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            if kind.is_dir() {
                pending.push(path);
            } else if kind.is_file() && text(&std::fs::read(&path).expect("a file")).contains(TOKEN) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn no_credential_of_a_study_reaches_the_record_a_report_or_the_terminal() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("a path");
    let file = dir.path().join("secret.yaml");
    // The shell drops its further arguments: they are there to be kept out of the record.
    let study = format!(
        "study: secret\nquestion: Does a secret stay one?\nsubjects:\n  server:\n    command:\n      - sh\n      - -c\n      \
         - exec {PROOFLOAD} reference-server --port $1\n      - sh\n      - \"{{port}}\"\n      \
         - --password={TOKEN}\n      - --token\n      - {TOKEN}\n    env: {{ DB_PASSWORD: {TOKEN}, API_TOKEN: {TOKEN} }}\n\
         workload:\n  page:\n    get: /?password={TOKEN}&x=1\n    headers:\n      Authorization: Bearer {TOKEN}\n      \
         Cookie: id={TOKEN}\n      X-Api-Key: {TOKEN}\n    expect: {{ status: 200 }}\n  \
         more: {{ get: /, headers: {{ Authorization: Bearer {TOKEN}, Accept: text/plain }} }}\n\
         load:\n  closed: {{ connections: 2 }}\nclaims:\n  - no errors: errors(server) == 0\n"
    );
    std::fs::write(&file, study).expect("written");
    let study = file.to_str().expect("a path");
    let explained = proofload(&["run", study, "--smoke", "--explain", "--dir", path]);
    assert!(explained.status.success(), "{}", text(&explained.stderr));
    let timing = "warm-up=100ms,slice=100ms,discard=10ms,cycles=2";
    let really = |args: &[&str]| executable(args).output().expect("the executable runs");
    let ran = really(&["run", study, "--smoke", "--timing", timing, "--dir", path]);
    let run = dir.path().join("runs/secret/latest");
    // What was left out is not a difference: the file still has it.
    let repeated = really(&["rerun", run.to_str().expect("a path"), "--dir", path]);
    let mut shown = vec![("--explain".to_string(), explained), ("run".to_string(), ran)];
    shown.push(("rerun".to_string(), repeated));
    for format in [
        "text",
        "json",
        "markdown",
        "html",
        "junit",
        "csv",
        "csv-series",
        "charts",
        "hlog",
        "hgrm",
        "jtl",
        "parquet",
    ] {
        let output = proofload(&["report", run.to_str().expect("a path"), "--format", format]);
        shown.push((format.to_string(), output));
    }
    for (what, output) in &shown {
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!said.is_empty() && !said.contains(TOKEN), "{what}: {said}");
    }
    assert_eq!(leaks(&dir.path().join("runs")), Vec::<String>::new());
    let plan = std::fs::read_to_string(run.join("plan.json")).expect("a plan");
    assert!(plan.contains("redacted") && plan.contains("--password"), "{plan}");
}

/// Neither the command line that is recorded nor anything made of it holds what a flag has brought, in either way of
/// writing it. What only names a file stays: the run goes on with it.
#[test]
fn no_credential_of_a_flag_reaches_the_record_of_a_comparison() {
    let server = Reference::listening(&[]);
    let proxy = proofload_testkit::TunnelProxy::start(None).expect("a proxy");
    let (url, at) = (server.url(), format!("http://{}", proxy.address()));
    let within = format!("http://u:{TOKEN}@{}", proxy.address());
    let dir = tempfile::tempdir().expect("a directory");
    let kept = dir.path().join("kept");
    std::fs::write(&kept, TOKEN).expect("written");
    let named = format!("me:@{}", kept.display());
    let (user, bearer, proxied) =
        (format!("me:{TOKEN}"), format!("--bearer={TOKEN}"), format!("--proxy-user=u:{TOKEN}"));
    let (header, cookie) = (format!("X-Api-Key: {TOKEN}"), format!("-HCookie: id={TOKEN}"));
    let all: [&[&str]; 5] = [
        &["--basic", &user, "--proxy", &at, "--proxy-user", &user],
        &[&bearer, "--proxy", &at, &proxied],
        &["--bearer", TOKEN, "--proxy", &within],
        &["-H", &header, &cookie],
        &["--basic", &named, "--proxy", &at, "--proxy-user", &named],
    ];
    for (n, flags) in all.iter().enumerate() {
        let place = dir.path().join(n.to_string());
        std::fs::create_dir(&place).expect("a directory");
        let timing = "warm-up=50ms,slice=50ms,discard=10ms,cycles=2";
        let mut args = vec!["compare", &url, &url, "--smoke", "-c", "2", "--no-ceiling", "--timing", timing];
        args.extend(["--dir", place.to_str().expect("a path"), "--format", "json"]);
        args.extend(*flags);
        let output = proofload(&args);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!said.contains(TOKEN), "{flags:?}: {said}");
        assert_eq!(leaks(&place), Vec::<String>::new(), "{flags:?}");
        let run = place.join("runs/compare/latest");
        let plan = json(&output)["plan"]["arguments"].to_string();
        assert_eq!(plan.contains("[redacted]"), n < 4, "{plan}");
        let again =
            proofload(&["rerun", run.to_str().expect("a path"), "--dir", place.to_str().expect("a path")]);
        let told = text(&again.stderr);
        match n < 4 {
            true => assert!(told.contains("credentials on its command line were not recorded"), "{told}"),
            false => assert!(told.contains("kept in "), "{told}"),
        }
    }
}

#[test]
fn an_address_with_a_user_name_is_refused_without_repeating_it() {
    let server = Reference::start(&[]);
    let url = server.url().replace("http://", &format!("http://user:{TOKEN}@"));
    for args in [vec![url.as_str(), "-n", "1"], vec!["compare", url.as_str(), url.as_str(), "--smoke"]] {
        let output = proofload(&args);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(said.contains("Authorization") && !said.contains(TOKEN), "{said}");
    }
}

#[test]
fn a_bad_answer_is_shown_without_the_credentials_in_it() {
    let answer = format!(
        "HTTP/1.1 500 No\r\nSet-Cookie: id={TOKEN}\r\nLocation: http://u:{TOKEN}@h/?password={TOKEN}\r\nContent-Length: 0\r\n\r\n"
    );
    let script = vec![
        proofload_testkit::ScriptStep::AwaitRequest,
        proofload_testkit::ScriptStep::Send(answer.into_bytes()),
    ];
    let peer = proofload_testkit::ScriptedPeer::start_lasting(vec![script]).expect("a peer");
    let url = format!("http://{}/", peer.address);
    for format in ["text", "json", "markdown", "html", "junit", "csv"] {
        let output = proofload(&[&url, "-n", "1", "-c", "1", "--format", format]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!said.contains(TOKEN), "{format}: {said}");
        if format == "json" {
            assert!(said.contains("Set-Cookie: [redacted]"), "{said}");
        }
    }
}

#[test]
fn a_subject_is_a_folder_of_the_catalogue_and_of_nowhere_else() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in ["../outside", "/etc", "..", "a/../../outside", "."] {
        let file = dir.path().join("study.yaml");
        let study = format!(
            "study: s\nquestion: q\nsubjects:\n  a: {{ use: \"{name}\" }}\nworkload:\n  p: {{ get: / }}\n\
             load:\n  closed: {{ connections: 1 }}\nclaims:\n  - c: errors(a) == 0\n"
        );
        std::fs::write(&file, study).expect("written");
        let output = proofload(&["run", file.to_str().expect("a path"), "--explain"]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", text(&output.stdout));
    }
}

#[test]
fn a_bomb_of_aliases_is_refused_in_studies_and_in_subjects() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().join("catalogue/bomb");
    std::fs::create_dir_all(&folder).expect("made");
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let before = format!("*a{}", n - 1);
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![before; 10].join(", ")));
    }
    let (study, subject) = (dir.path().join("study.yaml"), folder.join("subject.yaml"));
    std::fs::write(&study, &bomb).expect("written");
    std::fs::write(&subject, &bomb).expect("written");
    let catalogue = dir.path().join("catalogue");
    let catalogue = catalogue.to_str().expect("a path");
    let began = Instant::now();
    for args in [
        vec!["run", study.to_str().expect("a path"), "--explain"],
        vec!["subjects", "bomb", "--catalogue", catalogue],
    ] {
        let output = proofload(&args);
        assert!(!output.status.success(), "{args:?}: {}", text(&output.stdout));
        assert!(output.stderr.len() < 64 << 10, "{args:?} says {} bytes", output.stderr.len());
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn what_a_run_leaves_is_nobody_elses_to_read() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("a path");
    let server = Reference::start(&[]);
    let url = server.url();
    let output = proofload(&["compare", &url, &url, "--smoke", "-c", "2", "-q", "--dir", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut pending = vec![dir.path().join("runs")];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        let metadata = path.symlink_metadata().expect("there");
        if metadata.is_symlink() {
            continue;
        }
        assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", path.display());
        seen += 1;
        if metadata.is_dir() {
            pending.extend(
                std::fs::read_dir(&path).expect("listed").map(|entry| entry.expect("an entry").path()),
            );
        }
    }
    assert!(seen > 5, "{seen} files and folders");
}
