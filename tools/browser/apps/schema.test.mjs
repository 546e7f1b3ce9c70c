// Every message that `<mcp-view>`, its sandbox page and the two apps send, against the schema of MCP Apps.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startFiles } from "./fs.mjs";
import { assert, eventually, harness } from "./harness.mjs";

const require = createRequire(new URL("../../../.tools/npm/package.json", import.meta.url));
const { default: Ajv } = require("ajv/dist/2020.js");
const schema = JSON.parse(readFileSync(require.resolve("@modelcontextprotocol/ext-apps/schema.json"), "utf8"));
// The published schema refers to a definition that it does not have.
schema.$defs.__schema0 = {};
// It also closes both halves of an intersection, so that no value with a width and a height could fit.
for (const { properties } of [schema.$defs.McpUiHostContext, schema.$defs.McpUiHostContextChangedNotification.properties.params, schema.$defs.McpUiInitializeResult.properties.hostContext]) {
  const halves = properties.containerDimensions.allOf;
  for (const choice of halves.flatMap((half) => half.anyOf)) delete choice.additionalProperties;
}
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(schema, "apps");

const definitions = {
  "ui/initialize": "McpUiInitializeRequest",
  "ui/resource-teardown": "McpUiResourceTeardownRequest",
  "ui/notifications/initialized": "McpUiInitializedNotification",
  "ui/notifications/size-changed": "McpUiSizeChangedNotification",
  "ui/notifications/sandbox-proxy-ready": "McpUiSandboxProxyReadyNotification",
  "ui/notifications/sandbox-resource-ready": "McpUiSandboxResourceReadyNotification",
  "ui/notifications/tool-input": "McpUiToolInputNotification",
  "ui/notifications/tool-input-partial": "McpUiToolInputPartialNotification",
  "ui/notifications/tool-result": "McpUiToolResultNotification",
  "ui/notifications/tool-cancelled": "McpUiToolCancelledNotification",
  "ui/notifications/host-context-changed": "McpUiHostContextChangedNotification",
};
const results = { "ui/initialize": "McpUiInitializeResult", "ui/resource-teardown": "McpUiResourceTeardownResult" };

function problems(definition, value) {
  const validate = ajv.getSchema(`apps#/$defs/${definition}`);
  return validate(value) ? [] : [`${definition}: ${ajv.errorsText(validate.errors)}`];
}

let files;
const run = harness(async (run) => {
  files = await startFiles((root) => writeFileSync(join(root, "a.txt"), "one\n"));
  run.stop = () => files.stop();
  return files.rpc;
});

test("the messages fit the schema", async () => {
  const page = await run.page();
  // The three windows see everything that is sent, in either direction.
  const seen = [];
  await page.context().exposeBinding("noteMessage", (_, data) => void seen.push(JSON.parse(data)));
  await page.context().addInitScript(() => addEventListener("message", ({ data }) => void globalThis.noteMessage(JSON.stringify(data))));
  await page.reload();
  await page.waitForFunction(() => globalThis.ready);
  const open = (name, input, meta, outcome) => page.evaluate(async ([name, input, meta, outcome]) => {
    const { view, host, rpc } = globalThis;
    const tool = (await rpc("tools/list", {})).tools.find((one) => one.name === name);
    const { contents } = await rpc("resources/read", { uri: tool._meta.ui.resourceUri });
    view.styles = () => Object.fromEntries(globalThis.variableNames.map((name) => [name, "inherit"]));
    const { title, description, inputSchema, _meta } = tool;
    await view.open({ host, tool: { name, title, description, inputSchema, _meta }, toolCallId: 5, resource: contents[0] });
    view.setAttribute("theme", "dark");
    view.displayModes = ["inline", "fullscreen"];
    view.setAttribute("display-mode", "fullscreen");
    view.setAttribute("display-mode", "inline");
    view.send("tool-input-partial", { arguments: {} });
    view.send("tool-input", { arguments: input });
    if (outcome === "cancelled") view.send("tool-cancelled", { reason: "test" });
    else view.send("tool-result", await rpc("tools/call", { name, arguments: input, _meta: meta }));
  }, [name, input, meta, outcome]);
  const app = () => eventually(() => page.frames().find((frame) => frame.url() === "about:srcdoc"), "the app");

  await open("edit_file", { path: "a.txt", edits: [{ find: "one", replace: "1" }] }, { preview: true });
  await (await app()).getByRole("button", { name: "Apply" }).waitFor();
  await open("edit_file", { path: "a.txt", edits: [{ find: "one", replace: "1" }] }, {}, "cancelled");
  await (await app()).getByText("Cancelled: test").waitFor();
  await open("open_file_browser", {}, {});
  await (await app()).getByRole("option", { name: /a\.txt/ }).waitFor();
  await page.evaluate(() => {
    globalThis.view.stopTimeout = 60_000;
    return globalThis.view.close();
  });
  await eventually(() => seen.some((one) => one?.id === "teardown" && one.method) && seen.some((one) => one?.id === "teardown" && one.result), "the teardown");

  const found = new Set();
  const faults = [];
  const initializeIds = new Set();
  for (const message of seen.filter((one) => one?.jsonrpc === "2.0")) {
    const { method, id, result } = message;
    if (method === "ui/initialize") initializeIds.add(id);
    if (method && definitions[method]) {
      found.add(method);
      faults.push(...problems(definitions[method], { method, params: message.params }));
    } else if (method?.startsWith("ui/")) faults.push(`${method} is not in the table of this test`);
    else if (result?.hostInfo) faults.push(...problems(results["ui/initialize"], result));
    else if (id === "teardown") faults.push(...problems(results["ui/resource-teardown"], result));
  }
  assert.deepEqual([...new Set(faults)], []);
  const missing = Object.keys(definitions).filter((method) => !found.has(method));
  assert.deepEqual(missing, []);
  assert.ok(initializeIds.size > 0);
});

test("the check finds a message that does not fit", () => {
  assert.equal(problems("McpUiToolInputNotification", { method: "ui/notifications/tool-input", params: { arguments: 7 } }).length, 1);
});
