// A page of the server: the app of a tool or the review of a call, with the result, or an application. What it asks of the server goes the way of every other request of this
// view: it is decided by the server, and its calls are in the history.
import type { TemplateResult } from "lit";
import type { Json as PlainJson, McpViewHost, ResourceContents, ResourceUi, Tool } from "../../../mcp-view/src/types";
import type { ShownApp } from "../../apps/frame";
import { html, nothing, PageElement, plural, untrusted } from "../../shell/shared";
import { fromPlain, isObject, list, member, text, toPlain } from "../exports";
import type { Answer } from "../contract";
import type { RequestRecord } from "../record";
import type { Json, JsonObject } from "../schema/json";
import type { TryStore } from "../store";
import { Places } from "./places";

/** Requests of an app at the same time. More wait, so that the person can still send something. */
const atOnce = 2;

export class AppView extends PageElement {
  static override properties = { store: { attribute: false }, record: { attribute: false } };

  declare store: TryStore;
  /** The call that the page is about. An application that was opened by itself has none. */
  declare record: RequestRecord | undefined;
  declare tool: JsonObject | undefined;
  declare uri: string;
  word: "App" | "Review" = "App";
  private readonly places = new Places(atOnce);
  private calls = 0;

  protected override render(): TemplateResult {
    const { sandbox } = this.store.session.hello ?? {};
    return html`<section aria-label=${this.word}><h4>${this.word} <span class="quiet">${untrusted(this.uri, "mono")}</span></h4>
      <overt-app-frame .sandbox=${sandbox ?? null} .load=${this.load}></overt-app-frame>
      <p class="quiet small-text" role="status">${this.calls ? html`The app made ${plural(this.calls, "call")}. They are in the history.` : nothing}</p></section>`;
  }

  private readonly load = async (): Promise<ShownApp> => {
    const { record, tool, uri } = this;
    const read = plainResult(await this.ask("resources/read", { uri }));
    const resource = (read["contents"] as ResourceContents[] | undefined)?.[0];
    if (!resource) throw new Error("The server has no such page.");
    const result = record?.answer?.kind === "result" ? (toPlain(record.answer.result) as PlainJson) : null;
    const input = record?.params.get("arguments");
    return {
      // `<mcp-view>` knows the media types without a character set.
      resource: { ...resource, mimeType: (resource.mimeType ?? "").replace(/\s*;\s*charset=.*/i, "") },
      listed: resource._meta?.["ui"] ? undefined : await this.listed(),
      host: this.host(),
      call: tool && { tool: toPlain(tool) as Tool, input: (isObject(input) ? toPlain(input) : {}) as PlainJson, result },
    };
  };

  /** What the list of resources says about the app. */
  private async listed(): Promise<ResourceUi | undefined> {
    const answer = await this.ask("resources/list", {});
    const entry = answer.kind === "result" ? list(answer.result.get("resources")).find((one) => text(member(one, "uri")) === this.uri) : undefined;
    const ui = member(entry, "_meta", "ui");
    return ui === undefined ? undefined : (toPlain(ui) as ResourceUi);
  }

  /** There is no conversation with a model here, and addresses of a server are not opened. */
  private host(): McpViewHost {
    const forward = <Result = PlainJson>(method: string) => async (params: object) => plainResult(await this.ask(method, params)) as Result;
    return {
      info: { name: "Overt", version: this.store.session.hello?.version ?? "" },
      callTool: (params, { signal }) => this.call(params, signal),
      listTools: forward<{ tools: Tool[] }>("tools/list"),
      readResource: forward("resources/read"),
      listResources: forward("resources/list"),
      listResourceTemplates: forward("resources/templates/list"),
      listPrompts: forward("prompts/list"),
    };
  }

  private ask(method: string, params: object): Promise<Answer> {
    return this.places.run(() => this.store.ask(method, fromPlain(params) as JsonObject));
  }

  /** `<mcp-view>` removed what could approve the call. */
  private call({ name, arguments: input, _meta }: { name: string; arguments?: PlainJson; _meta?: PlainJson }, signal: AbortSignal): Promise<PlainJson> {
    return this.places.run(async () => {
      signal.throwIfAborted();
      const call = this.store.call(name, fromPlain(input ?? {}), fromPlain(_meta ?? {}) as JsonObject);
      const record = this.store.records[0];
      if (record) record.isByApp = true;
      this.calls += 1;
      this.requestUpdate();
      signal.addEventListener("abort", () => record && !record.answer && void this.store.cancel(record));
      const { answer } = await call;
      if (!answer) throw new Error("The call has no answer.");
      return plainResult(answer);
    });
  }
}

/** A result, or the error that the app gets. */
function plainResult(answer: Answer): PlainJson {
  if (answer.kind === "result") return toPlain(answer.result as Json) as PlainJson;
  if (answer.kind === "problem") throw new Error(answer.message);
  throw Object.assign(new Error(answer.failure.message), { code: Number(answer.failure.code) });
}

customElements.define("overt-try-app", AppView);
