//! The level of a card (C-12): 1 if it is valid, 2 if it also says when the tool refuses, 3 if it
//! was also tested with a model recently.
use super::model::Card;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::word::string_enum;
use overt_wire::rfc3339::{self, Date};

/// The number of days for which a test counts.
const FRESH: i32 = 90;

string_enum! {
    pub enum Level {
        Valid = "1",
        Refusals = "2",
        Tested = "3",
    }
}

/// Returns the level of a card that was read, on this day.
pub fn level(card: &Card, today: Date) -> Level {
    if card.safety.refusal_modes.is_none() {
        Level::Valid
    } else if newest_age(card, today).is_none_or(|age| age > FRESH) {
        Level::Refusals
    } else {
        Level::Tested
    }
}

/// Reports what the card lacks for this level.
pub fn lacks(card: &Card, wanted: Level, today: Date) -> Findings {
    let mut findings = Findings::default();
    if wanted >= Level::Refusals && card.safety.refusal_modes.is_none() {
        findings.error(
            Pointer::root().join("safety").join("refusal_modes"),
            "is missing, which level 2 needs",
            "list when the tool refuses, or write `[]` if it never does",
        );
    }
    if wanted >= Level::Tested {
        let at = Pointer::root().join("tested_with");
        let fix = format!("test it with a model; a test counts for {FRESH} days");
        match newest_age(card, today) {
            None => findings.error(at, "has no test up to today, which level 3 needs", fix),
            Some(age) if age > FRESH => {
                findings.error(at, format!("the newest test is {age} days old, too old for level 3"), fix);
            }
            Some(_) => {}
        }
    }
    findings
}

/// Returns the days since the newest test. Tests with a future date don't count.
fn newest_age(card: &Card, today: Date) -> Option<i32> {
    let tests = card.tested_with.iter().filter_map(|test| rfc3339::parse(&test.tested_at));
    let ages = tests.map(|tested| (today - rfc3339::date_of(tested)).get_days());
    ages.filter(|age| *age >= 0).min()
}
