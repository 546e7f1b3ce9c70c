//! Writes the list of the functions that a server runs at its start, and of those that a call runs
//! besides. The linker places each kind next to each other (`crates/overt/build.rs`): a server
//! reads and keeps fewer pages of the program, and a call after a pause finds more of it in the
//! caches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::say;

/// What a client sends first.
const START: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"start","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
"#;
/// A call of a tool, which the client sends next.
const CALL: &str = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"file.txt"}}}
"#;
/// The longest pattern. A longer name is cut, and the pattern then matches more functions.
const PATTERN: usize = 80;
/// How long one start may take in Valgrind.
const DEADLINE: Duration = Duration::from_secs(120);

/// Builds the program with its symbols, starts its servers in Valgrind, and writes the list.
pub(crate) fn write(repo: &Repo, _: &[String]) -> Result<(), Failure> {
    let program = build(repo)?;
    let files = repo.out.join("startup");
    // Begin with an empty state folder: a first start runs other functions than later starts, and
    // the list must have both.
    let _ = std::fs::remove_dir_all(&files);
    let root = files.join("root");
    std::fs::create_dir_all(&root).map_err(Failure::file("create", &root))?;
    let file = root.join("file.txt");
    std::fs::write(&file, "A line\n".repeat(500)).map_err(Failure::file("write", &file))?;
    let fs = [program.clone(), "fs".into(), root];
    let run = [program, "run".into(), "--allow".into(), "execute".into(), "--".into()];
    let run = run.into_iter().chain(fs.clone());
    let (mut start, mut call) = (BTreeSet::new(), BTreeSet::new());
    for (name, command) in [("fs", fs.to_vec()), ("run", run.collect())] {
        for _ in 0..2 {
            start.extend(functions(&profile(repo, name, &command, &files, START)?).filter_map(pattern));
        }
        let both = format!("{START}{CALL}");
        call.extend(functions(&profile(repo, name, &command, &files, &both)?).filter_map(pattern));
    }
    call.retain(|pattern| !start.contains(pattern));
    let list = repo.root.join("crates/overt/startup.ld");
    std::fs::write(&list, script(&start, &call)).map_err(Failure::file("write", &list))?;
    say::line(format!("{} and {} patterns in crates/overt/startup.ld", start.len(), call.len()));
    Ok(())
}

fn build(repo: &Repo) -> Result<PathBuf, Failure> {
    let target = repo.target.join("startup-order");
    Job::cargo(repo, "startup-build", &["build", "--quiet", "--release", "--bin", "overt", "--target-dir"])
        .arg(&target)
        .env("CARGO_PROFILE_RELEASE_STRIP", "none")
        .succeed()?;
    Ok(target.join("release/overt"))
}

/// Runs a server with this input in Valgrind and returns its profile.
fn profile(
    repo: &Repo,
    name: &str,
    command: &[PathBuf],
    files: &Path,
    input: &str,
) -> Result<String, Failure> {
    let out = files.join(format!("{name}.callgrind"));
    let mut option = std::ffi::OsString::from("--callgrind-out-file=");
    option.push(&out);
    let ran = Job::new(repo, &format!("startup-{name}"), "valgrind")
        .args(["--tool=callgrind", "--demangle=no"])
        .arg(option)
        .args(command)
        .env("HOME", files)
        .env("XDG_STATE_HOME", files.join("state"))
        .input(input)
        .deadline(DEADLINE)
        .succeed()
        .map_err(|failure| failure.hint("Valgrind is Debian's package `valgrind`"))?;
    if ran.stdout().contains(r#""isError":true"#) {
        let failure = Failure::new("the call failed, so its functions are not known");
        return Err(failure.hint("Valgrind 3.24 and newer know `openat2`, with which files are opened"));
    }
    std::fs::read_to_string(&out).map_err(Failure::file("read", &out))
}

