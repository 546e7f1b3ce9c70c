//! Builds a snapshot from folders.
use std::collections::HashMap;
use std::sync::Arc;

use overt_documents::skill::check::{Report, check_set};

use super::finding::Finding;
use super::judge::{BrokenSkill, Budget, Candidate, JudgedSkills};
use super::served::{Serve, ServedSkill};
use super::snapshot::Snapshot;
use super::tree::{FoundSkills, join};
use crate::files::access::{Folder, Roots};

/// Where skills are read from, and in which form they are served.
#[derive(Debug)]
pub(super) struct Sources {
    pub(super) roots: Roots,
    /// The roots as the operator wrote them.
    pub(super) shown: Vec<String>,
    pub(super) serve: Serve,
}

/// Some skills break the contract of seed 001, so the server does not start (F-14).
#[derive(Debug, thiserror::Error)]
#[error("skills break the contract of their repository\n{}", lines(findings))]
pub struct StartError {
    pub findings: Vec<Finding>,
}

fn lines(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("- {finding}")).collect::<Vec<_>>().join("\n")
}

impl Sources {
    /// Reads all skills for the first time. A skill that breaks the contract of seed 001 is an
    /// error.
    pub(super) fn open(&self, enter: &mut dyn FnMut(&Folder)) -> Result<Snapshot, StartError> {
        let (snapshot, hard) = self.read(None, enter);
        let hard: Vec<Finding> =
            hard.into_iter().chain(self.unresolved(&snapshot).into_iter().map(|(_, found)| found)).collect();
        if hard.is_empty() { Ok(snapshot) } else { Err(StartError { findings: hard }) }
    }

    /// Reads what changed. A skill that is broken now keeps its previous state.
    pub(super) fn reload(&self, before: &Snapshot, enter: &mut dyn FnMut(&Folder)) -> Snapshot {
        let (snapshot, hard) = self.read(Some(before), enter);
        let unresolved = self.unresolved(&snapshot);
        if hard.is_empty() && unresolved.is_empty() {
            return snapshot;
        }
        let is_unresolved = |skill: &ServedSkill| unresolved.iter().any(|(path, _)| *path == skill.path);
        let kept = snapshot.skills.iter().filter_map(|skill| match is_unresolved(skill) {
            true => before.at(skill.root, &skill.directory).cloned(),
            false => Some(Arc::clone(skill)),
        });
        let new = unresolved.iter().map(|(_, finding)| finding.clone());
        let findings = snapshot.findings.iter().cloned().chain(hard).chain(new).collect();
        Snapshot::new(kept.collect(), findings, &self.shown)
    }

    /// Reads all skills. Returns the snapshot, and the findings that prevent a start.
    fn read(&self, before: Option<&Snapshot>, enter: &mut dyn FnMut(&Folder)) -> (Snapshot, Vec<Finding>) {
        let found = FoundSkills::read(&self.roots, &self.shown, enter);
        let known: HashMap<(usize, &str), &Arc<ServedSkill>> = before
            .into_iter()
            .flat_map(|before| &before.skills)
            .map(|skill| ((skill.root, skill.directory.as_str()), skill))
            .collect();
        // What keeps a skill from being served comes before what is wrong with a served one.
        let (mut findings, mut warnings, mut hard) = (found.findings, Vec::new(), Vec::new());
        let mut budget = Budget::default();
        let mut candidates: Vec<Candidate> = found
            .skills
            .into_iter()
            .map(|skill| {
                let before = known.get(&(skill.root, skill.directory.as_str())).copied();
                let shown = self.shown.get(skill.root).map_or("", String::as_str);
                Candidate::read(&self.roots, shown, skill, before, &mut budget)
            })
            .collect();
        let members: Vec<_> = candidates.iter().map(|candidate| candidate.member.clone()).collect();
        let mut reports: Vec<Report> =
            candidates.iter_mut().map(|candidate| std::mem::take(&mut candidate.report)).collect();
        check_set(&members, &mut reports);
        let (mut mains, mut served) = (JudgedSkills::new(), Vec::new());
        // In reverse order, because an enclosing skill is built from the skills inside it.
        for (candidate, report) in candidates.iter_mut().zip(reports).rev() {
            candidate.report = report;
            let (root, directory) = (candidate.found.root, candidate.found.directory.as_str());
            let skill = match candidate.serve(self.serve, &mains) {
                Ok(skill) => {
                    warnings.extend(candidate.warnings());
                    Some(skill)
                }
                Err(BrokenSkill { findings: problems, is_hard }) => {
                    if is_hard { &mut hard } else { &mut findings }.extend(problems);
                    known.get(&(root, directory)).map(|skill| Arc::clone(skill))
                }
            };
            findings.extend(candidate.left_out());
            if let Some(skill) = skill {
                mains.insert((root, join(directory, candidate.found.main)), Arc::clone(&skill));
                served.push(skill);
            }
        }
        findings.reverse();
        findings.extend(warnings.into_iter().rev());
        hard.reverse();
        (Snapshot::new(served, findings, &self.shown), hard)
    }

    /// Capabilities that resolve to nothing, each with the path of its skill (F-17).
    fn unresolved(&self, snapshot: &Snapshot) -> Vec<(String, Finding)> {
        let declared = snapshot.skills.iter().filter(|skill| skill.record.is_declared);
        let missing = declared.flat_map(|skill| {
            let of = skill.record.capabilities.iter().filter(|uri| snapshot.resolve(uri).is_none());
            of.map(move |uri| (skill, uri))
        });
        missing
            .map(|(skill, uri)| {
                let root = self.shown.get(skill.root).map_or("", String::as_str);
                let path = join(&join(root, &skill.directory), "SKILL.md");
                let problem = format!("`{uri}` stands for nothing that is served");
                let fix = "name the document, a reference or the catalogue, or leave it out";
                let field = "x-personal-mcp.capabilities";
                (skill.path.clone(), Finding::of_field(&path, field, problem, fix))
            })
            .collect()
    }
}
