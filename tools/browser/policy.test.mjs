// The policy: what is decided, the file as a form and as text, what would change, saving.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./browser.mjs";
import { hostile, policy, policyText } from "./data.mjs";
import { eventually, harness, says, until } from "./harness.mjs";

const run = harness();
const changed = "# no-issues\n";

async function openPolicy(options) {
  const page = await run.open("/?view=policy", options);
  await page.waitForSelector("overt-policy #policy-text");
  return page;
}

test("each tool says what is decided about it and by what, and can be filtered", async () => {
  const page = await openPolicy();
  const rows = page.locator(".decision-rows .decision-row");
  assert.equal(await rows.count(), 4);
  const cells = await rows.nth(1).locator("[role=cell]").allInnerTexts();
  assert.deepEqual([cells[0], cells[2], cells[3]], ["delete_repo", "refused", "rule `forbid tool delete_repo`: the user forbids it"]);
  await page.getByLabel("Decision").selectOption("allow");
  await until(page, () => document.querySelectorAll(".decision-rows .decision-row").length === 2);
  await page.getByLabel("Tool or server").fill("memory");
  await until(page, () => document.querySelectorAll(".decision-rows .decision-row").length === 1);
  await page.getByText("Settings in force").click();
  await page.getByText("$OVERT_CALL_TIMEOUT").waitFor();
  assert.equal(await page.getByText("audit", { exact: true }).count(), 0, "defaults are not listed");
});

test("500 tools are rendered only as far as they are seen", async () => {
  run.mock.policy = policy(500);
  const page = await openPolicy();
  assert.ok((await page.locator(".decision-rows .decision-row").count()) < 40);
});

test("what the text would change is shown while it is typed, and saved with the digest of what was loaded", async () => {
  const page = await openPolicy();
  const save = page.getByRole("button", { name: "Save" });
  assert.ok(await save.isDisabled());
  await page.locator("#policy-text").fill(`${changed}${policyText}`);
  await page.getByText("Tools: 1 of 4 would be decided otherwise").waitFor();
  await page.getByText("Calls of the last week: 12 of 88 would be decided otherwise (2 calls could not be decided again).").waitFor();
  const row = (await page.locator(".changes li").first().innerText()).replace(/\s+/g, " ");
  assert.match(row, /create_issue of github in api: asks you .* refused rule `no-issues`/);
  assert.deepEqual(await violations(page), []);
  await save.click();
  await says(page, "overt.toml is written");
  await page.getByText("This is what the file says.").waitFor();
  assert.deepEqual(run.mock.posts("/api/policy"), [{ text: `${changed}${policyText}`, digest: "policy-1" }]);
});

test("a mistake has its line and column, leads there, and can't be saved", async () => {
  const page = await openPolicy();
  await page.locator("#policy-text").fill(policyText.replace("deny = [\"read", "dney = [\"read"));
  await page.getByRole("button", { name: "line 6, column 8" }).click();
  const place = await page.evaluate(() => [document.activeElement.id, document.activeElement.selectionStart]);
  assert.deepEqual(place, ["policy-text", policyText.split("\n").slice(0, 5).join("\n").length + 1 + 7]);
  await page.getByText("can't be shown as a form").waitFor();
  assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
  assert.deepEqual(await violations(page), []);
});

test("the form changes the text, and nothing is saved by that", async () => {
  const page = await openPolicy();
  await page.getByLabel("Name").fill("delete_branch");
  await page.getByRole("button", { name: "Add to the text" }).click();
  await until(page, () => document.querySelector("#policy-text").value.startsWith("# forbid delete_branch\n"));
  await page.getByLabel("Kind").selectOption("path");
  await page.getByLabel("Name").fill("/srv");
  await page.getByLabel("Path: forbid only changing").check();
  await page.keyboard.press("Enter");
  await page.getByText("Overt knows the paths").waitFor();
  await page.getByRole("button", { name: "Remove read", exact: true }).click();
  await until(page, () => document.querySelector("#policy-text").value.startsWith("# removed\n"));
  const changes = run.mock.posts("/api/policy/edit").map(({ change }) => change);
  assert.deepEqual(changes, [
    { forbid: { kind: "tool", what: "delete_branch" } },
    { forbid: { kind: "path", what: "/srv", partly: true } },
    { "remove-item": { list: "settings.allow", item: "read" } },
  ]);
  assert.deepEqual(run.mock.posts("/api/policy"), []);
  await page.getByRole("button", { name: "Discard" }).click();
  await until(page, (text) => document.querySelector("#policy-text").value === text, policyText);
});

