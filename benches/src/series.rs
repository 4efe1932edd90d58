//! A series of measurements between two looks at the machine.

use crate::canary::Canary;
use proofload_host::Awake;

/// Attempts at a series on a machine that is disturbed.
const TRIES: usize = 3;

/// Runs a series, looking at the machine before and after; on a disturbed machine it is marked as discarded and run
/// again, twice at most.
///
/// The CPUs are kept awake for all clients alike. With `smoke` once, without a look: that is to see whether it runs.
///
/// # Errors
/// The error of the series; or that the machine was disturbed each time, so that what it printed is not to be quoted.
pub fn undisturbed(
    name: &str,
    smoke: bool,
    mut run: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let _awake = Awake::keep();
    if smoke {
        println!("\n## {name}");
        return run();
    }
    for _ in 0..TRIES {
        let before = Canary::look();
        println!("\n## {name}\ncanary before: {before}");
        run()?;
        let after = Canary::look();
        let stolen = after.stolen_since(&before) * 100.0;
        println!("canary after: {after}; the hypervisor took {stolen:.1} % of the CPUs meanwhile");
        match after.disturbed(&before) {
            Some(why) => println!("DISCARDED, the machine was disturbed: {why}"),
            None => return Ok(()),
        }
    }
    anyhow::bail!("{name}: the machine was disturbed each time; these figures are not to be quoted")
}
