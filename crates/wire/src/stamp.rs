//! Moments in words, as RFC 3339 and ISO 8601 want them. Pure: the moment is passed in.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 60 * 60;

/// `2026-07-28T09:05:00.250Z`. A clock before 1970 is taken for 1970.
pub fn stamp(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}.{:03}Z", seconds(since.as_secs()), since.subsec_millis())
}

/// The same to the microsecond: `2026-07-28T09:05:00.250000Z`. Such texts sort as the moments do.
pub fn precise(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}.{:06}Z", seconds(since.as_secs()), since.subsec_micros())
}

/// The moment that a text in UTC names: a day, or a day and a time to the second or finer. `None` for anything else.
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
    let (year, month, day) = date(since / DAY);
    let seconds = since % DAY;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

fn months(year: u64) -> [u64; 12] {
    [31, 28 + leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// The date of a day, counted from 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    while days >= 365 + leap(year) {
        days -= 365 + leap(year);
        year += 1;
    }
    let mut month = 1;
    for length in months(year) {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
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
