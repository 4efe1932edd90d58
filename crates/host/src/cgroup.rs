//! Limits from the cgroups of this process.

use super::root::Root;
use std::path::{Path, PathBuf};

/// Most levels of the cgroup tree that are climbed.
const LEVELS_MAX: usize = 64;

/// The folders of this process's cgroup for a controller, from its own up to the top. Both hierarchies: in a
/// container without a namespace of its own the paths may not exist, and the top alone is left.
pub(crate) fn folders(root: &Root, controller: &str) -> Vec<PathBuf> {
    let text = root.text("/proc/self/cgroup").unwrap_or_default();
    let mut folders = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let mounts: Vec<PathBuf> = if controllers.is_empty() {
            vec!["/sys/fs/cgroup".into(), "/sys/fs/cgroup/unified".into()]
        } else if controllers.split(',').any(|name| name == controller) {
            vec![Path::new("/sys/fs/cgroup").join(controller), Path::new("/sys/fs/cgroup").join(controllers)]
        } else {
            continue;
        };
        for mount in mounts {
            let below = mount.join(path.trim_start_matches('/'));
            let levels = below.ancestors().take(LEVELS_MAX);
            folders.extend(levels.take_while(|folder| folder.starts_with(&mount)).map(Path::to_path_buf));
        }
    }
    folders
}

/// The tightest limit of CPU time on the way to the top, in CPUs: `cpu.max` (v2: quota and period, or `max`) or
/// `cpu.cfs_quota_us` (v1: -1 for none).
pub(crate) fn cpu_quota(root: &Root) -> Option<f64> {
    let share = |quota: &str, period: &str| -> Option<f64> {
        let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
        (quota > 0.0 && period > 0.0).then(|| quota / period)
    };
    folders(root, "cpu")
        .iter()
        .filter_map(|folder| {
            let v2 = root.text(folder.join("cpu.max"));
            let from_v2 = v2.as_deref().and_then(|text| text.split_once(' ')).and_then(|(q, p)| share(q, p));
            from_v2.or_else(|| {
                share(
                    &root.text(folder.join("cpu.cfs_quota_us"))?,
                    &root.text(folder.join("cpu.cfs_period_us"))?,
                )
            })
        })
        .min_by(f64::total_cmp)
}

/// The tightest limit of memory on the way to the top, when it is below the machine's memory.
pub(crate) fn memory_limit(root: &Root) -> Option<u64> {
    let memory = root.meminfo_bytes("MemTotal")?;
    folders(root, "memory")
        .iter()
        .flat_map(|folder| [folder.join("memory.max"), folder.join("memory.limit_in_bytes")])
        .filter_map(|file| root.number::<u64>(file))
        .filter(|&limit| limit < memory)
        .min()
}
