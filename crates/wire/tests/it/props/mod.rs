//! Properties on generated input. A failure prints its smallest input, which then becomes a case in
//! a table. Nothing is written to disk.
mod generate; // unusual but valid JSON text
mod oracle; // an independent judgement of JSON text
mod paths; // paths into a text, and everything beside them
mod scanner; // the strict check compared with the oracle
mod messages; // parse then write is the identity
mod edits; // changing one member while the rest stays
mod frames; // every split of a stream gives the same frames
