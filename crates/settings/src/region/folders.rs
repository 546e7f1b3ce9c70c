//! The folders of an operator's regions, in the order of the document, and the same regions moved
//! or restricted.
use std::cmp::Reverse;

use super::model::{Region, Regions};
use super::path::Path;
use super::patterns::{Case, Patterns, Role};

/// A folder of which something is visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionFolder {
    /// The path as written in the region.
    pub path: String,
    /// Whether relative paths begin here.
    pub is_default: bool,
}

impl Regions {
    /// Returns the folders of each layer in the order of the document, without those of which
    /// nothing is visible.
    pub fn folders(&self) -> impl Iterator<Item = Vec<RegionFolder>> {
        self.layers.iter().map(|layer| {
            let mut open: Vec<&Region> = layer.iter().filter(|region| region.is_open()).collect();
            open.sort_by_key(|region| region.index);
            let folder = |region: &Region| RegionFolder {
                path: region.path.to_string(),
                is_default: region.is_default,
            };
            open.into_iter().map(folder).collect()
        })
    }

    /// Returns the folders that every layer names or contains: those of the latest narrowing first,
    /// and of one layer the default one first. Every visible path is in one of them.
    pub fn common_folders(&self) -> Vec<String> {
        let is_shown = |path: &Path| self.layers.iter().all(|layer| may_show_beneath(layer, path));
        let is_common = |region: &&Region| region.is_open() && is_shown(&region.path);
        let mut open: Vec<&Region> = self.layers.iter().flatten().filter(is_common).collect();
        open.sort_by_key(|region| (Reverse(region.narrowing), !region.is_default, region.index));
        let mut folders: Vec<String> = Vec::with_capacity(open.len());
        for path in open.into_iter().map(|region| region.path.to_string()) {
            if !folders.contains(&path) {
                folders.push(path);
            }
        }
        folders
    }

    /// Returns these regions with each path replaced by what `place` returns, such as an absolute
    /// path. `None` if a result is not a comparable path.
    pub fn with_paths<E>(&self, mut place: impl FnMut(&str) -> Result<String, E>) -> Result<Option<Self>, E> {
        let mut layers = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            let mut placed = Vec::with_capacity(layer.len());
            for region in layer {
                let Some(path) = Path::parse(&place(&region.path.to_string())?) else { return Ok(None) };
                placed.push(Region { path, ..region.clone() });
            }
            placed.sort();
            placed.dedup();
            layers.push(placed);
        }
        Ok(Some(Self { layers }))
    }

    /// Returns these regions without anything in `places`. Places that can't be compared are
    /// ignored.
    #[must_use]
    pub fn without<'a>(self, places: impl IntoIterator<Item = &'a str>) -> Self {
        let hidden = |path| Region { blocked: true, ..Region::of_folder(path) };
        self.and(places.into_iter().filter_map(Path::parse).map(hidden))
    }

    /// Returns these regions with `places` read-only. This makes nothing visible that was hidden.
    #[must_use]
    pub fn with_read_only<'a>(self, places: impl IntoIterator<Item = &'a str>) -> Self {
        let everything = Patterns::parse(Role::Deny, &["**"]).ok();
        let nothing = Patterns::parse::<&str>(Role::Allow, &[]).ok();
        let kept = |path| Region {
            allow: nothing.clone(),
            immutable: everything.clone(),
            ..Region::of_folder(path)
        };
        self.and(places.into_iter().filter_map(Path::parse).map(kept))
    }

    fn and(mut self, more: impl Iterator<Item = Region>) -> Self {
        let more: Vec<Region> = more.collect();
        for layer in &mut self.layers {
            let next = layer.iter().map(|region| region.index).max().map_or(0, |last| last + 1);
            let more = more.iter().cloned().enumerate();
            layer.extend(more.map(|(offset, region)| Region { index: next + offset, ..region }));
            layer.sort();
            layer.dedup();
        }
        self
    }
}

