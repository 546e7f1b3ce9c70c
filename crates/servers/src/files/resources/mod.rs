//! Files and folders as resources: read by their URIs, and watched.
mod contents; // reading them
mod template; // the resource template

pub(super) use template::template;
