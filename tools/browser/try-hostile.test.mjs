// An app of a server that is not to be trusted, on the page of `overt inspect`. OVERT_BINARY names the program.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually, harness } from "./harness.mjs";
import { startInspect } from "./inspect.mjs";

const { OVERT_BINARY: binary } = process.env;
const server = fileURLToPath(new URL("apps/probe-server.mjs", import.meta.url));
let inspect;

if (binary) {
  before(async () => (inspect = await startInspect(binary, () => [process.execPath, server])));
  after(() => inspect?.stop());
  const run = harness();
  /** What the browser reports when it keeps an app from something. */
  const expects = ["Content Security Policy", "Refused to", "Blocked", "Unsafe attempt", "ERR_", "Failed to load", "violates"];
  const show = async () => {
    const page = await run.open("/?view=try&item=show", { ...inspect, expects });
    await page.waitForSelector(".try [data-state=connected]");
    await page.locator("[data-call]").click();
    const app = await eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the app");
    // A frame that is out of view draws nothing, so nothing may wait for it to draw.
    await eventually(() => app.evaluate(() => Boolean(window.answer)), "the handshake");
    return { page, app };
  };
  const records = (page) => page.evaluate(() => document.querySelector("overt-try").store.records.map(({ method, target, isByApp }) => ({ method, target, isByApp })));

  test("what would approve a call does not reach the server", async () => {
    const { page, app } = await show();
    const marks = { granted_scopes: ["all"], allowed_scopes: ["all"], policy: {}, "dev.overt/grant": "x", "dev.overt/policy-source": "human", "example.com/own": 1, preview: true };
    const { result } = await app.evaluate((_meta) => ask("tools/call", { name: "echo", arguments: { a: 1 }, _meta }), marks);
    const { _meta, ...call } = JSON.parse(result.content[0].text);
    assert.deepEqual(call, { name: "echo", arguments: { a: 1 } });
    // The token for progress is that of the page.
    assert.deepEqual(Object.keys(_meta).sort(), ["example.com/own", "preview", "progressToken"]);
    assert.deepEqual((await records(page))[0], { method: "tools/call", target: "echo", isByApp: true });
  });

  test("requests of an app wait for each other, and all are answered", async () => {
    const { page, app } = await show();
    const answers = await app.evaluate(() => Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((number) => ask("tools/call", { name: "echo", arguments: { number } }))));
    assert.deepEqual(answers.map(({ result }) => JSON.parse(result.content[0].text).arguments.number), [1, 2, 3, 4, 5, 6, 7, 8]);
    await page.getByText("The app made 8 calls.").waitFor();
  });

  test("tools that are not for apps, and what only a person may do, are refused", async () => {
    const { page, app } = await show();
    const before = (await records(page)).length;
    for (const [method, params] of [
      ["tools/call", { name: "for_models", arguments: {} }], ["tools/call", { name: "unknown", arguments: {} }], ["elicitation/create", {}],
      ["ui/open-link", { url: "https://elsewhere.example" }], ["ui/message", { role: "user", content: [] }], ["ui/download-file", { contents: [] }], ["sampling/createMessage", {}], ["logging/setLevel", { level: "debug" }],
    ]) {
      const { error } = await app.evaluate(([method, params]) => ask(method, params), [method, params]);
      assert.ok(error, `${method} ${JSON.stringify(params)}`);
    }
    assert.equal((await records(page)).length, before, "nothing was sent");
  });

  test("an app reaches neither the page nor its API nor any other host", async () => {
    const { page, app } = await show();
    const attempt = (source) => app.evaluate(async (source) => {
      const script = document.createElement("script");
      script.textContent = `window.outcome = (async () => (${source}))().then(String, (error) => error.name)`;
      document.body.append(script);
      return window.outcome;
    }, source);
    assert.equal(await attempt("top.document.title"), "SecurityError");
    assert.equal(await attempt("parent.document.title"), "SecurityError");
    assert.equal(await attempt("top.location.hash"), "SecurityError");
    assert.equal(await attempt("sessionStorage.length"), "SecurityError");
    for (const address of [`${inspect.address}/api/hello`, `${inspect.address}/api/inspect`, `${inspect.address}/overt.js`, "https://elsewhere.example/"]) {
      assert.equal(await attempt(`fetch(${JSON.stringify(address)})`), "TypeError", address);
    }
    // The domains that it declares are for the person to allow.
    await page.getByText("https://elsewhere.example").waitFor();
    await page.getByRole("button", { name: "Allow it" }).waitFor();
  });

  test("only the page may have the sandbox page in a frame, and it has nothing else", async () => {
    const page = await run.open("/?view=try", { ...inspect, expects });
    await page.waitForSelector(".try [data-state=connected]");
    const sandbox = await page.evaluate(() => document.querySelector("overt-try").session.hello.sandbox);
    const { origin } = new URL(sandbox);
    assert.notEqual(origin, inspect.address);
    const policy = (await fetch(inspect.address)).headers.get("content-security-policy");
    assert.match(policy, new RegExp(`; frame-src ${origin.replaceAll(".", "\\.")}$`));
    const served = await fetch(sandbox);
    assert.equal(served.headers.get("content-security-policy"), `frame-ancestors ${inspect.address}`);
    for (const path of ["/", "/api/hello", "/overt.js", "/sandbox.html/", "/index.html"]) assert.equal((await fetch(origin + path)).status, 404, path);
    assert.equal((await fetch(sandbox, { method: "POST", body: "{}" })).status, 405);
    assert.equal((await fetch(sandbox, { headers: { origin: "http://elsewhere.example" } })).status, 403);
  });
}
