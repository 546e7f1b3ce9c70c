// A server in detail: what it says about its tools, what changed, trust, errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./browser.mjs";
import { definitions, hostile } from "./data.mjs";
import { harness, says, until } from "./harness.mjs";

const run = harness();
const github = "/?view=servers&item=github%239f8e7d6c+in+%2Fhome%2Fada%2Fcode%2Fapi";

async function openServer(options) {
  const page = await run.open(github, options);
  await page.waitForSelector("overt-definitions .definitions");
  await page.waitForSelector("overt-trust form");
  return page;
}

test("a server says what it claims, on which basis, and what that costs", async () => {
  const page = await openServer();
  await page.getByText("1,664 tokens (o200k) for 4 tools").waitFor();
  await page.getByText("claimed: the server says so").waitFor();
  await page.getByText("claimed for 2 tools that were called").waitFor();
  await page.getByText("Overt was started in front of it 3 times in the last 7 days, 1 time after a crash").waitFor();
  await page.getByText("The connection was lost during 1 call.").waitFor();
  await page.locator("overt-definitions summary", { hasText: "create_issue" }).click();
  await page.getByText("https://example.com/.well-known/mcp-tools/create_issue.json").waitFor();
  await page.getByText('"inputSchema": {').first().waitFor();
  assert.deepEqual(await violations(page), []);
});

test("what changed is accepted with the digest of what was shown", async () => {
  const page = await openServer();
  await page.locator("[data-tool=search_code]").getByText("Searches code and sends it.").waitFor();
  await page.locator("[data-tool=search_code]").getByRole("button", { name: "Accept as shown" }).click();
  await says(page, "search_code is accepted");
  await until(page, () => !document.querySelector("[data-tool=search_code]"));
  assert.deepEqual(run.mock.posts("/api/pins"), [{ id: "9f8e0001", decision: "accept", tools: [{ name: "search_code", digest: "d-search-1" }] }]);
  await page.locator("[data-tool=star]").getByRole("button", { name: "Don't accept" }).click();
  await says(page, "star is kept");
});

test("a definition that changed again is not accepted, and shown anew", async () => {
  const page = await openServer({ expects: ["Failed to load resource"] });
  run.mock.definitions.tools[1].digest = "d-search-2";
  await page.getByRole("button", { name: "Accept these 2 as shown" }).click();
  await page.getByText("search_code is not what was shown; nothing was decided.").waitFor();
  assert.equal(run.mock.definitions.tools[1].state, "changed");
  await page.getByRole("button", { name: "Accept these 2 as shown" }).click();
  await says(page, "search_code is accepted; star is accepted");
});

test("trust is changed from what was shown", async () => {
  const page = await openServer();
  await page.getByLabel("Trust in this server").selectOption("changes");
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await says(page, "github#9f8e7d6c: changes");
  assert.deepEqual(run.mock.posts("/api/trust"), [{ server: "github#9f8e7d6c", project: "/home/ada/code/api", trust: "changes", was: null }]);
});

test("a page that an agent started decides nothing", async () => {
  run.mock.readOnly = "only a person can answer this";
  const page = await openServer();
  for (const name of ["Accept as shown", "Keep what was accepted", "Change"]) {
    await until(page, (text) => [...document.querySelectorAll("button")].filter((one) => one.textContent.trim() === text).every((one) => one.disabled), name);
  }
});

test("restarts and lost connections are shown with their reasons", async () => {
  run.mock.servers.find(({ name }) => name === "github").restarts.losses[0].reason = `it ended ${hostile}`;
  const page = await openServer();
  const fact = page.locator(".facts div", { has: page.locator("dt", { hasText: /^restarts$/ }) });
  const text = await fact.innerText();
  assert.match(text, /1 time in the last 7 days, the last time .*; the connection was lost 2 times/s);
  assert.match(text, /it ended <img src=x/);
  assert.match(text, /it does not answer any more \(connected for 3 h\)/);
  assert.equal(await page.evaluate(() => globalThis.attacked), undefined);
  // Overt's own server has nothing behind it.
  await page.getByRole("button", { name: /overt-fs/ }).click();
  await page.getByRole("heading", { name: "overt-fs" }).waitFor();
  assert.equal(await fact.count(), 0);
});

test("what is not recorded is not guessed", async () => {
  const page = await run.open("/?view=servers&item=memory%2377aa77aa");
  await page.getByText("not known: the definitions of its tools are not remembered").waitFor();
  for (const name of ["errors", "restarts"]) {
    assert.match(await page.locator(".facts div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).innerText(), /none recorded in the last 7 days/);
  }
  const starts = await page.locator(".facts div", { has: page.locator("dt", { hasText: /^starts$/ }) }).innerText();
  assert.match(starts, /not known/);
});

test("500 definitions open one by one, and hostile ones are text", async () => {
  run.mock.definitions = definitions(Date.now(), 500);
  Object.assign(run.mock.definitions.tools[0], { name: hostile, title: hostile, description: hostile, definition: hostile, card: hostile, says: [hostile] });
  Object.assign(run.mock.definitions.tools[1], { name: hostile, diff: `--- ${hostile}\n+++ ${hostile}\n@@ -1 +1 @@\n-a\n+${hostile}\n` });
  const page = await openServer();
  assert.equal(await page.locator("overt-definitions li").count(), 502);
  await page.locator("overt-definitions summary").first().click();
  await page.waitForSelector("overt-definitions details[open] .block");
  assert.equal(await page.locator("overt-definitions .block").count(), 1);
  assert.equal(await page.evaluate(() => globalThis.attacked), undefined);
  assert.ok(!/[\u202A-\u202E\u200B\u0007\u001b]/.test(await page.evaluate(() => document.documentElement.outerHTML)));
});
