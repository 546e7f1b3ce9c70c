//! Dates and moments as RFC 3339 writes them. The clock is the caller's.
use std::fmt;

const DAY: i64 = 24 * 60 * 60;

/// A day, counted from 1 January 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// `2026-01-21`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader(text.as_bytes());
        let day = reader.date()?;
        reader.0.is_empty().then_some(Self(day))
    }

    /// The day of a moment, in seconds since 1 January 1970.
    pub fn of_seconds(seconds: i64) -> Self {
        Self(seconds.div_euclid(DAY))
    }

    /// Days from `earlier` to this one.
    pub fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not later than the year that is sought, whether the years between are all long or all
        // short.
        let mut year = 1970 + self.0.div_euclid(366).min(self.0.div_euclid(365));
        while self.0 >= days_before(year + 1) {
            year += 1;
        }
        let mut rest = self.0 - days_before(year);
        let mut month = 1;
        while rest >= i64::from(days_of(year, month)) {
            rest -= i64::from(days_of(year, month));
            month += 1;
        }
        write!(f, "{year:04}-{month:02}-{:02}", rest + 1)
    }
}

/// The day, in UTC, of a date with a time: `2026-05-08T10:00:00Z`, `2026-05-08t10:00:00.5+02:00`.
pub fn day_of(date_time: &str) -> Option<Day> {
    seconds_of(date_time).map(Day::of_seconds)
}

/// Seconds since 1 January 1970. A leap second is the first of the next minute.
pub fn seconds_of(date_time: &str) -> Option<i64> {
    let mut reader = Reader(date_time.as_bytes());
    let day = reader.date()?;
    reader.one_of(b"Tt")?;
    let hour = reader.number(2, 0, 23)?;
    reader.one_of(b":")?;
    let minute = reader.number(2, 0, 59)?;
    reader.one_of(b":")?;
    let second = reader.number(2, 0, 60)?;
    if reader.one_of(b".").is_some() {
        let digits = reader.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        reader.0 = &reader.0[digits..];
        (digits > 0).then_some(())?;
    }
    let ahead = match reader.one_of(b"Zz+-")? {
        b'Z' | b'z' => 0,
        sign => {
            let hours = reader.number(2, 0, 23)?;
            reader.one_of(b":")?;
            let minutes = hours * 60 + reader.number(2, 0, 59)?;
            if sign == b'-' { -minutes * 60 } else { minutes * 60 }
        }
    };
    reader.0.is_empty().then_some(day * DAY + hour * 3600 + minute * 60 + second - ahead)
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn date(&mut self) -> Option<i64> {
        let year = self.number(4, 0, 9999)?;
        self.one_of(b"-")?;
        let month = self.number(2, 1, 12)?;
        self.one_of(b"-")?;
        let day = self.number(2, 1, i64::from(days_of(year, month)))?;
        let months = (1..month).map(|month| i64::from(days_of(year, month))).sum::<i64>();
        Some(days_before(year) + months + day - 1)
    }

    fn number(&mut self, digits: usize, least: i64, most: i64) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        let mut sum = 0;
        for byte in number {
            sum = sum * 10 + i64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        }
        self.0 = rest;
        (least..=most).contains(&sum).then_some(sum)
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        bytes.contains(first).then(|| self.0 = rest)?;
        Some(*first)
    }
}

/// Days from 1 January 1970 to that of the year.
fn days_before(year: i64) -> i64 {
    // Leap years up to the end of the year before.
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

fn days_of(year: i64, month: i64) -> u8 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_strictly() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-05-08T10:00:00Z", 1_778_234_400),
            ("2026-05-08t10:00:00.123456789z", 1_778_234_400),
            ("2026-05-08T12:00:00+02:00", 1_778_234_400),
            ("2026-05-08T04:30:00-05:30", 1_778_234_400),
            ("2000-02-29T23:59:60Z", 951_868_800),
            ("1969-12-31T23:59:59Z", -1),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
        ] {
            assert_eq!(seconds_of(text), Some(seconds), "{text}");
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
            "2026-05-08T10:00:00Z ",
            "2026-05-08T10:00:00é",
        ] {
            assert_eq!(seconds_of(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_read_and_written() {
        for text in ["1970-01-01", "2000-02-29", "2026-11-15", "1969-12-31", "9999-12-31", "0000-03-01"] {
            assert_eq!(Day::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Day::parse("2026-02-30"), None);
        assert_eq!(Day::parse("2026-02-03T"), None);
        assert_eq!(Day::parse("2026-03-01").unwrap().since(Day::parse("2026-02-01").unwrap()), 28);
        assert_eq!(day_of("2026-05-08T01:00:00+02:00"), Day::parse("2026-05-07"));
    }
}
