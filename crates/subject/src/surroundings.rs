//! Surroundings of a subject at its start, beside its declaration.

use std::net::{IpAddr, Ipv4Addr};

/// Address, CPUs and environment with which a subject is started.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Address on which it listens, one of this machine's, and at which the load generator finds it.
    pub address: IpAddr,
    /// CPUs that it may use; none given: those of Proofload.
    pub cpus: &'a [usize],
    /// Bytes that are added to its environment. They move its stack, and with it the layout in the lines of a cache.
    pub environment_bytes: usize,
}

impl Default for Surroundings<'_> {
    fn default() -> Self {
        Surroundings { address: IpAddr::V4(Ipv4Addr::LOCALHOST), cpus: &[], environment_bytes: 0 }
    }
}

impl<'a> From<&'a [usize]> for Surroundings<'a> {
    fn from(cpus: &'a [usize]) -> Self {
        Surroundings { cpus, ..Surroundings::default() }
    }
}

impl<'a, const N: usize> From<&'a [usize; N]> for Surroundings<'a> {
    fn from(cpus: &'a [usize; N]) -> Self {
        Surroundings::from(&cpus[..])
    }
}