test("a name that is not known is said beside the form", async () => {
  const page = await openPolicy({ expects: ["Failed to load resource"] });
  await page.getByLabel("Name").fill("nobody");
  await page.keyboard.press("Enter");
  await page.locator(".policy-form").getByText("No server has a tool `nobody`. Insist with another name.").waitFor();
});

test("a file that changed meanwhile is not overwritten, and the text stays", async () => {
  const page = await openPolicy({ expects: ["Failed to load resource"] });
  await page.locator("#policy-text").fill(`${changed}${policyText}`);
  await page.getByText("would be decided otherwise").first().waitFor();
  run.mock.policy = { ...run.mock.policy, digest: "policy-2", text: "# theirs\n" };
  await page.getByRole("button", { name: "Save" }).click();
  await says(page, "is not what was loaded any more");
  assert.equal(await page.locator("#policy-text").inputValue(), `${changed}${policyText}`);
});

test("a text that is not saved stays while another view is open", async () => {
  const page = await openPolicy();
  await page.locator("#policy-text").fill(`${changed}${policyText}`);
  await page.getByText("Not saved yet.").waitFor();
  await page.getByRole("link", { name: "Grants" }).click();
  await page.waitForSelector("overt-grants .block-section");
  await page.getByRole("link", { name: "Policy" }).click();
  await page.waitForSelector("overt-policy #policy-text");
  assert.equal(await page.locator("#policy-text").inputValue(), `${changed}${policyText}`);
});

test("a page that an agent started shows the policy and changes nothing", async () => {
  run.mock.readOnly = "only a person can answer this";
  const page = await openPolicy();
  await page.getByText("This page is read-only.").first().waitFor();
  assert.ok(await page.locator("#policy-text").evaluate((area) => area.readOnly));
  assert.equal(await page.getByRole("button", { name: /^Remove/ }).count(), 0);
  assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
});

test("a project's file that would allow more says where", async () => {
  run.mock.policy.overlay = { path: "/home/ada/code/site/overt.toml", problem: null, widens: [{ line: 2, column: 9, severity: "error", at: "/settings/allow", problem: "`write` is not within what is allowed", fix: "leave it out" }] };
  const page = await openPolicy();
  await page.getByText("It would allow more than your own file, at 1 place.").waitFor();
  await page.getByText("line 2, column 9").waitFor();
});

test("hostile names are text", async () => {
  run.mock.policy = { ...policy(), path: hostile, form: { lists: [{ list: "settings.allow", means: "Allowed", items: [hostile] }], rules: [{ id: hostile, action: hostile, when: hostile, reason: hostile }], others: [hostile] },
    tools: { rows: [{ server: hostile, project: hostile, tool: hostile, now: { verdict: "deny", by: hostile }, then: null }], all: 1, changed: 0, leftOut: 0 } };
  const page = await openPolicy();
  assert.equal(await page.evaluate(() => globalThis.attacked), undefined);
  assert.ok(!/[\u202A-\u202E\u200B\u0007\u001b]/.test(await page.evaluate(() => document.documentElement.outerHTML)));
});

test("the second part of the page is loaded when it is needed, and again after a failure", async () => {
  const page = await run.open("/", { expects: ["Failed to load resource", "error loading dynamically imported module", "Failed to fetch dynamically"] });
  await page.waitForSelector("overt-inbox .questions");
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.route("**/more.js", (route) => route.abort());
  await page.keyboard.press("5");
  await page.getByText("could not be loaded").waitFor();
  await page.unroute("**/more.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector("overt-policy #policy-text");
  await eventually(() => asked.filter((path) => path === "/more.js").length >= 2, "a second request");
});
