//! Shows a page to a person, in a browser if there is one.
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;

use overt_auth::Browser;
use overt_wire::BoxFuture;

use super::Printer;
use crate::settings::{Env, Verbosity};

/// Opens pages in the browser.
#[derive(Debug)]
pub(crate) struct Opener {
    /// The program that opens addresses and files; `None` without a display.
    pub(crate) program: Option<PathBuf>,
}

/// Shows the page of an authorization server.
pub(crate) struct Page {
    opener: Opener,
    printer: Printer,
}

impl Opener {
    /// Starts the browser with an `http` address or an absolute path. Returns `false` if it cannot
    /// be started.
    pub(crate) fn open(&self, address: &str) -> bool {
        let Some(program) = &self.program else { return false };
        #[expect(
            clippy::disallowed_methods,
            reason = "a browser is not a server: it outlives us and sees our environment"
        )]
        // The address is one argument and no shell is involved. It begins with `http` or `/`, so it
        // cannot be read as an option.
        let started = std::process::Command::new(program)
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Err(error) = &started {
            tracing::debug!(%error, "no browser could be opened");
        }
        started.is_ok()
    }
}

impl Page {
    pub(crate) fn new(opener: Opener, env: &Env) -> Self {
        Self { opener, printer: Printer::new(Verbosity::Normal, env) }
    }
}

impl Browser for Page {
    fn show<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<(), String>> {
        self.printer
            .note(&format!("to log in, open this address in a browser of this machine:\n  {address}"));
        self.opener.open(address);
        Box::pin(async { Ok(()) })
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("opener", &self.opener).finish_non_exhaustive()
    }
}
