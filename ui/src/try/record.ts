// A request that a person sent, for the history: what was sent, how it went.
import type { Answer, Progress } from "./contract";
import { isObject, type JsonObject } from "./schema/json";
import { member, text } from "./tool-facts";

export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  /** What it is about: the name of a tool, a URI. */
  readonly target: string;
  readonly sentAt: string;
  answer: Answer | null;
  milliseconds: number | null;
  progress: Progress | null;
  isCancelled: boolean;
  isPinned: boolean;
  /** An app of the server made it. */
  isByApp: boolean;
}

export function newRecord(id: string, method: string, params: JsonObject): RequestRecord {
  return {
    id, method, params, target: targetOf(params), sentAt: new Date().toISOString(),
    answer: null, milliseconds: null, progress: null, isCancelled: false, isPinned: false, isByApp: false,
  };
}

function targetOf(params: JsonObject): string {
  return text(params.get("name")) || text(params.get("uri")) || text(member(params, "ref", "name")) || text(params.get("level"));
}

export function isPreview(record: RequestRecord): boolean {
  return member(record.params, "_meta", "preview") === true;
}

export function isToolError(record: RequestRecord): boolean {
  return record.answer?.kind === "result" && record.answer.result.get("isError") === true;
}

/** How a request went, in one word. */
export function outcomeWord(record: RequestRecord): "running" | "cancelled" | "ok" | "tool error" | "failed" {
  if (record.isCancelled) return "cancelled";
  if (!record.answer) return "running";
  if (record.answer.kind !== "result") return "failed";
  return isToolError(record) ? "tool error" : "ok";
}

/** The `_meta` of a result, with what stood beside it, or of the data of a failure. */
export function metaOf(record: RequestRecord): JsonObject {
  const { answer } = record;
  const meta = answer?.kind === "result" ? answer.result.get("_meta") : answer?.kind === "failure" ? member(answer.failure.data, "_meta") ?? answer.failure.data : null;
  return new Map([...(answer?.kind === "result" ? answer.meta : []), ...(isObject(meta) ? meta : [])]);
}
