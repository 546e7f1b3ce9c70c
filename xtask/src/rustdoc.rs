//! Acts as `rustdoc` while `cargo test --doc` runs, so that a library's documentation is checked
//! together with its examples. `cargo doc` would compile every dependency again for that.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::{Job, run_as_we_were};

/// The variable that makes this program act as `rustdoc`. Its value is the output directory.
const STANDS_IN: &str = "OVERT_XTASK_RUSTDOC";

/// Makes the job's cargo use this program as its `rustdoc`.
pub(crate) fn checking(repo: &Repo, job: Job) -> Result<Job, Failure> {
    let own = std::env::current_exe()
        .map_err(|error| Failure::new(format!("the path of this program is not known: {error}")))?;
    Ok(job.env("RUSTDOC", own).env(STANDS_IN, repo.out.join("doc")))
}

/// Acts as `rustdoc` and returns its exit code, or returns `None` if this program runs as itself.
pub(crate) fn stand_in() -> Option<ExitCode> {
    let out = std::env::var_os(STANDS_IN)?;
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let checked = lint_arguments(&args, &out).is_none_or(|words| rustdoc(&words));
    Some(if checked && rustdoc(&args) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn rustdoc(args: &[OsString]) -> bool {
    run_as_we_were("rustdoc", args, STANDS_IN)
}

/// Returns the arguments that build the documentation, derived from those that test its examples.
/// `None` if the arguments don't test examples.
fn lint_arguments(args: &[OsString], out: &OsStr) -> Option<Vec<OsString>> {
    let is = |arg: &OsStr, name: &str| arg.to_str().is_some_and(|text| text == name);
    if !args.iter().any(|arg| is(arg, "--test")) {
        return None;
    }
    let mut words = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--test" | "--no-run") => {}
            // Each of these options has a value.
            Some("--test-run-directory" | "--test-args" | "--test-builder" | "--test-runtool") => {
                args.next();
            }
            _ => words.push(arg.clone()),
        }
    }
    words.extend(["-D", "warnings", "--out-dir"].map(OsString::from));
    words.push(out.to_owned());
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_are_left_out() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let run = words("--crate-name wire --test src/lib.rs --test-run-directory crates/wire -L deps");
        let made = words("--crate-name wire src/lib.rs -L deps -D warnings --out-dir doc");
        assert_eq!(lint_arguments(&run, OsStr::new("doc")), Some(made));
        assert_eq!(lint_arguments(&words("-vV"), OsStr::new("doc")), None);
    }
}
