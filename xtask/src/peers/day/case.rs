//! The day from morning to evening.

use serde_json::json;

use super::calls::{self, CALLS};
use super::day_part::{Answers, Client, DayPart, terminal};
use super::evening;
use super::home::Home;
use crate::failure::Failure;
use crate::peers::case::{self, Case};
use crate::peers::clients::ERAS;
use crate::repo::Repo;

const NAME: &str = "a day in the life";

/// The most questions that a person may get on such a day.
const MOST_QUESTIONS: usize = 6;

pub(crate) fn case(repo: &Repo) -> Case {
    let repo = repo.clone();
    Case::new(NAME.to_owned(), move || live(&repo))
}

/// The parts of the day: each era with and without a dialog, each client in both eras.
const PARTS: [DayPart; 4] = [
    DayPart {
        name: "morning",
        client: Client::TypeScript,
        era: ERAS[0],
        calls: calls::morning,
        answers: Answers::Dialog("session-server"),
        // One about the memory, one about the documents.
        questions: 2,
    },
    DayPart {
        name: "noon",
        client: Client::Python,
        era: ERAS[0],
        calls: calls::noon,
        // The first answer allows writing documents in this project, the second everything of git
        // until the session ends.
        answers: Answers::Watch(&["p", "w"]),
        questions: 2,
    },
    DayPart {
        name: "afternoon",
        client: Client::TypeScript,
        era: ERAS[1],
        calls: calls::afternoon,
        answers: Answers::Grants(&["--breadth", "folder", "--for", "8h"]),
        // About the old notes.
        questions: 1,
    },
    DayPart {
        name: "late",
        client: Client::Python,
        era: ERAS[1],
        calls: calls::late,
        answers: Answers::Dialog("session-server"),
        // About the memory.
        questions: 1,
    },
];

fn live(repo: &Repo) -> Result<String, Failure> {
    let home = Home::new(repo)?;
    let before = home.read(".mcp.json")?;
    wrap(&home)?;
    for part in &PARTS {
        let named = |failure| Failure::new(format!("{}: {failure}", part.name));
        part.run(&home).map_err(named)?;
    }
    let (calls, questions) = (CALLS * PARTS.len(), PARTS.iter().map(|part| part.questions).sum::<usize>());
    if questions > MOST_QUESTIONS {
        return Err(Failure::new(format!("{questions} questions are more than {MOST_QUESTIONS}")));
    }
    evening::log_has(&home, calls)?;
    evening::undo_the_last_change(&home)?;
    evening::forbid_and_explain(&home)?;
    evening::verify(&home)?;
    evening::unwrap(&home, &before)?;
    Ok(format!("{calls} calls, {questions} questions"))
}

/// Wraps three servers as recommended, and replaces the fourth with `overt fs`, at a terminal: a
/// decision covers the tools that the person was shown there.
fn wrap(home: &Home) -> Result<(), Failure> {
    let recommended = ("before [c]hanges", "\n");
    let own = ("use [o]vert fs in its place", "o\n");
    for (server, answer) in
        [("filesystem", recommended), ("memory", recommended), ("git", recommended), ("notes", own)]
    {
        let script = json!({
            "command": [home.repo.binary("overt"), "wrap", ".mcp.json", "--server", server],
            "steps": [answer, ["Write this?", "y\n"]],
        });
        terminal(home, &format!("wrap {server}"), &script)?;
    }
    let file = home.read(".mcp.json")?;
    let wrapped = file.matches(r#""run""#).count();
    case::demand_equal("the number of wrapped servers", &wrapped.to_string(), "3")?;
    case::demand_equal("whether `overt fs` serves the notes", &file.contains(r#""fs""#).to_string(), "true")
}
