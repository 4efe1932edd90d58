//! The values of `java.time` (`java.time.Ser`). They are externalizable, so in protocol version 1, which RMI writes, only
//! their class knows where they end; they are common enough to be known here.

use crate::json::Told;

/// The `serialVersionUID` of `java.time.Ser`.
pub(crate) const UID: [u8; 8] = [0x95, 0x5d, 0x84, 0xba, 0x1b, 0x22, 0x48, 0xb2];

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimePart {
    /// The class, in one byte; its parts follow.
    Kind,
    /// This many bytes.
    Bytes(u8),
    /// A text with a length of two bytes.
    Text,
    /// Hours, of one byte; the complement when minutes and all below are 0 and left out.
    Hour,
    Minute,
    Second,
    /// Quarters of an hour in one byte, or 127 and then seconds in four.
    Offset,
}

/// Parts that follow one of one byte, in order; `None` when no class has that kind.
pub(crate) fn after(part: TimePart, byte: u8) -> Option<&'static [TimePart]> {
    use TimePart::{Bytes, Hour, Kind, Minute, Offset, Second, Text};
    let parts: &[TimePart] = match (part, byte) {
        (Hour, 0..=0x7f) => &[Minute],
        (Minute, 0..=0x7f) => &[Second],
        // Nanoseconds.
        (Second, 0..=0x7f) | (Offset, 127) => &[Bytes(4)],
        // Duration, Instant, Period.
        (Kind, 1 | 2 | 14) => &[Bytes(12)],
        // LocalDate, LocalTime, LocalDateTime, ZonedDateTime with its zone.
        (Kind, 3) => &[Bytes(6)],
        (Kind, 4) => &[Hour],
        (Kind, 5) => &[Bytes(6), Hour],
        (Kind, 6) => &[Bytes(6), Hour, Offset, Kind],
        // ZoneRegion, ZoneOffset, OffsetTime, OffsetDateTime.
        (Kind, 7) => &[Text],
        (Kind, 8) => &[Offset],
        (Kind, 9) => &[Hour, Offset],
        (Kind, 10) => &[Bytes(6), Hour, Offset],
        // Year, YearMonth, MonthDay.
        (Kind, 11) => &[Bytes(4)],
        (Kind, 12) => &[Bytes(5)],
        (Kind, 13) => &[Bytes(2)],
        (Kind, _) => return None,
        _ => &[],
    };
    Some(parts)
}

/// Writes a value of `java.time`: an instant as its milliseconds since 1970; dates and times, with an offset or
/// without, as texts of ISO 8601, and all others as their bytes.
pub(crate) fn tell(bytes: &[u8], told: &mut Told) {
    let text = match bytes.split_first() {
        Some((2, &[s1, s2, s3, s4, s5, s6, s7, s8, n1, n2, n3, n4])) => {
            let seconds = i64::from_be_bytes([s1, s2, s3, s4, s5, s6, s7, s8]);
            let millis = i64::from(u32::from_be_bytes([n1, n2, n3, n4]) / 1_000_000);
            return told.put(&seconds.saturating_mul(1000).saturating_add(millis).to_string());
        }
        Some((3, rest)) => date(rest).map(|(text, _)| text),
        Some((4, rest)) => time(rest).map(|(text, _)| text),
        Some((kind @ (5 | 6 | 10), rest)) => date(rest).and_then(|(date, rest)| {
            let (time, rest) = time(rest)?;
            let offset = if *kind == 5 { String::new() } else { offset(rest)? };
            Some(format!("{date}T{time}{offset}"))
        }),
        _ => None,
    };
    match text {
        Some(text) => told.text(&text),
        None => told.base64(bytes),
    }
}

fn date(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (&[y1, y2, y3, y4, month, day], rest) = bytes.split_first_chunk()?;
    let year = i32::from_be_bytes([y1, y2, y3, y4]);
    Some((format!("{year:04}-{month:02}-{day:02}"), rest))
}

/// The last of hours, minutes and seconds is the complement where all below is 0.
fn time(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (mut parts, mut at) = ([0; 3], 0);
    for part in &mut parts {
        let byte = *bytes.get(at)?;
        at += 1;
        *part = if byte > 0x7f { !byte } else { byte };
        if byte > 0x7f {
            let [hour, minute, second] = parts;
            return Some((format!("{hour:02}:{minute:02}:{second:02}"), &bytes[at..]));
        }
    }
    let ([hour, minute, second], (nanos, rest)) = (parts, bytes[at..].split_first_chunk()?);
    Some((format!("{hour:02}:{minute:02}:{second:02}.{:09}", u32::from_be_bytes(*nanos)), rest))
}

fn offset(bytes: &[u8]) -> Option<String> {
    let (&quarters, rest) = bytes.split_first()?;
    let seconds = match quarters {
        127 => i32::from_be_bytes(*rest.first_chunk()?),
        quarters => i32::from(quarters as i8) * 900,
    };
    let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
    Some(format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
}
