// What the tests of the page share: a browser, a mock, a page that reports every error.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, beforeEach } from "node:test";
import { launch, ui } from "./browser.mjs";
import { csp, Mock } from "./mock.mjs";

/** The limit of every wait. A condition that holds ends it at once. */
export const limit = 15_000;

/** Gives each test of a file a new mock and pages. Call it once, at the top of the file. */
export function harness() {
  const run = { browser: null, mock: null, contexts: [], problems: [] };
  before(async () => (run.browser = await launch()));
  after(async () => run.browser?.close());
  beforeEach(async () => {
    run.mock = await new Mock().start();
    run.problems = [];
  });
  afterEach(async () => {
    for (const context of run.contexts.splice(0)) await context.close();
    await run.mock.stop();
    assert.deepEqual(run.problems, [], "errors in the page");
  });

  /** Opens a path of the mock, or of the server that the environment names. */
  run.open = async (path = "/", options = {}) => {
    const { address = run.mock.address, token = run.mock.token, expects = [], ...contextOptions } = options;
    const context = await run.browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...contextOptions });
    run.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(limit);
    const report = (text) => expects.some((one) => text.includes(one)) || run.problems.push(text);
    page.on("pageerror", (error) => report(`${error.name}: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && report(message.text()));
    if (process.env.OVERT_UI_FRESH) await serveFresh(page);
    await page.goto(`${address}${path}${token === null ? "" : `#token=${token}`}`);
    return page;
  };
  return run;
}

/** Takes the files of the page from ui/dist instead of from the program, which embeds older ones. */
async function serveFresh(page) {
  await page.route(/\/(overt|more|try|try-parts)\.(js|css)$/, async (route) => {
    const response = await route.fetch();
    const name = new URL(route.request().url()).pathname.slice(1);
    await route.fulfill({ response, body: readFileSync(`${ui}dist/${name}`, "utf8") });
  });
}

/** Waits until a function of the page gives something true, and returns it. */
export async function until(page, condition, argument) {
  return (await page.waitForFunction(condition, argument, { timeout: limit })).jsonValue();
}

/** Waits until a function of the test gives something true. */
export async function eventually(condition, what) {
  const end = Date.now() + limit;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `${what} within ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits for the details of a question, and for its answers to be on. */
export async function shows(page, id) {
  await page.waitForSelector(`[data-question="${id}"][data-digest]`);
  await page.waitForSelector(".choice[data-choice]:not(:disabled)");
}

export const status = (page) => page.locator(".toasts [role=status]");

export async function says(page, text) {
  await until(page, (wanted) => document.querySelector(".toasts [role=status]")?.textContent.includes(wanted), text);
}

export { csp };
