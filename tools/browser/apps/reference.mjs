// Runs the reference apps of MCP Apps in `<mcp-view>`, offline. They are installed with
// `npm i --ignore-scripts` below .tools/apps (307 MB), so this is not part of the tests.
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "../browser.mjs";
import { startHost } from "./host.mjs";
import { StdioClient } from "./stdio.mjs";

const folder = fileURLToPath(new URL("../../../.tools/apps/node_modules/@modelcontextprotocol/", import.meta.url));
if (!existsSync(folder)) {
  console.error("The reference apps are not installed below .tools/apps.");
  process.exit(1);
}
const names = readdirSync(folder).filter((name) => existsSync(`${folder}${name}/dist/index.js`) && name.startsWith("server-"));
const least = { handshake: 19, content: 13, order: "connected, ontoolinput, ontoolresult" };

const browser = await launch();
let server;
const host = await startHost((method, params) => server.request(method, params));
const outcomes = [];
for (const name of names) {
  server = new StdioClient(process.execPath, [`${folder}${name}/dist/index.js`, "--stdio"]);
  const page = await browser.newPage();
  // Nothing but the two origins of the host is reached.
  await page.route((url) => !["127.0.0.1", "localhost"].includes(url.hostname), (route) => route.abort());
  try {
    await server.initialize();
    await page.goto(`${host.address}/`);
    await page.waitForFunction(() => globalThis.ready);
    const outcome = await page.evaluate(async () => {
      const { view, host, rpc } = globalThis;
      const { tools } = await rpc("tools/list", {});
      const uriOf = (tool) => tool._meta?.ui?.resourceUri ?? tool._meta?.["ui/resourceUri"];
      const tool = tools.find(uriOf);
      const { contents } = await rpc("resources/read", { uri: uriOf(tool) });
      view.startTimeout = 15_000;
      const problem = await view.open({ host, tool, toolCallId: 1, resource: contents[0], permissions: ["microphone", "clipboardWrite"] }).then(() => "", (error) => error.message);
      if (problem) return { tool: tool.name, handshake: false, problem };
      view.send("tool-input", { arguments: {} });
      view.send("tool-result", await rpc("tools/call", { name: tool.name, arguments: {} }).catch((error) => ({ isError: true, content: [{ type: "text", text: error.message }] })));
      return { tool: tool.name, handshake: true };
    });
    const app = page.frames().find((frame) => frame.url() === "about:srcdoc");
    // An app that shows something has more than a line that says it waits.
    outcome.content = outcome.handshake && (await app.waitForFunction(
      () => {
        const text = document.body.innerText.trim();
        const drawn = [...document.querySelectorAll("canvas, svg, table, button, input")].some((one) => one.getBoundingClientRect().width > 0);
        return (text.length > 200 || (text.length > 20 && drawn)) && !/^(connecting|loading|waiting|error|failed)/i.test(text);
      }, undefined, { timeout: 10_000 }).then(() => true, () => false));
    outcome.text = await app.evaluate(() => document.body.innerText.trim().replace(/\s+/g, " ").slice(0, 60)).catch(() => "");
    if (name === "server-debug") {
      // Its log has a time, a name and the data of each event.
      const log = await app.evaluate(() => document.body.innerText.match(/(?<=\]\n)\w+(?=:)/g) ?? []);
      outcome.order = log.join(", ");
    }
    outcomes.push({ name, ...outcome });
  } catch (error) {
    outcomes.push({ name, handshake: false, content: false, problem: String(error).split("\n")[0] });
  }
  const { handshake, content, problem = "", text = "" } = outcomes.at(-1);
  console.log(`${name.padEnd(32)} handshake ${handshake ? "yes" : "no "} content ${content ? "yes" : "no "} ${problem || text}`);
  await page.close();
  await server.stop();
}
await browser.close();
await host.stop();
const order = outcomes.find((one) => one.name === "server-debug")?.order;
console.log(`the debug app heard: ${order}`);
const handshakes = outcomes.filter((one) => one.handshake).length;
const shown = outcomes.filter((one) => one.content).length;
console.log(`${names.length} apps: ${handshakes} handshakes, ${shown} with content`);
process.exit(handshakes >= least.handshake && shown >= least.content && order === least.order ? 0 : 1);
