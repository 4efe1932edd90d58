//! Programs that measure Proofload itself; each is a binary of its own.
