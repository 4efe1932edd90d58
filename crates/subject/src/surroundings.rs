//! What a subject finds around it when it starts, beside what its declaration says.

/// Where and in what surroundings a subject is started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// CPUs that it may use; none given: those of Proofload.
    pub cpus: &'a [usize],
    /// Bytes that are added to its environment. They move its stack, and with it what lies in which line of a cache.
    pub environment_bytes: usize,
}

impl<'a> From<&'a [usize]> for Surroundings<'a> {
    fn from(cpus: &'a [usize]) -> Self {
        Surroundings { cpus, environment_bytes: 0 }
    }
}

impl<'a, const N: usize> From<&'a [usize; N]> for Surroundings<'a> {
    fn from(cpus: &'a [usize; N]) -> Self {
        Surroundings::from(&cpus[..])
    }
}
