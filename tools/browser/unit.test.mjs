// The parts of the page that need no browser.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ui } from "./browser.mjs";
import { question } from "./data.mjs";

const { buildSync } = createRequire(new URL("../../ui/package.json", import.meta.url))("esbuild");
const modules = ["safe-text", "diff/parse", "diff/words", "diff/layout", "diff/segments", "inbox/model", "inbox/pretty-json", "activity/timeline", "events", "address", "text", "servers/scale"];
const source = modules.map((name) => `export * from "./src/${name}";`).join("\n");
const built = buildSync({ stdin: { contents: source, resolveDir: ui }, bundle: true, format: "esm", write: false, absWorkingDir: ui, platform: "neutral", mainFields: ["module", "main"], conditions: ["node"] });
const page = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);

test("deceptive characters are shown as escapes", () => {
  assert.equal(page.safeText("a\u202Eb\u0007\nc\u200B"), "a\\u{202e}b\\u{7}\\u{a}c\\u{200b}");
  assert.equal(page.safeText("\u{E0041}\uFE0F\uFEFF\u00AD\u3164"), "\\u{e0041}\\u{fe0f}\\u{feff}\\u{ad}\\u{3164}");
  assert.equal(page.safeText("\uD800x"), "\\u{d800}x");
  assert.equal(page.safeText("Grüße, 日本語 😀 <b>"), "Grüße, 日本語 😀 <b>");
  assert.equal(page.safeLines("a\tb\nc\r\u2066"), "a\tb\nc\\u{d}\\u{2066}");
});

test("the width of a line counts escapes", () => {
  const width = (text) => [...Array(text.length).keys()].reduce((sum, at) => sum + page.columnsOf(text.charCodeAt(at)), 0);
  for (const text of ["plain", "\u202E".repeat(50), "日本", "\u0007x", "\t\t", "\u{E0041}"]) {
    const shown = page.safeText(text.replaceAll("\t", "    "));
    const columns = [...shown].reduce((sum, char) => sum + (char.codePointAt(0) > 0x1100 ? 2 : 1), 0);
    assert.ok(width(text) >= columns, `${JSON.stringify(text)} takes ${columns}, counted ${width(text)}`);
  }
});

test("content of a hunk can't begin a file or a hunk", () => {
  const diff = page.parseDiffNow("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/evil\n+++ b/evil\n @@ -9 +9 @@\n\\ No newline at end of file\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n");
  assert.deepEqual(diff.files.map(({ name, added, removed }) => [name, added, removed]), [["x", 1, 1], ["y", 0, 1]]);
  assert.equal(page.lineText(diff, 3), "-- a/evil");
  assert.equal(page.lineText(diff, 5), "@@ -9 +9 @@");
  assert.deepEqual([...diff.partners.slice(3, 5)], [4, 3]);
});

test("a diff that was cut, and text that is not a diff, are still shown", () => {
  const cut = page.parseDiffNow("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n\\ The rest is too long to be shown.\n");
  assert.equal(cut.count, 5);
  assert.equal(page.lineText(cut, 4), "\\ The rest is too long to be shown.");
  const plain = page.parseDiffNow("edited p.png\n  before: 1 byte");
  assert.deepEqual([plain.count, plain.files.length, page.lineText(plain, 1)], [2, 0, "  before: 1 byte"]);
});

test("every line is on exactly one row, in both layouts, folded and open", () => {
  const context = Array.from({ length: 40 }, (_, at) => ` same ${at}\n`).join("");
  const diff = page.parseDiffNow(`--- a/x\n+++ b/x\n@@ -1,43 +1,42 @@\n-a\n-b\n-c\n+A\n+B\n${context}`);
  for (const mode of ["unified", "split"]) {
    const folded = page.layOut(diff, mode, new Set(), new Set());
    assert.equal(folded.folds.length, 1);
    assert.deepEqual(folded.folds[0], { from: 8, to: 48 });
    const open = page.layOut(diff, mode, new Set([8]), new Set());
    const lines = new Set();
    for (let row = 0; row < open.count; row += 1) for (const side of [open.left, open.right]) if (side[row] >= 0) lines.add(side[row]);
    assert.equal(lines.size, diff.count - 1, mode);
    assert.equal(page.layOut(diff, mode, new Set(), new Set([0])).count, 1, "a closed file");
  }
  assert.equal(page.layOut(diff, "split", new Set([8]), new Set()).count, 2 + 3 + 40);
});

test("changed words are marked whole", () => {
  const marked = (before, after) => {
    const found = page.changedRanges(before, after);
    const cut = (text, ranges) => ranges.map(([from, to]) => text.slice(from, to));
    return [cut(before, found.before), cut(after, found.after)];
  };
  assert.deepEqual(marked("f(a, b)", "f(alpha, b)"), [["a"], ["alpha"]]);
  assert.deepEqual(marked("same", "same"), [[], []]);
  assert.deepEqual(marked("one two three", "one 2 three"), [["two"], ["2"]]);
  assert.deepEqual(marked("", "new"), [[], ["new"]]);
  assert.deepEqual(marked("ab", "abb"), [["ab"], ["abb"]]);
  const long = "x ".repeat(50_000);
  const found = marked(`${long}old ${long}`, `${long}new ${long}`);
  assert.deepEqual(found, [["old"], ["new"]]);
});

