//! `bench skills`: `overt skill check` beside other validators, and `overt skills` beside another
//! server. What counts is the ratio in one run.

mod check; // a thousand skills, and the corpus, through each validator
mod library; // the skills that are measured
mod options; // what to measure
mod serve; // start and `skills/list` with one and with ten thousand skills
mod task; // both, in order

pub(crate) use options::Options;
pub(crate) use task::run;
