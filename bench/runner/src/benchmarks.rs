//! The table of benchmarks with their options.

use clap::{Parser, Subcommand};
use xtask::failure::Failure;
use xtask::repo::Repo;

use crate::{control, cpu, describe, fs, log, pages, proxy, serve, skills, ui, wire};

/// Measures Overt beside others, in one run on one machine
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask bench", after_help = "`bench/README.md` says how each is measured.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, Subcommand)]
enum Benchmark {
    Serve(serve::Options),
    Proxy(proxy::Options),
    Fs(fs::Options),
    Pages(pages::Options),
    Cpu(cpu::Options),
    Describe(describe::Options),
    Control(control::Options),
    Log(log::Options),
    Skills(skills::Options),
    Ui(ui::Options),
    Wire(wire::Options),
}

impl Cli {
    pub(crate) fn run(self, repo: &Repo) -> Result<(), Failure> {
        match self.benchmark {
            Benchmark::Serve(options) => serve::run(repo, &options),
            Benchmark::Proxy(options) => proxy::run(repo, &options),
            Benchmark::Fs(options) => fs::run(repo, &options),
            Benchmark::Pages(options) => pages::run(repo, options),
            Benchmark::Cpu(options) => cpu::run(repo, options),
            Benchmark::Describe(options) => describe::run(repo, &options),
            Benchmark::Control(options) => control::run(repo, &options),
            Benchmark::Log(options) => log::run(repo, &options),
            Benchmark::Skills(options) => skills::run(repo, options),
            Benchmark::Ui(options) => ui::run(repo, options),
            Benchmark::Wire(options) => wire::run(repo, &options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the words are options that a benchmark has.
    fn reads(words: &str) -> bool {
        Cli::try_parse_from(["bench"].into_iter().chain(words.split(' '))).is_ok()
    }

    #[test]
    fn the_commands_of_the_readme_are_read() {
        let readme = include_str!("../../README.md");
        let commands = readme.lines().filter_map(|line| line.strip_prefix("cargo xtask bench "));
        let commands: Vec<&str> =
            commands.map(|line| line.split('#').next().unwrap_or_default().trim_end()).collect();
        assert!(commands.len() > 10);
        // A build to compare with must exist, so skip these commands.
        for command in commands.iter().filter(|command| !command.contains("--binary before=")) {
            assert!(reads(command), "{command}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let wrong = [
            "what",
            "serve --rounds",
            "serve --rounds 0",
            "proxy --only someone",
            "proxy --part x",
            "proxy --loads x",
            "fs --rows x",
            "fs --in-flight x",
            "pages --entries 0",
            "cpu --binary /",
            "cpu --binary x=/no/such",
            "cpu --part x",
            "log --records x",
            "skills --skills 0",
            "ui --questions x",
        ];
        for wrong in wrong {
            assert!(!reads(wrong), "{wrong}");
        }
        assert!(reads("wire --min-ratio 3 --rounds 1") && reads("control 1 3"));
        assert!(reads("cpu --binary before=/ --binary after=/ --part http,fs --calls 5"));
    }
}