test("marking words loses no text", () => {
  let seed = 7;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const text = () => Array.from({ length: random(12) }, () => ["a", "b", " ", "foo", "(", "é", "_"][random(7)]).join("");
  for (let round = 0; round < 3000; round += 1) {
    const [before, after] = [text(), text()];
    const found = page.changedRanges(before, after);
    const rest = (whole, ranges) => [...whole].map((_, at) => at).filter((at) => !ranges.some(([from, to]) => at >= from && at < to)).map((at) => whole[at]).join("");
    assert.equal(rest(before, found.before), rest(after, found.after), `${JSON.stringify(before)} ${JSON.stringify(after)}`);
    for (const [whole, ranges] of [[before, found.before], [after, found.after]]) {
      const joined = page.segmentsOf(whole, ranges, page.firstWindow(whole.length, ranges)).map((segment) => segment.text).join("");
      assert.equal(joined, whole);
    }
  }
});

test("a long line is cut around its change, and its folds open", () => {
  const text = `${"a".repeat(60_000)}CHANGE${"b".repeat(40_000)}`;
  const window = page.firstWindow(text.length, [[60_000, 60_006]]);
  const [before, ...rest] = page.segmentsOf(text, [[60_000, 60_006]], window);
  assert.deepEqual(before, { kind: "cut", hidden: window.start, side: "before" });
  assert.ok(rest.some((segment) => segment.kind === "marked" && segment.text === "CHANGE"));
  const shown = rest.filter((segment) => segment.kind !== "cut").reduce((sum, segment) => sum + segment.text.length, 0);
  assert.equal(shown, 2000);
  assert.equal(page.openWindow(window, "after", text.length).end, window.end + 4000);
});

const list = (...numbers) => numbers.map((number) => question(number));
const loaded = (model, one, digest = `whole-${one.id}`) => {
  model.load({ ...one, digest }, one.digest);
  model.markShown(one.id);
};

test("only what was shown can be answered, with its digest", () => {
  const model = new page.InboxModel();
  const [first] = list(1);
  assert.deepEqual(model.update([first], 0), ["q-1"]);
  assert.match(model.answer(0).refused, /loading/);
  model.load({ ...first, digest: "d" }, first.digest);
  assert.match(model.answer(0).refused, /loading/, "loaded but not drawn");
  model.markShown("q-1");
  assert.deepEqual(model.answer(0), { questions: [{ id: "q-1", digest: "d" }] });
});

test("after the selection moved by itself an answer waits", () => {
  const model = new page.InboxModel();
  const [first, second] = list(1, 2);
  model.update([first, second], 0);
  loaded(model, first);
  model.update([second], 1000);
  assert.equal(model.selected, "q-2");
  loaded(model, second);
  assert.match(model.answer(1699).refused, /changed just now/);
  assert.ok("questions" in model.answer(1700));
});

test("an own answer does not make the next one wait", () => {
  const model = new page.InboxModel();
  const [first, second] = list(1, 2);
  model.update([first, second], 0);
  model.close(["q-1"]);
  assert.equal(model.selected, "q-2");
  loaded(model, second);
  assert.ok("questions" in model.answer(0));
  assert.deepEqual(model.update([first, second], 1), [], "an event that was under way does not bring it back");
  assert.equal(model.selected, "q-2");
});

test("a question with another digest must be shown again", () => {
  const model = new page.InboxModel();
  const [first] = list(1);
  model.update([first], 0);
  loaded(model, first);
  const changed = { ...first, digest: "list-q-1-2" };
  model.update([changed], 1000);
  assert.ok(model.replaced.has("q-1"));
  assert.equal(model.details("q-1"), undefined);
  model.load({ ...first, digest: "old" }, first.digest);
  assert.equal(model.details("q-1"), undefined, "an answer to the old request is not taken");
  loaded(model, changed, "new");
  assert.deepEqual(model.answer(2000), { questions: [{ id: "q-1", digest: "new" }] });
});

test("marked questions offer what all of them offer", () => {
  const model = new page.InboxModel();
  const [first, second, third] = [question(1), question(2, { choices: question(2).choices.filter(({ choice }) => choice !== "folder") }), question(3, { client: "Cursor" })];
  model.update([first, second, third], 0);
  model.toggleGroup();
  assert.deepEqual(model.targets().map(({ id }) => id), ["q-1", "q-2"]);
  assert.ok(!model.choices().some(({ choice }) => choice === "folder"));
  model.toggleGroup();
  assert.equal(model.marked.size, 0);
});

