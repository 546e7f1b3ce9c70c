//! Finds entries that Overt was put in front of and no longer is, or not as it was.
use super::document::{Document, EntryId};
use super::launch::{Launch, Program, launch};
use super::record::{FileRecord, RecordedEdit};
use crate::BareUrl;

/// An entry that lost its wrapping. The person may have changed it, or another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostWrapping {
    pub entry: EntryId,
    pub how: Loss,
}

/// How an entry lost its wrapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// The client starts the server without Overt.
    Unwrapped,
    /// Overt is started with this word, which was not written when the entry was wrapped.
    Changed(String),
}

/// Compares a file with the record of what was wrapped in it. An entry that is gone starts nothing,
/// so it is not reported.
pub fn lost_wrappings(document: &Document, record: &FileRecord, bare_url: BareUrl) -> Vec<LostWrapping> {
    let lost = |(id, edits): (&EntryId, &Vec<RecordedEdit>)| {
        let entry = document.entry(id)?;
        let how = match launch(&entry.node, bare_url) {
            Ok(Launch::Own) => return None,
            Ok(Launch::Wrapped(program)) => Loss::Changed(unknown_word(document, &program, edits)?),
            Ok(Launch::Program(_) | Launch::Remote(_)) | Err(_) => Loss::Unwrapped,
        };
        Some(LostWrapping { entry: id.clone(), how })
    };
    record.entries.iter().filter_map(lost).collect()
}

/// Returns a word of Overt's part of the command that was not written when the entry was wrapped.
fn unknown_word(document: &Document, program: &Program<'_>, edits: &[RecordedEdit]) -> Option<String> {
    let end = program.words.iter().position(|word| *word == "--").unwrap_or(program.words.len());
    let was_written = |word: &str| {
        let quoted = document.quote(word);
        edits.iter().any(|edit| edit.written.contains(&quoted))
    };
    program.words[..end].iter().find(|word| !was_written(word)).map(|word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{Edit, Wrapper, splice, wrap};
    use super::*;
    use crate::{Servers, Syntax};

    /// Wraps the only entry of a file, and returns the new text and the record.
    fn wrapped(text: &str, syntax: Syntax, member: &'static str) -> (Document, FileRecord) {
        let document = Document::parse(text.to_owned(), syntax, Servers::Member(member)).unwrap();
        let entry = &document.entries()[0];
        let start = launch(&entry.node, BareUrl::Http).unwrap();
        let wrapper = Wrapper { program: "/bin/overt".to_owned(), state_dir: None };
        let login = |_: &str| super::super::Login::None;
        let edits: Vec<Edit> = wrap(&document, entry, &start, &wrapper, &login).unwrap();
        let spliced = splice(&document, edits).unwrap();
        let mut record = FileRecord::default();
        record.add(&spliced.edits);
        (spliced.document, record)
    }

    #[test]
    fn v_05_an_entry_that_lost_its_wrapping_is_found() {
        let json = r#"{"mcpServers":{"a":{"command":"npx","args":["-y","x"]}}}"#;
        let toml = "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\n";
        let yaml = "extensions:\n  a:\n    cmd: npx\n    args:\n    - -y\n    - x\n";
        for (text, syntax, member) in [
            (json, Syntax::Json, "mcpServers"),
            (toml, Syntax::Toml, "mcp_servers"),
            (yaml, Syntax::Yaml, "extensions"),
        ] {
            let (now, record) = wrapped(text, syntax, member);
            let lost = |text: &str| -> Vec<Loss> {
                let document = now.with_text(text.to_owned()).unwrap();
                let lost = lost_wrappings(&document, &record, BareUrl::Http);
                lost.into_iter().map(|lost| lost.how).collect()
            };
            assert_eq!(lost(now.text()), [], "{}", now.text());
            assert_eq!(lost(text), [Loss::Unwrapped]);
            // Another program of that name, and an option that lets more through.
            let other = now.text().replace("/bin/overt", "/tmp/overt");
            assert_eq!(lost(&other), [Loss::Changed("/tmp/overt".to_owned())]);
            let open = now.text().replace("\"--name\"", "\"--allow-all\", \"--name\"");
            let open = if syntax == Syntax::Yaml {
                now.text().replace("- \"--name\"", "- \"--allow-all\"\n    - \"--name\"")
            } else {
                open
            };
            assert_eq!(lost(&open), [Loss::Changed("--allow-all".to_owned())], "{open}");
            // The server's own words are the person's business, and an entry that is gone starts
            // nothing.
            assert_eq!(lost(&now.text().replace("-y", "-z")), []);
            assert_eq!(
                lost(&now.text().replace("a:", "b:").replace("\"a\"", "\"b\"").replace(".a]", ".b]")),
                []
            );
        }
    }
}
