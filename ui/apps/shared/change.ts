// A change that a person looks at before it is made: the preview of a call, and the call itself, which
// is bound to the preview's plan. The server refuses it if anything differs by then.
import { callTool, textOf, type Json, type ToolResult } from "./bridge";

export interface Change {
  tool: string;
  /** Missing if the host does not tell. Then the change can be looked at, and no more. */
  input?: Json | undefined;
  state: "waiting" | "preview" | "busy" | "done" | "failed";
  diff?: Json;
  plan?: string;
  /** The sentence that says what the call does. */
  intent?: string;
  /** What went wrong, or what to know. */
  message?: string;
  /** The id of the change that was made, with which it can be undone. */
  made?: string;
}

/** What a result says about its call. Some hosts say nothing else about it. */
export function changeFrom(tool: string, input: Json | undefined, result: ToolResult): Change {
  const meta = result._meta ?? {};
  const call = meta["dev.overt/call"];
  return {
    tool: call?.name ?? tool,
    input: call?.arguments ?? input,
    state: result.isError ? "failed" : meta["preview"] ? "preview" : "done",
    diff: meta["dev.overt/diff"],
    plan: meta["dev.overt/plan"],
    intent: String(meta["dev.overt/intent"] ?? "").replace("Preview only: ", ""),
    made: result.structuredContent?.["change"],
    ...(result.isError && { message: textOf(result) }),
  };
}

export const preview = async (tool: string, input: Json): Promise<Change> =>
  changeFrom(tool, input, await callTool(tool, input, { preview: true }));

/** Makes the change that was shown. After a failure the preview stays. */
export async function apply(change: Change): Promise<Change> {
  const { tool, input, plan, diff, intent } = change;
  const made = changeFrom(tool, input, await callTool(tool, input!, { "dev.overt/plan": plan }));
  if (made.state === "failed") return { ...change, state: "failed", message: made.message ?? "" };
  return { ...made, diff: made.diff ?? diff, intent: made.intent || intent } as Change;
}
