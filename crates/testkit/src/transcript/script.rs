//! Reads a transcript file into cases.
use overt_wire::era::{Era, Version};
use overt_wire::json::JsonBuf;

use super::pattern::Pattern;

/// One conversation.
#[derive(Debug, Clone)]
pub struct Case {
    pub title: String,
    /// File and line of its title.
    pub place: String,
    pub server: String,
    pub eras: Vec<Era>,
    /// The version to speak in the older era.
    pub version: Version,
    pub client: JsonBuf,
    /// Whether it is played over streams of lines.
    pub lines: bool,
    pub http: bool,
    /// Whether messages are sent exactly as written, and compared exactly as received.
    pub bare: bool,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) place: String,
    pub(super) only: Option<Era>,
    pub(super) action: Action,
}

#[derive(Debug, Clone)]
pub(super) enum Action {
    Send(String),
    /// The next message must match.
    Next(Pattern),
    /// Some message before the end must match.
    Sometime(Pattern),
}

/// Reads the cases of a file. `name` appears in error messages.
pub fn read(name: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(title) = line.strip_prefix("==") {
            cases.push(Case::new(title.trim(), &place));
            continue;
        }
        let case = cases.last_mut().ok_or_else(|| format!("{place}: a case begins with `== title`"))?;
        case.read_line(line, &place).map_err(|problem| format!("{place}: {problem}"))?;
    }
    Ok(cases)
}

impl Case {
    fn new(title: &str, place: &str) -> Self {
        Self {
            title: title.into(),
            place: place.into(),
            server: "example".into(),
            eras: vec![Era::Legacy, Era::Modern],
            version: Version::NEWEST_LEGACY,
            client: JsonBuf::empty_object(),
            lines: true,
            http: true,
            bare: false,
            steps: Vec::new(),
        }
    }

    fn read_line(&mut self, line: &str, place: &str) -> Result<(), String> {
        let (only, rest) = match line.split_once(' ') {
            Some(("legacy", rest)) => (Some(Era::Legacy), rest.trim_start()),
            Some(("modern", rest)) => (Some(Era::Modern), rest.trim_start()),
            _ => (None, line),
        };
        let action = if let Some(text) = rest.strip_prefix("-->") {
            Action::Send(text.trim().into())
        } else if let Some(text) = rest.strip_prefix("<--") {
            Action::Next(Pattern::parse(text)?)
        } else if let Some(text) = rest.strip_prefix("<~~") {
            Action::Sometime(Pattern::parse(text)?)
        } else if self.steps.is_empty() {
            return self.read_setting(line);
        } else {
            return Err(format!("neither `-->`, `<--` nor `<~~`: {line}"));
        };
        self.steps.push(Step { place: place.into(), only, action });
        Ok(())
    }

    fn read_setting(&mut self, line: &str) -> Result<(), String> {
        let (name, value) = line.split_once(':').map_or((line, ""), |(name, value)| (name, value.trim()));
        match (name, value) {
            ("server", server) => self.server = server.into(),
            ("eras", "legacy") => self.eras = vec![Era::Legacy],
            ("eras", "modern") => self.eras = vec![Era::Modern],
            ("version", version) => {
                self.version =
                    Version::parse(version).ok_or_else(|| format!("unknown version: {version}"))?;
            }
            ("client", client) => {
                self.client = JsonBuf::parse(client).map_err(|fault| fault.to_string())?;
            }
            ("over", "lines") => self.http = false,
            ("over", "http") => self.lines = false,
            ("bare", "") => self.bare = true,
            _ => return Err(format!("unknown setting: {line}")),
        }
        Ok(())
    }
}
