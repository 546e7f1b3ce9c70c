// Try, before a made-up server: forms, calls, previews, results, questions, history.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { violations } from "./browser.mjs";
import { eventually, harness, says, until } from "./harness.mjs";
import { hostile } from "./try-data.mjs";
import { TryMock } from "./try-mock.mjs";

const run = harness();
beforeEach(async () => {
  await run.mock.stop();
  run.mock = await new TryMock().start();
});

const open = async (query = "", options = {}) => {
  const page = await run.open(`/?view=try${query}`, options);
  await page.waitForSelector(".try [data-state=connected]");
  return page;
};
/** Opens a tool and waits for its form. */
const openTool = async (name, options) => {
  const page = await open(`&item=${encodeURIComponent(name)}`, options);
  await page.waitForSelector("overt-try-tool .editor");
  return page;
};
const field = (page, path) => page.locator(`overt-try-tool [data-path="${path}"] :is(textarea, input, select)`).first();
const json = (page) => page.locator("overt-try-tool .editor-json textarea").first();
const result = (page) => page.locator("overt-try-tool .outcome");
const finished = (page, word) => page.waitForFunction((wanted) => document.querySelector(".outcome h3 .pill")?.textContent === wanted, word, { timeout: 15_000 });

test("the page of overt inspect opens with its server, and its program is loaded only then", async () => {
  const loaded = [];
  const page = await run.open("/");
  page.on("request", (request) => loaded.push(request.url()));
  await page.waitForSelector(".try [data-state=connected]");
  assert.equal(new URL(page.url()).searchParams.get("view"), "try");
  assert.match(await page.locator(".try-target").innerText(), /overt fs \/home\/ada\/site/);
  await page.waitForSelector("[data-entry='fail']");
  assert.equal(await page.locator("[data-entry]").count(), 8, "all pages of the list");
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.waitForSelector("overt-inbox:not([hidden])");
  assert.equal(await page.locator("overt-try").isVisible(), false);
  await page.keyboard.press("6");
  await page.waitForSelector(".try [data-state=connected]");
});

test("overt ui does not load the program of Try", async () => {
  run.mock.route = Object.getPrototypeOf(TryMock.prototype).route;
  const loaded = [];
  const page = await run.open("/?view=try", {});
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await page.getByText("No server to try").waitFor();
  assert.equal(await page.getByRole("link", { name: "Try" }).count(), 0);
  await page.reload();
  await page.getByText("No server to try").waitFor();
  assert.ok(loaded.includes("/overt.js") && !loaded.includes("/try.js"), loaded.join(" "));
});

