// Apps that try to get out, to approve their own calls, or to wear the host down.
import { createServer } from "node:http";
import { test } from "node:test";
import { assert, eventually, harness, limit, probe, received } from "./harness.mjs";

const run = harness();

/** What a piece of script in the app ends with: its value, or the name of its error. */
const attempt = (frame, source) => frame.evaluate(async (source) => {
  try {
    return String(await (0, eval)(`(async () => (${source}))()`));
  } catch (error) {
    return error.name;
  }
}, source);

test("the page around an app, its storage and its cookies are out of reach", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe(), { options: { allowEval: true } });
  assert.equal(await attempt(frame, "parent.document"), "SecurityError");
  assert.equal(await attempt(frame, "top.document"), "SecurityError");
  assert.equal(await attempt(frame, "localStorage"), "SecurityError");
  assert.equal(await attempt(frame, "document.cookie"), "SecurityError");
  assert.equal(await attempt(frame, "self.origin"), "null");
  assert.equal(await attempt(frame, "String(window.open('about:blank'))"), "null");
  assert.equal(await attempt(frame, "top.location = 'about:blank'"), "SecurityError");
  assert.equal(page.url(), `${run.host.address}/`);
});

test("an app that makes itself bigger than allowed, all the time, stops at the bound", async () => {
  const page = await run.page();
  await page.evaluate(() => globalThis.view.setAttribute("max-height", "500"));
  const frame = await run.open(page, probe(`let height = 100; addEventListener("resize", () => note("ui/notifications/size-changed", { height: height += 100 }));`));
  await frame.evaluate(() => note("ui/notifications/size-changed", { height: 1e9 }));
  // It answers each resize by another one: 200, 300, 400, 500, and 600, which is not given any more.
  await frame.waitForFunction(() => height === 600, undefined, { timeout: limit });
  for (const height of [NaN, -1, "x", "1", null, {}, []]) {
    await frame.evaluate((height) => (note("ui/notifications/size-changed", { height }), ask("ping")), height);
    // The element changes the size in the next frame, if it does; so look after that.
    const shown = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(globalThis.view.shadowRoot.querySelector("iframe").clientHeight))));
    assert.equal(shown, 500, `after ${JSON.stringify(height)}`);
  }
});

