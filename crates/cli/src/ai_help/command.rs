//! Explains one command: everything in its `--help`, and where to find the rest. Only the program's
//! own help has front matter.
use clap::{Arg, Command};

use super::markdown::{blocks, code, fence};
use super::{option, words};

/// Renders the help for a command. `path` leads from the program to the command.
pub(super) fn render(path: &[&Command]) -> String {
    let Some(command) = path.last() else { return String::new() };
    let name = full_name(path);
    if words::is_for_people(&name) {
        return format!("# {name}\n\n> {}.\n", words::ASK_THE_USER);
    }
    let mut out = format!("# {name}\n\n> {}\n", about(command));
    if let Some(more) = command.get_long_about().map(ToString::to_string) {
        // The first paragraph is the line above.
        if let Some((_, rest)) = more.split_once("\n\n") {
            out.push_str(&format!("\n{}\n", blocks(rest).trim_end()));
        }
    }
    out.push_str("\nTargets, authorization, output and exit codes are the same for all commands: ");
    out.push_str("`overt --ai-help` explains them.\n");
    out.push_str(&format!("\n## Usage\n\n{}", fence("text", &usage(command).join("\n"))));
    out.push_str(&commands(path));
    out.push_str(&options(command));
    if let Some(after) = command.get_after_help().map(ToString::to_string) {
        let (heading, rest) = match after.split_once('\n') {
            Some(("Example:" | "Examples:", rest)) => ("Examples", rest),
            _ => ("Notes", after.as_str()),
        };
        let is_shown = |line: &&str| !words::is_for_people(line.trim());
        let rest = rest.lines().filter(is_shown).collect::<Vec<_>>().join("\n");
        out.push_str(&format!("\n## {heading}\n\n{}\n", blocks(&rest).trim_end()));
    }
    out
}

/// The full name of the command, beginning with the program.
pub(super) fn full_name(path: &[&Command]) -> String {
    path.iter().map(|command| command.get_name()).collect::<Vec<_>>().join(" ")
}

/// The purpose of the command, in one line.
pub(super) fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The usage lines of the command.
pub(super) fn usage(command: &Command) -> Vec<String> {
    let usage = command.clone().render_usage().to_string();
    usage.lines().map(|line| line.trim_start().trim_start_matches("Usage: ").to_owned()).collect()
}

/// The subcommands, without hidden ones and the one that prints help.
pub(super) fn inside(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
}

fn commands(path: &[&Command]) -> String {
    let mut out = String::new();
    for inner in path.last().into_iter().flat_map(|command| inside(command)) {
        let name = format!("{} {}", full_name(path), inner.get_name());
        let about = if words::is_for_people(&name) { words::ASK_THE_USER.to_owned() } else { about(inner) };
        out.push_str(&format!("- {} — {about}\n", code(&name)));
    }
    if out.is_empty() {
        return out;
    }
    format!("\n## Commands\n\n{out}\nEach has its own `--ai-help`.\n")
}

/// The arguments and options under the headings that `--help` uses.
fn options(command: &Command) -> String {
    let mut sections: Vec<(String, String)> = Vec::new();
    for arg in command.get_arguments().filter(|arg| arg.is_positional() || !arg.is_hide_set()) {
        let heading = heading(arg);
        let line = option::line(command, arg);
        match sections.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, lines)) => lines.push_str(&line),
            None => sections.push((heading, line)),
        }
    }
    // As in `--help`, positional arguments come first.
    sections.sort_by_key(|(heading, _)| heading != "Arguments");
    sections.into_iter().map(|(heading, lines)| format!("\n## {heading}\n\n{lines}")).collect()
}

fn heading(arg: &Arg) -> String {
    if arg.is_positional() { "Arguments" } else { arg.get_help_heading().unwrap_or("Options") }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::program;

    #[test]
    fn d_35_every_command_and_every_option_is_explained() {
        let mut program = program();
        program.build();
        let mut seen = 0;
        walk(&mut vec![&program], &super::super::program::render(&program), &mut seen);
        assert!(seen > 100, "{seen} options");
    }

    fn walk(path: &mut Vec<&Command>, whole: &str, seen: &mut usize) {
        let command = path[path.len() - 1];
        let help = if path.len() == 1 { whole.to_owned() } else { render(path) };
        if path.len() > 1 {
            let name = full_name(path);
            assert!(help.starts_with(&format!("# {name}\n")), "{name} has no front matter");
            assert!(whole.contains(&format!("### {name}\n")), "{name} in the program's help");
            let is_explained = !words::is_for_people(&name);
            let shown = command.get_arguments().filter(|arg| is_explained && !arg.is_hide_set());
            for option in shown.filter_map(Arg::get_long) {
                assert!(help.contains(&format!("--{option}")), "{name} --{option}");
                *seen += 1;
            }
        }
        if words::is_for_people(&full_name(path)) {
            return;
        }
        for inner in inside(command) {
            path.push(inner);
            walk(path, whole, seen);
            path.pop();
        }
    }
}
