//! One part of the day: a client at work, and the person's answers to its questions.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::calls::{CALLS, Call};
use super::home::Home;
use crate::failure::Failure;
use crate::peers::approver::PASSPHRASE;
use crate::peers::case;
use crate::peers::clients::ERAS;
use crate::run::Job;

pub(super) struct DayPart {
    pub(super) name: &'static str,
    pub(super) client: Client,
    /// The era as the clients' scripts name it, and the version that must be negotiated.
    pub(super) era: (&'static str, &'static str),
    pub(super) calls: fn(&Home) -> Vec<Call>,
    pub(super) answers: Answers,
    /// The number of questions that the person must get.
    pub(super) questions: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Client {
    TypeScript,
    Python,
}

/// Where the person answers, and with what.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answers {
    /// In the client's dialog, always with this choice.
    Dialog(&'static str),
    /// In `overt watch --plain`, with these letters in turn. The client can't ask.
    Watch(&'static [&'static str]),
    /// With `overt grants allow` and these words. The client can't ask.
    Grants(&'static [&'static str]),
}

/// The longest time that one part may take.
const DEADLINE: Duration = Duration::from_secs(240);
const PAUSE: Duration = Duration::from_millis(200);

impl DayPart {
    /// Makes the client do its calls. All of them must succeed.
    pub(super) fn run(&self, home: &Home) -> Result<(), Failure> {
        let calls = (self.calls)(home);
        case::demand_equal("the number of calls", &calls.len().to_string(), &CALLS.to_string())?;
        let list = Value::from(calls.iter().map(Call::to_json).collect::<Vec<_>>());
        let file = home.write(&format!("../{}.json", self.name), &list.to_string())?;
        let client = |answer: &str| words(home, self.client, self.era.0, answer, file.clone());
        let (report, asked) = match self.answers {
            Answers::Dialog(choice) => {
                let report = case::json_within(&home.job(self.name, client(choice)), DEADLINE)?;
                let asked = report["asked"].as_array().map_or(0, Vec::len);
                (report, asked)
            }
            Answers::Watch(letters) => self.watched(home, &client("absent"), letters)?,
            Answers::Grants(words) => self.granted(home, client("absent"), words)?,
        };
        self.check(&calls, &report)?;
        case::demand_equal("the number of questions", &asked.to_string(), &self.questions.to_string())
    }

    /// Runs the client while the person answers in the inbox.
    fn watched(&self, home: &Home, client: &[OsString], letters: &[&str]) -> Result<(Value, usize), Failure> {
        let beside: Vec<String> = client.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let answers: Vec<[String; 2]> =
            letters.iter().map(|letter| ["Enter  later".to_owned(), format!("{letter}\n")]).collect();
        let script = json!({
            "command": [home.repo.binary("overt"), "watch", "--plain", "--no-notify"],
            "steps": [["Passphrase: ", PASSPHRASE], ["Calls wait for your answer", ""]],
            "beside": beside,
            "answers": answers,
            "leave": "q\n",
        });
        let report = terminal(home, self.name, &script)?;
        let text = case::text(&report["text"]);
        let printed = case::text(&report["beside"]["stdout"]);
        let client = serde_json::from_str(printed.trim()).map_err(|cause| {
            Failure::new(format!("the client did not print JSON: {cause}\n{printed}\n{text}"))
        })?;
        Ok((client, text.matches("\nQuestion q-").count()))
    }

    /// Runs the client while a script of the person answers.
    fn granted(&self, home: &Home, client: Vec<OsString>, words: &[&str]) -> Result<(Value, usize), Failure> {
        let watching = home.overt("pending", &["grants", "pending", "--watch", "--format", "text"]);
        let mut listener = watching.start()?;
        listener.announced("`overt grants show ID`", Duration::from_secs(20))?;
        let job = home.job(self.name, client);
        std::thread::scope(|scope| {
            let work = scope.spawn(|| case::json_within(&job, DEADLINE));
            let mut asked = Vec::new();
            while !work.is_finished() {
                let pending = case::json(&home.overt("look", &["grants", "pending", "--format", "json"]))?;
                for question in pending["questions"].as_array().into_iter().flatten() {
                    let id = case::text(&question["id"]).to_owned();
                    if !asked.contains(&id) {
                        let answer = [&["grants", "allow", &id], words, &["--passphrase-stdin"]].concat();
                        home.overt("allow", &answer).input(PASSPHRASE).succeed()?;
                        asked.push(id);
                    }
                }
                std::thread::sleep(PAUSE);
            }
            let report = work.join().map_err(|_| Failure::new("the client panicked"))??;
            Ok((report, asked.len()))
        })
    }

    fn check(&self, calls: &[Call], report: &Value) -> Result<(), Failure> {
        for (server, version) in report["versions"].as_object().into_iter().flatten() {
            let what = format!("the version of `{server}`");
            case::demand_equal(&what, version.as_str().unwrap_or_default(), self.era.1)?;
        }
        let made = case::entries(&report["calls"]);
        case::demand_equal("the number of answers", &made.len().to_string(), &calls.len().to_string())?;
        match made.iter().zip(calls).find(|(made, _)| made["isError"] != false) {
            None => Ok(()),
            Some((made, call)) => Err(Failure::new(format!("{} was not done: {made}", call.to_json()))),
        }
    }
}

/// Makes one more call, which may fail, with a client that can't ask.
pub(super) fn call_once(home: &Home, call: &Call) -> Result<Value, Failure> {
    let file = home.write("../once.json", &Value::from(vec![call.to_json()]).to_string())?;
    let words = words(home, Client::TypeScript, ERAS[1].0, "absent", file);
    case::json_within(&home.job("once", words), DEADLINE)
}

/// Returns the command that starts a client.
fn words(home: &Home, client: Client, era: &str, answer: &str, calls: PathBuf) -> Vec<OsString> {
    let repo = &home.repo;
    let (program, script) = match client {
        Client::TypeScript => (repo.node(), "tools/peers/day.mjs"),
        Client::Python => (repo.python(), "tools/peers/day.py"),
    };
    let configuration = home.site().join(".mcp.json");
    let script = repo.root.join(script).into();
    vec![program.into(), script, era.into(), answer.into(), configuration.into(), calls.into()]
}

/// Plays the person at a terminal. All expected texts must appear.
pub(super) fn terminal(home: &Home, name: &str, script: &Value) -> Result<Value, Failure> {
    let words = [home.repo.python().into(), home.repo.root.join("tools/peers/terminal.py").into()];
    let job: Job = home.job(&format!("terminal {name}"), words).arg(script.to_string());
    let report = case::json_within(&job, DEADLINE)?;
    let is_done = report["status"] == 0 && report["missed"].as_array().is_some_and(Vec::is_empty);
    if is_done {
        return Ok(report);
    }
    Err(Failure::new(format!("at the terminal: {report:#}")))
}
