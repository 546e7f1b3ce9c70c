//! Misbehaviour that no call asks for, as options of the command line.
use std::path::PathBuf;

use super::process::append;

/// The habits of a server. All are off by default, which makes an ordinary server.
#[derive(Debug, Clone, Default)]
pub struct Habits {
    /// Text that is written to standard output at the start, and before each message.
    pub noise: Option<String>,
    /// Exit with this status before reading anything.
    pub exit_at_start: Option<i32>,
    /// Exit with this status at the handshake.
    pub exit_at_hello: Option<i32>,
    /// From this start on, counted in the file of `starts`, the habits above and `mute`, `deaf` and
    /// `slow` are off.
    pub healed_at_start: Option<usize>,
    /// Never answer the handshake.
    pub mute: bool,
    /// Never read.
    pub deaf: bool,
    /// Read one byte a second.
    pub slow: bool,
    /// Keep running when the input has ended.
    pub stay: bool,
    /// Don't know `server/discover`.
    pub legacy: bool,
    /// Don't know `initialize`.
    pub modern: bool,
    /// The response to every HTTP request.
    pub always: Option<String>,
    /// A file that gets a line with the `nonce` of every call that notes it.
    pub counts: Option<PathBuf>,
    /// A file that gets a line for every start.
    pub starts: Option<PathBuf>,
    /// A file that gets a line for every HTTP request: its head as JSON.
    pub requests: Option<PathBuf>,
}

impl Habits {
    /// Reads the options of a command line. Returns the remaining words too.
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

    /// Notes this start, and turns off the habits that end with it.
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
