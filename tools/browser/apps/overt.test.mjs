// The two apps of `overt fs` with the real server behind them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { violations } from "../browser.mjs";
import { startFiles } from "./fs.mjs";
import { appType, assert, eventually, harness, limit } from "./harness.mjs";

const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const deceptive = "evil\u202etxt.exe";

function fill(root) {
  mkdirSync(join(root, "src/deep"), { recursive: true });
  writeFileSync(join(root, "a.txt"), "one\ntwo\nthree\nfour\n");
  writeFileSync(join(root, "pixel.png"), pixel);
  writeFileSync(join(root, "src/main.rs"), "fn main() {}\n// needle\n");
  writeFileSync(join(root, "src/deep/x.md"), "# x\n<script>parent.attacked = 1</script>\n");
  writeFileSync(join(root, deceptive), "x\n");
}

let files;
const run = harness(async (run) => {
  files = await startFiles(fill);
  run.stop = () => files.stop();
  return files.rpc;
});
const at = (name) => join(files.root, name);
const text = (name) => readFileSync(at(name), "utf8");

/** Opens an app as a host does for a call: its template, the arguments, the result. */
async function openFor(page, name, input, meta) {
  const opened = await page.evaluate(async ([name, input, meta]) => {
    const { view, host, rpc } = globalThis;
    const { tools } = await rpc("tools/list", {});
    const tool = tools.find((one) => one.name === name);
    const { contents } = await rpc("resources/read", { uri: tool._meta.ui.resourceUri });
    await view.open({ host, tool, resource: contents[0] });
    view.send("tool-input", { arguments: input });
    view.send("tool-result", await rpc("tools/call", { name, arguments: input, ...(meta && { _meta: meta }) }));
    return contents[0].mimeType;
  }, [name, input, meta]);
  assert.equal(opened, appType);
  return eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the app");
}

const browse = async (page) => {
  const frame = await openFor(page, "open_file_browser", {});
  await frame.getByRole("option", { name: /a\.txt/ }).waitFor();
  await frame.getByRole("treeitem", { name: /src/ }).waitFor();
  return frame;
};

test("a preview is shown as a diff, and Apply makes exactly that change", async () => {
  const page = await run.page();
  const frame = await openFor(page, "edit_file", { path: "a.txt", edits: [{ find: "two", replace: "2 <b>two</b>" }] }, { preview: true });
  await frame.getByText("Nothing is changed yet.").waitFor();
  assert.deepEqual(await frame.locator(".line.removed code").allInnerTexts(), ["two"]);
  assert.deepEqual(await frame.locator(".line.added code").allInnerTexts(), ["2 <b>two</b>"]);
  assert.equal(text("a.txt"), "one\ntwo\nthree\nfour\n");
  await frame.getByRole("button", { name: "Apply" }).click();
  await frame.getByText("Done.").waitFor();
  assert.equal(text("a.txt"), "one\n2 <b>two</b>\nthree\nfour\n");
  const call = files.calls.at(-1);
  assert.match(call._meta["dev.overt/plan"], /^blake3-/);
  assert.deepEqual(Object.keys(call._meta), ["dev.overt/plan"]);
  await frame.getByRole("button", { name: "Undo…" }).click();
  await frame.getByRole("button", { name: "Apply" }).click();
  await frame.getByText("Done.").waitFor();
  assert.equal(text("a.txt"), "one\ntwo\nthree\nfour\n");
});

test("Apply works in a host that tells the app nothing but the result", async () => {
  const page = await run.page();
  await page.evaluate(async () => {
    const { view, host, rpc } = globalThis;
    const { contents } = await rpc("resources/read", { uri: "ui://overt-fs/diff.html" });
    await view.open({ host, resource: contents[0] });
    view.send("tool-input", { arguments: {} });
    view.send("tool-result", await rpc("tools/call", { name: "write_file", arguments: { path: "told.txt", content: "x\n" }, _meta: { preview: true } }));
  });
  const frame = await eventually(() => page.frames().find((one) => one.url() === "about:srcdoc"), "the app");
  await frame.getByRole("button", { name: "Apply" }).click();
  await frame.getByText("Done.").waitFor();
  assert.equal(text("told.txt"), "x\n");
});

