// The structured diff of a result (`_meta["dev.overt/diff"]`, docs/previews.md) as a unified diff, which
// the view of diffs shows.
import { ExactNumber, isObject, type Json, type JsonObject } from "./schema/json";
import { list } from "./schema/resolve";

const signs: Record<string, string> = { context: " ", removed: "-", added: "+" };

export function isTruncated(diff: Json | undefined): boolean {
  return isObject(diff) && diff.get("truncated") === true;
}

export function diffText(diff: Json | undefined): string {
  const changes = isObject(diff) ? list(diff.get("changes")).filter(isObject) : [];
  return changes.map(changeText).join("");
}

function changeText(change: JsonObject): string {
  const label = text(change.get("label"));
  const kind = text(change.get("kind"));
  const from = text(change.get("from")) || label;
  const hunks = list(change.get("hunks")).filter(isObject);
  const head = `--- ${kind === "created" ? "/dev/null" : `a/${oneLine(from)}`}\n+++ ${kind === "deleted" ? "/dev/null" : `b/${oneLine(label)}`}\n`;
  if (hunks.length) return head + hunks.map(hunkText).join("");
  const things = (["before", "after"] as const).flatMap((when) => {
    const thing = change.get(when);
    return isObject(thing) ? [`  ${when}: ${thingText(thing)}\n`] : [];
  });
  const moved = from === label ? "" : ` from ${oneLine(from)}`;
  return `${kind} ${oneLine(label)}${moved}\n${things.join("")}`;
}

function hunkText(hunk: JsonObject): string {
  const count = (name: string) => {
    const value = hunk.get(name);
    return value instanceof ExactNumber ? value.text : "0";
  };
  const lines = list(hunk.get("lines")).filter(isObject).map((line) =>
    `${signs[text(line.get("kind"))] ?? " "}${oneLine(text(line.get("text")))}\n${line.get("no_newline") === true ? "\\ No newline at end of file\n" : ""}`);
  return `@@ -${count("old_start")},${count("old_lines")} +${count("new_start")},${count("new_lines")} @@\n${lines.join("")}`;
}

function thingText(thing: JsonObject): string {
  const number = (name: string, unit: string) => {
    const value = thing.get(name);
    return value instanceof ExactNumber ? [`${value.text} ${unit}`] : [];
  };
  const words = [text(thing.get("media_type")), ...number("bytes", "bytes"), ...number("files", "files"), ...number("directories", "folders"), text(thing.get("digest"))];
  return words.filter(Boolean).join(", ");
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A line break in a line would be read as a line of the diff. */
function oneLine(line: string): string {
  return line.replace(/\n/g, "\u2028");
}
