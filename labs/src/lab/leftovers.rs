//! Takes away what a lab made, its own or that of a process that was killed.

use super::commands::{ip, output};
use super::{cgroups, processes, settings};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The folder with files that replace those of `/etc` inside a namespace, a folder for each.
pub const ETC: &str = "/etc/netns";

/// Prefix of the names of all namespaces of labs.
pub const PREFIX: &str = "pl-";

/// Prefix of the temporary folders of all labs, before the number of the process.
const FOLDER: &str = "proofload-lab-";

/// Time limit for the end of killed processes.
const END_WITHIN: Duration = Duration::from_secs(5);

/// The network interface of the machine itself that leads into the lab.
pub fn leg_of(id: &str) -> String {
    id.replace('-', "")
}

/// In the environment of all processes of a lab, and of no others. No mark is part of another.
pub fn mark_of(id: &str) -> String {
    format!("PROOFLOAD_LAB={id}-lab")
}

/// All namespaces of a lab, all its processes, and the machine's leg.
pub fn remove(id: &str) {
    kill_all(|| {
        let marked = processes::marked(&mark_of(id)).unwrap_or_default();
        marked.iter().map(|process| process.pid.to_string()).collect()
    });
    cgroups::remove(&format!("{id}-"));
    for namespace in namespaces().iter().filter(|name| id_of(name) == id) {
        // Who has lost his mark is still in here.
        kill_all(|| {
            let pids = ip(&format!("netns pids {namespace}")).unwrap_or_default();
            pids.split_whitespace().map(str::to_owned).collect()
        });
        let _ = ip(&format!("netns delete {namespace}"));
        let _ = fs::remove_dir_all(Path::new(ETC).join(namespace));
    }
    // The other end goes with its namespace, which the kernel takes away a little later.
    let _ = ip(&format!("link delete {}", leg_of(id)));
    // It stays when another process has a namespace.
    let _ = fs::remove_dir(ETC);
}

/// Removes the leftovers of labs whose process is gone.
pub fn sweep() -> anyhow::Result<()> {
    let names = namespaces();
    let mut ids: Vec<&str> = names.iter().map(|name| id_of(name)).collect();
    ids.dedup();
    for id in ids.into_iter().filter(|id| is_gone(&id[PREFIX.len()..])) {
        println!("{id} was left behind: taken away");
        remove(id);
    }
    for entry in fs::read_dir(std::env::temp_dir())?.flatten() {
        if entry.file_name().to_string_lossy().strip_prefix(FOLDER).is_some_and(is_gone) {
            settings::restore(&entry.path());
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Names of all namespaces of labs, in order.
pub fn namespaces() -> Vec<String> {
    let entries = fs::read_dir("/run/netns").into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(PREFIX)).collect();
    names.sort();
    names
}

/// Prefix of all names of one lab: `pl-PID`, or `pl-PIDxN`.
pub fn id_of(namespace: &str) -> &str {
    namespace.rsplit_once('-').map_or(namespace, |(id, _)| id)
}

/// True if the process is gone whose number these words begin with.
fn is_gone(words: &str) -> bool {
    let pid = words.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default();
    !pid.is_empty() && !Path::new("/proc").join(pid).exists()
}

/// Processes are killed without a request to end, and those that start meanwhile end too.
fn kill_all(who: impl Fn() -> Vec<String>) {
    let deadline = Instant::now() + END_WITHIN;
    while Instant::now() < deadline {
        let pids = who();
        if pids.is_empty() {
            return;
        }
        let _ = output(Command::new("kill").arg("-KILL").args(&pids));
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_lab_and_its_process() {
        assert_eq!((id_of("pl-12-hub"), id_of("pl-12x1-a")), ("pl-12", "pl-12x1"));
        assert_eq!(leg_of("pl-12x1"), "pl12x1");
        assert!(!is_gone(&format!("{}x1", std::process::id())));
        assert!(is_gone("999999999-0") && !is_gone("") && !is_gone("other"));
    }
}
