// Starts Chromium for the tests. The packages are those of ui/node_modules.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(new URL("../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const ui = fileURLToPath(new URL("../../ui/", import.meta.url));

export function launch() {
  return chromium.launch({
    executablePath: process.env.OVERT_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** The violations that axe finds on a page, as short texts. */
export async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  return found.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => `${node.target.join(" ")} (${node.any[0]?.message ?? node.all[0]?.message ?? node.none[0]?.message ?? ""})`).join("; ")}`);
}