test("neither fetch nor an image, a form or a navigation leaves the sandbox", async () => {
  const reached = [];
  const outside = createServer((request, response) => (reached.push(request.url), response.end("x")));
  await new Promise((resolve) => outside.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${outside.address().port}`;
  try {
    const page = await run.page();
    const frame = await run.open(page, probe());
    const blocked = await frame.evaluate(async (address) => {
      const violations = [];
      addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
      await fetch(`${address}/fetch`).catch(() => {});
      const image = new Image();
      await new Promise((resolve) => {
        image.onerror = resolve;
        image.src = `${address}/image`;
      });
      return violations;
    }, address);
    assert.deepEqual(blocked, ["connect-src", "img-src"]);
    for (const leave of [
      (address) => (location.href = `${address}/navigation`),
      (address) => document.body.appendChild(Object.assign(document.createElement("form"), { action: `${address}/form` })).submit(),
      (address) => (document.head.innerHTML = `<meta http-equiv="refresh" content="0;url=${address}/refresh">`),
    ]) {
      const again = await run.page();
      const leaving = await run.open(again, probe());
      await leaving.evaluate(leave, address).catch(() => {});
      // The frame that was refused shows an error of the browser instead of the page outside.
      await eventually(() => again.frames().some((one) => one.url().startsWith("chrome-error:")), "the refusal");
    }
    assert.deepEqual(reached, []);
  } finally {
    await new Promise((resolve) => (outside.close(resolve), outside.closeAllConnections()));
  }
});

test("a domain that would change the policy is left out", async () => {
  const page = await run.page();
  const bad = ["https://a.example; script-src *", "https://a.example 'unsafe-eval'", "*", "https:", "'self'", "data:", "https://*", "https://a.example\">", "javascript://x", "https://a.example/path", "https://user@a.example", ["https://a.example;x"], 7, null, "https://a.example\n"];
  const domains = [...bad, "https://good.example", "https://*.good.example:8443"];
  const frame = await run.open(page, probe(), { resource: { _meta: { ui: { csp: { connectDomains: domains, resourceDomains: domains, frameDomains: domains, baseUriDomains: domains } } } } });
  const { result } = await frame.evaluate(() => window.answer);
  const good = ["https://good.example", "https://*.good.example:8443"];
  assert.deepEqual(result.hostCapabilities.sandbox.csp, { connectDomains: good, resourceDomains: good, frameDomains: good, baseUriDomains: good });
  const policy = await frame.evaluate(() => document.querySelector("meta").content);
  assert.equal(policy.split(";").find((one) => one.startsWith("script-src")).trim(), "script-src 'self' 'unsafe-inline' https://good.example https://*.good.example:8443");
  assert.equal(policy.split(";").length, 11);
});

test("markup before the policy, or a policy of the app's own, changes nothing", async () => {
  const page = await run.page();
  const tricks = `<!-- <head> --><meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline'"><base href="https://evil.example/">${probe()}`;
  const frame = await run.open(page, tricks);
  assert.equal(await frame.evaluate(() => document.head.firstElementChild.content.slice(0, 18)), "default-src 'none'");
  assert.equal(await frame.evaluate(() => fetch("https://evil.example/").then(() => "sent", () => "blocked")), "blocked");
  assert.equal(await frame.evaluate(() => document.compatMode), "CSS1Compat");
});

test("an app can't approve its own calls", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await frame.evaluate(() => ask("tools/call", { name: "both", arguments: { path: "a" }, task: { ttl: 1 }, _meta: {
    preview: true, granted_scopes: ["write:*"], allowed_scopes: ["*"], denied_scopes: [], policy: { read_only: false }, progressToken: 1, anything: 1,
    "dev.overt/plan": "sha256-x", "dev.overt/grant": "token", "dev.overt/policy-source": "human", "dev.overt/session": "s", "DEV.overt/grant": "t",
    "io.modelcontextprotocol/clientCapabilities": {}, "mcp.dev/x": 1, "tools.mcp.com/x": 1, "com.example/own": { a: 1 },
  } }));
  assert.deepEqual(run.calls, [{ name: "both", arguments: { path: "a" }, _meta: { preview: true, "dev.overt/plan": "sha256-x", "com.example/own": { a: 1 } } }]);
  await frame.evaluate(() => ask("tools/call", { name: "both", _meta: { preview: "no", "dev.overt/plan": { a: 1 } } }));
  assert.deepEqual(run.calls[1], { name: "both", arguments: {} });
});

test("tools that are not for apps, or not of this server, are not called", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  for (const name of ["for_models", "unreadable", "other_servers_tool", "toString", 7, { name: "both" }]) {
    const { error } = await frame.evaluate((name) => ask("tools/call", { name }), name);
    assert.equal(error.code, -32602);
  }
  assert.deepEqual(run.calls, []);
});

test("links that are not of the web are not opened", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  for (const url of ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "", null]) {
    assert.equal((await frame.evaluate((url) => ask("ui/open-link", { url }), url)).error.code, -32602);
  }
  assert.deepEqual(await run.seen(page, "opened"), []);
});

test("messages of other frames are not listened to", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await page.evaluate(() => {
    const other = document.body.appendChild(document.createElement("iframe"));
    other.contentWindow.eval(`parent.postMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "both" } }, "*")`);
    postMessage({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "both" } }, "*");
  });
  // The app itself past its sandbox page.
  await frame.evaluate(() => top.postMessage({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "both" } }, "*"));
  // Another window of the sandbox's own origin.
  await page.evaluate((address) => (document.body.appendChild(document.createElement("iframe")).src = `${address}/sandbox.html`), run.host.sandbox);
  const twin = await eventually(() => page.frames().find((one) => one.url().startsWith(run.host.sandbox) && one !== frame.parentFrame()), "the other frame");
  await twin.evaluate(() => parent.postMessage({ jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "both" } }, "*"));
  // A sandbox message of the app's own is not passed on.
  await frame.evaluate(() => note("ui/notifications/sandbox-proxy-ready"));
  await frame.evaluate(() => ask("ping"));
  assert.deepEqual(run.calls, []);
  assert.equal((await frame.evaluate(() => got.length)), 2);
});

