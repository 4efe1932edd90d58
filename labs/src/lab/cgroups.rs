//! Control groups of a lab: a folder of its own in each hierarchy that this machine has mounted, in which all is limited,
//! found and ended that the mark of the lab is not handed on to.

use super::commands::output;
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Time limit for the end of killed processes.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Mount points of hierarchies: those of a controller each, and the one for all.
fn hierarchies() -> Vec<PathBuf> {
    mounted(&fs::read_to_string("/proc/self/mounts").unwrap_or_default())
}

fn mounted(mounts: &str) -> Vec<PathBuf> {
    let fields = mounts.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_one = |fields: &Vec<&str>| matches!(fields.get(2), Some(&("cgroup" | "cgroup2")));
    fields.filter(is_one).map(|fields| PathBuf::from(fields[1])).collect()
}

/// Makes the group of this name in all hierarchies, with all controllers that they have.
pub fn make(name: &str) -> anyhow::Result<()> {
    for hierarchy in hierarchies() {
        let group = hierarchy.join(name);
        fs::create_dir_all(&group).with_context(|| format!("{}", group.display()))?;
        let all = fs::read_to_string(hierarchy.join("cgroup.controllers")).unwrap_or_default();
        for at in [&hierarchy, &group].into_iter().filter(|_| !all.trim().is_empty()) {
            let wanted: Vec<String> = all.split_whitespace().map(|one| format!("+{one}")).collect();
            let path = at.join("cgroup.subtree_control");
            fs::write(&path, wanted.join(" ")).with_context(|| format!("{}", path.display()))?;
        }
        // A new group of the older kind has no CPU until it is given some.
        for file in ["cpuset.cpus", "cpuset.mems"] {
            if let Ok(all) = fs::read(hierarchy.join(file)) {
                fs::write(group.join(file), all)?;
            }
        }
    }
    Ok(())
}

/// True if the text of `/proc/PID/cgroup` has a group whose name begins so, or one below it.
pub fn is_within(groups: &str, prefix: &str) -> bool {
    let paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.filter_map(|path| path.strip_prefix('/')).any(|path| path.starts_with(prefix))
}

/// Ends all processes in groups whose names begin so, and takes the groups away.
pub fn remove(prefix: &str) {
    for hierarchy in hierarchies() {
        for group in children(&hierarchy) {
            let name = group.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(prefix) {
                remove_all(&group);
            }
        }
    }
}

/// True if there are any.
pub fn are_left(prefix: &str) -> bool {
    let groups = hierarchies().into_iter().flat_map(|hierarchy| children(&hierarchy));
    groups
        .into_iter()
        .any(|group| group.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)))
}

fn remove_all(group: &Path) {
    let deadline = Instant::now() + END_WITHIN;
    while Instant::now() < deadline {
        let pids = pids(group);
        if !pids.is_empty() {
            let _ = output(Command::new("kill").arg("-KILL").args(&pids));
        }
        if remove_empty(group) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Of a group and of those below.
fn pids(group: &Path) -> Vec<String> {
    let own = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    let own = own.split_whitespace().map(str::to_owned);
    own.chain(children(group).iter().flat_map(|child| pids(child))).collect()
}

fn remove_empty(group: &Path) -> bool {
    children(group).iter().for_each(|child| {
        remove_empty(child);
    });
    fs::remove_dir(group).is_ok() || !group.exists()
}

fn children(group: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(group).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_are_found_by_their_kinds() {
        let mounts =
            "tmpfs /c tmpfs rw 0 0\ncgroup /c/cpu cgroup rw,cpu 0 0\ncgroup2 /c/all cgroup2 rw 0 0\n";
        assert_eq!(mounted(mounts), [PathBuf::from("/c/cpu"), PathBuf::from("/c/all")]);
    }

    #[test]
    fn who_is_within_is_known_by_the_first_name() {
        let groups = "9:memory:/pl-12-a/kubepods/x\n0::/user\n";
        assert!(is_within(groups, "pl-12-"));
        assert!(!is_within(groups, "pl-1-") && !is_within("0::/x/pl-12-a\n", "pl-12-"));
    }
}
