//! Explains a decision to programs and people. It reports the decision and decides nothing itself
//! (POL-24).
use std::fmt::Write;

use overt_wire::text::Untrusted;
use serde_json::{Value, json};

use super::decision::{Decision, LayerVerdict, Verdict};

pub fn explain(decision: &Decision) -> Value {
    let decisive = decision.decisive();
    json!({
        "verdict": decision.verdict,
        "error": decision.error,
        "decided_by": decisive.map(verdict_json),
        "layers": decision.verdicts.iter().map(verdict_json).collect::<Vec<_>>(),
        "needed_scopes": decision.needed,
        "missing_scopes": decision.missing,
        "requested_scopes": decision.requested(),
        "limits": decision.limits.to_json(),
    })
}

/// Explains a decision as lines for a terminal.
pub fn explain_text(decision: &Decision) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write_text(&mut text, decision);
    text
}

fn verdict_json(verdict: &LayerVerdict) -> Value {
    let mut object = json!({
        "layer": verdict.layer,
        "verdict": verdict.verdict,
        "why": verdict.why,
        "at": verdict.at.as_str(),
    });
    if !verdict.change.is_empty() {
        object["change"] = json!(verdict.change);
    }
    if let Some(rule) = &verdict.rule {
        object["rule"] = json!(rule);
    }
    object
}

fn write_text(text: &mut String, decision: &Decision) -> std::fmt::Result {
    writeln!(text, "{}", in_words(decision.verdict))?;
    let decisive = decision.decisive();
    for said in &decision.verdicts {
        let mark = if decisive.is_some_and(|decisive| std::ptr::eq(decisive, said)) { "*" } else { " " };
        writeln!(
            text,
            "{mark} {:<10} {:<14} {}",
            said.layer.to_string(),
            said.verdict.to_string(),
            Untrusted(&said.why)
        )?;
    }
    for (name, scopes) in [("needs", &decision.needed), ("to be granted", &decision.requested())] {
        if !scopes.is_empty() {
            let scopes: Vec<String> = scopes.iter().map(ToString::to_string).collect();
            writeln!(text, "{name}: {}", Untrusted(&scopes.join(", ")))?;
        }
    }
    match decisive {
        Some(said) if !said.change.is_empty() => writeln!(text, "to change it: {}", Untrusted(&said.change)),
        _ => Ok(()),
    }
}

fn in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Deny => "denied",
        Verdict::NeedsApproval => "needs a person's approval",
        Verdict::Allow => "allowed",
    }
}
