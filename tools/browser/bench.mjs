// How fast the page is: first paint and time to interactive of `overt ui` and of the official Inspector, in turns on one machine;
// how long a question takes to the page; frames while long lists scroll. OVERT_BINARY names the program, OVERT_MODULES the folder
// with the Inspector's package, OVERT_NODE a Node that runs it. Options: --rounds N, --questions N, --check.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { launch } from "./browser.mjs";
import { servers } from "./data.mjs";
import { describe, measureScroll } from "./frames.mjs";
import { Mock } from "./mock.mjs";

const { OVERT_BINARY: binary, OVERT_MODULES: modules, OVERT_NODE: node = process.execPath } = process.env;
assert.ok(binary && modules, "OVERT_BINARY and OVERT_MODULES must be set; `cargo xtask bench ui` does it");
const options = { rounds: number("--rounds", 9), questions: number("--questions", 20), check: process.argv.includes("--check") };
const patience = 60_000;
/** What a person does not notice, and what a frame may take. */
const goals = { question: 200, frame: 50 };

const folder = mkdtempSync(join(tmpdir(), "overt-bench-"));
const children = [];
let problems = 0;
try {
  mkdirSync(join(folder, "project"));
  mkdirSync(join(folder, "outside"));
  for (let number = 0; number < options.questions; number += 1) writeFileSync(join(folder, `outside/file-${number}.txt`), "one\n");
  const browser = await launch();
  await measurePaint(browser);
  await measureQuestions(browser);
  await measureFrames(browser);
  await browser.close();
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(options.check && problems ? 1 : 0);

async function measurePaint(browser) {
  const ours = await startOvert();
  const theirs = await startInspector();
  const pages = [
    { name: "overt ui", address: `${ours.address}/#token=${ours.token}`, ready: "overt-inbox .questions, overt-inbox .empty h1" },
    { name: "Inspector", address: theirs, ready: "main button:not([disabled]), #root button:not([disabled])" },
  ];
  const times = pages.map(() => ({ paint: [], interactive: [] }));
  // In turns, so that both meet the same noise; the first turn warms up and does not count.
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const [index, page] of pages.entries()) {
      const took = await openOnce(browser, page);
      if (round === 0) continue;
      times[index].paint.push(took.paint);
      times[index].interactive.push(took.interactive);
    }
  }
  console.log(`${"".padEnd(26)} ${pages.map(({ name }) => name.padStart(12)).join(" ")} ${"ratio".padStart(8)}`);
  for (const [what, label] of [["paint", "first contentful paint, ms"], ["interactive", "time to interactive, ms"]]) {
    const [mine, other] = times.map((one) => median(one[what]));
    const ratio = median(times[0][what].map((took, round) => took / times[1][what][round]));
    console.log(`${label.padEnd(26)} ${mine.toFixed(0).padStart(12)} ${other.toFixed(0).padStart(12)} ${ratio.toFixed(2).padStart(8)}`);
    expect(ratio < 1, `${label} is not below that of the Inspector`);
  }
}

/** A page with nothing cached, until it has painted, shows `ready`, and has had no long task for a second. */
async function openOnce(browser, { address, ready }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript((selector) => {
    const seen = { paint: null, ready: null, lastTask: 0 };
    globalThis.overtBench = seen;
    new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").forEach((entry) => (seen.paint = entry.startTime))).observe({ type: "paint", buffered: true });
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (seen.lastTask = Math.max(seen.lastTask, entry.startTime + entry.duration)))).observe({ type: "longtask", buffered: true });
    const look = () => {
      if (seen.ready === null && document.querySelector(selector)) seen.ready = performance.now();
      if (seen.ready === null) requestAnimationFrame(look);
    };
    look();
  }, ready);
  await page.goto(address);
  const took = await page.waitForFunction(() => {
    const { paint, ready: at, lastTask } = globalThis.overtBench;
    if (paint === null || at === null) return null;
    const interactive = Math.max(paint, at, lastTask);
    return performance.now() - interactive > 1000 ? { paint, interactive } : null;
  }, null, { timeout: patience, polling: 100 });
  const value = await took.jsonValue();
  await context.close();
  return value;
}

