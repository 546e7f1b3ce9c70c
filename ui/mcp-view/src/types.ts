// What a host gives to a view, and the parts of MCP and MCP Apps (2026-01-26) that the two share.

export type Json = Record<string, unknown>;

export interface Tool extends Json {
  name: string;
  inputSchema?: unknown;
  _meta?: Json;
}

export interface CallToolParams {
  name: string;
  arguments?: Json;
  _meta?: Json;
}

/** A content item of `resources/read`. */
export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  /** Base64, in place of `text`. */
  blob?: string;
  _meta?: Json;
}

/** The domains that an app declares, as in `_meta.ui.csp` of its resource. */
export interface ResourceCsp {
  connectDomains?: string[];
  resourceDomains?: string[];
  frameDomains?: string[];
  baseUriDomains?: string[];
}

export type Permission = "camera" | "microphone" | "geolocation" | "clipboardWrite";

/** `_meta.ui` of a resource. */
export interface ResourceUi {
  csp?: ResourceCsp;
  permissions?: Partial<Record<Permission, object>>;
  prefersBorder?: boolean;
}

export type DisplayMode = "inline" | "fullscreen" | "pip";
export type Theme = "light" | "dark";

/** The first is called when the app cancels the request, or when the view is closed. */
export interface RequestOptions {
  signal: AbortSignal;
}

type Handler<Params, Result = unknown> = (params: Params, options: RequestOptions) => Promise<Result>;

/**
 * The connection to one server, and what the host does for an app. The app gets the capabilities whose
 * methods are there, so none can be promised and missing.
 */
export interface McpViewHost {
  info: { name: string; version: string };
  /** Calls a tool of the server that the app comes from. It is decided like every other call. */
  callTool: Handler<CallToolParams>;
  /** Lists the tools of that server. The view refuses calls to tools that are not for apps. */
  listTools: Handler<{ cursor?: string }, { tools: Tool[]; nextCursor?: string }>;
  readResource?: Handler<{ uri: string }>;
  listResources?: Handler<Json>;
  listResourceTemplates?: Handler<Json>;
  listPrompts?: Handler<Json>;
  createMessage?: Handler<Json>;
  /** Opens an `http` or `https` address. Ask the person first. */
  openLink?: Handler<{ url: string }>;
  /** Puts a message of the app into the conversation. Ask the person first. */
  sendMessage?: Handler<{ role: "user"; content: Json[] }>;
  /** Keeps what the model is told about the app with the next message. The last one counts. */
  updateModelContext?: Handler<{ content?: Json[]; structuredContent?: Json }>;
  /** Saves files of the app. Ask the person first. */
  downloadFile?: Handler<{ contents: Json[] }>;
}

export interface ViewOptions {
  host: McpViewHost;
  /** The app: a content item of `resources/read`. */
  resource: ResourceContents;
  /** `_meta.ui` of the same resource in `resources/list`. It counts if `resource` has none. */
  listed?: ResourceUi;
  /** The tool whose call the app shows, and the id of that call. */
  tool?: Tool;
  toolCallId?: string | number;
  /** Permissions that the app gets if it asks for them. None without this. */
  permissions?: Permission[];
  /** Decides about each domain that the app declares. All well-formed ones are allowed without this. */
  allowDomain?: (domain: string, kind: keyof ResourceCsp) => boolean;
  /** Lets the app use `eval`. */
  allowEval?: boolean;
}

/** What a page can tell an app, with the parameters of each. */
export interface ToldToApp {
  /** Arguments that are still being written. Any number of times, before the whole ones. */
  "tool-input-partial": { arguments: Json };
  /** The whole arguments. Once, and before the result. */
  "tool-input": { arguments: Json };
  /** The result of the call, or that it was cancelled. One of the two, once. */
  "tool-result": Json;
  "tool-cancelled": { reason?: string };
  /** The members of the host context that changed. The element itself tells of theme, styles and display mode. */
  "host-context-changed": Json;
  /** A list of the app's server changed. */
  "tools/list_changed": Json;
  "resources/list_changed": Json;
  "prompts/list_changed": Json;
}

export type ViewState = "empty" | "loading" | "ready" | "failed" | "closed";

/** An error with a code of JSON-RPC. */
export class ViewError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
