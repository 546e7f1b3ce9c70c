// A made-up server for the tests of Try: tools with every kind of schema and result, resources, prompts.

export const hostile = "\u202Eevil<img src=x onerror=alert(1)>\u200B";
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const email = { type: "object", title: "E-mail", properties: { kind: { const: "email" }, address: { type: "string", format: "email" }, subject: { type: ["string", "null"] } }, required: ["kind", "address"] };
export const sms = { type: "object", title: "Text message", properties: { kind: { const: "sms" }, phone: { type: "string", pattern: "^\\+\\d+$" } }, required: ["kind", "phone"] };

export function tools() {
  return [
    {
      name: "edit_file", title: "Edit a file", description: "Use to change a part of a text file. The change is shown before it is made.",
      inputSchema: {
        type: "object", required: ["path", "edits"], additionalProperties: false,
        properties: {
          path: { type: "string", description: "The file, from the root of the project." },
          edits: { type: "array", minItems: 1, items: { $ref: "#/$defs/Edit" }, description: "Made in this order." },
          encoding: { anyOf: [{ type: "string", enum: ["utf-8", "latin-1"] }, { type: "null" }], default: null },
          max_bytes: { type: "integer", minimum: 1, default: 1000000, description: "A larger file is refused." },
        },
        $defs: { Edit: { type: "object", required: ["old", "new"], properties: { old: { type: "string" }, new: { type: "string" }, all: { type: "boolean", description: "Every occurrence, not only the first." } } } },
      },
      outputSchema: { type: "object", required: ["path", "lines"], properties: { path: { type: "string" }, lines: { type: "integer" } } },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false, preview: true },
      _meta: { "dev.overt/preview": true, "dev.overt/intent": "Edit {path}", "dev.overt/tool": { effect: "mutating", reversible: true, side_effects: ["keeps the old version for undo"] }, "dev.overt/scopes": ["write:file:{path}"] },
      dashdash: { examples: [{ description: "Rename a function", input: { path: "src/app.ts", edits: [{ old: "start(", new: "boot(" }] } }] },
    },
    {
      name: "send_message", description: "Use to send a message to a person.",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], oneOf: [email, sms] },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    {
      name: "search", description: "Use to find things.",
      inputSchema: {
        type: "object", required: ["query"],
        properties: {
          query: { type: "string", minLength: 1 }, limit: { type: "integer", minimum: 1, maximum: 100, default: 20 }, offset: { type: "number" }, order: { oneOf: [{ const: "asc", title: "Ascending" }, { const: "desc", title: "Descending" }] },
          tags: { type: "array", items: { enum: ["red", "green", "blue"] }, uniqueItems: true }, where: { type: "object", additionalProperties: { type: "string" }, description: "Fields and their values." }, exact: { type: "boolean" }, anything: {},
        },
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    { name: "slow", description: "Use to wait. It reports progress.", inputSchema: { type: "object", properties: { steps: { type: "integer" } } } },
    { name: "media", description: "Use to get one content of every kind.", inputSchema: { type: "object", properties: {} }, _meta: { ui: { resourceUri: "ui://media/view.html" } } },
    { name: "ask_me", description: "Use to be asked something.", inputSchema: { type: "object", properties: {} } },
    { name: "fail", description: "Use to fail.", inputSchema: { type: "object", properties: { how: { enum: ["tool", "protocol", "scopes"] } } } },
    { name: `x${hostile}`, title: hostile, description: `${hostile}\n${"long ".repeat(900)}`, inputSchema: { type: "object", properties: { [hostile]: { type: "string", title: hostile, description: hostile, enum: [hostile, "b"] } } }, annotations: { title: hostile } },
  ];
}

export const resources = [
  { uri: "notes://today", name: "today", title: "Notes of today", mimeType: "text/plain", size: 42, description: "What happened so far." },
  { uri: "img://logo", name: "logo", mimeType: "image/png" },
];
export const templates = [{ uriTemplate: "repo://{owner}/{name}{/path*}{?branch}", name: "file", description: "A file of a repository." }];
export const prompts = [{ name: "review", title: "Review a change", description: "Asks for a review.", arguments: [{ name: "language", description: "Of the code.", required: true }, { name: "tone" }] }];

export const mediaResult = {
  content: [
    { type: "text", text: "One of each kind." },
    { type: "image", data: pixel, mimeType: "image/png" },
    { type: "audio", data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", mimeType: "audio/wav" },
    { type: "resource_link", uri: "notes://today", name: "today", description: hostile, annotations: { audience: ["user"] } },
    { type: "resource", resource: { uri: "data://blob", mimeType: "application/pdf", blob: "JVBERi0=" } },
    { type: "resource", resource: { uri: "text://note", mimeType: "text/plain", text: "An embedded note." } },
    { type: "hologram", data: [1, 2] },
    { type: "image", data: pixel, mimeType: 'image/png"><script>alert(1)</script>' },
  ],
};

export const diff = (path) => ({
  changes: [{ label: path, kind: "edited", added: 1, removed: 1, hunks: [{ old_start: 1, old_lines: 3, new_start: 1, new_lines: 3, lines: [
    { kind: "context", text: "import { start } from './main'" }, { kind: "removed", text: "start(8080)" }, { kind: "added", text: "boot(8080)" }, { kind: "context", text: "export {}" }] }] }],
});
