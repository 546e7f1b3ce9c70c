// The model of the forms of Try, without a browser: JSON that keeps its text, schemas as fields, edits.
// Numbers of issues are those of modelcontextprotocol/inspector.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ui } from "./browser.mjs";
import { generator } from "./try-schemas.mjs";

const { buildSync } = createRequire(new URL("../../ui/package.json", import.meta.url))("esbuild");
const modules = ["schema/json", "schema/path", "schema/resolve", "schema/fits", "schema/alternatives", "schema/fields", "schema/edits", "schema/words", "schema/editor-state", "parts/uri-template", "parts/differences", "diff-text", "tool-facts", "messages", "record", "artifacts"];
const source = modules.map((name) => `export * from "./src/try/${name}";`).join("\n");
const built = buildSync({ stdin: { contents: source, resolveDir: ui }, bundle: true, format: "esm", write: false, absWorkingDir: ui, platform: "neutral", mainFields: ["module", "main"], conditions: ["node"] });
const form = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);

const json = (value) => form.parseJson(typeof value === "string" ? value : JSON.stringify(value));
const text = (value) => (value === undefined ? "absent" : form.writeJson(value));
const read = (schema, value, choices) => new form.FormReader(json(schema)).read(value === undefined ? undefined : json(value), choices);
/** A field by its JSON Pointer. */
function at(field, pointer) {
  if (form.pointer(field.path) === pointer) return field;
  const inner = field.control.fields ?? field.control.items ?? [];
  for (const one of inner) {
    const found = at(one, pointer);
    if (found) return found;
  }
  return null;
}
const kinds = (field) => Object.fromEntries((field.control.fields ?? field.control.items).map((one) => [one.name, one.control.kind]));
const start = (schema) => {
  const reader = new form.FormReader(json(schema));
  return text(form.initialValue(reader, reader.schemas.root));
};

test("JSON keeps numbers, the order of members, and says where a mistake is", () => {
  for (const same of ['{"b":12345678901234567890,"a":1.50,"1":-0,"0":1e400}', '["\\n",true,null,{},[]]', '"é\\u0007"']) {
    assert.equal(form.writeJson(form.parseJson(same)), same);
  }
  assert.equal(form.writeJson(json({ a: [1, { b: [] }] }), "  "), JSON.stringify({ a: [1, { b: [] }] }, null, 2));
  assert.throws(() => form.parseJson('{"a":1,\n "a":2}'), /Line 2, column 2: The member "a" occurs twice/);
  assert.throws(() => form.parseJson('{"a":01}'), /Line 1, column 7/);
  assert.throws(() => form.parseJson('{"a"'), /column 5: A colon/);
  assert.throws(() => form.parseJson("[1,]"), /column 4: A value is expected/);
  assert.throws(() => form.parseJson('"a\nb"'), /does not end/);
  assert.throws(() => form.parseJson("1 2"), /Something follows/);
  assert.throws(() => form.parseJson("[".repeat(200)), /128 levels/);
  assert.throws(() => form.parseJson(""), /ends too early/);
  assert.ok(form.parseJson('{"__proto__":1}').has("__proto__"));
});

test("equality is that of JSON Schema", () => {
  for (const [one, other] of [["1", "1.0"], ["100", "1e2"], ["-0", "0"], ["0.10", "1E-1"], ['{"a":1,"b":[2]}', '{"b":[2.0],"a":1}']]) {
    assert.ok(form.equal(json(one), json(other)), `${one} = ${other}`);
  }
  for (const [one, other] of [["12345678901234567890", "12345678901234567891"], ["0.1", "0.10000000000000001"], ["1", '"1"'], ["null", "false"], ["[]", "{}"]]) {
    assert.ok(!form.equal(json(one), json(other)), `${one} ≠ ${other}`);
  }
});

