// Schemas and values that fit them, made at random from a seed, for the round trip of the forms. A
// value is JSON text, so that large numbers and decimals are as written.

export function generator(seed) {
  const random = mulberry(seed);
  const below = (limit) => Math.floor(random() * limit);
  const pick = (list) => list[below(list.length)];
  const texts = ["", "a", "two words", "line\nline", "ü 日本 😀", "<b>", "\u202Eevil", "null", "1", '{"x":1}', "a\r\nb", "\\u0041"];
  const numbers = ["0", "-1", "12345678901234567890", "1.50", "1e400", "-0", "0.1", "7"];
  const names = ["a", "b", "c d", "e/f", "g~h", "__proto__", "1", "constructor", "ñ"];

  const scalar = () => pick([
    () => [{ type: "string" }, JSON.stringify(pick(texts))],
    () => [{ type: "string", format: pick(["date", "uri", "email"]) }, JSON.stringify(pick(texts))],
    () => [{ type: pick(["number", "integer"]) }, pick(numbers)],
    () => [{ type: "boolean" }, pick(["true", "false"])],
    () => [{ type: ["string", "null"] }, pick(["null", '""', '"x"'])],
    () => [{ anyOf: [{ type: "integer" }, { type: "null" }] }, pick(["null", ...numbers])],
    () => [{ enum: ["a", "b", 1, null] }, pick(['"a"', '"b"', "1", "null"])],
    () => [{ oneOf: [{ const: "x", title: "X" }, { const: "y", title: "Y" }] }, pick(['"x"', '"y"'])],
    () => [{ const: "k" }, '"k"'],
    () => [{ const: 1 }, pick(["1", "1.0"])],
    () => [{ type: ["string", "integer"] }, pick([...numbers, '"s"'])],
    () => [pick([true, {}, { $ref: "elsewhere.json" }]), pick(['{"any":[1,{}]}', "12.0", '"t"', "[]"])],
    // A value that does not fit.
    () => [{ type: "integer" }, pick(['"12"', "{}", "[1]", "null", "true"])],
  ])();

  const object = (depth) => {
    const used = names.filter(() => random() < 0.4);
    const members = used.map((name) => [name, ...any(depth + 1)]);
    const properties = members.filter(() => random() < 0.75);
    const schema = { type: "object", properties: own(properties.map(([name, schema]) => [name, schema])) };
    if (random() < 0.4) schema.required = properties.filter(() => random() < 0.5).map(([name]) => name);
    if (random() < 0.3) schema.additionalProperties = pick([true, false, { type: "string" }, { type: "integer" }]);
    if (random() < 0.2) schema.patternProperties = { "^c": { type: "boolean" } };
    if (random() < 0.2) Object.assign(schema, { if: { required: ["a"] }, then: { properties: { b: { type: "string" } } }, else: { properties: { z: { type: "string" } } } });
    const present = members.filter(() => random() < 0.85);
    return [schema, `{${present.map(([name, , value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`];
  };

  const array = (depth) => {
    if (random() < 0.25) return [{ type: "array", items: { enum: ["r", "g", "b"] } }, pick(["[]", '["g"]', '["b","r"]', '["r","r"]', '["q"]'])];
    const items = Array.from({ length: below(4) }, () => any(depth + 1));
    if (random() < 0.5) return [{ type: "array", prefixItems: items.map(([schema]) => schema) }, `[${items.map(([, value]) => value).join(",")}]`];
    const schema = items[0]?.[0] ?? true;
    return [{ type: "array", items: schema }, `[${items.map(([, value]) => value).join(",")}]`];
  };

  const union = (depth) => {
    const parts = [any(depth + 1), any(depth + 1), any(depth + 1)];
    return [{ [pick(["anyOf", "oneOf"])]: parts.map(([schema]) => schema) }, pick(parts)[1]];
  };

  const tagged = (depth) => {
    const parts = ["one", "two"].map((kind) => [kind, ...any(depth + 1)]);
    const schemas = parts.map(([kind, schema]) => ({ type: "object", properties: { kind: { const: kind }, data: schema }, required: ["kind"] }));
    const [kind, , value] = pick(parts);
    return [{ oneOf: schemas }, `{"kind":${JSON.stringify(kind)},"data":${value}}`];
  };

  const merged = (depth) => {
    const [one, text] = object(depth);
    return [{ allOf: [one, { properties: { a: { description: "more" } } }] }, text];
  };

  const any = (depth) => {
    if (depth > 3 || random() < 0.45) return scalar();
    return pick([object, object, array, union, tagged, merged])(depth);
  };

  return {
    next() {
      const [inner, text] = pick([object, object, tagged, union, merged, array])(0);
      // Now and then behind a reference.
      const schema = random() < 0.3 ? { $ref: "#/$defs/It", $defs: { It: inner } } : inner;
      return { schema, value: text };
    },
  };
}

/** An object with these own members, `__proto__` included. */
function own(entries) {
  const made = {};
  for (const [name, value] of entries) Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  return made;
}

function mulberry(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
