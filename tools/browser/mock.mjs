// A small server with the API of `overt ui`, for tests of the page. It serves ui/dist with the real
// headers. Tests change its state directly and script faults.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { action, definitions, grants, policy, policyPreview, servers, someQuestions, smallDiff } from "./data.mjs";

export const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html";

const dist = new URL("../../ui/dist/", import.meta.url);
const files = { "/": ["index.html", "text/html"], "/overt.js": ["overt.js", "text/javascript"], "/more.js": ["more.js", "text/javascript"], "/overt.css": ["overt.css", "text/css"], "/icon.svg": ["icon.svg", "image/svg+xml"] };
for (const name of ["mcp-view", "page-context", "legacy", "legacy-bridge"]) files[`/mcp-view/${name}.js`] = [`mcp-view/${name}.js`, "text/javascript"];

export class Mock {
  token = "t0ken";
  readOnly = null;
  /** Each as `{question, diff}`. */
  questions = someQuestions();
  actionCount = 240;
  recorded = [];
  extraActions = [];
  servers = servers(Date.now());
  grants = grants(Date.now());
  definitions = definitions(Date.now());
  policy = policy();
  logs = [{ name: "overt-fs", ok: true, words: "214 records, verified" }, { name: "github", ok: true, words: "88 records, verified" }];
  /** What is shown of an action that changed something. */
  actionDiff = { diff: smallDiff };
  undo = { change: "", text: "2 files go back to what they were before.", diff: smallDiff, digest: "undo-1" };
  /** Requests as `METHOD path`, with the body of a POST. */
  requests = [];
  /** Faults by path: a status, or a function that answers instead. */
  faults = new Map();
  /** Paths that wait until `release` is called. */
  held = new Map();
  streams = new Set();
  sockets = new Set();
  now = Date.now();

  async start(port = 0) {
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    // The second origin, with the one document in which pages of servers are shown.
    this.sandboxServer = createServer((request, response) => {
      const isThere = request.url === "/sandbox.html";
      response.writeHead(isThere ? 200 : 404, { "content-type": "text/html; charset=utf-8", "content-security-policy": `frame-ancestors ${this.address}` });
      response.end(isThere ? readFileSync(fileURLToPath(new URL("mcp-view/sandbox.html", dist))) : "");
    });
    await new Promise((resolve) => this.sandboxServer.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get sandbox() {
    return `http://127.0.0.1:${this.sandboxServer.address().port}`;
  }

  /** The policy of the page. */
  get csp() {
    return `${csp}; frame-src ${this.sandbox}`;
  }

  get address() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends the server and every connection. `start(port)` brings it back. */
  async stop() {
    for (const socket of this.sockets) socket.destroy();
    this.streams.clear();
    this.sandboxServer.closeAllConnections();
    await Promise.all([this.server, this.sandboxServer].map((server) => new Promise((resolve) => server.close(resolve))));
  }

  /** Sends the list of questions to every page. */
  publish() {
    for (const stream of this.streams) this.sendQuestions(stream);
  }

  publishActivity() {
    for (const stream of this.streams) stream.write("event: activity\ndata: {}\n\n");
  }

  /** Says which servers lost Overt, a line for each. */
  publishUnwrapped(lines) {
    for (const stream of this.streams) stream.write(`event: unwrapped\ndata: ${JSON.stringify(lines)}\n\n`);
  }

  hold(path) {
    let release;
    const gate = new Promise((resolve) => (release = resolve));
    this.held.set(path, gate);
    return () => {
      this.held.delete(path);
      release();
    };
  }

  posts(path) {
    return this.requests.filter((request) => request.method === "POST" && request.path === path).map((request) => request.body);
  }

  sendQuestions(stream) {
    const data = JSON.stringify({ questions: this.questions.map(({ question }) => question) });
    stream.write(`event: questions\ndata: ${data}\n\n`);
  }

  async handle(request, response) {
    const url = new URL(request.url, this.address);
    const path = url.pathname;
    if (files[path]) {
      const [name, type] = files[path];
      response.writeHead(200, { "content-type": `${type}; charset=utf-8`, "content-security-policy": this.csp, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store" });
      return response.end(readFileSync(fileURLToPath(new URL(name, dist))));
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    this.requests.push({ method: request.method, path, query: url.searchParams, body: body ? JSON.parse(body) : null });
    if (!path.startsWith("/api/")) return this.fail(response, 404, "There is no such page.");
    if (request.headers.authorization !== `Bearer ${this.token}`) return this.fail(response, 401, "The token is not that of this launch.");
    await this.held.get(path);
    const fault = this.faults.get(path);
    if (typeof fault === "function") return fault(response, this);
    if (fault) return this.fail(response, fault, `A scripted fault with status ${fault}.`);
    return this.route(request.method, path, url.searchParams, body ? JSON.parse(body) : null, response);
  }

  fail(response, status, message, hint) {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, ...(hint ? { hint } : {}) } }));
  }

  json(response, value) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  }

