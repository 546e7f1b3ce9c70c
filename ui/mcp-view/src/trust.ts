// What of a request of an app reaches the server. An app can be written, or talked into something, by
// anybody: it must not be able to approve its own calls.
import { ViewError, type CallToolParams, type Json, type McpViewHost, type Tool } from "./types";

const mostPages = 50;

export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Keeps `preview: true` and the digest of a plan, which can only make a call do less, and the members
 * of other vendors. Grants, policies and whatever else Overt or the protocol reads are removed.
 */
export function withoutGrants({ _meta, ...params }: Json): Json {
  const kept = Object.entries(isObject(_meta) ? _meta : {}).filter(([name, value]) =>
    name === "preview" ? value === true
    : name === "dev.overt/plan" ? typeof value === "string"
    : /^(?!dev\.overt\/|([^/]+\.)?(modelcontextprotocol|mcp)[./])[^/]+\/./i.test(name));
  return kept.length ? { ...params, _meta: Object.fromEntries(kept) } : params;
}

/** Whether apps may call a tool. Something unreadable in place of the list means no. */
export const isForApps = ({ _meta }: Tool): boolean => {
  const { visibility = ["app"] } = (_meta?.["ui"] ?? {}) as Json;
  return Array.isArray(visibility) && visibility.includes("app");
};

/** The names of the tools of the app's own server that apps may call. */
export async function appTools(host: McpViewHost, signal: AbortSignal): Promise<Set<string>> {
  const names = new Set<string>();
  let params: { cursor?: string } | null = {};
  for (let page = 0; params && page < mostPages; page += 1) {
    const { tools, nextCursor: cursor } = await host.listTools(params, { signal });
    for (const tool of tools) if (isForApps(tool)) names.add(tool.name);
    params = cursor ? { cursor } : null;
  }
  return names;
}

/** The call as it may go to the server. */
export function checkedCall(params: Json, names: Set<string>): CallToolParams {
  const { name, arguments: input = {}, _meta } = params;
  if (typeof name !== "string" || !isObject(input)) throw new ViewError(-32602, "name must be text, arguments an object.");
  if (!names.has(name)) throw new ViewError(-32602, `This server has no tool ${name} that apps may call.`);
  return withoutGrants({ name, arguments: input, _meta }) as unknown as CallToolParams;
}
