// The servers that are known: what they did in the last 7 days, how far they are trusted, how fast their tools are, what they say.
import { html, nothing, type TemplateResult } from "lit";
import { navigate, type Address } from "../address";
import { asApiError, type ApiError } from "../api";
import type { ServerUse, ToolUse } from "../contract";
import { PageElement } from "../element";
import { LaterPart } from "../lazy";
import "../rows";
import { safeText } from "../safe-text";
import { SessionController, type Session } from "../session";
import type { Command, PageView } from "../shell/commands";
import { formatMicros, formatMoment, formatNumber, lastPart, plural, untrusted } from "../text";
import { largePlot, SmallPlots } from "./plot";

const trustWords: Record<string, string> = {
  changes: "asks for changes", deletes: "asks for deletes", everything: "asks for everything", nothing: "asks for nothing",
};

export class Servers extends PageElement implements PageView {
  static override properties = { session: { attribute: false }, address: { attribute: false } };

  declare session: Session;
  declare address: Address;
  private servers: ServerUse[] | null = null;
  private failure: ApiError | null = null;
  private tool: string | null = null;
  private readonly plots = new SmallPlots();
  private readonly more = new LaterPart(this, "./more.js");
  private unreadable: string[] = [];

  constructor() {
    super();
    new SessionController(this, () => this.session);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      const { servers, unreadable } = await this.session.api.servers();
      this.servers = servers;
      this.unreadable = unreadable ?? [];
      this.failure = null;
    } catch (error) {
      this.failure = asApiError(error);
    }
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { servers, failure } = this;
    if (failure) {
      return html`<div class="empty"><h1>The servers can't be shown</h1><p class="note warning" role="alert">${safeText(failure.message)}</p>
        <button type="button" @click=${() => void this.load()}>Try again</button></div>`;
    }
    if (!servers) return html`<div class="empty"><p class="quiet" role="status">Reading the log of the last 7 days…</p></div>`;
    if (!servers.length) {
      return html`<div class="empty"><h1>No server is known</h1>
        <p><code>overt wrap</code> puts Overt in front of the servers of your clients. Restart the client then.</p></div>`;
    }
    const selected = servers.find((server) => keyOf(server) === this.address.item) ?? servers[0]!;
    return html`<div class="panes servers">
      <section class="pane list-pane" aria-label="Servers">
        <div class="pane-bar"><h1>${plural(servers.length, "server")}</h1><span class="quiet">last 7 days</span>
          <button type="button" class="small push" @click=${() => void this.load()}>Refresh</button></div>
        ${this.unreadable.map((line) => html`<p class="note warning">${safeText(line)}</p>`)}
        <ul class="server-list scroll" tabindex="0" aria-label="Servers">${servers.map((server) => this.serverItem(server, server === selected))}</ul>
      </section>
      <section class="pane details-pane" aria-label="Selected server"><div class="scroll" tabindex="0" role="region" aria-label="Details">
        ${this.serverDetails(selected)}</div></section>
    </div>`;
  }

  private serverItem(server: ServerUse, isSelected: boolean): TemplateResult {
    return html`<li><button type="button" class="server" aria-current=${isSelected ? "true" : nothing} @click=${() => this.select(server)}>
      <span class="server-name">${untrusted(server.name, "strong ellipsis")}${pinsPill(server)}</span>
      <span class="quiet question-facts">${server.project ? untrusted(lastPart(server.project), "ellipsis") : nothing}
        <span>${plural(server.calls, "call")}</span>
        ${server.refused ? html`<span class="tone-refused">${formatNumber(server.refused)} refused</span>` : nothing}
        ${server.failed ? html`<span class="tone-failed">${formatNumber(server.failed)} failed</span>` : nothing}</span></button></li>`;
  }

  private serverDetails(server: ServerUse): TemplateResult {
    const tool = server.tools.find((one) => one.name === this.tool) ?? server.tools[0];
    return html`<article class="details-card">
      <h2>${untrusted(server.name)}</h2>
      <dl class="facts">
        <div><dt>project</dt><dd>${untrusted(server.project ?? "–", "mono")}</dd></div>
        <div><dt>trust</dt><dd>${this.trust(server)}</dd></div>
        <div><dt>calls</dt><dd class="numbers">${formatNumber(server.calls)}, ${formatNumber(server.refused)} refused, ${formatNumber(server.failed)} failed</dd></div>
        <div><dt>last call</dt><dd>${server.last ? formatMoment(server.last) : "none in the last 7 days"}</dd></div>
        <div><dt>basis</dt><dd>${basisWords(server)}</dd></div>
        <div><dt>starts</dt><dd>${startWords(server)}</dd></div>
        ${server.restarts ? html`<div><dt>restarts</dt><dd>${restarts(server.restarts)}</dd></div>` : nothing}
        <div><dt>errors</dt><dd>${this.errors(server)}</dd></div>
        <div><dt>pinned tools</dt><dd>${server.pins ? untrusted(server.pins.words) : server.isOwn ? "none: its tools are part of Overt" : "not known: the definitions of its tools are not remembered"}</dd></div>
      </dl>
      <p class="actions"><button type="button" class="small" @click=${() => navigate({ view: "activity", filters: { server: server.name }, item: null })}>Show its activity</button></p>
      ${tool ? html`<section aria-label="Latency"><h3>Latency of ${untrusted(tool.name, "mono")}</h3>${largePlot(tool)}</section>
        <section aria-label="Tools"><h3>${plural(server.tools.length, "tool")} used</h3>${this.tools(server.tools, tool)}</section>` : nothing}
      ${server.pins?.id ? this.more.render(() => this.definitions(server)) : nothing}
    </article>`;
  }

  private trust(server: ServerUse): TemplateResult {
    if (server.isOwn) return html`it is Overt's own`;
    this.more.begin();
    const words = server.trust ? (trustWords[server.trust] ?? server.trust) : "not decided";
    return this.more.isReady
      ? html`<overt-trust .session=${this.session} .server=${server} .readOnly=${this.session.readOnly !== null} .done=${() => void this.load()}></overt-trust>`
      : untrusted(words);
  }

  private definitions(server: ServerUse): TemplateResult {
    return html`<overt-definitions .session=${this.session} .pins=${server.pins?.id ?? ""} .readOnly=${this.session.readOnly !== null}
      .done=${() => void this.load()}></overt-definitions>`;
  }

  private errors(server: ServerUse): TemplateResult | string {
    const failures = server.failures ?? [];
    if (!failures.length) return "none recorded in the last 7 days";
    return html`<ul class="plain">${failures.map(({ at, tool, word, call }) => html`<li><button type="button" class="link" @click=${() =>
      navigate({ view: "activity", filters: {}, item: call })}>${formatMoment(at)}</button> ${untrusted(tool, "mono")}: ${untrusted(word.replaceAll("_", " "))}</li>`)}</ul>
      ${server.lost ? html`<p>The connection was lost during ${plural(server.lost, "call")}.</p>` : nothing}`;
  }

  private tools(tools: ToolUse[], selected: ToolUse): TemplateResult {
    return html`<div class="tool-table" role="table" aria-label="Tools" aria-rowcount=${tools.length + 1}>
      <div role="rowgroup"><div class="tool head" role="row" aria-rowindex="1">${["tool", "calls", "refused", "failed", "p50", "p90", "p99", "latency"].map((name) =>
        html`<span role="columnheader">${name}</span>`)}</div></div>
      <overt-rows class="tool-rows" role="rowgroup" tabindex="0" aria-label="Tools" .style=${`height:${Math.min(tools.length, 14) * 2.75}rem`}
        .count=${tools.length} .height=${2.75} .revision=${{}} .row=${(index: number) => this.toolRow(tools[index]!, index, selected)}></overt-rows></div>`;
  }

  private toolRow(tool: ToolUse, index: number, selected: ToolUse): TemplateResult {
    const count = (value: number, tone: string) => html`<span role="cell" class="numbers ${value ? tone : "quiet"}">${formatNumber(value)}</span>`;
    return html`<div class="tool" role="row" aria-rowindex=${index + 2} data-selected=${tool === selected ? "yes" : nothing}>
      <span role="cell" class="ellipsis"><button type="button" class="link mono" aria-pressed=${tool === selected} title=${safeText(tool.name)}
        @click=${() => this.selectTool(tool)}>${untrusted(tool.name)}</button></span>
      ${count(tool.calls, "")}${count(tool.refused, "tone-refused")}${count(tool.failed, "tone-failed")}
      ${[tool.p50, tool.p90, tool.p99].map((value) => html`<span role="cell" class="numbers">${formatMicros(value)}</span>`)}
      <span role="cell">${this.plots.plot(tool)}<span class="unseen">${plural(tool.samples.length, "sample")}</span></span></div>`;
  }

  private select(server: ServerUse): void {
    this.tool = null;
    navigate({ ...this.address, item: keyOf(server) });
  }

  private selectTool(tool: ToolUse): void {
    this.tool = tool.name;
    this.requestUpdate();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key !== "j" && event.key !== "k") return false;
    const servers = this.servers ?? [];
    const at = Math.max(0, servers.findIndex((server) => keyOf(server) === this.address.item));
    const next = servers[at + (event.key === "j" ? 1 : -1)];
    if (next) this.select(next);
    return true;
  }

  commands(): Command[] {
    return [{ label: "Read the servers again", run: () => void this.load() }];
  }
}

