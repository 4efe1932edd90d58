//! Values that are made up: times and identifiers.

use crate::load::Random;
use proofload_wire::Values;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Form of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum TimeForm {
    /// Seconds since 1970 (UTC).
    Unix,
    /// Milliseconds since 1970 (UTC).
    UnixMs,
    /// `2026-11-28T18:02:11.123Z` (RFC 3339).
    Iso,
}

impl TimeForm {
    /// Appends a time, in nanoseconds since 1970.
    pub(super) fn write(self, unix_ns: i64, into: &mut Values) {
        match self {
            TimeForm::Unix => into.append_number((unix_ns / 1_000_000_000) as u64),
            TimeForm::UnixMs => into.append_number((unix_ns / 1_000_000) as u64),
            TimeForm::Iso => {
                // Every number of nanoseconds in 64 bits is a date.
                let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ns))
                    .unwrap_or(OffsetDateTime::UNIX_EPOCH);
                let mut text = *b"0000-00-00T00:00:00.000Z";
                let mut digits = |from: usize, to: usize, mut number: u32| {
                    for digit in text[from..to].iter_mut().rev() {
                        *digit = b'0' + (number % 10) as u8;
                        number /= 10;
                    }
                };
                digits(0, 4, at.year().unsigned_abs());
                digits(5, 7, u32::from(u8::from(at.month())));
                digits(8, 10, u32::from(at.day()));
                digits(11, 13, u32::from(at.hour()));
                digits(14, 16, u32::from(at.minute()));
                digits(17, 19, u32::from(at.second()));
                digits(20, 23, u32::from(at.millisecond()));
                into.append(&text);
            }
        }
    }
}

/// Appends a random identifier (RFC 9562, version 4).
pub(super) fn uuid(mut random: Random, into: &mut Values) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let high = random.next_u64() & !0xf000 | 0x4000;
    let low = random.next_u64() & !(0b11 << 62) | 0b10 << 62;
    let mut rest = u128::from(high) << 64 | u128::from(low);
    let mut text = *b"00000000-0000-0000-0000-000000000000";
    for digit in text.iter_mut().rev().filter(|byte| **byte != b'-') {
        *digit = HEX[(rest & 0xf) as usize];
        rest >>= 4;
    }
    into.append(&text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Values)) -> String {
        let mut values = Values::default();
        write(&mut values);
        values.end();
        String::from_utf8(values.get(0).to_vec()).unwrap()
    }

    #[test]
    fn a_time_in_each_form() {
        let leap_day = 1_709_164_799_987_654_321;
        for (form, expected) in [
            (TimeForm::Unix, "1709164799"),
            (TimeForm::UnixMs, "1709164799987"),
            (TimeForm::Iso, "2024-02-28T23:59:59.987Z"),
        ] {
            assert_eq!(text(|into| form.write(leap_day, into)), expected);
        }
        assert_eq!(text(|into| TimeForm::Iso.write(leap_day + 20_000_000, into)), "2024-02-29T00:00:00.007Z");
        assert_eq!(text(|into| TimeForm::Iso.write(0, into)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn an_identifier_has_its_version_and_variant_and_is_another_each_time() {
        let of = |stream| text(|into| uuid(Random::new(7, stream), into));
        let seen: std::collections::BTreeSet<String> = (0..1000).map(of).collect();
        assert_eq!(seen.len(), 1000);
        for one in &seen {
            let parts: Vec<usize> = one.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{one}");
            assert!(&one[14..15] == "4" && "89ab".contains(&one[19..20]), "{one}");
        }
        assert_eq!(of(3), of(3));
    }
}
