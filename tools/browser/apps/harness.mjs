// What the tests of apps share: a browser, a host with a server behind it, and a page.
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { launch } from "../browser.mjs";
import { eventually, limit } from "../harness.mjs";
import { startHost } from "./host.mjs";
import { appType, probe } from "./probe.mjs";

/** The tools of the made-up server of the tests. */
export const tools = [
  { name: "both", inputSchema: { type: "object" } },
  { name: "for_apps", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["app"] } } },
  { name: "for_models", inputSchema: { type: "object" }, _meta: { ui: { visibility: ["model"] } } },
  { name: "unreadable", inputSchema: { type: "object" }, _meta: { ui: { visibility: "app" } } },
];

/** `serve` makes the server behind the page; without it, it is one that notes its calls in `run.calls`. */
export function harness(serve) {
  const run = { browser: null, host: null, calls: [], contexts: [], resources: {} };
  const answer = async (method, params) => {
    if (method === "tools/list") return params.cursor ? { tools: tools.slice(2) } : { tools: tools.slice(0, 2), nextCursor: "2" };
    if (method === "resources/read") return { contents: [{ uri: params.uri, mimeType: "text/plain", text: "a text", ...run.resources[params.uri] }] };
    run.calls.push(params);
    if (params.arguments?.wait) await new Promise(() => {});
    return { content: [{ type: "text", text: "called" }], structuredContent: { id: 7, type: "x", ok: false } };
  };
  before(async () => {
    run.browser = await launch();
    run.host = await startHost(serve ? await serve(run) : answer);
  });
  after(async () => {
    await run.browser?.close();
    await run.host?.stop();
    await run.stop?.();
  });
  afterEach(async () => {
    for (const context of run.contexts.splice(0)) await context.close();
    run.calls = [];
    run.resources = {};
  });

  run.page = async (options = {}) => {
    const context = await run.browser.newContext({ viewport: { width: 1000, height: 800 }, reducedMotion: "reduce", ...options });
    run.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(limit);
    run.problems = [];
    page.on("pageerror", (error) => run.problems.push(String(error)));
    await page.goto(`${run.host.address}/`);
    await page.waitForFunction(() => globalThis.ready);
    return page;
  };

  /** Shows HTML as an app. Resolves with the app's frame when it is initialized. */
  run.open = async (page, text, { resource = {}, options = {}, wait = true } = {}) => {
    const opened = page.evaluate(
      ([resource, options]) => globalThis.view.open({ host: globalThis.host, resource, tool: { name: "both", inputSchema: { type: "object" } }, toolCallId: 1, ...options }),
      [{ uri: "ui://test/app.html", mimeType: appType, text, ...resource }, options]);
    if (wait) await opened;
    else opened.catch(() => {});
    return eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the frame of the app");
  };

  /** What the page noted, by kind. */
  run.seen = (page, kind) => page.evaluate((kind) => globalThis.seen.filter(([name]) => name === kind).map(([, detail]) => detail), kind);
  return run;
}

/** Waits for the app to have a message of a method, and returns all of them. */
export async function received(frame, method, count = 1) {
  await frame.waitForFunction(([method, count]) => got.filter((one) => one.method === method).length >= count, [method, count], { timeout: limit });
  return frame.evaluate((method) => got.filter((one) => one.method === method).map((one) => one.params), method);
}

export { appType, assert, eventually, limit, probe };