  route(method, path, query, body, response) {
    const id = decodeURIComponent(path.split("/").at(-1));
    if (path === "/api/hello") return this.json(response, { version: "0.9.0", project: "/home/ada/code/site", readOnly: this.readOnly, now: new Date().toISOString(), sandbox: `${this.sandbox}/sandbox.html` });
    if (path === "/api/events") return this.openStream(response);
    if (path.startsWith("/api/questions/")) return this.question(id, response);
    if (path.startsWith("/api/reviews/")) return this.reviewPage(id, response);
    if (path === "/api/answers") return this.answer(body, response);
    if (path === "/api/take-back") return this.json(response, { words: "The last answer is taken back." });
    if (path === "/api/activity") return this.activity(query, response);
    if (path.startsWith("/api/activity/")) return this.action(id, response);
    if (path.startsWith("/api/undo/")) return this.json(response, { ...this.undo, change: id });
    if (path === "/api/undo") return body.digest === this.undo.digest ? this.json(response, { words: `${body.change} is undone as c-82.` }) : this.fail(response, 409, "The files changed since.");
    if (path === "/api/verify") return this.json(response, { logs: this.logs });
    if (path === "/api/grants") return this.json(response, this.grants);
    if (path === "/api/servers") return this.json(response, { servers: this.servers });
    if (path === "/api/revoke") return this.revoke(body, response);
    if (path.startsWith("/api/pins/")) return id === this.definitions.id ? this.json(response, this.definitions) : this.fail(response, 404, "Nothing is remembered of this server.");
    if (path === "/api/pins") return this.decideDefinitions(body, response);
    if (path === "/api/trust") return this.setTrust(body, response);
    if (path === "/api/policy/preview") return this.json(response, policyPreview(body.text));
    if (path === "/api/policy/edit") return this.editPolicy(body, response);
    if (path === "/api/policy") return method === "GET" ? this.json(response, this.policy) : this.savePolicy(body, response);
    return this.fail(response, 404, `There is no ${method} ${path}.`);
  }

