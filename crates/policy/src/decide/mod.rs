//! The one place that decides. Every layer is asked and the most restrictive verdict counts, so no
//! layer can add to what another allows, and their order has no meaning.
mod builder; // collects verdicts into a decision
mod layers; // the policies of all layers, in the order in which they are shown
mod size; // the size of arguments in bytes
mod need; // the scopes that a call needs, or that any call could need
mod policy; // applies a policy
mod operator; // applies the operator's scopes and rules
mod read; // decides about resources, prompts, and information of a server
mod list; // checks whether the layers together leave any call
mod combine; // asks all layers
