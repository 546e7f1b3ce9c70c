// The app's side of MCP Apps (2026-01-26): JSON-RPC with the window around it, no library.

export type Json = Record<string, any>;

export interface ToolResult {
  content?: Json[];
  structuredContent?: Json;
  isError?: boolean;
  _meta?: Json;
}

interface Events {
  input?: (input: Json) => void;
  result?: (result: ToolResult) => void;
  cancelled?: (reason: string) => void;
}

const waiting = new Map<number, (message: Json) => void>();
const root = document.documentElement;
let lastId = 0;

const post = (message: Json) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

export function request(method: string, params: Json): Promise<any> {
  return new Promise((resolve, reject) => {
    waiting.set(++lastId, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
    post({ id: lastId, method, params });
  });
}

/** Calls a tool of the app's own server. What went wrong is a result too. */
export async function callTool(name: string, input: Json, meta?: Json): Promise<ToolResult> {
  try {
    return await request("tools/call", { name, arguments: input, ...(meta && { _meta: meta }) });
  } catch (error) {
    return { isError: true, content: [{ type: "text", text: (error as Error).message }] };
  }
}

/** The text of a result, for people. */
export const textOf = (result: ToolResult): string =>
  (result.content ?? []).filter((item) => item["type"] === "text").map((item) => item["text"]).join("\n");

function applyContext({ theme, styles }: Json): void {
  if (theme) root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) root.style.setProperty(name, String(value));
}

/** Says hello to the host. Resolves with its context; tool input and results come after that. */
export async function connect(name: string, events: Events): Promise<Json> {
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    const { id, method, params = {} } = data;
    const kind = String(method).replace("ui/notifications/", "");
    if (!method) waiting.get(id)?.(data), waiting.delete(id);
    else if (id !== undefined) post({ id, result: {} });
    else if (kind === "tool-input") events.input?.(params.arguments ?? {});
    else if (kind === "tool-result") events.result?.(params);
    else if (kind === "tool-cancelled") events.cancelled?.(params.reason ?? "");
    else if (kind === "host-context-changed") applyContext(params);
  });
  const { hostContext } = await request("ui/initialize", {
    appInfo: { name, version: "1.0.0" },
    appCapabilities: {},
    protocolVersion: "2026-01-26",
  });
  applyContext(hostContext);
  post({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(() => post({ method: "ui/notifications/size-changed", params: { height: document.body.offsetHeight } })).observe(document.body);
  return hostContext;
}
