// Pages that speak the messages of the proposal before MCP Apps: `mcp:connect`, `mcp:tool-call` and so
// on. Loaded when a page sends one.
import { olderVariables } from "./legacy-variables";
import type { Json } from "./types";

interface Port {
  post(message: Json): void;
  request(method: string, params: Json, signal: AbortSignal): Promise<unknown>;
  notification(method: string, params: Json): void;
}

/** The context with the older style variables beside the standard ones. */
function withOlder(context: Json): Json {
  const styles = context["styles"] as { variables?: Record<string, string> } | undefined;
  return styles ? { ...context, styles: { ...styles, variables: olderVariables(styles.variables ?? {}) } } : context;
}

/** Translates the older messages into those of MCP Apps and back. */
export class LegacyAdapter {
  constructor(private readonly port: Port) {}

  async receive({ type, id, params, uri, height }: Json): Promise<void> {
    const { post, request, notification } = this.port;
    const wanted = (params ?? {}) as Json;
    const ask = async (method: string, detail: Json) => (await request(method, detail, new AbortController().signal)) as Json;
    const work: Record<string, () => Promise<Json>> = {
      connect: async () => {
        const answer = await ask("ui/initialize", {});
        const able = ["callServerTool", "sendMessage", "toolInput", "toolResult", "data", "hostContext", "styles"].map((one) => [one, true]);
        return { ...answer, hostContext: withOlder(answer["hostContext"] as Json), hostCapabilities: Object.fromEntries(able) };
      },
      "tool-call": async () => {
        const result = await ask("tools/call", wanted);
        return { ...result, result };
      },
      "send-message": () => ask("ui/message", { role: "user", content: wanted["content"] ?? { type: "text", text: String(wanted["text"] ?? params) } }),
      request: async () => {
        const { contents } = (await ask("resources/read", { uri })) as { contents: { text?: string; blob?: string; mimeType?: string }[] };
        const { text, blob, mimeType: mime } = contents[0]!;
        return { mime, body: (blob ? Uint8Array.from(atob(blob), (one) => one.charCodeAt(0)) : new TextEncoder().encode(text)).buffer };
      },
    };
    const name = String(type).slice(4);
    if (name === "height") notification("ui/notifications/size-changed", { height });
    if (!Object.hasOwn(work, name)) return;
    // The members of a result come first: they can't pass for another answer.
    const outcome = await work[name]!().then((members) => ({ ...members, ok: true }), (error: Error) => ({ ok: false, error: error.message }));
    post({ ...outcome, type: `mcp:${name === "request" ? "response" : `${name.replace("-call", "")}-result`}`, id });
    // Older pages need not say that they are initialized.
    if (name === "connect") notification("ui/notifications/initialized", {});
  }

  notify(method: string, params: Json): void {
    const type = method.replace("ui/notifications/", "mcp:");
    const { post } = this.port;
    if (type === "mcp:tool-input") {
      const input = params["arguments"];
      post({ type, input });
      post({ type: "mcp-data:update", payload: input });
    }
    if (type === "mcp:tool-result") post({ ...params, type, id: 0, ok: !params["isError"], result: params });
    if (type === "mcp:host-context-changed") post({ type, context: withOlder(params) });
  }
}
