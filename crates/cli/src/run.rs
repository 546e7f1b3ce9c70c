//! Runs the program, from the command line to an exit code.
use std::ffi::OsString;
use std::os::fd::AsFd as _;

use clap::FromArgMatches as _;
use overt_transport::guardian::guard;

use crate::ai_help::ai_help;
use crate::args::{Cli, Command, ControlArgs, program_with_short_help};
use crate::commands;
use crate::context::CommandContext;
use crate::error::{CommandError, ErrorKind, Exit};
use crate::granted::{SPAWNER_ARGUMENT, WORKER_ARGUMENT, run_spawner, run_worker};
use crate::output::{OutputError, Printer, guide, usage};
use crate::settings::{
    CallSettings, ControlSources, DescribeSettings, DoctorSettings, Env, FsSettings, GUARDIAN_ARGUMENT,
    LoginSettings, LogoutSettings, OfFiles, OfRun, OfSkills, OutputSettings, ReplaySettings, RunSettings,
    SkillsSettings, Table, UndoSettings, Verbosity, WatchSettings, WrapSettings,
};
use crate::usage::command_without_dashes;

/// Runs the program.
pub fn main() -> std::process::ExitCode {
    run(std::env::args_os()).into()
}

fn run(args: impl Iterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.collect();
    if matches!(&args[..], [_, argument] if argument == GUARDIAN_ARGUMENT) {
        guard(std::io::stdin().lock());
        return Exit::Ok;
    }
    if matches!(&args[..], [_, argument] if argument == SPAWNER_ARGUMENT) {
        // The socket is the standard input.
        let socket = std::io::stdin().as_fd().try_clone_to_owned();
        socket.into_iter().for_each(run_spawner);
        return Exit::Ok;
    }
    if matches!(&args[..], [_, argument] if argument == WORKER_ARGUMENT) {
        return run_worker().map_or(Exit::Outside, |()| Exit::Ok);
    }
    // Before the environment is read, so that the help works whatever is wrong there (D-35).
    if let Some(help) = ai_help(&args) {
        return guide(&help).unwrap_or_else(|failure| report(&failure, &Env::default()));
    }
    let env = Env::read();
    let result = match parse(&args) {
        Ok(command) => OutputSettings::resolve(command.output(), &env)
            .and_then(|output| dispatch(command, &CommandContext::new(env.clone(), output))),
        Err(error) => command_without_dashes(&error, &args).map_or_else(|| usage(&error), Err),
    };
    result.unwrap_or_else(|failure| report(&failure, &env))
}

/// Parses the command line. Clients start servers and wait for them, so the options of other
/// commands are built only if one of those is used, or to report a mistake.
fn parse(args: &[OsString]) -> Result<Command, clap::Error> {
    if let Some(server) = Command::server(args) {
        return Ok(server);
    }
    let matches = program_with_short_help().try_get_matches_from(args)?;
    Ok(Cli::from_arg_matches(&matches)?.command)
}

fn dispatch(command: Command, context: &CommandContext) -> Result<Exit, CommandError> {
    let env = &context.env;
    match command {
        Command::Fs(args) if args.control.print_config_schema => {
            commands::print_config_schema::<OfFiles>(context)
        }
        Command::Fs(args) if args.control.show_settings => show_settings(&args.control, context),
        Command::Fs(args) => commands::fs(FsSettings::resolve_with_client(&args, env)?, context),
        Command::Wrap(args) => commands::wrap(&WrapSettings::resolve(&args, env)?, context),
        Command::Unwrap(args) => commands::unwrap(&args, context),
        Command::Doctor(args) => commands::doctor(&DoctorSettings::resolve(&args, env)?, context),
        Command::List(args) => commands::list(&args, context),
        Command::Call(args) => match &args.replay {
            Some(file) => commands::replay(&ReplaySettings::resolve(&args, file, env)?, context),
            None => commands::call(&CallSettings::resolve(&args, context)?, context),
        },
        Command::Describe(args) => commands::describe(&DescribeSettings::resolve(&args, context)?, context),
        Command::Card(args) => commands::card(args, context),
        Command::Skills(args) if args.control.print_config_schema => {
            commands::print_config_schema::<OfSkills>(context)
        }
        Command::Skills(args) if args.control.show_settings => show_settings(&args.control, context),
        Command::Skills(args) => commands::skills(SkillsSettings::resolve(&args, env)?, context),
        Command::Skill(args) => commands::skill(&args, context),
        Command::Run(args) if args.control.print_config_schema => {
            commands::print_config_schema::<OfRun>(context)
        }
        Command::Run(args) if args.control.show_settings => show_settings(&args.control, context),
        Command::Run(args) => commands::run(RunSettings::resolve(&args, env)?, context),
        Command::Forbid(args) => commands::forbid(&args, context),
        Command::Permit(args) => commands::permit(&args, context),
        Command::Grants(args) => commands::grants(&args, context),
        Command::Watch(args) => commands::watch(&WatchSettings::resolve(&args, env)?, context),
        Command::Ui(args) => commands::ui(&args, context),
        Command::Inspect(args) => commands::inspect(&args, context),
        Command::Trust(args) => commands::trust(&args, context),
        Command::Passphrase(args) => commands::passphrase(&args, context),
        Command::Token(args) => commands::token(&args, context),
        Command::Pins(args) => commands::pins(&args, context),
        Command::Log(args) => commands::activity(&args, context),
        Command::Undo(args) => commands::undo(&UndoSettings::resolve(args, env)?, context),
        Command::Audit(args) => commands::audit(&args, context),
        Command::Policy(args) => commands::policy(args, context),
        Command::Login(args) => commands::login(LoginSettings::resolve(&args, env)?, context),
        Command::Logout(args) => commands::logout(&LogoutSettings::resolve(&args, env)?, context),
        Command::Completions(args) => commands::completions(&args, context),
        Command::Man(args) => commands::man(&args, context),
    }
}

fn show_settings<T: Table>(args: &ControlArgs<T>, context: &CommandContext) -> Result<Exit, CommandError> {
    let (_, settings) = ControlSources::resolve(args, &context.env)?;
    commands::show_settings(&settings, context)
}

/// Prints the failure once. A closed pipe is not a failure, and an interruption is what the person
/// asked for.
fn report(failure: &CommandError, env: &Env) -> Exit {
    if failure.error.downcast_ref::<OutputError>().is_some_and(OutputError::is_broken_pipe) {
        return Exit::Ok;
    }
    let printer = Printer::new(Verbosity::Normal, env);
    match failure.kind {
        ErrorKind::Interrupted => printer.note(&failure.error.to_string()),
        _ => printer.failure(failure),
    }
    failure.kind.into()
}
