// One resource or resource template: what it is, reading it, subscribing to it.
import type { PropertyValues, TemplateResult } from "lit";
import { html, keyed, nothing, PageElement, untrusted } from "../../shell/shared";
import "./completion";
import { fromPlain, jsonBlock, list, member, outcome, outcomePill, text, titleOf } from "../exports";
import type { RequestRecord } from "../record";
import type { JsonObject } from "../schema/json";
import type { TryStore } from "../store";
import { expandTemplate, templateVariables } from "./uri-template";

export class ResourceView extends PageElement {
  static override properties = { store: { attribute: false }, entry: { attribute: false }, uri: { attribute: false }, revision: { attribute: false } };

  declare store: TryStore;
  /** The resource or template as the server lists it, or `null` for an address that it does not list. */
  declare entry: JsonObject | null;
  declare uri: string;
  declare revision: unknown;
  readLink: (uri: string) => void = () => undefined;

  private values = new Map<string, string>();
  private record: RequestRecord | null = null;
  private subscription: RequestRecord | null = null;
  private isOpen = false;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("uri")) return;
    this.values = new Map();
    this.record = this.store.records.find(({ method, params }) => method === "resources/read" && params.get("uri") === this.uri) ?? null;
    this.subscription = null;
    this.isOpen = false;
  }

  private get template(): string {
    return text(this.entry?.get("uriTemplate"));
  }

  /** The address that is read: that of the resource, or the template with the values filled in. */
  private get address(): string {
    const { template } = this;
    if (!template) return this.uri;
    const variables = new Map(templateVariables(template).map(({ name, isList }) => [name, isList] as const));
    const values = new Map([...this.values].map(([name, value]) => [name, variables.get(name) ? value.split("\n").filter(Boolean) : value] as const));
    return expandTemplate(template, values);
  }

  protected override render(): TemplateResult {
    const { entry, template, store } = this;
    const about = entry ? text(entry.get("description")) : "The server does not list this address.";
    const args = templateVariables(template).map(({ name, isList }) => ({ name, isList, description: "", isRequired: false }));
    return html`<article class="details-card" @keydown=${this.pressed}>
      <header class="tool-head"><h2>${untrusted(entry ? titleOf(entry) || text(entry.get("name")) || this.uri : this.uri)}</h2></header>
      ${about ? html`<overt-long-text .text=${about}></overt-long-text>` : nothing}
      <dl class="facts"><div><dt>${template ? "template" : "address"}</dt><dd>${untrusted(template || this.uri, "mono")}</dd></div>
        ${["mimeType", "size"].map((name) => this.fact(name))}</dl>
      ${args.length ? html`<section class="call" aria-label="Variables"><h3>Variables</h3>${keyed(this.uri, html`<overt-text-arguments .store=${store} .args=${args} .values=${this.values}
        .reference=${fromPlain({ type: "ref/resource", uri: template })} @edit=${() => this.requestUpdate()}></overt-text-arguments>`)}</section>` : nothing}
      <p class="actions"><button type="button" class="primary" data-read ?disabled=${!store.isConnected} @click=${this.read}>Read <kbd>Ctrl Enter</kbd></button>
        ${this.isPage ? html`<button type="button" data-open ?disabled=${!store.isConnected} @click=${this.open}>Open</button>` : nothing}
        ${store.can("resources", "subscribe") && !template ? html`<button type="button" ?disabled=${!store.isConnected} @click=${this.subscribe}>Subscribe</button>` : nothing}
        ${template ? html`<span class="mono expanded">${untrusted(this.address)}</span>` : nothing}</p>
      ${this.subscription ? html`<p role="status">Subscription: ${outcomePill(this.subscription)} <span class="quiet">Updates are in the history.</span></p>` : nothing}
      ${this.isOpen ? keyed(this.uri, html`<section class="outcome" aria-label="Page"><h3>Page</h3><overt-try-app .uri=${this.uri} .store=${store}></overt-try-app></section>`) : nothing}
      ${this.record ? html`<section class="outcome" aria-label="Result"><h3>Contents ${outcomePill(this.record)}</h3>
        ${outcome(this.record, { read: this.readLink, cancel: (one) => void store.cancel(one) })}</section>` : nothing}
      ${entry ? html`<details class="more"><summary>As the server lists it</summary>${jsonBlock(entry, "As the server lists it")}</details>` : nothing}</article>`;
  }

  private fact(name: string): TemplateResult | typeof nothing {
    const value = this.entry?.get(name);
    const shown = typeof value === "string" ? value : value && typeof value === "object" && "text" in value ? value.text : "";
    return shown ? html`<div><dt>${name === "size" ? "bytes" : "type"}</dt><dd>${untrusted(shown)}</dd></div>` : nothing;
  }

  /** A page of the server, such as an application or a review. It is shown in the sandbox. */
  private get isPage(): boolean {
    const answer = this.record?.answer;
    const read = answer?.kind === "result" ? list(answer.result.get("contents"))[0] : undefined;
    const type = text(this.entry?.get("mimeType")) || text(member(read, "mimeType"));
    return this.uri.startsWith("ui://") && !this.template && type.startsWith("text/html");
  }

  private readonly open = (): void => {
    this.isOpen = true;
    this.requestUpdate();
  };

  readonly read = async (): Promise<void> => {
    const sent = this.store.send("resources/read", new Map([["uri", this.address]]));
    this.record = this.store.records[0] ?? null;
    this.requestUpdate();
    await sent;
    this.requestUpdate();
  };

  private readonly subscribe = async (): Promise<void> => {
    const sent = this.store.send("resources/subscribe", new Map([["uri", this.uri]]));
    this.subscription = this.store.records[0] ?? null;
    this.requestUpdate();
    await sent;
    this.requestUpdate();
  };

  private readonly pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void this.read();
  };
}

customElements.define("overt-try-resource", ResourceView);
