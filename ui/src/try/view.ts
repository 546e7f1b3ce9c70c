// Try: calling the tools of one server by hand, and looking at everything that it says.
import type { TemplateResult } from "lit";
import type { Session } from "../session";
import type { Command, PageView } from "../shell/commands";
import { createRef, html, LaterPart, nothing, PageElement, plural, ref, safeText, SessionController, untrusted } from "../shell/shared";
import { isTryAddress, navigateTry, readTryAddress, tabs, type Tab, type TryAddress } from "./address";
import { entryId, entryList } from "./list";
import type { RequestRecord } from "./record";
import { equal, isObject, type JsonObject } from "./schema/json";
import { TryStore, type List, type ListName } from "./store";
import { text } from "./tool-facts";
import { CallDraft } from "./tools/draft";
import "./tools/view";
import type { ToolView } from "./tools/view";

const names: Record<Tab, string> = { tools: "Tools", resources: "Resources", prompts: "Prompts", history: "History", server: "Server" };
const listsOf: Partial<Record<Tab, ListName[]>> = { tools: ["tools"], resources: ["resources", "templates"], prompts: ["prompts"] };

export class TryView extends PageElement implements PageView {
  static override properties = { session: { attribute: false } };

  declare session: Session;
  private declare store: TryStore;
  private address: TryAddress = readTryAddress(location.search);
  private query = "";
  private readonly drafts = new Map<string, CallDraft>();
  private readonly parts = new LaterPart(this, "./try-parts.js");
  private readonly search = createRef<HTMLInputElement>();

