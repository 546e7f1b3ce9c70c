// The history: requests of this page, which can be sent again, edited and exported, and every message
// on the wire.
import type { TemplateResult } from "lit";
import { formatClock, html, keyed, nothing, PageElement, plural, safeText, untrusted } from "../../shell/shared";
import { isPreview, jsonBlock, outcome, outcomePill, save, textBlock } from "../exports";
import type { Message } from "../contract";
import type { RequestRecord } from "../record";
import type { TryStore } from "../store";

const filters = ["requests", "messages", "notifications"] as const;
type Filter = (typeof filters)[number];

export class History extends PageElement {
  static override properties = { store: { attribute: false }, item: { attribute: false }, revision: { attribute: false } };

  declare store: TryStore;
  /** The id of a request, or `m` and the place of a message. */
  declare item: string;
  declare revision: unknown;
  select: (item: string) => void = () => undefined;
  /** Opens the tool of a call with its arguments. */
  edit: (record: RequestRecord) => void = () => undefined;
  readLink: (uri: string) => void = () => undefined;

  private filter: Filter = "requests";
  private readonly marked = new Set<string>();
  private transcript = "";

  protected override render(): TemplateResult {
    const { store } = this;
    const record = store.records.find(({ id }) => id === this.item);
    const message = this.item.startsWith("m") ? store.messages[Number(this.item.slice(1))] : undefined;
    return html`<div class="panes try-panes"><section class="pane list-pane" aria-label="History">
        <div class="pane-bar"><div class="switch" role="group" aria-label="What is listed">${filters.map((one) =>
          html`<button type="button" aria-pressed=${this.filter === one} @click=${() => this.show(one)}>${one[0]!.toUpperCase()}${one.slice(1)}</button>`)}</div></div>
        ${this.filter === "requests" ? this.requests() : this.messages()}</section>
      <section class="pane details-pane" aria-label="Selected entry"><div class="scroll" tabindex="0" role="region" aria-label="Details">
        ${record ? this.recordDetails(record) : message ? this.messageDetails(message)
          : html`<div class="empty"><h2>${store.records.length || store.messages.length ? "Nothing is selected" : "Nothing was sent yet"}</h2></div>`}</div></section></div>`;
  }

  private requests(): TemplateResult {
    const { records } = this.store;
    const sorted = [...records].sort((one, other) => Number(other.isPinned) - Number(one.isPinned));
    const marked = sorted.filter(({ id }) => this.marked.has(id));
    return html`<ul class="try-list scroll" tabindex="0" aria-label="Requests">${sorted.map((record) => html`<li class="history-row">
        <input type="checkbox" aria-label=${`Mark ${safeText(record.method)} ${safeText(record.target)} of ${formatClock(record.sentAt)}`} .checked=${this.marked.has(record.id)} @change=${() => this.mark(record.id)}>
        <button type="button" class="entry" data-request=${record.id} aria-current=${record.id === this.item ? "true" : nothing} @click=${() => this.select(record.id)}>
          <span class="entry-name">${record.isPinned ? html`<span class="pill">pinned</span> ` : nothing}${untrusted(record.target || record.method, "mono strong ellipsis")}</span>
          <span class="quiet entry-facts"><span>${howSent(record)}</span> <span>${formatClock(record.sentAt)}</span></span>
          <span>${outcomePill(record)}</span></button></li>`)}
      ${records.length ? nothing : html`<li class="quiet list-note">No request was sent from this page yet.</li>`}</ul>
      <div class="pane-bar export-bar"><button type="button" class="small" ?disabled=${!marked.length} @click=${() => void this.export(marked)}>Export ${marked.length ? plural(marked.length, "request") : "marked requests"}</button>
        ${records.length ? html`<button type="button" class="small" @click=${this.markAll}>${marked.length ? "Unmark all" : "Mark all"}</button>` : nothing}</div>
      ${this.transcript ? this.exported() : nothing}`;
  }

  private exported(): TemplateResult {
    return html`<section class="transcript" aria-label="Transcript"><p class="quiet"><code>overt call --replay FILE</code> runs it again.</p>
      ${textBlock(this.transcript)}<p class="actions"><button type="button" class="small" @click=${() => save(this.transcript, "text/plain", "overt-transcript.txt")}>Save…</button>
      <button type="button" class="small" @click=${() => void this.copy()}>Copy</button>
      <button type="button" class="small" @click=${() => this.closeTranscript()}>Close</button></p></section>`;
  }