/** From the call that asks to the question in the document of the page. */
async function measureQuestions(browser) {
  const ours = await startOvert();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${ours.address}/#token=${ours.token}`);
  await page.waitForSelector("overt-inbox .questions, overt-inbox .empty h1", { timeout: patience });
  const client = await startClient();
  const times = [];
  for (let number = 0; number < options.questions; number += 1) {
    const before = await page.locator("overt-inbox .question").count();
    const shown = page.waitForFunction((count) => document.querySelectorAll("overt-inbox .question").length > count, before, { timeout: patience, polling: "raf" });
    const start = performance.now();
    client.send({ id: 100 + number, method: "tools/call", params: { name: "read_file", arguments: { path: join(folder, `outside/file-${number}.txt`) } } });
    await shown;
    times.push(performance.now() - start);
  }
  const middle = median(times);
  console.log(`question on the page: median ${middle.toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms, of ${times.length}`);
  expect(middle < goals.question, `a question takes more than ${goals.question} ms`);
  await page.close();
}

async function measureFrames(browser) {
  const mock = await new Mock().start();
  mock.actionCount = 10_000;
  mock.servers = servers(Date.now(), 500);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  for (const [what, view, list] of [["10,000 records", "activity", "overt-activity overt-rows"], ["500 tools", "servers&item=many", ".tool-rows"]]) {
    await page.goto(`${mock.address}/?view=${view}#token=${mock.token}`);
    await page.waitForSelector(`${list} [role=option], ${list} [role=row]`, { timeout: patience });
    const measured = await measureScroll(browser, page, list);
    console.log(`${what}: ${describe(measured, goals.frame)}`);
    expect(measured.gaps.every((gap) => gap <= goals.frame), `${what} do not scroll smoothly`);
    expect(measured.work.every((time) => time <= goals.frame), `${what} need a task of more than ${goals.frame} ms`);
  }
  await page.close();
  await mock.stop();
}

async function startOvert() {
  const child = start(binary, ["ui"]);
  const [, address, token] = await first(child.stdout, /^(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)$/);
  return { address, token };
}

/** A client of `overt fs`, past its handshake. */
async function startClient() {
  const child = start(binary, ["fs", "project", "--grantable", "outside"]);
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } } });
  await first(child.stdout, /"id":1\b/);
  send({ method: "notifications/initialized" });
  return { send };
}

async function startInspector() {
  const [port, sandbox] = [await freePort(), await freePort()];
  const script = join(modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  // The Inspector imports the bundler that its developers use, which is not installed and not called here.
  const hooks = new URL("no-bundler.mjs", import.meta.url).href;
  start(node, [script, "--web"], { NODE_OPTIONS: `--import=${hooks}`, HOST: "127.0.0.1", CLIENT_PORT: String(port), MCP_SANDBOX_PORT: String(sandbox), MCP_AUTO_OPEN_ENABLED: "false", MCP_INSPECTOR_API_TOKEN: "bench" });
  const address = `http://127.0.0.1:${port}/`;
  const end = Date.now() + patience;
  for (;;) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return address;
    assert.ok(Date.now() < end, "the Inspector does not answer");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function start(program, words, variables = {}) {
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, "state"), ...variables };
  const child = spawn(program, words, { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"] });
  children.push(child);
  return child;
}

function first(stream, pattern) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no line matches ${pattern}`)), patience);
    const lines = createInterface({ input: stream });
    lines.on("line", (line) => {
      const found = pattern.exec(line);
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function number(name, usual) {
  const at = process.argv.indexOf(name);
  const value = at < 0 ? usual : Number(process.argv[at + 1]);
  assert.ok(Number.isInteger(value) && value > 0, `${name} needs a number`);
  return value;
}

function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

function expect(holds, problem) {
  if (holds) return;
  problems += 1;
  console.log(`not reached: ${problem}`);
}
