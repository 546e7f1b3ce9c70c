//! Finds where one list of regions allows more than another: a new folder, a parent folder, or a
//! pattern beyond those in force. A folder inside an allowed one is legal.
use super::model::{Region, Regions};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::brief;

impl Regions {
    /// Reports every region that is not within what the other regions allow, as far as the texts
    /// show it.
    pub fn widens(&self, of: &Self, at: &Pointer) -> Findings {
        let mut findings = Findings::default();
        for layer in &self.layers {
            for region in layer {
                for outer in &of.layers {
                    region.widens(outer, &at.index(region.index), &mut findings);
                }
            }
        }
        findings
    }
}

impl Region {
    fn widens(&self, of: &[Self], at: &Pointer, findings: &mut Findings) {
        let mut around = of.iter().filter(|outer| self.path.is_beneath(&outer.path)).peekable();
        if around.peek().is_none() {
            findings.error(
                at.join("path"),
                format!("`{}` is not within a folder that is allowed", brief(&self.path.to_string())),
                "use one of the folders in force, or a folder within one",
            );
            return;
        }
        let Some(allow) = &self.allow else { return };
        let same: Vec<_> = around.filter(|outer| outer.path == self.path).collect();
        for (index, pattern) in allow.written().enumerate() {
            let is_within = |outer: &&Self| outer.allow.as_ref().is_none_or(|allow| allow.contains(pattern));
            if !same.is_empty() && !same.iter().any(is_within) {
                findings.error(
                    at.join("allow").index(index),
                    format!("`{}` is not within what is allowed there", brief(pattern)),
                    "use a pattern within those in force",
                );
            }
        }
    }
}
