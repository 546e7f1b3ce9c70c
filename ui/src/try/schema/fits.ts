// Whether a value fits a schema, roughly: enough to choose between alternatives. The server's side of
// the page validates exactly (`/api/inspect/validate`).
import { equal, ExactNumber, isObject, type Json, type JsonObject } from "./json";
import { list, numberOf, typeList, type Schemas } from "./resolve";

const deepest = 24;

export function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof Map) return "object";
  return value instanceof ExactNumber ? "number" : typeof value;
}

export function hasType(value: Json, type: string): boolean {
  return type === "integer" ? value instanceof ExactNumber && Number.isInteger(Number(value.text)) : typeOf(value) === type;
}

export function fits(schemas: Schemas, schema: Json | undefined, value: Json, depth = 0): boolean {
  if (typeof schema === "boolean") return schema;
  if (depth > deepest) return true;
  const resolved = schemas.resolve(schema);
  const inner = (part: Json | undefined, one: Json = value) => fits(schemas, part, one, depth + 1);
  const types = typeList(resolved.get("type"));
  if (types.length && !types.some((type) => hasType(value, type))) return false;
  if (resolved.has("const") && !equal(resolved.get("const"), value)) return false;
  if (resolved.has("enum") && !list(resolved.get("enum")).some((one) => equal(one, value))) return false;
  if (resolved.has("not") && inner(resolved.get("not"))) return false;
  for (const name of ["anyOf", "oneOf"]) if (resolved.has(name) && !list(resolved.get(name)).some((part) => inner(part))) return false;
  if (resolved.has("if") && !inner(resolved.get(inner(resolved.get("if")) ? "then" : "else") ?? true)) return false;
  if (typeof value === "string") return fitsText(resolved, value);
  if (value instanceof ExactNumber) return fitsNumber(resolved, Number(value.text));
  if (Array.isArray(value)) return inRange(resolved, "Items", value.length) && value.every((item, at) => inner(itemSchema(resolved, at), item));
  if (!isObject(value)) return true;
  return list(resolved.get("required")).every((name) => typeof name === "string" && value.has(name))
    && inRange(resolved, "Properties", value.size) && [...value].every(([name, member]) => inner(memberSchema(resolved, name), member));
}

/**
 * How well an alternative suits a value that may be incomplete. The alternative with the highest
 * number is shown.
 */
export function suitability(schemas: Schemas, schema: Json, value: Json): number {
  if (fits(schemas, schema, value)) return 1000;
  const resolved = schemas.resolve(schema);
  const types = typeList(resolved.get("type"));
  if (types.length && !types.some((type) => hasType(value, type))) return -1;
  const properties = resolved.get("properties");
  if (!isObject(value) || !isObject(properties)) return types.length ? 1 : 0;
  let points = 1;
  for (const [name, member] of value) {
    if (!properties.has(name)) continue;
    const expected = schemas.resolve(properties.get(name));
    const isMark = expected.has("const") || expected.has("enum");
    points += fits(schemas, properties.get(name), member) ? (isMark ? 100 : 2) : isMark ? -100 : 0;
  }
  return points;
}

export function itemSchema(schema: JsonObject, at: number): Json {
  const items = schema.get("items");
  const tuple = list(Array.isArray(items) ? items : schema.get("prefixItems"));
  return tuple[at] ?? (Array.isArray(items) ? schema.get("additionalItems") : items) ?? true;
}

/** What holds for a member: its property, its patterns, or the schema of additional members. */
export function memberSchema(schema: JsonObject, name: string): Json {
  const found: Json[] = [];
  const properties = schema.get("properties");
  if (isObject(properties) && properties.has(name)) found.push(properties.get(name)!);
  const patterns = schema.get("patternProperties");
  if (isObject(patterns)) for (const [pattern, part] of patterns) if (matches(pattern, name, false)) found.push(part);
  if (!found.length) return schema.get("additionalProperties") ?? true;
  return found.length === 1 ? found[0]! : new Map([["allOf", found]]);
}

/** Patterns that could take long, or that this browser can't read, count as `otherwise`. */
function matches(pattern: string, text: string, otherwise: boolean): boolean {
  const isTame = !/[)][*+?{]|\\[1-9k]/.test(pattern) && (pattern.match(/[*+{]/g)?.length ?? 0) <= 3;
  if (!isTame || text.length > 200) return otherwise;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return otherwise;
  }
}

function fitsText(schema: JsonObject, value: string): boolean {
  const pattern = schema.get("pattern");
  return inRange(schema, "Length", [...value.slice(0, 100_000)].length) && (typeof pattern !== "string" || matches(pattern, value, true));
}

function fitsNumber(schema: JsonObject, value: number): boolean {
  return !(value < numberOf(schema.get("minimum")) || value > numberOf(schema.get("maximum"))
    || value <= numberOf(schema.get("exclusiveMinimum")) || value >= numberOf(schema.get("exclusiveMaximum")));
}

function inRange(schema: JsonObject, what: string, size: number): boolean {
  return !(size < numberOf(schema.get(`min${what}`)) || size > numberOf(schema.get(`max${what}`)));
}
