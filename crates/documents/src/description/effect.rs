//! Compares a declared effect with the server's own hints (X-26, CARD-04). A declaration that is
//! less careful than the server is an error. A more careful one is kept, with a warning.
use overt_policy::finding::{Findings, Pointer};
use overt_policy::record::{Effect, Hints, Operation, ToolRecord};

/// What to do about a value that is more careful than the server's hint.
const KEPT: &str =
    "clients are shown the more careful one, which is this; if it is meant, there is nothing to do";

pub(super) fn check(record: &ToolRecord, live: &Hints, at: &Pointer, findings: &mut Findings) {
    check_operation(record, at, findings);
    let Some(effect) = record.effect else { return };
    check_itself(record, effect, at, findings);
    check_hints(effect, record.overwrites, live, &at.join("effect"), findings);
    if record.idempotent == Some(true) && live.idempotent == Some(false) {
        findings.error(
            at.join("idempotent"),
            "is `true`, but the server says `idempotentHint: false`",
            "use `false`",
        );
    }
    let declared = record.hints().open_world;
    if declared == Some(false) && live.open_world == Some(true) {
        findings.error(
            at.join("open_world"),
            "is `false`, but the server says `openWorldHint: true`",
            "use `true`",
        );
    } else if declared == Some(true) && live.open_world == Some(false) {
        findings.warning(
            at.clone(),
            "reaches other systems, but the server says `openWorldHint: false`",
            KEPT,
        );
    }
}

/// Compares the effect at this place of a document with the tool's hints. Used for records and for
/// cards (C-14). `overwrites` means that the tool may replace what was there, although that can be
/// restored: the protocol calls such a tool destructive, and we do not.
pub fn check_hints(effect: Effect, overwrites: bool, live: &Hints, at: &Pointer, findings: &mut Findings) {
    if effect == Effect::Read && live.read_only == Some(false) {
        let fix = "use `mutating`, `external` or `destructive`";
        findings.error(at.clone(), "is `read`, but the server says `readOnlyHint: false`", fix);
    }
    // The most careful of several hints counts.
    let is_overwriting = overwrites && effect == Effect::Mutating && live.read_only == Some(false);
    if effect != Effect::Destructive && !is_overwriting && live.destructive == Some(true) {
        let problem = format!("is `{effect}`, but the server says `destructiveHint: true`");
        findings.error(at.clone(), problem, "use `destructive`, or correct the server's hints");
    }
    let softer = match effect {
        Effect::Read => None,
        _ if live.read_only == Some(true) => Some("readOnlyHint: true"),
        Effect::Destructive if live.destructive == Some(false) => Some("destructiveHint: false"),
        Effect::Mutating | Effect::External | Effect::Destructive => None,
    };
    if let Some(hint) = softer {
        findings.warning(at.clone(), format!("is `{effect}`, but the server says `{hint}`"), KEPT);
    }
}

/// `read` fits `read`, `mutating` and `external` fit `write`, and `destructive` fits `delete` or
/// `admin`.
fn check_operation(record: &ToolRecord, at: &Pointer, findings: &mut Findings) {
    let (Some(operation), Some(effect)) = (record.operation, record.effect) else { return };
    let (fits, right) = match effect {
        Effect::Read => (operation == Operation::Read, "`read`"),
        Effect::Mutating | Effect::External => (operation == Operation::Write, "`write`"),
        Effect::Destructive => {
            (matches!(operation, Operation::Delete | Operation::Admin), "`delete` or `admin`")
        }
    };
    if !fits {
        findings.error(
            at.join("operation"),
            format!("is `{operation}`, which a tool with the effect `{effect}` can't be"),
            format!("use {right}, or leave it out: it follows from the effect"),
        );
    }
}

/// Reports what in a record contradicts its own effect.
fn check_itself(record: &ToolRecord, effect: Effect, at: &Pointer, findings: &mut Findings) {
    if effect == Effect::Destructive && record.human_approval == Some(false) {
        findings.error(
            at.join("human_approval"),
            "is `false` for a destructive tool",
            "use `true`, or leave it out: a destructive tool always needs a person's agreement",
        );
    }
    if effect == Effect::External && record.open_world == Some(false) {
        findings.error(
            at.join("open_world"),
            "is `false` for a tool with an external effect",
            "use `true`, or leave it out",
        );
    }
    if effect == Effect::Read {
        if record.overwrites {
            findings.error(
                at.join("overwrites"),
                "is `true`, but the effect is `read`",
                "use another effect, or leave it out",
            );
        }
        if !record.side_effects.is_empty() {
            findings.error(
                at.join("side_effects"),
                "has entries, but the effect is `read`",
                "use another effect, or leave the side effects out",
            );
        }
        if record.idempotent == Some(false) {
            findings.error(
                at.join("idempotent"),
                "is `false`, but the effect is `read`",
                "leave it out: reading twice does no more than reading once",
            );
        }
        if let Some(index) =
            record.scopes.iter().position(|scope| !scope.starts_with("read:") && scope.contains(':'))
        {
            findings.error(
                at.join("scopes").index(index),
                "is no `read:` scope, but the effect is `read`",
                "use another effect, or a scope that begins with `read:`",
            );
        }
    }
}
