// The whole story before the program itself: an SDK client wants to delete a file through `overt fs`, the person reads what that
// takes away and allows it on the page, the page shows what was done, takes it back, and the logs hold. Authorization, sandbox and
// audit are on. OVERT_BINARY names the program.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { launch, violations } from "./browser.mjs";
import { eventually, limit } from "./harness.mjs";

const overt = process.env.OVERT_BINARY;
// As it is typed, and what Overt keeps of it: `overt passphrase set` wants a terminal.
const passphrase = "for the tests with peers\n";
const kept = '{"algorithm":"argon2id","memory_kib":65536,"passes":3,"salt":"mV3EyeGPmvMqRv/l0Uv1hA","hash":"D5SoxSoRXV0T+OLe2ioIT/qrNwlWH7MiXvT7krNED0A"}';
const poem = "The page is open,\nthe call waits in the doorway;\nsomebody reads it.\n";

/** What a test that fails does not stop. */
const started = [];

/** A state folder, a project, and `overt ui` on them. */
async function start() {
  const place = mkdtempSync(join(tmpdir(), "overt-story-"));
  const site = join(place, "site");
  const state = join(place, "state");
  for (const folder of [site, state]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(state, "passphrase"), kept, { mode: 0o600 });
  const env = { ...process.env, OVERT_STATE_DIR: state, HOME: place, TZ: "UTC" };
  const server = spawn(overt, ["ui", "--passphrase-stdin"], { cwd: site, env, stdio: ["pipe", "pipe", "ignore"] });
  started.push(server);
  server.stdin.end(passphrase);
  let said = "";
  server.stdout.on("data", (data) => (said += data));
  const address = await eventually(() => said.match(/^(http:\S+)\n/)?.[1], "the page is served");
  const stop = async () => {
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill("SIGINT");
    assert.equal(await ended, 0);
    rmSync(place, { recursive: true });
  };
  return { site, env, address, stop };
}

async function connect({ site, env }, era, name) {
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: overt, args: ["fs", site], env, cwd: site, stderr: "ignore" }));
  return client;
}

describe("overt ui", { skip: overt ? false : "OVERT_BINARY is not set" }, () => {
  let browser;
  before(async () => (browser = await launch()));
  after(async () => {
    for (const server of started) server.kill("SIGKILL");
    await browser?.close();
  });

  const open = async (address) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.setDefaultTimeout(limit);
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
    await page.goto(address);
    return page;
  };

  for (const era of ["legacy", "modern"]) {
    it(`tells the whole story to a ${era} client`, async () => {
      const story = await start();
      const file = join(story.site, "poem.txt");
      writeFileSync(file, poem);
      const page = await open(story.address);
      assert.equal(new URL(page.url()).hash, "", "the token leaves the address bar");
      const client = await connect(story, era, "storyteller");
      const began = Date.now();
      const call = client.callTool({ name: "delete_file", arguments: { path: "poem.txt" } });
      await page.waitForSelector("[data-question][data-digest]");
      console.log(`${era}: the question was on the page after ${Date.now() - began} ms`);
      const shown = await page.locator("main").innerText();
      for (const part of ["storyteller", "delete_file", "poem.txt", "somebody reads it."]) {
        assert.ok(shown.includes(part), `${part} is not in ${shown}`);
      }
      assert.deepEqual(await violations(page), []);
      assert.ok(existsSync(file), "nothing happens before the answer");
      await page.waitForSelector(".choice[data-choice]:not(:disabled)");
      await page.keyboard.press("y");
      const result = await call;
      assert.ok(!result.isError, JSON.stringify(result));
      assert.ok(!existsSync(file));
      await client.close();

      await page.goto(new URL("/?view=activity", page.url()).href);
      await page.getByText("deleted poem.txt").first().click();
      await page.getByRole("button", { name: /undo/i }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      await dialog.getByRole("button", { name: /undo/i }).click();
      await eventually(() => existsSync(file), "the file is back");
      assert.equal(readFileSync(file, "utf8"), poem);
      await page.getByRole("button", { name: /verify/i }).click();
      await page.getByText(/records hold/).first().waitFor();
      assert.deepEqual(page.problems, []);
      await page.context().close();
      await story.stop();
    });
  }

  it("forbids a tool on the page: what that changes is shown first, is saved, and holds for a server that runs", async () => {
    const story = await start();
    writeFileSync(join(story.site, "poem.txt"), poem);
    const client = await connect(story, "legacy", "storyteller");
    const read = () => client.callTool({ name: "read_file", arguments: { path: "poem.txt" } });
    assert.ok(!(await read()).isError);
    const page = await open(story.address);
    await page.keyboard.press("5");
    await page.getByText("There is no").waitFor();
    await page.getByLabel("Name").fill("read_file");
    await page.getByRole("button", { name: "Add to the text" }).click();
    await page.getByText("Calls of the last week: 1 of 1 would be decided otherwise.").waitFor();
    assert.deepEqual(await violations(page), []);
    const file = join(story.site, "..", ".config/overt/overt.toml");
    assert.ok(!existsSync(file), "nothing is written before it is saved");
    await page.getByRole("button", { name: "Save" }).click();
    await eventually(() => existsSync(file), "the file is written");
    assert.match(readFileSync(file, "utf8"), /id = "forbid tool read_file"/);
    await page.getByText("This is what the file says.").waitFor();
    await eventually(async () => {
      const answer = await read().catch((error) => ({ isError: true, error }));
      return answer.isError;
    }, "the server that runs follows");
    await page.getByRole("button", { name: "Remove forbid tool read_file" }).click();
    await page.getByText("Not saved yet.").waitFor();
    await page.getByText(/Calls of the last week: \d+ of \d+ would be decided otherwise/).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await eventually(() => !existsSync(file), "a file that says nothing is removed");
    assert.deepEqual(page.problems, []);
    await client.close();
    await page.context().close();
    await story.stop();
  });

  it("keeps 64 questions of two clients apart, and asks again about a file that changed while it was read", async () => {
    const story = await start();
    const names = Array.from({ length: 64 }, (_, number) => `file-${number}.txt`);
    for (const name of names) writeFileSync(join(story.site, name), `${name}\n`);
    const page = await open(story.address);
    const clients = await Promise.all(["ada", "bob"].map((name) => connect(story, "legacy", name)));
    const calls = names.map((name, number) => clients[number % 2].callTool({ name: "delete_file", arguments: { path: name } }).catch(() => null));
    await page.getByText("64 questions").first().waitFor();
    // The first one changes while the person reads it: what they allow is not what would happen, so nothing happens.
    const selected = await page.locator("[data-question][data-digest]").first().innerText();
    const first = names.find((name) => selected.includes(name));
    await page.waitForSelector(".choice[data-choice]:not(:disabled)");
    writeFileSync(join(story.site, first), "changed by somebody else\n");
    await page.keyboard.press("y");
    await eventually(async () => (await page.locator("[role=option]").allInnerTexts()).filter((row) => row.includes(`"${first}"`) || row.includes(first)).length > 0, "it is asked again");
    assert.equal(readFileSync(join(story.site, first), "utf8"), "changed by somebody else\n");
    for (const client of clients) await client.close();
    await Promise.all(calls);
    assert.ok(existsSync(join(story.site, first)), "what was not allowed did not happen");
    await page.context().close();
    await story.stop();
  });
});
