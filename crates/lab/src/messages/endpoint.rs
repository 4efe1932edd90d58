//! Sentences about addresses that are loaded without a study.

/// No address, or too many.
pub fn bad_count(addresses: usize, most: usize) -> String {
    format!("{addresses} addresses cannot be loaded; give one, or a mix of at most {most}")
}

/// An address whose weight is no number.
pub fn bad_weight(address: &str) -> String {
    format!("{address}: a weight is a whole number from 1; write 3*http://host:port/path")
}
