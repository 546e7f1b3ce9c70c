//! Tests of the decision, by table and by property.
mod pool; // the parts of random authorities, overlays and calls
mod model; // a second, simpler implementation of the decision
mod laws; // laws of all decisions
mod policies; // policies: valid, invalid, wider than allowed
mod rules; // rules: a truth table, and invalid rules
mod decisions; // single decisions and their reasons
mod edges; // boundary cases, equalities, single conditions
mod explained; // decisions in words
mod lint; // warnings about entries that have no effect
