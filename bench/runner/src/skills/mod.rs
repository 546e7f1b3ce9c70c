//! `bench skills`: `overt skill check` compared with other validators, and `overt skills` with
//! another server. Only ratios within one run are meaningful.

mod check; // each validator on a thousand skills, and on the corpus
mod library; // the skills for the measurements
mod options; // the options of the command line
mod serve; // start and `skills/list` with one and with ten thousand skills
mod task; // both parts, in order

pub(crate) use options::Options;
pub(crate) use task::run;
