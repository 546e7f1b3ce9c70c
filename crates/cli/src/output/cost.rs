//! Formats the cost of a server's definitions, as tables and as JSON.
use overt_wire::text::Untrusted;
use serde::Serialize;

use super::report::Report;
use super::safe::clip;
use super::style::{DIM, NAME, PLAIN, TITLE, paint};
use super::table::{Cell, Table};
use crate::cost::{Cost, Count, ENCODING, Shape, ToolCost};

/// What the numbers mean, and their limits.
const NOTES: [&str; 3] = [
    "a tool is counted by itself, as minified JSON in the shape of the provider's requests; a total is the sum of the tools and the instructions",
    "how a provider lays tools out before a model is not public, so the real number differs a little",
    "current Claude models have no public tokenizer: only the provider's own count is exact for them",
];

/// For people: the sums, a table of the tools with the most expensive first, and the longest
/// descriptions.
fn cost_text(cost: &Cost, width: Option<usize>) -> String {
    let mut out = String::new();
    for shape in Shape::ALL {
        let total = cost.total(shape);
        let sum = format!("{} {ENCODING} tokens ({} bytes)", total.tokens, total.bytes);
        out.push_str(&format!("{} {sum}\n", paint(TITLE, format!("{}:", shape.name()))));
        out.push_str(&format!("  {}\n", paint(DIM, shape.form())));
    }
    out.push_str(&format!("\n{}\n", tools(cost).render(width)));
    let expensive = cost.most_expensive();
    if !expensive.is_empty() {
        out.push_str(&format!("{}\n", paint(TITLE, "Most expensive descriptions")));
        let mut table = Table::new(vec!["TOOL", "TOKENS", "BYTES"]);
        for tool in expensive {
            let mut row = vec![name(tool)];
            row.extend(numbers(tool.description));
            table.row(row);
        }
        out.push_str(&format!("{}\n", table.render(width)));
    }
    for note in NOTES {
        out.push_str(&format!("{} {note}\n", paint(DIM, "note:")));
    }
    out
}

/// The answer of `overt describe --as cost`: the same numbers for programs, with the tools in the
/// order of the list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CostReport<'a> {
    encodings: [&'static str; 1],
    serialisations: ByShape<&'static str>,
    total: ByShape<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<Count>,
    tools: &'a [ToolCost],
    most_expensive_descriptions: Vec<&'a str>,
    notes: [&'static str; 3],
    #[serde(skip)]
    cost: &'a Cost,
}

#[derive(Debug, Serialize)]
struct ByShape<T> {
    openai: T,
    anthropic: T,
}

impl<'a> CostReport<'a> {
    pub(crate) fn new(cost: &'a Cost) -> Self {
        Self {
            encodings: [ENCODING],
            serialisations: ByShape::of(Shape::form),
            total: ByShape::of(|shape| cost.total(shape)),
            instructions: cost.instructions,
            tools: &cost.tools,
            most_expensive_descriptions: cost
                .most_expensive()
                .iter()
                .map(|tool| tool.name.as_str())
                .collect(),
            notes: NOTES,
            cost,
        }
    }
}

impl Report for CostReport<'_> {
    fn text(&self, width: Option<usize>) -> String {
        cost_text(self.cost, width)
    }
}

impl<T> ByShape<T> {
    fn of(get: impl Fn(Shape) -> T) -> Self {
        Self { openai: get(Shape::OpenAi), anthropic: get(Shape::Anthropic) }
    }
}

fn tools(cost: &Cost) -> Table {
    let mut tools: Vec<&ToolCost> = cost.tools.iter().collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.openai.tokens));
    let mut table = Table::new(vec!["TOOL", "OPENAI TOKENS", "BYTES", "ANTHROPIC TOKENS", "BYTES"]);
    let mut row = |first: Cell, openai: Count, anthropic: Count| {
        table.row([first].into_iter().chain(numbers(openai)).chain(numbers(anthropic)).collect());
    };
    for tool in tools {
        row(name(tool), tool.openai, tool.anthropic);
    }
    if let Some(instructions) = cost.instructions {
        row(Cell::new("(instructions)".to_owned(), DIM), instructions, instructions);
    }
    row(Cell::new("(all)".to_owned(), TITLE), cost.total(Shape::OpenAi), cost.total(Shape::Anthropic));
    table
}

