// Data of the mock server: questions, actions, servers, grants and the policy, with hostile texts among them.

export const letters = {
  once: ["y", "this call"], session: ["s", "session"], folder: ["f", "folder 8 h"], always: ["p", "project"], no: ["n", "no"],
  never: ["x", "never"], "8h": ["h", "8 h"], "session-tool": ["t", "tool"], "session-server": ["w", "server"],
  "session-reads": ["r", "reads"], everywhere: ["a", "everywhere"], "no-session": ["X", "refuse session"],
  "trust-changes": ["c", "ask for changes"], "trust-everything": ["e", "everything"], "trust-deletes": ["l", "deletes"], "trust-nothing": ["o", "nothing"],
};

export function choices(names = ["once", "session", "folder", "always", "no", "never", "8h", "session-tool", "session-server", "everywhere", "no-session"]) {
  return names.map((choice) => ({ choice, letter: letters[choice][0], label: letters[choice][1], words: `${choice}: ${letters[choice][1]}` }));
}

export const smallDiff = `--- a/src/app.ts
+++ b/src/app.ts
@@ -8,7 +8,8 @@
 import { routes } from "./routes";
 
-export function start(port: number) {
-  const server = listen(port);
+export function start(port: number, host = "127.0.0.1") {
+  const server = listen(port, host);
+  server.keepAliveTimeout = 5_000;
   server.use(routes);
   return server;
 }
--- a/src/routes.ts
+++ b/src/routes.ts
@@ -1,3 +1,3 @@
 export const routes = [
-  "/login",
+  "/sign-in",
 ];
`;

/** HTML, bidirectional controls, invisible characters, a terminal escape. */
export const hostile = `<img src=x onerror="window.attacked=1"><script>window.attacked=1</script> \u202Egpj.exe\u202C \u200Bzero\u0007 \u001b[31mred </bdi>&amp;`;

export function question(number, changes = {}) {
  const id = `q-${number}`;
  const now = Date.now();
  const plan = { created: 0, changed: 2, deleted: 0, moved: 0, changes: ["src/app.ts +3 -2", "src/routes.ts +1 -1"], diff: "", page: "" };
  const { shown, ...rest } = changes;
  return {
    id,
    digest: `list-${id}-1`,
    asks: "call",
    client: "Claude Code 2.1",
    server: "filesystem#1a2b3c4d",
    project: "/home/ada/code/site",
    tool: "edit_file",
    reason: "it needs `write:file:/home/ada/code/site/src`, which is not allowed without asking",
    intent: 'Change "src/app.ts" and "src/routes.ts"',
    arguments: JSON.stringify({ path: "src/app.ts", edits: [{ oldText: "start(port: number)", newText: "start(port: number, host)" }], token: "(hidden)" }),
    asked: new Date(now - 4000).toISOString(),
    waits_until: new Date(now + 56_000 + number * 1000).toISOString(),
    until: new Date(now + 600_000).toISOString(),
    calls: 1,
    scopes: ["write:file:/home/ada/code/site/src/app.ts", "write:file:/home/ada/code/site/src/routes.ts"],
    wider: ["write:file:/home/ada/code/site/src"],
    choices: choices(),
    ...rest,
    shown: {
      intent: 'Change "src/app.ts" and "src/routes.ts"',
      reason: "it needs write access to two files, which is not allowed without asking",
      client: "Claude Code 2.1",
      server: "filesystem",
      title: "Edit File",
      description: "Make line-based edits to a text file. Each edit replaces exact lines with new content.",
      effect: "changes something, can be undone",
      arguments: ['path "src/app.ts"', 'edits [{"oldText": "start(port: number)", "newText": "start(port: number, host)"}]'],
      changes: plan,
      plan_failure: null,
      reading_tools: [],
      changing_tools: [],
      ...shown,
    },
  };
}

/** The questions of a normal morning: two clients, a plan, a call without one, a new server. */
export function someQuestions() {
  return [
    { question: question(1), diff: smallDiff },
    {
      question: question(2, {
        tool: "delete_directory", calls: 2,
        shown: { intent: 'Delete the folder "build"', title: "Delete Directory", description: null, arguments: ['path "build"'],
          changes: { created: 0, changed: 0, deleted: 312, moved: 0, changes: ["build/ (312 files)"], diff: "", page: "" } },
      }),
      diff: "deleted build\n  folder with 312 files, 4.1 MB\n    app.js\n    app.js.map\n",
    },
    {
      question: question(3, {
        client: "Cursor 1.2", project: "/home/ada/code/api", server: "github#9f8e7d6c", tool: "create_issue", waits_until: undefined,
        choices: choices(["once", "session", "always", "no", "never", "session-tool", "no-session"]),
        shown: { server: "github", client: "Cursor 1.2", intent: 'call create_issue with title="Login fails"', title: "Create issue",
          description: "Open a new issue in a GitHub repository.", effect: "the server says: not destructive. Overt can't preview this server's changes.",
          arguments: ['owner "ada"', 'repo "api"', 'title "Login fails"', 'body "Since 14:00 the login answers 500."'], changes: null },
      }),
    },
    {
      question: question(4, {
        asks: "trust", client: "Cursor 1.2", project: "/home/ada/code/api", server: "linear#55aa55aa", tool: "linear",
        choices: choices(["trust-changes", "trust-deletes", "trust-everything", "trust-nothing", "once", "no", "no-session"]),
        shown: { server: "linear", client: "Cursor 1.2", intent: "Use the new server linear", title: null, description: null, effect: null, arguments: [], changes: null,
          reading_tools: ["list_issues", "get_issue", "list_projects", "search"], changing_tools: ["create_issue", "update_issue", "delete_comment"] },
      }),
    },
  ];
}

