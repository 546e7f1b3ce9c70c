// Builds the page, `<mcp-view>` and the apps into dist/. The files there are committed and embedded by
// the Rust side, so the build must give the same bytes on every machine. `--check` compares instead of
// writing; `--package` puts `<mcp-view>` where npm packs it from.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** The most bytes that a file may have, minified and uncompressed. */
const budgets = {
  "overt.js": 120_000,
  "more.js": 30_000,
  "try.js": 70_000,
  "try-parts.js": 40_000,
  "mcp-view/mcp-view.js": 8_192,
  "mcp-view/legacy.js": 3_072,
  "mcp-view/legacy-bridge.js": 3_072,
  "mcp-view/page-context.js": 1_280,
  "mcp-view/sandbox.html": 4_096,
  "apps/diff.html": 14_336,
  "apps/browser.html": 22_528,
};

/** What older pages need is in files of their own, loaded when such a page is shown. */
const separateLegacy = {
  name: "separate-legacy",
  setup(build) {
    build.onResolve({ filter: /^\.\/legacy/ }, ({ kind, path }) => (kind === "dynamic-import" ? { path: `${path}.js`, external: true } : null));
  },
};

/** Members that only the files of `<mcp-view>` itself use; they get short names. */
const insideOfView = /^(setDisplayMode|closeSoon|initialized|resize|refresh|tell|finish|emit)$/;

/** The same for the apps. None of these names is in a message. */
const insideOfApps = /^(isOpen|nearEnd|renaming|redraw|again|intent|rows|active|made|inner|level|shown)$/;

async function bundle(entry, options = {}) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
    ...(entry.endsWith(".ts") && { format: "esm", target: "es2022", conditions: ["production"] }),
    ...options,
  });
  return outputFiles[0].text;
}

const source = (path) => readFile(join(here, path), "utf8");
const oneLine = (html) => html.replace(/>\n+/g, ">").trim();
/** Puts a script into a page. Its text can't end the element. */
const withScript = (html, script) => html.replace("<script></script>", () => `<script>${script.trim().replaceAll("</script", "<\\/script")}</script>`);

async function sandboxPage() {
  const html = (await source("mcp-view/src/sandbox.html")).replace(/\s+(?=[{}])|(?<=[{};,:])\s+/g, "");
  return withScript(oneLine(html), await bundle("mcp-view/src/sandbox.ts", { format: "iife" }));
}

/** White space between the tags of a template means nothing in the apps. */
const shortTemplates = {
  name: "short-templates",
  setup(build) {
    build.onLoad({ filter: /\/apps\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/(?<=[>}])\n\s+(?=<|\$\{)/g, "").replace(/\n\s+(?=(aria-|@)[\w-]+=)/g, " "),
      loader: "ts",
    }));
  },
};

/** An app is one file: nothing may be loaded in a sandbox. */
async function app(name) {
  const style = (await bundle(`apps/${name}/${name}.css`)).trim();
  const html = oneLine(await source(`apps/${name}/${name}.html`)).replace("<style></style>", () => `<style>${style}</style>`);
  return withScript(html, await bundle(`apps/${name}/main.ts`, { format: "iife", plugins: [shortTemplates], mangleProps: insideOfApps }));
}

/**
 * A bundle that is loaded later, see `src/lazy.ts`. It takes what it shares from an earlier bundle, and nothing else from outside of
 * its places. Indentation in its templates is left out.
 */
function laterBundle(places, shared) {
  return {
    name: "later-bundle",
    setup(building) {
      for (const [filter, path] of shared) building.onResolve({ filter }, () => ({ path, external: true }));
      building.onResolve({ filter: /./ }, ({ path, importer, resolveDir }) => {
        if (!importer || places.some((place) => join(resolveDir, path).startsWith(join(here, place)))) return null;
        return { errors: [{ text: `${path} would be in two bundles. Export it from the earlier one.` }] };
      });
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({ loader: "ts", contents: (await readFile(path, "utf8")).replace(/\n\s+/g, "\n") }));
    },
  };
}
const ofPage = [/\/shell\/shared$/, "./overt.js"];
const ofTry = [/^\.\.\/exports$/, "./try.js"];

const files = new Map([
  ["overt.js", await bundle("src/shell/bundle.ts")],
  ["more.js", await bundle("src/more.ts", { plugins: [laterBundle(["src/policy", "src/servers/definitions", "src/servers/trust"], [ofPage])] })],
  ["try.js", await bundle("src/try/bundle.ts", { plugins: [laterBundle(["src/try"], [ofPage])] })],
  ["try-parts.js", await bundle("src/try/parts/bundle.ts", { plugins: [laterBundle(["src/try/parts"], [ofPage, ofTry])] })],
  ["overt.css", await bundle("styles/overt.css")],
  ["index.html", await source("src/index.html")],
  ["icon.svg", await source("src/icon.svg")],
  ["mcp-view/mcp-view.js", await bundle("mcp-view/src/index.ts", { plugins: [separateLegacy], mangleProps: insideOfView })],
  ["mcp-view/legacy-bridge.js", await bundle("mcp-view/src/legacy-bridge.ts")],
  ["mcp-view/legacy.js", await bundle("mcp-view/src/legacy.ts")],
  ["mcp-view/page-context.js", await bundle("mcp-view/src/page-context.ts")],
  ["mcp-view/sandbox.html", await sandboxPage()],
  ["apps/diff.html", await app("diff")],
  ["apps/browser.html", await app("browser")],
]);

let problems = 0;
for (const [name, budget] of Object.entries(budgets)) {
  const size = Buffer.byteLength(files.get(name));
  console.log(`${name} ${size} of ${budget} bytes`);
  if (size <= budget) continue;
  console.error(`${name} has ${size} bytes; at most ${budget} are allowed. Make it smaller.`);
  problems += 1;
}

const check = process.argv.includes("--check");
const forPackage = process.argv.includes("--package");
for (const [name, text] of problems ? [] : files) {
  if (forPackage && !name.startsWith("mcp-view/")) continue;
  const path = forPackage ? join(here, "mcp-view/dist", name.slice("mcp-view/".length)) : join(here, "dist", name);
  if (!check) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
    console.error(`ui/dist/${name} is not what the source gives. Run \`npm run build\` in ui/.`);
    problems += 1;
  }
}
process.exit(problems ? 1 : 0);
