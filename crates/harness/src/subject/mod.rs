//! Subjects: fetched, verified, started, ready, stopped.
