// The API of `overt inspect` beside that of `overt ui`, with a made-up MCP server behind it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Mock } from "./mock.mjs";
import { diff, mediaResult, prompts, resources, templates, tools } from "./try-data.mjs";

const dist = new URL("../../ui/dist/", import.meta.url);
const scripts = ["/try.js", "/try-parts.js"];

export class TryMock extends Mock {
  state = {
    target: "overt fs /home/ada/site", state: "connected", era: "2025-11-25", server: { name: "files", version: "1.2.0", title: "Files of a project" }, instructions: "Use it to read and change files.",
    capabilities: {
      tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {}, experimental: { policy: { enabled: true } },
    },
    configSchema: { type: "object", properties: { roots: { type: "array", items: { type: "string" }, scope: "configuration" }, max_read_bytes: { type: "integer", default: 1000000 }, mode: { enum: ["strict", "open"] } } },
    milliseconds: 12,
  };
  tools = tools();
  /** Bodies of `/api/inspect/…` as text, by path. */
  bodies = [];
  inspectStreams = new Set();
  cancelled = new Set();
  /** Requests that wait for `finish`. */
  running = new Map();
  plans = 0;
  messages = [];
  wireId = 0;

  constructor() {
    super();
    this.wire("sent", { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } });
    this.wire("received", { jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-11-25", serverInfo: this.state.server } });
  }

  /** Bodies of the requests to the server with this method, parsed. */
  sent(method) {
    return this.bodies.filter(({ path }) => path === "/requests").map(({ body }) => JSON.parse(body)).filter((one) => one.method === method);
  }

  /** The text of the last body that was posted to a path. */
  last(path) {
    return this.bodies.findLast((one) => one.path === path)?.body;
  }

  async handle(request, response) {
    const url = new URL(request.url, this.address);
    if (scripts.includes(url.pathname)) {
      if (this.faults.get(url.pathname)) return this.fail(response, 404, "There is no such page.");
      response.writeHead(200, { "content-type": "text/javascript; charset=utf-8", "content-security-policy": this.csp, "x-content-type-options": "nosniff", "cache-control": "no-store" });
      return response.end(readFileSync(fileURLToPath(new URL(url.pathname.slice(1), dist))));
    }
    if (!url.pathname.startsWith("/api/inspect")) return super.handle(request, response);
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = url.pathname.slice("/api/inspect".length);
    this.bodies.push({ path, body });
    if (request.headers.authorization !== `Bearer ${this.token}`) return this.fail(response, 401, "The token is not that of this launch.");
    await this.held.get(url.pathname);
    const fault = this.faults.get(url.pathname);
    if (fault) return this.fail(response, fault, `A scripted fault with status ${fault}.`);
    return this.inspect(request.method, path, body ? JSON.parse(body) : null, response);
  }

  route(method, path, query, body, response) {
    if (path !== "/api/hello") return super.route(method, path, query, body, response);
    return this.json(response, { version: "0.9.0", project: null, readOnly: null, now: new Date().toISOString(), inspect: true, sandbox: `${this.sandbox}/sandbox.html` });
  }

  inspect(method, path, body, response) {
    switch (path) {
      case "": return this.json(response, this.state);
      case "/reconnect": return this.reconnect(response);
      case "/requests": return this.request(body, response);
      case "/cancel": return this.cancel(body, response);
      case "/events": return this.openInspectStream(response);
      case "/answers": return this.answered(body, response);
      case "/validate": return this.json(response, { problems: problems(body.schema, body.value, body.schema) });
      case "/intent": return this.json(response, { sentence: body.tool === "edit_file" && body.arguments.path ? `Edit ${body.arguments.path}` : null });
      case "/export": return this.json(response, { transcript: body.requests.map((id) => `# ${id}\n`).join("") });
      default: return this.fail(response, 404, `There is no ${method} ${path}.`);
    }
  }

  openInspectStream(response) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    this.inspectStreams.add(response);
    response.on("close", () => this.inspectStreams.delete(response));
    for (const message of this.messages) this.sendEvent(response, "message", message);
  }

