// The server: who it is, what it can do, what changed since the connection before, its log, its
// configuration, and any request.
import type { TemplateResult } from "lit";
import { formatClock, html, nothing, PageElement, safeText, untrusted } from "../../shell/shared";
import { EditorState, equal, fromPlain, isObject, jsonBlock, member, outcome, outcomePill, parseJson, text, writeJson } from "../exports";
import { differences, type Change } from "./differences";
import type { RequestRecord } from "../record";
import type { Json } from "../schema/json";
import type { TryStore } from "../store";

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const methods = ["ping", "tools/list", "resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "server/discover", "ai_help"];
const mostLogLines = 200;

export class ServerView extends PageElement {
  static override properties = { store: { attribute: false }, revision: { attribute: false } };

  declare store: TryStore;
  declare revision: unknown;
  readLink: (uri: string) => void = () => undefined;

  private configuration: EditorState | null = null;
  private method = "ping";
  private readonly params = new EditorState(fromPlain({ type: "object" }), "{}");
  private record: RequestRecord | null = null;

  protected override render(): TemplateResult {
    const { store } = this;
    const { state } = store;
    if (!state) return html``;
    const { server } = state;
    const facts: [string, string][] = [
      ["target", state.target], ["name", text(server.get("title")) || text(server.get("name"))], ["version", text(server.get("version"))], ["protocol", state.era],
      ["connected in", state.milliseconds === null ? "" : `${state.milliseconds} ms`],
    ];
    return html`<div class="page scroll" tabindex="0" role="region" aria-label="Server"><h1 class="page-title">${untrusted(text(server.get("name")) || "Server")}</h1>
      <dl class="facts">${facts.filter(([, value]) => value).map(([name, value]) => html`<div><dt>${name}</dt><dd>${untrusted(value)}</dd></div>`)}</dl>
      <p class="actions"><button type="button" data-reconnect @click=${() => void store.reconnect()}>Reconnect</button></p>
      ${store.before && store.isConnected ? this.changes(differences(store.before, store.snapshot(state))) : nothing}
      ${state.instructions ? html`<section class="block-section" aria-label="Instructions"><h2>Instructions</h2><overt-long-text class="block" .text=${state.instructions}></overt-long-text></section>` : nothing}
      <section class="block-section" aria-label="Capabilities"><h2>Capabilities</h2><ul class="chips">${[...state.capabilities.keys()].map((name) => html`<li>${untrusted(name, "mono")}</li>`)}</ul>
        <details class="more"><summary>As JSON</summary>${jsonBlock(state.capabilities, "Capabilities")}</details></section>
      ${this.configurationForm()}${this.log()}${this.request()}</div>`;
  }

  private changes(changes: Change[]): TemplateResult {
    return html`<section class="block-section" aria-label="Changes since the connection before"><h2>Since the connection before</h2>
      ${changes.length ? html`<ul class="server-changes">${changes.slice(0, 200).map(({ kind, what, name, members }) => html`<li data-change=${kind}>
        <span class="pill ${kind === "added" ? "tone-change" : kind === "removed" ? "tone-refused" : "tone-failed"}">${kind}</span> ${what} ${untrusted(name, "mono")}${
        members.length ? html` <span class="quiet">in ${untrusted(members.join(", "))}</span>` : nothing}</li>`)}</ul>` : html`<p class="quiet">Nothing is different.</p>`}</section>`;
  }

  private configurationForm(): TemplateResult | typeof nothing {
    const schema = this.store.state?.configSchema;
    if (!schema) return nothing;
    if (!this.configuration || !equal(this.configuration.schema, schema)) this.configuration = new EditorState(schema, "");
    const { configuration } = this;
    const apply = () => {
      const { value } = configuration;
      void this.store.reconnect(isObject(value) ? new Map([["configuration", value]]) : new Map());
    };
    return html`<section class="block-section" aria-label="Configuration"><h2>Configuration</h2>
      <p class="quiet">The server publishes the schema of its settings. What you set here is sent when the page connects anew.</p>
      <overt-editor .state=${configuration} .label=${"Configuration"} @edit=${() => this.requestUpdate()}></overt-editor>
      <p class="actions"><button type="button" data-configure ?disabled=${!configuration.isReady} @click=${apply}>Reconnect with this configuration</button></p></section>`;
  }

  private log(): TemplateResult {
    const lines = this.store.messages.filter(({ method, direction }) => method === "notifications/message" && direction === "received").slice(-mostLogLines).reverse();
    return html`<section class="block-section" aria-label="Log"><h2>Log of the server</h2>
      ${this.store.can("logging") ? html`<p class="actions"><label>Level <select aria-label="Level of the log" @change=${this.setLevel}><option value="">as it is</option>${levels.map((level) => html`<option>${level}</option>`)}</select></label></p>` : nothing}
      ${lines.length ? html`<ul class="log-lines scroll" tabindex="0" aria-label="Lines of the log">${lines.map((message) => this.logLine(message.text, message.at))}</ul>` : html`<p class="quiet">The server logged nothing yet.</p>`}</section>`;
  }

  private logLine(message: string, at: string): TemplateResult {
    let params: Json | undefined;
    try {
      params = member(parseJson(message), "params");
    } catch {
      // A message that was cut is shown as it is.
    }
    const data = member(params, "data");
    const words = typeof data === "string" ? data : data === undefined ? message : writeJson(data);
    return html`<li><span class="quiet numbers">${formatClock(at)}</span> <span class="pill">${untrusted(text(member(params, "level")) || "log")}</span>
      ${untrusted(text(member(params, "logger")), "quiet")} <overt-long-text .text=${words}></overt-long-text></li>`;
  }

  private readonly setLevel = (event: Event): void => {
    const level = (event.target as HTMLSelectElement).value;
    if (level) void this.store.send("logging/setLevel", new Map([["level", level]]));
  };

  private request(): TemplateResult {
    const { store, record } = this;
    return html`<section class="block-section" aria-label="Any request"><h2>Any request</h2>
      <div class="field"><label class="strong" for="any-method">Method</label>
        <input id="any-method" type="text" class="mono" list="any-methods" autocomplete="off" spellcheck="false" .value=${this.method} @input=${this.named}>
        <datalist id="any-methods">${methods.map((method) => html`<option value=${method}></option>`)}</datalist></div>
      <overt-editor .state=${this.params} .label=${"Parameters"} @edit=${() => this.requestUpdate()}></overt-editor>
      <p class="actions"><button type="button" class="primary" data-send ?disabled=${!store.isConnected || !this.method || !this.params.isReady || !isObject(this.params.value)} @click=${() => void this.send()}>Send</button></p>
      ${record ? html`<div class="outcome"><h3>${safeText(record.method)} ${outcomePill(record)}</h3>${outcome(record, { read: this.readLink, cancel: (one) => void store.cancel(one) })}</div>` : nothing}</section>`;
  }

  private readonly named = (event: Event): void => {
    this.method = (event.target as HTMLInputElement).value.trim();
    this.requestUpdate();
  };

  private async send(): Promise<void> {
    const { value } = this.params;
    if (!isObject(value)) return;
    const sent = this.store.send(this.method, value);
    this.record = this.store.records[0] ?? null;
    this.requestUpdate();
    await sent;
    this.requestUpdate();
  }
}

customElements.define("overt-try-server", ServerView);