  openStream(response) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
    response.write(": hello\n\n");
    this.sendQuestions(response);
  }

  digestOf({ question, diff }) {
    return `whole-${question.digest}-${diff?.length ?? 0}`;
  }

  question(id, response) {
    const found = this.questions.find((one) => one.question.id === id);
    if (!found) return this.fail(response, 404, `The question ${id} is gone.`);
    return this.json(response, { ...found.question, ...(found.diff ? { diff: found.diff } : {}), ...(found.page ? { hasReviewPage: true } : {}), ...(found.leftOut ? { diffLeftOut: found.leftOut } : {}), digest: this.digestOf(found) });
  }

  reviewPage(id, response) {
    const page = this.questions.find((one) => one.question.id === id)?.page;
    return page ? this.json(response, { page }) : this.fail(response, 404, `${id} has no review page.`);
  }

  answer(body, response) {
    if (this.readOnly) return this.fail(response, 403, "This page is read-only.");
    for (const { id, digest } of body.questions) {
      const found = this.questions.find((one) => one.question.id === id);
      if (!found || this.digestOf(found) !== digest) return this.fail(response, 409, `The question ${id} changed since it was shown. Nothing was answered.`, "Read it again.");
    }
    const ids = body.questions.map(({ id }) => id);
    this.questions = this.questions.filter(({ question }) => !ids.includes(question.id));
    this.json(response, { answered: ids, words: `${ids.join(", ")}: answered ${body.choice}` });
    this.publish();
  }

  activity(query, response) {
    const limit = Math.min(Number(query.get("limit") ?? 100), 1000);
    const has = (value, name) => !query.get(name) || (value ?? "").toLowerCase().includes(query.get(name).toLowerCase());
    const all = this.allActions()
      .filter((one) => has(one.client, "client") && has(one.project, "project") && has(one.server, "server") && has(one.target, "tool") && hasOutcome(one, query.get("outcome"))
        && (!query.get("changed") || one.changes.some((change) => change.startsWith(query.get("changed")))));
    const start = Number(query.get("before") ?? 0);
    const end = start + limit;
    return this.json(response, { actions: all.slice(start, end), next: end < all.length ? String(end) : null, unread: [] });
  }

  /** Made once for each number of actions: what the mock computes takes time from the page on a small machine. */
  allActions() {
    if (this.recorded.length !== this.actionCount) this.recorded = Array.from({ length: this.actionCount }, (_, index) => action(index, this.now));
    return [...this.extraActions, ...this.recorded];
  }

  action(id, response) {
    const found = this.allActions().find((one) => one.call === id || one.change === id);
    if (!found) return this.fail(response, 404, `No record has the id ${id}.`);
    return this.json(response, {
      ...found, ...(found.change ? this.actionDiff : {}), canUndo: Boolean(found.change), ...(found.change ? {} : { stays: "it changed nothing that Overt can undo" }),
      decision: { then: { verdict: found.outcome === "refused" ? "deny" : "allow", layer: "base", rules: ["no-keys"], reason: null, grant: "g-3", trust: null },
        now: { verdict: "needs_approval", needed_scopes: ["write:file:/home/ada/code/site/src/app.ts"],
          decided_by: { layer: "base", verdict: "needs_approval", why: "it needs `write:file:/home/ada/code/site/src/app.ts`, which is not allowed without asking" },
          layers: [{ layer: "base", verdict: "needs_approval", why: "it needs `write:file:/home/ada/code/site/src/app.ts`, which is not allowed without asking", change: "a person grants it" }] } },
      records: [{ seq: 41, kind: "call", call: id }, { seq: 42, kind: "end", outcome: found.outcome }],
      facts: [["when", found.time], ["took", "4.2 ms"], ["client", found.client], ["project", found.project], ["server", found.server], ["tool", found.target],
        ["arguments", "sha256-3b1f…"], ["needed", "write:file:/home/ada/code/site/src/app.ts"], ["decision", "asked, by the settings of the user"], ["allowed by", "your answer, for the session"]],
    });
  }

  decideDefinitions({ id, decision, tools }, response) {
    if (this.readOnly) return this.fail(response, 403, "This page is read-only.");
    const found = tools.map(({ name, digest }) => this.definitions.tools.find((tool) => tool.name === name && tool.digest === digest));
    if (id !== this.definitions.id || found.includes(undefined)) return this.fail(response, 409, "search_code is not what was shown; nothing was decided.", "Look at it again.");
    for (const tool of found) Object.assign(tool, { state: "accepted", digest: null, diff: null });
    return this.json(response, { words: tools.map(({ name }) => `${name} is ${decision === "accept" ? "accepted" : "kept"}`).join("; ") });
  }

  setTrust({ server, project, trust, was }, response) {
    const found = this.servers.find((one) => one.identity === server && one.project === project);
    if (found.trust !== was) return this.fail(response, 409, "Another decision about this server was made meanwhile.");
    found.trust = trust;
    return this.json(response, { words: `${server}: ${trust ?? "forgotten"}` });
  }

  editPolicy({ text, change }, response) {
    if (change.forbid?.what === "nobody") return this.fail(response, 409, "No server has a tool `nobody`.", "Insist with another name.");
    const line = change.forbid ? `# forbid ${change.forbid.what}` : change.permit ? `# permit ${change.permit.what}` : "# removed";
    return this.json(response, { text: `${line}\n${text}`, words: `${line.slice(2)}`, caution: change.forbid?.kind === "path" ? "Overt knows the paths of `overt fs`." : null });
  }

  savePolicy({ text, digest }, response) {
    if (this.readOnly) return this.fail(response, 403, "This page is read-only.");
    if (digest !== this.policy.digest) return this.fail(response, 409, "The file is not what was loaded any more; nothing was written.", "Load it again.");
    this.policy = { ...this.policy, text, digest: `${digest}+`, exists: true };
    return this.json(response, { words: "overt.toml is written (+1 -1)", digest: this.policy.digest });
  }

  revoke(body, response) {
    if (this.readOnly) return this.fail(response, 403, "This page is read-only.");
    this.grants.grants = this.grants.grants.filter((grant) => grant.id !== body.id);
    return this.json(response, { words: `${body.id} is revoked.` });
  }
}

/** Failed is every outcome that is neither of the others. */
function hasOutcome({ outcome }, wanted) {
  return !wanted || outcome === wanted || (wanted === "failed" && !["ok", "refused", "open"].includes(outcome) && !outcome.startsWith("cancelled"));
}

/** `node tools/browser/mock.mjs` serves the page for looking at it. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await new Mock().start(Number(process.env.PORT ?? 0));
  console.log(`${mock.address}/#token=${mock.token}`);
}
