// Places in a value, and values with one place changed. Nothing is changed in place.
import { isObject, type Json } from "./json";

export type Path = readonly (string | number)[];

/** A path as a JSON Pointer, as `/api/inspect/validate` gives it. */
export function pointer(path: Path): string {
  return path.map((part) => `/${String(part).replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");
}

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let found = value;
  for (const part of path) {
    if (Array.isArray(found) && typeof part === "number") found = found[part];
    else if (isObject(found)) found = found.get(String(part));
    else return undefined;
  }
  return found;
}

/** The value with another one at this path; `undefined` removes a member or an item. */
export function withValue(value: Json | undefined, path: Path, changed: Json | undefined): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return changed;
  if (typeof part === "number") {
    const items = Array.isArray(value) ? [...value] : [];
    const item = withValue(items[part], rest, changed);
    if (item === undefined) items.splice(part, 1);
    else items[Math.min(part, items.length)] = item;
    return items;
  }
  const members = new Map(isObject(value) ? value : []);
  const member = withValue(members.get(part), rest, changed);
  if (member === undefined) members.delete(part);
  else members.set(part, member);
  return members;
}

/** The value with a member of the object at this path renamed. Its place in the order stays. */
export function withRenamed(value: Json | undefined, path: Path, from: string, to: string): Json | undefined {
  const members = valueAt(value, path);
  if (!isObject(members) || !members.has(from) || members.has(to)) return value;
  return withValue(value, path, new Map([...members].map(([name, member]) => [name === from ? to : name, member])));
}
