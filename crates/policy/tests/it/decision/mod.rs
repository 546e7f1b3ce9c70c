//! The decision, by table and by property.
mod pool; // parts that random authorities, overlays and calls are made of
mod model; // the decision a second time, as plainly as can be
mod laws; // what holds for all of them
mod policies; // policies: good, broken, wider than allowed
mod rules; // rules: truth table, broken ones
mod decisions; // single decisions and what is said about them
mod edges; // borders, equalities, single conditions
mod explained; // a decision in words
mod lint; // what can't be meant
