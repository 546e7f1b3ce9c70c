//! What the server does without being asked, as options of its command line.
use std::path::PathBuf;

use super::process::append;

/// All off by default: then it is an ordinary server.
#[derive(Debug, Clone, Default)]
pub struct Habits {
    /// Said on standard output before anything else, and before each message.
    pub noise: Option<String>,
    /// Ends with this status before it reads anything.
    pub exit_at_start: Option<i32>,
    /// Ends with this status when it is asked who it is.
    pub exit_at_hello: Option<i32>,
    /// The habits above and `mute`, `deaf` and `slow` end with this start, counted in the file of
    /// `starts`.
    pub healed_at_start: Option<usize>,
    /// Never says who it is.
    pub mute: bool,
    /// Never reads.
    pub deaf: bool,
    /// Reads a byte a second.
    pub slow: bool,
    /// Goes on when its input has ended.
    pub stay: bool,
    /// Knows no `server/discover`.
    pub legacy: bool,
    /// Knows no `initialize`.
    pub modern: bool,
    /// The response to every HTTP request.
    pub always: Option<String>,
    /// Gets a line for every call that notes its `nonce`.
    pub counts: Option<PathBuf>,
    /// Gets a line for every start.
    pub starts: Option<PathBuf>,
    /// Gets a line for every HTTP request: its head as JSON.
    pub requests: Option<PathBuf>,
}

impl Habits {
    /// Reads the options of a command line; what is left over comes back.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<(Self, Vec<String>), String> {
        let (mut habits, mut rest) = (Self::default(), Vec::new());
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--noise" => habits.noise = Some(value()?),
                "--exit-at-start" => habits.exit_at_start = Some(number(&value()?)?),
                "--exit-at-hello" => habits.exit_at_hello = Some(number(&value()?)?),
                "--healed-at-start" => habits.healed_at_start = Some(number(&value()?)?),
                "--mute" => habits.mute = true,
                "--deaf" => habits.deaf = true,
                "--slow" => habits.slow = true,
                "--stay" => habits.stay = true,
                "--legacy" => habits.legacy = true,
                "--modern" => habits.modern = true,
                "--always" => habits.always = Some(value()?),
                "--counts" => habits.counts = Some(value()?.into()),
                "--starts" => habits.starts = Some(value()?.into()),
                "--requests" => habits.requests = Some(value()?.into()),
                _ => rest.push(word),
            }
        }
        Ok((habits, rest))
    }

    /// Notes this start, and leaves the habits off that have ended with it.
    #[must_use]
    pub fn started(self) -> Self {
        let Some(file) = &self.starts else { return self };
        append(file, &std::process::id().to_string());
        let start = std::fs::read_to_string(file).map_or(0, |text| text.lines().count());
        if self.healed_at_start.is_none_or(|healed| start < healed) {
            return self;
        }
        Self {
            noise: None,
            exit_at_start: None,
            exit_at_hello: None,
            mute: false,
            deaf: false,
            slow: false,
            ..self
        }
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}
