// The page of a call's changes, as `overt call --review` writes it: it says what it is, its folds open, and a long line
// is cut around what changes in it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { launch, violations } from "./browser.mjs";

let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "overt-changes-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the page of a call of `overt fs`. */
async function open(tool, input, ...more) {
  const program = process.env.OVERT_BINARY;
  if (!program) throw new Error("Set OVERT_BINARY to the program `overt`.");
  const file = join(folder, `${tool}.html`);
  const env = { ...process.env, HOME: folder, OVERT_STATE_DIR: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  const args = ["call", "fs", tool, "--json", JSON.stringify(input), "--review", file, "--force", ...more];
  await promisify(execFile)(program, args, { env, cwd: folder });
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  await page.goto(pathToFileURL(file).href);
  return page;
}

test("a preview says what it is, and its folds open with the keyboard", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  writeFileSync(join(folder, "a.txt"), `${lines.join("\n")}\n`);
  const edits = [{ find: "line 20\n", replace: "row 20\n" }, { find: "line 50\n", replace: "row 50\n" }];
  const page = await open("edit_file", { path: "a.txt", edits }, "--preview");
  await page.getByText("Preview: nothing was changed.").waitFor();
  assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Preview of edit_file");
  for (const name of ["Server", "Client", "Project", "Time"]) assert.equal(await page.locator("dt", { hasText: name }).count(), 1);
  const hidden = page.locator(".unified td", { hasText: /^line 35$/ });
  assert.equal(await hidden.isVisible(), false);
  await page.locator(".unified summary", { hasText: "19 unchanged lines" }).focus();
  await page.keyboard.press("Enter");
  await hidden.waitFor({ state: "visible" });
  await page.getByText("Side by side").click();
  assert.equal(await page.locator(".split del", { hasText: "line" }).first().isVisible(), true);
  assert.deepEqual(await violations(page), []);
  await page.close();
});

test("a change near column 10,000 is on the page", async () => {
  const line = (word) => `${"ab, ".repeat(2_500)}${word}${"cd, ".repeat(2_500)}\n`;
  writeFileSync(join(folder, "long.txt"), line("one"));
  const page = await open("write_file", { path: "long.txt", content: line("four"), overwrite: true }, "--preview");
  assert.equal(await page.locator(".unified ins").innerText(), "four");
  assert.equal(await page.locator(".unified del").isVisible(), true);
  await page.close();
});
