//! Notifies a person who looks elsewhere about new questions, with the desktop's own notifications
//! if possible. The text names the client and the tool, and contains no arguments.
use std::process::{Command, Stdio};

use overt_layers::grants::PendingQuestion;

use crate::output::one_line;
use crate::settings::Notice;

/// Sends a notification without waiting for the program that shows it.
#[derive(Debug)]
pub(super) struct Notifier {
    notice: Notice,
}

const TITLE: &str = "Overt: a question";
const SCRIPT: [&str; 3] =
    ["on run argv", "display notification (item 1 of argv) with title (item 2 of argv)", "end run"];
/// The most characters of a notification.
const MOST_CHARACTERS: usize = 200;

impl Notifier {
    pub(super) fn new(notice: Notice) -> Self {
        Self { notice }
    }

    /// Notifies the person. Returns false if the caller should ring the terminal's bell instead.
    pub(super) fn tell(&mut self, new: &[PendingQuestion]) -> bool {
        let Some(command) = self.command(&text(new)) else { return self.notice == Notice::Nothing };
        let is_started = start(command);
        if !is_started {
            // A program that can't be started now will not start later either.
            self.notice = Notice::Bell;
        }
        is_started
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a notification is not a server: it sees our environment, and the text is never an option"
    )]
    fn command(&self, text: &str) -> Option<Command> {
        match &self.notice {
            Notice::NotifySend(program) => {
                let mut command = Command::new(program);
                command.args(["--app-name", "Overt", "--", TITLE, &without_markup(text)]);
                Some(command)
            }
            Notice::AppleScript => {
                let mut command = Command::new("osascript");
                command.args(SCRIPT.iter().flat_map(|line| ["-e", line]));
                command.args([text, TITLE]);
                Some(command)
            }
            Notice::Bell | Notice::Nothing => None,
        }
    }
}

fn start(mut command: Command) -> bool {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    // The program ends on its own. A thread waits for it, so that it does not stay a zombie.
    let waits = std::thread::Builder::new().name("notification".to_owned()).spawn(move || child.wait());
    waits.is_ok()
}

/// Escapes what desktops show as markup in the text of a notification.
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn text(new: &[PendingQuestion]) -> String {
    let Some(open) = new.first() else { return String::new() };
    let question = &open.question;
    let client = question.shown.client.as_deref().unwrap_or("A client");
    let place = question.project.as_deref().map_or_else(String::new, |project| format!(" in {project}"));
    let more = if new.len() > 1 { format!(", and {} more", new.len() - 1) } else { String::new() };
    let said =
        format!("{client} wants to run {} of \"{}\"{place}{more}", question.tool, question.shown.server);
    one_line(&said).chars().take(MOST_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::inbox::tests::open;
    use super::*;

    #[test]
    fn a_notification_names_who_asks_and_no_argument() {
        let mut secret = open(1, "Claude\u{1b} Code", "/p", "Send token ghp_secret");
        secret.question.shown.arguments = vec!["token \"ghp_secret\"".to_owned()];
        let said = text(&[secret.clone(), secret]);
        assert_eq!(said, "Claude\\u{1b} Code wants to run edit_file of \"filesystem\" in /p, and 1 more");
        let notifier = Notifier::new(Notice::NotifySend(PathBuf::from("notify-send")));
        let command = notifier.command("--text").unwrap();
        let arguments: Vec<&str> = command.get_args().filter_map(std::ffi::OsStr::to_str).collect();
        assert_eq!(arguments, ["--app-name", "Overt", "--", TITLE, "--text"], "text is never an option");
    }

    /// V-14: a desktop shows markup in a notification, so what a client is called is none.
    #[test]
    fn v_14_a_notification_has_no_markup_of_a_client() {
        let said = text(&[open(1, "<b>You</b> <img src=\"x\"/> & co", "/p", "i")]);
        let notifier = Notifier::new(Notice::NotifySend(PathBuf::from("notify-send")));
        let command = notifier.command(&said).unwrap();
        let shown = command.get_args().last().unwrap().to_str().unwrap();
        assert!(
            shown.starts_with("&lt;b&gt;You&lt;/b&gt; &lt;img src=\"x\"/&gt; &amp; co wants to run"),
            "{shown}"
        );
        // AppleScript shows text as it is.
        let command = Notifier::new(Notice::AppleScript).command(&said).unwrap();
        assert!(command.get_args().any(|argument| argument == said.as_str()));
    }

    #[test]
    fn what_can_not_be_started_leaves_the_bell() {
        let mut notifier = Notifier::new(Notice::NotifySend(PathBuf::from("/nonexistent/notify-send")));
        assert!(!notifier.tell(&[open(1, "c", "/p", "i")]));
        assert_eq!(notifier.notice, Notice::Bell);
        assert!(Notifier::new(Notice::Nothing).tell(&[open(1, "c", "/p", "i")]));
    }
}
