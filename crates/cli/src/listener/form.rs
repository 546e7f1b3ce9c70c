//! The fields of an elicitation, and the check whether an answer fits a field.
use std::borrow::Cow;

use overt_wire::json::{Array, Json, JsonBuf, Member, quote};

use crate::arguments::{Kinds, Parameter, Parameters, value_of};

/// One field of the form.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    parameter: Parameter<'a>,
    /// The values to choose from, with titles; empty if any value is allowed.
    choices: Vec<Choice<'a>>,
    /// Whether several values may be chosen.
    many: bool,
}

/// A value that can be chosen.
#[derive(Debug, Clone)]
pub(super) struct Choice<'a> {
    pub(super) value: Json<'a>,
    pub(super) title: Option<Cow<'a, str>>,
}

/// The fields of a requested schema, in the schema's order.
pub(super) fn fields(schema: Member<'_>) -> Vec<Field<'_>> {
    Parameters::of(schema).list.into_iter().map(Field::new).collect()
}

impl<'a> Field<'a> {
    fn new(parameter: Parameter<'a>) -> Self {
        let items = parameter.schema.get("items").value();
        let many = items.is_some();
        let choices = choices(items.unwrap_or(parameter.schema));
        Self { parameter, choices, many }
    }

    pub(super) fn name(&self) -> &str {
        &self.parameter.name
    }

    pub(super) fn required(&self) -> bool {
        self.parameter.required
    }

    pub(super) fn title(&self) -> Cow<'a, str> {
        self.parameter.schema.get("title").string().unwrap_or_else(|| self.parameter.name.clone())
    }

    pub(super) fn description(&self) -> Option<Cow<'a, str>> {
        self.parameter.schema.get("description").string()
    }

    pub(super) fn choices(&self) -> &[Choice<'a>] {
        &self.choices
    }

    pub(super) fn default(&self) -> Option<Json<'a>> {
        self.parameter.schema.get("default").value()
    }

    /// Whether `y` and `n` answer it: it is a boolean, or a single choice with values for yes and
    /// for no.
    pub(super) fn is_yes_or_no(&self) -> bool {
        if self.choices.is_empty() {
            return self.parameter.accepts.kinds.present() == Kinds::BOOLEAN;
        }
        self.is_choice() && [YesNo::Yes, YesNo::No].iter().all(|word| self.meaning(*word).is_some())
    }

    /// Whether exactly one of several values is chosen.
    pub(super) fn is_choice(&self) -> bool {
        !self.choices.is_empty() && !self.many
    }

    /// The first choice that means yes or no, as asked.
    fn meaning(&self, word: YesNo) -> Option<&Choice<'a>> {
        self.choices.iter().find(|choice| choice.means(word))
    }

    /// Type, format and bounds, in a few words.
    pub(super) fn facts(&self) -> String {
        let schema = self.parameter.schema;
        let mut facts = Vec::new();
        if self.many && !self.choices.is_empty() {
            facts.push("several, separated by commas".to_owned());
        } else if self.choices.is_empty() {
            facts.push(self.parameter.accepts.label());
        }
        facts.extend(schema.get("format").string().map(Cow::into_owned));
        let ranges = [
            ("minimum", "maximum", ""),
            ("minLength", "maxLength", " characters"),
            ("minItems", "maxItems", " of them"),
        ];
        for (least, most, unit) in ranges {
            match (schema.get(least).value(), schema.get(most).value()) {
                (Some(least), Some(most)) => facts.push(format!("{least} to {most}{unit}")),
                (Some(least), None) => facts.push(format!("at least {least}{unit}")),
                (None, Some(most)) => facts.push(format!("at most {most}{unit}")),
                (None, None) => {}
            }
        }
        if self.parameter.required {
            facts.push("required".to_owned());
        }
        facts.join(", ")
    }

    /// Parses an answer, or says what is wrong with it.
    pub(super) fn read(&self, answer: &str) -> Result<JsonBuf, String> {
        if self.choices.is_empty() {
            let kinds = self.parameter.accepts.kinds.present();
            let answer = match YesNo::read(answer).filter(|_| kinds == Kinds::BOOLEAN) {
                Some(YesNo::Yes) => "true",
                Some(YesNo::No) => "false",
                None => answer,
            };
            let value = value_of(&self.parameter.accepts, answer)
                .ok_or_else(|| format!("expected {}", kinds.expected()))?;
            self.check_bounds(value.as_json())?;
            return Ok(value);
        }
        if !self.many {
            return self.choose(answer).map(Json::to_buf);
        }
        let mut list = Array::new();
        let mut count = 0;
        for word in answer.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            list = list.json(self.choose(word)?);
            count += 1;
        }
        let bound = |member: &str| self.parameter.schema.get(member).value().and_then(Json::integer);
        if bound("minItems").is_some_and(|least| count < least)
            || bound("maxItems").is_some_and(|most| count > most)
        {
            return Err("too few or too many".to_owned());
        }
        Ok(list.finish())
    }

    /// Finds a choice by its value, its title, its number in the list, or a yes or no.
    fn choose(&self, word: &str) -> Result<Json<'a>, String> {
        let named = self.choices.iter().find(|choice| choice.is_called(word));
        let numbered = || self.choices.get(word.parse::<usize>().ok()?.checked_sub(1)?);
        let meant = || YesNo::read(word).and_then(|word| self.meaning(word));
        named
            .or_else(numbered)
            .or_else(meant)
            .map(|choice| choice.value)
            .ok_or_else(|| format!("`{word}` is none of the choices"))
    }

    fn check_bounds(&self, value: Json<'_>) -> Result<(), String> {
        let measure = match value.string() {
            Some(text) => Some(text.chars().count() as f64),
            None => value.number(),
        };
        let Some(measure) = measure else { return Ok(()) };
        let (least, most) =
            if value.is_string() { ("minLength", "maxLength") } else { ("minimum", "maximum") };
        let bound = |member: &str| self.parameter.schema.get(member).value().and_then(Json::number);
        match (bound(least), bound(most)) {
            (Some(least), _) if measure < least => Err(format!("at least {least}")),
            (_, Some(most)) if measure > most => Err(format!("at most {most}")),
            _ => Ok(()),
        }
    }
}

