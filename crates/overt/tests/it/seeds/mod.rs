//! The five proposals from outside, in each era and over each transport: what no other test has.
mod dashdash; // seed 000: what a server says about itself
mod front_matter; // seed 001: skills
mod guide; // seed 003: the design of a server
mod people; // seed 002: previews, policies, permissions