test("a program that can't be loaded is said, and tried again", async () => {
  run.mock.faults.set("/try.js", 404);
  const page = await run.open("/?view=try", { expects: ["404", "try.js"] });
  await page.getByText("could not be loaded").waitFor();
  run.mock.faults.delete("/try.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector(".try [data-state=connected]");
});

test("tools can be called without the other parts, and these are tried again", async () => {
  run.mock.faults.set("/try-parts.js", 404);
  const page = await openTool("search", { expects: ["404", "try-parts.js"] });
  await page.locator("[data-tab=history]").click();
  await page.getByText("could not be loaded").waitFor();
  run.mock.faults.delete("/try-parts.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector("overt-try-history .pane");
});

test("a form gives JSON, JSON gives a form, and the call has exactly what was typed", async () => {
  const page = await openTool("search");
  await field(page, "/query").fill("12");
  await field(page, "/offset").fill("12345678901234567890.50");
  await page.locator('[data-path="/tags"]').getByLabel("green").check();
  await field(page, "/order").selectOption({ label: "Descending" });
  await page.locator('[data-path="/where"]').getByRole("button", { name: "Add: where" }).click();
  await page.getByLabel("Name of another member of where").fill("a b");
  await page.keyboard.press("Enter");
  await page.locator('[data-path="/where/a b"] textarea').fill("x");
  const written = '{\n  "query": "12",\n  "offset": 12345678901234567890.50,\n  "tags": [\n    "green"\n  ],\n  "order": "desc",\n  "where": {\n    "a b": "x"\n  }\n}';
  assert.equal(await json(page).inputValue(), written);
  await page.keyboard.press("Control+Enter");
  await finished(page, "ok");
  const body = run.mock.last("/requests");
  assert.ok(body.includes('"offset":12345678901234567890.50'), body);
  assert.deepEqual(JSON.parse(body).params.arguments.where, { "a b": "x" });
  assert.equal(JSON.parse(body).params._meta.progressToken, JSON.parse(body).id);
});

test("typed JSON is never rewritten, the form waits until it can be read, and Call waits too", async () => {
  const page = await openTool("search");
  await json(page).fill("");
  const typed = '{ "query":  "a\\u0062", "limit": 1.0,\n "other": [1 ] }';
  await json(page).pressSequentially(typed.slice(0, 30));
  assert.equal(await json(page).inputValue(), typed.slice(0, 30));
  assert.equal(await page.locator("overt-try-tool .editor-form").first().evaluate((one) => one.disabled), true);
  assert.equal(await page.locator("[data-call]").isDisabled(), true);
  await json(page).pressSequentially(typed.slice(30));
  assert.equal(await json(page).inputValue(), typed);
  assert.equal(await field(page, "/query").inputValue(), "ab");
  assert.equal(await page.locator('[data-path="/other"] textarea').inputValue(), "[\n  1\n]");
  assert.equal(await page.locator("[data-call]").isDisabled(), false);
});

test("names of members can be anything", async () => {
  const page = await openTool("search");
  await json(page).fill('{"":1," ":2,"a/b~c":3,"__proto__":4,"\\ud800":5,"%":6}');
  await until(page, (count) => document.querySelectorAll("overt-try-tool .member-name").length === count, 6);
  await page.locator('[data-path="/a~1b~0c"] textarea').fill("[30]");
  await page.locator('[data-path="/__proto__"] .member-name').fill("renamed");
  await page.keyboard.press("Tab");
  assert.equal(await json(page).inputValue(), '{\n  "": 1,\n  " ": 2,\n  "a/b~c": [\n    30\n  ],\n  "renamed": 4,\n  "\\ud800": 5,\n  "%": 6\n}');
});

test("absent, null and empty are three states of a field", async () => {
  const page = await openTool("send_message");
  const subject = page.locator('[data-path="/subject"]');
  const value = async () => JSON.parse(await json(page).inputValue()).subject;
  assert.equal(await value(), undefined);
  await subject.getByRole("button", { name: "Set to an empty text" }).click();
  assert.equal(await value(), "");
  await subject.getByRole("button", { name: "Set to null" }).click();
  assert.equal(await value(), null);
  await subject.getByRole("button", { name: "Leave out" }).click();
  assert.equal(await value(), undefined);
});

test("alternatives at the root are chosen, and come back with what was written", async () => {
  const page = await openTool("send_message");
  await field(page, "/address").fill("ada@example.com");
  await page.locator(".variant select").selectOption({ label: "Text message" });
  await page.waitForSelector('[data-path="/phone"]');
  assert.equal(JSON.parse(await json(page).inputValue()).kind, "sms");
  await page.locator(".variant select").selectOption({ label: "E-mail" });
  assert.equal(await field(page, "/address").inputValue(), "ada@example.com");
});

test("a text that is not a number is kept, said and not sent", async () => {
  const page = await openTool("search");
  await field(page, "/query").fill("x");
  await field(page, "/limit").fill("1,5");
  await page.getByText("1,5 is not a number in JSON.").first().waitFor();
  assert.equal(await page.locator("[data-call]").isDisabled(), true);
  await field(page, "/limit").fill("0");
  await page.locator('[data-path="/limit"]').getByText("is less than 1").waitFor();
  assert.equal(await page.locator("[data-call]").isDisabled(), false, "a server can be tried with what its schema refuses");
});

test("intent while typing, preview, diff, apply with the plan", async () => {
  const page = await openTool("edit_file");
  await page.getByRole("button", { name: "Rename a function" }).click();
  await page.locator(".intent").getByText("Edit src/app.ts").waitFor();
  await page.locator("[data-preview]").click();
  await page.waitForSelector("overt-try-tool overt-diff .line.added");
  assert.match(await page.locator("overt-diff").innerText(), /boot\(8080\)/);
  const preview = run.mock.sent("tools/call").at(-1);
  assert.equal(preview.params._meta.preview, true);
  await page.getByText("It fits the output schema.").waitFor();
  await page.locator("[data-apply]").click();
  await eventually(() => run.mock.sent("tools/call").length === 2, "the call");
  const applied = run.mock.sent("tools/call").at(-1);
  assert.equal(applied.params._meta["dev.overt/plan"], "sha256-plan0");
  assert.equal(applied.params._meta.preview, undefined);
  assert.deepEqual(applied.params.arguments, preview.params.arguments);
  await finished(page, "ok");
  assert.equal(await page.locator("[data-apply]").count(), 0, "a plan is applied once");
});

test("X-12: a preview that the server does not call one is a warning", async () => {
  const page = await openTool("edit_file");
  await json(page).fill('{"path":"silent.txt","edits":[]}');
  await page.locator("[data-preview]").click();
  await page.getByRole("alert").filter({ hasText: "The call may have had its effect." }).waitFor();
  assert.equal(await page.locator("[data-apply]").count(), 0);
});

test("a preview does not hold for edited arguments, and a changed plan is refused by the server", async () => {
  const page = await openTool("edit_file");
  await page.getByRole("button", { name: "Rename a function" }).click();
  await page.locator("[data-preview]").click();
  await page.waitForSelector("[data-apply]:not(:disabled)");
  await field(page, "/path").fill("src/other.ts");
  await page.waitForSelector("[data-apply]:disabled");
  await page.getByText("The call was edited after this preview.").waitFor();
  await field(page, "/path").fill("src/app.ts");
  await page.waitForSelector("[data-apply]:not(:disabled)");
  run.mock.plans += 1;
  await page.locator("[data-apply]").click();
  await finished(page, "tool error");
  await result(page).getByText("PLAN_CHANGED").first().waitFor();
});

test("a diff that was cut is read from its address", async () => {
  const page = await openTool("edit_file");
  await json(page).fill('{"path":"big.txt","edits":[{"old":"a","new":"b"}]}');
  await page.keyboard.press("Control+Enter");
  await page.locator("overt-diff").getByText("the whole diff").waitFor();
  assert.equal(run.mock.sent("resources/read")[0].params.uri, "ui://edit_file/1.diff");
});

test("a button of a field that goes away gives the focus to the field", async () => {
  const page = await openTool("edit_file");
  const focused = () => page.evaluate(() => [document.activeElement.localName, document.activeElement.closest("[data-path]")?.dataset.path]);
  await page.locator('[data-path="/path"]').getByRole("button", { name: "Set to an empty text" }).press("Enter");
  await until(page, () => document.activeElement.localName === "textarea");
  assert.deepEqual(await focused(), ["textarea", "/path"]);
  await page.getByRole("button", { name: "Add an item to edits" }).press("Enter");
  await until(page, () => document.activeElement.closest("[data-path]")?.dataset.path.startsWith("/edits/1"));
  assert.deepEqual(await focused(), ["textarea", "/edits/1/old"]);
  await page.getByRole("button", { name: "Remove item 2 of edits" }).press("Enter");
  await until(page, () => document.activeElement !== document.body && document.activeElement.closest("[data-path]")?.dataset.path.startsWith("/edits"));
});

test("a policy of a person and further members go into _meta", async () => {
  const page = await openTool("search");
  await field(page, "/query").fill("x");
  await page.getByText("Policy and _meta of the call").click();
  await page.getByLabel("Policy, as JSON").fill('{"limits":{"seconds":0.50}}');
  await page.getByLabel("_meta, as JSON").fill('{"com.example/trace":{"id":[1,{"deep":true}]}}');
  await page.locator("[data-call]").click();
  await finished(page, "ok");
  assert.ok(run.mock.last("/requests").includes('"seconds":0.50'));
  const { _meta: meta } = run.mock.sent("tools/call")[0].params;
  assert.deepEqual([meta.policy, meta["dev.overt/policy-source"], meta["com.example/trace"]], [{ limits: { seconds: 0.5 } }, "human", { id: [1, { deep: true }] }]);
});

test("every kind of content is shown, and nothing of it becomes markup", async () => {
  const page = await openTool("media");
  await page.locator("[data-call]").click();
  await finished(page, "ok");
  const shown = result(page);
  assert.equal(await shown.locator("img").count(), 1, "a type that is not an image type is not shown");
  await until(page, () => document.querySelector(".content-image").naturalWidth === 1);
  assert.equal(await shown.locator("script").count(), 0);
  for (const words of ["One of each kind.", "An embedded note.", "hologram", "5 bytes of application/pdf", "ui://media/view.html", "\\u{202e}evil<img"]) assert.ok((await shown.innerText()).includes(words), words);
  await shown.getByRole("button", { name: "Play" }).waitFor();
  await page.locator("overt-try-app").getByText("The app can't be shown: The media type of an app is text/html;profile=mcp-app.").waitFor();
  await shown.getByRole("button", { name: "Read notes://today" }).click();
  await page.getByText("The contents of notes://today").first().waitFor();
  assert.equal(new URL(page.url()).searchParams.get("tab"), "resources");
});

test("progress is shown, and a call can be cancelled", async () => {
  const page = await openTool("slow");
  await page.locator("[data-call]").click();
  const id = await eventually(() => run.mock.runningTool("slow"), "the call");
  run.mock.emit("progress", { id, progress: 3, total: 10, message: `Step ${hostile}` });
  await result(page).getByText("3 of 10").waitFor();
  assert.equal(await page.locator("progress").evaluate((one) => one.value), 0.3);
  await result(page).getByRole("button", { name: "Cancel" }).click();
  await finished(page, "cancelled");
  assert.deepEqual(JSON.parse(run.mock.last("/cancel")), { id });
});

test("a cancellation gets through while as many calls run as may", async () => {
  const page = await openTool("slow");
  await page.locator("[data-call]").click();
  await page.locator("[data-tab=history]").click();
  await page.locator("[data-request]").first().click();
  for (let count = 2; count <= 4; count += 1) {
    await page.locator("[data-replay]").click();
    await until(page, (wanted) => document.querySelectorAll("[data-request].entry").length === wanted, count);
  }
  await page.locator(".outcome").getByText("3 requests are running, and more are not sent.").waitFor();
  await eventually(() => run.mock.sent("tools/call").length === 3, "the calls");
  await page.locator("[data-request].entry").last().click();
  await page.locator(".outcome").getByRole("button", { name: "Cancel" }).click();
  await eventually(() => run.mock.cancelled.size === 1, "the cancellation");
  assert.equal(run.mock.sent("tools/call").length, 3);
});

test("errors of tools, of the protocol and of the page are different things", async () => {
  const page = await openTool("fail");
  await field(page, "/how").selectOption("tool");
  await page.locator("[data-call]").click();
  await finished(page, "tool error");
  await field(page, "/how").selectOption("protocol");
  await page.locator("[data-call]").click();
  await finished(page, "failed");
  await result(page).getByText("Error -32602.").waitFor();
  run.mock.faults.set("/api/inspect/requests", 503);
  run.problems.length = 0;
  await page.locator("[data-call]").click();
  await result(page).getByText("A scripted fault with status 503.").waitFor();
  await eventually(() => run.problems.length > 0, "the console has the status");
  run.problems.length = 0;
});

test("scopes that are asked for are granted for one call", async () => {
  const page = await openTool("fail");
  await field(page, "/how").selectOption("scopes");
  await page.locator("[data-call]").click();
  await result(page).getByText("write:file:/etc", { exact: true }).waitFor();
  await result(page).getByRole("button", { name: "Call again with this scope" }).click();
  await result(page).getByText("Done with the scope.", { exact: true }).waitFor();
  const [first, second] = run.mock.sent("tools/call");
  assert.deepEqual(second.params._meta.granted_scopes, ["write:file:/etc"]);
  assert.notEqual(second.params._meta.progressToken, first.params._meta.progressToken);
});

test("a question of the server is a form, and its answer goes back", async () => {
  const page = await openTool("ask_me");
  await page.locator("[data-call]").click();
  const question = page.locator(".server-question");
  await question.getByText("Which branch shall it be?").waitFor();
  await question.locator('[data-path="/force"] select').selectOption("false");
  await question.getByText('"branch" is required').waitFor();
  await question.locator('[data-path="/force"]').getByRole("button", { name: "Leave out" }).click();
  await question.getByRole("textbox", { name: "branch" }).fill("main");
  await question.locator('[data-path="/level"] select').selectOption({ label: "High" });
  assert.deepEqual(await violations(page), []);
  await question.getByRole("button", { name: "Accept" }).click();
  await until(page, () => !document.querySelector(".server-question"));
  assert.deepEqual(JSON.parse(run.mock.last("/answers")), { id: "e1", result: { action: "accept", content: { branch: "main", level: "high" } } });
  await finished(page, "ok");
});

test("sampling is answered by a person, roots are given, and both can be refused", async () => {
  const page = await open();
  await eventually(() => run.mock.inspectStreams.size > 0, "the stream");
  run.mock.emit("asks", { id: "s1", method: "sampling/createMessage", params: { messages: [{ role: "user", content: { type: "text", text: "Say hello" } }], systemPrompt: "Be short.", maxTokens: 100 } });
  const question = page.locator(".server-question");
  await question.getByText("Say hello", { exact: true }).waitFor();
  await question.locator('[data-path="/content"] [data-path="/content/text"] textarea').fill("Hello");
  await question.getByRole("button", { name: "Answer" }).click();
  await eventually(() => run.mock.last("/answers"), "the answer");
  assert.deepEqual(JSON.parse(run.mock.last("/answers")), { id: "s1", result: { role: "assistant", content: { type: "text", text: "Hello" }, model: "a person" } });
  run.mock.emit("asks", { id: "s2", method: "roots/list", params: {} });
  await page.waitForSelector('[data-question="s2"]');
  await question.getByRole("button", { name: "Refuse" }).click();
  await eventually(() => JSON.parse(run.mock.last("/answers")).id === "s2", "the refusal");
  assert.equal(JSON.parse(run.mock.last("/answers")).failure.code, -32000);
  run.mock.emit("asks", { id: "s3", method: "elicitation/create", params: { mode: "url", message: "Sign in", url: "https://example.com/<b>" } });
  await page.waitForSelector('[data-question="s3"]');
  assert.equal(await question.locator("a").count(), 0, "an address is not a link");
  run.mock.emit("asks-gone", { id: "s3" });
  await until(page, () => !document.querySelector(".server-question"));
});

test("resources are read, and templates have a form with suggestions", async () => {
  const page = await open("&tab=resources");
  await page.waitForSelector('[data-entry="img://logo"]');
  await page.locator('[data-entry="img://logo"]').click();
  await page.locator("[data-read]").click();
  await page.waitForSelector(".content-image");
  await page.locator('[data-entry^="repo://"]').click();
  await page.getByLabel("owner").fill("a b");
  await page.getByLabel("path").fill("src\nmain.rs");
  await page.getByLabel("name").fill("r");
  await page.getByRole("group", { name: "Suggestions for name" }).getByRole("button", { name: "ruby" }).click();
  await page.locator(".expanded").getByText("repo://a%20b/ruby/src/main.rs").waitFor();
  assert.deepEqual(run.mock.sent("completion/complete").at(-1).params.ref, { type: "ref/resource", uri: "repo://{owner}/{name}{/path*}{?branch}" });
  await page.keyboard.press("Control+Enter");
  await eventually(() => run.mock.sent("resources/read").at(-1)?.params.uri === "repo://a%20b/ruby/src/main.rs", "the address");
});

test("prompts have arguments with suggestions and give messages", async () => {
  const page = await open("&tab=prompts&item=review");
  await page.getByLabel("language").fill("ru");
  await page.getByRole("button", { name: "rust", exact: true }).click();
  await page.locator("[data-get]").click();
  await page.getByText("Review this rust code.").first().waitFor();
  assert.deepEqual(run.mock.sent("prompts/get")[0].params, { name: "review", arguments: { language: "rust" } });
});

test("the history has initialize, replays, edits and exports", async () => {
  const page = await openTool("search");
  await field(page, "/query").fill("first");
  await page.locator("[data-call]").click();
  await finished(page, "ok");
  await page.locator("[data-tab=history]").click();
  await page.locator("[data-request]").first().click();
  await page.locator("[data-replay]").click();
  await eventually(() => run.mock.sent("tools/call").length === 2, "the second call");
  const [first, second] = run.mock.sent("tools/call");
  assert.deepEqual(second.params.arguments, first.params.arguments);
  assert.equal(second.params._meta.progressToken, second.id, "progress is reported for the second call");
  await page.getByRole("button", { name: "Mark all" }).click();
  await page.getByRole("button", { name: "Export 2 requests" }).click();
  await page.locator(".transcript").getByText(`# ${first.id}`).waitFor();
  assert.deepEqual(JSON.parse(run.mock.last("/export")).requests, [first.id, second.id], "in the order of sending");
  await page.getByRole("button", { name: "Messages" }).click();
  await page.locator('[data-message="initialize"]').scrollIntoViewIfNeeded();
  await page.locator('[data-message="initialize"]').click();
  await page.getByText('"protocolVersion": "2025-11-25"').first().waitFor();
  await page.getByRole("button", { name: "Requests" }).click();
  await page.locator("[data-request]").first().click();
  await page.locator("[data-edit]").click();
  await page.waitForSelector("overt-try-tool .editor");
  assert.equal(await field(page, "/query").inputValue(), "first");
});

test("notifications and the log are shown, and a changed list is read again", async () => {
  const page = await open();
  await page.waitForSelector("[data-entry='fail']");
  run.mock.tools = [{ name: "new_tool", inputSchema: { type: "object" } }, ...run.mock.tools];
  run.mock.notify("notifications/tools/list_changed", undefined);
  await page.waitForSelector("[data-entry='new_tool']");
  run.mock.notify("notifications/message", { level: "warning", logger: "disk", data: `almost full ${hostile}` });
  await page.locator("[data-tab=server]").click();
  await page.locator(".log-lines").getByText("almost full \\u{202e}evil").waitFor();
  await page.getByLabel("Level of the log").selectOption("debug");
  await eventually(() => run.mock.sent("logging/setLevel")[0]?.params.level === "debug", "the level");
});

test("after a reconnection the differences are said", async () => {
  const page = await open();
  await page.waitForSelector("[data-entry='fail']");
  await page.locator("[data-tab=server]").click();
  run.mock.onReconnect = () => {
    run.mock.tools = run.mock.tools.filter(({ name }) => name !== "fail").map((tool) => (tool.name === "slow" ? { ...tool, description: "Other" } : tool));
    run.mock.state = { ...run.mock.state, capabilities: { ...run.mock.state.capabilities, logging: undefined, sampling: {} } };
  };
  await page.locator("[data-reconnect]").click();
  await page.locator(".server-changes").getByText("fail").waitFor();
  const words = (await page.locator(".server-changes li").allInnerTexts()).map((line) => line.replace(/\s+/g, " "));
  assert.deepEqual(words, ["removed capability logging", "added capability sampling", "changed tool slow in description", "removed tool fail"]);
});

test("the configuration that a server publishes is a form, sent with a new connection", async () => {
  const page = await open("&tab=server");
  const form = page.getByRole("region", { name: "Configuration", exact: true });
  await form.locator('[data-path="/mode"] select').selectOption("strict");
  await page.locator("[data-configure]").click();
  await eventually(() => run.mock.last("/reconnect"), "the connection");
  assert.deepEqual(JSON.parse(run.mock.last("/reconnect")), { configuration: { mode: "strict" } });
});

test("a server that is gone is said, and connected again", async () => {
  const page = await openTool("search");
  run.mock.setState({ state: "failed", problem: `It ended with code 1. ${hostile}` });
  await page.getByRole("alert").getByText("The server can't be reached.").waitFor();
  assert.equal(await page.locator("[data-call]").isDisabled(), true);
  await page.locator(".banner [data-reconnect]").click();
  await page.waitForSelector(".try [data-state=connected]");
  assert.deepEqual(JSON.parse(run.mock.last("/reconnect")), {});
});

test("any request can be sent", async () => {
  const page = await open("&tab=server");
  await page.getByLabel("Method").fill("tools/unknown");
  await page.getByLabel("Parameters, as JSON").fill('{"big":12345678901234567890}');
  await page.locator("[data-send]").click();
  await page.getByText("The method tools/unknown is not known.").waitFor();
  assert.ok(run.mock.last("/requests").includes("12345678901234567890"));
});

test("everything is reached by keyboard: search, list, form, call, palette", async () => {
  const page = await open();
  await page.waitForSelector("[data-entry='fail']");
  await page.keyboard.press("j");
  await until(page, () => document.querySelector("overt-try-tool h2")?.textContent.includes("send_message"));
  await page.keyboard.press("/");
  await page.keyboard.type("find things");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelector("overt-try-tool h2")?.textContent === "search");
  await field(page, "/query").focus();
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Control+Enter");
  await finished(page, "ok");
  await page.keyboard.press("Control+k");
  await page.waitForSelector("dialog.overt-palette[open]");
  await page.keyboard.type("try the tool slow");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelector("overt-try-tool h2")?.textContent === "slow");
  await page.goBack();
  await until(page, () => document.querySelector("overt-try-tool h2")?.textContent === "search");
});

