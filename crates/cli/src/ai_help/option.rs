//! Formats one option or argument as a line of a list.
use clap::{Arg, ArgAction, Command};

use super::markdown::code;

/// The line for an argument: its syntax, its purpose, its possible values, and the options with
/// which it conflicts.
pub(super) fn line(command: &Command, arg: &Arg) -> String {
    let mut line = format!("- {}", code(&written(arg)));
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    if !help.is_empty() {
        line.push_str(&format!(" — {help}"));
    }
    let mut add = |sentence: String| {
        line.push_str(if line.ends_with(['.', ']']) { " " } else { ". " });
        line.push_str(&sentence);
    };
    let values: Vec<String> = if takes_value(arg) {
        arg.get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|v| code(v.get_name()))
            .collect()
    } else {
        Vec::new()
    };
    if !values.is_empty() {
        add(format!("One of {}.", values.join(", ")));
    }
    let default: Vec<String> = arg.get_default_values().iter().map(|v| code(&v.to_string_lossy())).collect();
    if takes_value(arg) && !default.is_empty() {
        add(format!("Default: {}.", default.join(" ")));
    }
    if arg.is_required_set() {
        add("Required.".into());
    }
    let apart: Vec<String> =
        command.get_arg_conflicts_with(arg).into_iter().map(|other| code(&name(other))).collect();
    if !apart.is_empty() {
        add(format!("Not together with {}.", apart.join(", ")));
    }
    line + "\n"
}

/// The syntax that users type: `-l, --long`, `--kind <KIND>`, `[URL]`.
fn written(arg: &Arg) -> String {
    // The usage describes a hidden positional argument; the name of its value identifies it.
    if arg.is_positional() && arg.is_hide_set() {
        let names = arg.get_value_names().unwrap_or_default();
        return names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    }
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(_)) => format!("-{short}, {arg}"),
        _ => arg.to_string(),
    }
}

fn name(arg: &Arg) -> String {
    arg.get_long().map_or_else(|| arg.to_string(), |long| format!("--{long}"))
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}
