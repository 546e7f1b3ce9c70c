//! Parses points in time as people write them: `yesterday`, `2026-11-15`, `90m`. Days are those of
//! the local time zone.
use std::time::SystemTime;

use jiff::civil::{Date, Time};
use jiff::{SignedDuration, Timestamp, ToSpan as _, Zoned};

/// The moment that a text denotes; `None` if it is not a time.
pub(super) fn parse(text: &str, now: &Zoned) -> Option<SystemTime> {
    let day = match text {
        "now" => return Some(now.timestamp().into()),
        "today" => Some(now.date()),
        "yesterday" => now.date().checked_sub(1.day()).ok(),
        text => weekday(text, now)
            .or_else(|| text.parse::<Date>().ok().filter(|_| text.len() == "2026-11-15".len())),
    };
    if let Some(day) = day {
        return day.to_zoned(now.time_zone().clone()).ok().map(|start| start.timestamp().into());
    }
    let moment = text.parse::<Timestamp>().ok().map(SystemTime::from);
    moment.or_else(|| clock(text, now)).or_else(|| ago(text, now))
}

/// The most recent day of this name: `monday` is today on a Monday.
fn weekday(text: &str, now: &Zoned) -> Option<Date> {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let wanted = DAYS.iter().position(|day| day.eq_ignore_ascii_case(text))?;
    let today = usize::try_from(now.date().weekday().to_monday_zero_offset()).ok()?;
    let past = i64::try_from((today + 7 - wanted) % 7).ok()?;
    now.date().checked_sub(past.days()).ok()
}

/// A time of the current day, such as `14:00`.
fn clock(text: &str, now: &Zoned) -> Option<SystemTime> {
    let (hour, minute) = text.split_once(':')?;
    let number = |part: &str, length: usize| {
        part.parse::<i8>().ok().filter(|_| part.len() <= length && !part.starts_with(['+', '-']))
    };
    let time = Time::new(number(hour, 2)?, number(minute, 2)?, 0, 0).ok()?;
    let moment = now.date().to_datetime(time).to_zoned(now.time_zone().clone()).ok()?;
    Some(moment.timestamp().into())
}

/// A time before now, such as `90m`, `12h`, `7d` or `2w`.
fn ago(text: &str, now: &Zoned) -> Option<SystemTime> {
    let text = text.strip_suffix(" ago").unwrap_or(text);
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let number: u32 = text[..text.len() - 1].parse().ok()?;
    let past = SignedDuration::from_secs(i64::from(number) * unit);
    now.timestamp().checked_sub(past).ok().map(SystemTime::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<String> {
        let now: Zoned = "2026-11-16T08:30:00+01:00[Europe/Berlin]".parse().unwrap();
        parse(text, &now).map(|moment| Timestamp::try_from(moment).unwrap().to_string())
    }

    #[test]
    fn people_say_when_in_their_own_words() {
        for (text, expected) in [
            ("now", "2026-11-16T07:30:00Z"),
            ("today", "2026-11-15T23:00:00Z"),
            ("yesterday", "2026-11-14T23:00:00Z"),
            ("2026-11-01", "2026-10-31T23:00:00Z"),
            ("2026-10-25", "2026-10-24T22:00:00Z"),
            ("2026-11-15T12:00:00Z", "2026-11-15T12:00:00Z"),
            ("2026-11-15T12:00:00+01:00", "2026-11-15T11:00:00Z"),
            ("90m", "2026-11-16T06:00:00Z"),
            ("2h ago", "2026-11-16T05:30:00Z"),
            ("1d", "2026-11-15T07:30:00Z"),
            ("2w", "2026-11-02T07:30:00Z"),
            ("monday", "2026-11-15T23:00:00Z"),
            ("Sunday", "2026-11-14T23:00:00Z"),
            ("tuesday", "2026-11-09T23:00:00Z"),
            ("08:15", "2026-11-16T07:15:00Z"),
        ] {
            assert_eq!(at(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "soon",
            "m",
            "-5m",
            "5x",
            "2026-13-01",
            "20261115",
            "99999999999d",
            "ü",
            "25:00",
            "8:",
            "mon",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
