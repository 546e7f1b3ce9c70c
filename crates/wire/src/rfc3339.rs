//! Dates and times in RFC 3339 format. The caller provides the clock.
//!
//! `jiff` does the arithmetic. It accepts more than RFC 3339 allows, so this module checks the
//! format of a text first.

use std::time::SystemTime;

use jiff::fmt::StdFmtWrite;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::TimeZone;

pub use jiff::Timestamp;
pub use jiff::civil::Date;

const TO_MILLISECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
const TO_MICROSECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(6));

/// The formats of a date, a time and an offset; `0` stands for a digit.
const DATE: &[u8] = b"0000-00-00";
const TIME: &[u8] = b"00:00:00";
const OFFSET: &[u8] = b"00:00";

/// Formats a time as `2026-07-28T09:05:00.250Z`.
pub fn format_millis(time: SystemTime) -> String {
    let mut text = String::with_capacity(24);
    push(&mut text, &TO_MILLISECONDS, time);
    text
}

/// Formats a time as `2026-07-28T09:05:00.250000Z`. These texts sort in the order of the times.
pub fn format_micros(time: SystemTime) -> String {
    let mut text = String::with_capacity(27);
    push_micros(&mut text, time);
    text
}

/// Appends the text that [`format_micros`] returns.
pub fn push_micros(text: &mut String, time: SystemTime) {
    push(text, &TO_MICROSECONDS, time);
}

/// A time before 1970 becomes 1970; a time after the year 9999 becomes the last valid moment.
fn push(text: &mut String, printer: &DateTimePrinter, time: SystemTime) {
    let time = Timestamp::try_from(time.max(SystemTime::UNIX_EPOCH)).unwrap_or(Timestamp::MAX);
    // Writing to a string can't fail.
    let _ = printer.print_timestamp(&time, StdFmtWrite(text));
}

/// Parses a date with a time: `2026-05-08T10:00:00Z`, `2026-05-08t10:00:00.5+02:00`. A leap second
/// is read as the last second of its minute.
pub fn parse(text: &str) -> Option<Timestamp> {
    let rest = after(text.as_bytes(), DATE)?;
    let rest = after(rest.strip_prefix(b"T").or_else(|| rest.strip_prefix(b"t"))?, TIME)?;
    let rest = match rest.strip_prefix(b".") {
        Some(fraction) => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (digits > 0).then(|| &fraction[digits..])?
        }
        None => rest,
    };
    let is_offset = match rest {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', offset @ ..] => after(offset, OFFSET) == Some(b"") && offset < b"24",
        _ => false,
    };
    is_offset.then(|| text.parse().ok()).flatten()
}

/// Parses a date such as `2026-01-21`.
pub fn parse_date(text: &str) -> Option<Date> {
    (after(text.as_bytes(), DATE)? == b"").then(|| text.parse().ok()).flatten()
}

/// The date in UTC.
pub fn date_of(time: Timestamp) -> Date {
    TimeZone::UTC.to_datetime(time).date()
}

/// Returns what follows a prefix of the given format.
fn after<'a>(text: &'a [u8], form: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(form.len())?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    start.iter().zip(form).all(fits).then_some(rest)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn times_are_written_and_read_again() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (1_785_229_500_250, "2026-07-28T09:05:00.250Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_millis(millis);
            assert_eq!(format_millis(time), text);
            assert_eq!(parse(text).map(SystemTime::from), Some(time));
            assert_eq!(parse(&format_micros(time)).map(SystemTime::from), Some(time));
        }
        assert_eq!(format_millis(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
        assert_eq!(format_micros(UNIX_EPOCH + Duration::from_secs(1 << 40)), "9999-12-30T22:00:00.999999Z");
    }

    #[test]
    fn only_texts_of_rfc_3339_are_read() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-05-08T10:00:00Z", 1_778_234_400),
            ("2026-05-08t10:00:00.123456789z", 1_778_234_400),
            ("2026-05-08T12:00:00+02:00", 1_778_234_400),
            ("2026-05-08T04:30:00-05:30", 1_778_234_400),
            ("2000-02-29T23:59:60Z", 951_868_799),
            ("1969-12-31T23:59:59Z", -1),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
        ] {
            assert_eq!(parse(text).map(Timestamp::as_second), Some(seconds), "{text}");
        }
        for text in [
            "",
            "2026-05-08",
            "2026-05-08 10:00:00Z",
            "2026-05-08T10:00Z",
            "2026-05-08T10:00:00",
            "2026-05-08T10:00:00.Z",
            "2026-05-08T24:00:00Z",
            "2026-05-08T10:60:00Z",
            "2026-13-08T10:00:00Z",
            "2026-02-29T10:00:00Z",
            "1900-02-29T10:00:00Z",
            "2026-5-8T10:00:00Z",
            "+026-05-08T10:00:00Z",
            "2026-05-08T10:00:00+0200",
            "2026-05-08T10:00:00+24:00",
            "2026-05-08T10:00:00+02:60",
            "2026-05-08T10:00:00Z ",
            "2026-05-08T10:00:00é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn dates_are_read_and_told_in_utc() {
        for text in ["1970-01-01", "2000-02-29", "2026-11-15", "1969-12-31", "9999-12-31", "0000-03-01"] {
            assert_eq!(parse_date(text).unwrap().to_string(), text);
        }
        assert_eq!(parse_date("2026-02-30"), None);
        assert_eq!(parse_date("2026-02-03T"), None);
        assert_eq!(parse("2026-05-08T01:00:00+02:00").map(date_of), parse_date("2026-05-07"));
    }
}
