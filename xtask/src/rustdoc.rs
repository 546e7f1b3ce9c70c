//! Stands in for `rustdoc` while `cargo test --doc` runs: beside the examples of a library, its
//! documentation is checked. `cargo doc` would compile every dependency once more for that.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::{Job, run_as_we_were};

/// Set where this program is `rustdoc`: where the documentation goes.
const STANDS_IN: &str = "OVERT_XTASK_RUSTDOC";

/// Has the job's cargo call this program as its `rustdoc`.
pub(crate) fn checking(repo: &Repo, job: Job) -> Result<Job, Failure> {
    let own = std::env::current_exe()
        .map_err(|error| Failure::new(format!("the path of this program is not known: {error}")))?;
    Ok(job.env("RUSTDOC", own).env(STANDS_IN, repo.out.join("doc")))
}

/// What this program does as `rustdoc`; none where it is itself.
pub(crate) fn stand_in() -> Option<ExitCode> {
    let out = std::env::var_os(STANDS_IN)?;
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let checked = lint_arguments(&args, &out).is_none_or(|words| rustdoc(&words));
    Some(if checked && rustdoc(&args) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn rustdoc(args: &[OsString]) -> bool {
    run_as_we_were("rustdoc", args, STANDS_IN)
}

/// The arguments with which the documentation is made, from those with which its examples are run.
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
            // Each with its value.
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
