// What is different after a new connection: the server, its capabilities, its tools, resources and
// prompts, as sentences.
import { equal, isObject } from "../exports";
import type { Json, JsonObject } from "../schema/json";
import type { Snapshot } from "../store";

export type Change = { kind: "added" | "removed" | "changed"; what: string; name: string; members: string[] };

/** Singular names of what lists hold, and the member that identifies an entry. */
const kinds: Record<string, { one: string; id: string }> = {
  tools: { one: "tool", id: "name" },
  resources: { one: "resource", id: "uri" },
  templates: { one: "resource template", id: "uriTemplate" },
  prompts: { one: "prompt", id: "name" },
};

export function differences(before: Snapshot, after: Snapshot): Change[] {
  const changes: Change[] = [];
  if (before.era !== after.era) changes.push({ kind: "changed", what: "protocol version", name: `${before.era} to ${after.era}`, members: [] });
  const server = members(before.server, after.server);
  if (server.length) changes.push({ kind: "changed", what: "server", name: "", members: server });
  if (!equal(before.instructions, after.instructions)) changes.push({ kind: "changed", what: "instructions", name: "", members: [] });
  compareCapabilities(before.capabilities, after.capabilities, "", changes);
  for (const [list, { one, id }] of Object.entries(kinds)) {
    const [old, now] = [before.lists.get(list), after.lists.get(list)];
    if (old && now) compareLists(one, byId(old, id), byId(now, id), changes);
  }
  return changes;
}

function compareCapabilities(before: Json, after: Json, path: string, changes: Change[]): void {
  const names = new Set([...(isObject(before) ? before.keys() : []), ...(isObject(after) ? after.keys() : [])]);
  for (const name of names) {
    const [old, now] = [isObject(before) ? before.get(name) : undefined, isObject(after) ? after.get(name) : undefined];
    const place = path ? `${path}.${name}` : name;
    if (old === undefined) changes.push({ kind: "added", what: "capability", name: place, members: [] });
    else if (now === undefined) changes.push({ kind: "removed", what: "capability", name: place, members: [] });
    else if (isObject(old) && isObject(now) && !path) compareCapabilities(old, now, place, changes);
    else if (!equal(old, now)) changes.push({ kind: "changed", what: "capability", name: place, members: [] });
  }
}

function compareLists(what: string, before: Map<string, JsonObject>, after: Map<string, JsonObject>, changes: Change[]): void {
  for (const [name, entry] of after) {
    const old = before.get(name);
    const changed = old ? members(old, entry) : [];
    if (!old) changes.push({ kind: "added", what, name, members: [] });
    else if (changed.length) changes.push({ kind: "changed", what, name, members: changed });
  }
  for (const name of before.keys()) if (!after.has(name)) changes.push({ kind: "removed", what, name, members: [] });
}

function byId(entries: readonly JsonObject[], id: string): Map<string, JsonObject> {
  return new Map(entries.map((entry) => [String(entry.get(id)), entry]));
}

/** The names of the members that differ. */
function members(before: Json, after: Json): string[] {
  if (!isObject(before) || !isObject(after)) return equal(before, after) ? [] : ["value"];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !equal(before.get(name), after.get(name)));
}
