//! A day in the life of a person: `overt wrap` protects their servers, other people's clients use
//! them, and few questions are asked. Then the person uses log, undo, forbid and explain.
//! Everything has its default settings.

mod calls; // the clients' calls, in four parts
mod home; // the person's home folder, their project and their programs
mod evening; // what the person checks and undoes afterwards
mod day_part; // one part: a client at work, and the person's answers
mod case; // the day from morning to evening

pub(crate) use case::case;
