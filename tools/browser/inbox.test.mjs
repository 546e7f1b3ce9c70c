// The inbox: what is shown, every key, answers that are bound to what was shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./browser.mjs";
import { choices, hostile, hostileQuestion, letters, longDiff, longLineDiff, question, smallDiff } from "./data.mjs";
import { eventually, harness, says, shows, until } from "./harness.mjs";

const run = harness();
const selected = (page) => page.evaluate(() => document.querySelector(".question[aria-selected=true]")?.id.replace("option-", "") ?? null);
const answers = () => run.mock.posts("/api/answers");

async function openInbox(options) {
  const page = await run.open("/", options);
  await shows(page, run.mock.questions[0].question.id);
  return page;
}

test("a question shows what happens, to what, who asks, the diff and the answers", async () => {
  const page = await openInbox();
  const text = await page.locator("[data-question=q-1]").innerText();
  for (const part of ["Claude Code 2.1 wants to run edit_file of filesystem", 'Change "src/app.ts"', "2 changed", "src/routes.ts", "changes something, can be undone", "server.keepAliveTimeout"]) {
    assert.ok(text.includes(part), part);
  }
  assert.deepEqual(await page.locator(".word").allInnerTexts(), [', host = "127.0.0.1"', ", host", "login", "sign-in"]);
  assert.deepEqual(await page.locator(".question-group .group-name").allInnerTexts().then((names) => names.map((name) => name.replace(/\s+/g, " ").trim())), ["Claude Code 2.1 in site", "Cursor 1.2 in api"]);
  assert.equal(await page.title(), "(4) Inbox · Overt");
  await page.getByText("All details").click();
  assert.ok((await page.locator("[data-question=q-1] .more").innerText()).includes("write:file:/home/ada/code/site/src/app.ts"));
});

for (const choice of ["once", "session", "folder", "always", "no", "never", "8h", "session-tool", "session-server", "no-session"]) {
  test(`the key ${letters[choice][0]} answers ${choice}, with the digest of what was shown`, async () => {
    const page = await openInbox();
    await page.keyboard.press(letters[choice][0]);
    await eventually(() => answers().length, "an answer");
    assert.deepEqual(answers(), [{ choice, questions: [{ id: "q-1", digest: `whole-list-q-1-1-${smallDiff.length}` }] }]);
    await says(page, `q-1: answered ${choice}`);
    await shows(page, "q-2");
  });
}

for (const choice of ["trust-changes", "trust-deletes", "trust-everything", "trust-nothing"]) {
  test(`a new server is answered with ${choice}`, async () => {
    run.mock.questions = run.mock.questions.slice(3);
    const page = await openInbox();
    assert.ok((await page.locator("[data-question=q-4]").innerText()).includes("delete_comment"));
    await page.keyboard.press(letters[choice][0]);
    await eventually(() => answers().length, "an answer");
    assert.equal(answers()[0].choice, choice);
  });
}

test("everywhere must be pressed twice, and another key disarms it", async () => {
  const page = await openInbox();
  await page.keyboard.press("a");
  await says(page, "Press it again");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await shows(page, "q-1");
  await page.keyboard.press("a");
  await page.locator(".choice[data-choice=everywhere][data-armed]").waitFor();
  assert.deepEqual(answers(), []);
  await page.keyboard.press("a");
  await eventually(() => answers().length, "an answer");
  assert.equal(answers()[0].choice, "everywhere");
});

test("a letter that the question does not offer does nothing", async () => {
  run.mock.questions = [{ question: question(1, { choices: choices(["once", "no"]) }) }];
  const page = await openInbox();
  for (const key of ["s", "f", "p", "x", "Y", "N"]) await page.keyboard.press(key);
  await page.keyboard.press("n");
  await eventually(() => answers().length, "an answer");
  assert.deepEqual(answers().map(({ choice }) => choice), ["no"]);
});

test("j, k, arrows, Home and End select; d and Escape go to the details and back", async () => {
  const page = await openInbox();
  const steps = [["j", "q-2"], ["ArrowDown", "q-3"], ["End", "q-4"], ["j", "q-4"], ["k", "q-3"], ["ArrowUp", "q-2"], ["Home", "q-1"], ["k", "q-1"]];
  for (const [key, id] of steps) {
    await page.keyboard.press(key);
    await until(page, (wanted) => document.querySelector(".question[aria-selected=true]")?.id === `option-${wanted}`, id);
  }
  const focused = () => page.evaluate(() => document.activeElement.dataset.keys ?? null);
  await page.keyboard.press("d");
  assert.equal(await focused(), "details");
  await page.keyboard.press("d");
  assert.equal(await focused(), "list");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "details");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "list");
});