test("a change that no longer fits its preview is refused, and previewed again", async () => {
  const page = await run.page();
  const frame = await openFor(page, "edit_file", { path: "src/main.rs", edits: [{ find: "needle", replace: "pin" }] }, { preview: true });
  await frame.getByRole("button", { name: "Apply" }).waitFor();
  const before = text("src/main.rs");
  writeFileSync(at("src/main.rs"), `${before}more\n`);
  await frame.getByRole("button", { name: "Apply" }).click();
  await frame.getByText(/PLAN_CHANGED/).waitFor();
  assert.equal(text("src/main.rs"), `${before}more\n`);
  await frame.getByRole("button", { name: "Preview again" }).click();
  await frame.getByRole("button", { name: "Apply" }).waitFor();
  writeFileSync(at("src/main.rs"), before);
});

test("without the arguments of the call there is a diff and no Apply", async () => {
  const page = await run.page();
  const result = await files.rpc("tools/call", { name: "edit_file", arguments: { path: "a.txt", edits: [{ find: "two", replace: "2" }] }, _meta: { preview: true } });
  const [resource] = (await files.rpc("resources/read", { uri: "ui://overt-fs/diff.html" })).contents;
  const show = async (result) => {
    const frame = await run.open(page, resource.text, { options: { tool: undefined } });
    // Some hosts leave out the input; this host must be told to.
    await page.evaluate((result) => {
      const frame = globalThis.view.shadowRoot.querySelector("iframe");
      frame.contentWindow.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: result }, "*");
    }, result);
    await frame.getByText("Nothing is changed yet.").waitFor();
    return frame.getByRole("button").allInnerTexts();
  };
  const { "dev.overt/call": call, ...rest } = result._meta;
  assert.deepEqual(call, { name: "edit_file", arguments: { path: "a.txt", edits: [{ find: "two", replace: "2" }] } });
  assert.deepEqual(await show({ ...result, _meta: rest }), []);
  // Overt's servers say which call it was.
  assert.deepEqual(await show(result), ["Apply"]);
});

test("a result without a preview has nothing to apply", async () => {
  const page = await run.page();
  const frame = await openFor(page, "write_file", { path: "new.txt", content: "new\n" });
  await frame.getByText("Done.").waitFor();
  assert.equal(await frame.getByRole("button", { name: "Apply" }).count(), 0);
  const failed = await openFor(page, "edit_file", { path: "missing", edits: [{ find: "a", replace: "b" }] });
  await failed.getByText(/FILE_NOT_FOUND/).waitFor();
});

