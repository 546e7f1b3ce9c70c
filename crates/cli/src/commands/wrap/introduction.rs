//! Introduces a server: asks it for its name and its tools, what it says about them, and how many
//! tokens they cost.
use overt_documents::live::LiveTool;
use overt_layers::grants::SeenTool;
use overt_operator::explain::DefinitionDigests;

use crate::commands::session::with_server;
use crate::context::CommandContext;
use crate::cost::{Cost, Shape};
use crate::error::{CommandError, Exit};
use crate::output::{Names, hanging, one_line};
use crate::settings::Connection;
use crate::survey::{OwnText, Survey, survey};

/// Facts about a server that a person should know before deciding about it.
#[derive(Debug, Default)]
pub(super) struct Introduction {
    name: String,
    version: String,
    /// Tools that the server says only read.
    reads: Vec<String>,
    /// The other tools.
    changes: Vec<String>,
    tokens: Option<usize>,
    /// The definitions of all tools.
    pub(super) definitions: Vec<SeenTool>,
}

/// Starts the server and asks it. Returns `None` if the person interrupted.
pub(super) fn introduce(
    connection: &Connection,
    context: &CommandContext,
) -> Result<Option<Introduction>, CommandError> {
    let mut found = Introduction::default();
    let exit = with_server(connection, &context.without_a_person(), async |client, printer| {
        let Survey { live, tools, .. } = survey(client, OwnText::Exact, printer).await?;
        found.definitions = DefinitionDigests::by_name(&tools)
            .into_iter()
            .map(|(name, digests)| SeenTool { name, digest: Some(digests.tool().to_owned()) })
            .collect();
        found.name = live.info.name.clone();
        found.version = live.info.version.clone();
        for tool in &live.tools {
            let names = if says_it_reads(tool) { &mut found.reads } else { &mut found.changes };
            names.push(tool.name.clone());
        }
        found.tokens = Cost::of(&live).ok().map(|cost| cost.total(Shape::Anthropic).tokens);
        Ok(Exit::Ok)
    })?;
    Ok((exit == Exit::Ok).then_some(found))
}

/// Says whether the server claims that the tool only reads. If its hints contradict each other, the
/// worse one counts.
fn says_it_reads(tool: &LiveTool) -> bool {
    tool.hints.read_only == Some(true) && tool.hints.destructive != Some(true)
}

impl Introduction {
    /// Returns lines of at most `width` columns, if there is a width. The server's own texts are
    /// escaped.
    pub(super) fn text(&self, width: Option<usize>) -> String {
        let tokens = self.tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
        let count = self.reads.len() + self.changes.len();
        let title = format!(
            "{} {}, {count} {}{tokens}",
            one_line(&self.name),
            one_line(&self.version),
            if count == 1 { "tool" } else { "tools" }
        );
        let mut text = hanging(&title, (2, 4), width);
        for (names, one, many) in [
            (&self.reads, "says that it only reads", "say that they only read"),
            (&self.changes, "can change something", "can change something"),
        ] {
            if !names.is_empty() {
                let verb = if names.len() == 1 { one } else { many };
                let line = format!("{} {verb}: {}", names.len(), Names(names));
                text.push_str(&hanging(&line, (2, 4), width));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_tools_fit_the_terminal() {
        let names = |verb: &str| (1..=5).map(|number| format!("{verb}_something_{number}")).collect();
        let found =
            Introduction { reads: names("read"), changes: names("change"), ..Introduction::default() };
        let text = found.text(Some(40));
        assert!(text.lines().all(|line| line.len() <= 40), "{text}");
        assert!(text.contains("\n    change_something_5\n"), "{text}");
        assert_eq!(found.text(None).lines().count(), 3);
    }
}
