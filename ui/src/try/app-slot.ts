// The place of an app of the server (MCP Apps). What shows it is loaded with the parts beyond tools.
import type { TemplateResult } from "lit";
import { html, keyed } from "../shell/shared";
import type { RequestRecord } from "./record";
import type { JsonObject } from "./schema/json";
import type { TryStore } from "./store";

/** Each call has an app of its own. */
export function appSlot(uri: string, tool: JsonObject, record: RequestRecord, store: TryStore): TemplateResult {
  return html`${keyed(record, html`<overt-try-app .uri=${uri} .tool=${tool} .record=${record} .store=${store}></overt-try-app>`)}`;
}
