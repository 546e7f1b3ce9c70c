// The tools of a server as they are remembered: what it says about each, what that costs, and what changed. What was shown is accepted.
import type { PropertyValues, TemplateResult } from "lit";
import type { ApiError } from "../api";
import type { Definition, Definitions } from "../contract";
import type { Session } from "../session";
import { asApiError, diffSection, formatMoment, formatNumber, html, nothing, PageElement, plural, safeText, untrusted } from "../shell/shared";

const mostWaiting = 50;

export class DefinitionsPart extends PageElement {
  static override properties = { session: { attribute: false }, pins: {}, readOnly: { type: Boolean } };

  declare session: Session;
  /** The short name of the server in its directory. */
  declare pins: string;
  declare readOnly: boolean;
  /** Called after something was decided. */
  done: (() => void) | null = null;
  private data: Definitions | null = null;
  private failure: ApiError | null = null;
  private problem: ApiError | null = null;
  private isSending = false;
  private readonly open = new Set<string>();
  private loading: AbortController | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("pins")) void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.loading?.abort();
  }

  private async load(): Promise<void> {
    this.loading?.abort();
    const loading = (this.loading = new AbortController());
    if (this.data?.id !== this.pins) this.data = null;
    this.failure = null;
    try {
      const data = await this.session.api.definitions(this.pins, loading.signal);
      if (loading.signal.aborted) return;
      this.data = data;
    } catch (error) {
      if (loading.signal.aborted) return;
      this.failure = asApiError(error);
    }
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { data, failure } = this;
    if (failure) return html`<p class="note warning" role="alert">${safeText(failure.message)} <button type="button" class="small" @click=${() => void this.load()}>Try again</button></p>`;
    if (!data) return html`<p class="quiet loading" role="status">Reading what is remembered of its tools…</p>`;
    const waiting = data.tools.filter(({ state }) => state !== "accepted");
    return html`<section aria-label="What it says about itself"><h3>What it says about itself</h3>
      <dl class="facts">
        <div><dt>started as</dt><dd>${untrusted(data.started, "mono")}</dd></div>
        <div><dt>basis</dt><dd>claimed: the server says so, and nobody has checked it. What a manifest declares or <code>overt prove</code> observes is not remembered here.</dd></div>
        <div><dt>cost</dt><dd class="numbers">${formatNumber(data.tokens)} tokens (o200k) for ${plural(data.tools.length, "tool")}</dd></div>
        <div><dt>first seen</dt><dd>${formatMoment(data.firstSeen)}</dd></div></dl>
      ${waiting.length ? this.waiting(waiting) : nothing}
      <ul class="definitions">${data.tools.filter(({ state }) => state === "accepted").map((tool) => this.tool(tool))}</ul>
      ${data.leftOut ? html`<p class="quiet">and ${plural(data.leftOut, "more tool", "more tools")}: <code>overt pins list</code></p>` : nothing}</section>`;
  }

  private waiting(tools: Definition[]): TemplateResult {
    const shown = tools.slice(0, mostWaiting);
    const acceptable = shown.filter(({ digest, isConflicting }) => digest && !isConflicting);
    return html`<div class="waiting" role="group" aria-label="Tools that are not as you accepted them">
      <p class="note warning">${plural(tools.length, "tool is", "tools are")} not as you accepted ${tools.length === 1 ? "it" : "them"}. Read what changed before you accept it.</p>
      ${this.problem ? html`<p class="note warning" role="alert">${safeText(this.problem.message)}${this.problem.hint ? html` ${safeText(this.problem.hint)}` : nothing}</p>` : nothing}
      ${shown.map((tool) => html`<article class="definition" data-tool=${safeText(tool.name)}>
        <h4><span class="mono">${untrusted(tool.name)}</span> <span class="pill tone-refused">${untrusted(tool.state)}</span></h4>
        ${tool.state === "removed" ? html`<p>The server does not list it any more${tool.goneAt ? html`, since ${formatMoment(tool.goneAt)}` : nothing}.</p>` : nothing}
        ${tool.isConflicting ? html`<p>The server showed two definitions of it in one list. There is no telling which one it means, so it can't be accepted.</p>` : nothing}
        ${!tool.diff && tool.state !== "removed" ? html`<p>The definition is too long to be kept; only its digest is known: ${untrusted(tool.digest, "mono")}</p>` : nothing}
        ${diffSection(tool, `Changes of ${tool.name}`, "overt pins diff")}
        <p class="actions"><button type="button" class="small" ?disabled=${!this.canDecide || tool.isConflicting || !tool.digest} @click=${() => void this.decide("accept", [tool])}>${tool.state === "removed" ? "Forget it" : "Accept as shown"}</button>
          ${tool.state === "removed" ? nothing : html`<button type="button" class="small" ?disabled=${!this.canDecide || !tool.digest} @click=${() => void this.decide("keep", [tool])}>${tool.state === "new" ? "Don't accept" : "Keep what was accepted"}</button>`}</p></article>`)}
      ${tools.length > shown.length ? html`<p class="quiet">and ${tools.length - shown.length} more, after these</p>` : nothing}
      ${acceptable.length > 1 ? html`<p class="actions"><button type="button" ?disabled=${!this.canDecide} @click=${() => void this.decide("accept", acceptable)}>Accept these ${acceptable.length} as shown</button></p>` : nothing}</div>`;
  }

  private get canDecide(): boolean {
    return !this.readOnly && !this.isSending;
  }

  private tool(tool: Definition): TemplateResult {
    const isOpen = this.open.has(tool.name);
    return html`<li><details class="more definition" ?open=${isOpen} @toggle=${(event: Event) => this.toggle(tool.name, event)}>
      <summary><span class="mono strong">${untrusted(tool.name)}</span> <span class="quiet">${untrusted(tool.says?.join(", ") || "says nothing about its effect")}${
        tool.tokens === null || tool.tokens === undefined ? nothing : html`, ${plural(tool.tokens, "token")}`}</span></summary>
      ${isOpen ? html`${tool.title ? html`<p class="strong">${untrusted(tool.title)}</p>` : nothing}
        ${tool.description ? html`<p><overt-long-text .text=${tool.description}></overt-long-text></p>` : html`<p class="quiet">It has no description.</p>`}
        <dl class="facts"><div><dt>accepted</dt><dd>${formatMoment(tool.acceptedAt)}</dd></div>
          <div><dt>card</dt><dd>${tool.card ? untrusted(tool.card, "mono") : "not known: nothing is declared about this tool"}</dd></div></dl>
        ${tool.definition ? html`<h4>Definition</h4><overt-long-text class="block" .text=${tool.definition}></overt-long-text>` : html`<p class="quiet">Its definition is too long to be kept.</p>`}` : nothing}
    </details></li>`;
  }

  private toggle(name: string, event: Event): void {
    const isOpen = (event.target as HTMLDetailsElement).open;
    if (isOpen === this.open.has(name)) return;
    if (isOpen) this.open.add(name);
    else this.open.delete(name);
    this.requestUpdate();
  }

  private async decide(decision: "accept" | "keep", tools: Definition[]): Promise<void> {
    const shown = tools.flatMap(({ name, digest }) => (digest ? [{ name, digest }] : []));
    this.isSending = true;
    this.problem = null;
    this.requestUpdate();
    try {
      const { words } = await this.session.api.decideDefinitions(this.pins, decision, shown);
      this.session.announce(words);
      this.done?.();
    } catch (error) {
      this.problem = asApiError(error);
    }
    this.isSending = false;
    await this.load();
  }
}

customElements.define("overt-definitions", DefinitionsPart);