test("everything that can be pressed in a form is reached by Tab, with a visible focus", async () => {
  const page = await openTool("search");
  await page.locator("#try-search").focus();
  const count = await page.evaluate(() => [...document.querySelectorAll(".try :is(button, input, select, textarea, [tabindex='0'], summary)")].filter((one) => one.checkVisibility() && !one.disabled).length);
  const reached = new Set();
  for (let step = 0; step < count + 40; step += 1) {
    await page.keyboard.press("Tab");
    const [key, isVisible, what] = await page.evaluate(() => {
      const one = document.activeElement;
      one.dataset.reached ??= String(document.querySelectorAll("[data-reached]").length);
      return [one.dataset.reached, one === document.body || getComputedStyle(one).outlineStyle !== "none", one.outerHTML.slice(0, 80)];
    });
    assert.ok(isVisible, `no visible focus: ${what}`);
    reached.add(key);
  }
  const missed = await page.evaluate(() => [...document.querySelectorAll(".try :is(button, input, select, textarea, summary)")].filter((one) => one.checkVisibility() && !one.disabled && !one.dataset.reached).map((one) => one.outerHTML.slice(0, 120)));
  assert.deepEqual(missed, []);
});

const scenes = { tools: "overt-try-tool .editor", resources: "overt-try-resource", prompts: "overt-try-prompt", history: "overt-try-history", server: "overt-try-server .editor" };
for (const [tab, ready] of Object.entries(scenes)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing in ${tab}, ${colorScheme}`, async () => {
      const page = await open(`&tab=${tab}`, { colorScheme });
      await page.waitForSelector(ready);
      if (tab === "tools") await callSearch(page);
      assert.deepEqual(await violations(page), []);
    });
  }

  for (const width of [320, 768, 2560]) {
    test(`${tab} has no horizontal scrolling at ${width} pixels`, async () => {
      const page = await open(`&tab=${tab}`, { viewport: { width, height: width === 2560 ? 1440 : 640 } });
      await page.waitForSelector(ready);
      if (tab === "tools") await callSearch(page);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide[0] <= wide[1], `${wide[0]} of ${wide[1]}`);
      const outside = await page.evaluate(() => [...document.querySelectorAll(".try :is(button, input, select, textarea, h1, h2, h3)")]
        .filter((one) => one.checkVisibility() && !one.closest("overt-rows, overt-diff, .unseen") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 100)));
      assert.deepEqual(outside, []);
    });
  }
}

async function callSearch(page) {
  await page.locator('[data-entry="edit_file"]').click();
  await page.getByRole("button", { name: "Rename a function" }).click();
  await page.locator("[data-preview]").click();
  await page.waitForSelector("overt-try-tool overt-diff .line.added");
}

test("hostile texts of a server are shown as what they are", async () => {
  const page = await open(`&item=${encodeURIComponent(`x${hostile}`)}`);
  await page.waitForSelector("overt-try-tool .editor");
  const shown = await page.locator(".try").innerText();
  assert.ok(shown.includes("\\u{202e}evil<img src=x onerror=alert(1)>\\u{200b}"));
  assert.ok(!shown.includes("\u202E"), "a bidirectional character is in the text");
  assert.equal(await page.locator(".try img").count(), 0);
  await page.locator("overt-try-tool select").first().selectOption({ index: 1 });
  await page.locator("[data-call]").click();
  await finished(page, "ok");
  assert.deepEqual(run.mock.sent("tools/call")[0].params.arguments, { [hostile]: hostile });
  await page.locator("[data-tab=history]").click();
  await page.waitForSelector("[data-request]");
  assert.ok(!(await page.locator(".try").innerText()).includes("\u202E"));
});

test("a token that is not valid any more locks the page", async () => {
  const page = await openTool("search", { expects: ["401"] });
  run.mock.token = "another";
  // The check of the arguments may find out first; then there is nothing to click any more.
  await page.evaluate(() => document.querySelector("[data-call]")?.click());
  await page.getByText("This page needs its token").waitFor();
});

test("the event stream that begins anew shows no message twice", async () => {
  const page = await open("&tab=history", { expects: ["Failed to load", "ERR_"] });
  await page.getByRole("button", { name: "Messages" }).click();
  await until(page, () => document.querySelectorAll("[data-message]").length === 2);
  for (const stream of run.mock.inspectStreams) stream.destroy();
  run.mock.notify("notifications/message", { level: "info", data: "after" });
  await until(page, () => document.querySelectorAll("[data-message]").length === 3);
  assert.equal(await page.locator("[data-message=initialize]").count(), 1);
});

test("a failure to read an answer is announced, not swallowed", async () => {
  const page = await open("", { expects: ["500"] });
  await eventually(() => run.mock.inspectStreams.size > 0, "the stream");
  run.mock.emit("asks", { id: "q", method: "roots/list", params: {} });
  await page.waitForSelector('[data-question="q"]');
  run.mock.faults.set("/api/inspect/answers", 500);
  await page.locator(".server-question").getByRole("button", { name: "Refuse" }).click();
  await says(page, "A scripted fault with status 500.");
  assert.equal(await page.locator(".server-question").count(), 1, "the question stays");
});
