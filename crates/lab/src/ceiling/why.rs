//! Why there is no ceiling.

/// Why the null server cannot stand for the load's servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Connections end after some exchanges.
    EndAfterSome,
    UnixSocket,
    Proxy,
    /// Some connections pass through what others do not.
    DifferentPassages,
    ClientCertificate,
    /// It speaks HTTP alone.
    Protocol,
}

/// Why what is in the cache is of no use.
#[derive(Clone, Debug, PartialEq)]
pub enum Unusable {
    /// There is none.
    Absent,
    /// It is no ceiling of this setting, whatever its name says.
    Damaged,
    TooOld,
    /// The fixed work took so many nanoseconds then, and takes so many now.
    AnotherSpeed(u64, u64),
}
