//! Values on the command line that need their own parsers.
use std::net::SocketAddr;
use std::time::Duration;

use clap::builder::{BoolValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use overt_policy::word::StringEnum;
use overt_wire::era::Version;

/// A value, or the program's own choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auto<T> {
    Auto,
    Given(T),
}

/// What happens to a file that is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExistingFile {
    Keep,
    Replace,
}

/// What a flag means when it is left out, and when it is given.
pub(crate) fn flag<T: Copy + Send + Sync + 'static>(
    left_out: T,
    given: T,
) -> impl TypedValueParser<Value = T> {
    BoolValueParser::new().map(move |is_given| if is_given { given } else { left_out })
}

/// One of the words of an enumeration.
pub(crate) fn word<W: StringEnum + Send + Sync>() -> impl TypedValueParser<Value = W> {
    PossibleValuesParser::new(W::ALL.iter().map(|word| word.as_str())).map(|word| of_word(&word))
}

/// One of the words of an enumeration; the help says what each of them means.
pub(crate) fn explained_word<W: StringEnum + Send + Sync>(
    meaning: fn(W) -> &'static str,
) -> impl TypedValueParser<Value = W> {
    let values = W::ALL.iter().map(|word| PossibleValue::new(word.as_str()).help(meaning(*word)));
    PossibleValuesParser::new(values).map(|word| of_word(&word))
}

fn of_word<W: StringEnum>(word: &str) -> W {
    W::parse(word).expect("only words of the enumeration are possible")
}

/// Reads `500ms`, `30s`, `5m`, `1h`, or a bare number of seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| EXPECTED.to_owned())?;
    let time = match unit {
        "ms" => Some(Duration::from_millis(number)),
        "" | "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        "h" => number.checked_mul(3600).map(Duration::from_secs),
        _ => return Err(EXPECTED.to_owned()),
    };
    time.filter(|time| !time.is_zero() && *time <= LONGEST)
        .ok_or_else(|| "a time is more than nothing and at most `24h`".to_owned())
}

/// Reads `30m`, `8h`, `7d`, or a bare number of seconds: how long something holds.
pub(crate) fn lifetime(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let each = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => DAY,
        _ => return Err("expected a time such as `30m`, `8h` or `7d`".to_owned()),
    };
    let seconds = number.parse().ok().and_then(|number: u64| number.checked_mul(each));
    seconds
        .filter(|seconds| (1..=MOST_DAYS * DAY).contains(seconds))
        .map(Duration::from_secs)
        .ok_or_else(|| format!("a time is more than nothing and at most `{MOST_DAYS}d`"))
}

/// Reads an address of this machine with its port. What people type instead is told how it is
/// written.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost").unwrap_or(text).trim_start_matches(':');
    text.parse().map_err(|_| match port.parse::<u16>() {
        Ok(port) => format!("an address comes before the port: `127.0.0.1:{port}`"),
        Err(_) => "expected an address and a port, such as `127.0.0.1:8080` or `[::1]:8080`".to_owned(),
    })
}

/// `auto` and every version that we speak.
pub(crate) fn protocol() -> impl TypedValueParser<Value = Auto<Version>> {
    let names = std::iter::once("auto").chain(Version::ALL.map(Version::as_str));
    PossibleValuesParser::new(names).map(|name| Version::parse(&name).map_or(Auto::Auto, Auto::Given))
}

const EXPECTED: &str = "expected a time such as `500ms`, `30s` or `5m`";
const DAY: u64 = 24 * 3600;
const MOST_DAYS: u64 = 3_650;
const LONGEST: Duration = Duration::from_secs(24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u_07_an_address_has_a_port() {
        assert_eq!(address("127.0.0.1:8080").unwrap().port(), 8080);
        for port in ["8080", ":8080", "localhost:8080"] {
            assert_eq!(address(port), Err("an address comes before the port: `127.0.0.1:8080`".to_owned()));
        }
        for bad in ["", "localhost", "127.0.0.1", "example.com:80", "99999"] {
            assert!(address(bad).is_err_and(|error| error.starts_with("expected an address")), "{bad}");
        }
    }

    #[test]
    fn times_are_read_with_their_unit() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3600)));
        for bad in ["", "s", "1.5s", "-1", "5 m", "0", "25h", "99999999999999999999", "18446744073709551615h"]
        {
            assert!(duration(bad).is_err(), "{bad}");
        }
        assert_eq!(lifetime("7d"), Ok(Duration::from_secs(7 * 86_400)));
        assert_eq!(lifetime("30m"), Ok(Duration::from_secs(1_800)));
        for bad in ["", "d", "1w", "0d", "3651d", "-1", "99999999999999999999d"] {
            assert!(lifetime(bad).is_err(), "{bad}");
        }
    }
}