test("a value is changed at one place, and the rest of its text stays", () => {
  const value = json('{"z":12345678901234567890,"a":[1,{"x":"y"},3.0]}');
  assert.equal(text(form.withValue(value, ["a", 1, "x"], json("null"))), '{"z":12345678901234567890,"a":[1,{"x":null},3.0]}');
  assert.equal(text(form.withValue(value, ["a", 0], undefined)), '{"z":12345678901234567890,"a":[{"x":"y"},3.0]}');
  assert.equal(text(form.withValue(value, ["n", "m"], json("1"))), '{"z":12345678901234567890,"a":[1,{"x":"y"},3.0],"n":{"m":1}}');
  assert.equal(text(form.withRenamed(value, [], "z", "q")), '{"q":12345678901234567890,"a":[1,{"x":"y"},3.0]}');
  assert.equal(form.withRenamed(value, [], "z", "a"), value, "no member is overwritten");
  assert.equal(text(value), '{"z":12345678901234567890,"a":[1,{"x":"y"},3.0]}', "nothing is changed in place");
  assert.equal(form.pointer(["a/b", "c~d", 0]), "/a~1b/c~0d/0");
});

test("#332: nested objects and lists have fields of their own", () => {
  const schema = { type: "object", properties: { person: { type: "object", properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } }, required: ["name"] } } };
  const field = read(schema, { person: { tags: ["a", "b"] } });
  assert.deepEqual(kinds(field), { person: "object" });
  assert.deepEqual(kinds(at(field, "/person")), { name: "text", tags: "list" });
  assert.equal(at(field, "/person/tags/1").value, "b");
  assert.equal(at(field, "/person/name").isRequired, true);
  assert.deepEqual(at(read(schema, {}), "/person").control, { kind: "object", fields: [], canAdd: false });
});

test("#445, #2321: references are followed, into $defs, definitions and properties", () => {
  const schema = {
    type: "object",
    properties: {
      role: { $ref: "#/$defs/Role", description: "of the user" }, old: { $ref: "#/definitions/Old%20Type" }, begin: { type: "string", pattern: "^\\d+$" },
      end: { $ref: "#/properties/begin" }, anchor: { $ref: "#here" }, away: { $ref: "https://example.com/schema.json" },
    },
    $defs: { Role: { enum: ["admin", "guest"], description: "any" }, Deep: { $anchor: "here", type: "boolean" } },
    definitions: { "Old Type": { type: "integer" } },
  };
  const field = read(schema, {});
  assert.deepEqual(kinds(field), { role: "options", old: "number", begin: "text", end: "text", anchor: "boolean", away: "raw" });
  assert.equal(at(field, "/role").schema.get("description"), "of the user");
  assert.match(at(field, "/away").control.why, /https:\/\/example.com\/schema.json/);
});

test("recursive schemas are as deep as their value, and circles end", () => {
  const schema = { $ref: "#/$defs/node", $defs: { node: { type: "object", properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } }, parent: { $ref: "#" } } } } };
  const field = read(schema, { children: [{ name: "a", children: [{}] }] });
  assert.equal(at(field, "/children/0/name").value, "a");
  assert.deepEqual(kinds(at(field, "/children/0/children/0")), { name: "text", children: "list", parent: "object" });
  assert.equal(read({ $ref: "#/a", a: { $ref: "#/b" }, b: { $ref: "#/a" } }).control.kind, "raw");
  assert.match(start({ $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } }, required: ["n"] } } }), /^(\{"n":){2,8}/);
});

test("#496: allOf is merged", () => {
  const schema = {
    type: "object", required: ["userId", "title"],
    allOf: [
      { type: "object", title: "Todo", required: ["userId", "title", "completed"], properties: { userId: { type: "integer", minimum: 1 }, title: { type: "string" }, completed: { type: "boolean" } } },
      { properties: { userId: { minimum: 5, description: "who" }, note: { type: ["string", "null"] } } },
    ],
  };
  const field = read(schema, { userId: 7 });
  assert.deepEqual(kinds(field), { userId: "number", title: "text", completed: "boolean", note: "text" });
  assert.equal(at(field, "/userId").schema.get("minimum").text, "5");
  assert.equal(at(field, "/userId").schema.get("description"), "who");
  assert.equal(at(field, "/completed").isRequired, true);
  assert.equal(at(field, "/note").isNullable, true);
});

const email = { type: "object", properties: { kind: { type: "string", const: "email" }, address: { type: "string" } }, required: ["kind", "address"] };
const sms = { type: "object", properties: { kind: { type: "string", const: "sms" }, phone: { type: "string" } }, required: ["kind", "phone"] };

