// The servers with their plots, and the grants.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./browser.mjs";
import { hostile, servers } from "./data.mjs";
import { harness, says, until } from "./harness.mjs";

const run = harness();

test("a server shows its tools with counts, percentiles and a plot", async () => {
  const page = await run.open("/?view=servers");
  await page.waitForSelector(".large-plot");
  const cells = await page.locator(".tool-rows .tool").nth(1).locator("[role=cell]").allInnerTexts();
  assert.deepEqual(cells.slice(0, 4), ["edit_file", "214", "10", "0"]);
  assert.match(cells[4], /^[\d.]+ ms$/);
  assert.equal(await page.locator(".small-plot").count(), 4);
  assert.match(await page.locator(".large-plot svg").getAttribute("aria-label"), /^Latency of read_text_file: 500 calls, p50 [\d.]+ (µs|ms), p90/);
  assert.equal(await page.locator(".large-plot .percentile").count(), 3);
  await page.getByRole("button", { name: "edit_file" }).click();
  await page.getByRole("img", { name: /Latency of edit_file/ }).waitFor();
});

test("another server is selected by mouse and by key, and is in the address", async () => {
  const page = await run.open("/?view=servers");
  await page.getByRole("button", { name: /github/ }).click();
  await page.getByText("2 tools not accepted yet as the server shows it").waitFor();
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "memory" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "memory" }).waitFor();
  await page.getByRole("button", { name: "Show its activity" }).click();
  await until(page, () => location.search === "?view=activity&server=memory");
});

test("500 tools stay smooth", async () => {
  run.mock.servers = servers(Date.now(), 500);
  const page = await run.open("/?view=servers&item=many");
  await page.waitForSelector(".tool-rows .tool");
  const result = await page.evaluate(async () => {
    const rows = document.querySelector(".tool-rows");
    const frames = [];
    let last = performance.now();
    for (let step = 0; step <= 120; step += 1) {
      rows.scrollTop = (rows.scrollHeight * step) / 120;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      frames.push(performance.now() - last);
      last = performance.now();
    }
    frames.sort((one, other) => other - one);
    return { longest: frames[0], most: frames[Math.floor(frames.length / 10)], half: frames[Math.floor(frames.length / 2)], late: frames.filter((one) => one > 50).length, count: document.querySelectorAll(".tool-rows .tool").length };
  });
  console.log(`500 tools: ${result.late} frames over 50 ms, 90 % within ${Math.round(result.most)} ms, longest ${Math.round(result.longest)} ms`);
  // Single frames are late on a busy machine; half of them are not.
  assert.ok(result.half < 200, `${result.half} ms`);
  assert.ok(result.count < 60);
  await page.getByText("tool_499").waitFor();
});

test("no servers: the page says what to do", async () => {
  run.mock.servers = [];
  const page = await run.open("/?view=servers");
  await page.getByText("No server is known").waitFor();
  assert.ok((await page.locator("overt-servers").innerText()).includes("overt wrap"));
  assert.deepEqual(await violations(page), []);
});

test("a tool without samples, and hostile names", async () => {
  run.mock.servers = [{ name: hostile, project: hostile, trust: hostile, calls: 1, refused: 0, failed: 0, last: null, pins: { state: "changed", words: hostile },
    tools: [{ name: hostile, calls: 1, refused: 0, failed: 0, p50: null, p90: null, p99: null, samples: [] }] }];
  const page = await run.open("/?view=servers");
  await page.getByText("No call of this tool was measured").waitFor();
  assert.equal(await page.evaluate(() => globalThis.attacked), undefined);
  assert.ok(!/[\u202A-\u202E\u200B\u0007\u001b]/.test(await page.evaluate(() => document.documentElement.outerHTML)));
});

test("grants say what they allow, and are revoked after a confirmation", async () => {
  const page = await run.open("/?view=grants");
  const text = (await page.locator("[data-grant=g-3]").innerText()).replace(/\s+/g, " ");
  assert.match(text, /^edit_file of filesystem for Claude Code in site for 8 hours until .* write:file:\/home\/ada\/code\/site\/src Revoke…$/);
  await page.getByText("Every tool of github that only reads").waitFor();
  await page.getByRole("button", { name: "Revoke g-3" }).click();
  await page.getByText("Revoke g-3?").waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  await until(page, () => !document.querySelector("dialog[open]"));
  assert.deepEqual(run.mock.posts("/api/revoke"), []);
  await page.getByRole("button", { name: "Revoke g-3" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await says(page, "g-3 is revoked.");
  await until(page, () => !document.querySelector("[data-grant=g-3]"));
  assert.deepEqual(run.mock.posts("/api/revoke"), [{ id: "g-3" }]);
});

test("a revocation that fails is said in the dialog", async () => {
  run.mock.faults.set("/api/revoke", 500);
  const page = await run.open("/?view=grants", { expects: ["Failed to load resource"] });
  await page.getByRole("button", { name: "Revoke g-4" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.locator("dialog[open]").getByText("A scripted fault with status 500.").waitFor();
});

test("no grants: the page says how they come to be", async () => {
  run.mock.grants = { grants: [], trust: [] };
  const page = await run.open("/?view=grants");
  await page.getByText("No grants").waitFor();
  await page.getByText("You have not decided about a server yet").waitFor();
  assert.deepEqual(await violations(page), []);
});
