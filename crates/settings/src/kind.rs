//! The kinds of values that a setting can have, and how each is written.
use std::time::Duration;

/// The kind of a setting's value, with its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Flag,
    Integer {
        min: u64,
        max: u64,
    },
    /// A size: a number of bytes, or a text such as `64KiB`.
    Bytes {
        min: u64,
        max: u64,
    },
    /// A time: a text such as `45s`, or a number of seconds.
    Duration {
        min: Duration,
        max: Duration,
    },
    Text,
    /// One of these words. If a policy may narrow it, the strictest comes first.
    Choice(&'static [&'static str]),
    /// Permission scopes such as `write:file`.
    Scopes,
    /// Patterns such as `src/**`.
    Globs,
    /// Strings in any order.
    Texts,
    /// A rate such as `100/minute`.
    Rate,
    /// Folders, each with restrictions. If a policy narrows them, every list of folders must allow
    /// a path.
    Regions,
}

/// The most entries of a list.
pub(super) const MOST_ITEMS: usize = 256;
/// The most bytes of a string.
pub(super) const LONGEST: usize = 1024;

impl Kind {
    /// Returns whether it is a list, so that a flag may be repeated.
    pub fn is_list(self) -> bool {
        matches!(self, Self::Scopes | Self::Globs | Self::Texts | Self::Regions)
    }

    /// Describes how a value is written, for errors that begin with `write`.
    pub fn example(self) -> String {
        match self {
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Integer { min, max: u64::MAX } => format!("a whole number, {min} or more"),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Bytes { min, max } => format!(
                "a number of bytes from {} to {}, such as `65536` or `64KiB`",
                bytes_text(min),
                bytes_text(max)
            ),
            Self::Duration { min, max } => {
                format!(
                    "a time from {} to {}, such as `500ms`, `45s` or `5m`",
                    time_text(min),
                    time_text(max)
                )
            }
            Self::Text => "a text".to_owned(),
            Self::Choice(words) => {
                format!(
                    "one of {}",
                    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
                )
            }
            Self::Scopes => "scopes such as `read`, `write:file` or `write:file:/a/b`".to_owned(),
            Self::Globs => "patterns such as `src/**` or `*.md`".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Rate => "a number and `second`, `minute`, `hour` or `day`, such as `1000/hour`".to_owned(),
            Self::Regions => {
                "a list of folders such as `[\"src\", { path = \"docs\", deny = [\"*.key\"] }]`".to_owned()
            }
        }
    }

    /// Returns the name of the value in the help of a flag.
    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Flag => "BOOL",
            Self::Integer { .. } => "N",
            Self::Bytes { .. } => "SIZE",
            Self::Duration { .. } => "TIME",
            Self::Text | Self::Texts => "TEXT",
            Self::Choice(_) => "WORD",
            Self::Scopes => "SCOPE",
            Self::Globs => "GLOB",
            Self::Rate => "RATE",
            Self::Regions => "FOLDER",
        }
    }
}

/// Formats a time as `500ms`, `45s`, `5m`, `1h` or `30d`: in the largest unit without a remainder.
pub(super) fn time_text(time: Duration) -> String {
    let seconds = time.as_secs();
    if time.subsec_millis() > 0 {
        return format!("{}ms", time.as_millis());
    }
    match seconds {
        0 => "0s".to_owned(),
        s if s % 86_400 == 0 => format!("{}d", s / 86_400),
        s if s % 3600 == 0 => format!("{}h", s / 3600),
        s if s % 60 == 0 => format!("{}m", s / 60),
        s => format!("{s}s"),
    }
}

/// Formats a size as `64KiB` or `1MiB`: in the largest unit without a remainder.
pub(super) fn bytes_text(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let whole = units.iter().find(|(_, shift)| bytes >= 1 << shift && bytes.is_multiple_of(1 << shift));
    match whole {
        Some((unit, shift)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

/// Parses a duration such as `45s`; `None` if it is invalid. Bounds are checked elsewhere.
pub(super) fn parse_time(text: &str) -> Option<Duration> {
    let (number, unit) = number_and_unit(text)?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "" | "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        "h" => number.checked_mul(3600).map(Duration::from_secs),
        "d" => number.checked_mul(86_400).map(Duration::from_secs),
        _ => None,
    }
}

pub(super) fn parse_bytes(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let shift = match unit {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return None,
    };
    number.checked_mul(1 << shift)
}

fn number_and_unit(text: &str) -> Option<(u64, &str)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit))
}
