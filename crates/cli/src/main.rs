//! proofload
fn main() {}