for (const union of ["anyOf", "oneOf"]) {
  test(`#2123: a root ${union} has its fields, chosen by the constant`, () => {
    const schema = { type: "object", [union]: [email, sms] };
    assert.deepEqual(read(schema, {}).variants, ["kind: email", "kind: sms"]);
    assert.deepEqual(kinds(read(schema, {})), { kind: "constant", address: "text" });
    assert.deepEqual(kinds(read(schema, { kind: "sms" })), { kind: "constant", phone: "text" });
    assert.equal(read(schema, { kind: "sms", extra: 1 }).variant, 1);
    assert.equal(read(schema, { kind: "sms" }, new Map([["", 0]])).variant, 0, "a choice counts");
    assert.equal(start(schema), '{"kind":"email"}');
    const reader = new form.FormReader(json(schema));
    assert.equal(text(form.switched(reader, reader.schemas.root, 1, json({ kind: "email", address: "a@b" }))), '{"kind":"sms"}');
  });

  test(`a nested ${union} without constants is chosen by what fits`, () => {
    const schema = { type: "object", properties: { to: { [union]: [{ type: "string", title: "Name" }, { type: "array", items: { type: "integer" } }, { $ref: "#/$defs/Place" }] } }, $defs: { Place: { type: "object", properties: { x: { type: "number" } } } } };
    assert.deepEqual(at(read(schema, {}), "/to").variants, ["Name", "list", "Place"]);
    assert.equal(at(read(schema, { to: [1] }), "/to").control.kind, "list");
    assert.equal(at(read(schema, { to: { x: 1.0 } }), "/to/x").control.kind, "number");
    assert.equal(at(read(schema, { to: "a" }), "/to").control.kind, "text");
    assert.equal(at(read(schema, { to: true }), "/to").control.kind, "raw", "what fits nothing is kept");
  });
}

test("an anyOf beside properties keeps the properties", () => {
  const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
  const field = read(schema, { b: "x" });
  assert.deepEqual(field.variants, ["with a", "with b"]);
  assert.equal(field.variant, 1);
  assert.deepEqual(kinds(field), { a: "text", b: "text" });
  assert.deepEqual(read({ allOf: [{ anyOf: [{ title: "A", type: "object" }, { title: "B", type: "object" }] }, { anyOf: [{ required: ["x"] }, { required: ["y"] }] }] }, {}).variants.length, 4);
});

test("#1928, #897: a nullable enum is a list of options, with null", () => {
  const schemas = [
    { anyOf: [{ type: "string", enum: ["envio", "recebimento"] }, { type: "null" }] },
    { type: ["string", "null"], enum: ["envio", "recebimento", null] },
    { anyOf: [{ $ref: "#/$defs/E" }, { type: "null" }], $defs: { E: { enum: ["envio", "recebimento"] } } },
    { oneOf: [{ const: "envio" }, { const: "recebimento" }, { const: null }] },
  ];
  for (const schema of schemas) {
    const { control } = read(schema, '"envio"');
    assert.equal(control.kind, "options", JSON.stringify(schema));
    assert.deepEqual(control.options.map(({ value }) => value), ["envio", "recebimento", null]);
    assert.equal(control.chosen, 0);
    assert.equal(read(schema, null).control.chosen, 2);
    assert.equal(read(schema).control.chosen, -1, "absent is not null");
  }
  assert.deepEqual(read({ enum: [null] }).control, { kind: "constant", constant: null });
});

test("options have titles, and values that are none of them stay", () => {
  const titled = { oneOf: [{ const: 1, title: "One" }, { const: 2, title: "Two" }] };
  assert.deepEqual(read(titled, 2).control.options.map(({ label }) => label), ["One", "Two"]);
  assert.equal(read(titled, "2.0").control.chosen, 1);
  assert.deepEqual(read({ enum: ["a", ""], enumNames: ["Alpha", "None"] }).control.options.map(({ label }) => label), ["Alpha", "None"]);
  assert.equal(read(titled, 3).control.kind, "raw");
  assert.equal(read({ enum: [] }).control.kind, "raw");
});

