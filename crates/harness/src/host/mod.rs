//! What machine this is, whether it is fit to measure, who runs on which CPU; the clock of this crate.
