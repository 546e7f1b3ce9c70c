// One prompt: its arguments with suggestions, and the messages that it gives.
import type { PropertyValues, TemplateResult } from "lit";
import { html, keyed, nothing, PageElement, untrusted } from "../../shell/shared";
import "./completion";
import { fromPlain, isObject, jsonBlock, list, outcome, outcomePill, text, titleOf } from "../exports";
import type { RequestRecord } from "../record";
import type { Json, JsonObject } from "../schema/json";
import type { TryStore } from "../store";

export class PromptView extends PageElement {
  static override properties = { store: { attribute: false }, prompt: { attribute: false }, revision: { attribute: false } };

  declare store: TryStore;
  declare prompt: JsonObject;
  declare revision: unknown;
  readLink: (uri: string) => void = () => undefined;

  private values = new Map<string, string>();
  private record: RequestRecord | null = null;
  private name = "";

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("prompt") || text(this.prompt.get("name")) === this.name) return;
    this.name = text(this.prompt.get("name"));
    this.values = new Map();
    this.record = null;
  }

  protected override render(): TemplateResult {
    const { prompt, store } = this;
    const args = list(prompt.get("arguments")).filter(isObject).map((argument) => ({
      name: text(argument.get("name")), description: text(argument.get("description")), isRequired: argument.get("required") === true, isList: false,
    }));
    const missing = args.filter(({ name, isRequired }) => isRequired && !this.values.has(name)).map(({ name }) => name);
    const description = text(prompt.get("description"));
    return html`<article class="details-card" @keydown=${this.pressed}>
      <header class="tool-head"><h2>${untrusted(this.name, "mono")}</h2>${titleOf(prompt) ? html`<p class="quiet">${untrusted(titleOf(prompt))}</p>` : nothing}</header>
      ${description ? html`<overt-long-text .text=${description}></overt-long-text>` : nothing}
      ${args.length ? html`<section class="call" aria-label="Arguments"><h3>Arguments</h3>${keyed(this.name, html`<overt-text-arguments .store=${store} .args=${args} .values=${this.values}
        .reference=${fromPlain({ type: "ref/prompt", name: this.name })} @edit=${() => this.requestUpdate()}></overt-text-arguments>`)}</section>` : html`<p class="quiet">It takes no arguments.</p>`}
      <p class="actions"><button type="button" class="primary" data-get ?disabled=${!store.isConnected} @click=${this.get}>Get <kbd>Ctrl Enter</kbd></button>
        ${missing.length ? html`<span class="quiet">Not set yet: ${untrusted(missing.join(", "), "mono")}</span>` : nothing}</p>
      ${this.record ? html`<section class="outcome" aria-label="Result"><h3>Result ${outcomePill(this.record)}</h3>
        ${outcome(this.record, { read: this.readLink, cancel: (one) => void store.cancel(one) })}</section>` : nothing}
      <details class="more"><summary>As the server lists it</summary>${jsonBlock(prompt, "As the server lists it")}</details></article>`;
  }

  private readonly get = async (): Promise<void> => {
    const params = new Map<string, Json>([["name", this.name]]);
    if (this.values.size) params.set("arguments", new Map(this.values));
    const sent = this.store.send("prompts/get", params);
    this.record = this.store.records[0] ?? null;
    this.requestUpdate();
    await sent;
    this.requestUpdate();
  };

  private readonly pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void this.get();
  };
}

customElements.define("overt-try-prompt", PromptView);