export function hostileQuestion(number) {
  return {
    question: question(number, {
      client: hostile, project: `/home/ada/${hostile}`, server: hostile, tool: hostile, reason: hostile, arguments: JSON.stringify({ [hostile]: hostile }),
      scopes: [hostile],
      shown: { intent: hostile, reason: hostile, server: hostile, title: hostile, description: hostile, effect: hostile, arguments: [`path ${hostile}`],
        changes: { created: 0, changed: 1, deleted: 0, moved: 0, changes: [`${hostile} +1 -1`], diff: "", page: "" } },
    }),
    diff: `--- a/${hostile}\n+++ b/${hostile}\n@@ -1,2 +1,2 @@\n-${hostile}\n+--- a/fake-file\n ${hostile}\n`,
  };
}

/** A diff of so many lines, each changed line with its partner. */
export function longDiff(lines) {
  const parts = ["--- a/big.txt\n+++ b/big.txt\n", `@@ -1,${lines / 2} +1,${lines / 2} @@\n`];
  for (let line = 0; line < lines / 2; line += 1) parts.push(`-line ${line} is old\n+line ${line} is new\n`);
  return parts.join("");
}

/** One changed word in the middle of a line of so many characters. */
export function longLineDiff(length) {
  const half = "word ".repeat(Math.floor(length / 10));
  return `--- a/long.txt\n+++ b/long.txt\n@@ -1 +1 @@\n-${half}before ${half}\n+${half}AFTER ${half}\n`;
}

const verbs = [
  ["edit_file", "edited src/app.ts +4 -3, src/routes.ts +1 -1", "change", "by you", true],
  ["read_text_file", "read src/app.ts", "read", "", false],
  ["read_text_file", "read src/routes.ts", "read", "", false],
  ["list_directory", "listed src", "read", "", false],
  ["create_issue", 'github: Create the issue "Login fails"', "change", "by you", false],
  ["read_text_file", 'tried: Read "/etc/passwd": outside of every root', "refused", "refused", false],
  ["run_tests", "testing: run the tests of site", "failed", "failed", false],
  ["write_file", "created notes/today.md +18", "change", "", true],
];

export function action(index, now) {
  const [target, words, tone, ending, isUndoable] = verbs[index % verbs.length];
  const isCursor = index % 13 === 4;
  const change = isUndoable ? `c-${(0x3fa9c1 + index).toString(16)}00` : undefined;
  return {
    time: new Date(now - index * 97_000).toISOString(), log: "overt-fs", call: `call-${index}`, client: isCursor ? "Cursor 1.2" : "claude-code 2.1.0",
    project: isCursor ? "/home/ada/code/api" : "/home/ada/code/site", server: target === "create_issue" ? "github" : "overt-fs", method: "tools/call", target,
    sentence: words, session: "s-1", outcome: tone === "refused" ? "refused" : tone === "failed" ? "tool_error" : "ok",
    reason: tone === "refused" ? "outside of every root" : null,
    changes: tone === "change" && isUndoable ? ["src/app.ts +4 -3", "src/routes.ts +1 -1"] : [],
    ...(change ? { change, shortChange: change.slice(0, 8) } : {}),
    onlyReads: tone === "read", words, ending, clientName: isCursor ? "Cursor" : "claude-code", projectName: isCursor ? "api" : "site", tone,
  };
}

