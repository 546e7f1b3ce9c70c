// The place of an app of the server (MCP Apps). `<mcp-view>` hosts it once that element is registered;
// until then its place says what would be there.
import type { TemplateResult } from "lit";
import { html, untrusted } from "../shell/shared";
import type { RequestRecord } from "./record";
import { isObject, toPlain, type Json } from "./schema/json";

/** What an app is given: its page, the tool, the arguments and the result. */
export interface AppInput {
  uri: string;
  tool: string;
  arguments: unknown;
  result: unknown;
}

export function appSlot(uri: string, tool: string, record: RequestRecord): TemplateResult {
  const input: AppInput = { uri, tool, arguments: plain(record.params.get("arguments")), result: record.answer?.kind === "result" ? toPlain(record.answer.result) : null };
  return html`<section aria-label="App"><h4>App</h4><mcp-view class="app-slot" .input=${input}>
    <p class="quiet">The tool has an app for its results: ${untrusted(uri, "mono")}</p></mcp-view></section>`;
}

function plain(value: Json | undefined): unknown {
  return isObject(value) ? toPlain(value) : {};
}
