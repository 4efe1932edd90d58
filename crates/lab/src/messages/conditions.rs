//! Why a condition of measuring does not vary.

use proofload_language::Kept;

pub(crate) const CANNOT_STAY_AWAKE: Kept = Kept("kept-cannot-stay-awake");
pub(crate) const NOT_LOOKED_FOR: Kept = Kept("kept-not-looked-for");
pub(crate) const NO_OTHER_DIVISION: Kept = Kept("kept-no-other-division");
pub(crate) const CPUS_OF_OTHERS: Kept = Kept("kept-cpus-of-others");
