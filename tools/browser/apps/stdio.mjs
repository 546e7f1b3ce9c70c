// A small MCP client over the standard streams of a child process.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class StdioClient {
  #waiting = new Map();
  #lastId = 0;
  #child;

  constructor(command, args, options = {}) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], ...options });
    this.exited = new Promise((resolve) => this.#child.once("close", resolve));
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#receive(JSON.parse(line)));
    void this.exited.then(() => {
      for (const [, { reject }] of this.#waiting) reject(new Error(`${command} has ended`));
    });
  }

  #receive(message) {
    if (message.method && message.id !== undefined) {
      this.#send({ id: message.id, error: { code: -32601, message: "This client answers no requests." } });
    } else if (!message.method) {
      const { resolve, reject } = this.#waiting.get(message.id) ?? {};
      this.#waiting.delete(message.id);
      if (message.error) reject?.(Object.assign(new Error(message.error.message), { code: message.error.code }));
      else resolve?.(message.result);
    }
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  request(method, params = {}) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  async initialize() {
    const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
    const result = await this.request("initialize", { protocolVersion: "2025-11-25", capabilities: { extensions }, clientInfo: { name: "apps-test", version: "1" } });
    this.#send({ method: "notifications/initialized" });
    return result;
  }

  async stop() {
    this.#child.stdin.end();
    this.#child.kill();
    await this.exited;
  }
}
