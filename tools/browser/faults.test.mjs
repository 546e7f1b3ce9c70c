// What the page does when something fails: no token, offline, slow, errors, read-only.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./browser.mjs";
import { question } from "./data.mjs";
import { eventually, harness, says, shows, until } from "./harness.mjs";

const run = harness();
const network = ["Failed to load resource", "net::ERR"];

test("without a token the page says how to get in, and asks nothing", async () => {
  const page = await run.open("/", { token: null });
  await page.getByText("overt ui --open").waitFor();
  assert.deepEqual(run.mock.requests, []);
  assert.deepEqual(await violations(page), []);
});

test("a wrong token leads to the same page", async () => {
  const page = await run.open("/", { token: "wrong", expects: network });
  await page.getByText("overt ui --open").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test("a token that stops working while the page is open locks it", async () => {
  const page = await run.open("/?view=grants", { expects: network });
  await page.waitForSelector(".card");
  run.mock.token = "another";
  await page.keyboard.press("3");
  await page.getByText("overt ui --open").waitFor();
});

test("a lost connection is said, answers are off, and the page comes back by itself", async () => {
  const page = await run.open("/", { expects: network });
  await shows(page, "q-1");
  const { port } = run.mock;
  await run.mock.stop();
  await page.getByText("Offline.").waitFor();
  await page.waitForSelector(".choice[data-choice=once]:disabled");
  assert.deepEqual(await violations(page), []);
  run.mock.questions.push({ question: question(8) });
  await run.mock.start(port);
  await page.locator("#option-q-8").waitFor();
  await until(page, () => !document.querySelector(".banner.warning"));
  await shows(page, "q-1");
  await page.keyboard.press("n");
  await says(page, "answered no");
});

test("Try now connects at once", async () => {
  run.mock.faults.set("/api/events", 503);
  const page = await run.open("/", { expects: network });
  await page.getByText("A scripted fault with status 503.").waitFor();
  // While the fault lasts the button comes back after each attempt, so it can be pressed at any time.
  await page.getByRole("button", { name: "Try now" }).click();
  run.mock.faults.delete("/api/events");
  await shows(page, "q-1");
});

test("a read-only page shows everything and changes nothing", async () => {
  run.mock.readOnly = "it was started by an agent";
  const page = await run.open("/");
  await page.getByText("Read-only.").waitFor();
  await page.waitForSelector("[data-question=q-1][data-digest]");
  await page.keyboard.press("y");
  await says(page, "read-only");
  assert.deepEqual(run.mock.posts("/api/answers"), []);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("4");
  await page.waitForSelector(".card button:disabled");
});

test("a server that lost Overt is named until it has it again", async () => {
  const page = await run.open("/");
  await shows(page, "q-1");
  run.mock.publishUnwrapped(["<b>a</b> in /x/.mcp.json was wrapped and no longer is"]);
  await page.getByText("Without Overt.").waitFor();
  await page.getByText("<b>a</b> in /x/.mcp.json was wrapped and no longer is").waitFor();
  assert.deepEqual(await violations(page), []);
  run.mock.publishUnwrapped([]);
  await until(page, () => !document.querySelector(".banner.warning"));
});

for (const status of [403, 404, 409, 500, 503]) {
  test(`an answer that fails with ${status} is said, and the question stays`, async () => {
    run.mock.faults.set("/api/answers", status);
    const page = await run.open("/", { expects: network });
    await shows(page, "q-1");
    await page.keyboard.press("y");
    await says(page, `A scripted fault with status ${status}.`);
    run.mock.faults.delete("/api/answers");
    await shows(page, "q-1");
    await page.keyboard.press("y");
    await says(page, "answered once");
  });
}

test("an answer without a body, and one that is not JSON, are errors for people", async () => {
  const page = await run.open("/", { expects: network });
  await shows(page, "q-1");
  run.mock.faults.set("/api/answers", (response) => response.writeHead(502).end("<h1>Bad gateway</h1>"));
  await page.keyboard.press("y");
  await says(page, "Overt answered with status 502.");
  run.mock.faults.set("/api/answers", (response) => response.socket.destroy());
  await page.keyboard.press("y");
  await says(page, "Is `overt ui` still running?");
});

test("details that can't be loaded can be tried again", async () => {
  run.mock.faults.set("/api/questions/q-1", 500);
  const page = await run.open("/", { expects: network });
  await page.getByText("The details of q-1 can't be loaded").waitFor();
  assert.ok(await page.locator(".choice[data-choice=once]").isDisabled());
  run.mock.faults.delete("/api/questions/q-1");
  await page.getByRole("button", { name: "Try again" }).click();
  await shows(page, "q-1");
});

test("details are asked for again while the store of questions is busy", async () => {
  let times = 0;
  run.mock.faults.set("/api/questions/q-1", (response, mock) => {
    times += 1;
    if (times === 3) mock.faults.delete("/api/questions/q-1");
    mock.fail(response, 503, "the store of questions is held by another process; try again");
  });
  const page = await run.open("/", { expects: network });
  await shows(page, "q-1");
  assert.equal(times, 3);
});

for (const [view, path] of [["activity", "/api/activity"], ["servers", "/api/servers"], ["grants", "/api/grants"]]) {
  test(`${view} that fails says so and can be tried again`, async () => {
    run.mock.faults.set(path, 500);
    const page = await run.open(`/?view=${view}`, { expects: network });
    await page.getByText("A scripted fault with status 500.").waitFor();
    assert.deepEqual(await violations(page), []);
    run.mock.faults.delete(path);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForSelector(".row, .server, .card");
  });
}

test("a slow answer is waited for, and says so", async () => {
  const release = run.mock.hold("/api/activity");
  const page = await run.open("/?view=activity");
  await page.getByText("Loading…").waitFor();
  release();
  await page.waitForSelector("overt-activity .row");
});

test("a filter that is changed while a page loads shows only the new one", async () => {
  const release = run.mock.hold("/api/activity");
  const page = await run.open("/?view=activity&client=Cursor");
  await eventually(() => run.mock.requests.some(({ path }) => path === "/api/activity"), "a request");
  await page.getByRole("button", { name: "Clear all" }).click();
  release();
  await page.waitForSelector("overt-activity .row.tone-change");
  assert.ok((await page.locator(".row-client").allInnerTexts()).includes("claude-code"));
});

test("an action that is gone says so", async () => {
  const page = await run.open("/?view=activity&item=call-99999", { expects: network });
  await page.getByText("No record has the id call-99999.").waitFor();
});

test("a preview that is refused gives the reason", async () => {
  const page = await run.open("/?view=activity&item=call-0", { expects: network });
  run.mock.faults.set("/api/undo/c-3fa9c100", (response, mock) => mock.fail(response, 409, "src/app.ts was changed by somebody else at 14:10.", "Nothing was undone."));
  await page.getByRole("button", { name: "Undo…" }).click();
  await page.getByText("src/app.ts was changed by somebody else at 14:10. Nothing was undone.").waitFor();
});

test("a string does not become markup, and all styles are from the style sheet", async () => {
  const page = await run.open("/", { expects: ["TrustedHTML", "violates the following"] });
  await shows(page, "q-1");
  const refused = await page.evaluate(() => {
    try {
      document.body.innerHTML = "<b>x</b>";
      return "";
    } catch (error) {
      return error.name;
    }
  });
  assert.equal(refused, "TypeError");
  assert.equal(await page.evaluate(() => [...document.styleSheets].every((sheet) => sheet.href?.endsWith("/overt.css"))), true);
});
