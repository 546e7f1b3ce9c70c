// Takes screenshots of Try, light and dark, wide and narrow, into the folder that the first argument names.
import { launch } from "./browser.mjs";
import { TryMock } from "./try-mock.mjs";

const folder = process.argv[2] ?? ".";
const mock = await new TryMock().start();
const browser = await launch();
const preview = async (page) => {
  await page.getByRole("button", { name: "Rename a function" }).click();
  await page.locator("[data-preview]").click();
  await page.waitForSelector("[data-apply]");
};
const call = async (page) => {
  await page.locator("[data-call]").click();
  await page.waitForSelector(".outcome .pill:not(.tone-read)");
};
const scenes = {
  edit: { path: "&item=edit_file", prepare: async (page) => page.getByRole("button", { name: "Rename a function" }).click() },
  preview: { path: "&item=edit_file", prepare: async (page) => (await preview(page), page.locator("[data-apply]").scrollIntoViewIfNeeded()) },
  search: { path: "&item=search", prepare: async (page) => page.locator(".editor-json textarea").first().fill('{"query":"x","limit":0,"where":{"a":"b"},"tags":["red"],"other":1}') },
  union: { path: "&item=send_message", prepare: async () => undefined },
  media: { path: "&item=media", prepare: async (page) => (await call(page), page.locator(".outcome").scrollIntoViewIfNeeded()) },
  resources: { path: "&tab=resources&item=repo%3A%2F%2F%7Bowner%7D%2F%7Bname%7D%7B%2Fpath*%7D%7B%3Fbranch%7D", prepare: async (page) => (await page.waitForSelector("overt-text-arguments"), page.getByRole("textbox", { name: "name" }).fill("r"), page.waitForSelector(".suggestions")) },
  prompts: { path: "&tab=prompts", prepare: async (page) => page.locator("[data-get]").click() },
  history: { path: "&item=search", prepare: async (page) => (await call(page), await page.locator("[data-tab=history]").click(), page.locator("[data-request]").first().click()) },
  server: { path: "&tab=server", prepare: async (page) => page.waitForSelector(".editor") },
  question: { path: "&item=ask_me", prepare: async (page) => (await page.locator("[data-call]").click(), page.waitForSelector(".server-question")) },
};
const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 320, height: 640 } };
for (const scheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: "reduce" });
    for (const [name, scene] of Object.entries(scenes)) {
      const page = await context.newPage();
      page.on("pageerror", (error) => console.error(name, error.message));
      await page.goto(`${mock.address}/?view=try${scene.path}#token=${mock.token}`);
      await page.waitForSelector(".try [data-state=connected]");
      await page.waitForSelector("[data-entry], .try-part");
      await scene.prepare(page);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      await page.screenshot({ path: `${folder}/${name}-${size}-${scheme}.png` });
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
await mock.stop();
