// `overt inspect` with a server behind it that speaks the proposal of seed 002 to the letter. OVERT_BINARY names the
// program; the server is beside it.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { violations } from "./browser.mjs";
import { eventually, harness } from "./harness.mjs";
import { startInspect } from "./inspect.mjs";

const { OVERT_BINARY: binary } = process.env;
let inspect;

if (binary) {
  before(async () => (inspect = await startInspect(binary, () => [join(dirname(binary), "seed-server"), "--stdio"])));
  after(() => inspect?.stop());
  const run = harness();
  const open = async (query) => {
    const page = await run.open(`/?view=try&${query}`, inspect);
    await page.waitForSelector(".try [data-state=connected]");
    return page;
  };
  const openTool = async (tool, args) => {
    const page = await open(`item=${tool}`);
    await page.locator("overt-try-tool .editor-json textarea").first().fill(JSON.stringify(args));
    return page;
  };
  const edit = (find, replace) => ({ path: "a.txt", find, replace });
  const frameOf = (page) => eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the page of the server");

  test("X-12: a preview is known by the mark beside the result, and its diff is shown", async () => {
    const page = await openTool("edit_file", edit("two", "2"));
    await page.getByRole("button", { name: "Preview" }).first().click();
    await page.getByText("Nothing was changed. The server gave no plan").waitFor();
    await page.locator("overt-try-tool overt-diff").getByText("two").waitFor();
    assert.deepEqual(await violations(page, "overt-try"), []);
  });

  test("H-12: the review of a call is shown through the bridge, with the styles of the server", async () => {
    const page = await openTool("edit_file", edit("three", "three"));
    await page.locator("[data-call]").click();
    const review = await frameOf(page);
    await review.getByRole("heading", { name: "Review of a.txt" }).waitFor();
    const preview = await openTool("edit_file", edit("three", "3"));
    await preview.getByRole("button", { name: "Preview" }).first().click();
    const shown = await frameOf(preview);
    const removed = shown.locator(".removed");
    await removed.waitFor();
    assert.deepEqual(await removed.allInnerTexts(), ["three"]);
    assert.equal(await removed.evaluate((row) => getComputedStyle(row).color), "rgb(200, 0, 0)");
    assert.equal(await preview.locator(".content", { hasText: '"type": "review"' }).count(), 0, "the item is no JSON");
  });

  test("H-12: an application is found in the list, opened, and calls its own tools", async () => {
    const page = await open("tab=resources");
    const entry = page.locator('[data-entry="ui://browser/index.html"]');
    await entry.getByText("application").waitFor();
    await entry.click();
    await page.locator("[data-open]").click();
    const app = await frameOf(page);
    await app.locator("#file", { hasText: "three" }).waitFor();
    assert.equal(await app.locator("h1").evaluate((title) => getComputedStyle(title).letterSpacing), "3px");
    await page.getByText("The app made 1 call.").waitFor();
    assert.deepEqual(await violations(page, "overt-try"), []);
    await page.locator("[data-tab=history]").click();
    await page.locator(".history-row", { hasText: "by the app" }).waitFor();
  });

  test("X-44: a template on the tool itself gives the sentence", async () => {
    const page = await openTool("read_file", { path: "a.txt" });
    await page.locator(".intent", { hasText: "a.txt" }).waitFor();
  });

  test("X-12: scopes that are asked for beside the result or in the error are granted by a click", async () => {
    const page = await openTool("read_file", { path: "/outside/o.txt" });
    await page.locator("[data-call]").click();
    await page.locator(".scopes-asked").getByText("read:file:/outside").waitFor();
    await page.getByRole("button", { name: "Call again with this scope" }).click();
    await page.locator(".content", { hasText: "outside" }).waitFor();
    await page.locator('[data-entry="query"]').click();
    await page.locator("[data-call]").click();
    await page.locator(".scopes-asked").getByText("write:database").waitFor();
    await page.getByRole("button", { name: "Call again with this scope" }).click();
    await page.locator(".content", { hasText: "1 row" }).waitFor();
  });

  test("X-08: the schema beside the capabilities gives a form, and what is set there is sent", async () => {
    const page = await open("tab=server");
    const form = page.getByRole("region", { name: "Configuration" });
    await form.getByText("read_only").first().waitFor();
    await form.locator("textarea").first().fill('{"read_only":true}');
    await page.locator("[data-configure]").click();
    await page.waitForSelector(".try [data-state=connected]");
    const tool = await openTool("edit_file", edit("three", "3"));
    await tool.locator("[data-call]").click();
    await tool.getByText("permission denied").first().waitFor();
  });
}
