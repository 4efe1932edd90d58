//! Dates of cookies, in any of the forms that servers write (RFC 6265, 5.1.1).

/// Seconds since 1970 (UTC) at a cookie's date; `None` of what is no date.
pub(super) fn unix_seconds(date: &[u8]) -> Option<i64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in date.split(|&byte| is_delimiter(byte)).filter(|token| !token.is_empty()) {
        if time.is_none() && clock(token).is_some() {
            time = clock(token);
        } else if day.is_none() && number(token, 1, 2).is_some() {
            day = number(token, 1, 2);
        } else if month.is_none() && month_of(token).is_some() {
            month = month_of(token);
        } else if year.is_none() {
            year = number(token, 2, 4);
        }
    }
    let ([hour, minute, second], day, month) = (time?, day?, month?);
    let year = match year? {
        short @ 0..70 => short + 2000,
        short @ 70..100 => short + 1900,
        year => year,
    };
    let begin = days_to(year, month);
    let days = days_to(year, month + 1) - begin;
    let fits = year >= 1601 && (1..=days).contains(&day) && hour < 24 && minute < 60 && second < 60;
    fits.then(|| (((begin + day - 1) * 24 + hour) * 60 + minute) * 60 + second)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, 0x09 | 0x20..=0x2f | 0x3b..=0x40 | 0x5b..=0x60 | 0x7b..=0x7e)
}

/// Number at a token's beginning that has `least` to `most` digits; what follows it is no digit.
fn number(token: &[u8], least: usize, most: usize) -> Option<i64> {
    let digits = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = |value, digit: &u8| value * 10 + i64::from(digit - b'0');
    (least..=most).contains(&digits).then(|| token[..digits].iter().fold(0, value))
}

/// Hour, minute and second.
fn clock(token: &[u8]) -> Option<[i64; 3]> {
    let mut parts = token.splitn(3, |&byte| byte == b':');
    let mut whole = || parts.next().filter(|part| part.iter().all(u8::is_ascii_digit));
    let (hour, minute) = (number(whole()?, 1, 2)?, number(whole()?, 1, 2)?);
    Some([hour, minute, number(parts.next()?, 1, 2)?])
}

fn month_of(token: &[u8]) -> Option<i64> {
    const MONTHS: [&[u8]; 12] =
        [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
    let name = token.get(..3)?;
    (1..).zip(MONTHS).find(|(_, month)| name.eq_ignore_ascii_case(month)).map(|(number, _)| number)
}

/// Days from 1970-01-01 to the first of that month of the Gregorian calendar; the 13th is January of the next year. Years
/// begin with March here, so that a leap day is the last of its year.
fn days_to(year: i64, month: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + (month * 153 + 2) / 5 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_form_that_the_rfc_reads_is_the_same_instant() {
        for date in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "6 november 1994 8:49:37",
            "1994 NOV 6 08:49:37",
            "08:49:37 94 xx",
            "06nov 08:49:37pm nov 1994ad",
            "Sun;06@Nov/1994\t8:49:37 +0100",
            "06 Nov 1994 7 Dec 1999 08:49:37 09:00:00",
        ] {
            let expected = (date != "08:49:37 94 xx").then_some(784_111_777);
            assert_eq!(unix_seconds(date.as_bytes()), expected, "{date}");
        }
    }

    #[test]
    fn years_days_and_clocks_end_where_the_rfc_says() {
        for (date, expected) in [
            ("1 Jan 1970 0:0:0", Some(0)),
            ("31 Dec 1969 23:59:59", Some(-1)),
            ("01 Jan 70 00:00:01", Some(1)),
            ("01 Jan 69 00:00:00", Some(3_124_224_000)),
            ("29 Feb 2000 00:00:00", Some(951_782_400)),
            ("29 Feb 1900 00:00:00", None),
            ("29 Feb 2023 00:00:00", None),
            ("31 Apr 2024 00:00:00", None),
            ("19 Jan 2038 03:14:08", Some(2_147_483_648)),
            ("31 Dec 9999 23:59:59", Some(253_402_300_799)),
            ("01 Jan 1601 00:00:00", Some(-11_644_473_600)),
            ("31 Dec 1600 23:59:59", None),
            ("00 Jan 2000 00:00:00", None),
            ("32 Jan 2000 00:00:00", None),
            ("01 Jan 2000 24:00:00", None),
            ("01 Jan 2000 23:60:00", None),
            ("01 Jan 2000 23:59:60", None),
            ("01 Jan 20000 00:00:00", None),
            ("01 Jan 2000 00:00", None),
            ("01 Jan 2000 000:00:00", None),
            ("01 Ja 2000 00:00:00", None),
            ("", None),
            ("0", None),
        ] {
            assert_eq!(unix_seconds(date.as_bytes()), expected, "{date}");
        }
    }

    proptest! {
        #[test]
        fn odd_dates_never_panic(date in proptest::collection::vec(any::<u8>(), 0..60), near in "[0-9:a-z, ]{0,40}") {
            for date in [date.as_slice(), near.as_bytes()] {
                prop_assert!(unix_seconds(date).is_none_or(|at_s| at_s <= 253_402_300_799));
            }
        }

        #[test]
        fn dates_go_on_second_by_second(day in -60_000i64..2_000_000) {
            // A day's number back to a date, by counting years and months.
            let (mut year, mut left) = (1970, day);
            let length = |year: i64| 365 + i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
            while left < 0 {
                year -= 1;
                left += length(year);
            }
            while left >= length(year) {
                left -= length(year);
                year += 1;
            }
            let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
            let mut lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            lengths[1] += length(year) - 365;
            let month = lengths.iter().position(|days| {
                let is_here = left < *days;
                left -= if is_here { 0 } else { *days };
                is_here
            });
            let date = format!("{} {} {year:04} 23:59:59", left + 1, names[month.unwrap()]);
            prop_assert_eq!(unix_seconds(date.as_bytes()), Some((day + 1) * 86_400 - 1), "{}", date);
        }
    }
}
