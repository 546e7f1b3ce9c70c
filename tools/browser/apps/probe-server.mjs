// A small MCP server over standard streams whose one app is a probe that a test drives. Its tool `echo` says what it was
// sent, so that a test sees what of an app's call reaches a server.
import { createInterface } from "node:readline";
import { appType, probe } from "./probe.mjs";

const uri = "ui://probe/page.html";
const inputSchema = { type: "object" };
const tools = [
  { name: "show", description: "Shows the app.", inputSchema, annotations: { readOnlyHint: true }, _meta: { ui: { resourceUri: uri } } },
  { name: "echo", description: "Says what it was sent.", inputSchema },
  { name: "for_models", description: "Not for apps.", inputSchema, _meta: { ui: { visibility: ["model"] } } },
];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion: protocolVersion === "2025-11-25" ? protocolVersion : "2025-06-18", capabilities: { tools: {}, resources: {} }, serverInfo: { name: "probe", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => ({ content: [{ type: "text", text: JSON.stringify(params) }] }),
  "resources/list": () => ({ resources: [{ uri, name: "page", mimeType: appType }] }),
  "resources/read": () => ({ contents: [{ uri, mimeType: appType, text: probe(), _meta: { ui: { csp: { connectDomains: ["https://elsewhere.example"] } } } }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: `There is no ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
});