test("#1885: an optional number or null is a number field that knows null", () => {
  const schema = { type: "object", properties: { a: { type: "integer" }, b: { anyOf: [{ type: "integer" }, { type: "null" }], default: null } }, required: ["a"] };
  const field = at(read(schema, { b: null }), "/b");
  assert.deepEqual([field.control.kind, field.isNullable, field.value, field.isRequired], ["number", true, null, false]);
  assert.equal(start(schema), "{}", "an optional default is not sent");
  assert.equal(text(form.readText(field, "12345678901234567890")), "12345678901234567890");
  assert.ok(form.readText(field, "nul") instanceof form.Draft);
});

test("#1853, #1856: a text that is not JSON yet stays a draft, and is never escaped", () => {
  const field = at(read({ type: "object", properties: { itemIds: {} } }, {}), "/itemIds");
  assert.equal(field.control.kind, "raw");
  const typed = '["item-1","item-2"]';
  for (let length = 1; length < typed.length; length += 1) {
    const draft = form.readText(field, typed.slice(0, length));
    assert.ok(draft instanceof form.Draft, typed.slice(0, length));
    assert.equal(draft.text, typed.slice(0, length));
  }
  assert.equal(text(form.readText(field, typed)), typed);
});

test("absent, null and an empty text are three things", () => {
  const schema = { type: "object", properties: { a: { type: ["string", "null"] } } };
  const values = ["{}", '{"a":null}', '{"a":""}'].map((value) => at(read(schema, value), "/a"));
  assert.deepEqual(values.map(({ value }) => value), [undefined, null, ""]);
  for (const field of values) assert.deepEqual([field.control.kind, field.isNullable], ["text", true]);
  assert.equal(form.readText(values[0], ""), "");
  assert.equal(form.readText(at(read({ type: "object", properties: { n: { type: "number" } } }, {}), "/n"), ""), undefined);
});

test("numbers stay exactly as they were typed", () => {
  const field = read({ type: "number" });
  for (const exact of ["12345678901234567890", "0.1000", "1e400", "-0", "1.7976931348623159e+308"]) {
    assert.equal(text(form.readText(field, exact)), exact);
    assert.equal(form.shownText(read({ type: "number" }, exact)), exact);
  }
  for (const wrong of [".5", "1.", "0x10", "1,5", "NaN", "+1", "--1", "1e"]) assert.ok(form.readText(field, wrong) instanceof form.Draft, wrong);
});

test("types in a list are alternatives", () => {
  const field = read({ type: ["string", "integer", "null"] }, 4);
  assert.deepEqual([field.variants, field.variant, field.isNullable, field.control.kind], [["text", "integer"], 1, true, "number"]);
});

test("lists: tuples, limits, sets", () => {
  const tuple = { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false };
  assert.deepEqual(kinds(read(tuple, [1, "a"])), { 1: "number", 2: "text" });
  assert.equal(read(tuple, [1]).control.canAdd, true);
  assert.equal(read(tuple, [1, "a"]).control.canAdd, false);
  assert.deepEqual(kinds(read({ type: "array", items: [{ type: "boolean" }], additionalItems: { type: "string" } }, [true, "x"])), { 1: "boolean", 2: "text" });
  assert.equal(read({ type: "array", items: { type: "string" }, maxItems: 1 }, ["a"]).control.canAdd, false);
  assert.equal(start({ type: "object", properties: { l: { type: "array", items: { type: "string" }, minItems: 2 } }, required: ["l"] }), '{"l":["",""]}');
  const set = { type: "array", items: { anyOf: [{ const: "r", title: "Red" }, { const: "g", title: "Green" }] } };
  assert.deepEqual(read(set, ["g"]).control.chosen, [false, true]);
  assert.equal(read(set, ["g", "g"]).control.kind, "list", "duplicates are kept");
  assert.equal(text(form.toggled(json(["g"]), "r")), '["g","r"]');
  assert.equal(text(form.toggled(json(["g", "r"]), "g")), '["r"]');
});