/// The answer to a yes-or-no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum YesNo {
    Yes,
    No,
}

impl YesNo {
    fn read(text: &str) -> Option<Self> {
        match text.to_lowercase().as_str() {
            "y" | "yes" => Some(Self::Yes),
            "n" | "no" => Some(Self::No),
            _ => None,
        }
    }
}

impl Choice<'_> {
    /// Whether its value or its title begins with yes or no, as given.
    fn means(&self, word: YesNo) -> bool {
        let begins = |text: &str| {
            let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            YesNo::read(first) == Some(word)
        };
        self.title.as_deref().is_some_and(begins) || begins(&self.word())
    }

    /// The value as a user types it.
    pub(super) fn word(&self) -> String {
        self.value.string().map_or_else(|| self.value.to_string(), Cow::into_owned)
    }

    fn is_called(&self, word: &str) -> bool {
        let is = |text: &str| text.eq_ignore_ascii_case(word);
        is(&self.word()) || self.title.as_deref().is_some_and(is) || self.value.as_str() == quote(word)
    }
}

fn choices(schema: Json<'_>) -> Vec<Choice<'_>> {
    // Before 2025-11-25, titles were written as `enumNames`.
    let mut names = schema.get("enumNames").value().into_iter().flat_map(Json::elements);
    let plain = schema.get("enum").value().into_iter().flat_map(Json::elements);
    let plain = plain.map(|value| Choice { value, title: names.next().and_then(Json::string) });
    let titled =
        ["oneOf", "anyOf"].into_iter().filter_map(|union| schema.get(union).value()).flat_map(Json::elements);
    let titled = titled.filter_map(|branch| {
        Some(Choice { value: branch.get("const").value()?, title: branch.get("title").string() })
    });
    plain.chain(titled).take(MOST_CHOICES).collect()
}

/// Maximum number of choices shown, because a person does not read more.
const MOST_CHOICES: usize = 200;