test("JSON is broken into lines without changing it", () => {
  for (const text of ['{"a":[1,2.50,{}],"b":"x,{\\"y\\"}","a":1e400,"e":[ ]}', "[]", '"x"', "{\"a\"", "\\", '{"a":"\\']) {
    const squeeze = (json) => json.replace(/\s/g, "");
    assert.equal(squeeze(page.prettyJson(text)), squeeze(text));
  }
  assert.equal(page.prettyJson('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
});

test("runs of reads are one row, changes are not, and a day begins with its name", () => {
  const now = Date.parse("2026-11-17T12:00:00Z");
  const at = (minutes, tone, more = {}) => ({ time: new Date(now - minutes * 60_000).toISOString(), log: "l", call: `c${minutes}`, onlyReads: tone === "read", tone, clientName: "a", project: "/p", server: "s", ...more });
  const actions = [at(1, "read"), at(2, "read"), at(3, "change"), at(4, "read"), at(5, "read", { server: "other" }), at(3000, "read")];
  const kinds = (open) => new page.Timeline(actions, open, now).rows.map((row) => row.kind);
  assert.deepEqual(kinds(new Set()), ["day", "reads", "action", "action", "action", "day", "action"]);
  assert.deepEqual(kinds(new Set(["l/c1"])), ["day", "reads", "action", "action", "action", "action", "action", "day", "action"]);
  const many = Array.from({ length: 450 }, (_, index) => at(0, "read", { call: `m${index}` }));
  assert.deepEqual(new page.Timeline(many, new Set(), now).rows.map((row) => row.actions?.length), [undefined, 200, 200, 50]);
});

test("a timeline that grows has the rows that it would have at once", () => {
  const now = Date.parse("2026-11-17T12:00:00Z");
  const tones = ["read", "read", "read", "change", "read", "read", "refused", "read"];
  const all = Array.from({ length: 700 }, (_, index) => {
    // Also a run that is longer than a row takes, and days that end within a run.
    const tone = index > 200 && index < 520 ? "read" : tones[index % tones.length];
    return { time: new Date(now - index * 400_000).toISOString(), log: "l", call: `c${index}`, onlyReads: tone === "read", tone, clientName: "a", project: "/p", server: "s" };
  });
  for (const open of [new Set(), new Set(["l/c0", "l/c4", "l/c201"])]) {
    const atOnce = new page.Timeline(all, open, now).rows;
    for (const size of [1, 2, 3, 7, 100, 400]) {
      const actions = all.slice(0, size);
      const timeline = new page.Timeline(actions, open, now);
      assert.equal(timeline.extend(), false);
      while (actions.length < all.length) {
        actions.push(...all.slice(actions.length, actions.length + size));
        assert.equal(timeline.extend(), true);
      }
      assert.deepEqual(timeline.rows, atOnce, `in pages of ${size}`);
    }
  }
});

test("newer actions come on top, and a gap starts over", () => {
  const one = (call, words = "") => ({ log: "l", call, words });
  assert.deepEqual(page.mergeNewest([one("b", "runs"), one("a")], [one("c"), one("b", "ok")]).map(({ call, words }) => call + words), ["c", "bok", "a"]);
  assert.equal(page.mergeNewest([one("a")], [one("c")]), null);
});

test("the event stream is cut into events, however it arrives", () => {
  const text = ": hello\n\nevent: questions\ndata: {\"a\":\ndata: 1}\n\nevent: activity\r\ndata: {}\r\n\r\n";
  for (let size = 1; size <= text.length; size += 1) {
    const events = [];
    const parser = new page.EventParser((name, data) => events.push([name, data]));
    for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
    assert.deepEqual(events, [["questions", '{"a":\n1}'], ["activity", "{}"]], `in pieces of ${size}`);
  }
});

test("views and filters are in the address", () => {
  const address = page.readAddress("?view=activity&client=Cursor&since=today&item=c-1&other=x");
  assert.deepEqual(address, { view: "activity", filters: { client: "Cursor", since: "today" }, item: "c-1" });
  assert.equal(page.writeAddress(address), "/?view=activity&client=Cursor&since=today&item=c-1");
  assert.equal(page.writeAddress(page.readAddress("?view=nothing")), "/");
});

test("numbers and times are short", () => {
  assert.deepEqual([840, 1200, 47_000, 3_400_000, 120_000_000, null].map(page.formatMicros), ["840 µs", "1.2 ms", "47 ms", "3.4 s", "2 min", "–"]);
  assert.deepEqual([0, 38_000, 600_000, 7_200_000 * 2].map(page.formatLeft), ["0 s", "38 s", "10 min", "4 h"]);
  assert.equal(page.cutMiddle("/home/ada/very/long/name.txt", 11), "/home…e.txt");
  assert.deepEqual(page.splitCounts("src/a b.ts +4 -3"), { path: "src/a b.ts", added: "+4", removed: "-3" });
  assert.deepEqual(page.splitCounts("build/ (312 files)"), { path: "build/ (312 files)", added: "", removed: "" });
});

test("a plot has room for every sample, also for one or equal ones", () => {
  for (const samples of [[[5, 1000]], [[5, 10], [5, 10]], [[1, 0], [2, 90_000_000]]]) {
    const scale = page.plotScale(samples, 100, 50);
    for (const [time, micros] of samples) {
      const [x, y] = [scale.x(time), scale.y(micros)];
      assert.ok(x >= 0 && x <= 100 && y >= 0 && y <= 50, `${x} ${y}`);
    }
  }
});
