// The file browser in front of a folder with 100,000 files. The server is made up: only the app is tried.
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { ui } from "../browser.mjs";
import { assert, harness, limit } from "./harness.mjs";

const count = 100_000;
const name = (index) => `file-${String(index).padStart(6, "0")}.txt`;

function answer(tool, { cursor }) {
  const from = Number(cursor ?? 0);
  const next = from + 200 < count ? String(from + 200) : undefined;
  if (tool === "list_roots") return { roots: [{ path: "/files", default: true }] };
  if (tool === "find_files") return { matches: [], total_count: 0 };
  if (tool === "read_file") return { content: "last\n", size: 5, mime_type: "text/plain", count: 1, truncated: false };
  const entries = Array.from({ length: Math.min(200, count - from) }, (_, at) => ({ path: name(from + at), type: "file", size: from + at }));
  return { entries, total_count: count, ...(next && { next_cursor: next }) };
}

const names = ["list_roots", "list_directory", "find_files", "read_file"];
let asked = 0;
const run = harness(async () => async (method, params) => {
  if (method === "tools/list") return { tools: names.map((one) => ({ name: one, inputSchema: { type: "object" } })) };
  asked += 1;
  return { content: [{ type: "text", text: "" }], structuredContent: answer(params.name, params.arguments) };
});

test("100,000 files: a page at a time, few rows, and the end by one key", async () => {
  const page = await run.page();
  const frame = await run.open(page, readFileSync(`${ui}dist/apps/browser.html`, "utf8"));
  await frame.getByRole("option", { name: name(0) }).waitFor();
  await frame.getByText("200 of 100000").waitFor();
  assert.ok(asked < 6, `${asked} calls at the start`);
  assert.equal(await frame.getByRole("option").first().getAttribute("aria-setsize"), String(count));
  await frame.getByRole("listbox").focus();
  await page.keyboard.press("End");
  await frame.waitForFunction(() => document.querySelector("[role=status]").textContent === "100000 of 100000", undefined, { timeout: 8 * limit });
  await page.keyboard.press("End");
  await frame.getByRole("option", { name: name(count - 1) }).waitFor();
  assert.ok((await frame.getByRole("option").count()) <= 40);
  await page.keyboard.press("Enter");
  await frame.getByText("last").waitFor();
  await page.keyboard.press("Home");
  await frame.getByRole("option", { name: name(0) }).waitFor();
});

test("on a narrow page the lists stay short, and still load as they are scrolled", async () => {
  const page = await run.page({ viewport: { width: 480, height: 700 } });
  const frame = await run.open(page, readFileSync(`${ui}dist/apps/browser.html`, "utf8"));
  await frame.getByText("200 of 100000").waitFor();
  assert.ok(await frame.getByRole("listbox").evaluate((list) => list.clientHeight < 200));
  await frame.getByRole("listbox").evaluate((list) => (list.scrollTop = list.scrollHeight));
  await frame.getByText("400 of 100000").waitFor();
});
