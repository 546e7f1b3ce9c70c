//! A day in the life of a person: servers that they have, protected by `overt wrap`; other people's
//! clients that use them; few questions; and then the log, undo, forbid and explain. Everything is
//! on as users have it.

mod calls; // what the clients do, in four stretches
mod home; // the person's home folder, their project and their programs
mod evening; // what the person looks at and takes back afterwards
mod stretch; // one client at work, and how the person answers it
mod whole; // the day from morning to evening

pub(crate) use whole::case;