test("a frame that shows another page is not listened to any more", async () => {
  const page = await run.page();
  await run.open(page, probe());
  const other = `${run.host.address}/mcp-view/sandbox.html`;
  await page.evaluate((url) => (globalThis.view.shadowRoot.querySelector("iframe").src = url), other);
  const outer = await eventually(() => page.frames().find((one) => one.url() === other), "the other page");
  await outer.waitForLoadState();
  await outer.evaluate(() => parent.postMessage({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "both" } }, "*"));
  // Messages arrive in order: this one shows that the one before has been looked at.
  await page.evaluate(() => void (globalThis.arrived = new Promise((resolve) => addEventListener("message", ({ data }) => data === "end" && resolve()))));
  await outer.evaluate(() => parent.postMessage("end", "*"));
  await page.evaluate(() => globalThis.arrived);
  assert.deepEqual(run.calls, []);
  assert.deepEqual(await run.seen(page, "tools-call"), []);
});

test("requests before the handshake are refused", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe(`window.early = ask("tools/call", { name: "both" });`));
  assert.equal((await frame.evaluate(() => window.early)).error.message, "Send ui/initialize first.");
  assert.deepEqual(run.calls, []);
});

test("too many requests at once, and a used id, are refused", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  const refused = await frame.evaluate(async () => {
    for (let count = 0; count < 64; count += 1) void ask("tools/call", { name: "both", arguments: { wait: 1 } });
    return ask("ping");
  });
  assert.match(refused.error.message, /too many requests run/);
});

test("a message that is too long, or is not JSON, does not reach the host", async () => {
  const page = await run.page();
  const frame = await run.open(page, probe());
  await frame.evaluate(() => {
    note("notifications/message", { level: "info", data: "x".repeat(9_000_000) });
    const ring = {};
    ring.ring = ring;
    note("notifications/message", ring);
    note("notifications/message", { level: "info", data: new Map([[1, 2]]) });
  });
  await frame.evaluate(() => ask("ping"));
  assert.deepEqual(await run.seen(page, "log"), [{ level: "info", data: {} }]);
});

test("100 MB of HTML, another media type and a sandbox on the same origin are refused", async () => {
  const page = await run.page();
  const refusal = (resource, url) => page.evaluate(([resource, url]) => {
    if (url) globalThis.view.setAttribute("sandbox-url", url);
    const text = resource.size ? "x".repeat(resource.size) : "<p>";
    return globalThis.view.open({ host: globalThis.host, resource: { uri: "ui://a/b", mimeType: "text/html;profile=mcp-app", ...resource, text } }).then(() => "shown", (error) => error.message);
  }, [resource, url]);
  assert.equal(await refusal({ size: 100_000_000 }), "The app has more than 16000000 characters.");
  assert.equal(await refusal({ mimeType: "image/svg+xml" }), "The media type of an app is text/html;profile=mcp-app.");
  assert.equal(await refusal({}, "/mcp-view/sandbox.html"), "sandbox-url must be on another origin.");
  assert.equal(await page.evaluate(() => globalThis.view.state), "failed");
  assert.equal(page.frames().length, 1);
});

test("permissions are given only as far as both sides name them", async () => {
  const page = await run.page();
  const permissions = { camera: {}, microphone: {}, "fullscreen *; camera": {} };
  const frame = await run.open(page, probe(), { resource: { _meta: { ui: { permissions } } }, options: { permissions: ["microphone", "geolocation"] } });
  assert.deepEqual((await frame.evaluate(() => window.answer)).result.hostCapabilities.sandbox.permissions, { microphone: {} });
  assert.equal(await page.evaluate(() => globalThis.view.shadowRoot.querySelector("iframe").allow), "microphone");
  assert.equal(await frame.parentFrame().evaluate(() => document.querySelector("iframe").allow), "microphone *");
  assert.equal(await frame.parentFrame().evaluate(() => document.querySelector("iframe").sandbox.value), "allow-scripts allow-forms");
  await received(frame, "x", 0);
});
