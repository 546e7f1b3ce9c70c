//! Moments in words, as RFC 3339 and ISO 8601 want them. Pure: the moment is passed in.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 60 * 60;

/// `2026-07-28T09:05:00.250Z`. A clock before 1970 is taken for 1970.
pub fn stamp(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}.{:03}Z", seconds(since.as_secs()), since.subsec_millis())
}

/// A moment to the microsecond: `2026-07-28T09:05:00.250000Z`. Such texts sort as the moments do.
pub fn precise(moment: SystemTime) -> String {
    let mut text = String::with_capacity(27);
    push_precise(&mut text, moment);
    text
}

/// Appends what [`precise`] returns.
pub fn push_precise(text: &mut String, moment: SystemTime) {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    push_seconds(text, since.as_secs());
    text.push('.');
    push_padded(text, u64::from(since.subsec_micros()), 6);
    text.push('Z');
}

/// The moment that a text in UTC names: a day, or a day and a time to the second or finer. `None`
/// for anything else.
pub fn moment(text: &str) -> Option<SystemTime> {
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, time.strip_suffix('Z')?),
        None => (text, "00:00:00"),
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [year, month, day] = numbers(day, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let is_fraction = (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !is_fraction || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = day_number(year, month, day)?;
    let nanos: u32 = format!("{fraction:0<9}").parse().ok()?;
    let whole = days * DAY + hour * 3600 + minute * 60 + second;
    UNIX_EPOCH.checked_add(Duration::new(whole, nanos))
}

fn numbers(text: &str, between: char, digits: [usize; 3]) -> Option<[u64; 3]> {
    let mut parts = text.split(between);
    let mut number = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let numbers = [number(digits[0])?, number(digits[1])?, number(digits[2])?];
    parts.next().is_none().then_some(numbers)
}

/// How many days after 1 January 1970, if there is such a day.
fn day_number(year: u64, month: u64, day: u64) -> Option<u64> {
    if year < 1970 || !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    let years: u64 = (1970..year).map(|year| 365 + leap(year)).sum();
    let lengths = months(year);
    let (before, length) =
        (&lengths[..usize::try_from(month - 1).ok()?], *lengths.get(usize::try_from(month - 1).ok()?)?);
    (day <= length).then(|| years + before.iter().sum::<u64>() + day - 1)
}

/// `2026-07-28T09:05:00`
fn seconds(since: u64) -> String {
    let mut text = String::with_capacity(19);
    push_seconds(&mut text, since);
    text
}

fn push_seconds(text: &mut String, since: u64) {
    let (year, month, day) = date(since / DAY);
    let seconds = since % DAY;
    let parts =
        [(month, '-'), (day, '-'), (seconds / 3600, 'T'), (seconds / 60 % 60, ':'), (seconds % 60, ':')];
    push_padded(text, year, 4);
    for (part, before) in parts {
        text.push(before);
        push_padded(text, part, 2);
    }
}

/// Appends a number with zeros before it. The audit log writes many of them, and formatting takes
/// longer.
fn push_padded(text: &mut String, number: u64, digits: u32) {
    // A year may have more digits than four.
    let digits = digits.max(number.checked_ilog10().map_or(1, |last| last + 1));
    for place in (0..digits).rev() {
        let digit = number / 10_u64.pow(place) % 10;
        text.push(char::from(b'0' + u8::try_from(digit).unwrap_or_default()));
    }
}

fn months(year: u64) -> [u64; 12] {
    [31, 28 + leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// The date of a day, counted from 1 January 1970. Years begin in March here, so that the leap day
/// is the last of one.
fn date(days: u64) -> (u64, u64, u64) {
    /// From 1 March of the year 0 to 1 January 1970.
    const DAYS_TO_1970: u64 = 719_468;
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let days = days + DAYS_TO_1970;
    let day_of_era = days % DAYS_OF_400_YEARS;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // March is 0. Five months have 153 days, wherever they begin.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = days / DAYS_OF_400_YEARS * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

/// One for a year with a leap day.
fn leap(year: u64) -> u64 {
    u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_iso_8601() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (1_785_229_500_250, "2026-07-28T09:05:00.250Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_millis(millis);
            assert_eq!(stamp(time), text);
            assert_eq!(moment(text), Some(time));
            assert_eq!(moment(&precise(time)), Some(time));
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_found_again() {
        for days in 0..146_097 {
            let time = UNIX_EPOCH + Duration::from_secs(days * DAY);
            assert_eq!(moment(&precise(time)), Some(time), "{}", precise(time));
        }
    }

    #[test]
    fn only_moments_in_utc_are_read() {
        assert_eq!(moment("1970-01-02"), Some(UNIX_EPOCH + Duration::from_secs(DAY)));
        assert_eq!(
            moment("1970-01-01T00:00:01.000001Z"),
            Some(UNIX_EPOCH + Duration::from_micros(1_000_001))
        );
        for bad in [
            "",
            "1969-12-31",
            "2026-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "2026-1-1",
            "2026-01-01T00:00:00",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+01:00",
            "+026-01-01",
        ] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }
}
