//! Runs the program, from the command line to an exit code.
use std::ffi::OsString;

use clap::FromArgMatches as _;
use overt_transport::guardian::guard;

use crate::ai_help::ai_help;
use crate::args::{Cli, Command, ControlArgs, program_with_short_help};
use crate::commands;
use crate::failure::{Exit, Failure};
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
    // Before the environment is read, so that the help works whatever is wrong there (D-35).
    if let Some(help) = ai_help(&args) {
        return guide(&help).unwrap_or_else(|failure| report(&failure, &Env::default()));
    }
    let env = Env::read();
    let result = match parse(&args) {
        Ok(command) => OutputSettings::check_env(&env).and_then(|()| dispatch(command, &env)),
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

fn dispatch(command: Command, env: &Env) -> Result<Exit, Failure> {
    match command {
        Command::Fs(args) if args.control.print_config_schema => {
            commands::print_config_schema::<OfFiles>(env)
        }
        Command::Fs(args) if args.control.show_settings => show_settings(&args.control, env),
        Command::Fs(args) => commands::fs(FsSettings::resolve(&args, env)?, env),
        Command::Wrap(args) => commands::wrap(&WrapSettings::resolve(&args, env)?, env),
        Command::Unwrap(args) => commands::unwrap(&args, env),
        Command::Doctor(args) => commands::doctor(&DoctorSettings::resolve(&args, env)?, env),
        Command::List(args) => commands::list(&args, env),
        Command::Call(args) => match &args.replay {
            Some(file) => commands::replay(&ReplaySettings::resolve(&args, file, env)?, env),
            None => commands::call(&CallSettings::resolve(&args, env)?, env),
        },
        Command::Describe(args) => commands::describe(&DescribeSettings::resolve(&args, env)?, env),
        Command::Card(args) => commands::card(args, env),
        Command::Skills(args) if args.control.print_config_schema => {
            commands::print_config_schema::<OfSkills>(env)
        }
        Command::Skills(args) if args.control.show_settings => show_settings(&args.control, env),
        Command::Skills(args) => commands::skills(SkillsSettings::resolve(&args, env)?, env),
        Command::Skill(args) => commands::skill(&args, env),
        Command::Run(args) if args.control.print_config_schema => commands::print_config_schema::<OfRun>(env),
        Command::Run(args) if args.control.show_settings => show_settings(&args.control, env),
        Command::Run(args) => commands::run(RunSettings::resolve(&args, env)?, env),
        Command::Forbid(args) => commands::forbid(&args, env),
        Command::Permit(args) => commands::permit(&args, env),
        Command::Grants(args) => commands::grants(&args, env),
        Command::Watch(args) => commands::watch(&WatchSettings::resolve(&args, env)?, env),
        Command::Ui(args) => commands::ui(&args, env),
        Command::Inspect(args) => commands::inspect(&args, env),
        Command::Trust(args) => commands::trust(&args, env),
        Command::Passphrase(args) => commands::passphrase(&args, env),
        Command::Token(args) => commands::token(&args, env),
        Command::Pins(args) => commands::pins(&args, env),
        Command::Log(args) => commands::activity(&args, env),
        Command::Undo(args) => commands::undo(&UndoSettings::resolve(args, env)?, env),
        Command::Audit(args) => commands::audit(&args, env),
        Command::Policy(args) => commands::policy(args, env),
        Command::Login(args) => commands::login(LoginSettings::resolve(&args, env)?, env),
        Command::Logout(args) => commands::logout(&LogoutSettings::resolve(&args, env)?, env),
        Command::Completions(args) => commands::completions(&args, env),
        Command::Man(args) => commands::man(&args, env),
    }
}

fn show_settings<T: Table>(args: &ControlArgs<T>, env: &Env) -> Result<Exit, Failure> {
    let (_, settings) = ControlSources::resolve(args, env)?;
    commands::show_settings(&settings, OutputSettings::format(args.format, env), env)
}

/// Prints the failure once. A closed pipe is not a failure, and an interruption is what the person
/// asked for.
fn report(failure: &Failure, env: &Env) -> Exit {
    if failure.error.downcast_ref::<OutputError>().is_some_and(OutputError::is_broken_pipe) {
        return Exit::Ok;
    }
    let printer = Printer::new(Verbosity::Normal, env);
    match failure.exit {
        Exit::Interrupted => printer.note(&failure.error.to_string()),
        _ => printer.failure(failure),
    }
    failure.exit
}