test("space marks, and one answer is to all that are marked", async () => {
  const page = await openInbox();
  await page.keyboard.press(" ");
  await page.keyboard.press("j");
  await page.keyboard.press(" ");
  await shows(page, "q-2");
  assert.equal(await page.locator("[data-digest]").count(), 2, "both are shown");
  await page.keyboard.press("y");
  await eventually(() => answers().length, "an answer");
  assert.deepEqual(answers()[0].questions.map(({ id }) => id), ["q-1", "q-2"]);
  await shows(page, "q-3");
});

test("* marks the questions of one client and project; an answer that one lacks is not sent", async () => {
  run.mock.questions[1].question.choices = choices(["once", "no"]);
  const page = await openInbox();
  await page.keyboard.press("*");
  await shows(page, "q-2");
  await page.keyboard.press("s");
  assert.deepEqual(await page.locator(".choice[data-choice]").evaluateAll((all) => all.map((one) => one.dataset.choice)), ["once", "no"]);
  await page.keyboard.press("n");
  await eventually(() => answers().length, "an answer");
  assert.deepEqual(answers().map(({ choice, questions }) => [choice, questions.length]), [["no", 2]]);
});

test("u takes the last answer back", async () => {
  const page = await openInbox();
  await page.keyboard.press("n");
  await says(page, "answered no");
  await page.keyboard.press("u");
  await says(page, "taken back");
  assert.equal(run.mock.posts("/api/take-back").length, 1);
});

test("answers by mouse work as those by key", async () => {
  const page = await openInbox();
  await page.locator("#option-q-3").click();
  await shows(page, "q-3");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.locator(".choice[data-choice=session-tool]").click();
  await eventually(() => answers().length, "an answer");
  assert.deepEqual(answers()[0].questions.map(({ id }) => id), ["q-3"]);
});

test("nothing is sent before the details are shown", async () => {
  const release = run.mock.hold("/api/questions/q-1");
  const page = await run.open("/");
  await page.waitForSelector("[data-question=q-1]");
  await page.keyboard.press("y");
  await says(page, "loading");
  assert.ok(await page.locator(".choice[data-choice=once]").isDisabled());
  release();
  await shows(page, "q-1");
  assert.deepEqual(answers(), []);
});

test("a question that changed while it was read is shown again, and the old one is not answered", async () => {
  const page = await openInbox();
  const release = run.mock.hold("/api/questions/q-1");
  run.mock.questions[0] = { question: question(1, { digest: "list-q-1-2", shown: { intent: "Delete everything" } }), diff: smallDiff.replace("sign-in", "elsewhere") };
  run.mock.publish();
  await page.getByText("This question changed while you read it").waitFor();
  await page.keyboard.press("y");
  await page.waitForSelector(".toast.problem");
  assert.deepEqual(answers(), []);
  release();
  await shows(page, "q-1");
  assert.ok((await page.locator("[data-question=q-1]").innerText()).includes("Delete everything"));
  await page.keyboard.press("y");
  await eventually(() => answers().length, "an answer");
  assert.equal(answers()[0].questions[0].digest, `whole-list-q-1-2-${smallDiff.length + 2}`);
});

test("a diff that changed without a new list is refused, and shown again", async () => {
  const page = await openInbox({ expects: ["409"] });
  run.mock.questions[0].diff = smallDiff.replace("sign-in", "elsewhere");
  await page.keyboard.press("y");
  await says(page, "Nothing was answered");
  assert.equal(run.mock.questions.length, 4);
  await until(page, () => document.querySelector("[data-question=q-1] overt-diff")?.textContent.includes("elsewhere"));
  await shows(page, "q-1");
  await page.keyboard.press("y");
  await shows(page, "q-2");
});

test("what is shown is what the digest is of: the details, not the list", async () => {
  run.mock.faults.set("/api/questions/q-1", (response, mock) => mock.json(response, { ...question(1, { tool: "delete_everything", shown: { intent: "Delete everything" } }), digest: "of-the-details" }));
  const page = await openInbox();
  const text = await page.locator("[data-question=q-1]").innerText();
  assert.ok(text.includes("Delete everything") && text.includes("delete_everything"), text);
});

