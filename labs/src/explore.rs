//! The properties on inputs that no run has had yet. CI gives them the same inputs each time (`.cargo/config.toml`), so
//! that what fails there fails again.

use crate::tools;
use anyhow::{Context, bail, ensure};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Rounds when nothing else is asked for.
const ROUNDS: u64 = 10;

/// Inputs of a property in a round, if it does not set their number itself.
const CASES: &str = "256";

/// The task. `--rounds N`, and `--seed N` of the first; the next one's is one more.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("a clock before 1970")?;
    let (rounds, first) = asked(args, since.as_secs())?;
    let targets = properties(root)?;
    for seed in (0..rounds).map(|round| first.wrapping_add(round)) {
        println!("\n== seed {seed}");
        let mut test = vec!["test", "--workspace", "--locked", "--quiet", "--no-fail-fast"];
        test.extend(targets.iter().flat_map(|target| target.split(' ')));
        let seed = seed.to_string();
        tools::cargo(root, &test, &[("PROPTEST_RNG_SEED", &seed), ("PROPTEST_CASES", CASES)]).with_context(|| {
            format!(
                "with the inputs of seed {seed}; see it again with `cargo xtask explore --rounds 1 --seed {seed}`, and \
                 keep the input: as a test, or as what appeared in proptest-regressions"
            )
        })?;
    }
    println!("\nexplore: {rounds} rounds from seed {first}, all properties held");
    Ok(())
}

/// The targets that have properties.
fn properties(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    Ok(tools::targets_with(root, "proptest::")?.into_values().flatten().collect())
}

/// Number of rounds, and the seed of the first.
fn asked(args: &[String], seed: u64) -> anyhow::Result<(u64, u64)> {
    let (mut rounds, mut first) = (ROUNDS, seed);
    for pair in args.chunks(2) {
        let [name, value] = pair else { bail!("{}: has no value", pair[0]) };
        let number = value.parse().with_context(|| format!("{name} {value}"));
        match name.as_str() {
            "--rounds" => rounds = number?,
            "--seed" => first = number?,
            _ => bail!("{name}: is neither --rounds nor --seed"),
        }
    }
    ensure!(rounds > 0, "--rounds 0: explores nothing");
    Ok((rounds, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> anyhow::Result<(u64, u64)> {
        asked(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), 7)
    }

    #[test]
    fn rounds_and_a_seed_may_be_asked_for() {
        assert_eq!(of("").unwrap(), (ROUNDS, 7));
        assert_eq!(of("--seed 3 --rounds 2").unwrap(), (2, 3));
        assert!(of("--rounds 0").is_err());
        assert!(of("--seed").is_err());
        assert!(of("--seed x").is_err());
        assert!(of("--round 3").is_err());
    }

    #[test]
    fn properties_are_found_where_they_are() {
        let found = properties(&crate::root()).unwrap();
        for target in ["--lib", "--test it"] {
            assert!(found.contains(target), "{target}: {found:?}");
        }
    }

    /// Without it CI would meet other inputs each time; a shell's own value goes before it.
    #[test]
    fn tests_have_a_seed() {
        let seed = std::env::var("PROPTEST_RNG_SEED").unwrap();
        assert!(seed.parse::<u64>().is_ok(), "{seed}");
    }
}
