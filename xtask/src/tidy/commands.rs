//! Checks that commands and options of `overt` in documents exist. `docs/commands.md` lists all of
//! them, and a test of the program keeps it up to date.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Tree, Violation};

const REFERENCE: &str = "docs/commands.md";

/// Options that every command takes.
const EVERYWHERE: &[&str] =
    &["--help", "-h", "--ai-help", "--llm-help", "--agent-help", "--machine-help", "--version", "-V"];

/// Each command, such as `grants allow`, with its options.
type Commands = BTreeMap<String, Command>;

#[derive(Debug, Default)]
struct Command {
    options: BTreeSet<String>,
    /// Whether the command takes words that are not options.
    takes_words: bool,
}

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let Some(reference) = tree.get(REFERENCE) else { return Vec::new() };
    let commands = read(reference);
    let documents =
        tree.iter().filter(|(name, _)| name.ends_with(".md") && *name != REFERENCE && !is_data(name));
    documents.flat_map(|(name, text)| check_document(&commands, name, text)).collect()
}

/// Says whether to skip a document: data from other programs, and the changelog, which names
/// options that no longer exist.
fn is_data(name: &str) -> bool {
    name.contains("/data/") || name.starts_with("fuzz/") || name == "CHANGELOG.md"
}

fn read(reference: &str) -> Commands {
    let mut commands = Commands::new();
    let mut at = String::new();
    for line in reference.lines() {
        if let Some(name) = line.strip_prefix("## `overt ").and_then(|rest| rest.strip_suffix('`')) {
            name.clone_into(&mut at);
            commands.insert(at.clone(), Command::default());
        }
        let Some(shown) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next()) else { continue };
        let command = commands.entry(at.clone()).or_default();
        command.takes_words |= !shown.starts_with('-');
        let named = shown.split([' ', ',']).filter(|word| word.starts_with('-'));
        command.options.extend(named.map(str::to_owned));
    }
    commands
}

fn check_document(commands: &Commands, name: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut in_block = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let typed: Vec<&str> =
            if in_block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        for what in typed.iter().flat_map(|typed| check_typed(commands, typed)) {
            violations.push(Violation::new(name, index + 1, what));
        }
    }
    violations
}

/// Checks each call of the program in a command line: `overt …`, or `cargo run … --bin overt -- …`.
fn check_typed(commands: &Commands, typed: &str) -> Vec<String> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let starts =
            index == 0 || ["$", "|", "&&", ";", "do", "(", "sudo", "--bin"].contains(&words[index - 1]);
        if *word == "overt" && starts {
            let rest = &words[index + 1..];
            found.extend(check_call(commands, rest.strip_prefix(&["--"]).unwrap_or(rest)));
        }
    }
    found
}

/// Checks the words after `overt`, up to those of another program.
fn check_call(commands: &Commands, words: &[&str]) -> Option<String> {
    let end = words.iter().position(|word| {
        ["--", "|", ";", "&&", "#", ">", "<", "…", "..."].contains(word) || word.starts_with('#')
    });
    let words = &words[..end.unwrap_or(words.len())];
    let mut command = String::new();
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let longer = if command.is_empty() { (*first).to_owned() } else { format!("{command} {first}") };
        if !commands.contains_key(&longer) {
            break;
        }
        (command, rest) = (longer, after);
    }
    let first = words.first().filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    if command.is_empty() {
        let unknown = first.filter(|word| is_name(word))?;
        return Some(format!("there is no command `overt {unknown}`; {REFERENCE} has them all"));
    }
    let known = &commands[&command];
    let is_group =
        commands.keys().any(|name| name.strip_prefix(&command).is_some_and(|rest| rest.starts_with(' ')));
    if let Some(word) = rest.first().filter(|word| is_group && !known.takes_words && is_name(word)) {
        return Some(format!("there is no command `overt {command} {word}`; {REFERENCE} has them all"));
    }
    let options = rest.iter().filter(|word| word.starts_with("--") && word.len() > 2);
    let options = options.map(|word| word.split(['=', '`', ',', ')', ']', '…']).next().unwrap_or_default());
    let unknown = options
        .map(|option| option.trim_end_matches('.'))
        .find(|option| !known.options.contains(*option) && !EVERYWHERE.contains(option))?;
    Some(format!("`overt {command}` has no option `{unknown}`; {REFERENCE} has them all"))
}

/// Says whether a word could be the name of a command.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
## `overt run`\n| `--http ADDRESS` | x |\n| `-v, --verbose` | x |\n## `overt grants`\n## `overt grants allow`\n| `SCOPE` | x |\n| `--as PRINCIPAL` | x |\n";

    fn found(text: &str) -> Vec<String> {
        let tree = Tree::from([("docs/a.md", text), (REFERENCE, PAGE)]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_command_that_does_not_exist_is_found() {
        assert_eq!(
            found("use `overt rum`"),
            ["docs/a.md:1: there is no command `overt rum`; docs/commands.md has them all"]
        );
        assert_eq!(found("use `overt grants alow read`").len(), 1);
        assert!(found("use `overt run` or `overt grants allow read`, `overt`, `overt COMMAND`").is_empty());
    }

    #[test]
    fn an_option_that_does_not_exist_is_found() {
        assert_eq!(
            found("```sh\n$ overt grants allow read --has x\n```\n"),
            ["docs/a.md:2: `overt grants allow` has no option `--has`; docs/commands.md has them all"]
        );
        for fine in [
            "overt run --http=1 -v --verbose --help -- npx --yes",
            "cargo run --bin overt -- run --http 1 | tool --x",
            "other --x overt run --x",
        ] {
            assert!(found(&format!("```sh\n{fine}\n```\n")).is_empty(), "{fine}");
        }
        assert_eq!(found("```sh\ncargo run --bin overt -- run --htp 1\n```\n").len(), 1);
    }
}
