//! Stands between clients and a server that other people wrote: an upstream as an
//! [`Endpoint`](overt_layers::Endpoint), whatever era and transport each side speaks.
