//! Puts a page before a person: prints its address, and opens it in a browser where there is one.
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;

use overt_gateway::auth::Browser;
use overt_wire::BoxFuture;

use super::Printer;
use crate::settings::{Env, Verbosity};

/// Shows the page of an authorization server.
pub(crate) struct Page {
    /// The program that opens addresses.
    program: Option<PathBuf>,
    printer: Printer,
}

impl Page {
    pub(crate) fn new(program: Option<PathBuf>, env: &Env) -> Self {
        Self { program, printer: Printer::new(Verbosity::Normal, env) }
    }
}

impl Browser for Page {
    fn show<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<(), String>> {
        self.printer
            .note(&format!("to log in, open this address in a browser of this machine:\n  {address}"));
        if let Some(program) = &self.program {
            #[expect(
                clippy::disallowed_methods,
                reason = "a browser is no server: it outlives us and sees our environment"
            )]
            // The address is one argument and no shell is between; it begins with `http`.
            let started = std::process::Command::new(program)
                .arg(address)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            if let Err(error) = started {
                tracing::debug!(%error, "no browser could be opened");
            }
        }
        Box::pin(async { Ok(()) })
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("program", &self.program).finish_non_exhaustive()
    }
}
