//! Properties on generated input. A failure prints its smallest input, which then becomes a table
//! case; nothing is written to disk.
mod generate; // JSON text as odd as it may be
mod oracle; // an independent judge of JSON text
mod paths; // into a text, and what stands beside
mod scanner; // the strict check beside the judge
mod messages; // parse then write is the identity
mod edits; // one member changed, the rest kept
mod frames; // any split gives the same frames
