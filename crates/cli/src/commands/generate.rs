//! `overt completions` and `overt man`: files made from the same declarations as the help.
use super::reference::reference;
use crate::args::{CompletionsArgs, ManArgs, program};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use overt_operator::near::valid_names;

pub(crate) fn completions(args: &CompletionsArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program(), "overt", &mut script);
    print(&script, context)
}

pub(crate) fn man(args: &ManArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let mut program = program();
    program.build();
    if args.markdown {
        return print(reference(&program).as_bytes(), context);
    }
    let mut command = &program;
    for name in &args.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            match names.is_empty() {
                true => {
                    let of = full_name(command);
                    user_error(format!("no command `{name}`: `{of}` has no subcommands"))
                }
                false => user_error(format!("no command `{name}`; {}", valid_names(name, names))),
            }
        })?;
    }
    let command = command.clone();
    let mut page = Vec::new();
    // Writing to memory can't fail.
    let _ = clap_mangen::Man::new(command).render(&mut page);
    print(&page, context)
}

/// Returns the command's name as it is typed.
fn full_name(command: &clap::Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn print(bytes: &[u8], context: &CommandContext) -> Result<Exit, CommandError> {
    context.printer.exact(bytes)?;
    Ok(Exit::Ok)
}
