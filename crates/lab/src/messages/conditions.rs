//! Why a condition of measuring does not vary.

pub(crate) const CANNOT_STAY_AWAKE: &str = "the kernel does not let CPUs be kept awake here";
pub(crate) const NOT_LOOKED_FOR: &str = "nobody has looked whether it can be had";
pub(crate) const NO_OTHER_DIVISION: &str = "there is no other division of these CPUs";
pub(crate) const CPUS_OF_OTHERS: &str = "what already runs stays on its CPUs";