test("after the selected question went away, an answer waits for 700 ms", async () => {
  const page = await openInbox();
  await page.keyboard.press("j");
  await shows(page, "q-2");
  // The clock of the page stands still from here on, so the time does not depend on the machine.
  const now = Date.now();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + 1000);
  run.mock.questions.splice(1, 1);
  run.mock.publish();
  await until(page, () => document.querySelector("[data-question=q-3][data-digest]") !== null);
  await page.keyboard.press("n");
  assert.ok(await page.locator(".choice[data-choice=no]").isDisabled());
  await page.clock.runFor(650);
  await page.keyboard.press("n");
  assert.ok(await page.locator(".choice[data-choice=no]").isDisabled());
  await page.clock.runFor(100);
  await shows(page, "q-3");
  assert.deepEqual(answers(), []);
  await page.keyboard.press("n");
  await eventually(() => answers().length, "an answer");
  assert.deepEqual(answers()[0].questions.map(({ id }) => id), ["q-3"]);
});

test("a key that is held down answers once", async () => {
  const page = await openInbox();
  await page.keyboard.down("n");
  await shows(page, "q-2");
  await page.keyboard.down("n");
  await page.keyboard.down("n");
  await page.keyboard.up("n");
  await page.keyboard.press("j");
  await shows(page, "q-3");
  assert.equal(answers().length, 1);
});

test("questions come and go by themselves", async () => {
  run.mock.questions = [];
  const page = await run.open("/");
  await page.getByText("Nothing waits for you").waitFor();
  assert.ok((await page.locator("main").innerText()).includes("overt wrap"));
  assert.deepEqual(await violations(page), []);
  run.mock.questions = [{ question: question(9), diff: smallDiff }];
  run.mock.publish();
  await shows(page, "q-9");
  run.mock.questions = [];
  run.mock.publish();
  await page.getByText("Nothing waits for you").waitFor();
});

test("a notification comes for a new question while the page is hidden, without arguments", async () => {
  const page = await run.open("/");
  await shows(page, "q-1");
  await page.evaluate(() => {
    globalThis.notified = [];
    globalThis.Notification = class {
      static permission = "granted";
      constructor(title, options) {
        globalThis.notified.push(`${title}: ${options.body}`);
      }
    };
    Object.defineProperty(document, "hidden", { value: true });
  });
  run.mock.questions.push({ question: question(7, { client: "Cursor\u202E" }) });
  run.mock.publish();
  await until(page, () => globalThis.notified.length === 1);
  assert.deepEqual(await page.evaluate(() => globalThis.notified), ["Cursor\\u{202e} asks you: edit_file of filesystem in site"]);
});

test("64 questions: all are listed, marked and answered at once", async () => {
  run.mock.questions = Array.from({ length: 64 }, (_, index) => ({ question: question(index + 1), diff: smallDiff }));
  const page = await openInbox();
  assert.equal(await page.locator(".question").count(), 64);
  await page.keyboard.press("End");
  await page.keyboard.press("*");
  await until(page, () => document.querySelectorAll("[data-digest]").length === 64);
  await page.waitForSelector(".choice[data-choice]:not(:disabled)");
  await page.keyboard.press("n");
  await eventually(() => answers().length, "an answer");
  assert.equal(answers()[0].questions.length, 64);
  await page.getByText("Nothing waits for you").waitFor();
});

test("hostile texts are text: no markup, no direction changes, no fake files", async () => {
  run.mock.questions = [hostileQuestion(1)];
  const page = await openInbox();
  await page.getByText("All details").click();
  assert.equal(await page.evaluate(() => globalThis.attacked), undefined);
  assert.equal(await page.locator("main img, main script").count(), 0);
  const text = await page.evaluate(() => document.body.textContent);
  assert.ok(text.includes('<img src=x onerror="window.attacked=1">'));
  assert.ok(text.includes("\\u{202e}gpj.exe"));
  assert.ok(!/[\u202A-\u202E\u2066-\u2069\u200B\u0007\u001b]/.test(text), "a deceptive character is in the document");
  const attributes = await page.evaluate(() => [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].map(({ value }) => value)).join(" "));
  assert.ok(!/[\u202A-\u202E\u200B\u0007\u001b]/.test(attributes), "a deceptive character is in an attribute");
  assert.equal(await page.locator(".line.file").count(), 1, "content became a file");
  assert.ok(hostile.length > 0);
  assert.deepEqual(await violations(page), []);
});

