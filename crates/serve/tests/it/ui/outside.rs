//! Nothing outside `runs/` is served, and nothing in it is changed.

use super::asking::serve;
use super::made;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

const SECRET: &str = "secret-of-the-machine";

#[test]
fn no_address_leads_out_of_the_folder() {
    let root = tempfile::tempdir().expect("a folder");
    let run = made::run(root.path(), "a", 0);
    let outside = made::run(&root.path().join("other"), "b", 0);
    fs::write(root.path().join("secret.txt"), SECRET).expect("written");
    let served = serve(root.path());
    let (id, other) = (made::id(&run), made::id(&outside));
    for path in [
        "../secret.txt".to_string(),
        "run/../../secret.txt".to_string(),
        "run/..%2f..%2fsecret.txt".to_string(),
        "run/%2e%2e/%2e%2e".to_string(),
        "run/../a".to_string(),
        "run/./a".to_string(),
        format!("run/a/../a/{id}"),
        format!("run/a%2f{id}/x"),
        format!("run/a/{id}%2f..%2f{id}"),
        format!("run/a/{id}/plan.json"),
        format!("run/a/{id}%2fplan.json"),
        format!("run/a/{id}%00"),
        format!("run/..%2fother%2fruns%2fb/{other}"),
        format!("run/../other/runs/b/{other}"),
        format!("run/%2e%2e%2fother%2fruns%2fb/{other}"),
        format!("run/%252e%252e/{other}"),
        format!("run/a/{}", root.path().display()),
        format!("run/{}/{other}", root.path().join("other/runs/b").display().to_string().replace('/', "%2f")),
        "run/a/latest".to_string(),
        "run//".to_string(),
        "run/a/".to_string(),
        "etc/passwd".to_string(),
        "%2fetc%2fpasswd".to_string(),
    ] {
        let answer = served.get(&path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.body.contains(SECRET) && !answer.body.contains("<h2>"), "{path}");
        let compared = served.get(&format!(
            "compare?run={}&run=a%2F{id}",
            path.trim_start_matches("run/").replace('%', "%25")
        ));
        assert!([400, 404].contains(&compared.status), "{path}: {}", compared.status);
    }
    assert_eq!(served.get(&format!("run/a/{id}")).status, 200);
}

#[test]
fn no_link_is_followed_and_no_pipe_is_read() {
    let root = tempfile::tempdir().expect("a folder");
    let away = tempfile::tempdir().expect("a folder");
    let outside = made::run(away.path(), "b", 0);
    let (runs, id) = (root.path().join("runs"), made::id(&outside));
    // A study, a run, a document and a folder that are links.
    fs::create_dir_all(runs.join("real")).expect("made");
    symlink(away.path().join("runs/b"), runs.join("linked")).expect("linked");
    symlink(&outside, runs.join("real").join("linked")).expect("linked");
    for (at, name) in
        ["environment.json", "status.json", "plan.json", "result.json", "blocks", "latest", "lock"]
            .iter()
            .enumerate()
    {
        let run = made::run(root.path(), "c", at as u64);
        let own = run.join(name);
        let _ = fs::remove_dir_all(&own).or_else(|_| fs::remove_file(&own));
        symlink(outside.join(name), &own).expect("linked");
    }
    // Whether a run that was killed goes on is asked of its lock.
    let killed = |hour| made::begun(root.path(), "c", hour, 1).path().to_path_buf();
    let locks = [killed(20), killed(21)];
    for pipe in [made::run(root.path(), "c", 22).join("environment.json"), locks[0].join("lock")] {
        fs::remove_file(&pipe).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
    }
    // Another process holds the lock that it leads to.
    let held = made::begun(away.path(), "held", 0, 1);
    fs::remove_file(locks[1].join("lock")).expect("removed");
    symlink(held.path().join("lock"), locks[1].join("lock")).expect("linked");
    let served = serve(root.path());
    for path in [format!("run/linked/{id}"), "run/real/linked".to_string()] {
        assert_eq!(served.get(&path).status, 404, "{path}");
    }
    let list = served.get("").body;
    assert!(!list.contains("linked") && !list.contains("class=\"running\""), "{list}");
    let links: Vec<&str> =
        list.split("/run/c/").skip(1).map(|rest| rest.split('"').next().expect("an end")).collect();
    // One is not a record any more without its plan, and has a result that is read.
    assert!(links.len() >= 9, "{links:?}");
    for id in links {
        let answer = served.get(&format!("run/c/{id}"));
        assert_eq!(answer.status, 404, "{id}: {}", answer.body);
        assert!(answer.body.contains("is a link, a pipe or a device"), "{id}: {}", answer.body);
    }
}

/// Name, size and time of every file.
fn tree(of: &Path) -> BTreeMap<PathBuf, (u64, i64, i64)> {
    let mut found = BTreeMap::new();
    let mut pending = vec![of.to_path_buf()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path).expect("there");
        if metadata.is_dir() {
            pending
                .extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        }
        found.insert(path, (metadata.len(), metadata.mtime(), metadata.ctime_nsec()));
    }
    found
}

#[test]
fn reading_changes_nothing() {
    let root = tempfile::tempdir().expect("a folder");
    let [first, second] = [0, 1].map(|hour| made::id(&made::run(root.path(), "a", hour)));
    let running = made::begun(root.path(), "b", 2, 1);
    let served = serve(root.path());
    let before = tree(root.path());
    for path in [
        String::new(),
        format!("run/a/{first}"),
        format!("run/b/{}", made::id(running.path())),
        format!("compare?run=a%2F{first}&run=a%2F{second}"),
    ] {
        assert_eq!(served.get(&path).status, 200, "{path}");
    }
    assert_eq!(tree(root.path()), before);
}
