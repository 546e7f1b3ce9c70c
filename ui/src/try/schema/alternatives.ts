// The ways in which a value can fit a schema: `anyOf`, `oneOf`, and lists of types.
import { equal, isObject, type Json, type JsonObject } from "./json";
import { list, merge, Schemas, typeList } from "./resolve";

export interface Option {
  label: string;
  value: Json;
}

export interface Alternatives {
  /** Each with everything merged. `null` alone is not among them. */
  schemas: { label: string; schema: JsonObject }[];
  isNullable: boolean;
  /** All values, if the schema lists them. */
  options: Option[] | null;
}

const most = 60;
const unions = ["oneOf", "anyOf"] as const;

export class AlternativesReader {
  private readonly known = new Map<JsonObject, Alternatives>();

  constructor(readonly schemas: Schemas) {}

  of(schema: Json | undefined): Alternatives {
    const resolved = this.schemas.resolve(schema);
    let found = this.known.get(resolved);
    if (!found) this.known.set(resolved, (found = this.read(resolved)));
    return found;
  }

  private read(resolved: JsonObject): Alternatives {
    const all = this.flatten(resolved, "", 0);
    const schemas = all.filter(({ schema }) => !isOnlyNull(schema));
    const isNullable = schemas.length < all.length && schemas.length > 0;
    const labels = new Set(schemas.map(({ label }) => label));
    if (labels.size < schemas.length) schemas.forEach((one, at) => (one.label = `${at + 1}: ${one.label}`));
    return { schemas: schemas.length ? schemas : all, isNullable, options: optionsOf(schemas.length ? all : []) };
  }

  private flatten(schema: JsonObject, label: string, depth: number): { label: string; schema: JsonObject }[] {
    const union = unions.find((name) => list(schema.get(name)).length > 0);
    if (union && depth < 8) {
      const base = new Map(schema);
      base.delete(union);
      return list(schema.get(union)).flatMap((part, at) => {
        const own = this.schemas.resolve(part);
        const name = labelOf(this.schemas, part, own, at);
        // The texts of the alternative say more than those of the whole.
        const merged = withTexts(merge(base, own), own);
        return this.flatten(merged, label ? `${label}, ${name}` : name, depth + 1);
      }).slice(0, most);
    }
    const types = typeList(schema.get("type"));
    if (types.length < 2 || schema.has("const") || schema.has("enum")) return [{ label, schema }];
    return types.map((type) => ({ label: label ? `${label}, ${typeName(type)}` : typeName(type), schema: new Map(schema).set("type", type) }));
  }
}

function withTexts(merged: JsonObject, own: JsonObject): JsonObject {
  for (const name of ["title", "description", "default"]) if (own.has(name)) merged.set(name, own.get(name)!);
  return merged;
}

function isOnlyNull(schema: JsonObject): boolean {
  const values = schema.has("const") ? [schema.get("const")!] : schema.has("enum") ? list(schema.get("enum")) : null;
  return values ? values.length === 1 && values[0] === null : schema.get("type") === "null";
}

function optionsOf(all: { schema: JsonObject }[]): Option[] | null {
  const options: Option[] = [];
  for (const { schema } of all) {
    if (schema.get("type") === "null") options.push({ label: "null", value: null });
    else if (schema.has("const") && all.length > 1) options.push({ label: textOf(schema.get("title")) ?? optionLabel(schema.get("const")!), value: schema.get("const")! });
    else if (schema.has("enum") && !schema.has("const")) options.push(...enumOptions(schema));
    else return null;
  }
  const distinct = options.filter((option, at) => options.findIndex((one) => equal(one.value, option.value)) === at);
  return distinct.some(({ value }) => value !== null) ? distinct : null;
}

function enumOptions(schema: JsonObject): Option[] {
  const values = list(schema.get("enum"));
  const names = list(schema.get("enumNames"));
  return values.map((value, at) => ({ value, label: (names.length === values.length && textOf(names[at])) || optionLabel(value) }));
}

function optionLabel(value: Json): string {
  if (typeof value === "string") return value === "" ? '""' : value;
  return value === null || typeof value !== "object" || "text" in value ? String(value === null || typeof value === "boolean" ? value : value.text) : "(object or list)";
}

function labelOf(schemas: Schemas, part: Json, own: JsonObject, at: number): string {
  const title = textOf(own.get("title"));
  if (title) return title;
  const properties = own.get("properties");
  if (isObject(properties)) {
    for (const [name, schema] of properties) {
      const mark = schemas.resolve(schema);
      const values = mark.has("const") ? [mark.get("const")!] : list(mark.get("enum"));
      if (values.length === 1) return `${name}: ${optionLabel(values[0]!)}`;
    }
  }
  const reference = Schemas.referenceName(part);
  if (reference) return reference;
  const required = list(own.get("required")).filter((name) => typeof name === "string");
  if (!own.has("type") && required.length) return `with ${required.join(", ")}`;
  const types = typeList(own.get("type"));
  if (types.length === 1 && types[0] !== "object") return typeName(types[0]!);
  if (isObject(properties) && properties.size) return [...properties.keys()].slice(0, 3).join(", ");
  return types.length === 1 ? typeName(types[0]!) : `alternative ${at + 1}`;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

const typeNames: Record<string, string> = { string: "text", array: "list", boolean: "true or false" };

export function typeName(type: string): string {
  return typeNames[type] ?? type;
}
