// Pages that speak the messages before MCP Apps, through the adapter.
import { test } from "node:test";
import { assert, eventually, harness, limit } from "./harness.mjs";

const run = harness();
const plain = { mimeType: "text/html", uri: "ui://browser/index.html" };

test("a page with its own scripts, styles and images gets them, and window.mcp", async () => {
  run.resources = {
    "ui://browser/app.js": { mimeType: "text/javascript", text: `
      document.body.append("script ran");
      mcp.ontoolinput = ({ arguments: input }) => (window.input = input);
      mcp.ontoolresult = (result) => (window.result = result);
      addEventListener("mcp-data", ({ detail }) => (window.data = detail));
      mcp.connect().then(({ hostCapabilities, hostContext }) => (window.connected = { hostCapabilities, hostContext }));` },
    "ui://browser/app.css": { mimeType: "text/css", text: "p { color: rgb(1, 2, 3) }" },
    "ui://browser/logo.png": { mimeType: "image/png", text: undefined, blob: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" },
  };
  const page = await run.page();
  const frame = await run.open(page, `<html><head><link rel="stylesheet" href="/app.css"></head><body><p>old page</p><img src="logo.png"><script src="/app.js"></script></body></html>`, { resource: plain });
  await page.evaluate(() => {
    globalThis.view.send("tool-input", { arguments: { path: "a" } });
    globalThis.view.send("tool-result", { content: [], structuredContent: { ok: 1, type: "mcp:response", id: 1 } });
  });
  await frame.waitForFunction(() => window.result && window.connected, undefined, { timeout: limit });
  assert.deepEqual(await frame.evaluate(() => window.input), { path: "a" });
  assert.deepEqual(await frame.evaluate(() => [window.data, window.mcpData]), [{ path: "a" }, { path: "a" }]);
  assert.deepEqual(await frame.evaluate(() => window.result.structuredContent), { ok: 1, type: "mcp:response", id: 1 });
  assert.equal(await frame.evaluate(() => getComputedStyle(document.querySelector("p")).color), "rgb(1, 2, 3)");
  await frame.waitForFunction(() => document.querySelector("img").naturalWidth === 1, undefined, { timeout: limit });
  assert.equal(await frame.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--mcp-color-fg").trim()), "light-dark(#111,#eee)");
  const style = (name) => frame.evaluate((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(), name);
  // What the host sets under its standard name, what it need not set, and what only it can set.
  assert.equal(await style("--mcp-font-sans"), "serif");
  assert.equal(await style("--mcp-syntax-variable"), "light-dark(#111,#eee)");
  assert.equal(await style("--mcp-space-m"), ".75rem");
  assert.equal(await style("--mcp-layer-1"), "10");
  assert.equal(await style("--mcp-color-bg"), "");
  assert.equal(await frame.evaluate(() => window.connected.hostCapabilities.callServerTool), true);
  // The policy still holds in the page that was written.
  assert.equal(await frame.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "sent", (error) => error.name)), "TypeError");
  const violation = await frame.evaluate(() => new Promise((resolve) => {
    addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
    void fetch("http://127.0.0.1:9/").catch(() => {});
  }));
  assert.equal(violation, "connect-src");
});

test("calls of an older page pass the same checks", async () => {
  const page = await run.page();
  const frame = await run.open(page, `<body><script>const app = new App(); app.connect();</script></body>`, { resource: plain });
  await frame.waitForFunction(() => typeof app === "object", undefined, { timeout: limit });
  const result = await frame.evaluate(() => app.callServerTool({ name: "both", arguments: { a: 1 }, _meta: { granted_scopes: ["*"], preview: true } }));
  assert.equal(result.content[0].text, "called");
  assert.deepEqual(run.calls, [{ name: "both", arguments: { a: 1 }, _meta: { preview: true } }]);
  assert.match(await frame.evaluate(() => mcp.callTool("for_models", {}).catch((error) => error.message)), /no tool for_models that apps may call/);
  await frame.evaluate(() => mcp.sendMessage({ text: "hi" }));
  assert.deepEqual(await run.seen(page, "sent"), [{ role: "user", content: [{ type: "text", text: "hi" }] }]);
  await page.evaluate(() => globalThis.view.setAttribute("theme", "dark"));
  await frame.waitForFunction(() => document.documentElement.dataset.theme === "dark", undefined, { timeout: limit });
});

test("a page that sends the older messages itself is understood", async () => {
  const page = await run.page();
  const frame = await run.open(page, `<body><script>
    const got = []; addEventListener("message", ({ data }) => got.push(data));
    parent.postMessage({ type: "mcp:connect", id: 1 }, "*");
    const send = (message) => parent.postMessage(message, "*");</script></body>`);
  await page.evaluate(() => globalThis.view.send("tool-input", { arguments: { a: 1 } }));
  await frame.evaluate(() => send({ type: "mcp:tool-call", id: 2, params: { name: "both", arguments: {} }, method: "tools/call" }));
  await frame.evaluate(() => send({ type: "mcp:request", id: 3, uri: "ui://browser/a.txt", kind: "document" }));
  await frame.evaluate(() => send({ type: "mcp:tool-call", id: 4, params: { name: "for_models" } }));
  await frame.evaluate(() => send({ type: "mcp:height", height: 333 }));
  await frame.waitForFunction(() => [1, 2, 3, 4].every((id) => got.some((one) => one.id === id)), undefined, { timeout: limit });
  const got = await frame.evaluate(() => Object.fromEntries(got.map(({ body, ...rest }) => [rest.id ?? rest.type, { ...rest, body: body && new TextDecoder().decode(body) }])));
  assert.equal(got[1].type, "mcp:connect-result");
  assert.equal(got[1].ok, true);
  // Members of the result can't overwrite those of the answer.
  assert.deepEqual([got[2].type, got[2].id, got[2].ok, got[2].result.content[0].text], ["mcp:tool-result", 2, true, "called"]);
  assert.deepEqual([got[3].type, got[3].mime, got[3].body], ["mcp:response", "text/plain", "a text"]);
  assert.deepEqual([got[4].ok, /apps may call/.test(got[4].error)], [false, true]);
  assert.deepEqual(got["mcp:tool-input"].input, { a: 1 });
  await eventually(async () => (await run.seen(page, "size-changed")).some(({ height }) => height === 333), "the height");
});

test("without the older messages nothing of the adapter is loaded", async () => {
  const page = await run.page();
  const loaded = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await run.open(page, `<script>
    parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: {} }, "*");
    addEventListener("message", ({ data }) => data.id === 1 && parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*"));</script>`);
  assert.deepEqual(loaded.filter((path) => path.includes("legacy")), []);
});

test("a page without any script is shown", async () => {
  const page = await run.page();
  const frame = await run.open(page, "<h1>A review</h1>", { resource: plain });
  await frame.getByText("A review").waitFor();
});
