//! `--ai-help`: explains the program and each of its commands to an agent, as Markdown. It is
//! generated from the same declarations as `--help`, before anything else is read (D-35).
mod asked; // detects the request, and for which command
mod program; // help for the whole program, with front matter
mod command; // help for one command
mod option; // one option or argument
mod markdown; // converts help texts to Markdown
mod words; // texts that no declaration contains

pub(crate) use asked::ai_help;
