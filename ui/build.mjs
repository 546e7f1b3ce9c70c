// Builds the page into dist/. The files there are committed and embedded by the Rust side, so the
// build must give the same bytes on every machine. `--check` compares instead of writing.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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
const script = await build({
  ...shared,
  entryPoints: ["src/main.ts"],
  format: "esm",
  target: "es2022",
  conditions: ["production"],
});
const style = await build({ ...shared, entryPoints: ["styles/overt.css"] });

const files = new Map([
  ["overt.js", script.outputFiles[0].text],
  ["overt.css", style.outputFiles[0].text],
  ["index.html", await readFile(join(here, "src/index.html"), "utf8")],
  ["icon.svg", await readFile(join(here, "src/icon.svg"), "utf8")],
]);

const size = Buffer.byteLength(files.get("overt.js"));
if (size > scriptBudget) {
  console.error(`overt.js has ${size} bytes; at most ${scriptBudget} are allowed. Make it smaller.`);
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
console.log(`overt.js ${size} of ${scriptBudget} bytes, overt.css ${Buffer.byteLength(files.get("overt.css"))}`);
process.exit(stale ? 1 : 0);
