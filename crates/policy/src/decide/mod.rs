//! The one place that decides. Every layer is asked; the least that any of them says counts, so no layer can add to what
//! another allows, and their order has no meaning.
mod builder; // what has been said so far
mod layers; // who has a say, in the order in which they are shown
mod size; // bytes of arguments
mod need; // the scopes that a call needs, or that any call could need
mod policy; // what a policy says
mod operator; // what the operator's scopes and rules say
mod read; // resources, prompts, and what a server tells about itself
mod list; // whether any call is left when all have spoken
mod combine; // asks them all
