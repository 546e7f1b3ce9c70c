//! Files and folders as resources: read by their URIs, and watched.
mod contents; // what is given of them
mod template; // reading and watching

pub(super) use template::template;