  private messages(): TemplateResult {
    const all = this.store.messages.map((message, at) => ({ message, at })).reverse();
    const shown = this.filter === "messages" ? all : all.filter(({ message }) => message.kind === "notification" && message.direction === "received");
    return html`<overt-rows class="try-list message-rows" tabindex="0" role="list" aria-label=${this.filter === "messages" ? "Messages" : "Notifications"} .count=${shown.length} .height=${2.75} .revision=${{}}
      .row=${(index: number) => this.messageRow(shown[index]!.message, shown[index]!.at)}></overt-rows>
      ${shown.length ? nothing : html`<p class="quiet list-note">Nothing was ${this.filter === "messages" ? "sent or received" : "received"} yet.</p>`}`;
  }

  private messageRow(message: Message, at: number): TemplateResult {
    const item = `m${at}`;
    return html`<div role="listitem"><button type="button" class="entry message-row" data-message=${message.method || message.kind} aria-current=${item === this.item ? "true" : nothing} @click=${() => this.select(item)}>
      <span class="entry-name"><span class="direction">${message.direction === "sent" ? "→" : "←"}<span class="unseen">${message.direction}</span></span>
        ${untrusted(message.method || message.kind, "mono ellipsis")}</span>
      <span class="quiet entry-facts"><span>${message.kind}</span> ${message.id ? untrusted(message.id, "mono") : nothing} <span>${formatClock(message.at)}</span></span></button></div>`;
  }

  private recordDetails(record: RequestRecord): TemplateResult {
    const { store } = this;
    return html`${keyed(record.id, html`<article class="details-card"><header class="tool-head"><h2>${untrusted(record.target || record.method, "mono")}</h2>
        <p class="quiet">${howSent(record)} · ${formatClock(record.sentAt)} · ${outcomePill(record)}</p></header>
      <p class="actions"><button type="button" data-replay ?disabled=${!store.isConnected} @click=${() => void this.replay(record)}>Send again</button>
        ${record.method === "tools/call" ? html`<button type="button" data-edit @click=${() => this.edit(record)}>Edit and send</button>` : nothing}
        <button type="button" aria-pressed=${record.isPinned} @click=${() => this.pin(record)}>${record.isPinned ? "Unpin" : "Pin"}</button></p>
      <section aria-label="Sent"><h3>Sent</h3>${jsonBlock(record.params, "Parameters")}</section>
      <section class="outcome" aria-label="Answer"><h3>Answer</h3>${outcome(record, { read: this.readLink, cancel: (one) => void store.cancel(one) })}</section></article>`)}`;
  }

  private messageDetails(message: Message): TemplateResult {
    return html`<article class="details-card"><header class="tool-head"><h2>${untrusted(message.method || message.kind, "mono")}</h2>
      <p class="quiet">${message.direction}, ${message.kind} · ${safeText(message.at)}</p></header>${textBlock(message.text)}</article>`;
  }

  private show(filter: Filter): void {
    this.filter = filter;
    this.requestUpdate();
  }

  private mark(id: string): void {
    if (!this.marked.delete(id)) this.marked.add(id);
    this.requestUpdate();
  }

  private readonly markAll = (): void => {
    const isAny = this.marked.size > 0;
    this.marked.clear();
    if (!isAny) for (const { id } of this.store.records) this.marked.add(id);
    this.requestUpdate();
  };

  private pin(record: RequestRecord): void {
    record.isPinned = !record.isPinned;
    this.requestUpdate();
  }

  private async replay(record: RequestRecord): Promise<void> {
    const sent = this.store.replay(record);
    const latest = this.store.records[0];
    if (latest) this.select(latest.id);
    await sent;
  }

  /** The transcript has the requests in the order in which they were sent. */
  private async export(records: RequestRecord[]): Promise<void> {
    const ids = new Set(records.map(({ id }) => id));
    try {
      this.transcript = await this.store.export(this.store.records.filter(({ id }) => ids.has(id)).map(({ id }) => id).reverse());
    } catch (error) {
      this.store.session.announceError(error);
    }
    this.requestUpdate();
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.transcript);
      this.store.session.announce("The transcript is in the clipboard.");
    } catch {
      this.store.session.announce("The browser does not allow copying. Save the transcript instead.", "problem");
    }
  }

  private closeTranscript(): void {
    this.transcript = "";
    this.requestUpdate();
  }
}

function howSent(record: RequestRecord): TemplateResult {
  return html`${untrusted(record.method)}${isPreview(record) ? ", preview" : ""}${record.isByApp ? ", by the app" : ""}`;
}

customElements.define("overt-try-history", History);