test("the browser lists, opens folders, and shows texts and images, by keyboard alone", async () => {
  const page = await run.page();
  const frame = await browse(page);
  const list = frame.getByRole("listbox");
  const choose = async (name) => {
    await list.focus();
    await page.keyboard.press("Home");
    for (let step = 0; step < 20; step += 1) {
      if ((await frame.locator("[role=option][aria-selected=true]").innerText()).startsWith(name)) return;
      await page.keyboard.press("ArrowDown");
    }
    assert.fail(`${name} is not in the list`);
  };
  await choose("pixel.png");
  await page.keyboard.press("Enter");
  await frame.getByRole("img", { name: "The image pixel.png" }).waitFor();
  assert.equal(await frame.evaluate(() => document.querySelector("img").naturalWidth), 1);
  await choose("src/");
  await page.keyboard.press("Enter");
  await frame.getByRole("option", { name: /main\.rs/ }).waitFor();
  await choose("main.rs");
  await page.keyboard.press("Enter");
  await frame.getByText("// needle").waitFor();
  await choose("deep/");
  await page.keyboard.press("Enter");
  await frame.getByRole("option", { name: /x\.md/ }).waitFor();
  await page.keyboard.press("Enter");
  await frame.getByText("<script>parent.attacked").waitFor();
  await page.keyboard.press("Backspace");
  await frame.getByRole("option", { name: /main\.rs/ }).waitFor();
  // The tree: to the folder src, open it, into deep.
  await frame.getByRole("tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await frame.getByRole("treeitem", { name: /deep/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await frame.getByRole("option", { name: /x\.md/ }).waitFor();
});

test("names and contents are searched", async () => {
  const page = await run.page();
  const frame = await browse(page);
  await frame.getByRole("searchbox").fill("needle");
  await frame.getByRole("button", { name: "Contents" }).click();
  await frame.getByRole("option", { name: "src/main.rs 1 matches" }).waitFor();
  await frame.getByRole("searchbox").fill("x.md");
  await page.keyboard.press("Enter");
  await frame.getByRole("option", { name: "src/deep/x.md" }).waitFor();
  assert.equal(await frame.getByRole("option").count(), 1);
});

test("a rename is previewed, made, listed as a change, and undone", async () => {
  const page = await run.page();
  writeFileSync(at("old-name.txt"), "text\n");
  const frame = await browse(page);
  await frame.getByRole("option", { name: /old-name/ }).click();
  await frame.getByRole("listbox").press("F2");
  await page.keyboard.type("name2.txt");
  await page.keyboard.press("Enter");
  await frame.getByRole("button", { name: "Apply" }).waitFor();
  assert.ok(existsSync(at("old-name.txt")));
  await page.keyboard.press("Enter");
  await frame.getByText("Done.").waitFor();
  assert.ok(existsSync(at("name2.txt")) && !existsSync(at("old-name.txt")));
  await frame.getByRole("option", { name: /name2/ }).waitFor();
  await frame.getByRole("button", { name: "Changes" }).click();
  await frame.getByRole("option", { name: /move old-name\.txt/ }).first().click();
  await frame.getByRole("listbox").press("Enter");
  await frame.getByRole("button", { name: "Apply" }).click();
  await frame.getByText("Done.").waitFor();
  assert.ok(existsSync(at("old-name.txt")) && !existsSync(at("name2.txt")));
});

test("a deletion is previewed, and waits for the person's own approval", async () => {
  const page = await run.page();
  writeFileSync(at("to-delete.txt"), "gone\n");
  const frame = await browse(page);
  await frame.getByRole("option", { name: /to-delete/ }).click();
  await frame.getByRole("listbox").press("Delete");
  await frame.locator(".line.removed", { hasText: "gone" }).waitFor();
  await frame.getByRole("button", { name: "Apply" }).click();
  // The click in the app is not an approval: the server asks where the app can't answer.
  await frame.getByText(/PERMISSION_NOT_GRANTED/).waitFor();
  assert.ok(existsSync(at("to-delete.txt")));
});

test("deceptive names are shown as what they are", async () => {
  const page = await run.page();
  const frame = await browse(page);
  await frame.getByRole("option", { name: "evil\\u{202e}txt.exe" }).waitFor();
  assert.equal(await page.evaluate(() => globalThis.attacked), undefined);
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in ${colorScheme}`, async () => {
    const page = await run.page({ colorScheme });
    await page.evaluate((theme) => globalThis.view.setAttribute("theme", theme), colorScheme);
    const diff = await openFor(page, "edit_file", { path: "a.txt", edits: [{ find: "two", replace: "2" }] }, { preview: true });
    await diff.getByRole("button", { name: "Apply" }).waitFor();
    assert.deepEqual(await violations(diff), []);
    if (process.env.OVERT_SHOTS) await page.screenshot({ path: join(process.env.OVERT_SHOTS, `diff-${colorScheme}.png`) });
    const frame = await browse(page);
    await frame.getByRole("option", { name: /a\.txt/ }).dblclick();
    await frame.getByText("three").waitFor();
    assert.deepEqual(await violations(frame), []);
    if (process.env.OVERT_SHOTS) await page.screenshot({ path: join(process.env.OVERT_SHOTS, `browser-${colorScheme}.png`) });
    await frame.getByRole("listbox").press("Delete");
    await frame.getByRole("button", { name: "Apply" }).waitFor();
    assert.deepEqual(await violations(frame), []);
    if (process.env.OVERT_SHOTS) await page.screenshot({ path: join(process.env.OVERT_SHOTS, `delete-${colorScheme}.png`) });
  });
}

test("the example page of the package hosts an app", async () => {
  const page = await (await run.browser.newContext()).newPage();
  page.setDefaultTimeout(limit);
  await page.goto(`${run.host.address}/example/`);
  const app = await eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the app");
  await app.getByRole("option", { name: /a\.txt/ }).waitFor();
  await page.context().close();
});
