//! The two streams, and which messages each verbosity prints.
use std::error::Error;
use std::io::{self, Write};

use overt_wire::json::Json;
use serde::Serialize;

use super::fold::message;
use super::progress::{Progress, ProgressReport};
use super::report::to_json;
use super::style::{ERROR, HINT, WARNING, paint};
use super::{safe, style};
use crate::error::{CommandError, Diagnostic, Exit};
use crate::settings::{Env, Verbosity};

/// The only way to standard output and standard error.
#[derive(Debug)]
pub(crate) struct Printer {
    verbosity: Verbosity,
    stdout_is_terminal: bool,
    stderr_is_terminal: bool,
    progress: Progress,
}

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write to standard output")]
pub(crate) struct OutputError(#[source] io::Error);

impl OutputError {
    /// Whether the reader closed the pipe early, as `head` does.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

impl Diagnostic for OutputError {}

/// Prints clap's messages: help and versions go to standard output, mistakes to standard error.
pub(crate) fn usage(error: &clap::Error) -> Result<Exit, CommandError> {
    error.print().map_err(OutputError)?;
    Ok(if error.use_stderr() { Exit::Usage } else { Exit::Ok })
}

/// Prints one of our own texts before the output settings are known.
pub(crate) fn guide(text: &str) -> Result<Exit, CommandError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(OutputError)?;
    Ok(Exit::Ok)
}

impl Printer {
    pub(crate) fn new(verbosity: Verbosity, env: &Env) -> Self {
        let progress = Progress::new(verbosity, env.stderr_is_terminal);
        let Env { stdout_is_terminal, stderr_is_terminal, .. } = *env;
        Self { verbosity, stdout_is_terminal, stderr_is_terminal, progress }
    }

    /// Width in columns of the terminal that shows the data, if there is one.
    pub(crate) fn width(&self) -> Option<usize> {
        let size = self.stdout_is_terminal.then(|| terminal_size::terminal_size_of(io::stdout())).flatten();
        size.map(|(width, _)| usize::from(width.0))
    }

    /// Prints a message in sentences, wrapped between words on a terminal.
    fn say(&self, text: &str) {
        let size = self.stderr_is_terminal.then(|| terminal_size::terminal_size_of(io::stderr())).flatten();
        match size {
            Some((width, _)) => self.stderr(&message(text, usize::from(width.0))),
            None => self.stderr(text),
        }
    }

    /// Prints our own text, or text from others that is already escaped.
    pub(crate) fn text(&self, text: &str) -> Result<(), OutputError> {
        self.progress.suspend(|| {
            let mut stdout = anstream::AutoStream::auto(io::stdout().lock());
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(OutputError)
        })
    }

    /// Prints bytes unchanged.
    pub(crate) fn exact(&self, bytes: &[u8]) -> Result<(), OutputError> {
        self.progress.suspend(|| {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(OutputError)
        })
    }

    /// Prints a document: its exact text to a pipe, escaped text to a terminal.
    pub(crate) fn document(&self, text: &str) -> Result<(), OutputError> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        match self.stdout_is_terminal {
            true => self.text(&format!("{}{end}", safe::lines(text))),
            false => self.exact(format!("{text}{end}").as_bytes()),
        }
    }

    /// Prints JSON on a line: its exact text to a pipe, and the same value with escapes to a
    /// terminal.
    pub(crate) fn json(&self, json: Json<'_>) -> Result<(), OutputError> {
        let text = if self.stdout_is_terminal { safe::json(json) } else { json.as_str().to_owned() };
        self.exact(format!("{text}\n").as_bytes())
    }

    /// Prints an answer as JSON on a line.
    pub(crate) fn data<T: Serialize + ?Sized>(&self, data: &T) -> Result<(), OutputError> {
        self.json(to_json(data).as_json())
    }

    /// Prints a message for the user that is not data.
    pub(crate) fn note(&self, line: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.say(line);
        }
    }

    /// Prints a message whose lines must not be wrapped: a diff, a table, commands to copy.
    pub(crate) fn block(&self, lines: &str) {
        if self.verbosity >= Verbosity::Normal {
            self.stderr(lines);
        }
    }

    pub(crate) fn warn(&self, line: &str) {
        self.note(&format!("{} {line}", paint(WARNING, "warning:")));
    }

    /// Prints a detail that helps to find out what is happening.
    pub(crate) fn detail(&self, line: &str) {
        if self.verbosity >= Verbosity::Verbose {
            self.stderr(&paint(style::DIM, line));
        }
    }

    /// Prints a line of the program's own log, which the log filter has already accepted.
    pub(crate) fn log(&self, line: &str) {
        self.stderr(&paint(style::DIM, line));
    }

    /// Prints a log line that is a JSON object, for programs.
    pub(crate) fn log_json(&self, line: &str) {
        self.stderr(line);
    }

    /// Prints the text of a result in which the tool reports an error.
    pub(crate) fn tool_error(&self, text: &str) {
        self.stderr(&format!("{} {}", paint(ERROR, "tool error:"), text.trim_end()));
    }

    /// Prints what the user can do about the previous message.
    pub(crate) fn hint(&self, text: &str) {
        self.say(&format!("\n{} {}", paint(HINT, "hint:"), hanging(text)));
    }

    /// Prints an error once, with its whole chain of causes.
    pub(crate) fn failure(&self, failure: &CommandError) {
        self.say(&describe(failure));
    }

    /// Prints a prompt to the person at the terminal, whatever the verbosity. The cursor stays at
    /// the end of the text.
    pub(crate) fn prompt(&self, text: &str) {
        self.progress.suspend(|| {
            let mut stderr = anstream::stderr().lock();
            // If standard error cannot be written, there is no way to report that.
            let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
        });
    }

    pub(crate) fn progress_start(&self, what: &str) {
        self.progress.start(what);
    }

    pub(crate) fn progress(&self, report: &ProgressReport) {
        if let Some(line) = self.progress.update(report) {
            self.detail(&line);
        }
    }

    pub(crate) fn progress_stop(&self) {
        self.progress.stop();
    }

    fn stderr(&self, text: &str) {
        self.prompt(&format!("{text}\n"));
    }
}

fn describe(failure: &CommandError) -> String {
    let mut text = format!("{} {}", paint(ERROR, "error:"), hanging(&failure.error.to_string()));
    let mut next = failure.error.source();
    while let Some(error) = next {
        text.push_str(&format!("\n  caused by: {}", hanging(&error.to_string())));
        next = Error::source(error);
    }
    if let Some(said) = &failure.server_said {
        text.push_str(&format!("\n  the server said last:\n{}", safe::indented(&safe::lines(said), "    ")));
    }
    if let Some(hint) = &failure.hint {
        text.push_str(&format!("\n\n{} {}", paint(HINT, "hint:"), hanging(hint)));
    }
    text
}

/// Escapes an error, which may quote lines of a server, and indents its lines after the first.
fn hanging(text: &str) -> String {
    safe::lines(text.trim_end()).replace('\n', "\n    ")
}
