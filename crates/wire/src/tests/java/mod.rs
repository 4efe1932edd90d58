//! Java's object serialization: what is written, where a value ends, what people are told, limits, cost, whatever bytes.

mod fuzzed;
mod limits;
mod random;
mod told;
mod walked;
mod written;

/// The stream of this name that Java wrote.
pub fn fixture(name: &str) -> Vec<u8> {
    let all = include_str!("fixtures/values.txt");
    let line = all.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    unhex(line.unwrap_or_else(|| panic!("no stream {name}")))
}

/// The names of all streams that Java wrote.
fn names() -> impl Iterator<Item = &'static str> {
    include_str!("fixtures/values.txt").lines().filter_map(|line| Some(line.split_once(' ')?.0))
}

/// The bytes of hexadecimal text.
pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.bytes().filter_map(|byte| (byte as char).to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