function keyOf(server: ServerUse): string {
  const name = server.identity ?? server.name;
  return server.project ? `${name} in ${server.project}` : name;
}

/** How it is known what the tools do, from what was recorded of their calls. */
function basisWords({ isOwn, tools }: ServerUse): string {
  const count = (basis: string) => tools.filter((tool) => tool.basis === basis).length;
  const known = ["enforced", "observed", "declared", "claimed"].filter((basis) => count(basis)).map((basis) => `${basis} for ${plural(count(basis), "tool")}`);
  const unknown = tools.filter((tool) => !tool.basis).length;
  if (unknown) known.push(`not known for ${plural(unknown, "tool")}`);
  if (known.length) return `${known.join(", ")} that were called`;
  return isOwn ? "declared: its tools are part of Overt" : "not known: none of its tools was called";
}

/** Restarts of the server itself, which Overt starts again after its connection was lost. */
function restarts({ count, last, lost, losses }: NonNullable<ServerUse["restarts"]>): TemplateResult | string {
  if (!count && !lost) return "none recorded in the last 7 days";
  return html`${count ? `${plural(count, "time")} in the last 7 days, the last time ${formatMoment(last)}` : "none since"};
    the connection was lost ${plural(lost, "time")}
    <ul class="plain">${losses.map(({ at, reason }) => html`<li>${formatMoment(at)}: ${untrusted(reason)}</li>`)}</ul>`;
}

function startWords({ starts, isOwn }: ServerUse): string {
  if (!starts) return "not known";
  const crashes = starts.crashes ? `, ${plural(starts.crashes, "time")} after a crash` : "";
  const times = `${plural(starts.count, "time")} in the last 7 days${crashes}, the last time ${formatMoment(starts.last)}`;
  return isOwn ? times : `Overt was started in front of it ${times}`;
}

function pinsPill(server: ServerUse): TemplateResult | typeof nothing {
  return server.pins?.state === "changed" ? html`<span class="pill tone-refused">tools changed</span>` : nothing;
}

customElements.define("overt-servers", Servers);
