// Reads what `overt inspect` sends: its state, answers, and the events of its stream.
import type { Answer, ConnectionState, Message, Progress, ServerQuestion, ServerState } from "./contract";
import { ExactNumber, isObject, writeJson, type Json, type JsonObject } from "./schema/json";
import { member, text } from "./tool-facts";

const states: readonly ConnectionState[] = ["connecting", "connected", "failed", "closed"];

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : new Map();
}

export function numberFrom(value: Json | undefined): number | null {
  return value instanceof ExactNumber ? Number(value.text) : null;
}

export function readState(value: Json): ServerState {
  const configSchema = member(value, "configSchema");
  return {
    target: text(member(value, "target")),
    state: states.find((one) => one === member(value, "state")) ?? "connecting",
    problem: text(member(value, "problem")),
    hint: text(member(value, "hint")),
    era: text(member(value, "era")),
    server: objectOf(member(value, "server")),
    instructions: text(member(value, "instructions")),
    capabilities: objectOf(member(value, "capabilities")),
    configSchema: isObject(configSchema) ? configSchema : null,
    milliseconds: numberFrom(member(value, "milliseconds")),
  };
}

export function readAnswer(value: Json): Answer {
  const result = member(value, "result");
  if (isObject(result)) return { kind: "result", result, meta: objectOf(member(value, "_meta")) };
  const failure = member(value, "failure");
  if (!isObject(failure)) return { kind: "problem", message: "Overt's answer has neither a result nor a failure.", hint: null };
  const code = failure.get("code");
  return { kind: "failure", failure: { code: code instanceof ExactNumber ? code.text : "", message: text(failure.get("message")), data: failure.get("data") } };
}

export function readProgress(value: Json): { id: string; progress: Progress } {
  return {
    id: text(member(value, "id")),
    progress: { progress: numberFrom(member(value, "progress")) ?? 0, total: numberFrom(member(value, "total")), message: text(member(value, "message")) },
  };
}

export function readQuestion(value: Json): ServerQuestion {
  return { id: text(member(value, "id")), method: text(member(value, "method")), params: objectOf(member(value, "params")) };
}

/** Longer messages are cut in the history. */
const longestMessage = 200_000;

export function readMessage(value: Json): Message {
  const message = objectOf(member(value, "message"));
  const id = message.get("id");
  const whole = writeJson(message, "  ");
  return {
    direction: member(value, "direction") === "sent" ? "sent" : "received",
    at: text(member(value, "at")),
    text: whole.length > longestMessage ? `${whole.slice(0, longestMessage)}\n… cut after ${longestMessage} characters` : whole,
    method: text(message.get("method")),
    id: id === undefined ? "" : writeJson(id),
    kind: message.has("method") ? (id === undefined ? "notification" : "request") : message.has("error") ? "error" : "result",
  };
}
