//! What a server's definitions cost, as tables and as JSON.
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::text::Untrusted;

use super::safe::clip;
use super::style::{DIM, NAME, PLAIN, TITLE, paint};
use super::table::{Cell, Table};
use crate::cost::{Cost, Count, Encoding, Shape, ToolCost};

/// What the numbers are and what they are not.
const NOTES: [&str; 3] = [
    "a tool is counted by itself, as minified JSON in the shape of the provider's requests; a total is the sum of the tools and the instructions",
    "how a provider lays tools out before a model is not public, so the real number differs a little",
    "current Claude models have no public tokenizer: only the provider's own count is exact for them",
];

/// For people: the sums, a table of the tools with the dearest first, and the longest descriptions.
pub(crate) fn cost_text(cost: &Cost, width: Option<usize>) -> String {
    let mut out = String::new();
    for shape in Shape::ALL {
        let total = cost.total(shape);
        let tokens: Vec<String> = Encoding::ALL
            .iter()
            .map(|encoding| format!("{} {}", total.tokens(*encoding), encoding.name()))
            .collect();
        let sum = format!("{} tokens ({} bytes)", tokens.join(" or "), total.bytes);
        out.push_str(&format!("{} {sum}\n", paint(TITLE, format!("{}:", shape.name()))));
        out.push_str(&format!("  {}\n", paint(DIM, shape.form())));
    }
    out.push_str(&format!("\n{}\n", tools(cost).render(width)));
    let expensive = cost.most_expensive();
    if !expensive.is_empty() {
        out.push_str(&format!("{}\n", paint(TITLE, "Most expensive descriptions")));
        let mut table = Table::new(vec!["TOOL", "O200K", "CL100K", "BYTES"]);
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

/// For programs: the same, the tools in the order of the list.
pub(crate) fn cost_json(cost: &Cost) -> JsonBuf {
    let encodings = Encoding::ALL.map(Encoding::name);
    let shapes =
        Shape::ALL.iter().fold(Object::new(), |object, shape| object.string(shape.name(), shape.form()));
    let total = Shape::ALL
        .iter()
        .fold(Object::new(), |object, shape| object.json(shape.name(), count(cost.total(*shape)).as_json()));
    let tools = cost.tools.iter().fold(Array::new(), |array, tool| {
        let shapes = Shape::ALL.iter().fold(Object::new().string("name", &tool.name), |object, shape| {
            object.json(shape.name(), count(tool.count(*shape)).as_json())
        });
        array.json(shapes.json("description", count(tool.description).as_json()).finish().as_json())
    });
    let names: Vec<&str> = cost.most_expensive().iter().map(|tool| tool.name.as_str()).collect();
    let mut object = Object::new()
        .value("encodings", &encodings)
        .json("serialisations", shapes.finish().as_json())
        .json("total", total.finish().as_json());
    if let Some(instructions) = cost.instructions {
        object = object.json("instructions", count(instructions).as_json());
    }
    object
        .json("tools", tools.finish().as_json())
        .value("mostExpensiveDescriptions", &names)
        .value("notes", &NOTES)
        .finish()
}

fn count(count: Count) -> JsonBuf {
    let object = Object::new().value("bytes", &count.bytes);
    let tokens =
        |object: Object, encoding: &Encoding| object.value(encoding.name(), &count.tokens(*encoding));
    Encoding::ALL.iter().fold(object, tokens).finish()
}

fn tools(cost: &Cost) -> Table {
    let mut tools: Vec<&ToolCost> = cost.tools.iter().collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.openai.o200k));
    let mut table =
        Table::new(vec!["TOOL", "OPENAI O200K", "CL100K", "BYTES", "ANTHROPIC O200K", "CL100K", "BYTES"]);
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

fn numbers(count: Count) -> [Cell; 3] {
    [count.o200k, count.cl100k, count.bytes].map(|number| Cell::new(number.to_string(), PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost() -> Cost {
        let count = |bytes| Count { bytes, o200k: bytes / 4, cl100k: bytes / 3 };
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
        openai: 116 o200k_base or 156 cl100k_base tokens (468 bytes)
          {"type":"function","function":{"name":…,"description":…,"parameters":<inputSchema>}}
        anthropic: 102 o200k_base or 136 cl100k_base tokens (408 bytes)
          {"name":…,"description":…,"input_schema":<inputSchema>}

          TOOL                OPENAI O200K  CL100K  BYTES  ANTHROPIC O200K  CL100K  BYTES
          read\u{1b}[1m_file  67            90      270    60               80      240
          ping                19            26      78     12               16      48
          (instructions)      30            40      120    30               40      120
          (all)               116           156     468    102              136     408

        Most expensive descriptions
          TOOL                O200K  CL100K  BYTES
          read\u{1b}[1m_file  30     40      120
          ping                6      8       24

        note: a tool is counted by itself, as minified JSON in the shape of the provider's requests; a total is the sum of the tools and the instructions
        note: how a provider lays tools out before a model is not public, so the real number differs a little
        note: current Claude models have no public tokenizer: only the provider's own count is exact for them
        "#);
    }

    #[test]
    fn programs_get_the_same_numbers() {
        insta::assert_snapshot!(super::super::pretty(cost_json(&cost()).as_json()), @r#"
        {
          "encodings": [
            "o200k_base",
            "cl100k_base"
          ],
          "serialisations": {
            "openai": "{\"type\":\"function\",\"function\":{\"name\":…,\"description\":…,\"parameters\":<inputSchema>}}",
            "anthropic": "{\"name\":…,\"description\":…,\"input_schema\":<inputSchema>}"
          },
          "total": {
            "openai": {
              "bytes": 468,
              "o200k_base": 116,
              "cl100k_base": 156
            },
            "anthropic": {
              "bytes": 408,
              "o200k_base": 102,
              "cl100k_base": 136
            }
          },
          "instructions": {
            "bytes": 120,
            "o200k_base": 30,
            "cl100k_base": 40
          },
          "tools": [
            {
              "name": "ping",
              "openai": {
                "bytes": 78,
                "o200k_base": 19,
                "cl100k_base": 26
              },
              "anthropic": {
                "bytes": 48,
                "o200k_base": 12,
                "cl100k_base": 16
              },
              "description": {
                "bytes": 24,
                "o200k_base": 6,
                "cl100k_base": 8
              }
            },
            {
              "name": "read\u001b[1m_file",
              "openai": {
                "bytes": 270,
                "o200k_base": 67,
                "cl100k_base": 90
              },
              "anthropic": {
                "bytes": 240,
                "o200k_base": 60,
                "cl100k_base": 80
              },
              "description": {
                "bytes": 120,
                "o200k_base": 30,
                "cl100k_base": 40
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