test("maps and patterns: members beyond the properties have the schema that holds for them", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, patternProperties: { "^n_": { type: "integer" } }, additionalProperties: { type: "boolean" } };
  const field = read(schema, { n_1: 3, other: true, odd: "x" });
  assert.deepEqual(kinds(field), { a: "text", n_1: "number", other: "boolean", odd: "raw" });
  assert.deepEqual(field.control.fields.map(({ isExtra }) => isExtra), [false, true, true, true]);
  assert.equal(field.control.canAdd, true);
  const closed = read({ type: "object", properties: {}, additionalProperties: false }, { b: 1 });
  assert.equal(closed.control.canAdd, false);
  assert.equal(at(closed, "/b").control.kind, "raw", "a member that is not allowed is shown and kept");
  assert.deepEqual(kinds(read({ type: "object", required: ["x"] }, {})), { x: "raw" });
  assert.equal(read({ type: "object" }, {}).control.canAdd, true);
  assert.equal(read({ type: "object", properties: { a: {} } }, {}).control.canAdd, false, "nobody asks for other members");
});

test("patterns that could take for ever are not tried", () => {
  const schema = { type: "object", patternProperties: { "^(a+)+$": { type: "integer" } } };
  assert.equal(at(read(schema, { [`${"a".repeat(60)}!`]: 1 }), `/${"a".repeat(60)}!`).control.kind, "raw");
});

test("if, then and else follow the value", () => {
  const schema = { type: "object", properties: { country: { enum: ["US", "NL"] } }, if: { properties: { country: { const: "US" } }, required: ["country"] }, then: { properties: { zip: { type: "string" } } }, else: { properties: { code: { type: "integer" } } } };
  assert.deepEqual(kinds(read(schema, { country: "US" })), { country: "options", zip: "text" });
  assert.deepEqual(kinds(read(schema, { country: "NL", zip: 4 })), { country: "options", code: "number", zip: "raw" });
});

test("boolean schemas, constants and defaults", () => {
  assert.equal(read(true, { a: 1 }).control.kind, "raw");
  assert.equal(read(false).control.kind, "raw");
  assert.deepEqual(kinds(read({ properties: { a: true, b: false, c: { const: 5 } } }, { c: 5 })), { a: "raw", b: "raw", c: "constant" });
  assert.equal(at(read({ properties: { c: { const: 5 } } }, { c: 6 }), "/c").control.kind, "raw");
  assert.equal(start({ type: "object", properties: { a: { type: "integer", default: 12 }, b: { type: "integer", default: 3 }, c: { const: "k" }, d: { type: "object", properties: { e: { const: 1 } }, required: ["e"] } }, required: ["a", "c", "d"] }), '{"a":12,"c":"k","d":{"e":1}}');
});

test("a value of another type, and a text that a field would change, are edited as JSON", () => {
  assert.equal(read({ type: "integer" }, '"12"').control.kind, "raw");
  assert.equal(read({ type: "string" }, '"a\\r\\nb"').control.kind, "raw");
  assert.equal(read({ type: "object" }, "[]").control.kind, "raw");
  assert.equal(read({ type: "integer" }, "1.5").control.kind, "number");
  assert.equal(read({ type: "string" }, "null").control.kind, "raw");
});

test("types and limits are said in words", () => {
  const reader = new form.FormReader(json({ type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 }));
  assert.equal(form.typeWords(reader.schemas, reader.read().schema), "list of text");
  assert.deepEqual(form.limitWords(reader.read().schema), ["1 to 3 items"]);
  assert.deepEqual(form.limitWords(json({ minimum: 0, default: "x", pattern: "^a", examples: [1, 2] })), ["at least 0", "pattern ^a", "default x", "such as 1, 2"]);
});

test("500 schemas and values: form to JSON to form gives the same, and an edit changes its place only", () => {
  const made = generator(20261117);
  const seen = new Map();
  for (let round = 0; round < 500; round += 1) {
    const { schema, value } = made.next();
    const reader = new form.FormReader(json(schema));
    const whole = json(value);
    const field = reader.read(whole);
    // Every field, built up again from nothing by what its control shows.
    let again;
    for (const one of everyField(field)) {
      seen.set(one.control.kind, (seen.get(one.control.kind) ?? 0) + 1);
      if (one.value !== undefined) again = form.withValue(again, one.path, typedAgain(one));
    }
    const what = `${round}: ${JSON.stringify(schema)} ${value}`;
    assert.ok(form.equal(again, whole), `${what}: ${text(again)}`);
    assert.equal(text(form.parseJson(form.writeJson(whole, "  "))), value, what);
    assert.deepEqual(shape(reader.read(form.parseJson(form.writeJson(whole, "  ")))), shape(field), what);
    for (const leaf of everyField(field).slice(0, 8)) {
      if (leaf.value === undefined || !leaf.path.length) continue;
      const changed = form.withValue(whole, leaf.path, json('"changed"'));
      assert.equal(text(form.withValue(changed, leaf.path, leaf.value)), value, what);
    }
  }
  for (const kind of ["text", "number", "boolean", "constant", "options", "set", "object", "list", "raw"]) assert.ok(seen.get(kind) > 10, `${kind}: ${seen.get(kind)}`);
});

