// What holds now: what is decided about each tool that is known, and the settings behind it.
import type { TemplateResult } from "lit";
import type { Compared, SettingValue, ToolRow } from "../contract";
import { html, lastPart, nothing, plural, safeText, untrusted, verdictPill } from "../shell/shared";

const shownVerdicts: [string, string][] = [["", "All"], ["allow", "Allowed"], ["needs_approval", "Asks you"], ["deny", "Refused"]];

export class ToolTable {
  private verdict = "";
  private words = "";

  constructor(private readonly update: () => void) {}

  render(tools: Compared<ToolRow>): TemplateResult {
    const rows = tools.rows.filter((row) => this.takes(row));
    return html`<section class="block-section" aria-label="What is decided now"><h2>What is decided now</h2>
      ${tools.rows.length ? html`
        <form class="filter-row" aria-label="Which tools" @submit=${(event: Event) => event.preventDefault()}>
          <label class="select"><span class="unseen">Decision</span><select @change=${(event: Event) => this.set("verdict", event)}>
            ${shownVerdicts.map(([value, text]) => html`<option value=${value} ?selected=${value === this.verdict}>${text}</option>`)}</select></label>
          <label><span class="unseen">Tool or server</span><input type="text" placeholder="tool or server" autocomplete="off" spellcheck="false" @input=${(event: Event) => this.set("words", event)}></label>
          <span class="quiet" role="status">${plural(rows.length, "tool")}${tools.leftOut ? `, ${tools.leftOut} left out` : ""}</span></form>
        <div class="tool-table decided" role="table" aria-label="Tools" aria-rowcount=${rows.length + 1}>
          <div role="rowgroup"><div class="decision-row head" role="row" aria-rowindex="1">${["tool", "server", "now", "by"].map((name) => html`<span role="columnheader">${name}</span>`)}</div></div>
          <overt-rows class="decision-rows" role="rowgroup" tabindex="0" aria-label="Tools" .style=${`height:${Math.min(Math.max(rows.length, 1), 10) * 2.25}rem`}
            .count=${rows.length} .height=${2.25} .revision=${{}} .row=${(index: number) => toolRow(rows[index]!, index)}></overt-rows></div>`
        : html`<p class="quiet">No tools are known yet. Overt remembers the tools of a server when it is put in front of it.</p>`}
      <p class="quiet">What <code>overt fs</code> may do depends on the path of each call: what is in its folders is allowed, the rest asks. Its tools are shown as their calls of the last 7 days would be decided.</p></section>`;
  }

  private takes(row: ToolRow): boolean {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const text = `${row.tool} ${row.server}`.toLowerCase();
    return (!this.verdict || row.now.verdict === this.verdict) && words.every((word) => text.includes(word));
  }

  private set(name: "verdict" | "words", event: Event): void {
    this[name] = (event.target as HTMLInputElement | HTMLSelectElement).value;
    this.update();
  }
}

function toolRow(row: ToolRow, index: number): TemplateResult {
  return html`<div class="decision-row" role="row" aria-rowindex=${index + 2}>
    <span role="cell" class="ellipsis mono" title=${safeText(row.tool)}>${untrusted(row.tool)}</span>
    <span role="cell" class="ellipsis" title=${safeText(row.project ?? "")}>${untrusted(row.server)}${row.project ? html` <span class="quiet">${untrusted(lastPart(row.project))}</span>` : nothing}</span>
    <span role="cell">${verdictPill(row.now.verdict)}</span>
    <span role="cell" class="ellipsis quiet" title=${safeText(row.now.by)}>${untrusted(row.now.by)}</span></div>`;
}

/** The settings that say what is allowed, and those that are not as they come. */
export function settingsTemplate(settings: Record<string, SettingValue>): TemplateResult {
  const always = new Set(["allow", "deny", "allow_all", "max_grantable"]);
  const shown = Object.entries(settings).filter(([name, { from }]) => always.has(name) || from !== "default");
  return html`<details class="more block-section"><summary>Settings in force</summary><dl class="facts">${shown.map(([name, setting]) => html`<div><dt class="mono">${untrusted(name)}</dt>
    <dd>${untrusted(valueText(setting.value), "mono")} <span class="quiet">${untrusted(originText(setting))}</span></dd></div>`)}</dl></details>`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "not set";
  if (Array.isArray(value)) return value.length ? value.map(valueText).join(", ") : "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function originText({ from, file, line, variable }: SettingValue): string {
  if (file) return line ? `${file}:${line}` : file;
  return variable ? `$${variable}` : from;
}
