// `overt fs` behind a host page: a folder of its own, a state of its own, and its two apps.
import { execFile } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ui } from "../browser.mjs";
import { appType } from "./harness.mjs";
import { StdioClient } from "./stdio.mjs";

const diffTools = ["create_directory", "write_file", "edit_file", "move_file", "copy_file", "delete_file", "revert_change"];
const browserTool = {
  name: "open_file_browser",
  description: "Opens a file browser for the user.",
  inputSchema: { type: "object", properties: {} },
  _meta: { ui: { resourceUri: "ui://overt-fs/browser.html" } },
};

/** Starts the server. `rpc` answers as it will when it has the apps itself. */
export async function startFiles(fill = () => {}) {
  const program = process.env.OVERT_BINARY;
  if (!program) throw new Error("Set OVERT_BINARY to the program `overt`.");
  const folder = mkdtempSync(join(tmpdir(), "overt-apps-"));
  const root = join(folder, "files");
  mkdirSync(root);
  fill(root);
  const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  const client = new StdioClient(program, ["fs", root], { env, cwd: root });
  await client.initialize();
  const calls = [];
  const rpc = async (method, params) => {
    if (method === "resources/read" && params.uri?.startsWith("ui://overt-fs/")) {
      const text = readFileSync(join(ui, "dist/apps", params.uri.slice("ui://overt-fs/".length)), "utf8");
      return { contents: [{ uri: params.uri, mimeType: appType, text, _meta: { ui: { prefersBorder: false } } }] };
    }
    if (method === "tools/call") {
      if (params.name === browserTool.name) return { content: [{ type: "text", text: "The file browser is open." }] };
      calls.push(params);
    }
    const result = await client.request(method, params);
    if (method !== "tools/list") return result;
    const ui_ = { resourceUri: "ui://overt-fs/diff.html" };
    const marked = result.tools.map((tool) => (diffTools.includes(tool.name) ? { ...tool, _meta: { ...tool._meta, ui: ui_, "ui/resourceUri": ui_.resourceUri } } : tool));
    return { ...result, tools: params.cursor ? marked : [browserTool, ...marked] };
  };
  return {
    root,
    rpc,
    calls,
    client,
    /** Runs another command of the program as the person at the keyboard. */
    overt: (...args) => promisify(execFile)(program, args, { env, cwd: root }),
    async stop() {
      await client.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
