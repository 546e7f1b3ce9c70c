// Takes screenshots of every view, light and dark, into the folder that the first argument names.
import { launch } from "./browser.mjs";
import { Mock } from "./mock.mjs";

const folder = process.argv[2] ?? ".";
const mock = await new Mock().start();
const browser = await launch();
const scenes = {
  inbox: { path: "/", ready: "overt-diff .line" },
  activity: { path: "/?view=activity", ready: ".row" },
  action: { path: "/?view=activity&item=call-0", ready: "overt-activity .details-card" },
  servers: { path: "/?view=servers", ready: ".large-plot" },
  server: { path: "/?view=servers&item=github%239f8e7d6c+in+%2Fhome%2Fada%2Fcode%2Fapi", ready: "overt-definitions .definitions" },
  grants: { path: "/?view=grants", ready: ".card" },
  policy: { path: "/?view=policy", ready: "overt-policy #policy-text" },
};
const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 320, height: 640 } };
for (const scheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: "reduce" });
    for (const [name, scene] of Object.entries(scenes)) {
      const page = await context.newPage();
      page.on("pageerror", (error) => console.error(name, error.message));
      page.on("console", (message) => message.type() === "error" && console.error(name, message.text()));
      await page.goto(`${mock.address}${scene.path}#token=${mock.token}`);
      await page.waitForSelector(scene.ready, { timeout: 15_000 });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      await page.screenshot({ path: `${folder}/${name}-${size}-${scheme}.png` });
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
await mock.stop();
