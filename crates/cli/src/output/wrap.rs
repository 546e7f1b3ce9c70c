//! Formats clients' files before and after, as text and as JSON.
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::fold::hanging;
use super::safe::one_line;
use crate::error::CommandError;

/// The answer of `overt wrap` and `overt unwrap`.
#[derive(Debug, Serialize)]
pub(crate) struct WrapReport<'a> {
    pub(crate) files: &'a [FileReport],
}

/// The planned or finished change of a file.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct FileReport {
    #[serde(serialize_with = "lossy")]
    pub(crate) file: PathBuf,
    pub(crate) clients: String,
    pub(crate) servers: Vec<ServerReport>,
    pub(crate) diff: String,
    #[serde(rename = "written")]
    pub(crate) is_written: bool,
    #[serde(serialize_with = "lossy_if_any", skip_serializing_if = "Option::is_none")]
    pub(crate) backup: Option<PathBuf>,
    /// Why the file could not be read or written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ServerReport {
    pub(crate) name: String,
    pub(crate) outcome: &'static str,
    /// Why the server is left unchanged.
    #[serde(rename = "reason", skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// The first few names of tools. They come from a server, so they are escaped.
pub(crate) struct Names<'a>(pub(crate) &'a [String]);

/// Maximum number of names shown.
const MOST_NAMES: usize = 6;

/// The configurations that were found, and the servers in each.
pub(crate) fn found_text(reports: &[FileReport], width: Option<usize>) -> String {
    let count = reports.len();
    let mut text = match count {
        1 => "Found 1 client configuration:\n".to_owned(),
        _ => format!("Found {count} client configurations:\n"),
    };
    for report in reports {
        let path = one_line(&report.file.to_string_lossy());
        text.push('\n');
        text.push_str(&hanging(&format!("{path}  ({})", report.clients), (2, 4), width));
        if let Some(problem) = &report.problem {
            text.push_str(&hanging(&format!("can't be used: {}", one_line(problem)), (4, 6), width));
        } else if report.servers.is_empty() {
            text.push_str("    no servers\n");
        }
        for server in &report.servers {
            let note = server.note.as_ref().map(|note| format!(": {}", one_line(note))).unwrap_or_default();
            let line = format!("{}  {}{note}", one_line(&server.name), server.outcome);
            text.push_str(&hanging(&line, (4, 6), width));
        }
    }
    text
}

/// A path as text; bytes that are not UTF-8 are replaced.
fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

fn lossy_if_any<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => lossy(path, serializer),
        None => serializer.serialize_none(),
    }
}

/// A failure on one line, with its causes.
pub(crate) fn failure_line(failure: &CommandError) -> String {
    one_line(&failure.chain())
}

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.0.iter().take(MOST_NAMES).map(|name| one_line(name)).collect();
        f.write_str(&shown.join(", "))?;
        if self.0.len() > MOST_NAMES {
            write!(f, " and {} more", self.0.len() - MOST_NAMES)?;
        }
        Ok(())
    }
}
