//! Explains the whole program: who should use it and when, an overview of the commands, and what
//! applies to all of them (D-24, D-25, X-21).
use clap::Command;
use overt_documents::dashdash::SPEC_VERSION;
use overt_documents::front_matter::{Access, FrontMatter};
use overt_policy::record::{Invocation, ServerRequirements, Urls};

use super::command::{about, full_name, inside, usage};
use super::markdown::{code, fence};
use super::words;
use crate::args::EXIT_CODES;

pub(super) fn render(program: &Command) -> String {
    let mut out = format!("{}\n# Overt\n\n> {}\n", front_matter(program).render(), about(program));
    let mut section = |heading: &str, text: &str| {
        out.push_str(&format!("\n## {heading}\n\n{}\n", text.trim_end()));
    };
    section("When to Use", &when_to_use());
    section("Quick Reference", &quick_reference(program));
    for (heading, text) in words::BEFORE_THE_COMMANDS {
        section(heading, text);
    }
    section("Error Handling", &error_handling());
    section("Command Reference", &reference(&mut vec![program]));
    for (heading, text) in words::AFTER_THE_COMMANDS {
        section(heading, text);
    }
    out
}

/// The front matter. There are no web pages about the program yet, and it requires neither
/// credentials nor variables.
fn front_matter(program: &Command) -> FrontMatter {
    FrontMatter {
        name: program.get_name().to_owned(),
        description: format!("{}. {}", about(program), words::TRIGGERS),
        spec_version: SPEC_VERSION.to_owned(),
        subcommand_help: true,
        // The program can do whatever the servers can do that it calls or starts.
        access_level: Access::Full,
        urls: Urls::default(),
        install: [("source".to_owned(), words::INSTALL.to_owned())].into(),
        requires: ServerRequirements::default(),
        invocation: Some(Invocation {
            model_invocable: Some(true),
            user_invocable: Some(true),
            allowed_tools: words::LOOKING.iter().map(|command| format!("Bash({command}:*)")).collect(),
        }),
    }
}

fn when_to_use() -> String {
    let list = |items: &[&str]| items.iter().map(|item| format!("- {item}\n")).collect::<String>();
    format!(
        "Use `overt` to:\n\n{}\nDo NOT use `overt` for:\n\n{}",
        list(&words::USE_TO),
        list(&words::DO_NOT_USE_FOR)
    )
}

/// Examples of every command, in the groups of `words`. A command with subcommands gets only its
/// first example: a quick reference has at most twenty lines (D-24), and the command's own help has
/// the rest.
fn quick_reference(program: &Command) -> String {
    let mut groups: Vec<(&str, String)> =
        words::GROUPS.iter().map(|(heading, _)| (*heading, String::new())).collect();
    groups.push(("More", String::new()));
    let for_people = |outer: &&Command| words::is_for_people(&format!("overt {}", outer.get_name()));
    for outer in inside(program).filter(|outer| !for_people(outer)) {
        let group = words::GROUPS.iter().position(|(_, names)| names.contains(&outer.get_name()));
        if let Some((_, lines)) = groups.get_mut(group.unwrap_or(words::GROUPS.len())) {
            let mut all = Vec::new();
            leaves(&mut vec![program, outer], &mut all);
            let (mut shown, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|leaf| leaf.has_example);
            if shown.is_empty() {
                shown = rest;
            }
            lines.extend(shown.iter().take(MOST_OF_ONE).map(|leaf| leaf.line.as_str()));
        }
    }
    groups.retain(|(_, lines)| !lines.is_empty());
    let groups: Vec<String> =
        groups.iter().map(|(heading, lines)| format!("### {heading}\n\n{lines}")).collect();
    groups.join("\n")
}

const MOST_OF_ONE: usize = 1;

/// A line of the quick reference.
struct Leaf {
    line: String,
    /// Whether the line is an example rather than a usage.
    has_example: bool,
}

/// Collects a line for every command without subcommands.
fn leaves(path: &mut Vec<&Command>, out: &mut Vec<Leaf>) {
    let Some(command) = path.last().copied() else { return };
    let mut is_leaf = true;
    for inner in inside(command) {
        is_leaf = false;
        path.push(inner);
        leaves(path, out);
        path.pop();
    }
    if is_leaf && !words::is_for_people(&full_name(path)) {
        let example = example(path);
        let typed = example.clone().or_else(|| usage(command).into_iter().next());
        let typed = typed.unwrap_or_else(|| full_name(path));
        let line = format!("- {} — {}\n", code(&typed), about(command));
        out.push(Leaf { line, has_example: example.is_some() });
    }
}

/// The first example of the command, from its own help or from that of an enclosing command.
fn example(path: &[&Command]) -> Option<String> {
    let name = full_name(path);
    let helps = path.iter().rev().filter_map(|command| command.get_after_help());
    let found =
        helps.flat_map(|help| help.to_string().lines().map(str::to_owned).collect::<Vec<_>>()).find(|line| {
            line.trim_start().strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
    found.map(|line| line.trim().to_owned())
}

fn error_handling() -> String {
    let codes: String = EXIT_CODES
        .lines()
        .skip(1)
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(number, meaning)| format!("- {} — {}\n", code(number), meaning.trim()))
        .collect();
    format!("The exit code says whose fault it was:\n\n{codes}\n{}", words::ERRORS)
}

/// Every command with its usage, and where its options are explained.
fn reference(path: &mut Vec<&Command>) -> String {
    let mut out = String::new();
    let inner: Vec<&Command> = path.last().map(|command| inside(command).collect()).unwrap_or_default();
    for command in inner {
        path.push(command);
        let name = full_name(path);
        if words::is_for_people(&name) {
            out.push_str(&format!("### {name}\n\n{}.\n\n", words::ASK_THE_USER));
            path.pop();
            continue;
        }
        out.push_str(&format!(
            "### {name}\n\n{}. Options: {}\n\n",
            about(command),
            code(&format!("{name} --ai-help"))
        ));
        if command.has_subcommands() {
            out.push_str(&reference(path));
        } else {
            out.push_str(&format!("{}\n", fence("text", &usage(command).join("\n"))));
        }
        path.pop();
    }
    out
}
