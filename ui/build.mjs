// Builds the page into dist/. The files there are committed and embedded by the Rust side, so the
// build must give the same bytes on every machine. `--check` compares instead of writing.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const scriptBudget = 120_000;

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
};
// Two parts, and what they share: `overt.js` and `chunk.js` come with the page, `more.js` when a view needs it.
const script = await build({
  ...shared,
  entryPoints: { overt: "src/main.ts" },
  outdir: "dist",
  splitting: true,
  chunkNames: "[name]",
  format: "esm",
  target: "es2022",
  conditions: ["production"],
});
const style = await build({ ...shared, entryPoints: ["styles/overt.css"] });

const scripts = ["overt.js", "chunk.js", "more.js"];
const built = new Map(script.outputFiles.map(({ path, text }) => [basename(path), text]));
if ([...built.keys()].sort().join() !== [...scripts].sort().join()) {
  // The program embeds these three by name.
  console.error(`the build gives ${[...built.keys()].join(", ")} instead of ${scripts.join(", ")}`);
  process.exit(1);
}

const files = new Map([
  ...scripts.map((name) => [name, built.get(name)]),
  ["overt.css", style.outputFiles[0].text],
  ["index.html", await readFile(join(here, "src/index.html"), "utf8")],
  ["icon.svg", await readFile(join(here, "src/icon.svg"), "utf8")],
]);

const sizeOf = (...names) => names.reduce((sum, name) => sum + Buffer.byteLength(files.get(name)), 0);
const size = sizeOf("overt.js", "chunk.js");
if (size > scriptBudget) {
  console.error(`overt.js and chunk.js have ${size} bytes; at most ${scriptBudget} are allowed. Make them smaller, or load more of it later.`);
  process.exit(1);
}

const check = process.argv.includes("--check");
let stale = 0;
await mkdir(join(here, "dist"), { recursive: true });
for (const [name, text] of files) {
  const path = join(here, "dist", name);
  if (!check) {
    await writeFile(path, text);
  } else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
    console.error(`ui/dist/${name} is not what the source gives. Run \`npm run build\` in ui/.`);
    stale += 1;
  }
}
console.log(`first load ${size} of ${scriptBudget} bytes, more.js ${sizeOf("more.js")}, overt.css ${sizeOf("overt.css")}`);
process.exit(stale ? 1 : 0);
