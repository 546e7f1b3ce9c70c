// Builds the page into dist/. The files there are committed and embedded by the Rust side, so the
// build must give the same bytes on every machine. `--check` compares instead of writing.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
/** The most bytes of each script, minified. The page loads `try.js` for its view only, and `try-parts.js` after it. */
const budgets = { "overt.js": 120_000, "try.js": 70_000, "try-parts.js": 40_000 };

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
};
const module = { ...shared, format: "esm", target: "es2022", conditions: ["production"] };
const script = await build({ ...module, entryPoints: ["src/shell/bundle.ts"] });

/**
 * A later bundle takes what it shares from an earlier one, and nothing else from outside its folder.
 * Indentation in templates is left out.
 */
function laterBundle(folder, shared) {
  return {
    name: "later-bundle",
    setup(building) {
      for (const [filter, path] of shared) building.onResolve({ filter }, () => ({ path, external: true }));
      building.onResolve({ filter: /./ }, ({ path, importer, resolveDir }) => {
        if (!importer || join(resolveDir, path).startsWith(join(here, folder))) return null;
        return { errors: [{ text: `${path} would be in two bundles. Export it from the earlier one.` }] };
      });
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({ loader: "ts", contents: (await readFile(path, "utf8")).replace(/\n\s+/g, "\n") }));
    },
  };
}
const ofPage = [/\/shell\/shared$/, "./overt.js"];
const tryScript = await build({ ...module, entryPoints: ["src/try/bundle.ts"], plugins: [laterBundle("src/try", [ofPage])] });
const partsScript = await build({ ...module, entryPoints: ["src/try/parts/bundle.ts"], plugins: [laterBundle("src/try/parts", [ofPage, [/^\.\.\/exports$/, "./try.js"]])] });
const style = await build({ ...shared, entryPoints: ["styles/overt.css"] });

const files = new Map([
  ["overt.js", script.outputFiles[0].text],
  ["try.js", tryScript.outputFiles[0].text],
  ["try-parts.js", partsScript.outputFiles[0].text],
  ["overt.css", style.outputFiles[0].text],
  ["index.html", await readFile(join(here, "src/index.html"), "utf8")],
  ["icon.svg", await readFile(join(here, "src/icon.svg"), "utf8")],
]);

const sizes = Object.entries(budgets).map(([name, budget]) => ({ name, budget, size: Buffer.byteLength(files.get(name)) }));
for (const { name, budget, size } of sizes) {
  if (size <= budget) continue;
  console.error(`${name} has ${size} bytes; at most ${budget} are allowed. Make it smaller.`);
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
const words = sizes.map(({ name, budget, size }) => `${name} ${size} of ${budget} bytes`);
console.log(`${words.join(", ")}, overt.css ${Buffer.byteLength(files.get("overt.css"))}`);
process.exit(stale ? 1 : 0);
