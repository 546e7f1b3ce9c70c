//! The policies of all layers, in the order in which they are shown.
use crate::authority::{Authority, Overlays};
use crate::decision::Layer;
use crate::finding::Pointer;
use crate::policy::Policy;
use crate::scope::ScopeSet;

/// A policy that is not empty, and the layer it comes from.
#[derive(Clone, Copy)]
pub(super) struct PolicyLayer<'a> {
    pub(super) layer: Layer,
    pub(super) policy: &'a Policy,
    /// Its index, if the layer has several policies.
    index: Option<usize>,
}

impl PolicyLayer<'_> {
    /// Returns a place in the layer's document.
    pub(super) fn at(&self, list: &str, name: &str) -> Pointer {
        let root = self.index.map_or_else(Pointer::root, |index| Pointer::root().index(index));
        let at = root.join(list);
        if name.is_empty() { at } else { at.join(name) }
    }
}

pub(super) fn policy_layers<'a>(
    authority: &'a Authority,
    overlays: &Overlays<'a>,
) -> impl Iterator<Item = PolicyLayer<'a>> + use<'a> {
    let ceiling = PolicyLayer { layer: Layer::Ceiling, policy: &authority.ceiling, index: None };
    let last = overlays.call.len().saturating_sub(1);
    let session = several(overlays.session, |_| Layer::Session);
    let call =
        several(overlays.call, move |index| if index == last { Layer::Call } else { Layer::Delegation });
    [ceiling].into_iter().chain(session).chain(call).filter(|layer| !layer.policy.is_top())
}

fn several<'a>(
    policies: &'a [Policy],
    layer: impl Fn(usize) -> Layer,
) -> impl Iterator<Item = PolicyLayer<'a>> {
    let is_list = policies.len() > 1;
    policies.iter().enumerate().map(move |(index, policy)| PolicyLayer {
        layer: layer(index),
        policy,
        index: is_list.then_some(index),
    })
}

/// Returns every set of scopes that must cover all needed scopes.
pub(super) fn allows<'a>(
    authority: &'a Authority,
    overlays: &Overlays<'a>,
) -> impl Iterator<Item = &'a ScopeSet> + use<'a> {
    policy_layers(authority, overlays)
        .flat_map(|layer| &layer.policy.scopes.allow)
        .chain(overlays.allowed_scopes)
}

/// Returns every set of scopes that no needed scope may overlap.
pub(super) fn denies<'a>(
    authority: &'a Authority,
    overlays: &Overlays<'a>,
) -> impl Iterator<Item = &'a ScopeSet> + use<'a> {
    policy_layers(authority, overlays)
        .map(|layer| &layer.policy.scopes.deny)
        .chain([&authority.denied, overlays.denied_scopes])
}
