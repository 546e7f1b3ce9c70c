//! Hostile servers behind `overt run` (UP-01 to UP-17): the real program in front of the evil
//! server. `docs/security-cases.md` has the table.
mod kit; // a client, `overt run` and the evil server
mod noise; // UP-01: output that is not a message
mod crashes; // UP-02: upstreams that die
mod silence; // UP-03, UP-05: upstreams that don't answer or don't read
mod answers; // UP-04, UP-07: invalid and misdirected answers
mod sizes; // UP-06: answers that are too large
mod questions; // UP-09: upstreams that ask
mod processes; // UP-10, UP-11: what a child process inherits and leaves behind
mod web; // UP-12, UP-14, UP-17: upstreams over HTTP
mod load; // calls with nonces: nothing is lost, swapped or duplicated
mod lossless; // answers come out byte for byte
mod behind; // transcripts of tasks, scopes and forged marks
mod crossing; // the transcripts, with every pair of eras
