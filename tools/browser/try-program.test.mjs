// The view Try before `overt inspect` itself, with `overt fs` behind it. OVERT_BINARY names the program.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { violations } from "./browser.mjs";
import { eventually, harness } from "./harness.mjs";
import { startInspect } from "./inspect.mjs";

const { OVERT_BINARY: binary } = process.env;
let inspect;
const at = (name) => join(inspect.project, name);
const text = (name) => readFileSync(at(name), "utf8");

if (binary) {
  before(async () => {
    inspect = await startInspect(binary, () => [binary, "fs", "project", "--allow-all"]);
    writeFileSync(at("a.txt"), "one\ntwo\n");
  });
  after(() => inspect?.stop());
  const run = harness();
  const open = async (tool, args) => {
    const page = await run.open(`/?view=try&item=${tool}`, inspect);
    await page.waitForSelector(".try [data-state=connected]");
    await page.locator("overt-try-tool .editor-json textarea").first().fill(JSON.stringify(args));
    return page;
  };
  const appOf = (page) => eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the app");

  test("a tool is found, previewed, and applied as it was shown", async () => {
    const page = await open("write_file", { path: "new.txt", content: "hello" });
    await page.getByRole("button", { name: "Preview" }).first().click();
    await page.locator("[data-apply]").waitFor();
    assert.throws(() => text("new.txt"), "a preview changes nothing");
    await page.locator("[data-apply]").click();
    await page.waitForFunction(() => document.querySelector(".outcome h3")?.textContent.includes("Result"));
    await eventually(() => { try { return text("new.txt") === "hello"; } catch { return false; } }, "the file");
  });

  test("the app of a tool shows its preview, and what it calls is in the history", async () => {
    const page = await open("edit_file", { path: "a.txt", edits: [{ find: "two", replace: "2" }] });
    await page.getByRole("button", { name: "Preview" }).first().click();
    const app = await appOf(page);
    await app.getByText("Nothing is changed yet.").waitFor();
    assert.deepEqual(await app.locator(".line.added code").allInnerTexts(), ["2"]);
    assert.equal(text("a.txt"), "one\ntwo\n");
    assert.deepEqual(await violations(page, "overt-try"), []);
    await app.getByRole("button", { name: "Apply" }).click();
    await app.getByText("Done.").waitFor();
    assert.equal(text("a.txt"), "one\n2\n");
    await page.getByText("The app made 1 call.").waitFor();
    await page.locator("[data-tab=history]").click();
    await page.locator(".history-row", { hasText: "by the app" }).waitFor();
    assert.equal(await page.locator(".history-row", { hasText: "by the app" }).count(), 1);
  });

  test("the file browser is shown for the tool that opens it", async () => {
    const page = await open("list_directory", {});
    await page.locator("[data-call]").click();
    const app = await appOf(page);
    await app.getByRole("option", { name: /a\.txt/ }).dblclick();
    await app.getByText("one").waitFor();
  });

  test("H-12: the file browser is an application, and is opened without a call too", async () => {
    const page = await run.open("/?view=try&tab=resources&item=ui://overt-fs/browser.html", inspect);
    await page.locator(".entry[aria-current=true]").getByText("application").waitFor();
    await page.locator("[data-open]").click();
    const app = await appOf(page);
    await app.getByRole("option", { name: /a\.txt/ }).waitFor();
  });

  test("an app has the colours that were chosen for the page, also later", async () => {
    const page = await open("list_directory", {});
    await page.evaluate(() => { localStorage.setItem("overt-theme", "dark"); document.documentElement.dataset.theme = "dark"; });
    await page.locator("[data-call]").click();
    const app = await appOf(page);
    // A frame that is out of view draws nothing, so nothing may wait for it to draw.
    const scheme = (wanted) => eventually(async () => (await app.evaluate(() => document.documentElement.style.colorScheme)) === wanted, wanted);
    await scheme("dark");
    await page.evaluate(() => (document.documentElement.dataset.theme = "light"));
    await scheme("light");
  });
}
