// A schema in words: the type and the limits of a field, as short as possible.
import { typeName } from "./alternatives";
import { ExactNumber, isObject, writeJson, type Json, type JsonObject } from "./json";
import { list, typeList, type Schemas } from "./resolve";

export function typeWords(schemas: Schemas, schema: JsonObject): string {
  const types = typeList(schema.get("type"));
  const format = schema.get("format");
  const name = types.map(typeName).join(" or ");
  if (types[0] === "array") {
    const items = schema.get("items");
    const inner = isObject(items) ? typeList(schemas.resolve(items).get("type")).map(typeName).join(" or ") : "";
    return inner ? `list of ${inner}` : "list";
  }
  return typeof format === "string" && name ? `${name}, ${format}` : name;
}

export function limitWords(schema: JsonObject): string[] {
  const words: string[] = [];
  const number = (name: string) => {
    const value = schema.get(name);
    return value instanceof ExactNumber ? value.text : null;
  };
  const range = (what: string, unit: string) => {
    const [least, most] = [number(`min${what}`), number(`max${what}`)];
    const units = (count: string) => (unit ? ` ${unit}${count === "1" ? "" : "s"}` : "");
    if (least && most) words.push(`${least === most ? "" : `${least} to `}${most}${units(most)}`);
    else if (least && !(unit && least === "0")) words.push(`at least ${least}${units(least)}`);
    else if (most) words.push(`at most ${most}${units(most)}`);
  };
  range("Length", "character");
  range("Items", "item");
  range("imum", "");
  if (number("exclusiveMinimum")) words.push(`more than ${number("exclusiveMinimum")}`);
  if (number("exclusiveMaximum")) words.push(`less than ${number("exclusiveMaximum")}`);
  if (number("multipleOf")) words.push(`a multiple of ${number("multipleOf")}`);
  const pattern = schema.get("pattern");
  if (typeof pattern === "string") words.push(`pattern ${pattern}`);
  if (schema.get("uniqueItems") === true) words.push("no duplicates");
  if (schema.has("default")) words.push(`default ${short(schema.get("default")!)}`);
  const examples = list(schema.get("examples")).slice(0, 3);
  if (examples.length) words.push(`such as ${examples.map(short).join(", ")}`);
  return words;
}

function short(value: Json): string {
  const text = typeof value === "string" && value ? value : writeJson(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