export function servers(now, many = 0) {
  const samples = (count, middle, seed) => Array.from({ length: count }, (_, index) => {
    const wave = Math.sin(index * 12.9898 + seed) * 43758.5453;
    const random = wave - Math.floor(wave);
    return [now - (count - index) * 1_200_000, Math.round(middle * Math.exp((random - 0.5) * 3) * (random > 0.97 ? 12 : 1))];
  });
  const tool = (name, calls, middle, seed, more = {}) => {
    const taken = samples(Math.min(calls, 500), middle, seed);
    const sorted = taken.map(([, micros]) => micros).sort((one, other) => one - other);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
    return { name, calls, refused: 0, failed: 0, p50: at(0.5), p90: at(0.9), p99: at(0.99), samples: taken, basis: middle > 10_000 ? "claimed" : "declared", ...more };
  };
  const list = [
    { name: "overt-fs", identity: "overt-fs", isOwn: true, failures: [], lost: 0, starts: { count: 9, crashes: 0, last: new Date(now - 7_200_000).toISOString() },
      project: "/home/ada/code/site", trust: null, calls: 1204, refused: 12, failed: 3, last: new Date(now - 60_000).toISOString(),
      tools: [tool("read_text_file", 902, 900, 1), tool("edit_file", 214, 4200, 2, { refused: 10 }), tool("list_directory", 61, 400, 3), tool("write_file", 27, 5100, 4, { refused: 2, failed: 3 })],
      pins: null },
    { name: "github", identity: "github#9f8e7d6c", isOwn: false, lost: 1, restarts: { count: 1, last: new Date(now - 3_600_000).toISOString(), lost: 2, losses: [{ at: new Date(now - 3_600_000).toISOString(), reason: "the server ended with exit status 7 (connected for 12 s)" }, { at: new Date(now - 7_200_000).toISOString(), reason: "it does not answer any more (connected for 3 h)" }] },
      starts: { count: 3, crashes: 1, last: new Date(now - 7_200_000).toISOString() },
      failures: [{ at: new Date(now - 3_600_000).toISOString(), tool: "create_issue", word: "upstream_lost", call: "call-4" }], project: "/home/ada/code/api", trust: null, calls: 88, refused: 0, failed: 4, last: new Date(now - 3_600_000).toISOString(),
      tools: [tool("create_issue", 12, 410_000, 5, { failed: 4 }), tool("search_code", 76, 680_000, 6)], pins: { id: "9f8e0001", state: "changed", words: "2 tools as accepted, 2 tools not accepted yet as the server shows it" } },
    { name: "memory", identity: "memory#77aa77aa", isOwn: false, failures: [], lost: 0, restarts: { count: 0, last: null, lost: 0, losses: [] }, starts: null, project: null, trust: "nothing", calls: 9, refused: 0, failed: 0, last: new Date(now - 86_400_000).toISOString(), tools: [tool("add_observations", 9, 2100, 7)], pins: null },
  ];
  if (many) {
    list.push({ name: "many", project: null, trust: null, calls: many, refused: 0, failed: 0, last: new Date(now).toISOString(), pins: null,
      tools: Array.from({ length: many }, (_, index) => tool(`tool_${index}`, 500, 1000 + index, index)) });
  }
  return list;
}

/** What is remembered of the tools of github: two as accepted, one changed, one new. */
export function definitions(now, many = 0) {
  const at = new Date(now - 86_400_000).toISOString();
  const text = (name, description) => `${JSON.stringify({ name, description, inputSchema: { type: "object", properties: { query: { type: "string" } } } }, null, 2)}\n`;
  const tool = (name, changes = {}) => ({
    name, state: "accepted", acceptedAt: at, seenAt: null, goneAt: null, digest: null, basis: "claimed", isConflicting: false, title: null,
    description: `What ${name} does.`, says: ["only reads"], tokens: 61, definition: text(name, `What ${name} does.`), card: null, ...changes,
  });
  const diff = "--- search_code\n+++ search_code\n@@ -1,4 +1,4 @@\n {\n   \"name\": \"search_code\",\n-  \"description\": \"Searches code.\",\n+  \"description\": \"Searches code and sends it.\",\n";
  return {
    id: "9f8e0001", identity: "github#9f8e7d6c", started: "npx -y @modelcontextprotocol/server-github (in /home/ada/code/api)", firstSeen: at, tokens: 1664, leftOut: 0,
    tools: [
      tool("create_issue", { says: ["changes something", "destroys nothing"], title: "Create issue", card: "https://example.com/.well-known/mcp-tools/create_issue.json" }),
      tool("search_code", { state: "changed", digest: "d-search-1", seenAt: at, diff }),
      tool("star", { state: "new", acceptedAt: null, digest: "d-star-1", seenAt: at, diff: "--- star\n+++ star\n@@ -0,0 +1,3 @@\n+{\n+  \"name\": \"star\"\n+}\n" }),
      tool("get_issue", { tokens: null, description: null, says: [] }),
      ...Array.from({ length: many }, (_, index) => tool(`tool_${index}`)),
    ],
  };
}

export const policyText = `# What I decided once
[settings]
allow = ["read", "write:file:/home/ada/code/site/notes"]

[policy.scopes]
deny = ["read:file:/home/ada/.ssh", "write:file:/home/ada/.ssh"]

[[rules]]
id = "forbid tool delete_repo"
action = "deny"
when = { tool = "delete_repo" }
reason = "the user forbids it"
`;

