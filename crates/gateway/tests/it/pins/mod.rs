//! Which definitions of tools a person has accepted (CARD-01 to CARD-03).
mod digest; // one number for a definition, whatever its white space
mod earlier;
mod store; // a file per server
mod guard; // lists looked at, calls refused
