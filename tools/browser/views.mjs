// Checks of every view that need no faults and no certain data, so that they hold before the mock and
// before `overt ui` itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./browser.mjs";
import { csp, until } from "./harness.mjs";

/** A view is ready when nothing in it is loading. */
const views = {
  inbox: "overt-inbox .questions, overt-inbox .empty h1",
  activity: "overt-activity .row, overt-activity .empty h2",
  servers: "overt-servers .server-list, overt-servers .empty h1",
  grants: "overt-grants .block-section",
  policy: "overt-policy #policy-text",
};
const path = (view) => (view === "inbox" ? "/" : `/?view=${view}`);

/** Registers the checks. `target` gives the address and the token of a server, or nothing for the mock. */
export function checkViews(run, target) {
  async function openView(view, options = {}) {
    const page = await run.open(path(view), { ...target(), ...options });
    await page.waitForSelector(views[view]);
    await until(page, () => !document.querySelector("main > .view:not([hidden]) .loading"));
    return page;
  }

  for (const view of Object.keys(views)) {
    for (const colorScheme of ["light", "dark"]) {
      test(`axe finds nothing in ${view}, ${colorScheme}`, async () => {
        const page = await openView(view, { colorScheme });
        assert.deepEqual(await violations(page), []);
      });
    }

    for (const width of [320, 768, 2560]) {
      test(`${view} has no horizontal scrolling at ${width} pixels`, async () => {
        const page = await openView(view, { viewport: { width, height: width === 2560 ? 1440 : 640 } });
        const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide[0] <= wide[1], `${wide[0]} of ${wide[1]}`);
        const outside = await page.evaluate(() =>
          [...document.querySelectorAll("main button, header a, header button, main h1, main h2")]
            .filter((one) => one.checkVisibility() && !one.closest("overt-rows") && one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.textContent.trim()));
        assert.deepEqual(outside, []);
      });
    }

    test(`${view} opens again after a reload, and with back and forward`, async () => {
      const page = await openView(view);
      assert.ok(!page.url().includes("token"), "the token is still in the address");
      await page.reload();
      await page.waitForSelector(views[view]);
      await page.keyboard.press(view === "grants" ? "1" : "4");
      await page.waitForSelector(view === "grants" ? views.inbox : views.grants);
      await page.goBack();
      await page.waitForSelector(views[view]);
      assert.equal(new URL(page.url()).searchParams.get("view") ?? "inbox", view);
    });
  }

  test("the page has the strict policy, and nothing of another origin is loaded", async () => {
    const loaded = [];
    const page = await run.open("/", target());
    page.on("request", (request) => loaded.push(new URL(request.url()).origin));
    const response = await page.reload();
    assert.match(response.headers()["content-security-policy"].replace(`${csp}; frame-src `, ""), /^http:\/\/127\.0\.0\.1:\d+$/);
    await page.waitForSelector(views.inbox);
    assert.deepEqual([...new Set(loaded)], [new URL(page.url()).origin]);
  });

  test("the palette goes to a view by keyboard alone", async () => {
    const page = await openView("inbox");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog.overt-palette[open]");
    await page.keyboard.type("go serv");
    await until(page, () => document.querySelectorAll(".overt-palette [role=option]").length === 1);
    await page.keyboard.press("Enter");
    await page.waitForSelector(views.servers);
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog.overt-palette[open]");
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await until(page, () => !document.querySelector("dialog[open]"));
  });

  test("the keys are explained, and can be turned off", async () => {
    const page = await openView("inbox");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog.overt-help[open]");
    assert.deepEqual(await violations(page), []);
    await page.getByLabel("Single keys do something").uncheck();
    await page.keyboard.press("Escape");
    await until(page, () => !document.querySelector("dialog[open]"));
    await page.keyboard.press("2");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog.overt-palette[open]");
    assert.equal(new URL(page.url()).search, "", "a single key did something");
  });

  test("the colours can be chosen and stay", async () => {
    const page = await openView("inbox", { colorScheme: "light" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole("button", { name: "Colours: auto" }).click();
    await page.getByRole("button", { name: "Colours: light" }).click();
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
    assert.notEqual(await background(), light);
    await page.reload();
    await page.waitForSelector(views.inbox);
    assert.notEqual(await background(), light);
  });

  test("the skip link is first and leads to the content", async () => {
    const page = await openView("inbox");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  });

  test("everything that can be pressed is reached by Tab, with a visible focus", async () => {
    const page = await openView("inbox");
    const count = await page.evaluate(() => [...document.querySelectorAll("button, a, [tabindex='0'], summary")].filter((one) => one.checkVisibility() && !one.disabled).length);
    const reached = new Set();
    for (let step = 0; step < count + 2; step += 1) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => {
        const one = document.activeElement;
        one.dataset.reached ??= String(document.querySelectorAll("[data-reached]").length);
        return [one.dataset.reached, one === document.body || getComputedStyle(one).outlineStyle !== "none", one.outerHTML.slice(0, 80)];
      });
      assert.ok(focused[1], `no visible focus: ${focused[2]}`);
      reached.add(focused[0]);
    }
    assert.ok(reached.size >= count, `${reached.size} of ${count}`);
  });
}
