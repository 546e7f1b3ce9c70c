// One app, from its first message to its last: the handshake, the order of what it is told, and what
// it may ask for.
import { openChannel } from "./channel";
import type { LegacyAdapter } from "./legacy";
import { appTools, checkedCall, isForApps, isObject, withoutGrants } from "./trust";
import { ViewError, type Json, type McpViewHost, type Tool } from "./types";

export const protocolVersion = "2026-01-26";

/** What a session needs of the element around it. */
export interface Surface {
  post(message: Json): void;
  context(): Json;
  /** Tells the page. False if the page refuses. */
  emit(name: string, detail: Json): boolean;
  initialized(): void;
  resize(size: Json): void;
  /** Changes the display mode if it can, and returns the one that is on. */
  setDisplayMode(mode: unknown): string;
  closeSoon(): void;
}

export interface Session {
  receive(data: unknown): void;
  /** Tells the app something now, or as soon as it has said that it is initialized. */
  notify(method: string, params: Json): void;
  /** Tells the app one of `ToldToApp`, if its turn has come. */
  tell(kind: string, params: Json): void;
  /** Lets the app save what it has. Resolves when it is done, or when the time is over. */
  finish(timeout: number): Promise<void>;
  /** Cancels what runs for the app. */
  close(): void;
}

const anyContent = { text: {}, image: {}, resource: {}, structuredContent: {} };
const changes = { listChanged: true };
/** The id of the one request that the host sends. */
const teardownId = "teardown";

/** What an app is told about its tool, in this order; the last two exclude each other. */
const toolKinds = ["tool-input-partial", "tool-input", "tool-result", "tool-cancelled"];

/** Requests that the host answers if it has the method, and the capability that this gives. */
const forwarded: Record<string, [method: keyof McpViewHost, capability?: string, value?: Json]> = {
  "tools/list": ["listTools", "serverTools", changes],
  "resources/read": ["readResource", "serverResources", changes],
  "resources/list": ["listResources"],
  "resources/templates/list": ["listResourceTemplates"],
  "prompts/list": ["listPrompts"],
  "sampling/createMessage": ["createMessage", "sampling"],
  "ui/open-link": ["openLink", "openLinks"],
  "ui/message": ["sendMessage", "message", anyContent],
  "ui/update-model-context": ["updateModelContext", "updateModelContext", anyContent],
  "ui/download-file": ["downloadFile", "downloadFile"],
};

export function openSession(host: McpViewHost, sandbox: Json, surface: Surface): Session {
  const { post, emit } = surface;
  let isAnswered = false;
  let isInitialized = false;
  let queue: [method: string, params: Json][] = [];
  /** 0 until the whole input is sent, 1 until the outcome is. */
  let stage = 0;
  let finished = () => {};
  let tools: Promise<Set<string>> | undefined;
  let legacy: Promise<LegacyAdapter> | undefined;
  let adapter: LegacyAdapter | undefined;
  const refuse = (message: string, code = -32600): never => {
    throw new ViewError(code, message);
  };

  const request = async (method: string, params: Json, signal: AbortSignal): Promise<unknown> => {
    const shown = (detail: Json) => {
      if (!emit(method.replace("ui/", "").replaceAll("/", "-"), detail)) refuse("The host refused.", -32000);
      return detail;
    };
    if (method === "ping") return {};
    if (method === "ui/initialize") {
      isAnswered = true;
      const hostCapabilities: Json = { logging: {}, sandbox };
      for (const [name, capability, value] of Object.values(forwarded)) if (capability && host[name]) hostCapabilities[capability] = value ?? {};
      return { protocolVersion, hostInfo: host.info, hostCapabilities, hostContext: surface.context() };
    }
    if (!isAnswered) refuse("Send ui/initialize first.");
    if (method === "tools/call") {
      const names = await (tools ??= appTools(host, signal).catch((error: unknown) => {
        tools = undefined;
        throw error;
      }));
      const call = checkedCall(params, names);
      shown({ ...call });
      return host.callTool(call, { signal });
    }
    if (method === "ui/request-display-mode") return { mode: surface.setDisplayMode(shown(params)["mode"]) };
    const [name] = (Object.hasOwn(forwarded, method) && forwarded[method]) || [];
    const handler = name && (host[name] as ((params: Json, options: object) => Promise<unknown>) | undefined);
    if (!handler) return refuse(`This host has no ${method}.`, -32601);
    const { url, content } = params;
    if (method === "ui/open-link" && !/^https?:\/\//i.test(String(url))) refuse("The url must be http(s).", -32602);
    // The text of the specification has one object where its schema has a list.
    const cleaned = withoutGrants(isObject(content) ? { ...params, content: [content] } : params);
    const answer = await handler.call(host, shown(cleaned), { signal });
    if (method !== "tools/list") return answer;
    const page = answer as { tools: Tool[] };
    return { ...page, tools: page.tools.filter(isForApps) };
  };

  const notification = (method: string, params: Json): void => {
    const name = method.replace(/^(ui\/)?notifications\//, "");
    if (name === "initialized" && isAnswered && !isInitialized) {
      isInitialized = true;
      surface.initialized();
      for (const [queued, detail] of queue) notify(queued, detail);
      queue = [];
    } else if (name === "size-changed") surface.resize(params);
    else if (name === "message") emit("log", params);
    else if (name === "request-teardown" && emit(name, params)) surface.closeSoon();
  };

  const notify = (method: string, params: Json): void => {
    // What counts is the last of its kind; so the queue stays short.
    if (!isInitialized) queue = [...queue.filter(([queued]) => queued !== method), [method, params]];
    else if (adapter) adapter.notify(method, params);
    else post({ jsonrpc: "2.0", method, params });
  };

  const channel = openChannel(post, request, notification, (id) => id === teardownId && finished());
  return {
    notify,
    close: channel.close,
    receive(data) {
      if (legacy || (!isAnswered && isObject(data) && /^mcp:/.test(String(data["type"])))) {
        legacy ??= import("./legacy").then(({ LegacyAdapter }) => (adapter = new LegacyAdapter({ post, request, notification })));
        void legacy.then((loaded) => loaded.receive(data as Json));
      } else channel.receive(data);
    },
    tell(kind, params) {
      const rank = toolKinds.indexOf(kind);
      if (rank >= 0) {
        if (rank < 2 ? stage : rank === 2 ? stage !== 1 : stage > 1) refuse(`Not the time for ${kind}.`);
        stage = Math.max(stage, Math.min(rank, 2));
        // Parts don't matter any more when the whole is there.
        if (stage) queue = queue.filter(([method]) => !/partial$/.test(method));
      }
      const isList = kind.endsWith("_changed");
      if (isList) tools = undefined;
      notify(`${isList ? "" : "ui/"}notifications/${kind}`, params);
    },
    finish: (timeout) =>
      new Promise((resolve) => {
        if (!isInitialized || adapter) return resolve();
        finished = resolve;
        setTimeout(resolve, timeout);
        post({ jsonrpc: "2.0", id: teardownId, method: "ui/resource-teardown", params: {} });
      }),
  };
}
