//! The person at the terminal, whose lines are read while a question is open.
use std::io::{BufRead, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use overt_wire::BoxFuture;
use tokio::sync::{Mutex, mpsc};

use super::ask::{Answer, Person};
use crate::output::Printer;
use crate::settings::QUICK;

/// The terminal where questions are asked, one at a time.
#[derive(Debug)]
pub(crate) struct QuestionTerminal {
    printer: Arc<Printer>,
    /// Lines of standard input; `None` until the first question starts the reader.
    lines: Mutex<Option<mpsc::Receiver<String>>>,
    /// Held during a question, so that the texts of two servers do not mix.
    turn: Mutex<()>,
    open: AtomicBool,
    /// When the open question was shown.
    shown: std::sync::Mutex<Option<Instant>>,
}

/// Maximum number of bytes read of one line.
const LONGEST_LINE: u64 = 64 << 10;

/// Shown when an answer is too quick to count, because a program may have given it.
const TOO_QUICK: &str = "  That came before you could read the question. Type it again.\n> ";

impl QuestionTerminal {
    pub(crate) fn new(printer: Arc<Printer>) -> Self {
        Self {
            printer,
            lines: Mutex::default(),
            turn: Mutex::default(),
            open: AtomicBool::new(false),
            shown: std::sync::Mutex::default(),
        }
    }

    /// Asks the person a question, after any question that is still open.
    pub(super) async fn question(&self, ask: impl Future<Output = Answer>) -> Answer {
        let _turn = self.turn.lock().await;
        let _open = OpenFlag::new(&self.open);
        self.printer.progress_stop();
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let answer = ask.await;
        self.printer.progress_start("waiting for the server");
        answer
    }

    /// Moves the cursor off the line of an open question, if there is one.
    pub(crate) fn leave(&self) {
        if self.open.load(Ordering::Acquire) {
            self.printer.prompt("\n");
        }
    }
}

impl Person for QuestionTerminal {
    fn say(&self, text: &str) {
        self.printer.prompt(text);
    }

    fn answer(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { self.lines.lock().await.get_or_insert_with(read_lines).recv().await })
    }

    fn considered_answer(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async {
            loop {
                let line = self.answer().await?;
                let shown = *self.shown.lock().unwrap_or_else(PoisonError::into_inner);
                if shown.is_none_or(|shown| shown.elapsed() >= QUICK) {
                    return Some(line);
                }
                self.say(TOO_QUICK);
            }
        })
    }
}

/// Reads standard input on a separate thread, which lives as long as the program because a read
/// cannot be cancelled.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match stdin.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(1..) if sender.blocking_send(String::from_utf8_lossy(&line).into_owned()).is_ok() => {}
                _ => break,
            }
        }
    });
    receiver
}

/// Marks a question as open until this is dropped.
struct OpenFlag<'a>(&'a AtomicBool);

impl<'a> OpenFlag<'a> {
    fn new(flag: &'a AtomicBool) -> Self {
        flag.store(true, Ordering::Release);
        Self(flag)
    }
}

impl Drop for OpenFlag<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
