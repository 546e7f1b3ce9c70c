// A call that is being written: its arguments, its policy, its other `_meta`, and the preview of it.
import { EditorState } from "../schema/editor-state";
import { fromPlain, isObject, writeJson, type Json, type JsonObject } from "../schema/json";
import type { RequestRecord } from "../record";
import { metaOf } from "../record";
import { text } from "../tool-facts";

/** The members of a policy that every server of Overt knows (docs/control.md). A server may have more. */
const lists = { type: "object", properties: { allow: { type: "array", items: { type: "string" } }, deny: { type: "array", items: { type: "string" } } }, additionalProperties: false };
const policySchema: Json = fromPlain({
  type: "object",
  properties: {
    tools: lists, resources: lists, prompts: lists, scopes: lists,
    effect: { enum: ["read", "mutating", "external", "destructive"], description: "The strongest effect that is allowed." },
    arguments: { type: "object", description: "From patterns over names of tools to JSON Schema for their arguments." },
    limits: {
      type: "object", additionalProperties: false,
      properties: { argument_bytes: { type: "integer", minimum: 0 }, result_bytes: { type: "integer", minimum: 0 }, seconds: { type: "number", minimum: 0 }, rate: { type: "string", examples: ["10/minute"] } },
    },
  },
});

export interface Preview {
  record: RequestRecord;
  /** The arguments and the policy that it was made for. */
  madeFor: string;
  plan: string;
}

export class CallDraft {
  readonly arguments: EditorState;
  readonly policy = new EditorState(policySchema, "");
  /** Further members of `_meta`, as JSON. */
  readonly meta = new EditorState(fromPlain({ type: "object" }), "");
  preview: Preview | null = null;
  /** The last call or preview. */
  record: RequestRecord | null = null;

  constructor(readonly tool: JsonObject) {
    const schema = tool.get("inputSchema");
    this.arguments = new EditorState(isObject(schema) ? schema : true);
    if (this.arguments.text === "" && isObject(schema)) this.arguments.setText("{}");
  }

  get name(): string {
    return text(this.tool.get("name"));
  }

  get isReady(): boolean {
    return this.problem === null;
  }

  /** Why the call can't be sent, or `null`. */
  get problem(): string | null {
    if (this.arguments.jsonProblem) return `The arguments are not JSON. ${this.arguments.jsonProblem}`;
    const draft = this.arguments.drafts[0];
    if (draft) return `${draft.path}: ${draft.problem}`;
    if (!this.policy.isReady) return "The policy is not JSON yet.";
    return this.meta.isReady && (this.meta.value === undefined || isObject(this.meta.value)) ? null : "The further members of _meta are not a JSON object yet.";
  }

  /** What a preview is bound to. */
  get bound(): string {
    return JSON.stringify([this.arguments.text, this.policy.text, this.meta.text]);
  }

  /** The preview of exactly what is written now, or `null`. */
  get currentPreview(): Preview | null {
    return this.preview?.madeFor === this.bound ? this.preview : null;
  }

  /** The `_meta` of the call. A policy that is written here was written by a person. */
  metaWith(more: JsonObject): JsonObject {
    const meta: JsonObject = new Map(isObject(this.meta.value) ? this.meta.value : []);
    if (this.policy.value !== undefined) meta.set("policy", this.policy.value).set("dev.overt/policy-source", "human");
    for (const [name, value] of more) meta.set(name, value);
    return meta;
  }

  /** Remembers a preview with its plan. */
  previewed(record: RequestRecord, madeFor: string): void {
    this.record = record;
    this.preview = { record, madeFor, plan: text(metaOf(record).get("dev.overt/plan")) };
  }

  /** Takes over the arguments of a call that was made before. */
  restore(record: RequestRecord): void {
    const given = record.params.get("arguments");
    this.arguments.setText(given === undefined ? "" : writeLines(given));
    const meta = record.params.get("_meta");
    const policy = isObject(meta) ? meta.get("policy") : undefined;
    this.policy.setText(policy === undefined ? "" : writeLines(policy));
    const rest = isObject(meta) ? [...meta].filter(([name]) => !own.has(name)) : [];
    this.meta.setText(rest.length ? writeLines(new Map(rest)) : "");
  }
}

/** Members of `_meta` that the view writes itself. */
const own = new Set(["progressToken", "preview", "policy", "dev.overt/policy-source", "dev.overt/plan", "granted_scopes"]);

function writeLines(value: Json): string {
  return writeJson(value, "  ");
}
