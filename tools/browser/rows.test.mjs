// Long lists: which rows are in the document, and how little happens while they scroll.
import assert from "node:assert/strict";
import { test } from "node:test";
import { harness, until } from "./harness.mjs";

const run = harness();

/** Every action is a change, so that each has a row of its own. */
async function openTimeline(count = 2000) {
  run.mock.actionCount = 0;
  run.mock.extraActions = Array.from({ length: count }, (_, index) => ({
    time: new Date(Date.UTC(2026, 0, 5, 12) - index).toISOString(), log: "log", call: `call-${index}`, client: "a", clientName: "a", project: "/p", projectName: "p", server: "s",
    target: "write_file", words: `wrote ${index}`, outcome: "ok", tone: "change", ending: "", onlyReads: false, changes: [], shortChange: "",
  }));
  const page = await run.open("/?view=activity");
  await page.waitForSelector(".timeline .row[role=option]");
  // The rest of the list comes by itself, because the end of the first page is near.
  await until(page, () => document.querySelector(".timeline").scrollHeight > 400 * 34);
  return page;
}

/** The numbers of the rows in the order of the document, once the list has come to rest. */
function rowsAfterScroll(page, top) {
  return page.evaluate(async (to) => {
    const list = document.querySelector(".timeline");
    list.scrollTop = to;
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    const box = list.getBoundingClientRect();
    return [...list.querySelectorAll(".row[role=option]")].map((row) => ({
      position: Number(row.getAttribute("aria-posinset")), id: row.id, words: row.querySelector(".row-words").textContent,
      isVisible: row.getBoundingClientRect().bottom > box.top && row.getBoundingClientRect().top < box.bottom, top: row.getBoundingClientRect().top,
    }));
  }, top);
}

test("rows are in order and say what is theirs, wherever the list is scrolled to", async () => {
  const page = await openTimeline();
  // By a row, by some, by a page, further than a page, back again, and to both ends.
  for (const top of [34, 34 * 4, 34 * 30, 34 * 300, 34 * 290, 34 * 289, 0, 34 * 2, 1_000_000, 34 * 100, 34 * 70]) {
    const rows = await rowsAfterScroll(page, top);
    assert.ok(rows.length > 20 && rows.length < 80, `${rows.length} rows at ${top}`);
    assert.ok(rows.filter(({ isVisible }) => isVisible).length > 10, `few rows are visible at ${top}`);
    for (const [at, row] of rows.entries()) {
      assert.equal(row.position, rows[0].position + at, `at ${top}`);
      assert.equal(row.id, `row-${row.position - 1}`);
      // The first row is the name of the day.
      assert.match(row.words, new RegExp(`wrote ${row.position - 2}$`));
      if (at) assert.ok(row.top > rows[at - 1].top, "the order on the screen is that of the document");
    }
  }
});

test("a list that scrolls by a row changes one row and measures nothing", async () => {
  const page = await openTimeline();
  await rowsAfterScroll(page, 34 * 50);
  const seen = await page.evaluate(async () => {
    const list = document.querySelector(".timeline");
    const touched = new Set();
    const observer = new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        for (const node of [target, ...addedNodes]) {
          const row = (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest(".row");
          if (row) touched.add(row);
        }
      }
    });
    observer.observe(list, { subtree: true, childList: true, characterData: true, attributes: true });
    const original = globalThis.getComputedStyle;
    let measured = 0;
    globalThis.getComputedStyle = (...args) => {
      measured += 1;
      return original(...args);
    };
    list.scrollTop += 34;
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    globalThis.getComputedStyle = original;
    observer.disconnect();
    return { touched: touched.size, measured, inDocument: list.querySelectorAll(".row").length };
  });
  assert.equal(seen.touched, 1);
  assert.equal(seen.measured, 0);
  assert.ok(seen.inDocument > 20);
});

test("more actions at the end leave the rows that are shown where they are", async () => {
  const page = await openTimeline();
  const release = run.mock.hold("/api/activity");
  const before = await rowsAfterScroll(page, 34 * 350);
  assert.ok(await page.evaluate(() => document.querySelector(".timeline").scrollHeight < 600 * 34));
  release();
  await until(page, () => document.querySelector(".timeline").scrollHeight > 800 * 34);
  const after = await rowsAfterScroll(page, 34 * 350);
  assert.deepEqual(after, before);
});