fn name(tool: &ToolCost) -> Cell {
    Cell::new(Untrusted(clip(&tool.name)).to_string(), NAME)
}

fn numbers(count: Count) -> [Cell; 2] {
    [count.tokens, count.bytes].map(|number| Cell::new(number.to_string(), PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost() -> Cost {
        let count = |bytes| Count { bytes, tokens: bytes / 4 };
        let tool = |name: &str, bytes| ToolCost {
            name: name.to_owned(),
            openai: count(bytes + 30),
            anthropic: count(bytes),
            description: count(bytes / 2),
        };
        Cost {
            instructions: Some(count(120)),
            tools: vec![tool("ping", 48), tool("read\u{1b}[1m_file", 240)],
        }
    }

    #[test]
    fn people_see_sums_and_tables() {
        let text = cost_text(&cost(), Some(100));
        insta::assert_snapshot!(anstream::adapter::strip_str(&text), @r#"
        openai: 116 o200k_base tokens (468 bytes)
          {"type":"function","function":{"name":…,"description":…,"parameters":<inputSchema>}}
        anthropic: 102 o200k_base tokens (408 bytes)
          {"name":…,"description":…,"input_schema":<inputSchema>}

          TOOL                OPENAI TOKENS  BYTES  ANTHROPIC TOKENS  BYTES
          read\u{1b}[1m_file  67             270    60                240
          ping                19             78     12                48
          (instructions)      30             120    30                120
          (all)               116            468    102               408

        Most expensive descriptions
          TOOL                TOKENS  BYTES
          read\u{1b}[1m_file  30      120
          ping                6       24

        note: a tool is counted by itself, as minified JSON in the shape of the provider's requests; a total is the sum of the tools and the instructions
        note: how a provider lays tools out before a model is not public, so the real number differs a little
        note: current Claude models have no public tokenizer: only the provider's own count is exact for them
        "#);
    }

    #[test]
    fn programs_get_the_same_numbers() {
        insta::assert_snapshot!(super::super::pretty(super::super::to_json(&CostReport::new(&cost())).as_json()), @r#"
        {
          "encodings": [
            "o200k_base"
          ],
          "serialisations": {
            "openai": "{\"type\":\"function\",\"function\":{\"name\":…,\"description\":…,\"parameters\":<inputSchema>}}",
            "anthropic": "{\"name\":…,\"description\":…,\"input_schema\":<inputSchema>}"
          },
          "total": {
            "openai": {
              "bytes": 468,
              "o200k_base": 116
            },
            "anthropic": {
              "bytes": 408,
              "o200k_base": 102
            }
          },
          "instructions": {
            "bytes": 120,
            "o200k_base": 30
          },
          "tools": [
            {
              "name": "ping",
              "openai": {
                "bytes": 78,
                "o200k_base": 19
              },
              "anthropic": {
                "bytes": 48,
                "o200k_base": 12
              },
              "description": {
                "bytes": 24,
                "o200k_base": 6
              }
            },
            {
              "name": "read\u001b[1m_file",
              "openai": {
                "bytes": 270,
                "o200k_base": 67
              },
              "anthropic": {
                "bytes": 240,
                "o200k_base": 60
              },
              "description": {
                "bytes": 120,
                "o200k_base": 30
              }
            }
          ],
          "mostExpensiveDescriptions": [
            "read\u001b[1m_file",
            "ping"
          ],
          "notes": [
            "a tool is counted by itself, as minified JSON in the shape of the provider's requests; a total is the sum of the tools and the instructions",
            "how a provider lays tools out before a model is not public, so the real number differs a little",
            "current Claude models have no public tokenizer: only the provider's own count is exact for them"
          ]
        }
        "#);
    }
}
