// The place of a page of the server: the app of a tool, or the review of a call. What shows it is loaded with the parts beyond tools.
import type { TemplateResult } from "lit";
import { html, keyed } from "../shell/shared";
import type { RequestRecord } from "./record";
import type { JsonObject } from "./schema/json";
import type { TryStore } from "./store";

/** Each call has a page of its own. */
export function appSlot(uri: string, tool: JsonObject, record: RequestRecord, store: TryStore, word: "App" | "Review"): TemplateResult {
  return html`${keyed(record, html`<overt-try-app .uri=${uri} .tool=${tool} .record=${record} .store=${store} .word=${word}></overt-try-app>`)}`;
}
