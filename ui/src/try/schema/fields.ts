// A schema and a value as fields of a form. Pure: the same schema, value and choices always give the
// same fields. What a form can't show becomes a `raw` field, which is edited as JSON, so nothing of a
// value is ever lost.
import { AlternativesReader, type Option } from "./alternatives";
import { fits, hasType, itemSchema, memberSchema, suitability } from "./fits";
import { equal, isObject, type Json, type JsonObject } from "./json";
import { pointer, type Path } from "./path";
import { list, merge, numberOf, Schemas, typeList } from "./resolve";

export type Control =
  | { kind: "text"; format: string; isSecret: boolean }
  | { kind: "number"; isInteger: boolean }
  | { kind: "boolean" }
  | { kind: "constant"; constant: Json }
  | { kind: "options"; options: Option[]; chosen: number }
  /** A list whose items are distinct and come from these options. */
  | { kind: "set"; options: Option[]; chosen: boolean[] }
  | { kind: "object"; fields: Field[]; canAdd: boolean }
  | { kind: "list"; items: Field[]; canAdd: boolean }
  | { kind: "raw"; why: string };

export interface Field {
  path: Path;
  name: string;
  /** The schema as it is written. */
  source: Json;
  /** The schema of the alternative that is shown, with everything merged. */
  schema: JsonObject;
  isRequired: boolean;
  isNullable: boolean;
  /** A member that no property names. It can be renamed. */
  isExtra: boolean;
  /** `undefined` if the value is absent, which differs from `null` and from an empty text. */
  value: Json | undefined;
  variants: string[];
  variant: number;
  control: Control;
}

/** The alternative that a person chose, by the JSON Pointer of the field. */
export type Choices = ReadonlyMap<string, number>;

const mostFields = 3000;

export class FormReader {
  readonly schemas: Schemas;
  readonly alternatives: AlternativesReader;

  constructor(schema: Json) {
    this.schemas = new Schemas(schema);
    this.alternatives = new AlternativesReader(this.schemas);
  }

  read(value: Json | undefined, choices: Choices = new Map()): Field {
    return new Reading(this, choices).field([], this.schemas.root, value, { name: "", isRequired: true, isExtra: false });
  }
}

type Role = Pick<Field, "name" | "isRequired" | "isExtra">;

class Reading {
  private count = 0;

  constructor(
    private readonly form: FormReader,
    private readonly choices: Choices,
  ) {}

  field(path: Path, schema: Json, value: Json | undefined, role: Role): Field {
    this.count += 1;
    const { schemas, isNullable, options } = this.form.alternatives.of(schema);
    const isMany = schemas.length > 1 && !options;
    const variant = isMany ? this.variant(path, schemas, value, isNullable) : 0;
    const resolved = options ? this.form.schemas.resolve(schema) : this.conditional(schemas[variant]!.schema, value);
    const base = {
      path, ...role, value, variant, source: schema, schema: resolved,
      isNullable: isNullable && !options,
      variants: isMany ? schemas.map(({ label }) => label) : [],
    };
    return { ...base, control: this.control(base, options) };
  }

  private variant(path: Path, schemas: { schema: JsonObject }[], value: Json | undefined, isNullable: boolean): number {
    const chosen = this.choices.get(pointer(path));
    if (chosen !== undefined && chosen < schemas.length) return chosen;
    if (value === undefined || (value === null && isNullable)) return 0;
    const points = schemas.map(({ schema }) => suitability(this.form.schemas, schema, value));
    return points.indexOf(Math.max(...points));
  }

  /** Adds what `if` and `dependentSchemas` say for this value. */
  private conditional(schema: JsonObject, value: Json | undefined): JsonObject {
    let merged = schema;
    if (schema.has("if")) {
      const branch = schema.get(fits(this.form.schemas, schema.get("if"), value ?? new Map()) ? "then" : "else");
      if (isObject(branch)) merged = merge(merged, this.form.schemas.resolve(branch));
    }
    const dependent = schema.get("dependentSchemas");
    if (isObject(dependent) && isObject(value)) {
      for (const [name, part] of dependent) if (value.has(name)) merged = merge(merged, this.form.schemas.resolve(part));
    }
    return merged;
  }

