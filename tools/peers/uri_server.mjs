// A server of files over stdio that reads `file:` URIs as Node does: `new URL`, then `fileURLToPath`.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const listed = process.argv.slice(2);
const answers = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { resources: {} },
    serverInfo: { name: "node-files", version: "1" },
  }),
  "tools/list": () => ({ tools: [] }),
  "resources/list": () => ({ resources: listed.map((path) => ({ uri: pathToFileURL(path).href, name: path })) }),
  "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "file:///{+path}", name: "file" }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: readFileSync(fileURLToPath(new URL(uri)), "utf8") }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  let answer;
  try {
    if (!answers[method]) throw Object.assign(new Error("no such method"), { code: -32601 });
    answer = { result: answers[method](params) };
  } catch (error) {
    answer = { error: { code: Number.isInteger(error.code) ? error.code : -32002, message: String(error.message) } };
  }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}
