//! The one place that decides. Every layer is asked and the most restrictive verdict counts, so no
//! layer can add to what another allows, and their order has no meaning.
mod builder; // the verdicts collected so far
mod layers; // the policies of all layers, in the order in which they are shown
mod size; // the size of arguments in bytes
mod need; // the scopes that a call needs, or that any call could need
mod policy; // the verdict of a policy
mod operator; // the verdict of the operator's scopes and rules
mod read; // decisions about resources, prompts, and information of a server
mod list; // whether the layers together leave any call
mod combine; // the combination of all layers