  private control(field: Omit<Field, "control">, options: Option[] | null): Control {
    const { schema, value } = field;
    const raw = (why: string): Control => ({ kind: "raw", why });
    const isNull = value === null && field.isNullable;
    if (this.count > mostFields) return raw("The form is too long to show this part.");
    const missing = schema.get("$unresolved");
    if (typeof missing === "string") return raw(`The schema refers to ${missing}, which is not part of it.`);
    if (options) return this.options(options, value);
    const listed = schema.has("const") ? [schema.get("const")!] : schema.has("enum") ? list(schema.get("enum")) : null;
    if (listed?.length === 1) return value === undefined || isNull || equal(value, listed[0]) ? { kind: "constant", constant: listed[0]! } : raw("The schema allows another value only.");
    if (listed) return raw("The schema allows no value.");
    const type = typeList(schema.get("type"))[0] ?? impliedType(schema);
    if (type === "null") return value === undefined || value === null ? { kind: "constant", constant: null } : raw("The schema allows null only.");
    if (!type) return raw("");
    if (value !== undefined && !isNull && !hasType(value, type === "integer" ? "number" : type)) return raw(`The schema asks for another type: ${type}.`);
    switch (type) {
      case "string": return typeof value === "string" && /[\r\0]/.test(value) ? raw("The text has characters that a text field would change.") : text(schema);
      case "number": case "integer": return { kind: "number", isInteger: type === "integer" };
      case "boolean": return { kind: "boolean" };
      case "array": return this.list(field);
      case "object": return this.object(field);
      default: return raw(`The schema has an unknown type: ${type}.`);
    }
  }

  private options(options: Option[], value: Json | undefined): Control {
    const chosen = value === undefined ? -1 : options.findIndex((option) => equal(option.value, value));
    if (chosen < 0 && value !== undefined) return { kind: "raw", why: "The value is none of those that the schema lists." };
    return { kind: "options", options, chosen };
  }

  private object({ path, schema, value }: Omit<Field, "control">): Control {
    const properties = schema.get("properties");
    const required = list(schema.get("required")).filter((name) => typeof name === "string");
    const named = new Set([...(isObject(properties) ? properties.keys() : []), ...required]);
    // A schema that only fails to forbid other members does not ask for them; the JSON takes them anyway.
    const additional = schema.get("additionalProperties") ?? named.size === 0;
    const canAdd = additional !== false || isObject(schema.get("patternProperties"));
    // The whole value is shown like an empty object while it is absent; other objects are added first.
    const members = isObject(value) ? value : path.length ? null : new Map<string, Json>();
    if (!members) return { kind: "object", fields: [], canAdd: false };
    const member = (name: string, isExtra: boolean) =>
      this.field([...path, name], memberSchema(schema, name), members.get(name), { name, isExtra, isRequired: required.includes(name) });
    const extra = [...members.keys()].filter((name) => !named.has(name));
    return { kind: "object", canAdd, fields: [...[...named].map((name) => member(name, false)), ...extra.map((name) => member(name, true))] };
  }

  private list({ path, schema, value }: Omit<Field, "control">): Control {
    const items = Array.isArray(value) ? value : [];
    const { options } = this.form.alternatives.of(itemSchema(schema, 0));
    const isSet = options && !list(schema.get("prefixItems")).length && items.every((item, at) =>
      options.some((option) => equal(option.value, item)) && items.findIndex((one) => equal(one, item)) === at);
    if (isSet) return { kind: "set", options, chosen: options.map((option) => items.some((item) => equal(item, option.value))) };
    const canAdd = !(items.length >= numberOf(schema.get("maxItems"))) && itemSchema(schema, items.length) !== false;
    return {
      kind: "list", canAdd,
      items: items.map((item, at) => this.field([...path, at], itemSchema(schema, at), item, { name: String(at + 1), isRequired: true, isExtra: false })),
    };
  }
}

function text(schema: JsonObject): Control {
  const format = schema.get("format");
  return { kind: "text", format: typeof format === "string" ? format : "", isSecret: format === "password" || schema.get("writeOnly") === true };
}

/** The type that the keywords of a schema without a type are about. */
function impliedType(schema: JsonObject): string | null {
  const has = (...names: string[]) => names.some((name) => schema.has(name));
  if (has("properties", "required", "additionalProperties", "patternProperties")) return "object";
  if (has("items", "prefixItems", "minItems", "maxItems")) return "array";
  if (has("minLength", "maxLength", "pattern", "format")) return "string";
  return has("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum") ? "number" : null;
}