/** A field and those in it, the outer ones first. */
function everyField(field) {
  return [field, ...(field.control.fields ?? field.control.items ?? []).flatMap(everyField)];
}

/** The value of a field as its control would give it. An object or a list is empty until its fields are set. */
function typedAgain({ value, control, ...rest }) {
  const field = { value, control, ...rest };
  if (value === null && field.isNullable) return null;
  switch (control.kind) {
    case "text": case "number": case "raw": return form.readText(field, form.shownText(field));
    case "boolean": return value === true;
    case "constant": return control.constant;
    case "options": return control.options[control.chosen].value;
    case "set": return value.filter((item) => control.options.some((option, at) => control.chosen[at] && form.equal(option.value, item)));
    default: return control.kind === "list" ? [] : new Map();
  }
}

function shape(field) {
  const inner = field.control.fields ?? field.control.items ?? [];
  return [form.pointer(field.path), field.control.kind, field.variant, inner.map(shape)];
}

test("#1919: URI templates have their variables and expand as RFC 6570 says", () => {
  const values = new Map([["var", "value"], ["hello", "Hello World!"], ["path", "/foo/bar"], ["empty", ""], ["list", ["red", "green", "blue"]], ["x", "1024"], ["y", "768"], ["half", "50%"], ["who", "fred"], ["none", []]]);
  const cases = {
    "{var}": "value", "{hello}": "Hello%20World%21", "{half}": "50%25", "O{empty}X": "OX", "O{undef}X": "OX", "{x,y}": "1024,768", "{x,hello,y}": "1024,Hello%20World%21,768", "?{x,empty}": "?1024,",
    "{var:3}": "val", "{list}": "red,green,blue", "{list*}": "red,green,blue", "{+hello}": "Hello%20World!", "{+half}": "50%25", "{+path}/here": "/foo/bar/here", "{+path:6}/here": "/foo/b/here", "{+list*}": "red,green,blue",
    "{#path,x}/here": "#/foo/bar,1024/here", "{#empty}": "#", "{.who,who}": ".fred.fred", "X{.list}": "X.red,green,blue", "X{.list*}": "X.red.green.blue", "{/var,x}/here": "/value/1024/here", "{/list*}": "/red/green/blue",
    "{;x,y,empty}": ";x=1024;y=768;empty", "{;list}": ";list=red,green,blue", "{;list*}": ";list=red;list=green;list=blue", "{?x,y,empty}": "?x=1024&y=768&empty=", "{?undef,y}": "?y=768", "{?list*}": "?list=red&list=green&list=blue",
    "?fixed=yes{&x}": "?fixed=yes&x=1024", "{&x,undef,empty}": "&x=1024&empty=", "{none}{?none*}": "", "file:///{+path}": "file:////foo/bar", "a b{var}": "a%20bvalue", "{bad name}": "%7Bbad%20name%7D",
  };
  for (const [template, expanded] of Object.entries(cases)) assert.equal(form.expandTemplate(template, values), expanded, template);
  assert.deepEqual(form.templateVariables("repo://{owner}/{name}{/path*}{?q,owner}"), [{ name: "owner", isList: false }, { name: "name", isList: false }, { name: "path", isList: true }, { name: "q", isList: false }]);
});

