//! The reference of all commands as Markdown (`docs/commands.md`), made from the same declarations
//! as the help.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::args::EXIT_CODES;

const OPENING: &str = "\
# Commands and options

Every command with its arguments and options, generated from the program's own declarations by
`overt man --markdown`; a test keeps this page up to date. [cli.md](cli.md) explains how servers are
named and how arguments are given. Every command also takes `--help` and `--ai-help`.

## Exit codes

| code | meaning |
|---|---|
";

/// Returns the page. `program` must have been built, so that each subcommand knows its full name
/// and the options that it inherits.
pub(super) fn reference(program: &Command) -> String {
    let mut page = OPENING.to_owned();
    for line in EXIT_CODES.lines().skip(1) {
        let (code, meaning) = line.trim().split_once(' ').unwrap_or_default();
        // Writing to a string can't fail.
        let _ = writeln!(page, "| {code} | {} |", meaning.trim());
    }
    for command in program.get_subcommands().filter(|command| is_shown(command)) {
        describe(&mut page, command, &format!("overt {}", command.get_name()));
    }
    page
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn describe(page: &mut String, command: &Command, name: &str) {
    // Writing to a string can't fail.
    let _ = writeln!(page, "\n## `{name}`\n");
    if let Some(about) = command.get_about() {
        let _ = writeln!(page, "{}.\n", folded(&about.to_string()));
    }
    let rows: Vec<String> = command.get_arguments().filter(|arg| is_own(arg)).map(row).collect();
    if !rows.is_empty() {
        let _ = writeln!(page, "| argument or option | meaning |\n|---|---|\n{}", rows.join("\n"));
    }
    for inner in command.get_subcommands().filter(|command| is_shown(command)) {
        describe(page, inner, &format!("{name} {}", inner.get_name()));
    }
}

/// Leaves out the options that every command takes; the top of the page names them.
fn is_own(arg: &Arg) -> bool {
    !arg.is_hide_set() && !["help", "version", "ai-help"].contains(&arg.get_id().as_str())
}

fn row(arg: &Arg) -> String {
    let names =
        [arg.get_short().map(|short| format!("-{short}")), arg.get_long().map(|long| format!("--{long}"))];
    let names: Vec<String> = names.into_iter().flatten().collect();
    let values = if arg.get_action().takes_values() { values(arg) } else { String::new() };
    let shown = if names.is_empty() { values } else { format!("{} {values}", names.join(", ")) };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!("| `{}` | {} |", escaped(shown.trim_end()), escaped(&one_line(&help)))
}

fn values(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let more = arg.get_num_args().is_some_and(|count| count.max_values() > names.len().max(1));
    format!("{}{}", names.join(" "), if more { "..." } else { "" })
}

/// Folds a sentence into lines of at most 100 columns.
fn folded(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            // Leave one column for the full stop at the end.
            Some(last) if line > 0 && line + 1 + word.chars().count() < 100 => *last += &format!(" {word}"),
            Some(last) if line == 0 => word.clone_into(last),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// Escapes text for a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::program;

    #[test]
    fn the_page_in_docs_is_up_to_date() {
        let mut program = program();
        program.build();
        let page = include_str!("../../../../docs/commands.md");
        let hint = "run `cargo run --quiet --bin overt -- man --markdown > docs/commands.md`";
        assert!(page == reference(&program), "docs/commands.md differs from the declarations; {hint}");
    }
}