  sendEvent(stream, name, data) {
    stream.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  emit(name, data) {
    for (const stream of this.inspectStreams) this.sendEvent(stream, name, data);
  }

  wire(direction, message) {
    const entry = { direction, at: new Date(Date.UTC(2026, 10, 17, 9, 0, this.messages.length)).toISOString(), message };
    this.messages.push(entry);
    this.emit("message", entry);
  }

  notify(method, params) {
    this.wire("received", { jsonrpc: "2.0", method, params });
  }

  setState(change) {
    this.state = { ...this.state, ...change };
    this.emit("state", this.state);
  }

  reconnect(response) {
    this.onReconnect?.();
    this.state = { ...this.state, state: "connected", problem: undefined };
    this.json(response, this.state);
  }

  cancel({ id }, response) {
    this.cancelled.add(id);
    this.json(response, {});
    this.finish(id, { failure: { code: -32800, message: "The request was cancelled." } });
  }

  finish(id, outcome) {
    this.running.get(id)?.(outcome);
  }

  /** The id of the request that runs and is about this tool. */
  runningTool(name) {
    return [...this.running.keys()].find((id) => this.sent("tools/call").some((one) => one.id === id && one.params.name === name));
  }

  async request({ id, method, params }, response) {
    const wireId = (this.wireId += 1);
    this.wire("sent", { jsonrpc: "2.0", id: wireId, method, params });
    const outcome = await this.answer(id, method, params ?? {});
    this.wire("received", { jsonrpc: "2.0", id: wireId, ...(outcome.result ? { result: outcome.result } : { error: outcome.failure }) });
    if (response.writableEnded || response.destroyed) return;
    this.json(response, { id, milliseconds: 3.1, ...outcome });
  }

  answer(id, method, params) {
    switch (method) {
      case "tools/list": return this.page("tools", this.tools, params);
      case "resources/list": return { result: { resources } };
      case "resources/templates/list": return { result: { resourceTemplates: templates } };
      case "prompts/list": return { result: { prompts } };
      case "resources/read": return this.read(params.uri);
      case "prompts/get": return { result: { messages: [{ role: "user", content: { type: "text", text: `Review this ${params.arguments?.language ?? "?"} code.` } }] } };
      case "completion/complete": return { result: { completion: { values: ["rust", "ruby", "python"].filter((one) => one.startsWith(params.argument.value)), total: 30 } } };
      case "tools/call": return this.call(id, params);
      case "ping": case "logging/setLevel": case "resources/subscribe": return { result: {} };
      default: return { failure: { code: -32601, message: `The method ${method} is not known.` } };
    }
  }

  /** Lists in pages of five. */
  page(name, entries, { cursor = "0" }) {
    const end = Number(cursor) + 5;
    return { result: { [name]: entries.slice(Number(cursor), end), ...(end < entries.length ? { nextCursor: String(end) } : {}) } };
  }

  read(uri) {
    if (uri === "img://logo") return { result: { contents: [{ uri, mimeType: "image/png", blob: mediaResult.content[1].data }] } };
    if (uri.endsWith(".diff")) return { result: { contents: [{ uri, mimeType: "text/x-diff", text: "--- a/big.txt\n+++ b/big.txt\n@@ -1 +1 @@\n-old\n+the whole diff\n" }] } };
    if (uri.startsWith("nothing:")) return { failure: { code: -32002, message: `There is no ${uri}.`, data: { uri } } };
    return { result: { contents: [{ uri, mimeType: "text/plain", text: `The contents of ${uri}` }] } };
  }

  call(id, { name, arguments: args = {}, _meta: meta = {} }) {
    if (name === "edit_file") return this.edit(args, meta);
    if (name === "media") return { result: mediaResult };
    if (name === "slow" || name === "ask_me") return this.waitFor(id, name);
    if (name === "fail") return this.failing(args, meta);
    return { result: { content: [{ type: "text", text: `called ${name}` }], structuredContent: { arguments: args } } };
  }

  edit(args, meta) {
    const plan = `sha256-plan${this.plans}`;
    if (meta["dev.overt/plan"] && meta["dev.overt/plan"] !== plan) return { result: { isError: true, content: [{ type: "text", text: "PLAN_CHANGED: something is different since the preview. Nothing was changed." }] } };
    const result = { content: [{ type: "text", text: JSON.stringify({ path: args.path, lines: 3 }) }], structuredContent: { path: args.path, lines: 3 }, _meta: { "dev.overt/diff": diff(args.path) } };
    if (args.path?.startsWith("big")) Object.assign(result._meta, { "dev.overt/diff": { ...diff(args.path), truncated: true }, "dev.overt/review": { page: "ui://edit_file/1", diff: "ui://edit_file/1.diff" } });
    if (meta.preview && args.path !== "silent.txt") Object.assign(result._meta, { preview: true, "dev.overt/plan": plan });
    return { result };
  }

  waitFor(id, name) {
    return new Promise((resolve) => {
      this.running.set(id, (outcome) => (this.running.delete(id), resolve(outcome)));
      if (name !== "ask_me") return;
      this.emit("asks", {
        id: "e1", method: "elicitation/create",
        params: { message: "Which branch shall it be?", requestedSchema: { type: "object", properties: { branch: { type: "string", title: "Branch" }, force: { type: "boolean" }, level: { type: "string", enum: ["low", "high"], enumNames: ["Low", "High"] } }, required: ["branch"] } },
      });
    });
  }

  answered(body, response) {
    this.json(response, {});
    this.emit("asks-gone", { id: body.id });
    const id = this.runningTool("ask_me");
    if (id) this.finish(id, { result: { content: [{ type: "text", text: `The answer: ${JSON.stringify(body.result ?? body.failure)}` }] } });
  }

  failing({ how }, meta) {
    if (how === "protocol") return { failure: { code: -32602, message: "The arguments are wrong.", data: { path: "/how" } } };
    if (how === "scopes" && !meta.granted_scopes) return { result: { isError: true, content: [{ type: "text", text: "Not done." }], _meta: { requested_scopes: ["write:file:/etc"] } } };
    return { result: { isError: how !== "scopes", content: [{ type: "text", text: how === "scopes" ? "Done with the scope." : "It failed." }] } };
  }
}

/** Enough of JSON Schema for the tests: required members, types, and a minimum. */
function problems(schema, value, root, path = "") {
  if (schema.$ref) return problems(schema.$ref.slice(2).split("/").reduce((found, part) => found[part], root), value, root, path);
  const found = [];
  const is = { string: typeof value === "string", integer: Number.isInteger(value), number: typeof value === "number", boolean: typeof value === "boolean", object: value && typeof value === "object" && !Array.isArray(value), array: Array.isArray(value), null: value === null };
  const types = [schema.type ?? []].flat();
  if (types.length && !types.some((type) => is[type])) found.push({ path, message: `is not of type ${types.join(" or ")}` });
  if (value < schema.minimum) found.push({ path, message: `is less than ${schema.minimum}` });
  for (const name of is.object ? (schema.required ?? []) : []) if (!(name in value)) found.push({ path, message: `"${name}" is required` });
  if (is.object) for (const [name, part] of Object.entries(schema.properties ?? {})) if (name in value) found.push(...problems(part, value[name], root, `${path}/${name}`));
  if (is.array && schema.items) value.forEach((item, at) => found.push(...problems(schema.items, item, root, `${path}/${at}`)));
  return found;
}

/** `node tools/browser/try-mock.mjs` serves the page for looking at it. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await new TryMock().start(Number(process.env.PORT ?? 0));
  console.log(`${mock.address}/?view=try#token=${mock.token}`);
}
