// What a tool says about itself, in words. `_meta` is read before `annotations`, because SDKs drop
// unknown annotations.
import { ExactNumber, isObject, type Json, type JsonObject } from "./schema/json";
import { list } from "./schema/resolve";

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function member(value: Json | undefined, ...names: string[]): Json | undefined {
  return names.reduce<Json | undefined>((found, name) => (isObject(found) ? found.get(name) : undefined), value);
}

/** A mark that is under one name in `_meta` and under another one in `annotations`. */
function mark(tool: JsonObject, metaName: string, annotation: string): Json | undefined {
  return member(tool, "_meta", metaName) ?? member(tool, "annotations", annotation);
}

export function hasPreview(tool: JsonObject): boolean {
  return mark(tool, "dev.overt/preview", "preview") === true;
}

export function intentTemplate(tool: JsonObject): string {
  return text(mark(tool, "dev.overt/intent", "intentTemplate") ?? tool.get("intentTemplate"));
}

/** Whether a resource is an application: a page that stands for itself. */
export function isApplication(resource: JsonObject): boolean {
  return [true, "application"].includes(mark(resource, "dev.overt/application", "type") as string);
}

/** The page of an app that shows the results of this tool. */
export function appAddress(tool: JsonObject): string {
  return text(member(tool, "_meta", "ui", "resourceUri") ?? member(tool, "_meta", "ui/resourceUri"));
}

export function titleOf(entry: JsonObject): string {
  return text(entry.get("title")) || text(member(entry, "annotations", "title"));
}

/** The four hints of the protocol. Their defaults say destructive and open-world. */
export function hintWords(tool: JsonObject): string[] {
  const hint = (name: string) => member(tool, "annotations", name);
  const words: string[] = [];
  if (hint("readOnlyHint") === true) words.push("says it only reads");
  else {
    if (hint("destructiveHint") === true) words.push("says it can destroy something");
    else if (hint("destructiveHint") === false) words.push("says it only adds");
    else if (hint("readOnlyHint") === false) words.push("says it changes something");
    if (hint("idempotentHint") === true) words.push("says repeating it changes nothing more");
  }
  if (hint("openWorldHint") === true) words.push("says it reaches other systems");
  else if (hint("openWorldHint") === false) words.push("says it stays on this system");
  return words.length ? words : ["says nothing about what it changes"];
}

/** Members of the metadata that are shown elsewhere, or that are too long for a line. */
const elsewhere = new Set(["examples", "errors", "intent_template", "intentTemplate", "preview", "scopes", "annotations"]);

/** The facts of the tool's card and metadata, each with its name. */
export function cardFacts(tool: JsonObject): [string, string][] {
  const facts: [string, string][] = [];
  const declared = member(tool, "_meta", "dev.overt/tool") ?? tool.get("dashdash");
  if (isObject(declared)) {
    for (const [name, value] of declared) {
      const words = elsewhere.has(name) ? "" : sentence(value);
      if (words && facts.length < 30) facts.push([name.replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase(), words]);
    }
  }
  const scopes = list(mark(tool, "dev.overt/scopes", "scopes")).map(text).filter(Boolean);
  if (scopes.length) facts.push(["scopes", scopes.join(", ")]);
  const card = text(tool.get("x-tool-card-uri"));
  if (card) facts.push(["card", card]);
  return facts;
}

export interface Example {
  label: string;
  input: Json;
}

/** Arguments that the author gives as examples. */
export function examplesOf(tool: JsonObject): Example[] {
  const given = list(member(tool, "dashdash", "examples")).filter(isObject).flatMap((example) => {
    const input = example.get("input");
    return input === undefined ? [] : [{ label: text(example.get("description")) || "Example", input }];
  });
  const inSchema = list(member(tool, "inputSchema", "examples")).map((input, at) => ({ label: `Example ${at + 1}`, input }));
  return [...given, ...inSchema].slice(0, 12);
}

function sentence(value: Json | undefined): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return value.map(sentence).filter(Boolean).join("; ");
  return text(value);
}
