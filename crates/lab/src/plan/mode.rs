//! Order of measuring the variants: in cycles, all running at once, or serially, one after the other.
//!
//! Cycles are the better experiment, for a drift within a block meets all variants alike. Loads that cannot be cut into
//! slices (a fixed count, a ramp of users) and variants that do not fit into memory together run serially.

use proofload_facts::{Finding, Mistake};
use proofload_study::{Mode, Study, Variant};

/// Share of the available memory that variants may need together.
const MEMORY_SHARE: f64 = 0.9;
/// Memory of a server beside the memory that it declares: for a JVM its code, its threads' stacks, its buffers.
const BESIDE_SHARE: f64 = 0.25;
const BESIDE_BYTES: u64 = 128 << 20;

/// The mode of a study, and the reason for it.
///
/// `asked` comes from the command line and overrides the study; `available_bytes` is the memory that new processes can
/// have.
///
/// # Errors
/// Cycles are requested and a load cannot be cut into slices.
pub fn choose(
    study: &Study,
    asked: Option<Mode>,
    available_bytes: Option<u64>,
) -> Result<(Mode, Finding), Mistake> {
    let whole = study.points.iter().find(|point| point.is_whole());
    match (asked.or(study.mode), whole) {
        (Some(Mode::Cycles), Some(point)) => Err(Mistake::CyclesOfWhole { load: point.label.clone() }),
        (Some(mode), _) => Ok((mode, Finding::AskedFor)),
        (None, Some(point)) => Ok((Mode::Serial, Finding::NotSliced { load: point.label.clone() })),
        (None, None) => Ok(by_memory(&study.variants, available_bytes)),
    }
}

fn by_memory(variants: &[Variant], available_bytes: Option<u64>) -> (Mode, Finding) {
    let fits = || (Mode::Cycles, Finding::SideBySide);
    let Some(available) = available_bytes else { return fits() };
    let room = (available as f64 * MEMORY_SHARE) as u64;
    let needed = needed_bytes(variants);
    if variants.len() < 2 || needed <= room {
        return fits();
    }
    (
        Mode::Serial,
        Finding::MemoryTogether {
            variants: variants.len() as u32,
            needed_bytes: needed,
            available_bytes: available,
        },
    )
}

/// Memory of all processes together, as far as their parameters give it. Those that share a process count once.
fn needed_bytes(variants: &[Variant]) -> u64 {
    let mut counted: Vec<&str> = Vec::new();
    let mut sum = 0u64;
    for variant in variants {
        if let Some(shared) = &variant.shares {
            if counted.contains(&shared.as_str()) {
                continue;
            }
            counted.push(shared);
        }
        let beside = (variant.memory_bytes as f64 * BESIDE_SHARE) as u64 + BESIDE_BYTES;
        sum = sum.saturating_add(variant.memory_bytes).saturating_add(beside);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{SMALL, TestCatalogue};
    use proofload_study::Options;
    use std::path::Path;

    const GIB: u64 = 1 << 30;

    fn with_memory(bytes: u64) -> Study {
        let read =
            proofload_study::parse(SMALL, "mode.yaml", Path::new("."), &Options::default(), &TestCatalogue);
        let mut study = read.unwrap_or_else(|problems| panic!("{problems}"));
        study.variants.iter_mut().for_each(|variant| variant.memory_bytes = bytes);
        study
    }

    #[test]
    fn variants_that_do_not_fit_in_memory_together_run_one_after_the_other() {
        let study = with_memory(4 * GIB);
        let (mode, reason) = choose(&study, None, Some(8 * GIB)).unwrap();
        assert_eq!(mode, Mode::Serial);
        let needed_bytes = 2 * (5 * GIB + BESIDE_BYTES);
        let together = Finding::MemoryTogether { variants: 2, needed_bytes, available_bytes: 8 * GIB };
        assert_eq!(reason, together);
        assert_eq!(choose(&study, None, Some(16 * GIB)).unwrap().0, Mode::Cycles);
        assert_eq!(choose(&study, None, None).unwrap().0, Mode::Cycles, "nothing is known");
    }

    #[test]
    fn variants_of_one_process_take_its_memory_once() {
        let mut study = with_memory(4 * GIB);
        study.variants.iter_mut().for_each(|variant| variant.shares = Some("server".to_string()));
        assert_eq!(choose(&study, None, Some(8 * GIB)).unwrap().0, Mode::Cycles);
    }

    #[test]
    fn what_is_asked_for_goes_first_and_the_command_line_before_the_study() {
        let mut study = with_memory(4 * GIB);
        study.mode = Some(Mode::Serial);
        assert_eq!(choose(&study, None, None).unwrap(), (Mode::Serial, Finding::AskedFor));
        assert_eq!(choose(&study, Some(Mode::Cycles), Some(GIB)).unwrap().0, Mode::Cycles);
    }
}
