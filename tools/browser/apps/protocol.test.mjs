// `<mcp-view>` and an app that follows the specification: order, requests, events, context.
import { test } from "node:test";
import { assert, eventually, harness, limit, probe, received } from "./harness.mjs";

const run = harness();
const methods = (frame) => frame.evaluate(() => got.map((one) => one.method ?? `answer ${one.id}`));

test("nothing is sent before the app is initialized, and then everything in order", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe("", { initialized: false }), { wait: false });
  await frame.waitForFunction(() => window.answer);
  await page.evaluate(() => {
    globalThis.view.send("tool-input-partial", { arguments: { a: 1 } });
    globalThis.view.send("tool-input-partial", { arguments: { a: 12 } });
    globalThis.view.setAttribute("theme", "dark");
  });
  // An answer to a request shows that what was sent before would be here as well.
  await frame.evaluate(() => ask("ping"));
  assert.deepEqual(await methods(frame), ["answer 1", "answer 2"]);
  await frame.evaluate(() => note("ui/notifications/initialized"));
  await received(frame, "ui/notifications/tool-input-partial");
  await page.evaluate(() => {
    globalThis.view.send("tool-input-partial", { arguments: { a: 123 } });
    globalThis.view.send("tool-input", { arguments: { a: 1234 } });
    globalThis.view.send("tool-result", { content: [], isError: false });
  });
  await received(frame, "ui/notifications/tool-result");
  assert.deepEqual((await methods(frame)).slice(2), ["ui/notifications/tool-input-partial", "ui/notifications/host-context-changed",
    "ui/notifications/tool-input-partial", "ui/notifications/tool-input", "ui/notifications/tool-result"]);
  assert.deepEqual(await received(frame, "ui/notifications/tool-input-partial"), [{ arguments: { a: 12 } }, { arguments: { a: 123 } }]);
});

test("what comes out of turn is refused", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  const refused = (kind, params) => page.evaluate(([kind, params]) => {
    try {
      globalThis.view.send(kind, params);
      return "sent";
    } catch (error) {
      return error.message;
    }
  }, [kind, params]);
  assert.equal(await refused("tool-result", {}), "Not the time for tool-result.");
  assert.equal(await refused("tool-input", { arguments: {} }), "sent");
  assert.equal(await refused("tool-input", { arguments: {} }), "Not the time for tool-input.");
  assert.equal(await refused("tool-input-partial", { arguments: {} }), "Not the time for tool-input-partial.");
  assert.equal(await refused("tool-cancelled", { reason: "enough" }), "sent");
  assert.equal(await refused("tool-result", {}), "Not the time for tool-result.");
  assert.deepEqual(await received(frame, "ui/notifications/tool-cancelled"), [{ reason: "enough" }]);
});

test("the handshake tells capabilities and context", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  const { result } = await frame.evaluate(() => window.answer);
  assert.equal(result.protocolVersion, "2026-01-26");
  assert.deepEqual(result.hostInfo, { name: "Test host", version: "1" });
  assert.deepEqual(Object.keys(result.hostCapabilities).sort(), ["downloadFile", "logging", "message", "openLinks", "sandbox", "serverResources", "serverTools", "updateModelContext"]);
  const { hostContext } = result;
  assert.equal(hostContext.toolInfo.tool.name, "both");
  assert.equal(hostContext.displayMode, "inline");
  assert.equal(hostContext.containerDimensions.maxHeight, 2000);
  assert.deepEqual(hostContext.styles.variables, { "--color-text-primary": "light-dark(#111,#eee)", "--font-sans": "serif" });
  assert.equal(await page.evaluate(() => new Set(globalThis.variableNames).size), 76);
  assert.equal(hostContext.platform, "web");
  assert.equal(await page.evaluate(() => globalThis.view.state), "ready");
});

