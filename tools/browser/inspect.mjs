// `overt inspect` with a server behind it, for tests of the page before the program itself.
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Starts it with `target(folder)` as the command of the server. The server runs in the folder `project`. */
export async function startInspect(binary, target) {
  const folder = mkdtempSync(join(tmpdir(), "overt-try-"));
  mkdirSync(join(folder, "project"));
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
  const child = spawn(binary, ["inspect", "--env", `OVERT_STATE_DIR=${join(folder, "own")}`, "--", ...target(folder)], { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  const address = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  const [, origin, token] = /^(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)$/.exec(address);
  const exited = new Promise((resolve) => child.once("close", resolve));
  return {
    project: join(folder, "project"),
    address: origin,
    token,
    async stop() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