test("side by side shows the same lines, and stays chosen", async () => {
  const page = await openInbox();
  await page.getByRole("button", { name: "Side by side" }).click();
  await page.waitForSelector(".diff.split .line.pair");
  const pairs = await page.locator(".line.pair").evaluateAll((all) => all.map((one) => [...one.children].map((half) => half.querySelector(".code")?.textContent ?? null)));
  assert.ok(pairs.some(([left, right]) => left === '  "/login",' && right === '  "/sign-in",'));
  assert.ok(pairs.some(([left, right]) => left === null && right === "  server.keepAliveTimeout = 5_000;"));
  const heights = await page.locator(".line, .half").evaluateAll((all) => [...new Set(all.map((one) => Math.round(one.getBoundingClientRect().height)))]);
  assert.deepEqual(heights, [20], "every row has the height that the list counts with");
  assert.deepEqual(await violations(page), []);
  await page.reload();
  await page.waitForSelector(".diff.split");
});

test("files and unchanged lines fold and open", async () => {
  const same = Array.from({ length: 30 }, (_, at) => ` same ${at}\n`).join("");
  run.mock.questions = [{ question: question(1), diff: `--- a/x\n+++ b/x\n@@ -1,31 +1,31 @@\n-a\n+b\n${same}` }];
  const page = await openInbox();
  await page.getByRole("button", { name: "24 unchanged lines" }).click();
  await page.getByText("same 15").waitFor();
  await page.getByRole("button", { name: "x", exact: true }).click();
  await until(page, () => document.querySelectorAll("overt-diff .line").length === 1);
});

test("the beginning of a diff of 100 MB is shown with what is left out, and the page stays quick", async () => {
  const diff = longDiff(50_000);
  run.mock.questions = [{ question: question(1), diff, leftOut: { bytes: 100_000_000 - diff.length, of: 100_000_000 } }];
  const page = await openInbox();
  await page.getByText("This diff has 100 MB. The page shows its beginning;").waitFor();
  await page.getByText("overt grants show q-1").waitFor();
  assert.ok((await page.locator("overt-diff .line").count()) < 300, "only what is seen is rendered");
  await page.keyboard.press("n");
  await eventually(() => answers().length, "an answer");
});

test("a line of 100,000 characters is cut around its change and opens", async () => {
  run.mock.questions = [{ question: question(1), diff: longLineDiff(100_000) }];
  const page = await openInbox();
  assert.deepEqual(await page.locator(".word").allInnerTexts(), ["before", "AFTER"]);
  const length = () => page.evaluate(() => document.querySelector(".line.added .code").textContent.length);
  assert.ok((await length()) < 2200);
  await page.locator(".line.added .cut").last().click();
  await eventually(async () => (await length()) > 5000, "an open fold");
});

test("long arguments are cut and open", async () => {
  run.mock.questions = [{ question: question(1, { arguments: JSON.stringify({ a: "x".repeat(100_000) }), shown: { arguments: [`content "${"y".repeat(100_000)}"`] } }) }];
  const page = await openInbox();
  const cut = page.locator("overt-long-text .cut").first();
  assert.match(await cut.innerText(), /98,00\d more characters/);
  await cut.click();
  await until(page, () => document.querySelector("overt-long-text").textContent.length > 20_000);
});

test("a diff of 200,000 lines has few elements and does not freeze the page", async () => {
  run.mock.questions = [{ question: question(1), diff: longDiff(200_000) }];
  const page = await run.open("/");
  await page.evaluate(() => {
    globalThis.longest = 0;
    let last = performance.now();
    const tick = (now) => {
      globalThis.longest = Math.max(globalThis.longest, now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await shows(page, "q-1");
  await page.waitForSelector("overt-diff .line");
  await page.evaluate(async () => {
    const rows = document.querySelector(".diff-rows");
    for (let step = 0; step <= 60; step += 1) {
      rows.scrollTop = (rows.scrollHeight * step) / 60;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  await page.getByText("line 99999 is new").waitFor();
  const { count, longest } = await page.evaluate(() => ({ count: document.querySelectorAll("overt-diff *").length, longest: globalThis.longest }));
  console.log(`200,000 lines: ${count} elements, longest frame ${Math.round(longest)} ms`);
  assert.ok(count < 1500, `${count} elements`);
  assert.ok(longest < 5000, `${longest} ms`);
});

test("the marks and the selection stay while another view is shown", async () => {
  const page = await openInbox();
  await page.keyboard.press("j");
  await page.keyboard.press(" ");
  await page.keyboard.press("2");
  await page.waitForSelector("overt-activity .row");
  await page.keyboard.press("n");
  await page.keyboard.press("1");
  await shows(page, "q-2");
  assert.equal(await selected(page), "q-2");
  assert.equal(await page.locator(".question[data-marked]").count(), 1);
  assert.deepEqual(answers(), []);
});