test("each request of an app reaches the host, and its answer the app", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  const ask = (method, params) => frame.evaluate(([method, params]) => ask(method, params), [method, params]);
  assert.deepEqual((await ask("tools/list", {})).result.tools.map((tool) => tool.name), ["both", "for_apps"]);
  assert.equal((await ask("tools/call", { name: "for_apps", arguments: { a: 1 } })).result.content[0].text, "called");
  assert.equal((await ask("resources/read", { uri: "ui://test/a" })).result.contents[0].text, "a text");
  assert.deepEqual((await ask("ui/open-link", { url: "https://example.com/" })).result, {});
  assert.deepEqual((await ask("ui/message", { role: "user", content: { type: "text", text: "hi" } })).result, {});
  assert.deepEqual((await ask("ui/update-model-context", { structuredContent: { a: 1 } })).result, {});
  assert.deepEqual((await ask("ui/download-file", { contents: [] })).result, {});
  assert.deepEqual(await run.seen(page, "opened"), [{ url: "https://example.com/" }]);
  assert.deepEqual(await run.seen(page, "sent"), [{ role: "user", content: [{ type: "text", text: "hi" }] }]);
  assert.deepEqual(await run.seen(page, "open-link"), [{ url: "https://example.com/" }]);
  assert.equal((await ask("sampling/createMessage", {})).error.code, -32601);
  assert.equal((await ask("constructor", {})).error.code, -32601);
  await frame.evaluate(() => note("notifications/message", { level: "info", data: "a log" }));
  await eventually(async () => (await run.seen(page, "log")).length, "the log");
});

test("the page can refuse what an app asks for", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await page.evaluate(() => globalThis.view.addEventListener("mcp-tools-call", (event) => event.preventDefault()));
  const { error } = await frame.evaluate(() => ask("tools/call", { name: "both" }));
  assert.equal(error.message, "The host refused.");
  assert.deepEqual(run.calls, []);
});

test("display modes, theme and size", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  assert.deepEqual((await frame.evaluate(() => ask("ui/request-display-mode", { mode: "fullscreen" }))).result, { mode: "inline" });
  await page.evaluate(() => (globalThis.view.displayModes = ["inline", "fullscreen"]));
  assert.deepEqual((await frame.evaluate(() => ask("ui/request-display-mode", { mode: "fullscreen" }))).result, { mode: "fullscreen" });
  const [changed] = await received(frame, "ui/notifications/host-context-changed");
  assert.equal(changed.displayMode, "fullscreen");
  await page.evaluate(() => globalThis.view.setAttribute("display-mode", "inline"));
  await page.evaluate(() => globalThis.view.setAttribute("theme", "dark"));
  assert.equal((await received(frame, "ui/notifications/host-context-changed", 3))[2].theme, "dark");
  await frame.evaluate(() => note("ui/notifications/size-changed", { width: 10, height: 321.5 }));
  await page.waitForFunction(() => globalThis.view.shadowRoot.querySelector("iframe").clientHeight === 322, undefined, { timeout: limit });
});

test("teardown waits for the app, and comes at its own request", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await page.evaluate(() => (globalThis.view.stopTimeout = 60_000));
  await frame.evaluate(() => note("ui/notifications/request-teardown"));
  await page.waitForFunction(() => globalThis.view.state === "closed");
  assert.equal(await page.evaluate(() => globalThis.view.shadowRoot.childElementCount), 0);
  assert.deepEqual(await run.seen(page, "state"), ["loading", "ready", "closed"]);
});

test("an app that is closed while it works has its calls cancelled", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await frame.evaluate(() => void ask("tools/call", { name: "both", arguments: { wait: 1 } }));
  await eventually(() => run.calls.length, "the call");
  await page.evaluate(() => globalThis.view.remove());
  assert.deepEqual(await run.seen(page, "aborted"), ["both"]);
});

test("an app can cancel its own request", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await frame.evaluate(() => void ask("tools/call", { name: "both", arguments: { wait: 1 } }));
  await eventually(() => run.calls.length, "the call");
  await frame.evaluate(() => note("notifications/cancelled", { requestId: last }));
  await eventually(async () => (await run.seen(page, "aborted")).length, "the cancellation");
});

test("lists that changed are told, and tools are looked up again", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await page.evaluate(() => globalThis.view.send("tools/list_changed", {}));
  await received(frame, "notifications/tools/list_changed");
});
