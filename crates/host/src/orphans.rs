//! Finds subjects whose keeper was killed, by the mark that the keeper gave them.

use crate::process::{Stat, all_pids, lives};
use std::fs::File;
use std::io::Read;

/// Environment variable that names the keeper of a subject: process id and start time.
pub const MARK_KEEPER: &str = "PROOFLOAD_KEEPER";
/// Most bytes of an environment that are searched for the mark.
const ENVIRONMENT_BYTES_MAX: u64 = 1 << 20;

/// Numbers of the processes whose keeper has gone, ascending.
pub(crate) fn find() -> Vec<u32> {
    let mut found: Vec<u32> = all_pids()
        .filter(|pid| keeper_of(*pid).is_some_and(|(keeper, start_ticks)| !lives(keeper, start_ticks)))
        // The environment was read first: a process that has ended since is not a leftover.
        .filter(|pid| Stat::read(*pid).is_some_and(|stat| !stat.zombie))
        .collect();
    found.sort_unstable();
    found
}

/// Process and start time of the keeper, from the environment that a subject was started with.
fn keeper_of(pid: u32) -> Option<(u32, u64)> {
    let mut environment = Vec::new();
    let file = File::open(format!("/proc/{pid}/environ")).ok()?;
    file.take(ENVIRONMENT_BYTES_MAX).read_to_end(&mut environment).ok()?;
    parse_keeper(&environment)
}

fn parse_keeper(environment: &[u8]) -> Option<(u32, u64)> {
    let prefix = format!("{MARK_KEEPER}=");
    let value =
        environment.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(prefix.as_bytes()))?;
    let (pid, start_ticks) = std::str::from_utf8(value).ok()?.split_once(':')?;
    Some((pid.parse().ok()?, start_ticks.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// Starts a process with this mark, and returns true if it counts as left over.
    fn is_leftover(mark: &str) -> bool {
        let mut child = Command::new("cat")
            .env(MARK_KEEPER, mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Its environment can be read a moment after spawning returns; an echo shows that it is there.
        child.stdin.as_mut().unwrap().write_all(b"!").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let found = find().contains(&child.id());
        drop(child.stdin.take());
        child.wait().unwrap();
        found
    }

    #[test]
    fn a_process_is_left_over_when_its_keeper_has_gone() {
        let pid = std::process::id();
        let start_ticks = Stat::read(pid).unwrap().start_ticks;
        assert!(is_leftover("5000000:1"), "there is no such process");
        assert!(
            is_leftover(&format!("{pid}:{}", start_ticks + 1)),
            "the number was given to another process"
        );
        assert!(!is_leftover(&format!("{pid}:{start_ticks}")), "this keeper lives");
        assert!(!is_leftover("nobody"));
    }

    #[test]
    fn a_mark_is_found_among_other_variables() {
        let environment = format!("PATH=/bin\0{MARK_KEEPER}=12:345\0X=1");
        assert_eq!(parse_keeper(environment.as_bytes()), Some((12, 345)));
        assert_eq!(parse_keeper(b"PATH=/bin\0\xff\0"), None);
    }
}
