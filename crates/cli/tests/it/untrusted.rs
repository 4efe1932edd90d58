//! Files of others, and words of other users of the machine, are refused or shown.

use crate::support::{executable, proofload, text};
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

/// Has no end.
const ENDLESS: &str = "/dev/zero";

fn refused(args: &[&str], says: &[&str]) {
    let output = proofload(args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(says.iter().all(|word| said.contains(word)), "{args:?}: {said}");
}

#[test]
fn no_file_that_is_named_is_read_without_an_end() {
    let dir = tempfile::tempdir().expect("a directory");
    let long = dir.path().join("long");
    File::create(&long).and_then(|file| file.set_len(65 << 20)).expect("a file with a hole");
    for (file, why) in [(ENDLESS, "is not a file"), (long.to_str().expect("UTF-8"), "is larger than")] {
        let (at, me) = (format!("@{file}"), format!("me:@{file}"));
        let secret = format!("secret={at}");
        let url = "https://127.0.0.1:1/";
        for flags in [
            &["--bearer", &at][..],
            &["--basic", &me],
            &["--proxy", "http://127.0.0.1:1", "--proxy-user", &me],
            &["--cacert", file],
            &["--cert", file, "--key", file],
        ] {
            refused(&[&["-n", "1", url], flags].concat(), &[file, why]);
        }
        refused(&["-n", "1", "ajp://127.0.0.1:1/", "--speaks", &secret], &[file, why]);
        for (name, study) in [
            (
                "ca",
                format!(
                    "subjects: {{ a: {{ url: {url}, tls: {{ ca: {file} }} }} }}\nworkload: {{ page: {{ get: / }} }}\n"
                ),
            ),
            ("include", "include: [long]\n".to_string()),
            (
                "rows",
                format!("subjects: {{ a: {{ url: {url} }} }}\nfeeders: {{ rows: {{ csv: {file} }} }}\n"),
            ),
        ] {
            let path = dir.path().join(format!("{name}.yaml"));
            let rest = "load: { closed: { connections: 1 } }\n";
            fs::write(&path, format!("study: x\nquestion: Why?\n{study}{rest}")).expect("written");
            let output = proofload(&["run", path.to_str().expect("UTF-8"), "--explain"]);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{name}: {said}");
            let told = said.contains(file) && said.contains(why);
            let refused = ["is larger than a study can be", "is outside the folder"];
            assert!(told || refused.iter().any(|why| said.contains(why)), "{name}: {said}");
        }
        refused(&["run", file, "--explain"], &[]);
    }
}

/// As a shell's `<(…)` gives it.
#[test]
fn a_secret_is_read_from_a_pipe() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    std::io::Write::write_all(&mut writer, b"me\n").expect("room");
    drop(writer);
    let bearer = format!("@/proc/self/fd/{}", reader.as_raw_fd());
    let output = proofload(&["http://127.0.0.1:1/", "--bearer", &bearer, "--debug"]);
    assert_eq!(output.status.code(), Some(1), "there is no connection: {}", text(&output.stderr));
}

#[test]
fn words_of_other_users_reach_no_terminal_raw() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("lock");
    let mut options = File::options();
    let lock = options.create(true).truncate(false).write(true).mode(0o666).open(&path).expect("a file");
    fs::write(&path, "1\n1769860800000000000\nx\u{202e}\u{200b}\u{1b}[31m\n").expect("written");
    lock.lock().expect("nobody else has it");
    let holds = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        drop(lock);
    });
    // One endpoint waits for the holder whose name it shows.
    let mut command = executable(&["http://127.0.0.1:1/", "-n", "1", "--no-record"]);
    let output = command.env("PROOFLOAD_TEST_LOCK_FILE", &path).output().expect("it runs");
    holds.join().expect("no panic");
    let said = text(&output.stderr);
    assert!(said.contains("\\u{202e}") && !said.contains(['\u{202e}', '\u{200b}', '\u{1b}']), "{said:?}");
}
