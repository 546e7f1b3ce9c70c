// A web host for apps in tests: a page with `<mcp-view>` on one origin, the sandbox page on another, and
// one server behind `/mcp`.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { ui } from "../browser.mjs";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };

const page = `<!doctype html><html lang="en"><title>Host</title>
<style>:root{color-scheme:light dark}mcp-view{--color-text-primary:light-dark(#111,#eee);--font-sans:serif}</style>
<main><h1>Host</h1><mcp-view sandbox-url="SANDBOX"></mcp-view></main>
<script type="module">
import { McpView } from "/mcp-view/mcp-view.js";
import { browserContext, readVariables, variableNames } from "/mcp-view/page-context.js";
const view = document.querySelector("mcp-view");
const seen = [];
view.styles = readVariables;
view.context = browserContext();
const names = ["initialize", "tools-call", "tools-list", "resources-read", "open-link", "message", "update-model-context", "download-file", "request-display-mode", "size-changed", "log", "request-teardown", "state"];
for (const name of names) view.addEventListener("mcp-" + name, ({ detail }) => seen.push([name, name === "state" ? detail.state : detail]));
const rpc = async (method, params) => {
  const response = await fetch("/mcp", { method: "POST", body: JSON.stringify({ method, params }) });
  const { result, error } = await response.json();
  if (error) throw Object.assign(new Error(error.message), error);
  return result;
};
const done = (name) => async (params) => (seen.push([name, params]), {});
Object.assign(window, { McpView, view, seen, rpc, variableNames, host: {
  info: { name: "Test host", version: "1" },
  callTool: (params, { signal }) => (signal.addEventListener("abort", () => seen.push(["aborted", params.name])), rpc("tools/call", params)),
  listTools: (params) => rpc("tools/list", params), readResource: (params) => rpc("resources/read", params),
  openLink: done("opened"), sendMessage: done("sent"), updateModelContext: done("updated"), downloadFile: done("saved"),
} });
window.ready = true;
</script></html>`;

async function listen(handler, hostname) {
  const server = createServer((request, response) => {
    handler(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()));
  return { address: `http://${hostname}:${server.address().port}`, stop };
}

/** `rpc(method, params)` is the server behind the page; it is called for each request of the page. */
export async function startHost(rpc) {
  const found = {};
  const send = async (response, path) => {
    const text = await readFile(path, "utf8").catch(() => null);
    response.writeHead(text === null ? 404 : 200, { "content-type": types[extname(path)] ?? "text/plain", "cache-control": "no-store" });
    response.end(text ?? "not found");
  };
  const main = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    if (pathname === "/mcp") {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { id, method, params } = JSON.parse(body);
      const outcome = await Promise.resolve(rpc(method, params)).then((result) => ({ result }), ({ code = -32603, message }) => ({ error: { code, message } }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
    } else if (pathname === "/") {
      response.writeHead(200, { "content-type": types[".html"] });
      response.end(page.replace("SANDBOX", `${found.sandbox}/sandbox.html`));
    } else if (pathname === "/example/") {
      response.writeHead(200, { "content-type": types[".html"] });
      response.end((await readFile(join(ui, "mcp-view/example/index.html"), "utf8")).replace("http://localhost:8081", found.sandbox));
    } else await send(response, join(ui, "dist", pathname.replaceAll("..", "")));
  }, "127.0.0.1");
  // Another host name is another site, so the browser keeps the two in processes of their own.
  const sandbox = await listen(async (request, response) => {
    response.setHeader("content-security-policy", `frame-ancestors ${main.address}`);
    await send(response, join(ui, "dist/mcp-view/sandbox.html"));
  }, "localhost");
  found.sandbox = sandbox.address;
  return { address: main.address, sandbox: sandbox.address, stop: () => Promise.all([main.stop(), sandbox.stop()]) };
}
