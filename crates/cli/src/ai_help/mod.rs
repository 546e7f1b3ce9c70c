//! `--ai-help`: the program and each of its commands explained to an agent, as Markdown. Made from
//! the declarations that `--help` is made from, before anything else is looked at (D-35).
mod asked; // whether a command line asks for it, and for which command
mod program; // the whole program, with front matter
mod command; // one command
mod option; // one option or argument
mod markdown; // help texts as Markdown
mod words; // what no declaration says: when to use the program, and how

pub(crate) use asked::ai_help;
