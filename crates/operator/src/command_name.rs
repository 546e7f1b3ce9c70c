//! Derives the name of a server from the words that start it. Only the words and the folder count.
//! No file is read, so the contents of a project cannot choose the name, and the name is the same
//! at each start ([docs/run.md](../../../docs/run.md)).
use std::path::Path;

/// A program that starts another one, with those of its options that take the next word as a value.
struct Starter {
    names: &'static [&'static str],
    starts: StartedCommand,
    options: &'static [&'static str],
    /// Words before the started program that carry no name.
    fillers: &'static [&'static str],
}

/// What a starter starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StartedCommand {
    Package,
    /// A file, or a package in the form `npm:NAME`.
    Script,
    /// A file, or a module after `-m`.
    Module,
    Image,
    /// A file, or a command line after `-c`.
    CommandLine,
    /// Another program, with its words.
    Program,
}

const STARTERS: &[Starter] = &[
    Starter {
        names: &["npx", "bunx", "pnpx", "npm", "pnpm", "yarn"],
        starts: StartedCommand::Package,
        options: &["-p", "--package", "-w", "--workspace", "--prefix", "-C", "--dir", "--registry"],
        fillers: &["exec", "x", "dlx", "run", "start"],
    },
    Starter {
        names: &["uvx", "uv", "pipx"],
        starts: StartedCommand::Package,
        options: &[
            "--from",
            "--with",
            "--python",
            "-p",
            "--directory",
            "--project",
            "--env-file",
            "--index-url",
            "--index",
            "--spec",
            "--with-editable",
            "--with-requirements",
        ],
        fillers: &["run", "tool", "x"],
    },
    Starter {
        names: &[
            "node", "nodejs", "bun", "deno", "tsx", "ts-node", "ruby", "php", "perl", "java", "dotnet", "go",
        ],
        starts: StartedCommand::Script,
        options: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--env-file",
            "--config",
            "-cp",
            "--class-path",
            "--project",
        ],
        fillers: &["run", "x", "exec"],
    },
    Starter {
        names: &["python", "py"],
        starts: StartedCommand::Module,
        options: &["-X", "-W"],
        fillers: &[],
    },
    Starter {
        names: &["docker", "podman", "nerdctl"],
        starts: StartedCommand::Image,
        options: &[
            "-e",
            "--env",
            "--env-file",
            "-v",
            "--volume",
            "--mount",
            "--name",
            "-p",
            "--publish",
            "--network",
            "--net",
            "-w",
            "--workdir",
            "-u",
            "--user",
            "--entrypoint",
            "--platform",
            "-l",
            "--label",
            "--add-host",
            "--pull",
            "-m",
            "--memory",
            "--cpus",
            "--context",
            "-h",
            "--hostname",
        ],
        fillers: &["run", "exec", "container"],
    },
    Starter {
        names: &["sh", "bash", "zsh", "dash", "fish"],
        starts: StartedCommand::CommandLine,
        options: &["-o"],
        fillers: &[],
    },
    Starter {
        names: &["env", "sudo", "nice", "nohup", "timeout", "stdbuf", "cmd"],
        starts: StartedCommand::Program,
        options: &["-u", "-n", "-C", "--chdir", "--unset"],
        fillers: &["/c", "/C"],
    },
];

/// Uninformative names of files, modules and packages.
const GENERIC: &[&str] = &["index", "main", "__main__", "__init__", "cli", "app", "start", "mod", "program"];
/// Names of folders, scopes or packages that are uninformative if there is a better one.
const VAGUE: &[&str] = &["server", "mcp", "mcp-server", "mcp_server", "stdio", "bin", "run"];
/// Uninformative names of folders.
const GENERIC_FOLDERS: &[&str] = &[
    "dist", "build", "src", "lib", "out", "bin", "target", "debug", "release", "cjs", "esm", "js", "cmd",
    "app", "packages", ".", "..",
];
const SCRIPT_ENDINGS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".exe", ".jar", ".rb", ".php"];
/// Maximum nesting of command lines that is followed.
const DEEPEST: usize = 4;

/// The name of what a command line starts. `folder` is its working directory.
pub fn of_command(words: &[String], folder: Option<&Path>) -> String {
    named(words, folder, DEEPEST)
}

