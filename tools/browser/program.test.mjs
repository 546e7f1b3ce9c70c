// Every view before `overt ui` itself, with what a few calls of `overt fs` recorded. OVERT_BINARY names
// the program. OVERT_UI_ADDRESS and OVERT_UI_TOKEN name one that runs already instead. With
// OVERT_UI_FRESH=1 the script and the style sheet are those of ui/dist.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { harness, limit, until } from "./harness.mjs";
import { checkViews } from "./views.mjs";

const { OVERT_BINARY: binary, OVERT_UI_ADDRESS: address, OVERT_UI_TOKEN: token } = process.env;
const children = [];
let folder;
let target = { address: address?.replace(/\/$/, ""), token };

if (address) {
  checkViews(harness(), () => target);
} else if (binary) {
  before(startProgram);
  after(stopProgram);
  const run = harness();
  checkViews(run, () => target);
  checkRecords(run);
}

function checkRecords(run) {
  test("what was done is on the page, with its details, and the log verifies", async () => {
    const page = await run.open("/?view=activity", target);
    await page.waitForSelector("overt-activity .row.tone-read, overt-activity .row.reads");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector("overt-activity .details-card .facts") || document.querySelector(".row.nested"));
    await page.getByRole("button", { name: "Verify the logs" }).click();
    await page.getByText("Every log is as it was written.").waitFor();
  });

  test("a server that was used has its tools and a plot", async () => {
    const page = await run.open("/?view=servers", target);
    await page.waitForSelector(".tool-rows .tool");
    await page.waitForSelector(".large-plot, .details-card");
  });

  test("an action says why it was allowed or refused", async () => {
    const page = await run.open("/?view=activity&outcome=refused", target);
    await page.waitForSelector("overt-activity .row.tone-refused");
    await page.locator("overt-activity .row.tone-refused").first().click();
    await page.getByRole("region", { name: "Decision" }).getByText("Then: refused").waitFor();
  });

  test("the policy is shown, and can't be changed without a person", async () => {
    const page = await run.open("/?view=policy", target);
    await page.getByText("This page is read-only.").first().waitFor();
    assert.ok(await page.locator("#policy-text").evaluate((area) => area.readOnly));
    await page.getByText("Settings in force").click();
    await page.getByText("allow_all").waitFor();
  });

  test("without a person the page only shows", async () => {
    const page = await run.open("/", target);
    await page.getByText("Read-only.").waitFor();
  });
}

async function startProgram() {
  folder = mkdtempSync(join(tmpdir(), "overt-browser-"));
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, "project", "a.txt"), "one\n");
  await recordCalls();
  const child = start(["ui"]);
  const lines = createInterface({ input: child.stdout });
  const found = await first(lines, /^(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)$/);
  target = { address: found[1], token: found[2] };
}

/** Lets a client read files through `overt fs`, so that there is something to show. */
async function recordCalls() {
  const child = start(["fs", "project"]);
  const lines = createInterface({ input: child.stdout });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer = (id) => first(lines, new RegExp(`"id":${id}\\b`));
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "browser-test", version: "1" } } });
  await answer(1);
  send({ method: "notifications/initialized" });
  for (const id of [2, 3, 4]) {
    send({ id, method: "tools/call", params: { name: "read_file", arguments: { path: id === 4 ? "/etc/passwd" : "a.txt" } } });
    await answer(id);
  }
  child.stdin.end();
  await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve()));
}

function start(words) {
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  const child = spawn(binary, words, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  return child;
}

/** The first line that matches. */
function first(lines, pattern) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new assert.AssertionError({ message: `no line matches ${pattern}` })), limit);
    lines.on("line", function take(line) {
      const found = pattern.exec(line);
      if (!found) return;
      clearTimeout(timer);
      lines.off("line", take);
      resolve(found);
    });
  });
}

function stopProgram() {
  for (const child of children) child.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
}
