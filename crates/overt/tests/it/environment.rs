//! The folders of a test, a server, and the program in front of it.
use std::cell::LazyCell;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

use overt_layers::grants::{Answer, AskOutcome, Question, QuestionId, QuestionState};
use overt_state::grants::SqliteStore;
use overt_testkit::person::answering;
use serde_json::Value;
use tempfile::TempDir;

use crate::output::CommandOutput;
use crate::support::{Script, by_person, overt, report, set_passphrase, wait_until};

/// A home folder with a state folder in it, and a scripted server.
pub(crate) struct TestEnvironment {
    home: Rc<TempDir>,
    state: &'static str,
    /// The store of this process, whose calls can wait in it. It is opened when it is used.
    pub(crate) store: LazyCell<SqliteStore, Box<dyn FnOnce() -> SqliteStore>>,
    pub(crate) server: Script,
}

/// The place of the state folder when nobody says another.
const USUAL_STATE: &str = ".local/state/overt";

impl TestEnvironment {
    /// Makes an environment whose server answers nothing.
    /// Closes a question with a no, as a call does that was refused.
    pub(crate) fn closes(&self, id: &QuestionId) {
        let open = self.store.questions().unwrap().into_iter().find(|open| open.id == *id).unwrap();
        self.store.answer(&answering(id, &open.question, Answer::No)).unwrap();
        while self.taken(id).is_some() {}
    }

    /// Takes the answer to a question, as a waiting call does.
    pub(crate) fn taken(&self, id: &QuestionId) -> Option<Answer> {
        match self.store.take_answer(id).unwrap() {
            QuestionState::Answered(answer, _) => Some(answer),
            _ => None,
        }
    }

    pub(crate) fn new() -> Self {
        Self::of(Script::empty())
    }

    /// Makes an environment with a server that has one tool, `touch`, which changes something.
    pub(crate) fn with_touch() -> Self {
        Self::of(Script::touch())
    }

    pub(crate) fn of(server: Script) -> Self {
        let environment = Self::in_home(Rc::new(TempDir::new().unwrap()), "state", server);
        std::fs::create_dir(environment.state()).unwrap();
        environment
    }

    /// Makes an environment whose state folder has its usual place and is not there yet.
    pub(crate) fn with_usual_state(server: Script) -> Self {
        Self::in_home(Rc::new(TempDir::new().unwrap()), USUAL_STATE, server)
    }

    /// Puts another server into the same folders.
    pub(crate) fn beside(&self, server: Script) -> Self {
        Self::in_home(Rc::clone(&self.home), self.state, server)
    }

    fn in_home(home: Rc<TempDir>, state: &'static str, server: Script) -> Self {
        let folder = home.path().canonicalize().unwrap().join(state);
        let store = LazyCell::new(Box::new(move || SqliteStore::open(&folder).unwrap()) as Box<_>);
        Self { home, state, store, server }
    }

    /// Returns the path of a file or folder in the home folder.
    pub(crate) fn path(&self, inner: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(inner)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path(self.state)
    }

    /// Writes a file, with its folders, and returns its path.
    pub(crate) fn write(&self, inner: &str, text: &str) -> String {
        let path = self.path(inner);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn read(&self, inner: &str) -> String {
        std::fs::read_to_string(self.path(inner)).unwrap()
    }

    /// The program in the home folder.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        self.command_in("", words)
    }

    /// The program in a folder of the home folder.
    pub(crate) fn command_in(&self, folder: &str, words: &[&str]) -> Command {
        let mut command = overt();
        command.env("HOME", self.path("")).env("TZ", "UTC").args(words).current_dir(self.path(folder));
        match self.state {
            USUAL_STATE => command.env_remove("OVERT_STATE_DIR"),
            _ => command.env("OVERT_STATE_DIR", self.state()),
        };
        command
    }

    /// Runs a command as the person's script does.
    pub(crate) fn run(&self, words: &[&str]) -> CommandOutput {
        self.run_in("", words)
    }

    /// Runs a command in a folder as the person's script does.
    pub(crate) fn run_in(&self, folder: &str, words: &[&str]) -> CommandOutput {
        self.finish(&mut self.command_in(folder, words))
    }

    /// Runs a command as a program that is not the person does.
    pub(crate) fn run_as_agent(&self, words: &[&str]) -> CommandOutput {
        report(&self.command(words).output().unwrap())
    }

    /// Runs a command as the person's script does, and returns what a person reads.
    pub(crate) fn text(&self, words: &[&str]) -> CommandOutput {
        self.text_in("", words)
    }

    /// Runs a command in a folder as the person's script does, and returns what a person reads.
    pub(crate) fn text_in(&self, folder: &str, words: &[&str]) -> CommandOutput {
        self.finish(self.command_in(folder, words).env("OVERT_FORMAT", "text"))
    }

    /// Returns what a command printed as JSON, one value per line.
    #[track_caller]
    pub(crate) fn json_in(&self, folder: &str, words: &[&str]) -> Vec<Value> {
        self.run_in(folder, words).succeeds().json_lines()
    }

    /// Runs a command of this environment as the person's script does.
    pub(crate) fn finish(&self, command: &mut Command) -> CommandOutput {
        if self.state == USUAL_STATE && self.state().is_dir() {
            set_passphrase(&self.state());
        }
        report(&by_person(command))
    }

    /// `overt call` with these words, through `overt run` with these options. Its client can't ask
    /// a person.
    pub(crate) fn call_through(&self, words: &[&str], options: &[&str]) -> Command {
        let mut command = overt();
        command.arg("call").args(words).args(["--format", "json", "--", "env"]);
        command.arg(format!("HOME={}", self.path("").display()));
        command.arg(format!("OVERT_STATE_DIR={}", self.state().display()));
        command.arg(env!("CARGO_BIN_EXE_overt")).arg("run").args(options).arg("--");
        command.args(self.server.command()).current_dir(self.path(""));
        command
    }

    /// Makes a call without arguments through `overt run`.
    pub(crate) fn call(&self, tool: &str, options: &[&str]) -> CommandOutput {
        report(&self.call_through(&[tool, "--json", "{}"], options).output().unwrap())
    }

    /// Returns how many calls the server has seen.
    pub(crate) fn calls(&self) -> usize {
        self.server.received().matches(r#""method":"tools/call""#).count()
    }

    /// Opens the question of a waiting call.
    pub(crate) fn waits(&self, question: &Question) -> QuestionId {
        match self.store.ask(question, None).unwrap() {
            AskOutcome::Open(id) => id,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until a call waits, and returns the id of its question.
    pub(crate) fn question(&self) -> String {
        let mut open = Vec::new();
        wait_until("the call waits", || {
            let store = SqliteStore::open_if_there(&self.state()).unwrap();
            open = store.map(|store| store.questions().unwrap()).unwrap_or_default();
            !open.is_empty()
        });
        open.remove(0).id.0
    }
}