/// Returns the symbols of the functions that a profile names.
fn functions(profile: &str) -> impl Iterator<Item = &str> {
    profile.lines().filter_map(|line| {
        let line = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn="))?;
        line.strip_prefix('(')?.split_once(") ").map(|(_, symbol)| symbol)
    })
}

/// Returns the pattern of a Rust function's section. It leaves out what changes with each build:
/// the hash at the end, and the hashes of crates. Only Rust functions have sections of their own.
fn pattern(symbol: &str) -> Option<String> {
    // Valgrind marks recursion with an apostrophe.
    let symbol = symbol.split('\'').next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    if !symbol.starts_with("_ZN") && !symbol.starts_with("_R") || !symbol.chars().all(plain) {
        return None;
    }
    let mut pattern = match symbol.strip_prefix("_R") {
        Some(symbol) => format!("_R{}", without_crate_hashes(symbol)),
        None => symbol.split_once("17h").map_or(symbol.to_owned(), |(name, _)| format!("{name}17h*")),
    };
    // The compiler numbers copies of a function.
    if let Some((name, number)) = pattern.rsplit_once('.')
        && number.chars().all(|c| c.is_ascii_digit())
    {
        pattern = format!("{}*", name.strip_suffix(".llvm").unwrap_or(name));
    }
    if pattern.len() > PATTERN {
        pattern.truncate(PATTERN);
        pattern.push('*');
    }
    Some(pattern)
}

/// Replaces the hash of each crate, such as in `Cs4X4t9plMPHF_9addr2line`, by an asterisk.
fn without_crate_hashes(symbol: &str) -> String {
    let mut parts = symbol.split("Cs");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let hash = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        match (8..=14).contains(&hash) && part[hash..].starts_with('_') {
            true => format!("{text}Cs*{}", &part[hash..]),
            false => format!("{text}Cs{part}"),
        }
    })
}

fn script(start: &BTreeSet<String>, call: &BTreeSet<String>) -> String {
    let lines = |patterns: &BTreeSet<String>| -> String {
        patterns.iter().map(|pattern| format!("    *(.text.{pattern})\n")).collect()
    };
    format!(
        "/* The functions that a server runs at its start, and those that a call runs besides. Written by \
         `cargo xtask startup-order`. */\n\
         SECTIONS {{\n  .text.startup : {{\n{}  }}\n  .text.call : {{\n{}  }}\n}} INSERT BEFORE .text;\n",
        lines(start),
        lines(call)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_names_each_function_once() {
        let profile = "fn=(1) _ZN5overt4mainE\n+3 12\ncfn=(2) main\ncalls=1 0\nfn=(1)\n";
        assert_eq!(functions(profile).collect::<Vec<_>>(), ["_ZN5overt4mainE", "main"]);
    }

    #[test]
    fn a_pattern_leaves_out_what_changes_with_each_build() {
        for (symbol, expected) in [
            ("_ZN5overt4main17hf265d0cac367ec57E", Some("_ZN5overt4main17h*")),
            ("_ZN4core3fmt5write17h0123456789abcdefE'2", Some("_ZN4core3fmt5write17h*")),
            ("_RNvNtCs4X4t9plMPHF_9addr2line4line9path_push", Some("_RNvNtCs*_9addr2line4line9path_push")),
            ("_RNvNtCs4X4t9plMPHF_4core3cmp.llvm.12", Some("_RNvNtCs*_4core3cmp*")),
            ("_RNvNtCs4X4t9plMPHF_4core3cmp.1121", Some("_RNvNtCs*_4core3cmp*")),
            ("mi_malloc", None),
            ("0x0000000000001050", None),
        ] {
            assert_eq!(pattern(symbol).as_deref(), expected, "{symbol}");
        }
        assert_eq!(
            pattern(&format!("_ZN{}", "a".repeat(100))).map(|pattern| pattern.len()),
            Some(PATTERN + 1)
        );
    }
}
