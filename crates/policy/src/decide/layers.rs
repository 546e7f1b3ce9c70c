//! Who has a say: the fragments of all layers, in the order in which they are shown.
use crate::authority::{Authority, Overlays};
use crate::decision::Layer;
use crate::finding::Pointer;
use crate::fragment::Fragment;
use crate::scope::ScopeSet;

/// A fragment that says something, and where it comes from.
#[derive(Clone, Copy)]
pub(super) struct Voice<'a> {
    pub(super) layer: Layer,
    pub(super) fragment: &'a Fragment,
    /// Its place, where a layer has several.
    index: Option<usize>,
}

impl Voice<'_> {
    /// A place in its document.
    pub(super) fn at(&self, list: &str, name: &str) -> Pointer {
        let root = self.index.map_or_else(Pointer::root, |index| Pointer::root().index(index));
        let at = root.join(list);
        if name.is_empty() { at } else { at.join(name) }
    }
}

pub(super) fn voices<'a>(
    authority: &'a Authority,
    overlays: &Overlays<'a>,
) -> impl Iterator<Item = Voice<'a>> + use<'a> {
    let ceiling = Voice { layer: Layer::Ceiling, fragment: &authority.ceiling, index: None };
    let last = overlays.call.len().saturating_sub(1);
    let session = several(overlays.session, |_| Layer::Session);
    let call =
        several(overlays.call, move |index| if index == last { Layer::Call } else { Layer::Delegation });
    [ceiling].into_iter().chain(session).chain(call).filter(|voice| !voice.fragment.is_top())
}

fn several<'a>(fragments: &'a [Fragment], layer: impl Fn(usize) -> Layer) -> impl Iterator<Item = Voice<'a>> {
    let is_list = fragments.len() > 1;
    fragments.iter().enumerate().map(move |(index, fragment)| Voice {
        layer: layer(index),
        fragment,
        index: is_list.then_some(index),
    })
}

/// Every set of scopes that all needed ones must be within.
pub(super) fn allows<'a>(
    authority: &'a Authority,
    overlays: &Overlays<'a>,
) -> impl Iterator<Item = &'a ScopeSet> + use<'a> {
    voices(authority, overlays).flat_map(|voice| &voice.fragment.scopes.allow).chain(overlays.allowed_scopes)
}

/// Every set of scopes that nothing needed may touch.
pub(super) fn denies<'a>(
    authority: &'a Authority,
    overlays: &Overlays<'a>,
) -> impl Iterator<Item = &'a ScopeSet> + use<'a> {
    voices(authority, overlays)
        .map(|voice| &voice.fragment.scopes.deny)
        .chain([&authority.denied, overlays.denied_scopes])
}
