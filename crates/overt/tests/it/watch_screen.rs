//! A pseudo terminal with a readable screen. It implements what the inbox writes.
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::support::{PASSPHRASE, set_passphrase, wait_until};

/// The binary in a pseudo terminal.
pub(crate) struct Pty {
    ours: Option<File>,
    path: PathBuf,
    pub(crate) child: Child,
    /// Everything that the binary has written.
    pub(crate) stream: Vec<u8>,
    cells: Vec<Vec<char>>,
    at: (usize, usize),
    read: usize,
}

impl Pty {
    /// Opens `overt watch` with the person's passphrase, as is needed where a terminal alone does
    /// not prove that a person is there.
    #[track_caller]
    pub(crate) fn inbox(watch: &Command, state: &Path, columns: u16, rows: u16) -> Self {
        set_passphrase(state);
        let mut pty = Self::start(watch, columns, rows);
        pty.wait_for_output("Passphrase: ");
        pty.press(&format!("{PASSPHRASE}\n"));
        pty
    }

    /// Opens the inbox as an agent does, without a passphrase.
    pub(crate) fn by_agent(watch: &Command, columns: u16, rows: u16) -> Self {
        Self::start(watch, columns, rows)
    }

    fn start(command: &Command, columns: u16, rows: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(name.as_bytes()));
        tcsetwinsize(&ours, size(columns, rows)).unwrap();
        let flags = fcntl_getfl(&ours).unwrap();
        fcntl_setfl(&ours, flags | OFlags::NONBLOCK).unwrap();
        let theirs = || OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let (stdin, stdout, stderr) = (theirs(), theirs(), theirs());
        let mut command = controlled(command);
        // Marks the processes as started by an agent, also where no agent runs the tests.
        command.env("CLAUDE_CODE_CHILD_SESSION", "1");
        let child = command.stdin(stdin).stdout(stdout).stderr(stderr).env("TERM", "xterm").spawn().unwrap();
        let cells = vec![vec![' '; usize::from(columns)]; usize::from(rows)];
        let ours = Some(File::from(ours));
        Self { ours, path, child, stream: Vec::new(), cells, at: (0, 0), read: 0 }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.ours.as_ref().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        tcsetwinsize(self.ours.as_ref().unwrap(), size(columns, rows)).unwrap();
        self.cells = vec![vec![' '; usize::from(columns)]; usize::from(rows)];
    }

    /// Closes our end of the terminal, as a lost connection does.
    pub(crate) fn disconnect(&mut self) {
        self.ours = None;
    }

    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        let mut last = String::new();
        let begun = std::time::Instant::now();
        while begun.elapsed().as_secs() < 20 {
            last = self.screen();
            if last.contains(text) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("the screen never shows {text:?}:\n{last}");
    }

    /// Waits for text in the output, whatever the screen shows.
    #[track_caller]
    pub(crate) fn wait_for_output(&mut self, text: &str) {
        wait_until(&format!("{text:?} is written"), || {
            self.drain();
            self.text().contains(text)
        });
    }

    #[track_caller]
    pub(crate) fn finish(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("it ends", || {
            self.drain();
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        self.drain();
        status.unwrap()
    }

    /// Returns whether the terminal again reads whole lines and echoes them.
    pub(crate) fn is_restored(&self) -> bool {
        let theirs = OpenOptions::new().read(true).write(true).open(&self.path).unwrap();
        let modes = tcgetattr(&theirs).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stream).into_owned()
    }

    /// Returns the text on the screen.
    pub(crate) fn screen(&mut self) -> String {
        self.drain();
        let lines: Vec<String> =
            self.cells.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect();
        lines.join("\n")
    }

    fn drain(&mut self) {
        let mut buffer = [0; 65_536];
        while let Some(ours) = self.ours.as_mut()
            && let Ok(many @ 1..) = ours.read(&mut buffer)
        {
            self.stream.extend_from_slice(&buffer[..many]);
        }
        self.draw();
    }

    /// Applies cursor moves, clears and characters; skips other escape sequences.
    fn draw(&mut self) {
        let bytes = self.stream[self.read..].to_vec();
        // The output may end within an escape sequence or a character.
        let whole = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap(),
        };
        let mut rest = whole;
        while let Some(c) = rest.chars().next() {
            if c == '\u{1b}' {
                let Some(end) = rest[2.min(rest.len())..].find(|c: char| ('@'..='~').contains(&c)) else {
                    break;
                };
                let (sequence, after) = rest.split_at(end + 3);
                self.obey(&sequence[2..sequence.len() - 1], &sequence[sequence.len() - 1..]);
                rest = after;
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '\n' => self.at = (0, self.at.1 + 1),
                '\r' | '\u{7}' => {}
                c => {
                    let (x, y) = self.at;
                    if let Some(cell) = self.cells.get_mut(y).and_then(|row| row.get_mut(x)) {
                        *cell = c;
                    }
                    self.at = (x + 1, y);
                }
            }
        }
        self.read += whole.len() - rest.len();
    }

    fn obey(&mut self, parameters: &str, letter: &str) {
        match letter {
            "H" => {
                let mut numbers =
                    parameters.split(';').map(|number| number.parse::<usize>().unwrap_or(1) - 1);
                let y = numbers.next().unwrap_or(0);
                self.at = (numbers.next().unwrap_or(0), y);
            }
            "J" => self.cells.iter_mut().for_each(|row| row.fill(' ')),
            _ => {}
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the command as the first process of its terminal, as in a person's terminal. `setsid`
/// replaces itself with the command.
#[expect(clippy::disallowed_methods, reason = "the ban is for the product; this starts the product")]
fn controlled(command: &Command) -> Command {
    let mut with = Command::new("setsid");
    with.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
    with.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.get_current_dir().map(|dir| with.current_dir(dir));
    with
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}