export function policyForm() {
  return {
    lists: [
      { list: "settings.allow", means: "Allowed without asking", items: ["read", "write:file:/home/ada/code/site/notes"] },
      { list: "policy.scopes.deny", means: "Refused for every server, whatever else allows it", items: ["read:file:/home/ada/.ssh", "write:file:/home/ada/.ssh"] },
    ],
    rules: [{ id: "forbid tool delete_repo", action: "deny", when: "tool delete_repo", reason: "the user forbids it" }],
    others: ["settings.audit"],
  };
}

export function policy(many = 0) {
  const row = (server, tool, verdict, by, project = "/home/ada/code/api") => ({ server, project, tool, now: { verdict, by }, then: null });
  const rows = [
    row("github", "create_issue", "needs_approval", "it needs `write:github:create_issue`, which is not allowed without asking"),
    row("github", "delete_repo", "deny", "rule `forbid tool delete_repo`: the user forbids it"),
    row("github", "search_code", "allow", "you decided about the server: it asks you before changes"),
    row("memory", "add_observations", "allow", "you granted it: g-4, until revoked", null),
    ...Array.from({ length: many }, (_, index) => row("many", `tool_${index}`, "allow", "all that it needs is allowed without asking")),
  ];
  return {
    path: "/home/ada/.config/overt/overt.toml", exists: true, text: policyText, digest: "policy-1", tooLong: null, findings: [], form: policyForm(),
    settings: { allow: { value: ["read", "write:file:/home/ada/code/site/notes"], from: "file", file: "/home/ada/.config/overt/overt.toml", line: 3 }, deny: { value: [], from: "default" },
      allow_all: { value: false, from: "default" }, max_grantable: { value: null, from: "default" }, call_timeout: { value: "30s", from: "environment", variable: "OVERT_CALL_TIMEOUT" },
      audit: { value: "all", from: "default" } },
    tools: { rows, all: rows.length, changed: 0, leftOut: 0 },
    overlay: { path: "/home/ada/code/site/overt.toml", problem: null, widens: [] },
  };
}

export function policyPreview(text) {
  const isBroken = text.includes("dney");
  const findings = isBroken ? [{ line: 6, column: 8, severity: "error", at: "/policy/scopes/dney", problem: "is not known", fix: "use `allow` or `deny`" }] : [];
  const form = policyForm();
  if (text.includes("no-issues")) form.rules.push({ id: "no-issues", action: "deny", when: "server github, tool create_issue", reason: null });
  const common = { findings, form: isBroken ? null : form, diff: `--- overt.toml\n+++ overt.toml\n@@ -1 +1 @@\n-# What I decided once\n+${text.split("\n")[0]}\n`, overlay: policy().overlay };
  if (isBroken) return { ...common, unusable: "line 6, column 8: `/policy/scopes/dney` is not known; use `allow` or `deny`" };
  const then = { verdict: "deny", by: "rule `no-issues`" };
  const now = { verdict: "needs_approval", by: "not allowed without asking" };
  const changed = text.includes("no-issues");
  return {
    ...common, unusable: null,
    tools: { rows: changed ? [{ server: "github", project: "/home/ada/code/api", tool: "create_issue", now, then }] : [], all: 4, changed: changed ? 1 : 0, leftOut: 0 },
    calls: { rows: changed ? [{ server: "github", project: "/home/ada/code/api", tool: "create_issue", now: { verdict: "allow", by: "you agreed" }, then, sentence: 'Create the issue "Login fails"', calls: 12, call: "call-4", last: new Date().toISOString() }] : [],
      all: 88, changed: changed ? 12 : 0, leftOut: 2 },
  };
}

export function grants(now) {
  return {
    grants: [
      { id: "g-3", says: "allow", client: "Claude Code", server: "filesystem", project: "/home/ada/code/site", tools: "one", tool: "edit_file",
        scopes: ["write:file:/home/ada/code/site/src"], lasts: "8h", holds: "for 8 hours", given: new Date(now - 7_200_000).toISOString(), expires: new Date(now + 21_600_000).toISOString() },
      { id: "g-4", says: "allow", client: null, server: "github", project: "/home/ada/code/api", tools: "reading", tool: null, scopes: [], lasts: "always", holds: "until revoked", given: new Date(now - 86_400_000).toISOString(), expires: null },
      { id: "g-5", says: "refuse", client: null, server: "filesystem", project: "/home/ada/code/site", tools: "one", tool: "delete_directory", scopes: [], lasts: "always", holds: "until revoked", given: new Date(now - 172_800_000).toISOString(), expires: null },
    ],
    trust: [{ server: "filesystem#1a2b3c4d", project: "/home/ada/code/site", trust: "changes" }, { server: "memory#77", project: null, trust: "nothing" }],
  };
}