  constructor() {
    super();
    new SessionController(this, () => this.session);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.store) {
      this.store = new TryStore(this.session);
      this.store.start();
    }
    this.store.addEventListener("change", this.changed);
    addEventListener("popstate", this.navigated);
    addEventListener("overt-navigate", this.navigated);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.store.removeEventListener("change", this.changed);
    removeEventListener("popstate", this.navigated);
    removeEventListener("overt-navigate", this.navigated);
  }

  private readonly changed = (): void => this.requestUpdate();

  /** The view stays when another one is opened, so that calls go on; then the address is not its own. */
  private readonly navigated = (): void => {
    if (!isTryAddress(location.search)) return;
    const address = readTryAddress(location.search);
    if (address.tab !== this.address.tab) this.query = "";
    this.address = address;
    this.requestUpdate();
  };

  protected override willUpdate(): void {
    for (const name of listsOf[this.address.tab] ?? []) if (this.isOffered(name)) this.store.load(name);
  }

  protected override firstUpdated(): void {
    this.parts.begin();
  }

  /** A server that does not say that it has resources or prompts is not asked for them. */
  private isOffered(name: ListName): boolean {
    return name === "tools" || this.store.can(name === "templates" ? "resources" : name);
  }

  protected override render(): TemplateResult {
    const { store, address } = this;
    return html`<div class="try">
      <div class="try-bar"><div class="try-target"><h1 class="ellipsis">${untrusted(store.state?.target || "Try")}</h1>${this.connection()}</div>
        <nav aria-label="Parts of the server">${tabs.map((tab) => this.tab(tab))}</nav></div>
      ${this.parts.isReady ? html`<overt-try-questions .store=${store} .questions=${store.questions}></overt-try-questions>` : nothing}
      ${this.banner()}
      <div class="try-body">${address.tab !== "tools" && !this.parts.isReady ? this.parts.render(() => html``) : address.tab === "history" ? html`<overt-try-history class="try-part" .store=${store} .item=${address.item} .revision=${{}}
          .select=${this.selectItem} .edit=${this.edit} .readLink=${this.readLink}></overt-try-history>`
        : address.tab === "server" ? html`<overt-try-server class="try-part" .store=${store} .revision=${{}} .readLink=${this.readLink}></overt-try-server>` : this.panes()}</div></div>`;
  }

  private connection(): TemplateResult {
    const { state } = this.store;
    const word = state?.state ?? "connecting";
    const tone = word === "connected" ? "tone-change" : word === "connecting" ? "tone-read" : "tone-refused";
    return html`<span class="pill ${tone}" role="status" data-state=${word}>${word}</span>${state?.era ? html`<span class="quiet nowrap era">MCP ${untrusted(state.era)}</span>` : nothing}`;
  }

  private tab(tab: Tab): TemplateResult {
    const wanted = listsOf[tab] ?? [];
    const ready = wanted.map((name) => this.store.lists.get(name)).filter((list) => list?.state === "ready");
    const count = ready.reduce((sum, list) => sum + (list?.entries.length ?? 0), 0);
    return html`<button type="button" class="tab" data-tab=${tab} aria-current=${this.address.tab === tab ? "page" : nothing} @click=${() => navigateTry({ tab, item: "" })}>${names[tab]}${
      wanted.length && ready.length === wanted.length ? html` <span class="quiet numbers">${count}</span>` : nothing}</button>`;
  }

  private banner(): TemplateResult | typeof nothing {
    const { store } = this;
    const { state } = store;
    if (store.problem) {
      return html`<div class="banner warning" role="alert"><span>${safeText(store.problem)}</span><button type="button" class="small" @click=${() => void store.refresh()}>Try again</button></div>`;
    }
    if (!state || state.state === "connected" || state.state === "connecting") return nothing;
    return html`<div class="banner warning" role="alert"><span><strong>${state.state === "failed" ? "The server can't be reached." : "The connection is closed."}</strong> ${untrusted(state.problem)} ${untrusted(state.hint, "quiet")}</span>
      <button type="button" class="small" data-reconnect @click=${() => void store.reconnect()}>Reconnect</button></div>`;
  }

  private panes(): TemplateResult {
    const { tab, item } = this.address;
    const entries = this.entries;
    const selected = entries.find((entry) => entryId(entry) === item) ?? (item ? null : (this.found[0] ?? null));
    return html`<div class="panes try-panes"><section class="pane list-pane" aria-label=${names[tab]}>
        <div class="pane-bar"><label class="unseen" for="try-search">Search</label>
          <input id="try-search" ${ref(this.search)} type="text" placeholder="Search, /" autocomplete="off" spellcheck="false" .value=${this.query} @input=${this.searched} @keydown=${this.searchKey}>
          <button type="button" class="small push" @click=${this.reload}>Refresh</button></div>
        ${this.listState()}${entryList(this.found, selected ? entryId(selected) : "", this.selectItem, names[tab])}</section>
      <section class="pane details-pane" aria-label="Selected entry"><div class="scroll" tabindex="0" role="region" aria-label="Details">${this.details(selected, item)}</div></section></div>`;
  }

  private get lists(): List[] {
    return (listsOf[this.address.tab] ?? []).flatMap((name) => this.store.lists.get(name) ?? []);
  }

  private get entries(): JsonObject[] {
    return this.lists.flatMap(({ entries }) => entries);
  }

  /** The entries whose name, title or description has all words of the search. */
  private get found(): JsonObject[] {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return this.entries;
    return this.entries.filter((entry) => {
      const all = ["name", "title", "description", "uri", "uriTemplate"].map((name) => text(entry.get(name))).join("\n").toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }

  private listState(): TemplateResult | typeof nothing {
    const { tab } = this.address;
    const failed = this.lists.find(({ state }) => state === "failed");
    if (failed) return html`<p class="note warning list-note" role="alert">${untrusted(failed.problem)}</p>`;
    if (this.lists.some(({ state }) => state === "loading") || !this.store.state) return html`<p class="quiet list-note loading" role="status">Loading…</p>`;
    if (!this.store.isConnected) return nothing;
    if (!this.lists.length) return html`<p class="quiet list-note">The server does not say that it has ${names[tab].toLowerCase()}.</p>`;
    if (this.entries.length && !this.found.length) return html`<p class="quiet list-note" role="status">Nothing has these words.</p>`;
    return this.entries.length ? nothing : html`<p class="quiet list-note">The server has no ${names[tab].toLowerCase()}.</p>`;
  }

  private details(entry: JsonObject | null, item: string): TemplateResult {
    const { store } = this;
    switch (this.address.tab) {
      case "tools": return entry ? html`<overt-try-tool .store=${store} .draft=${this.draftOf(entry)} .revision=${{}} .readLink=${this.readLink}></overt-try-tool>` : this.nothingSelected(item);
      case "prompts": return entry ? html`<overt-try-prompt .store=${store} .prompt=${entry} .revision=${{}} .readLink=${this.readLink}></overt-try-prompt>` : this.nothingSelected(item);
      default: {
        const uri = entry ? entryId(entry) : item;
        return uri ? html`<overt-try-resource .store=${store} .entry=${entry} .uri=${uri} .revision=${{}} .readLink=${this.readLink}></overt-try-resource>` : this.nothingSelected(item);
      }
    }
  }

  private nothingSelected(item: string): TemplateResult {
    return html`<div class="empty"><h2>${item && this.lists.every(({ state }) => state === "ready") ? html`The server has no ${untrusted(item, "mono")}` : "Nothing is selected"}</h2></div>`;
  }

  /** What is written for a tool stays until the tool itself changes. */
  private draftOf(tool: JsonObject): CallDraft {
    const name = text(tool.get("name"));
    let draft = this.drafts.get(name);
    if (!draft || (draft.tool !== tool && !equal(draft.tool, tool))) this.drafts.set(name, (draft = new CallDraft(tool)));
    return draft;
  }

  private readonly selectItem = (item: string): void => navigateTry({ ...this.address, item });

  private readonly edit = (record: RequestRecord): void => {
    const tool = this.store.lists.get("tools")?.entries.find((entry) => text(entry.get("name")) === record.target);
    if (!isObject(tool)) return this.session.announce(`The server has no tool ${record.target} now.`, "problem");
    this.draftOf(tool).restore(record);
    navigateTry({ tab: "tools", item: record.target });
  };

  /** Reads a resource that a result links to, and shows it. */
  private readonly readLink = (uri: string): void => {
    void this.store.send("resources/read", new Map([["uri", uri]]));
    navigateTry({ tab: "resources", item: uri });
  };

  private readonly reload = (): void => {
    for (const name of listsOf[this.address.tab] ?? []) this.store.load(name, "again");
  };

  private readonly searched = (event: Event): void => {
    this.query = (event.target as HTMLInputElement).value;
    this.requestUpdate();
  };

  private readonly searchKey = (event: KeyboardEvent): void => {
    const first = this.found[0];
    if (event.key === "Enter" && first) this.selectItem(entryId(first));
    else if (event.key === "Escape" && this.query) this.query = "";
    else return;
    event.preventDefault();
    this.requestUpdate();
  };

  key(event: KeyboardEvent): boolean {
    if (event.key === "/" && this.search.value) this.search.value.focus();
    else if (event.key === "j" || event.key === "k") this.step(event.key === "j" ? 1 : -1);
    else return false;
    return true;
  }

  private step(by: number): void {
    const ids = this.address.tab === "history" ? this.store.records.map(({ id }) => id) : this.found.map(entryId);
    const at = ids.indexOf(this.address.item);
    const next = ids[at < 0 ? (this.address.tab === "history" ? 0 : by > 0 ? 1 : 0) : at + by];
    if (next !== undefined) this.selectItem(next);
  }

  commands(): Command[] {
    const { store } = this;
    const tools = store.lists.get("tools")?.entries ?? [];
    const tool = this.querySelector<ToolView>("overt-try-tool");
    return [
      ...tabs.map((tab) => ({ label: `Try: ${names[tab]}`, run: () => navigateTry({ tab, item: "" }) })),
      ...(tool ? [{ label: `Send the call of ${safeText(tool.draft.name)}`, key: "Ctrl Enter", run: () => tool.sendNow() }] : []),
      ...store.records.filter(({ answer, isCancelled }) => !answer && !isCancelled).map((record) => ({ label: `Cancel ${safeText(record.target || record.method)}`, run: () => void store.cancel(record) })),
      { label: "Reconnect to the server", run: () => void store.reconnect() },
      { label: `Refresh the list (${plural(this.entries.length, "entry", "entries")})`, run: this.reload },
      ...tools.slice(0, 300).map((entry) => ({ label: `Try the tool ${safeText(text(entry.get("name")))}`, run: () => navigateTry({ tab: "tools", item: text(entry.get("name")) }) })),
    ];
  }
}

customElements.define("overt-try", TryView);
