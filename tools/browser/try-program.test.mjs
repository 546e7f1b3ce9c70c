// The view Try before `overt inspect` itself, with `overt fs` behind it. OVERT_BINARY names the program.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { harness } from "./harness.mjs";

const { OVERT_BINARY: binary } = process.env;
let folder;
let child;
let target;

if (binary) {
  before(start);
  after(stop);
  const run = harness();

  test("a tool is found, previewed, and applied as it was shown", async () => {
    const page = await run.open("/?view=try&item=write_file", target);
    await page.waitForSelector(".try [data-state=connected]");
    await page.waitForSelector("overt-try-tool .editor");
    const field = (path) => page.locator(`overt-try-tool [data-path="${path}"] :is(textarea, input, select)`).first();
    await field("/path").fill("new.txt");
    await field("/content").fill("hello");
    await page.getByRole("button", { name: "Preview" }).first().click();
    await page.getByRole("button", { name: /^Apply/ }).first().waitFor();
    assert.throws(() => readFileSync(join(folder, "project", "new.txt")), "a preview changes nothing");
    await page.getByRole("button", { name: /^Apply/ }).first().click();
    for (let waited = 0; ; waited += 1) {
      try {
        assert.equal(readFileSync(join(folder, "project", "new.txt"), "utf8"), "hello");
        break;
      } catch (error) {
        if (waited > 150) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  });
}

async function start() {
  folder = mkdtempSync(join(tmpdir(), "overt-try-"));
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, "project", "a.txt"), "one\n");
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  child = spawn(binary, ["inspect", "--", binary, "fs", "project", "--allow-all"], { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  const address = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  const [, origin, token] = /^(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)$/.exec(address);
  target = { address: origin, token };
}

function stop() {
  child?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
}
