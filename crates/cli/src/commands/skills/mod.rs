//! `overt skills`.
mod pages; // the index and the files of skills, served beside the endpoint
mod task; // the server with every layer around it

pub(crate) use task::skills;
