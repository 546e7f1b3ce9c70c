//! Each benchmark by its name.

use xtask::failure::Failure;
use xtask::repo::Repo;

use crate::usage::USAGE;
use crate::{control, cpu, describe, fs, log, pages, proxy, serve, skills, ui, wire};

pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    match args.split_first() {
        Some((which, rest)) if which == "serve" => serve::run(repo, rest),
        Some((which, rest)) if which == "proxy" => proxy::run(repo, rest),
        Some((which, rest)) if which == "fs" => fs::run(repo, rest),
        Some((which, rest)) if which == "pages" => pages::run(repo, rest),
        Some((which, rest)) if which == "cpu" => cpu::run(repo, rest),
        Some((which, rest)) if which == "describe" => describe::run(repo, rest),
        Some((which, rest)) if which == "control" => control::run(repo, rest),
        Some((which, rest)) if which == "log" => log::run(repo, rest),
        Some((which, rest)) if which == "skills" => skills::run(repo, rest),
        Some((which, rest)) if which == "ui" => ui::run(repo, rest),
        Some((which, rest)) if which == "wire" => wire::run(repo, rest),
        _ => Err(Failure::new("say what to measure").hint(USAGE)),
    }
}
