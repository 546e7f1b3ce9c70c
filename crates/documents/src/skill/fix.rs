//! Corrects what can be corrected without judgement. Comments and the meaning of everything else
//! stay.
use overt_policy::finding::Pointer;
use serde_json::Value;

use super::check::{Edit, Rule, Source, check, step_into};
use crate::front_matter::split;
use crate::yaml::{self, Yaml};

/// The most rounds, because one correction can make another possible.
const MOST_ROUNDS: usize = 4;

/// A corrected SKILL.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    /// The rules whose violations were corrected, without duplicates, in the order of the rule
    /// table.
    pub rules: Vec<Rule>,
}

/// Corrects a skill. Returns `None` if nothing was corrected.
pub fn fix(source: &Source<'_>) -> Option<Fixed> {
    let mut text = std::str::from_utf8(source.bytes).ok()?.to_owned();
    let mut rules = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let report = check(&Source { bytes: text.as_bytes(), ..*source });
        let edits: Vec<(Rule, Pointer, Edit)> = report
            .violations
            .into_iter()
            .filter_map(|violation| Some((violation.rule, violation.at, violation.edit?)))
            .collect();
        let mut done: Vec<(Pointer, Edit)> = Vec::new();
        // Goes from the end to the beginning, so that earlier places stay valid.
        for (rule, at, edit) in edits.into_iter().rev() {
            // Several rules can require the same correction.
            if !done.contains(&(at.clone(), edit.clone())) {
                let Some(new) = apply(&text, &at, &edit) else { continue };
                text = new;
                done.push((at, edit));
            }
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        if done.is_empty() {
            break;
        }
    }
    rules.sort_unstable();
    (!rules.is_empty()).then_some(Fixed { text, rules })
}

/// Returns the text with one correction, or `None` if the result would not have the intended
/// meaning.
fn apply(text: &str, at: &Pointer, edit: &Edit) -> Option<String> {
    if *edit == Edit::Head {
        let rest = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
        return (rest.starts_with("---") && rest.len() < text.len()).then(|| rest.to_owned());
    }
    let front = split(text).ok()?.front?;
    let yaml = yaml::read(front, 2).ok()?;
    let (start, end) = chars(&yaml, at, front)?;
    let written = &front[start..end];
    let value = at.steps().try_fold(&yaml.value, |value, step| step_into(value, &step))?;
    let (start, new, meant) = match edit {
        Edit::Head => return None,
        Edit::Quote => (start, format!("\"{written}\""), Value::String(written.to_owned())),
        Edit::Text(meant) => (start, yaml::write_text(meant), Value::String(meant.clone())),
        Edit::Block => {
            // A comment between the lines would be lost.
            if written.contains('#') && written.contains('\n') {
                return None;
            }
            let column = yaml.extent(at)?.name_column?.checked_sub(1)?;
            let start = front[..start].trim_end_matches([' ', '\t']).len();
            (start, yaml::write_block(value, column), value.clone())
        }
    };
    if *value == meant && *edit != Edit::Block {
        return None;
    }
    let mut expected = yaml.value.clone();
    *expected.pointer_mut(at.as_str())? = meant;
    let corrected = format!("{}{new}{}", &front[..start], &front[end..]);
    let means = yaml::read(&corrected, 2).ok()?.value;
    let begin = text.find('\n')? + 1;
    let rest = &text[begin + front.len()..];
    (means == expected && corrected != front).then(|| format!("{}{corrected}{rest}", &text[..begin]))
}

/// Returns the range of the value, in bytes.
fn chars(yaml: &Yaml, at: &Pointer, front: &str) -> Option<(usize, usize)> {
    let (start, end) = yaml.extent(at)?.chars;
    let byte = |count: usize| front.char_indices().map(|(byte, _)| byte).chain([front.len()]).nth(count);
    let (start, end) = (byte(start)?, byte(end)?);
    let written = front.get(start..end)?;
    Some((start, start + written.trim_end().len()))
}
