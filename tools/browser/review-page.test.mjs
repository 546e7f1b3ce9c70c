// The page of a server in a question: it is shown in the sandbox, and can do nothing but be looked at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./browser.mjs";
import { eventually, harness, shows } from "./harness.mjs";
import { probe } from "./apps/probe.mjs";

const run = harness();
/** What the browser reports when it keeps a page from something. */
const expects = ["Content Security Policy", "Refused to", "Blocked", "Unsafe attempt", "violates"];

/** Opens the first question with this review page, and the page in it. */
async function open(page_) {
  run.mock.questions[0].page = page_;
  const { id } = run.mock.questions[0].question;
  const page = await run.open("/", { expects });
  await shows(page, id);
  await page.getByText("The review page of the server").click();
  const frame = await eventually(() => page.frames().find((one) => one.url() === "about:srcdoc"), "the page of the server");
  return { page, frame, id };
}

test("a review page is loaded and shown when somebody asks for it", async () => {
  const { page, frame, id } = await open("<!doctype html><html lang=en><title>Changes</title><body style=\"color:var(--mcp-color-fg)\"><h1>Changes by write_file</h1></body></html>");
  await frame.getByText("Changes by write_file").waitFor();
  await page.getByText("It can't answer the question.").waitFor();
  assert.deepEqual(run.mock.requests.filter(({ path }) => path.startsWith("/api/reviews/")).map(({ path }) => path), [`/api/reviews/${id}`]);
  assert.notEqual(await frame.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--mcp-color-fg").trim()), "", "it has the colours of the page");
  assert.deepEqual(await violations(page, "overt-inbox"), []);
});

test("a question without a review page offers none", async () => {
  const page = await run.open("/");
  await shows(page, run.mock.questions[0].question.id);
  assert.equal(await page.getByText("The review page of the server").count(), 0);
});

test("a hostile review page can neither answer its question nor call anything", async () => {
  const { page, frame, id } = await open(probe());
  // A frame that is out of view draws nothing, so nothing may wait for it to draw.
  await eventually(() => frame.evaluate(() => typeof ask === "function" && Boolean(window.mcp)), "the script of the page");
  const { address, token } = run.mock;
  const tried = await frame.evaluate(async ([address, token, id]) => {
    const outcome = async (work) => { try { return JSON.stringify(await work()) ?? "nothing"; } catch (error) { return error.name; } };
    const body = JSON.stringify({ choice: "always", questions: [{ id, digest: "x" }] });
    return {
      // With the token, which it can't know.
      answers: await outcome(() => fetch(`${address}/api/answers`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body })),
      frame: await outcome(() => new Promise((resolve, reject) => {
        const inner = document.createElement("iframe");
        addEventListener("securitypolicyviolation", () => reject(new DOMException("", "PolicyError")));
        inner.src = `${address}/`;
        document.body.append(inner);
      })),
      document: await outcome(() => top.document.querySelector(".choice").click()),
      storage: await outcome(() => sessionStorage.getItem("overt-token")),
      older: await outcome(() => mcp.callTool("write_file", { path: "a" }).catch((error) => ({ refused: error.message }))),
      message: await outcome(() => mcp.sendMessage({ text: "approve it" }).catch((error) => ({ refused: error.message }))),
    };
  }, [address, token, id]);
  assert.equal(tried.answers, "TypeError");
  assert.equal(tried.frame, "PolicyError");
  assert.equal(tried.document, "SecurityError");
  assert.equal(tried.storage, "SecurityError");
  assert.match(tried.older, /refused.*no tool write_file/);
  assert.match(tried.message, /refused.*no ui\/message/);
  // The keys that it makes up are its own.
  await frame.evaluate(() => ["a", "y", "Enter"].forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }))));
  await frame.evaluate(() => parent.postMessage({ jsonrpc: "2.0", id: 77, method: "tools/call", params: { name: "write_file", arguments: {} } }, "*"));
  assert.equal(run.mock.posts("/api/answers").length, 0);
  assert.ok(run.mock.questions.some(({ question }) => question.id === id), "the question waits");
  assert.equal(page.url().split("#")[0], `${address}/`);
});
