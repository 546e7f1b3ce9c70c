// A schema as a form needs it: references followed and `allOf` merged, one level at a time, so that
// recursive schemas cost nothing until somebody opens them.
import { equal, ExactNumber, isObject, type Json, type JsonObject } from "./json";

/** References and parts of `allOf` that are followed for one schema. */
const mostParts = 200;
/** Combinations of several `anyOf` or `oneOf` that are offered. */
const mostCombinations = 24;

export class Schemas {
  private readonly resolved = new Map<JsonObject, JsonObject>();

  constructor(readonly root: Json) {}

  /** The schema with everything merged that holds for every value. `false` becomes `{"not": {}}`. */
  resolve(schema: Json | undefined): JsonObject {
    if (!isObject(schema)) return new Map<string, Json>(schema === false ? [["not", new Map()]] : []);
    const known = this.resolved.get(schema);
    if (known) return known;
    const parts: JsonObject[] = [];
    this.collect(schema, parts, new Set());
    const merged = parts.reduce(merge, new Map());
    this.resolved.set(schema, merged);
    return merged;
  }

  /** The name at the end of a reference, for labels. */
  static referenceName(schema: Json | undefined): string | null {
    const reference = isObject(schema) ? schema.get("$ref") : null;
    return typeof reference === "string" ? (/([^/#]+)$/.exec(reference)?.[1] ?? null) : null;
  }

  private collect(schema: Json | undefined, parts: JsonObject[], seen: Set<Json>): void {
    if (schema === undefined || seen.has(schema) || parts.length >= mostParts) return;
    if (!isObject(schema)) {
      if (schema === false) parts.push(new Map([["not", new Map()]]));
      return;
    }
    seen.add(schema);
    const own = new Map(schema);
    for (const name of ["$ref", "$dynamicRef", "allOf"]) own.delete(name);
    parts.push(own);
    for (const name of ["$ref", "$dynamicRef"]) {
      const reference = schema.get(name);
      if (typeof reference !== "string") continue;
      const target = this.find(reference);
      if (target === undefined) parts.push(new Map([["$unresolved", reference]]));
      else this.collect(target, parts, seen);
    }
    const all = schema.get("allOf");
    if (Array.isArray(all)) for (const part of all) this.collect(part, parts, seen);
  }

  private find(reference: string): Json | undefined {
    const id = isObject(this.root) ? this.root.get("$id") : null;
    const local = typeof id === "string" && reference.startsWith(`${id}#`) ? reference.slice(id.length) : reference;
    if (local === "#" || local === id) return this.root;
    if (!local.startsWith("#")) return undefined;
    if (!local.startsWith("#/")) return findAnchor(this.root, local.slice(1), 0);
    let found: Json | undefined = this.root;
    for (const part of local.slice(2).split("/")) {
      const name = decode(part).replace(/~1/g, "/").replace(/~0/g, "~");
      found = Array.isArray(found) ? found[Number(name)] : isObject(found) ? found.get(name) : undefined;
    }
    return found;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function findAnchor(schema: Json, name: string, depth: number): Json | undefined {
  if (depth > 30 || typeof schema !== "object" || schema === null || schema instanceof ExactNumber) return undefined;
  if (isObject(schema) && (schema.get("$anchor") === name || schema.get("$dynamicAnchor") === name)) return schema;
  for (const part of schema.values()) {
    const found = findAnchor(part, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Both schemas at once. Of texts such as the title, those of the first one stay. */
export function merge(one: JsonObject, other: JsonObject): JsonObject {
  const merged = new Map(one);
  for (const [name, theirs] of other) {
    const mine = merged.get(name);
    merged.set(name, mine === undefined ? theirs : mergeKeyword(name, mine, theirs));
  }
  return merged;
}

function mergeKeyword(name: string, mine: Json, theirs: Json): Json {
  if (equal(mine, theirs)) return mine;
  switch (name) {
    case "properties": case "patternProperties": case "$defs": case "definitions":
      if (!isObject(mine) || !isObject(theirs)) return mine;
      return [...theirs].reduce((all, [key, schema]) => all.set(key, all.has(key) ? both(all.get(key)!, schema) : schema), new Map(mine));
    case "items": case "additionalProperties": case "additionalItems": case "propertyNames": return both(mine, theirs);
    case "required": return [...new Set([...list(mine), ...list(theirs)])];
    case "type": return commonTypes(mine, theirs);
    case "enum": return list(mine).filter((value) => list(theirs).some((one) => equal(one, value)));
    case "anyOf": case "oneOf": return combinations(list(mine), list(theirs));
    case "minimum": case "exclusiveMinimum": case "minLength": case "minItems": case "minProperties":
      return numberOf(mine) >= numberOf(theirs) ? mine : theirs;
    case "maximum": case "exclusiveMaximum": case "maxLength": case "maxItems": case "maxProperties":
      return numberOf(mine) <= numberOf(theirs) ? mine : theirs;
    default: return mine;
  }
}

export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: Json | undefined): number {
  return value instanceof ExactNumber ? Number(value.text) : NaN;
}

export function both(one: Json, other: Json): Json {
  if (one === true || other === false) return other;
  if (other === true || one === false) return one;
  return new Map([["allOf", [one, other]]]);
}

function combinations(mine: Json[], theirs: Json[]): Json[] {
  if (mine.length * theirs.length > mostCombinations) return mine;
  return mine.flatMap((one) => theirs.map((other) => both(one, other)));
}

function commonTypes(mine: Json, theirs: Json): Json {
  const [one, other] = [typeList(mine), typeList(theirs)];
  const common = one.flatMap((type) => {
    if (other.includes(type)) return [type];
    if (type === "number" && other.includes("integer")) return ["integer"];
    return type === "integer" && other.includes("number") ? [type] : [];
  });
  return common.length === 1 ? common[0]! : common;
}

export function typeList(type: Json | undefined): string[] {
  return (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
}
