// What an edit of a field makes of its value.
import { itemSchema, memberSchema } from "./fits";
import type { Field, FormReader } from "./fields";
import { equal, ExactNumber, isNumberText, isObject, JsonError, parseJson, writeJson, type Json } from "./json";
import { list, numberOf, typeList } from "./resolve";

/** A text that is not a value yet. It is kept as it is, and the form can't be sent. */
export class Draft {
  constructor(
    readonly text: string,
    readonly problem: string,
  ) {}
}

/** The text that a field shows for its value. */
export function shownText(field: Field): string {
  const { value, control } = field;
  if (value === undefined) return "";
  if (control.kind === "text" && typeof value === "string") return value;
  if (control.kind === "number" && value instanceof ExactNumber) return value.text;
  return control.kind === "raw" ? writeJson(value, "  ") : "";
}

/** The value that a typed text means. An empty number or raw field is absent; an empty text is a text. */
export function readText(field: Field, text: string): Json | undefined | Draft {
  if (field.control.kind === "text") return text;
  const trimmed = text.trim();
  if (!trimmed) return undefined;
  if (field.control.kind === "number") {
    return isNumberText(trimmed) ? new ExactNumber(trimmed) : new Draft(text, `${trimmed} is not a number in JSON. Write it like 12, -0.5 or 1e9.`);
  }
  try {
    return parseJson(text);
  } catch (error) {
    return new Draft(text, error instanceof JsonError ? error.message : String(error));
  }
}

/** The items of a set after an option was checked or unchecked. */
export function toggled(value: Json | undefined, option: Json): Json[] {
  const items = Array.isArray(value) ? value : [];
  const left = items.filter((item) => !equal(item, option));
  return left.length < items.length ? left : [...items, option];
}

/** Levels of required members that are filled in. A schema can require itself without end. */
const deepest = 6;

/** What a form begins with: members that are required and have only one sensible value. */
export function initialValue(form: FormReader, schema: Json, depth = 0): Json | undefined {
  const { schemas, options } = form.alternatives.of(schema);
  const whole = form.schemas.resolve(schema);
  if (whole.has("default")) return whole.get("default");
  if (options) return undefined;
  const first = schemas[0]?.schema;
  if (!first) return undefined;
  for (const name of ["default", "const"]) if (first.has(name)) return first.get(name);
  const type = typeList(first.get("type"))[0] ?? (first.has("properties") ? "object" : first.has("items") ? "array" : "");
  if (depth >= deepest) return undefined;
  if (type === "array") {
    const count = Math.min(numberOf(first.get("minItems")) || 0, 20);
    return Array.from({ length: count }, (_, at) => newValue(form, itemSchema(first, at), depth + 1));
  }
  if (type !== "object") return undefined;
  const members = new Map<string, Json>();
  for (const name of list(first.get("required"))) {
    const value = typeof name === "string" ? initialValue(form, memberSchema(first, name), depth + 1) : undefined;
    if (value !== undefined) members.set(String(name), value);
  }
  return members;
}

/** A value for something that is added on purpose and so can't be absent. */
export function newValue(form: FormReader, schema: Json, depth = 0): Json {
  const initial = initialValue(form, schema, depth);
  if (initial !== undefined) return initial;
  const { schemas, options } = form.alternatives.of(schema);
  if (options) return options[0]!.value;
  const first = schemas[0]?.schema ?? new Map<string, Json>();
  switch (typeList(first.get("type"))[0]) {
    case "string": return "";
    case "boolean": return false;
    case "number": case "integer": {
      const least = first.get("minimum");
      return least instanceof ExactNumber ? least : new ExactNumber("0");
    }
    default: return null;
  }
}

/** The value for another alternative: what it begins with, and the members of before that it also has. */
export function switched(form: FormReader, schema: Json, variant: number, before: Json | undefined): Json {
  const target = form.alternatives.of(schema).schemas[variant]?.schema ?? true;
  const value = newValue(form, target);
  const properties = isObject(target) ? target.get("properties") : null;
  if (!isObject(value) || !isObject(before) || !isObject(properties)) return value;
  const kept = [...before].filter(([name]) => properties.has(name) && !value.has(name));
  return new Map([...value, ...kept]);
}