test("#1034: what is different after a new connection", () => {
  const snapshot = (capabilities, tools, more = {}) => ({ era: "2025-11-25", server: json({ name: "s", version: "1" }), instructions: null, capabilities: json(capabilities), lists: new Map([["tools", tools.map(json)]]), ...more });
  const before = snapshot({ tools: { listChanged: true }, logging: {} }, [{ name: "a", description: "x" }, { name: "b" }]);
  const after = snapshot({ tools: {}, prompts: {} }, [{ name: "a", description: "y", inputSchema: {} }, { name: "c" }], { era: "2026-07-28", server: json({ name: "s", version: "2" }) });
  assert.deepEqual(form.differences(before, after).map(({ kind, what, name, members }) => [kind, what, name, ...members].join(" ").trim()), [
    "changed protocol version 2025-11-25 to 2026-07-28", "changed server  version", "removed capability tools.listChanged", "removed capability logging", "added capability prompts",
    "changed tool a description inputSchema", "added tool c", "removed tool b",
  ]);
  assert.deepEqual(form.differences(before, before), []);
  assert.deepEqual(form.differences(before, { ...before, lists: new Map() }), [], "a list that was not asked for is not gone");
});

test("a structured diff becomes a unified one, and its lines can't begin another file", () => {
  const diff = { changes: [
    { label: "src/a.ts", kind: "edited", added: 1, removed: 1, hunks: [{ old_start: 1, old_lines: 2, new_start: 1, new_lines: 2, lines: [{ kind: "context", text: "same" }, { kind: "removed", text: "old", no_newline: true }, { kind: "added", text: "new\n+++ b/evil" }] }] },
    { label: "new.txt", kind: "created", hunks: [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: 1, lines: [{ kind: "added", text: "x" }] }] },
    { label: "p.png", kind: "deleted", before: { bytes: 12, media_type: "image/png", digest: "sha256-1" } }, { label: "b", from: "a", kind: "moved" },
  ] };
  assert.equal(form.diffText(json(diff)), "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n\\ No newline at end of file\n+new\u2028+++ b/evil\n"
    + "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+x\ndeleted p.png\n  before: image/png, 12 bytes, sha256-1\nmoved b from a\n");
  assert.equal(form.diffText(undefined), "");
  assert.equal(form.isTruncated(json({ truncated: true })), true);
});

test("what a tool says about itself, in words", () => {
  const tool = json({ name: "t", annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false, preview: true, intentTemplate: "no" }, _meta: { "dev.overt/intent": "Write {path}", "dev.overt/scopes": ["write:file:{path}"], "dev.overt/tool": { effect: "mutating", reversible: true }, ui: { resourceUri: "ui://a" } } });
  assert.deepEqual(form.hintWords(tool), ["says it can destroy something", "says it stays on this system"]);
  assert.deepEqual(form.hintWords(json({ name: "t" })), ["says nothing about what it changes"]);
  assert.deepEqual([form.hasPreview(tool), form.intentTemplate(tool), form.appAddress(tool)], [true, "Write {path}", "ui://a"]);
  assert.deepEqual(form.cardFacts(tool), [["effect", "mutating"], ["reversible", "yes"], ["scopes", "write:file:{path}"]]);
});

test("X-44, H-12: a template on the tool itself counts, and both marks of an application", () => {
  assert.equal(form.intentTemplate(json({ name: "t", intentTemplate: "Read {path}" })), "Read {path}");
  assert.equal(form.intentTemplate(json({ name: "t", intentTemplate: "no", annotations: { intentTemplate: "yes" } })), "yes");
  for (const [resource, is] of [[{ annotations: { type: "application" } }, true], [{ _meta: { "dev.overt/application": true } }, true], [{ annotations: { type: "review" } }, false], [{}, false]]) {
    assert.equal(form.isApplication(json(resource)), is, JSON.stringify(resource));
  }
});

test("X-12, H-12: marks beside a result are read, and the views of a change by their url", () => {
  const record = form.newRecord("1", "tools/call", json({ name: "edit_file" }));
  record.answer = form.readAnswer(json({ id: "1", result: { _meta: { preview: false, own: 1 }, content: [
    { type: "review", mimeType: "text/html" }, { type: "review", url: "ui://edit_file/1" }, { type: "diff", uri: "ui://edit_file/1.diff" }, { type: "resource_link", uri: "ui://other" },
  ] }, _meta: { preview: true, requested_scopes: ["read:file:/x"] } }));
  assert.equal(text(form.metaOf(record)), '{"preview":false,"requested_scopes":["read:file:/x"],"own":1}');
  assert.deepEqual([form.artifact(record, "review"), form.artifact(record, "diff")], ["ui://edit_file/1", "ui://edit_file/1.diff"]);
  record.answer = form.readAnswer(json({ id: "1", failure: { code: -1, message: "no", data: { _meta: { requested_scopes: "a" } } } }));
  assert.deepEqual([text(form.metaOf(record)), form.artifact(record, "diff")], ['{"requested_scopes":"a"}', ""]);
});