/// Whether a layer may show anything in a folder.
fn may_show_beneath(layer: &[Region], folder: &Path) -> bool {
    layer.iter().any(|region| region.is_open() && folder.is_beneath(&region.path))
        && !layer.iter().any(|region| region.hides(&folder.to_string(), Case::Exact))
}

impl Region {
    /// Whether anything in the folder can be visible.
    fn is_open(&self) -> bool {
        !self.blocked && self.allow.as_ref().is_none_or(|allow| !allow.is_empty())
    }

    /// Returns a region with everything in a folder.
    pub(super) fn of_folder(path: Path) -> Self {
        Self {
            path,
            allow: None,
            deny: None,
            immutable: None,
            blocked: false,
            is_default: false,
            index: 0,
            narrowing: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// H-18: after a narrowing, its folders come first, its default one before the others, and only
    /// those that every layer shows.
    #[test]
    fn h_18_folders_of_the_latest_narrowing_come_first() {
        let regions = |value| Regions::parse(&value).unwrap();
        let operator = regions(json!(["/a", { "path": "/b", "default": true }]));
        assert_eq!(operator.common_folders(), ["/b", "/a"]);
        for (asked, expected) in [
            (json!(["/a/x"]), vec!["/a/x"]),
            (json!(["/a", "/b"]), vec!["/a", "/b"]),
            (json!(["/a", { "path": "/b/y", "default": true }]), vec!["/b/y", "/a"]),
            (json!([{ "path": "/b", "blocked": true }, "/a"]), vec!["/a"]),
            (json!(["/elsewhere"]), vec![]),
            (json!([{ "path": "/a/x", "allow": ["*.md"] }, { "path": "/b", "allow": [] }]), vec!["/a/x"]),
            (json!([]), vec![]),
        ] {
            let narrowed = operator.meet(&regions(asked.clone()));
            assert_eq!(narrowed.common_folders(), expected, "{asked}");
            assert_eq!(narrowed, regions(asked.clone()).meet(&operator), "{asked}");
        }
        let twice = operator.meet(&regions(json!(["/b", "/a"]))).meet(&regions(json!(["/a", "/b/y"])));
        assert_eq!(twice.common_folders(), ["/a", "/b/y"]);
    }

    #[test]
    fn folders_are_in_the_order_in_which_they_were_written() {
        let regions =
            Regions::parse(&json!(["z", { "path": "a", "default": true }, { "path": "b", "blocked": true }]));
        let regions = regions.unwrap();
        let names = |regions: &Regions| {
            let folders = regions.folders().flatten();
            folders.map(|folder| (folder.path, folder.is_default)).collect::<Vec<_>>()
        };
        assert_eq!(names(&regions), [("z".to_owned(), false), ("a".to_owned(), true)]);
        let placed = regions.with_paths(|path| Ok::<_, ()>(format!("/base/{path}"))).unwrap().unwrap();
        assert_eq!(names(&placed), [("/base/z".to_owned(), false), ("/base/a".to_owned(), true)]);
        assert!(!placed.visible("/base/b/x") && placed.visible("/base/a/x"));
        let less = placed.without(["/base/a/proc"]);
        assert!(!less.visible("/base/a/proc/self") && less.visible("/base/a/x"));
        assert_eq!(names(&less).len(), 2);
        let kept = less.with_read_only(["/base/a/overt.toml", "/base/a/proc/x", "/elsewhere"]);
        assert!(kept.visible("/base/a/overt.toml") && !kept.writable("/base/a/overt.toml"));
        assert!(kept.writable("/base/a/overt.toml.new") && !kept.visible("/base/a/proc/x"));
        assert!(!kept.visible("/elsewhere/x"));
        assert_eq!(names(&kept).len(), 2);
        assert_eq!(regions.with_paths(|_| Ok::<_, ()>("..".to_owned())), Ok(None));
        assert_eq!(regions.with_paths(|_| Err("no")), Err("no"));
    }
}
