//! The values of `java.time` (`java.time.Ser`). They are externalizable, so in protocol version 1, which RMI writes, only
//! their class knows where they end; they are common enough to be known here.

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