test("the JSON beside a form is never rewritten while it is typed, and the form follows it", () => {
  const state = new form.EditorState(json({ type: "object", properties: { n: { type: "integer" }, s: { type: "string" } } }));
  const typed = '{ "n" : 12345678901234567890,\n\n"s":"\\u0041", "more": [1.0] }';
  for (let length = 1; length <= typed.length; length += 1) {
    state.setText(typed.slice(0, length));
    assert.equal(state.text, typed.slice(0, length));
    assert.equal(state.isReady, length === typed.length);
  }
  assert.deepEqual(kinds(state.field), { n: "number", s: "text", more: "raw" });
  state.type(at(state.field, "/s"), "B");
  assert.equal(state.text, '{\n  "n": 12345678901234567890,\n  "s": "B",\n  "more": [\n    1.0\n  ]\n}');
});

test("a form can't be sent while a field has a text that is not a value, and an old value does not stand in for it", () => {
  const state = new form.EditorState(json({ type: "object", properties: { n: { type: "integer" }, any: {} } }), '{"n":1}');
  state.type(at(state.field, "/n"), "1x");
  assert.deepEqual([state.isReady, state.shown(at(state.field, "/n")).text], [false, "1x"]);
  assert.match(state.drafts[0].problem, /1x is not a number/);
  state.type(at(state.field, "/n"), " 12 ");
  assert.deepEqual([state.isReady, state.shown(at(state.field, "/n")).text, text(state.value)], [true, " 12 ", '{"n":12}'], "what was typed stays while typing");
  state.leave();
  assert.equal(state.shown(at(state.field, "/n")).text, "12");
  state.type(at(state.field, "/any"), "[1");
  state.setText('{"any":3}');
  assert.equal(state.isReady, true, "typed JSON replaces drafts");
});

test("a field that is edited as JSON stays so until it is left", () => {
  const state = new form.EditorState(json({ type: "object", properties: { n: { type: "integer" } } }), '{"n":"12"}');
  assert.equal(state.shown(at(state.field, "/n")).isRaw, true);
  state.type(at(state.field, "/n"), "12");
  assert.deepEqual([text(state.value), state.shown(at(state.field, "/n")).isRaw], ['{"n":12}', true]);
  state.leave();
  assert.equal(state.shown(at(state.field, "/n")).isRaw, false);
});

test("alternatives: going back brings the value back", () => {
  const state = new form.EditorState(json({ type: "object", oneOf: [email, sms] }));
  state.type(at(state.field, "/address"), "a@b");
  state.choose(state.field, 1);
  assert.equal(text(state.value), '{"kind":"sms"}');
  assert.deepEqual(kinds(state.field), { kind: "constant", phone: "text" });
  state.choose(state.field, 0);
  assert.equal(text(state.value), '{"kind":"email","address":"a@b"}');
});

test("members and items are added, renamed, moved and removed", () => {
  const state = new form.EditorState(json({ type: "object", properties: { l: { type: "array", items: { type: "integer", minimum: 3 } } }, additionalProperties: { type: "string" } }), "{}");
  assert.equal(state.addMember(state.field, "a b"), null);
  assert.match(state.addMember(state.field, "a b"), /already a member "a b"/);
  assert.equal(state.rename(at(state.field, "/a b"), "c"), null);
  state.addItem(at(state.field, "/l"));
  state.addItem(at(state.field, "/l"));
  state.type(at(state.field, "/l/1"), "9");
  state.moveUp(at(state.field, "/l"), 1);
  assert.equal(text(state.value), '{"c":"","l":[9,3]}');
  state.set(["l", 0], undefined);
  state.set(["c"], undefined);
  assert.equal(text(state.value), '{"l":[3]}');
  assert.equal(new form.EditorState(true).text, "", "nothing is made up");
});
