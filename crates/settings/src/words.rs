//! Reads a value from the words of a flag or of an environment variable.
use super::kind::MOST_ITEMS;
use super::read::Fault;
use super::{Kind, List, Setting, SettingValue};
use overt_policy::finding::{Findings, Pointer};

impl Setting {
    /// Parses a value. A list is written with commas or by repeating the flag; for other kinds the
    /// last word counts.
    pub fn parse<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Result<SettingValue, Fault> {
        let words: Vec<&str> = words.into_iter().collect();
        if self.kind == Kind::Regions {
            let paths =
                words.iter().flat_map(|word| word.split(',')).map(str::trim).filter(|path| !path.is_empty());
            let mut wrong = Findings::default();
            let read = self.read(&paths.collect(), &Pointer::root(), &mut wrong);
            return read.ok_or_else(|| {
                self.fault(wrong.iter().next().map_or_else(String::new, |finding| finding.problem.clone()))
            });
        }
        if self.kind.is_list() {
            let items = words.iter().flat_map(|word| word.split(',')).map(str::trim);
            let list: List = items
                .filter(|item| !item.is_empty())
                .map(|item| self.item(item))
                .collect::<Result<_, _>>()?;
            if list.len() > MOST_ITEMS {
                let problem = format!("has {} entries, and at most {MOST_ITEMS} are read", list.len());
                return Err(self.fault(problem));
            }
            return Ok(self.list(list));
        }
        let word = words.last().copied().unwrap_or_default().trim();
        match self.kind {
            Kind::Flag => match word.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Ok(SettingValue::Flag(true)),
                "false" | "0" | "no" | "off" => Ok(SettingValue::Flag(false)),
                _ => Err(self.fault("is neither yes nor no".to_owned())),
            },
            Kind::Integer { .. } => match word.parse() {
                Ok(number) => self.number(number),
                Err(_) => Err(self.fault("is not a whole number, 0 or more".to_owned())),
            },
            _ => self.one_of_text(word),
        }
    }
}