fn named(words: &[String], folder: Option<&Path>, depth: usize) -> String {
    let Some((program, rest)) = words.split_first() else { return String::new() };
    let starter = starter(program);
    let (Some(starter), Some(depth)) = (starter, depth.checked_sub(1)) else {
        return of_program(program, folder);
    };
    let of_line = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        named(&words, folder, depth)
    };
    let mut words = rest.iter().enumerate();
    while let Some((at, word)) = words.next() {
        let takes_line = starter.starts == StartedCommand::CommandLine && is_short_option(word, 'c');
        match (starter.starts, word.as_str()) {
            (StartedCommand::Module, "-m") => {
                return rest.get(at + 1).map_or_else(String::new, |name| of_module(name, folder));
            }
            (StartedCommand::CommandLine, _) if takes_line => {
                return rest.get(at + 1).map_or_else(String::new, |line| of_line(line));
            }
            (StartedCommand::Program, assignment) if assignment.contains('=') => {}
            (_, option) if option.starts_with('-') => {
                if starter.options.contains(&option) {
                    words.next();
                }
            }
            (_, filler) if starter.fillers.contains(&filler) => {}
            (StartedCommand::Program, number) if number.starts_with(|c: char| c.is_ascii_digit()) => {}
            (StartedCommand::Program, _) => return named(&rest[at..], folder, depth),
            // Such as `uv run python server.py`.
            (StartedCommand::Package, program) if self::starter(program).is_some() => {
                return named(&rest[at..], folder, depth);
            }
            (StartedCommand::Package, package) if is_script(package) => return of_path(package, folder),
            (StartedCommand::Package, package) => return of_package(package),
            (StartedCommand::Image, image) => return of_image(image),
            (StartedCommand::Script, package)
                if package.starts_with("npm:") || package.starts_with("jsr:") =>
            {
                return of_package(&package[4..]);
            }
            (StartedCommand::Script | StartedCommand::Module | StartedCommand::CommandLine, path) => {
                return of_path(path, folder);
            }
        }
    }
    bare(program).to_owned()
}

fn starter(program: &str) -> Option<&'static Starter> {
    // `python3.12` counts as `python`.
    let name = bare(program).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    STARTERS.iter().find(|starter| starter.names.contains(&name))
}

/// Whether a word has a short option: `-c`, or `-lc` where several options share one word.
fn is_short_option(word: &str, option: char) -> bool {
    word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.ends_with(option))
}

fn is_script(word: &str) -> bool {
    SCRIPT_ENDINGS.iter().any(|end| word.ends_with(end)) || word.starts_with("./") || word.starts_with("../")
}

/// `@scope/server-x@1.2`, `server-x==1.2`, `git+https://github.com/me/server-x.git` are `server-x`;
/// `@acme/mcp` is `acme-mcp`.
fn of_package(package: &str) -> String {
    let spec = package.split("://").last().unwrap_or(package);
    let spec = spec.split(['=', '<', '>', '~', '[', '#', '?', ' ']).next().unwrap_or(spec);
    // The version follows an `@` that is not the first character.
    let end = spec.get(1..).and_then(|rest| rest.rfind('@')).map_or(spec.len(), |at| at + 1);
    let spec = spec[..end].trim_end_matches('/');
    let mut parts = spec.rsplit(['/', ':']);
    let last = parts.next().unwrap_or(spec).trim_end_matches(".git").trim_start_matches('@');
    match parts.next().map(|scope| scope.trim_start_matches('@')) {
        Some(scope) if !scope.is_empty() && is_vague(last) => format!("{scope}-{last}"),
        _ => last.to_owned(),
    }
}

/// `ghcr.io/me/server-x:latest` is `server-x`.
fn of_image(image: &str) -> String {
    let image = image.split('@').next().unwrap_or(image);
    let (repository, last) = image.rsplit_once('/').unwrap_or(("", image));
    let last = last.split(':').next().unwrap_or(last);
    match repository.rsplit('/').next() {
        Some(owner) if !owner.is_empty() && is_vague(last) => format!("{owner}-{last}"),
        _ => last.to_owned(),
    }
}

/// `me.server_x.server` is `server_x`; `server` takes the name of its working directory.
fn of_module(module: &str, folder: Option<&Path>) -> String {
    let telling = module.split('.').rev().find(|part| !is_vague(part));
    telling.map_or_else(|| of_path(module, folder), str::to_owned)
}

/// The name of a program. A vague name such as `mcp-server` is kept, because the name of its
/// install folder is less informative. In a folder such as `bin` or `target/release`, a folder
/// above it gives the name.
fn of_program(path: &str, folder: Option<&Path>) -> String {
    let name = bare(path);
    let parent = Path::new(path).parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let is_built = parent.is_some_and(|parent| GENERIC_FOLDERS.contains(&parent));
    match is_vague(name) && !GENERIC.contains(&name) && !is_built {
        true => name.to_owned(),
        false => of_path(path, folder),
    }
}

/// The name of the file, or of the nearest folder above it with an informative name:
/// `server-x/dist/index.js` and `server-x/server.py` are `server-x`.
fn of_path(path: &str, folder: Option<&Path>) -> String {
    let name = bare(path);
    if !(is_vague(name) || name.is_empty() || name == ".") {
        return name.to_owned();
    }
    let whole = folder.map_or_else(|| Path::new(path).to_owned(), |folder| folder.join(path));
    let mut folders = whole.parent().into_iter().flat_map(Path::ancestors).filter_map(Path::file_name);
    let telling = folders.find_map(|name| name.to_str().filter(|name| !GENERIC_FOLDERS.contains(name)));
    telling.map_or_else(|| name.to_owned(), |folder| folder.trim_start_matches('@').to_owned())
}

fn is_vague(name: &str) -> bool {
    GENERIC.contains(&name) || VAGUE.contains(&name)
}

/// The file name without its folder and extension: `dist/server-x.js` is `server-x`.
fn bare(word: &str) -> &str {
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
    SCRIPT_ENDINGS.iter().find_map(|end| last.strip_suffix(end)).unwrap_or(last)
}

#[cfg(test)]
mod tests;
